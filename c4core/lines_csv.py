"""The requests of :mod:`c4core.lines` as a table: CSV with a heading, one position in each row.

The heading names the columns: at least one of ``moves``, ``key`` and ``grid``, and optionally
``id`` and ``board``; other columns are ignored. A row may fill several of the first three, as the
CSV that ``c4`` writes does; the first one in this order counts. The empty board is written ``-`` in
the column ``moves``, because an empty cell is usually an error. Rows of a grid are separated by
``/`` or line breaks.

Cells are separated by commas, semicolons or tabs, as in the heading.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, BinaryIO, Final

from c4core.errors import C4Error
from c4core.lines import BadLine, Request, parse_fields, read_text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.notation import BoardSize

NO_MOVES: Final = "-"
"""The cell of a position without moves."""

MAX_LINES: Final = 100
"""The most lines of one row; the grid of the highest board has fewer.

A cell in quotes may contain line breaks, so a missing closing quote would make one row of the rest
of the file.
"""

_POSITION: Final = ("moves", "key", "grid")
_READ: Final = frozenset((*_POSITION, "id", "board"))
_SEPARATORS: Final = (",", ";", "\t")


class HeadingError(C4Error, ValueError):
    """The first line of a table has no valid heading."""


def read_csv(
    stream: BinaryIO, *, board: BoardSize, zero_based: bool = False
) -> Iterator[Request | BadLine]:
    """Read a table row by row, one value for each row under the heading, in constant memory.

    Args:
        stream: anything with ``readline(limit)``: a binary file, ``sys.stdin.buffer``.
        board: the size of all positions.
        zero_based: whether moves count columns from 0.

    Yields:
        The request of each row, or a :class:`~c4core.lines.BadLine`. Its line is the row's last
        line, or the line of the row that is not UTF-8.

    Raises:
        HeadingError: the first line is not a row of a table, or has no column for positions.
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
        bad: a bad line of the row, or None.
        in_row: the number of lines of the row that were read.
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
            raise csv.Error(f"more than {MAX_LINES} lines; is a quote not closed?")
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
    fields[field] = "" if text == NO_MOVES and field == "moves" else text.replace("/", "\n")
    return parse_fields(fields, board=board, zero_based=zero_based, line=line)
