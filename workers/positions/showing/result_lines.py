"""The results of a job as lines of text: JSON Lines, or a table as CSV."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from c4core.lines import NO_MOVES
from workers.csv_lines import csv_lines
from workers.positions.results import ROW_NAMES, as_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from c4core.lines import JsonValue

TextFormat = Literal["jsonl", "csv"]


def result_lines(
    objects: Iterable[Mapping[str, JsonValue]], format_name: TextFormat
) -> Iterator[str]:
    """The lines of a file of results, each with its end, one by one in constant memory.

    Args:
        objects: the output of a job. For CSV its kind must have a table.
        format_name: how they are written.
    """
    if format_name == "csv":
        return csv_lines(map(_as_csv_row, objects), ROW_NAMES)
    return (json.dumps(fields) + "\n" for fields in objects)


def _as_csv_row(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A row of CSV: a position without moves must not look like an empty cell."""
    row = as_row(fields)
    return row | {"moves": NO_MOVES} if row["moves"] == "" else row
