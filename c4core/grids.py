"""Grids in the forms that people and other programs draw, the top row first.

One table, :data:`_ALPHABETS`, has all signs. A grid uses one sign for empty squares and one for the
stones of each side. ``docs/positions.md`` lists all forms.
"""

from __future__ import annotations

import numbers
import re
import reprlib
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.errors import GridError
from c4core.notation import MAX_WIDTH, column_label
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize

MAX_TEXT: Final = 4096
"""The largest number of characters in a text."""

SINGLE_ROW: Final = "it looks like one row of a grid"
NEEDS_SIZE: Final = "give the size of the board"
"""Ends of messages. A caller can add a hint at an option that avoids the error."""


class _Alphabet(NamedTuple):
    """Signs of squares that belong together."""

    empty: frozenset[str]
    first: frozenset[str]
    second: frozenset[str]
    is_ordered: bool
    """Whether the first side moved first. Otherwise the side with more stones did, and the first
    side if both have the same number."""

    def fits(self, found: frozenset[str]) -> bool:
        """Whether a grid with these signs is written in this alphabet, with one sign for each."""
        return found <= self.empty | self.first | self.second and all(
            len(found & part) <= 1 for part in self[:3]
        )


_BLANKS: Final = frozenset({"", ".", "_", "-", "\u00b7"})
_GROUND: Final = frozenset("\U0001f535\U0001f7e6\u26ab\u2b1b\u26aa\u2b1c")
"""Discs and squares in blue, black and white."""
_RED: Final = frozenset("\U0001f534\U0001f7e5")
_YELLOW: Final = frozenset("\U0001f7e1\U0001f7e8")

_ALPHABETS: Final = (
    _Alphabet(_BLANKS, frozenset("x"), frozenset("o"), is_ordered=True),
    _Alphabet(frozenset("0"), frozenset("1"), frozenset("2"), is_ordered=True),
    _Alphabet(frozenset("0"), frozenset("1"), frozenset({"-1"}), is_ordered=False),
    _Alphabet(_BLANKS | {"0"}, frozenset("r"), frozenset("y"), is_ordered=False),
    _Alphabet(_BLANKS | _GROUND, _RED, _YELLOW, is_ordered=False),
)
_KNOWN: Final = frozenset[str]().union(*(part for each in _ALPHABETS for part in each[:3]))
_FORMS: Final = "only '.', 'x' and 'o' are squares (or 0, 1 and 2, or R and Y, or discs)"
_MIXED: Final = "the grid mixes two ways of writing squares: use '.', 'x' and 'o'"

_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029/"
_UNIFIED: Final = (
    {0xFE0F: None}  # after an emoji
    | dict.fromkeys(map(ord, "\u2502\u2503\u2551"), "|")
    | dict.fromkeys(map(ord, _LINE_ENDS), "\n")
)
_NUMBERED: Final = re.compile(r"1\.\s*[a-zA-Z1-9](?![.])")
"""Matches the beginning of a game with move numbers, but not squares such as ``1. 0. 2.``."""
_DRAWN: Final = re.compile(rf"(?<![0-9])[.]|[_|\u2500-\u257f{''.join(_RED | _YELLOW)}]")
_OTHER_LETTER: Final = re.compile("[a-np-qs-wzA-NP-QS-WZ]")

_NUMBER: Final = re.compile(r"(-?[012])(?:\.0*)?")
_FRAME: Final = re.compile(r"(?=.*[+=\u2500-\u257f])[-\s|+=\u2500-\u257f]*")
_LEAST_NAMES: Final = 4
"""Fewer numbers in order could be the squares 0, 1 and 2."""


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
    text = text.strip("\ufeff \t\r\n")
    if text.startswith("[["):
        return True
    if not set(_LINE_ENDS) & set(text) or _NUMBERED.match(text):
        return False
    if "\n" not in text and "/" in text and _OTHER_LETTER.search(text):
        return False  # such as the name of a file
    return bool(_DRAWN.search(text)) or len("".join(text.split())) >= board.cells


def split_grids(text: str) -> list[str]:
    """The grids of a text: several lines each with empty lines between, or one on each line.

    If there are grids of several lines, texts such as ``x to move`` are left out.
    """
    lines = text.strip("\ufeff").splitlines()
    filled = list(filter(_is_row, lines))
    if all("/" in line or (line.lstrip().startswith("[[") and "]]" in line) for line in filled):
        return filled
    parts = ["\n".join(part) for is_row, part in groupby(lines, key=_is_row) if is_row]
    return [part for part in parts if "\n" in part and not _is_text(part)] or filled


