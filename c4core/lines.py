r"""The line protocol: one position on each line, as bare moves or as a JSON object.

A line is the moves (``4453``), another form that :mod:`c4core.reader` or :mod:`c4core.grids` reads,
or an object that gives a position in exactly one of three ways::

    {"id": "a17", "moves": "4453"}
    {"grid": ".......\n.......\n.......\n.......\n...o...\n...x..."}
    {"key": 4432676798593}

``id`` is any JSON value and is echoed. ``board``, if given, must be the reader's board. Unknown
fields are ignored, so that older readers accept lines of newer writers. The empty board is written
``{"moves": ""}``. An empty line is an error, as is an object with more than :data:`MAX_NESTED`
levels of lists and objects.

Every line yields one value, in order: a :class:`Request`, or a :class:`BadLine` with the reason.
A bad line never ends the stream, so answers stay aligned with the lines. Memory is constant: the
text of a line with more than :data:`MAX_LINE` bytes is not kept.

:func:`read_csv` reads the same requests from a table: CSV with a heading and one position in each
row. The heading names the columns: at least one of ``moves``, ``key`` and ``grid``, and optionally
``id`` and ``board``; other columns are ignored. If a row has values in several of the columns
``moves``, ``key`` and ``grid``, the first of them counts. The empty board is written ``-`` in the
column ``moves``, because an empty cell is usually an error. Rows of a grid are separated by ``/``
or line breaks. Cells are separated by commas, semicolons or tabs, as in the heading.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias, cast

from c4core.errors import BoardError, C4Error, GridError, MoveError, PositionError
from c4core.grids import is_grid, is_grid_list, read_grid, read_grid_list
from c4core.notation import DEFAULT_BOARD, format_moves, parse_board, parse_moves
from c4core.position import Position
from c4core.reader import (
    address_board,
    read_move_list,
    read_moves,
    refuse_scored,
    without_heading,
    without_notes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from c4core.notation import BoardSize

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"

MAX_LINE = 64 * 1024
"""The largest number of bytes in a line, with its line end."""

_MOST_SKIPPED: Final = 1 << 28
"""Reading ends within a line that has more bytes: a device like /dev/zero has no line ends."""

MAX_NESTED: Final = 100
"""The largest number of levels of lists and objects in JSON that is stored or written again.

Python's own limit is the rest of its stack, about 970 levels at most. Without a lower limit, a
value could be read and stored, and later be unreadable because less stack is left.
"""

TOO_DEEP: Final = f"nested more than {MAX_NESTED} deep"
"""The error message for more levels."""

_NESTS: Final = (dict, list)
_JSON: Final = ("{", "[")
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_SCORE = re.compile(r"[-+]?[0-9]{1,2}")
_DIGITS = re.compile(r"[0-9]{1,20}")
_DIGIT_LIST = re.compile(r"\[[1-9](?:, ?[1-9])+\]")
_POSITION_FIELDS: tuple[str, ...] = ("moves", "grid", "key")


@dataclass(frozen=True, slots=True)
class Request:
    """A position in the input."""

    line: int
    """The 1-based number of the line in its stream."""
    position: Position
    """The position, not mirrored."""
    moves: str | None = None
    """The moves as written; None for a grid or a key."""
    id: JsonValue = None
    """The client's name for the line, or None."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line without a valid position, and the reason."""

    line: int
    """The 1-based number of the line in its stream."""
    error: str
    """The reason, for people."""
    field: str = "line"
    """The faulty part, for programs: ``moves``, ``grid``, ``key``, ``board`` or ``line``."""
    id: JsonValue = None
    """The client's name for the line, if it could be read."""


def read_lines(
    stream: BinaryIO, *, board: BoardSize, zero_based: bool = False, classic: bool = False
) -> Iterator[Request | BadLine]:
    """Read a binary stream line by line, one value for each line.

    Args:
        stream: an object with ``readline(limit)``, such as a binary file.
        board: the size of all positions.
        zero_based: whether moves count columns from 0.
        classic: whether to read the lines as :func:`parse_classic_line` does.
    """
    parse = parse_classic_line if classic else parse_line
    for line, text in read_text_lines(stream):
        if isinstance(text, BadLine):
            yield text
        else:
            yield parse(text, board=board, zero_based=zero_based, line=line)


