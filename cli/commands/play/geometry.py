"""Where the squares of a board lie on the screen, depending on its size.

From above: a line for the stone that is about to fall, the rows of the board, a line of column
labels, a line of scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from c4core.notation import BoardSize

LINES_ABOVE: Final = 1
LINES_BELOW: Final = 2

DISC_CELLS: Final = ((6, 3), (5, 2), (4, 1), (3, 1))
"""Sizes of a square with a disc, in characters and lines, the best first."""

LETTER_CELLS: Final = ((6, 2), (5, 1), (4, 1), (3, 1))
"""Sizes of a square with a letter; a mark needs a character on both sides."""


class Geometry(NamedTuple):
    """The place of a board in an area of the screen."""

    board: BoardSize
    """Columns and rows."""
    cell_width: int
    """Characters of a square."""
    cell_height: int
    """Lines of a square."""
    left: int
    """Characters before the first column."""
    top: int
    """Lines above the first line of the picture."""

    @property
    def width(self) -> int:
        """Characters of the board."""
        return self.board.width * self.cell_width

    def column_at(self, x: int) -> int | None:
        """The column under a character of the area, or None beside the board."""
        column = (x - self.left) // self.cell_width
        return column if 0 <= column < self.board.width else None


def fit(board: BoardSize, width: int, height: int, *, letters: bool) -> Geometry | None:
    """The best place for a board, centred in an area; None if it is too large.

    Args:
        board: columns and rows.
        width: characters of the area.
        height: lines of the area.
        letters: stones are letters.
    """
    for cell_width, cell_height in LETTER_CELLS if letters else DISC_CELLS:
        across = board.width * cell_width
        down = board.height * cell_height + LINES_ABOVE + LINES_BELOW
        if across <= width and down <= height:
            left, top = (width - across) // 2, (height - down) // 2
            return Geometry(board, cell_width, cell_height, left, top)
    return None


def least(board: BoardSize) -> tuple[int, int]:
    """The smallest area for a board, in characters and lines."""
    cell_width, cell_height = DISC_CELLS[-1]
    return board.width * cell_width, board.height * cell_height + LINES_ABOVE + LINES_BELOW