def _is_text(part: str) -> bool:
    return all(map(_OTHER_LETTER.search, part.split("\n")))


def _is_row(line: str) -> bool:
    return bool(line.strip())


def read_grid(text: str, board: BoardSize | None = None) -> Position:
    """Read a drawing of a board, the top row first.

    Args:
        text: rows that end with line breaks or ``/``, or a list of rows as JSON or NumPy write it.
            The stones are ``x`` (first player) and ``o``, ``1`` and ``2``, ``1`` and ``-1``, ``R``
            and ``Y``, or red and yellow discs. Empty squares are ``.``, ``-``, ``_``, ``0``, spaces
            between bars, or discs of another colour. Frames, and a row with the numbers of the
            columns, are ignored. Red moved first, unless yellow has one more stone. In the same
            way, ``1`` moved first, unless ``-1`` has one more stone.
        board: the size that the grid must have; if None, at least 4x4.

    Raises:
        GridError: the text is not a drawing, or the drawing is not a position.
        BoardError: the size is impossible.
    """
    if len(text) > MAX_TEXT:
        raise GridError(f"the grid has {len(text)} characters, the limit is {MAX_TEXT}")
    grids = split_grids(text)
    text = grids[0] if len(grids) == 1 else text
    if text.lstrip().startswith("["):
        import msgspec  # noqa: PLC0415 (12 ms; most grids are drawings)

        try:
            values = msgspec.json.decode(text)
        except (ValueError, RecursionError):
            pass
        else:
            return read_grid_list(values, board)
    return _position(_rows(text.translate(_UNIFIED).lower()), board)


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


def _rows(text: str) -> list[list[str]]:
    """The squares of a drawing, without frames, the numbers of the columns, and scores below."""
    rows: list[list[str]] = []
    is_below = False
    for line in text.split("\n"):
        row = _cells(line)
        if not line.strip() or _FRAME.fullmatch(line):
            continue
        if _are_names(row):
            is_below = bool(rows)
        elif not is_below or _alphabets(*rows, row):
            rows.append(row)
    return rows


def _alphabets(*rows: Sequence[str]) -> list[_Alphabet]:
    found = frozenset(square for row in rows for square in row)
    return [alphabet for alphabet in _ALPHABETS if alphabet.fits(found)]


def _are_names(row: Sequence[str]) -> bool:
    return _LEAST_NAMES <= len(row) <= MAX_WIDTH and row == list(map(column_label, range(len(row))))


def _cells(line: str) -> list[str]:
    """The squares of a row."""
    line = line.strip()
    cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
    if len(cells) > 1:
        return cells
    words = re.split(r"[\s,;]+", cells[0].strip("[](),; "))
    found = [match[1] for match in map(_NUMBER.fullmatch, words) if match]
    return found if len(found) == len(words) else list("".join(words))


def _position(rows: Sequence[Sequence[str]], board: BoardSize | None) -> Position:
    """The position of rows of squares in lower case."""
    if not any(rows):
        raise GridError("the grid has no squares")
    alphabets = _alphabets(*rows)
    if not alphabets:
        raise _bad_sign(rows)
    if board is None and (len(rows) < 4 or len(rows[0]) < 4):  # noqa: PLR2004
        raise GridError(f"the grid is only {len(rows[0])}x{len(rows)}: {NEEDS_SIZE}")
    return Position.from_grid(_drawing(rows, alphabets[0]), board=board)


def _drawing(rows: Sequence[Sequence[str]], alphabet: _Alphabet) -> str:
    """The grid in ``.``, ``x`` and ``o``."""
    stones = dict.fromkeys(alphabet.first, "x") | dict.fromkeys(alphabet.second, "o")
    drawn = "\n".join("".join(stones.get(square, ".") for square in row) for row in rows)
    if not alphabet.is_ordered and drawn.count("o") > drawn.count("x"):
        return drawn.translate(str.maketrans("xo", "ox"))
    return drawn


def _bad_sign(rows: Sequence[Sequence[str]]) -> GridError:
    """The error for the first square that does not belong to the squares before it."""
    seen = frozenset[str]()
    for index, row in enumerate(rows):
        for column, square in enumerate(row):
            seen |= {square}
            if not any(alphabet.fits(seen) for alphabet in _ALPHABETS):
                place = f"grid row {index + 1} has {reprlib.repr(square)} at column {column + 1}"
                reason = _MIXED if square in _KNOWN else _FORMS
                return GridError(f"{place}: {reason}", row=index)
    raise AssertionError("a grid without a bad sign")