def read_text_lines(stream: BinaryIO) -> Iterator[tuple[int, str | BadLine]]:
    """Read a binary stream as lines of text, with their 1-based numbers, in constant memory.

    A line also ends with a carriage return, a form feed, a vertical tab, or a line separator of
    Unicode. Otherwise several lines would be read as the moves of one game.

    Args:
        stream: an object with ``readline(limit)``, such as a binary file.

    Yields:
        The line with its line end, or a :class:`BadLine` if it is too long or not UTF-8.
    """
    line = 0
    while raw := stream.readline(MAX_LINE):
        if len(raw) == MAX_LINE and raw[-1] != ord("\n"):
            has_ended = _skip_line(stream)
            line += 1
            yield line, BadLine(line, f"line is longer than {MAX_LINE} bytes{_wrong_ends(raw)}")
            if not has_ended:
                return
            continue
        if not line:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            line += 1
            reason = "UTF-16" if raw.startswith(_UTF_16) and line == 1 else "not UTF-8"
            yield line, BadLine(line, f"line is not text: byte {error.start} is {reason}")
            continue
        # Raw JSON may contain separators of Unicode in texts.
        is_json = not text.isascii() and text.lstrip()[:1] in _JSON
        for part in (text,) if is_json else text.splitlines(keepends=True):
            line += 1
            yield line, part


def _wrong_ends(raw: bytes) -> str:
    return "; end lines with a line feed (LF)" if b"\r" in raw else ""


def parse_line(
    text: str, *, board: BoardSize, zero_based: bool = False, line: int = 1
) -> Request | BadLine:
    """Read one line. White space around it is ignored.

    Args:
        text: the line, with or without its line end.
        board: the size of the position.
        zero_based: whether moves count columns from 0.
        line: 1-based number of the line, for the result.
    """
    text = text.strip()
    if not text:
        return BadLine(line, 'empty line (write {"moves": ""} for the empty board)')
    try:
        if text.isalnum():
            return _from_word(text, board, zero_based=zero_based, line=line)
        value = _line_value(text, board, zero_based=zero_based)
        if isinstance(value, str):
            return _from_text(value, board, zero_based=zero_based, line=line)
        if isinstance(value, list):
            return _from_list(value, board, zero_based=zero_based, line=line)
    except C4Error as error:
        return BadLine(line, str(error), _field_of(error))
    return parse_fields(value, board=board, zero_based=zero_based, line=line)


def _line_value(
    text: str, board: BoardSize, *, zero_based: bool
) -> str | list[object] | dict[str, object]:
    """The value of a line of JSON; the moves or the grid of another line, without a heading."""
    if text[0] == "[":
        text = without_heading(text)
        # Lists of other lengths, and on boards with at most three columns, may be squares.
        is_short = board.width > 3 and len(text) < 2 * board.cells  # noqa: PLR2004
        if is_short and not zero_based and _DIGIT_LIST.fullmatch(text):
            return text[1:-1].replace(",", "").replace(" ", "")
    if text[0] in _JSON:
        return _value(text)
    refuse_scored(text)
    return text


def parse_classic_line(
    text: str, *, board: BoardSize, zero_based: bool = False, line: int = 1
) -> Request | BadLine:
    """Read a line of the input or of a test file of Pascal Pons's solver.

    An empty line is the empty board. A score after the moves (``2252576253462244 -2``) is ignored.
    The arguments and the result are as in :func:`parse_line`.
    """
    words = text.split()
    if not words:
        return Request(line, Position(board=board), "")
    if len(words) == len(("moves", "score")) and _SCORE.fullmatch(words[1]):
        text = words[0]
    return parse_line(text, board=board, zero_based=zero_based, line=line)


def _field_of(error: C4Error) -> str:
    """The part of a line that an error is about."""
    if isinstance(error, PositionError):
        return error.field
    return "grid" if isinstance(error, GridError) else "moves"


