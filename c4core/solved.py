"""The table of solved boards: the score of each empty board, who published it, and who computed it.

J. Tromp's table has the boards with width + height up to 15, and 8x8. C. Steininger's program c4
has more. The first player of 8x9 wins, but the length of the game is not published.

For some boards that take minutes or hours, the table also has the scores of the first moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.notation import BoardSize
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROWS: Final = {
    4: "0T* 0T* -1T* 0T* -1T* -1T* -1T* -1T* -1S*",
    5: "0T* 0T* 0T* 0T* 1T* 3T* 2T* 3S",
    6: "0T* 0T* -1T* 1T* -1T* -2T* 1S",
    7: "0T* 0T* 1T* 0T* 2T* 5S",
    8: "0T* 0T* -1T* 1T* -2T",
    9: "0T* 0T* 1T* 0S",
    10: "0T* 0T* -1S* 1S",
    11: "0T* 0S* 2S",
    12: "0S* 0S* -1S",
    13: "0* 0*",
    14: "0*",
    15: "0*",
    16: "0*",
}
"""Scores by rows of the board, from 4 columns on; T: Tromp, S: Steininger, *: computed here."""
_FEWEST_COLUMNS: Final = 4
_PUBLISHERS: Final = {"T": "J. Tromp", "S": "C. Steininger"}

_FIRST_MOVES: Final = {
    "10x4": (-2, -1, -1, -1, -1),
    "4x15": (0, 0),
    "5x10": (0, -3, 0),
    "5x11": (0, 0, 0),
    "6x7": (0, 1, 0),
    "6x8": (-3, -3, -1),
    "6x9": (0, 1, 0),
    "7x7": (0, -2, 0, 0),
    "7x8": (-3, -1, 0, 1),
    "8x5": (-1, 0, 0, 1),
    "8x6": (-2, -2, -1, -1),
    "9x4": (-2, -2, -1, -1, -1),
    "9x5": (-1, 1, 0, 3, 1),
    "8x7": (),
    "9x6": (),
    "10x5": (),
    "11x4": (),
    "12x4": (),
}
"""Scores of the columns from the left edge to the middle, computed here; empty if unknown. Other
boards are solved in seconds, or have a file."""


class SolvedBoard(NamedTuple):
    """The known scores of an empty board."""

    score: int
    """The score of the first player."""
    publisher: str | None
    """The author who published the score; None if we know of none."""
    is_computed: bool
    """Whether the score was computed by this program, too."""
    first_moves: tuple[int, ...] | None
    """Scores of the columns from the left edge to the middle, computed by this program; empty
    if they are unknown. None if a search takes seconds, or if the board has a book in a file."""


def _read() -> dict[BoardSize, SolvedBoard]:
    table = {}
    for height, row in _ROWS.items():
        for width, cell in enumerate(row.split(), _FEWEST_COLUMNS):
            published = cell.rstrip("*")
            board = BoardSize(width, height)
            table[board] = SolvedBoard(
                int(published.rstrip("TS")),
                _PUBLISHERS.get(published[-1]),
                is_computed=cell.endswith("*"),
                first_moves=_FIRST_MOVES.get(str(board)),
            )
    return table


SOLVED: Final[Mapping[BoardSize, SolvedBoard]] = _read()


def published_score(board: BoardSize) -> int | None:
    """The published score of an empty board for the first player; None if we know of none."""
    solved = SOLVED.get(board)
    return solved.score if solved is not None and solved.publisher is not None else None


def first_positions(board: BoardSize) -> list[dict[int, int]] | None:
    """The scores of the empty board and, if known, of its first moves, by canonical key.

    A dictionary for each number of stones; None if the board has no computed scores worth a book.
    """
    solved = SOLVED.get(board)
    if solved is None or solved.first_moves is None:
        return None
    start = Position(board=board)
    plies = [{start.key: solved.score}]
    if solved.first_moves:
        moves = enumerate(solved.first_moves)
        plies.append({start.play(column).canonical_key: -score for column, score in moves})
    return plies
