"""Files of games, as JSON Lines and CSV; accepted games are written and read again."""

import io
import json
from pathlib import Path
from random import Random

from c4core.arena.file_formats import (
    csv_line,
    csv_names,
    json_line,
    parse_json_game,
    read_csv_games,
    read_json_games,
)
from c4core.lines import BadLine
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.sizes import random_position
from tests.release.fuzz.target import Target

SAMPLES = (
    {"moves": "4343434", "first": "random", "second": "set", "seed": 7, "match": 1, "number": 2},
    {
        "moves": "4343434",
        "board": "7x6",
        "start": Position("12").key,
        "x_seconds": 0.5,
        "o_seconds": 1e9,
        "replaced": [3],
    },
    {"moves": "43", "winner": "o", "ending": "illegal", "detail": "column 9"},
    {"moves": "4343", "first": "exec:touch x", "winner": "o", "ending": "time"},
    {"moves": "434", "winner": "x", "ending": "resigned"},
    {"moves": "43", "winner": None, "ending": "unfinished"},
)
WORDS = (b"\n", b",", b'"', b"\r", b"1,", b"-1,", b"0", b"\xff", b"\x00", b"winner")


def make(chance: Random) -> bytes:
    if chance.random() < 0.6:
        lines = [mutated_text(chance, chance.choice(SAMPLES)) for _ in range(chance.randint(1, 3))]
        return b"J" + b"\n".join(lines)
    rows = [csv_names(DEFAULT_BOARD)] if chance.random() < 0.5 else []
    for _ in range(chance.randint(1, 3)):
        position = random_position(chance, 7, 6)
        rows.append(csv_line(position, position.winner))
    return b"C" + mutated(chance, "\n".join(rows).encode(), WORDS)


def run(data: bytes) -> None:
    read = read_json_games if data[:1] == b"J" else read_csv_games
    for entry in read(io.BytesIO(data[1:]), board=DEFAULT_BOARD):
        if isinstance(entry, BadLine):
            assert entry.error
            continue
        line = json_line(entry)
        assert json_line(parse_json_game(line)) == line, json.loads(line)


def prepare(_: Path) -> Target:
    """The target."""
    return Target(make, run)
