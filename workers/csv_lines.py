"""Rows as lines of CSV, for files and for answers that are streamed."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any, Final

from workers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_FORMULA: Final = re.compile(r"[=+\-@]")
_NUMBERS: Final = re.compile(r"(?:[+-]?[0-9]+(?:\.[0-9]+)?|-)(?: (?:[+-]?[0-9]+(?:\.[0-9]+)?|-))*")
"""Numbers with blanks between them; ``-`` stands for a missing one."""


def csv_lines(rows: Iterable[Mapping[str, Any]], names: Sequence[str] = ()) -> Iterator[str]:
    """A heading, and a line for each row, each with its end.

    Args:
        rows: with the same keys in the same order.
        names: the keys, for the heading where there are no rows; without them there is none then.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")

    def line(cells: Iterable[object]) -> str:
        writer.writerow(cells)
        written = text.getvalue()
        text.seek(0)
        text.truncate()
        return written

    is_empty = True
    for row in rows:
        if is_empty:
            yield line(row)
            is_empty = False
        yield line(csv_cell(value) for value in row.values())
    if is_empty and names:
        yield line(names)


def csv_cell(value: object) -> object:
    """A value as a cell of CSV, always in one line.

    A list becomes words with blanks between them; ``-`` stands for None, so that the words can be
    counted. Lines of text are joined by ``/``. None becomes an empty cell.

    Text that a spreadsheet would take for a formula gets a ``'`` before it. Numbers stay as they
    are.
    """
    if isinstance(value, list):
        return _text_cell(" ".join("-" if item is None else str(item) for item in value))
    if isinstance(value, str):
        return _text_cell("/".join(value.splitlines()))
    if isinstance(value, bool):
        return str(value).lower()
    return value


def _text_cell(text: str) -> str:
    """Text in one line, which no spreadsheet takes for a formula."""
    shown = printable(text)
    is_formula = _FORMULA.match(shown) is not None and _NUMBERS.fullmatch(shown) is None
    return f"'{shown}" if is_formula else shown
