"""Grids in the forms that people and other programs draw, the top row first.

One table, :data:`_ALPHABETS`, has all signs. A grid uses one sign for empty squares and one for the
stones of each side. If a grid can be read in two ways, the error shows both. ``docs/positions.md``
lists all forms.
"""

from __future__ import annotations

import json
import numbers
import re
import reprlib
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.errors import GridError
from c4core.notation import MAX_WIDTH, check_board, column_label
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from c4core.notation import BoardSize

MAX_TEXT: Final = 4096
"""The largest number of characters in a text."""

FULL_WIDTH: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x3000: " "}
"""Maps full-width (East Asian) characters to their ASCII forms."""

SINGLE_ROW: Final = "it looks like one row of a grid"
NEEDS_SIZE: Final = "give the size of the board"
"""Ends of messages. A caller can add a hint at an option that avoids the error."""


class _Alphabet(NamedTuple):
    """Signs of squares that belong together."""

    empty: frozenset[str]
    first: frozenset[str]
    second: frozenset[str]
    begins: str
    """The side that moved first. ``first``: always the first. ``more``: the side with more stones,
    and the first side if both have the same number. ``unknown``: the side with more stones, and
    either side if both have the same number."""

    @property
    def signs(self) -> frozenset[str]:
        """All signs."""
        return self.empty | self.first | self.second

    def fits(self, found: frozenset[str]) -> bool:
        """Whether a grid with these signs is written in this alphabet, with one sign for each."""
        return found <= self.signs and all(len(found & part) <= 1 for part in self[:3])


_BLANKS: Final = frozenset({"", ".", "_", "-", "\u00b7", "empty"})
_DISCS: Final = ("\U0001f534\U0001f7e5", "\U0001f7e1\U0001f7e8", "\U0001f535\U0001f7e6",
                 "\u26ab\u2b1b", "\u26aa\u2b1c")  # fmt: skip
"""Disc and square in red, yellow, blue, black and white."""

_GROUND: Final = frozenset("".join(_DISCS[2:]))
"""Signs that can be empty squares: blue, black and white."""

_ALPHABETS: Final = (
    _Alphabet(_BLANKS, frozenset("x"), frozenset("o"), "first"),
    _Alphabet(frozenset("0"), frozenset("1"), frozenset("2"), "first"),
    _Alphabet(frozenset("0"), frozenset("1"), frozenset({"-1"}), "more"),
    _Alphabet(_BLANKS | {"0"}, frozenset({"r", "red"}), frozenset({"y", "yellow"}), "more"),
    *(
        _Alphabet(
            (_BLANKS | _GROUND) - set(first + second),
            frozenset(first),
            frozenset(second),
            "more" if (first, second) == _DISCS[:2] else "unknown",
        )
        for first, second in combinations(_DISCS, 2)
    ),
)
_KNOWN: Final = frozenset[str]().union(*(alphabet.signs for alphabet in _ALPHABETS))
_EMPTY: Final = _BLANKS | _GROUND | {"0"}

_FORMS: Final = "only '.', 'x' and 'o' are squares (or 0, 1 and 2, or R and Y, or discs)"

_UNIFIED: Final = (
    FULL_WIDTH
    | dict.fromkeys((0xFE0E, 0xFE0F, 0x200D, 0x20E3))  # after an emoji, and around a keycap
    | dict.fromkeys(map(ord, "\u2502\u2503\u2551"), "|")
    | dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029/"), "\n")
)
_SQUARES: Final = frozenset(".xo\n")
_NEW_ROW: Final = re.compile(r"[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029/]")
_NUMBERED: Final = re.compile(r"1\.\s*[a-zA-Z1-9](?![.])")
"""Matches the beginning of a game with move numbers, but not squares such as ``1. 0. 2.``."""
_DRAWN: Final = re.compile(rf"(?<![0-9])[.]|[_|\u2500-\u257f{''.join(_DISCS)}]")
_OTHER_LETTER: Final = re.compile("[a-np-qs-wzA-NP-QS-WZ]")

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.0*)?")
_SENTENCE: Final = re.compile(r"\S+ [a-z]{2,}[,:]? \S.*")
_WORDS: Final = frozenset({"red", "yellow", "empty"})
"""Squares that are words, if blanks or commas separate all squares."""

