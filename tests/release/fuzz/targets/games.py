"""Files of games, which are written and read again, and tables of positions."""

import csv
import io
import json
from itertools import pairwise
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
from c4core.lines import MAX_LINES, BadLine, HeadingError, read_csv
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.sizes import random_position
from tests.release.fuzz.target import Target

SAMPLES = (
    {"moves": "4343434", "first": "random", "second": "set", "seed": 7, "match": 1, "number": 2},
    {"moves": "4343434", "board": "7x6", "start": Position("12").key, "replaced": [3]}
    | {"x_seconds": 0.5, "o_seconds": 1e9},
    {"moves": "43", "winner": "o", "ending": "illegal", "detail": "column 9"},
    {"moves": "4343", "first": "exec:touch x", "winner": "o", "ending": "time"},
    {"moves": "434", "winner": "x", "ending": "resigned"},
    {"moves": "43", "winner": None, "ending": "unfinished"},
)
GAMES_WORDS = (b"\n", b",", b'"', b"\r", b"1,", b"-1,", b"0", b"\xff", b"\x00", b"winner")


def make_games(chance: Random) -> bytes:
    if chance.random() < 0.6:
        lines = [mutated_text(chance, chance.choice(SAMPLES)) for _ in range(chance.randint(1, 3))]
        return b"J" + b"\n".join(lines)
    rows = [csv_names(DEFAULT_BOARD)] if chance.random() < 0.5 else []
    for _ in range(chance.randint(1, 3)):
        position = random_position(chance, 7, 6)
        rows.append(csv_line(position, position.winner))
    return b"C" + mutated(chance, "\n".join(rows).encode(), GAMES_WORDS)


def run_games(data: bytes) -> None:
    read = read_json_games if data[:1] == b"J" else read_csv_games
    for entry in read(io.BytesIO(data[1:]), board=DEFAULT_BOARD):
        if isinstance(entry, BadLine):
            assert entry.error
            continue
        line = json_line(entry)
        assert json_line(parse_json_game(line)) == line, json.loads(line)


def prepare_games(_: Path) -> Target:
    return Target(make_games, run_games)


HEADINGS = (("moves",), ("id", "moves"), ("key", "id"), ("grid", "board"), ("moves", "key", "grid"))
LINES_CSV_WORDS = (
    b"\n", b"\r", b"\r\n", b'"', b'"\n"', b'"\n' * 300, b",", b";", b"\t", b"\x00",
    b"\xef\xbb\xbf", b"\xff", b"-", b"9" * 30, b"1" * 70_000,
)  # fmt: skip


def _row(chance: Random, names: tuple[str, ...]) -> list[str]:
    position = random_position(chance, 7, 6)
    cells = {
        "moves": chance.choice(("4453", "-", "")),
        "key": str(position.key),
        "grid": str(position).replace("\n", chance.choice(("\n", "/"))),
        "board": "7x6",
        "id": str(chance.randrange(100)),
    }
    return [cells[name] for name in names]


def make_lines_csv(chance: Random) -> bytes:
    names = chance.choice(HEADINGS)
    text = io.StringIO()
    end = chance.choice(("\n", "\n", "\r\n", "\r"))
    rows = csv.writer(text, delimiter=chance.choice(",;\t"), lineterminator=end)
    rows.writerow(names)
    rows.writerows(_row(chance, names) for _ in range(chance.choice((1, 2, 5, 30))))
    data = text.getvalue().encode()
    return mutated(chance, data, LINES_CSV_WORDS) if chance.random() < 0.9 else data


def run_lines_csv(data: bytes) -> None:
    answers = list(read_csv(io.BytesIO(data), board=DEFAULT_BOARD))
    lines = data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
    numbers = [1, *(answer.line for answer in answers)]
    assert all(before < number <= lines for before, number in pairwise(numbers))
    assert lines <= 1 + len(answers) * MAX_LINES
    for answer in answers:
        if isinstance(answer, BadLine):
            assert answer.error
        else:
            assert isinstance(answer.position, Position)


def prepare_lines_csv(_: Path) -> Target:
    return Target(make_lines_csv, run_lines_csv, (HeadingError,))