def play_moves(moves: str, board: BoardSize, *, zero_based: bool = False) -> Position:
    """Return the position after moves written as ``4453``; no other form is accepted.

    Raises:
        MoveError: a move cannot be read or cannot be played.
    """
    if zero_based:
        columns = parse_moves(moves, width=board.width, zero_based=True)
        return Position.from_columns(columns, board=board)
    return Position(moves, board=board)


def parse_position(
    value: object, board: BoardSize = DEFAULT_BOARD, *, zero_based: bool = False
) -> Request:
    """Read a position in any form: moves, a grid, or the JSON of either.

    Args:
        value: a text, a list or an array of moves, rows or squares, or a mapping with one of
            ``moves``, ``grid`` and ``key``. A text may be JSON. An empty text is the empty board.
        board: the size of the position.
        zero_based: whether moves count columns from 0.

    Raises:
        MoveError: a move cannot be read or cannot be played.
        GridError: a grid does not show a position of this size.
        PositionError: the value has none of these forms.
    """
    if hasattr(value, "__array__"):  # of NumPy, pandas or PyTorch
        import numpy as np  # noqa: PLC0415 - most callers read text

        value = np.asarray(value).tolist()
    if isinstance(value, str):
        value = without_heading(value)
        text = value.strip("\ufeff \t\r\n")
        if text[:1] in _JSON:
            value = _value(text)
        if isinstance(value, str):
            # Spaces at the ends of a grid can be squares.
            return _from_text(
                value if is_grid(value, board) else text, board, zero_based=zero_based
            )
    if isinstance(value, list | tuple):
        return _from_list(value, board, zero_based=zero_based)
    if isinstance(value, Mapping):
        return _from_fields(value, board, zero_based=zero_based)
    raise PositionError(
        f"a position is moves such as 4453, a grid or an object, not {type(value).__name__}"
    )


def board_of(text: str) -> BoardSize | None:
    """The size of the board that a grid or an address shows; None for moves.

    Raises:
        GridError: the text is not a grid after all.
        MoveError, BoardError: the address or its board cannot be read.
    """
    if "://" in text:
        return address_board(text.strip())
    text = without_notes(text)
    return read_grid(text).board if is_grid(text, DEFAULT_BOARD) else None


def _from_word(text: str, board: BoardSize, *, zero_based: bool, line: int = 1) -> Request:
    """Read moves without separators."""
    try:
        if not zero_based:
            return Request(line, Position(text, board=board), text)
        return Request(line, play_moves(text, board, zero_based=True), text)
    except MoveError as error:
        if error.kind in ("full", "over"):
            raise
    columns = read_moves(text, board, zero_based=zero_based)
    return _from_columns(columns, board, zero_based=zero_based, line=line)


def _from_text(text: str, board: BoardSize, *, zero_based: bool, line: int = 1) -> Request:
    if not text or text.isalnum():
        return _from_word(text, board, zero_based=zero_based, line=line)
    text = without_notes(text)
    if is_grid(text, board):
        return Request(line, read_grid(text, board))
    columns = read_moves(text, board, zero_based=zero_based)
    return _from_columns(columns, board, zero_based=zero_based, line=line)


def _from_list(
    values: Sequence[object], board: BoardSize, *, zero_based: bool, line: int = 1
) -> Request:
    if not is_grid_list(values, board):
        columns = read_move_list(values, board, zero_based=zero_based)
        return _from_columns(columns, board, zero_based=zero_based, line=line)
    request = Request(line, read_grid_list(values, board))
    with suppress(MoveError):  # on a board with one to three columns
        columns = read_move_list(values, board, zero_based=zero_based)
        if _from_columns(columns, board, zero_based=zero_based).position != request.position:
            raise PositionError(
                'the list can be moves or squares: give an object with "moves" or "grid"'
            )
    return request


def _from_columns(
    columns: tuple[int, ...], board: BoardSize, *, zero_based: bool, line: int = 1
) -> Request:
    position = Position.from_columns(columns, board=board)
    return Request(line, position, format_moves(columns, zero_based=zero_based))


