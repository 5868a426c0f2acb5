"""Texts of moves and of board sizes."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

from c4core.errors import BoardError, MoveError
from c4core.notation import LABELS, format_moves, parse_board, parse_moves
from c4core.position import Position
from tests.release.fuzz.mutation import ODD, mutated
from tests.release.fuzz.sizes import board
from tests.release.fuzz.target import Target


def make(chance: Random) -> bytes:
    width, height = board(chance)
    length = chance.choice((0, 3, 7, 20, 60, 60, 5000))
    labels = LABELS[1 : max(2, min(width, 61) + 1 + (chance.random() < 0.1))]
    moves = "".join(chance.choices(labels, k=length))
    if chance.random() < 0.5:
        moves = mutated(chance, moves.encode()).decode(errors="replace")
    if chance.random() < 0.05:
        moves = str(chance.choice(ODD)).encode(errors="replace").decode()
    return json.dumps([moves, width, height]).encode()


def run(data: bytes) -> None:
    moves, width, height = json.loads(data)
    text = f"{width}x{height}"
    try:
        size = parse_board(text if len(text) % 2 else f" {text.upper()}\n")
    except BoardError:
        size = None
    with suppress(BoardError):
        parse_board(moves)
    try:
        columns = list(parse_moves(moves, width=width))
    except MoveError:
        columns = None
    position = Position(moves, width=width, height=height)
    assert position.board == size
    assert columns is not None
    assert Position(format_moves(columns), width=width, height=height) == position
    assert Position.from_key(position.key, width=width, height=height) == position
    drawn = Position.from_grid(str(position), width=position.width, height=position.height)
    assert drawn == position
    assert position.mirrored().mirrored() == position


def prepare(_: Path) -> Target:
    """The target."""
    return Target(make, run, (BoardError, MoveError))
