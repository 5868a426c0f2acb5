"""Rows as lines of CSV, for files and for answers that are streamed."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from workers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


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
    """
    if isinstance(value, list):
        return " ".join("-" if item is None else printable(str(item)) for item in value)
    if isinstance(value, str):
        return printable("/".join(value.splitlines()))
    if isinstance(value, bool):
        return str(value).lower()
    return value
