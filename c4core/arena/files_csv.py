"""Games as comma-separated final grids, the format of Brewer 2017.

The first row has the names, ``pos_01,..,pos_42,winner``. Each further row is a game: the cells of
its final grid, row by row from the top and from left to right (1 first player, -1 second player,
0 empty), and then the winner (1, -1, or 0 for a draw). A board of another size has one cell for
each of its squares.

Some programs choose the first player at random, so there are games in which -1 began. The players
of such a grid are swapped when it is read, because the side that began is ``x`` here. A full board
without a four has as many stones of both sides and does not say who began; 1 is then taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

from c4core.arena.files import GameEntry, GameFileError, empty_board, ending_on_board
from c4core.errors import C4Error
from c4core.lines import BadLine, read_text_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.notation import BoardSize
    from c4core.position import Side

_CELLS: Final = str.maketrans({".": "0,", "x": "1,", "o": "-1,", "\n": None})
_WINNERS: Final[dict[Side | None, str]] = {"x": "1", "o": "-1", None: "0"}
_SQUARES: Final = {"0": ".", "1": "x", "-1": "o"}
_TURNED: Final = str.maketrans("xo", "ox")
_SIDES: Final[dict[str, Side | None]] = {".": None, "x": "x", "o": "o"}
"""The winners, by the character that a cell with the same number gets."""


def csv_names(board: BoardSize) -> str:
    """The heading: the names of all columns."""
    cells = ",".join(f"pos_{number:02}" for number in range(1, board.cells + 1))
    return f"{cells},winner"


def csv_line(final: Position, winner: Side | None) -> str:
    """The row of a game, without the line end."""
    return str(final).translate(_CELLS) + _WINNERS[winner]


def read_csv_games(
    stream: BinaryIO, *, board: BoardSize = DEFAULT_BOARD
) -> Iterator[GameEntry | BadLine]:
    """Read games. Blank lines are skipped, and the row of names may be missing.

    Args:
        stream: a binary file.
        board: the board of all games.
    """
    start = empty_board(board)
    for line, text in read_text_lines(stream):
        if isinstance(text, BadLine):
            yield text
            continue
        row = text.strip()
        if not row or (line == 1 and _is_names(row, board)):
            continue
        try:
            final, winner = parse_csv_game(row, board=board)
            ending = ending_on_board(final, winner)
        except GameFileError as error:
            yield BadLine(line, str(error), error.field)
        else:
            yield GameEntry(start, None, final, winner, ending)


def parse_csv_game(row: str, *, board: BoardSize = DEFAULT_BOARD) -> tuple[Position, Side | None]:
    """The final grid of a row, and who won.

    Raises:
        GameFileError: the row is not a grid of this board that a winner follows.
    """
    cells = row.split(",")
    if len(cells) != board.cells + 1:
        raise GameFileError(
            f"{len(cells)} values: a {board} board needs {board.cells} cells and the winner",
            field="line",
        )
    squares = "".join(_SQUARES.get(cell) or _square(cell) for cell in cells)
    if _began_with_second(squares):
        squares = squares.translate(_TURNED)
    width = board.width
    grid = "/".join(squares[begin : begin + width] for begin in range(0, board.cells, width))
    try:
        return Position.from_grid(grid), _SIDES[squares[-1]]
    except C4Error as error:
        raise GameFileError(str(error), field="grid") from None


def _is_names(row: str, board: BoardSize) -> bool:
    """Whether the first line is the row of names."""
    return row.replace('"', "").replace(" ", "").lower() == csv_names(board)


def _began_with_second(squares: str) -> bool:
    """Whether the player with -1 moved first.

    Args:
        squares: the squares of the grid, and the winner as one more square.
    """
    first, second = squares.count("x", 0, -1), squares.count("o", 0, -1)
    # With as many stones of both, the second player moved last, and only it can have won.
    return second > first or (second == first and squares[-1] == "x")


def _square(cell: str) -> str:
    """The square for a number that is written in another way, such as ``-1.0`` or in quotes.

    Raises:
        GameFileError: the cell is neither 1 nor -1 nor 0.
    """
    plain = cell.strip().strip('"')
    try:
        return _SQUARES[f"{float(plain):g}"]
    except (ValueError, KeyError):
        raise GameFileError(f"{cell!r} is none of 1, -1 and 0", field="grid") from None
