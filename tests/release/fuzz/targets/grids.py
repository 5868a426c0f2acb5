"""Grids of stones."""

from pathlib import Path
from random import Random

from c4core.errors import BoardError, GridError
from c4core.position import Position
from tests.release.fuzz.mutation import mutated
from tests.release.fuzz.sizes import board, random_position
from tests.release.fuzz.target import Target

WORDS = (
    b".",
    b"x",
    b"o",
    b"X",
    b"/",
    b"\n",
    b"\r\n",
    b" ",
    b"|",
    b"\xc3\xa9",
    b"." * 60,
    b"\n" * 60,
)


def make(chance: Random) -> bytes:
    grid = str(random_position(chance, *board(chance, impossible=0))).encode()
    if chance.random() < 0.2:
        grid = grid.replace(b"\n", b"/")
    return mutated(chance, grid, WORDS)


def run(data: bytes) -> None:
    position = Position.from_grid(data.decode(errors="surrogateescape"))
    assert Position.from_grid(str(position)) == position


def prepare(_: Path) -> Target:
    """The target."""
    return Target(make, run, (BoardError, GridError))
