"""Finds a line of moves that leads to a position, from the stones alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.dataset.errors import DatasetError
from c4core.notation import format_moves

if TYPE_CHECKING:
    from c4core.position import Position

    Heights = tuple[int, ...]


def line_to(position: Position) -> str:
    """Moves that lead from the empty board to a position; always the same of several lines.

    The search removes stones from the tops of the columns, for both sides in turn, beginning with
    the side that moved last. It takes the leftmost possible column. At a dead end it puts the last
    stone back and tries the next column.

    Args:
        position: without a four, so that no order of its moves ends the game too early.

    Raises:
        DatasetError: no order of moves leads there.
    """
    columns = _columns(position)
    dead: set[Heights] = set()
    taken: list[int] = []
    heights = list(map(len, columns))
    tries = [0]
    while len(taken) < position.ply:
        mover = "o" if (position.ply - len(taken)) % 2 == 0 else "x"
        column = _next(columns, heights, mover, tries[-1], dead)
        if column is not None:
            tries[-1] = column + 1
            tries.append(0)
            taken.append(column)
            heights[column] -= 1
            continue
        dead.add(tuple(heights))
        if not taken:
            raise DatasetError(f"no line of moves leads to the position with key {position.key}")
        tries.pop()
        heights[taken.pop()] += 1
    return format_moves(reversed(taken))


def _next(
    columns: tuple[str, ...], heights: list[int], mover: str, first: int, dead: set[Heights]
) -> int | None:
    """The next column, ``first`` or later, whose top stone may be the mover's last move."""
    for column in range(first, len(columns)):
        height = heights[column]
        if height and columns[column][height - 1] == mover:
            if not dead:
                return column
            below = (*heights[:column], height - 1, *heights[column + 1 :])
            if below not in dead:
                return column
    return None


def _columns(position: Position) -> tuple[str, ...]:
    """The stones of each column from the bottom up; the grid has the top row first."""
    rows = reversed(str(position).splitlines())
    return tuple("".join(column).rstrip(".") for column in zip(*rows, strict=True))
