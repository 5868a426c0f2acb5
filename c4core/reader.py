"""Moves and grids in the forms that people and other programs write.

:func:`read_moves` reads ``4453`` and also ``4,4,5,3``, ``4 4 5 3``, ``4-4-5-3``, ``[4, 4, 5, 3]``,
``ddec``, ``D1 D2 E1 C1`` and ``1. d1 d2 2. e1 c1``. :func:`read_grid` reads drawings and lists,
the top row first. A text that can be read in two ways is refused; the error names both ways.
``docs/positions.md`` lists all forms.
"""

from __future__ import annotations

import re
import reprlib
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from c4core.errors import GridError, MoveError
from c4core.notation import check_board, format_moves, parse_moves
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from c4core.notation import BoardSize

_FULL_WIDTH: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " "}
"""Maps full-width (East Asian) characters to their ASCII forms."""

_COMMENT: Final = re.compile(r"\s#.*")
_BRACKETS: Final = {"[": "]", "(": ")", "{": "}", '"': '"', "'": "'"}
_SEPARATORS: Final = re.compile(r"\s*[,;|]\s*|\s+[-\u2013]\s+|(?<=\w)[-\u2013](?=\w)|\s+")
_MOVE_NUMBER: Final = re.compile(r"(?:^|(?<=\s))([0-9]{1,3})\.(?:\.\.)?(?=\s|[a-z])")
_WITH_ROW: Final = re.compile(r"(?:p@)?([a-z])([0-9]{1,2})")
_ROW_ENDS: Final = re.compile(r"[\n/]")

MAX_TEXT: Final = 4096
"""The largest number of characters in a text."""

FROM_ONE: Final = "columns are counted from 1"
SINGLE_ROW: Final = "it looks like one row of a grid"
"""Ends of messages. A caller can add a hint at an option that avoids the error."""


def read_moves(text: str, board: BoardSize, *, zero_based: bool = False) -> tuple[int, ...]:
    """Read moves as 0-based columns. Only the rows of moves such as ``d1`` are checked.

    Args:
        text: columns as characters (``4453``), as numbers with separators (``4, 4, 5, 3``), or as
            letters with or without rows (``ddec``, ``d1 d2 e1 c1``). White space, a byte-order
            mark, brackets and quotes around them, move numbers and a comment (``# ...``) are
            ignored.
        board: the board. In the notation of ``4453``, ``a`` is the tenth column, if the board has
            one.
        zero_based: whether numbers count columns from 0. Letters always begin with ``a``.

    Raises:
        MoveError: the text cannot be read as moves, or can be read in two ways.
    """
    try:
        return parse_moves(text, width=board.width, zero_based=zero_based)
    except MoveError as error:
        as_characters = error
    if len(text) > MAX_TEXT:
        raise MoveError(
            f"the moves have {len(text)} characters; too many for any board", kind="syntax"
        )
    words = _words(text)
    readings = {
        columns: form
        for form, columns in _readings(words, board, zero_based=zero_based)
        if len(columns) <= board.cells and not (form == _GROUPS and len(words) > 1 and "," in text)
    }
    if len(readings) == 1:
        return next(iter(readings))
    if readings:
        forms = " or as ".join(
            f"{form} ({format_moves(columns, zero_based=zero_based)})"
            for columns, form in readings.items()
        )
        raise MoveError(f"the moves can be read as {forms}: write one of these", kind="ambiguous")
    if not words:
        return ()
    if len(words) > 1 or not text.isalnum():
        raise _bad_word(words, board, zero_based=zero_based)
    raise as_characters


def read_move_list(
    values: Sequence[object], board: BoardSize, *, zero_based: bool = False
) -> tuple[int, ...]:
    """Read a list of moves, each a number or a text, as 0-based columns.

    Raises:
        MoveError: a value is not a column of the board.
    """
    words = []
    for index, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise MoveError(
                f"move {index + 1}: {reprlib.repr(value)} is not a column",
                kind="syntax",
                index=index,
            )
        words.append(str(value).strip().lower())
    for form, columns in _readings(words, board, zero_based=zero_based):
        if form != _GROUPS:
            return columns
    if not words:
        return ()
    raise _bad_word(words, board, zero_based=zero_based)