_FRAME: Final = re.compile(
    r"(?:(?=.*[+=:\u2500-\u257f])|(?=[^|]*\|[^|]*--)|(?=.*--[^|]*\|))[-\s|+=:\u2500-\u257f]*"
)
_HEADING_RULE: Final = re.compile(r"(?=.*\|)(?=.*-)[-\s|:]*")
_LABEL: Final = re.compile(r"[\s|]*([0-9]{1,2})(?:[:)]?\s+|(?=\|))")
_LAST_LABEL: Final = re.compile(r"(?<=[\s|])([0-9]{1,2})[\s|]*")
_LEAST_LABELS: Final = 4
"""Fewer numbers in order could be the squares 0, 1 and 2."""

_ARRAY: Final = re.compile(
    r"(?:[a-z]+\.)?(?:array|tensor)\((.*?)(?:,\s*(?:dtype|device)=.*)?\)", re.DOTALL
)
_ROWS_IN_BRACKETS: Final = re.compile(r"[\[(]\s*(?:\[[^\[\]]*\][\s,]*)+[\])]")


def without_call(text: str) -> str:
    """The text without the name and the options of ``array(...)`` or ``tensor(...)``."""
    match = _ARRAY.fullmatch(text.strip())
    return match[1] if match else text


def whole(value: object) -> int | None:
    """The value as an int if it is a whole number, such as 4, 4.0 or NumPy's; None otherwise."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def is_grid(text: str, board: BoardSize) -> bool:
    """Whether a text has several rows, and empty squares or enough characters for the board."""
    text = without_call(text.strip("\ufeff \t\r\n"))
    if text.startswith("[") and _ROWS_IN_BRACKETS.fullmatch(text):
        return True
    if not _NEW_ROW.search(text) or _NUMBERED.match(text):
        return False
    if "\n" not in text and "/" in text and _OTHER_LETTER.search(text):
        return False  # such as the name of a file
    return bool(_DRAWN.search(text)) or len("".join(text.split())) >= board.cells


def split_grids(text: str) -> list[str]:
    """The grids of a text: one on each line, or several lines each with empty lines between.

    If there is an empty line between all rows, the text is one grid. Sentences between grids, such
    as ``x to move``, are left out.
    """
    lines = [line.rstrip() for line in text.strip("\ufeff").splitlines()]
    filled = [line for line in lines if line]
    if all("/" in line or _ROWS_IN_BRACKETS.fullmatch(line.strip()) for line in filled):
        return filled
    parts = ["\n".join(part) for is_filled, part in groupby(lines, key=bool) if is_filled]
    if all("\n" not in part for part in parts):
        return ["\n".join(filled)]
    return [part for part in parts if not all(map(_is_sentence, part.split("\n")))] or parts


def _is_sentence(line: str) -> bool:
    """Whether a line is text, such as ``o has won``, and cannot be the squares of a row."""
    return bool(_SENTENCE.fullmatch(line)) and not _KNOWN.issuperset(_cells(line.lower()))


def read_grid(text: str, board: BoardSize | None = None) -> Position:
    """Read a drawing of a board, the top row first.

    Args:
        text: rows that end with line breaks or ``/``, or a list of rows as JSON, NumPy or PyTorch
            write it. The stones are ``x`` (first player) and ``o``, ``1`` and ``2``, ``1`` and
            ``-1``, ``R`` and ``Y``, or discs of two colours. Empty squares are ``.``, ``-``, ``_``,
            ``0``, spaces between bars, or discs of another colour. Frames, numbers of rows, and a
            row with the names of the columns are ignored. Red moved first, unless yellow has one
            more stone. In the same way, ``1`` moved first, unless ``-1`` has one more stone.
        board: the size that the grid must have; if None, at least 4x4.

    Raises:
        GridError: the text is not a drawing, or the drawing is not a position.
        BoardError: the size is impossible.
    """
    if len(text) > MAX_TEXT:
        raise GridError(f"the grid has {len(text)} characters, the limit is {MAX_TEXT}")
    inner = without_call(text.strip("\ufeff \t\r\n"))
    if inner.startswith("["):
        try:
            values = json.loads(inner)
        except (ValueError, RecursionError):
            pass
        else:
            return read_grid_list(values, board)
    if _ROWS_IN_BRACKETS.fullmatch(inner):
        return _position([_cells(row) for row in re.findall(r"\[([^\[\]]*)\]", inner)], board)
    return _position(_rows(text.strip("\ufeff").translate(_UNIFIED).lower(), board), board)


def read_grid_list(values: Sequence[object], board: BoardSize | None) -> Position:
    """Read a board as a list, the top row first.

    Args:
        values: rows, each a list or a text, or all ``width * height`` squares. A square is 0
            (empty), 1 (first player), 2 or -1 (second player), or as in :func:`read_grid`.
        board: the size that the list must have; if None, rows of at least 4x4.

    Raises:
        GridError: the list does not have the board's squares, or they are not a position.
    """
    rows = [row for row in values if isinstance(row, list | tuple)]
    if rows and len(rows) == len(values):
        return _position([[_square(square) for square in row] for row in rows], board)
    if all(isinstance(row, str) for row in values) and (
        board is None or len(values) == board.height
    ):
        return read_grid("\n".join(map(str, values)), board)
    if board is None:
        raise GridError(f"the list has {len(values)} squares and no rows: {NEEDS_SIZE}")
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
    height, width = squares.shape
    return read_grid_list(squares.tolist(), check_board(width, height))


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
    """A square of a list as text of limited length."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip().lower()[:64]
    number = whole(value)
    return reprlib.repr(value) if number is None else str(number)


