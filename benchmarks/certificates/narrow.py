"""Certificates of all boards with few columns or rows, made and checked in this process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.errors import BoardError
from c4core.notation import BoardSize, check_board
from c4core.position import Position
from c4core.proof import Certificate, Prover, make
from tests.support.certificates import independent_checker

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CELLS: Final = 36
MOST_NARROW_CELLS: Final = 18
"""Some with more squares, 12x2 and 12x3 for two, take longer than all others together."""
LEAST_SIDE: Final = 4
"""A board with fewer columns or rows is narrow."""


@dataclass(frozen=True, slots=True)
class Narrow:
    """All narrow boards together."""

    boards: int
    positions: int
    file_bytes: int
    largest: str
    """The board with the largest file."""
    largest_bytes: int


def boards(*, narrow: bool) -> Iterator[BoardSize]:
    """The boards that the engine takes, narrow ones (up to 18 squares) or the others (up to 36)."""
    most = MOST_NARROW_CELLS if narrow else MOST_CELLS
    for width in range(1, most + 1):
        for height in range(1, most // width + 1):
            try:
                board = check_board(width, height)
            except BoardError:
                continue
            if (min(board) < LEAST_SIDE) == narrow:
                yield board


def measure() -> Narrow:
    """Prove the exact score of every narrow board; both checkers look at each certificate.

    Raises:
        Exception: a checker refuses one.
    """
    checker = independent_checker()
    sizes: dict[BoardSize, int] = {}
    positions = 0
    for board in boards(narrow=True):
        start = Position(width=board.width, height=board.height)
        data = make(start, prover=Prover(table_mb=64))
        positions += Certificate(data).check().info.positions
        checker.check(data)
        sizes[board] = len(data)
    largest = max(sizes, key=lambda board: sizes[board])
    return Narrow(len(sizes), positions, sum(sizes.values()), str(largest), sizes[largest])
