"""Tables of positions: every row has an answer, and none is endless."""

import csv
import io
from itertools import pairwise
from pathlib import Path
from random import Random

from c4core.lines import MAX_LINES, BadLine, HeadingError, read_csv
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from tests.release.fuzz.mutation import mutated
from tests.release.fuzz.sizes import random_position
from tests.release.fuzz.target import Target

HEADINGS = (("moves",), ("id", "moves"), ("key", "id"), ("grid", "board"), ("moves", "key", "grid"))
WORDS = (
    b"\n",
    b"\r",
    b"\r\n",
    b'"',
    b'"\n"',
    b'"\n' * 300,
    b",",
    b";",
    b"\t",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff",
    b"-",
    b"9" * 30,
    b"1" * 70_000,
)


def _cell(chance: Random, name: str) -> str:
    position = random_position(chance, 7, 6)
    match name:
        case "moves":
            return chance.choice(("4453", "-", ""))
        case "key":
            return str(position.key)
        case "grid":
            return str(position).replace("\n", chance.choice(("\n", "/")))
        case "board":
            return "7x6"
        case _:
            return str(chance.randrange(100))


def make(chance: Random) -> bytes:
    names = chance.choice(HEADINGS)
    text = io.StringIO()
    rows = csv.writer(
        text,
        delimiter=chance.choice(",;\t"),
        lineterminator=chance.choice(("\n", "\n", "\r\n", "\r")),
    )
    rows.writerow(names)
    for _ in range(chance.choice((1, 2, 5, 30))):
        rows.writerow([_cell(chance, name) for name in names])
    data = text.getvalue().encode()
    return mutated(chance, data, WORDS) if chance.random() < 0.9 else data


def run(data: bytes) -> None:
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


def prepare(_: Path) -> Target:
    """The target."""
    return Target(make, run, (HeadingError,))