def _rows(text: str, board: BoardSize | None) -> list[list[str]]:
    """The squares of a drawing, without frames, labels, and the text under the board."""
    lines = [line for line in text.split("\n") if line.strip()]
    if _SQUARES.issuperset(text):
        return [list(line) for line in lines]
    is_table = len(lines) > 1 and _HEADING_RULE.fullmatch(lines[1]) is not None
    lines = [line for line in lines if not _FRAME.fullmatch(line)]
    names = {index: count for index, line in enumerate(lines) if (count := _count_names(line))}
    named = list(names)
    if named[:1] == [0]:
        del lines[0]
        named = [index - 1 for index in named[1:]]
    elif is_table and lines and not any(_cells(lines[0])):
        if board is None:
            raise GridError(f"the empty first row can be the heading of the table: {NEEDS_SIZE}")
        if len(lines) > board.height:
            del lines[0]
    below = lines[named[0] + 1 :] if named else []
    lines = _without_labels(lines[: named[0]] if named else lines)
    rows = [_cells(line) for line in lines]
    widths = {len(row) for row in rows if set(row) != {"-"}}
    for count in names.values():
        if all(len(row) != count for row in rows):
            raise GridError(f"there are names of {count} columns, and no row has {count} squares")
    if any(len(row) in widths and _KNOWN.issuperset(row) for row in map(_cells, below)):
        raise GridError("there is another row of squares under the names of the columns")
    return [row for row in rows if set(row) != {"-"} or not widths or len(row) in widths]


