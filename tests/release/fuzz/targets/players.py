"""Descriptions of players; playable ones play on any board."""

import json
from pathlib import Path
from random import Random

from c4core.dice import Dice
from c4core.players import Limits, PlayerError, PlayerFailure, parse_player, player_kinds
from c4core.players.parameters import Whole
from c4core.players.player import PlayerKind
from c4core.players.registry import parse_players
from c4core.position import Position
from tests.release.fuzz.mutation import mutated
from tests.release.fuzz.sizes import board, random_position
from tests.release.fuzz.target import Target

WORDS = (
    b":", b",", b"=", b"1/2/3", b"1..9", b"off", b"nan", b"inf", b"1e9", b"-0", b"\xd9\xa1",
    b"9" * 5000, b"\x00", b"\x1b", b"/dev/null", b"1..999999999", b"exec:", b"python:", b" ",
)  # fmt: skip
MOST = 3
"""Largest numbers in playable descriptions: of plies, of games, and of milliseconds."""
LARGEST = 20
"""Largest number of squares of a board on which every position is solved at once."""


def _description(chance: Random, kind: PlayerKind) -> str:
    """A valid description of a player that moves at once."""
    if kind.argument is not None:
        return f"{kind.name}:x"
    parts = []
    for parameter in kind.parameters:
        values = parameter.values
        if isinstance(values, Whole):
            low = max(values.low, 0)
            number = chance.randint(low, max(low, min(MOST, values.high)))
            parts.append(f"{parameter.name}={number}")
        elif chance.random() < 0.3:
            word = chance.choice(("0", "1", "0.5", "on", "off", "left", "both", "12"))
            parts.append(f"{parameter.name}={word}")
    return kind.name + (":" + ",".join(parts) if parts else "")


def make(chance: Random) -> bytes:
    kind = chance.choice([kind for kind in player_kinds() if not kind.name.startswith("learning")])
    text = _description(chance, kind)
    if chance.random() < 0.5:
        text = mutated(chance, text.encode(), WORDS).decode(errors="replace")
        return json.dumps([text, None, None, None]).encode()
    position = random_position(chance, *board(chance, impossible=0))
    return json.dumps([text, str(position.key), *position.board]).encode()


def run(data: bytes) -> None:
    text, key, width, height = json.loads(data)
    parse_players(text)
    spec = parse_player(text)
    assert parse_player(spec.text).text == spec.text
    if key is None or spec.kind.argument is not None:
        return
    position = Position.from_key(int(key), width=width, height=height)
    is_long = position.board.cells > LARGEST and spec.kind.name == "perfect"
    if position.is_over or is_long:
        return
    with spec.make() as player:
        player.check_board(position.board)
        assert player.choose(position, Dice(1), Limits(seconds=0.5)) in position.legal_columns()


def prepare_players(_: Path) -> Target:
    return Target(make, run, (PlayerError, PlayerFailure))