def _words(text: str) -> list[str]:
    """The words of a text in lower case. A word is a move, or several moves without separators."""
    text = clean(text)
    # Only ASCII text: lower() turns the Kelvin sign into a k.
    text = text.lower() if text.isascii() else text
    numbers = [int(number) for number in _MOVE_NUMBER.findall(text)]
    if numbers and numbers == list(range(1, len(numbers) + 1)):
        text = _MOVE_NUMBER.sub("", text).strip()
    words = [_unquoted(word) for word in _SEPARATORS.split(text)]
    while words and not words[-1]:  # a comma at the end
        words.pop()
    return words


def clean(text: str) -> str:
    """The text without comments, and without brackets and white space around it.

    Full-width characters become ASCII characters.
    """
    text = text.translate(_FULL_WIDTH).lstrip("\ufeff")
    return _unquoted(_COMMENT.sub("", text).strip())


def _unquoted(text: str) -> str:
    while len(text) > 1 and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return text


_GROUPS: Final = "columns of one character each"


def _readings(
    words: Sequence[str], board: BoardSize, *, zero_based: bool
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every way to read the words as columns of the board: its name, and the columns."""
    if not words or not all(words):
        return
    first = 0 if zero_based else 1
    if len(words) > 1 and all(word.isdecimal() and word.isascii() for word in words):
        columns = tuple(int(word) - first for word in words)
        if all(0 <= column < board.width for column in columns):
            yield "numbers of columns", columns
    joined = "".join(words)
    with suppress(MoveError):
        yield _GROUPS, parse_moves(joined, width=board.width, zero_based=zero_based)
    if joined.isascii() and joined.isalpha():
        columns = tuple(ord(letter) - ord("a") for letter in joined)
        if max(columns) < board.width:
            yield "letters from a", columns
    squares = _squares(joined, board)
    if squares is not None:
        yield "squares", squares


def _squares(text: str, board: BoardSize) -> tuple[int, ...] | None:
    """The columns of moves such as ``d1d2e1``; None if they are not squares of the board.

    Raises:
        MoveError: the stone would land in another row.
    """
    if _WITH_ROW.sub("", text):
        return None
    columns: list[int] = []
    for index, (letter, digits) in enumerate(_WITH_ROW.findall(text)):
        column, row = ord(letter) - ord("a"), int(digits)
        if column >= board.width or not 1 <= row <= board.height:
            return None
        lands = columns.count(column) + 1
        if row != lands:
            raise MoveError(
                f"move {index + 1}: {letter}{digits} is not where the stone lands; "
                + (
                    "the column is full" if lands > board.height else f"it lands on {letter}{lands}"
                ),
                kind="syntax",
                column=column,
                index=index,
            )
        columns.append(column)
    return tuple(columns)


def _bad_word(words: Sequence[str], board: BoardSize, *, zero_based: bool) -> MoveError:
    """The error for the first word that is not a column."""
    first = 0 if zero_based else 1
    for index, word in enumerate(words):
        number = int(word) if re.fullmatch("[0-9]{1,9}", word) else None
        try:
            if word:
                parse_moves(word, width=board.width, zero_based=zero_based)
                continue
        except MoveError:
            pass
        if number == 0:
            reason = f"0 is not a column: {FROM_ONE}"
        elif number is not None:
            last = board.width - 1 + first
            reason = f"column {number} is outside the board (columns {first} to {last})"
        elif re.fullmatch("[.xo_|-]{4,}", word):
            reason = f"{reprlib.repr(word)} is not a column: {SINGLE_ROW}"
        else:
            reason = f"{reprlib.repr(word)} is not a column"
        return MoveError(
            f"move {index + 1}: {reason}",
            kind="syntax" if number is None else "range",
            column=None if number is None else number - first,
            index=index,
        )
    return MoveError("the moves mix numbers and letters; write only one of these", kind="ambiguous")


# Grids

_FIRST: Final = frozenset("x1r") | {"\U0001f534", "\U0001f7e5", "red"}
_SECOND: Final = frozenset("o2y") | {"\U0001f7e1", "\U0001f7e8", "yellow", "-1"}
_EMPTY: Final = frozenset("._-0\u00b7") | {"", "empty"}
_EMPTY_DISCS: Final = frozenset("\u26aa\u26ab\u2b1c\u2b1b\U0001f535\U0001f7e6")
"""White, black and blue discs and squares: empty squares if the stones are red and yellow."""

_ALPHABETS: Final = (
    frozenset("xo._-\u00b7") | {"", "empty"},
    frozenset("012"),
    frozenset("01") | {"-1"},
    frozenset("ry._-0\u00b7") | {"", "empty", "red", "yellow"},
    frozenset(" ._-") | {"", "\U0001f534", "\U0001f7e5", "\U0001f7e1", "\U0001f7e8"} | _EMPTY_DISCS,
)
"""All squares of a grid must belong to the same one of these sets."""

_VARIATIONS: Final = dict.fromkeys((0xFE0E, 0xFE0F, 0x200D))
"""Invisible characters after an emoji."""

_BARS: Final = dict.fromkeys(map(ord, "\u2502\u2503\u2551"), "|")
_DECIMAL: Final = re.compile(r"(-?[012])\.0*")
"""A square in the text of a NumPy array of floats."""

_FRAME: Final = re.compile(r"(?=.*[+=\u2500-\u257f])[-\s|+=\u2500-\u257f]*")


def is_grid(text: str, board: BoardSize) -> bool:
    """Whether a text has several rows, and empty squares or enough characters for the board."""
    text = clean(text)
    drawn = (
        re.search("[._|\u2500-\u257f\u26aa\u26ab]", text)
        or len("".join(text.split())) >= board.cells
    )
    return bool(drawn and _ROW_ENDS.search(text))


def read_grid(text: str, board: BoardSize | None = None) -> Position:
    """Read a drawing of a board, the top row first.

    Args:
        text: rows that end with line breaks or ``/``. The stones are ``x`` (first player) and
            ``o``, ``1`` and ``2``, ``1`` and ``-1``, ``R`` and ``Y``, or red and yellow discs.
            Empty squares are ``.``, ``-``, ``_``, ``0``, spaces between bars, or discs of another
            colour. Frames and a row with the names of the columns are ignored. Red moved first,
            unless yellow has one more stone. In the same way, ``1`` moved first, unless ``-1`` has
            one more stone.
        board: the size that the grid must have; if None, at least 4x4.

    Raises:
        GridError: the text is not a drawing, or the drawing is not a position.
        BoardError: the size is impossible.
    """
    if len(text) > MAX_TEXT:
        raise GridError(f"the grid has {len(text)} characters, the limit is {MAX_TEXT}")
    text = text.translate(_FULL_WIDTH).translate(_VARIATIONS).translate(_BARS).lstrip("\ufeff")
    lines = _ROW_ENDS.split(text.lower().strip("/\r\n"))
    rows = [_cells(line) for line in lines if line.strip() and not _FRAME.fullmatch(line)]
    widths = {len(row) for row in rows if set(row) != {"-"}}
    rows = [row for row in rows if set(row) != {"-"} or not widths or len(row) in widths]
    labels = next((index for index, row in enumerate(rows) if _names_columns(row)), None)
    if labels == 0:
        del rows[0]
    elif labels is not None:
        del rows[labels:]  # and the text under the board
    return _position(rows, board)


def read_grid_list(values: Sequence[object], board: BoardSize) -> Position:
    """Read a board as a list, the top row first.

    Args:
        values: rows, each a list or a text, or all ``width * height`` squares. A square is 0
            (empty), 1 (first player), 2 or -1 (second player), or as in :func:`read_grid`.
        board: the size that the list must have.

    Raises:
        GridError: the list does not have the board's squares, or they are not a position.
    """
    rows = [row for row in values if isinstance(row, list | tuple)]
    if rows and len(rows) == len(values):
        return _position([[_square(square) for square in row] for row in rows], board)
    if len(values) == board.height and all(isinstance(row, str) for row in values):
        return read_grid("\n".join(map(str, values)), board)
    if len(values) != board.cells:
        raise GridError(
            f"the list has {len(values)} squares, the board {board} has {board.cells}; "
            "list them row by row from the top"
        )
    squares = [_square(value) for value in values]
    starts = range(0, board.cells, board.width)
    return _position([squares[start : start + board.width] for start in starts], board)


def read_array(array: ArrayLike) -> Position:
    """Read a NumPy array of shape (height, width), the top row first.

    Args:
        array: 0 for an empty square, 1 for the first player, 2 or -1 for the second.

    Raises:
        GridError: the array has another shape or other values, or is not a position.
        BoardError: the size is impossible.
    """
    import numpy as np  # noqa: PLC0415 - most callers read text

    squares = np.asarray(array)
    if squares.ndim != 2:  # noqa: PLR2004
        raise GridError(
            f"the array must have two dimensions, rows and columns; it has {squares.ndim}"
        )
    rows = squares.tolist()
    known = (0, 1, 2, -1)
    for index, row in enumerate(rows):
        for column, square in enumerate(row):
            if not isinstance(square, int | float) or square not in known:
                raise GridError(
                    f"grid row {index + 1} has {reprlib.repr(square)} at column {column + 1}: "
                    "only 0, 1 and 2 (or -1) are squares",
                    row=index,
                )
    whole = [[int(square) for square in row] for row in rows]
    height, width = squares.shape
    return read_grid_list(whole, check_board(width, height))


def is_grid_list(values: Sequence[object], board: BoardSize) -> bool:
    """Whether a list is a board and not a list of moves."""
    if len(values) == board.cells:
        return {_square(value) for value in values} <= {"0", "1", "2", "-1"}
    return bool(values) and (
        all(isinstance(value, list | tuple) for value in values)
        or (
            board.height == len(values)
            and all(len(_square(value)) >= board.width for value in values)
        )
    )


def _square(value: object) -> str:
    """A square of a list as text of limited length; ``?`` for a value of another type."""
    if value is None:
        return ""
    return str(value).strip().lower()[:64] if isinstance(value, int | str) else "?"


def _cells(line: str) -> list[str]:
    """The squares of a row."""
    line = line.strip()
    cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
    if len(cells) > 1:
        return cells
    words = re.split(r"[\s,;]+", cells[0].strip("[](),; "))
    if "-1" in words or _DECIMAL.fullmatch(words[0]):
        return [_DECIMAL.sub(r"\1", word) for word in words]
    return list("".join(words))


def _names_columns(row: Sequence[str]) -> bool:
    """Whether a row has the names of the columns, such as 1 to 7, and cannot be squares."""
    count = range(len(row))
    names = (
        [str(column) for column in count],
        [str(column + 1) for column in count],
        [chr(ord("a") + column) for column in count],
    )
    return "".join(row) in map("".join, names) and "".join(row) not in ("0", "1", "01", "12", "012")


def _position(rows: Sequence[Sequence[str]], board: BoardSize | None) -> Position:
    """The position of rows of squares in lower case."""
    found = {square for row in rows for square in row}
    if not any(found <= alphabet for alphabet in _ALPHABETS):
        known = frozenset[str]().union(*_ALPHABETS)
        for index, row in enumerate(rows):
            for column, square in enumerate(row):
                if square not in known:
                    raise GridError(
                        f"grid row {index + 1} has {reprlib.repr(square)} at column {column + 1}: "
                        "only '.', 'x' and 'o' are squares (or 0, 1 and 2, or R and Y)",
                        row=index,
                    )
        raise GridError("the grid mixes two ways of writing stones: use '.', 'x' and 'o'")
    drawn = [
        "".join("x" if square in _FIRST else "o" if square in _SECOND else "." for square in row)
        for row in rows
    ]
    if not found & {"x", "o", "2"} and "".join(drawn).count("o") > "".join(drawn).count("x"):
        drawn = [row.translate(_SWAPPED) for row in drawn]  # yellow, or -1, moved first
    size = {} if board is None else {"width": board.width, "height": board.height}
    try:
        return Position.from_grid("\n".join(drawn), **size)
    except GridError as error:
        if not _is_position(drawn[::-1], size):
            raise
        raise GridError(f"{error}; give the top row first", row=error.row) from None


_SWAPPED: Final = str.maketrans("xo", "ox")


def _is_position(rows: Sequence[str], size: Mapping[str, int]) -> bool:
    try:
        Position.from_grid("\n".join(rows), **size)
    except ValueError:
        return False
    return True