def _value(text: str) -> str | list[object] | dict[str, object]:
    """The value of a JSON text; the text itself if it is not JSON but moves in brackets.

    Raises:
        PositionError: it is neither.
    """
    import msgspec  # noqa: PLC0415 (12 ms; most lines are moves)

    try:
        value = msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        is_deep = isinstance(error, RecursionError)
        if text[0] == "[" and "{" not in text and not is_deep:  # such as a NumPy array
            return text
        raise PositionError(f"not a JSON object: {error}") from None
    if is_too_deep(value):
        raise PositionError(TOO_DEEP)
    return cast("list[object] | dict[str, object]", value)


def is_too_deep(value: object) -> bool:
    """Check, without recursion, whether JSON is nested more than :data:`MAX_NESTED` levels deep."""
    level = [value] if isinstance(value, _NESTS) else []
    for _ in range(MAX_NESTED):
        if not level:
            return False
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, _NESTS)]
    return bool(level)


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _skip_line(stream: BinaryIO) -> bool:
    """Skip the rest of the line, a piece at a time; return whether it ends, unlike /dev/zero."""
    for _ in range(_MOST_SKIPPED // MAX_LINE):
        piece = stream.readline(MAX_LINE)
        if not piece or piece[-1] == ord("\n"):
            return True
    return False


def parse_fields(
    fields: Mapping[str, object], *, board: BoardSize, zero_based: bool = False, line: int = 1
) -> Request | BadLine:
    """Read the fields of one object, or of one row of a table.

    Args:
        fields: exactly one of ``moves``, ``grid`` and ``key``, and optionally ``id`` and ``board``.
        board: the size of the position.
        zero_based: whether moves count columns from 0.
        line: 1-based number of the line, for the result.
    """
    identity = cast("JsonValue", fields.get("id"))
    try:
        request = _from_fields(fields, board, zero_based=zero_based)
    except PositionError as error:
        return BadLine(line, str(error), error.field, identity)
    return Request(line, request.position, request.moves, identity)


def _from_fields(fields: Mapping[str, object], board: BoardSize, *, zero_based: bool) -> Request:
    field = _position_field(fields)
    if "board" in fields:
        _check_board(fields["board"], board)
    try:
        return _FIELDS[field](fields[field], board, zero_based)
    except PositionError:
        raise
    except C4Error as error:
        raise PositionError(str(error), field=field) from None


def _position_field(fields: Mapping[str, object]) -> str:
    """Return the only field that gives the position."""
    given = [name for name in _POSITION_FIELDS if name in fields]
    if len(given) != 1:
        found = f"has {' and '.join(given)}" if given else "has none"
        raise PositionError(
            f'an object needs exactly one of "moves", "grid" and "key"; it {found}',
            field=given[1] if given else "line",
        )
    return given[0]


def _check_board(value: object, board: BoardSize) -> None:
    if not isinstance(value, str):
        raise PositionError(f'board must be text such as "{board}"', field="board")
    try:
        size = parse_board(value)
    except BoardError as error:
        raise PositionError(str(error), field="board") from None
    if size != board:
        raise PositionError(f"board {size} is not the board of this batch, {board}", field="board")


def _read_moves_field(value: object, board: BoardSize, zero_based: bool) -> Request:  # noqa: FBT001 (called by a table)
    if isinstance(value, str):
        return _from_text(value, board, zero_based=zero_based)
    if not isinstance(value, list | tuple):
        raise PositionError("moves must be text or a list of columns", field="moves")
    columns = read_move_list(value, board, zero_based=zero_based)
    return _from_columns(columns, board, zero_based=zero_based)


def _read_grid_field(value: object, board: BoardSize, zero_based: bool) -> Request:  # noqa: ARG001, FBT001 (called by a table)
    if isinstance(value, str):
        return Request(1, read_grid(value, board))
    if not isinstance(value, list | tuple):
        raise PositionError("grid must be text or a list of rows", field="grid")
    return Request(1, read_grid_list(value, board))


def _read_key_field(value: object, board: BoardSize, zero_based: bool) -> Request:  # noqa: ARG001, FBT001 (called by a table)
    # A float cannot hold 64 bits, so writers whose numbers are floats put the digits in quotes.
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise PositionError("key must be a whole number", field="key")
    return Request(1, Position.from_key(value, board=board))


_FIELDS: Final = {"moves": _read_moves_field, "grid": _read_grid_field, "key": _read_key_field}


NO_MOVES: Final = "-"
"""The cell for the empty board in the column ``moves``."""

MAX_LINES: Final = 100
"""The largest number of lines in one row; the grid of the highest board has fewer.

A cell in quotes may contain line breaks, so a missing closing quote would turn the rest of the file
into one row.
"""

_POSITION: Final = ("moves", "key", "grid")
_READ: Final = frozenset((*_POSITION, "id", "board"))
_SEPARATORS: Final = (",", ";", "\t")


class HeadingError(C4Error, ValueError):
    """The first line of a table is not a valid heading."""


def read_csv(
    stream: BinaryIO, *, board: BoardSize, zero_based: bool = False
) -> Iterator[Request | BadLine]:
    """Read a table row by row, one value for each row under the heading, in constant memory.

    Args:
        stream: an object with ``readline(limit)``, such as a binary file.
        board: the size of all positions.
        zero_based: whether moves count columns from 0.

    Yields:
        The request of each row, or a :class:`~c4core.lines.BadLine`. The line number is that of
        the row's last line, or of the line in the row that is too long or not UTF-8.

    Raises:
        HeadingError: the first line is not a row of a table, has no column for positions, or has
            the same column twice.
    """
    lines = _Lines(stream)
    first = next(lines, "")
    if not first:
        return
    separator = max(_SEPARATORS, key=first.count)
    names = _names(first, separator)
    _check(names, lines)
    rows = csv.reader(lines, delimiter=separator)
    while True:
        lines.bad, lines.in_row = None, 0
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadLine(lines.number, f"not a row of a table: {error}")
            continue
        yield lines.bad or _read_row(
            names, cells, board=board, zero_based=zero_based, line=lines.number
        )


class _Lines:
    """The lines of a stream as text, with an empty line in place of each bad one.

    The caller resets ``bad`` and ``in_row`` before each row.

    Attributes:
        number: the number of the last line that was read.
        bad: a bad line of the current row, or None.
        in_row: how many lines of the current row were read.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = read_text_lines(stream)
        self.number = 0
        self.bad: BadLine | None = None
        self.in_row = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.in_row == MAX_LINES:
            raise csv.Error(f"more than {MAX_LINES} lines; is a closing quote missing?")
        self.number, text = next(self._lines)
        self.in_row += 1
        if isinstance(text, BadLine):
            self.bad = text
            return "\n"
        return text


def _names(heading: str, separator: str) -> list[str]:
    try:
        (cells,) = csv.reader([heading], delimiter=separator)
    except csv.Error as error:
        raise HeadingError(f"line 1: not a row of a table: {error}") from None
    return [name.strip().lower() for name in cells]


def _check(names: Sequence[str], lines: _Lines) -> None:
    if lines.bad is not None:
        raise HeadingError(f"line {lines.number}: {lines.bad.error}")
    if not set(_POSITION) & set(names):
        raise HeadingError(
            "the heading has no column moves, grid or key; it has "
            + (", ".join(repr(name[:40]) for name in names[:10]) or "no columns")
        )
    twice = {name for name in names if name in _READ and names.count(name) > 1}
    if twice:
        raise HeadingError(f"the heading has the column {min(twice)} more than once")


def _read_row(
    names: Sequence[str], cells: Sequence[str], *, board: BoardSize, zero_based: bool, line: int
) -> Request | BadLine:
    if not cells:
        return BadLine(line, "empty line")
    if len(cells) > len(names):
        return BadLine(line, f"{len(cells)} cells in a row, the heading has {len(names)}")
    filled = {
        name: cell.strip()
        for name, cell in zip(names, cells, strict=False)
        if name in _READ and cell.strip()
    }
    field = next((name for name in _POSITION if name in filled), None)
    if field is None:
        return BadLine(
            line,
            'no position in this row (write "-" as moves for the empty board)',
            id=filled.get("id"),
        )
    fields: dict[str, object] = {
        name: cell for name, cell in filled.items() if name not in _POSITION
    }
    text = filled[field]
    fields[field] = "" if text == NO_MOVES and field == "moves" else text
    return parse_fields(fields, board=board, zero_based=zero_based, line=line)
