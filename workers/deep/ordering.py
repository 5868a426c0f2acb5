"""The order in which the moves of a split position are tried.

The first move that proves a position makes the others needless, so the order decides how much is
searched. These positions are far above the leaves, with few stones and hardly a threat. So two
things count: the number of lines of four through a square, and its distance from the centre. (The
search itself orders moves by more than that: c4core/ordering.pyx.)
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Position

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps in (column, row) along the four kinds of lines."""

LINE_POINTS = 2
CENTRE_POINTS = 3
"""Points for each line through the square, and for each column between it and the nearer edge: much
the same order as the search's own."""


def ordered_columns(position: Position) -> list[int]:
    """The columns that can be played, the most promising one first."""
    lines = _lines_through(position.board)
    heights = position.heights

    def points(column: int) -> int:
        from_edge = min(column, position.width - 1 - column)
        return LINE_POINTS * lines[column][heights[column]] + CENTRE_POINTS * from_edge

    return sorted(position.legal_columns(), key=lambda column: (-points(column), column))


@cache
def _lines_through(board: BoardSize) -> tuple[tuple[int, ...], ...]:
    """For each column and row, how many lines of four go through the square."""
    count = [[0] * board.height for _ in range(board.width)]
    for column in range(board.width):
        for row in range(board.height):
            for across, up in DIRECTIONS:
                line = [(column + i * across, row + i * up) for i in range(4)]
                if all(0 <= c < board.width and 0 <= r < board.height for c, r in line):
                    for c, r in line:
                        count[c][r] += 1
    return tuple(map(tuple, count))