def _without_labels(lines: list[str]) -> list[str]:
    """The lines without the numbers of the rows, at the left, at the right, or both."""
    if len(lines) < _LEAST_LABELS:
        return lines
    found = [_LABEL.match(line) for line in lines]
    if _count_rows(found):
        lines = [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
    found = [re.search(_LAST_LABEL.pattern + "$", line) for line in lines]
    if _count_rows(found):
        lines = [line[: match.start()] for line, match in zip(lines, found, strict=True) if match]
    return lines


def _count_rows(found: Sequence[re.Match[str] | None]) -> bool:
    """Whether the matches are the numbers of the rows, from either end, from 0 or 1."""
    labels = [int(match[1]) for match in found if match is not None]
    rows = [*range(len(found))]
    after = [*range(1, len(found) + 1)]
    return labels in (rows, after, rows[::-1], after[::-1])


def _cells(line: str) -> list[str]:
    """The squares of a row."""
    line = line.strip()
    cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
    if len(cells) > 1:
        return cells
    words = re.split(r"[\s,;]+", cells[0].strip("[](),; "))
    if all(len(word) == 1 or word in _WORDS or _NUMBER.fullmatch(word) for word in words) and any(
        word in _WORDS or word[0] == "-" != word or "." in word[1:] for word in words
    ):
        return [str(int(float(word))) if _NUMBER.fullmatch(word) else word for word in words]
    return list("".join(words))


_FIRST_NAMES: Final = (["0"], ["1"], ["a"])


def _count_names(line: str) -> int:
    """The number of columns if a line names them, such as 1 to 7, and cannot be squares; else 0."""
    words = re.split(r"[\s,;|]+", line.strip("[](),;| \t"))
    row = list(words[0]) if len(words) == 1 else words
    if row[:1] not in _FIRST_NAMES or len(row) > MAX_WIDTH:
        return 0
    count = range(len(row))
    names = (
        [str(column) for column in count],
        [str(column + 1) for column in count],
        [column_label(column) for column in count],
        [chr(ord("a") + column) for column in count],
    )
    is_name = row in names and "".join(row) not in ("0", "1", "01", "12", "012")
    return len(row) if is_name else 0


def _position(rows: Sequence[Sequence[str]], board: BoardSize | None) -> Position:
    """The position of rows of squares in lower case."""
    found = frozenset(square for row in rows for square in row)
    if not found:
        raise GridError("the grid has no squares")
    alphabets = [alphabet for alphabet in _ALPHABETS if alphabet.fits(found)]
    if not alphabets:
        raise _bad_sign(rows)
    size = {} if board is None else {"width": board.width, "height": board.height}
    if board is None and (len(rows) < 4 or len(rows[0]) < 4):  # noqa: PLR2004
        raise GridError(f"the grid is only {len(rows[0])}x{len(rows)}: {NEEDS_SIZE}")
    positions: dict[Position, None] = {}
    problem: GridError | None = None
    for drawn in dict.fromkeys(text for each in alphabets for text in _drawings(rows, each)):
        try:
            positions[Position.from_grid(drawn, **size)] = None
        except GridError as error:
            problem = problem or _first_problem(error, drawn, size)
    if len(positions) == 1:
        return next(iter(positions))
    if problem is not None and not positions:
        raise problem
    shown = " or ".join(str(position).replace("\n", "/") for position in positions)
    raise GridError(
        f"the grid can be read as {shown}: write x for the side that moved first, and o"
    )


def _drawings(rows: Sequence[Sequence[str]], alphabet: _Alphabet) -> Iterator[str]:
    """The grid in ``.``, ``x`` and ``o``; twice if either side can have moved first."""
    drawn = "\n".join(
        "".join(
            "x" if square in alphabet.first else "o" if square in alphabet.second else "."
            for square in row
        )
        for row in rows
    )
    first, second = drawn.count("x"), drawn.count("o")
    if alphabet.begins == "first" or first >= second:
        yield drawn
    if alphabet.begins != "first" and (
        second > first or (first == second and alphabet.begins == "unknown")
    ):
        yield drawn.translate(_SWAPPED)


_SWAPPED: Final = str.maketrans("xo", "ox")


def _bad_sign(rows: Sequence[Sequence[str]]) -> GridError:
    """The error for the first square that does not belong to the squares before it."""
    seen: dict[str, None] = {}
    for index, row in enumerate(rows):
        for column, square in enumerate(row):
            if any(alphabet.fits(frozenset((*seen, square))) for alphabet in _ALPHABETS):
                seen[square] = None
                continue
            place = f"grid row {index + 1} has {reprlib.repr(square)} at column {column + 1}"
            empty = next((sign for sign in seen if sign in _EMPTY), None)
            if square not in _KNOWN:
                reason = f": {_FORMS}"
            elif square in _EMPTY and empty is not None:
                reason = f" and {empty!r} elsewhere: a grid has one sign for empty squares"
            else:
                reason = ": the grid mixes two ways of writing stones: use '.', 'x' and 'o'"
            return GridError(place + reason, row=index)
    raise AssertionError("a grid without a bad sign")


def _first_problem(error: GridError, drawn: str, size: Mapping[str, int]) -> GridError:
    """The error of a grid, with a hint if the grid is upside down."""
    try:
        Position.from_grid("\n".join(drawn.split("\n")[::-1]), **size)
    except ValueError:
        return error
    return GridError(f"{error}; give the top row first", row=error.row)
