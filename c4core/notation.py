"""Text for boards and moves. Only this module converts between 0-based and 1-based columns.

In the program, columns are 0-based numbers. In text, they are 1-based characters: ``1`` to ``9``,
then ``a`` (column 10) to ``z`` (column 35), then ``A`` (column 36) to ``Z`` (column 61). On boards
of up to 35 columns capital letters mean the same as small ones.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from c4core.errors import BoardError, MoveError

if TYPE_CHECKING:
    from collections.abc import Iterable

LABELS = string.digits + string.ascii_lowercase + string.ascii_uppercase
"""The characters of columns. The index is the column's number in the text, from 0 or from 1."""

MAX_BITS = 128
"""The largest ``width * (height + 1)``: a bit for each square, and a guard bit for each column."""

NARROW_BITS = 64
"""The largest ``width * (height + 1)`` of a narrow board: its positions fit into 64 bits."""

MAX_WIDTH = len(LABELS) - 1
"""The number of columns of the widest board; each column has a character."""

MAX_HEIGHT = 40
"""The number of rows of the highest board. On a higher one, the largest shift in the engine's test
for four in a row would exceed a word of 128 bits."""

NARROW_HEIGHT = 19
"""The number of rows of the highest narrow board."""

_NUMBERS = {label: number for number, label in enumerate(LABELS)}
"""The number of each character. ``lower()`` is not used: it turns the Kelvin sign into a ``k``."""

_ONE_CASE = len(string.digits + string.ascii_lowercase)
"""The first number whose character is a capital letter."""

FROM_ONE = "columns are counted from 1"
"""The end of a message. A caller can add a hint at an option that avoids the error."""

_BOARD = re.compile(r"([0-9]{1,3})\s*[x\u00d7]\s*([0-9]{1,3})")


class BoardSize(NamedTuple):
    """Columns and rows of a board. ``str()`` writes ``7x6``; :func:`parse_board` reads it."""

    width: int
    height: int

    def __str__(self) -> str:
        """``WIDTHxHEIGHT``."""
        return f"{self.width}x{self.height}"

    @property
    def cells(self) -> int:
        """Squares on the board."""
        return self.width * self.height

    @property
    def is_narrow(self) -> bool:
        """Whether the engine uses words of 64 bits. Books, certificates and data sets need this."""
        return self.width * (self.height + 1) <= NARROW_BITS and self.height <= NARROW_HEIGHT


DEFAULT_BOARD = BoardSize(7, 6)

BoardLike: TypeAlias = BoardSize | tuple[int, int] | str
"""A board as an argument: a :class:`BoardSize` or another pair of numbers, or text (``8x7``)."""


def check_board(width: int, height: int) -> BoardSize:
    """The size as a :class:`BoardSize`.

    Raises:
        BoardError: a board of this size does not fit into a bitboard.
    """
    size = BoardSize(width, height)
    if width < 1 or height < 1:
        raise BoardError(f"impossible board {size}: it needs a column and a row", size=size)
    bits = width * (height + 1)
    problem = None
    if bits > MAX_BITS:
        problem = f"width * (height + 1) is {bits}, the limit is {MAX_BITS}"
    elif height > MAX_HEIGHT:
        problem = f"it has {height} rows, the limit is {MAX_HEIGHT}"
    elif width > MAX_WIDTH:
        problem = f"it has {width} columns, the limit is {MAX_WIDTH}"
    if problem is not None:
        raise BoardError(f"impossible board {size}: {problem}", size=size)
    return size


def check_narrow(board: BoardSize, what: str) -> BoardSize:
    """The board, if it is narrow.

    Args:
        board: any size.
        what: the things that need a narrow board, in the plural, for the message.

    Raises:
        BoardError: the board is wide.
    """
    if not board.is_narrow:
        raise BoardError(
            f"{what} need a board with width * (height + 1) up to {NARROW_BITS} "
            f"and up to {NARROW_HEIGHT} rows, not {board}",
            size=board,
        )
    return board


def parse_board(text: str) -> BoardSize:
    """Read a board size such as ``7x6``: columns, then rows.

    Raises:
        BoardError: the text is not a size, or the engine cannot play on a board of this size.
    """
    match = _BOARD.fullmatch(text.strip().lower())
    if match is None:
        raise BoardError(f"not a board size: {text!r} (write WIDTHxHEIGHT, as in 7x6)", size=text)
    return check_board(int(match[1]), int(match[2]))


def column_label(column: int, *, zero_based: bool = False) -> str:
    """The character for a 0-based column in text.

    Raises:
        MoveError: no board has this column.
    """
    return _label(column, zero_based=zero_based, index=None)


def parse_moves(text: str, *, width: int = 7, zero_based: bool = False) -> tuple[int, ...]:
    """Read a line of moves as 0-based columns. It does not check whether they can be played.

    Args:
        text: one ASCII character for each move. Case matters only if the board has more than 35
            columns.
        width: columns of the board.
        zero_based: whether the text counts columns from 0.

    Raises:
        MoveError: a character is not a column (``syntax``), or not one of this board (``range``).
    """
    shift = 0 if zero_based else 1
    columns = []
    for index, character in enumerate(text):
        number = _NUMBERS.get(character)
        if number is not None and number >= _ONE_CASE and width < _ONE_CASE:
            number -= len(string.ascii_uppercase)
        if number is None:
            raise MoveError(
                f"move {index + 1}: {character!r} is not a column",
                kind="syntax",
                index=index,
            )
        column = number - shift
        if not 0 <= column < width:
            first, last = (
                column_label(0, zero_based=zero_based),
                column_label(width - 1, zero_based=zero_based),
            )
            raise MoveError(
                f"move {index + 1}: 0 is not a column: {FROM_ONE}"
                if number == 0
                else f"move {index + 1}: column {character} is outside the board "
                f"(columns {first} to {last})",
                kind="range",
                column=column,
                index=index,
            )
        columns.append(column)
    return tuple(columns)


def format_moves(columns: Iterable[int], *, zero_based: bool = False) -> str:
    """Write 0-based columns as a line of moves.

    Raises:
        MoveError: a number is not a column of any board.
    """
    return "".join(
        _label(column, zero_based=zero_based, index=index) for index, column in enumerate(columns)
    )


def _label(column: int, *, zero_based: bool, index: int | None) -> str:
    """The character of a column; ``index`` is its place in a line of moves, for the error."""
    if not 0 <= column < MAX_WIDTH:
        place = "" if index is None else f"move {index + 1}: "
        raise MoveError(
            f"{place}there is no column {column}; counted from 0 they go up to {MAX_WIDTH - 1}",
            kind="range",
            column=column,
            index=index,
        )
    return LABELS[column if zero_based else column + 1]
