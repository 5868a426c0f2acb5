"""Parts of data sets as JSON Lines: an object for each position, with a field for every column.

A full column's score is ``null`` here. There is no place for the card; it lies beside the file.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from c4core.batch import UNPLAYABLE
from c4core.dataset.errors import DatasetError
from c4core.dataset.records import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

_SCORES = "column_scores"


def write_jsonl(path: Path, records: Mapping[str, Array], _card: str) -> None:
    """Write a part of a data set.

    Args:
        path: the file.
        records: the columns.

    Raises:
        OSError: the file cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _rows(records):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def read_jsonl(path: Path) -> tuple[dict[str, Array], None]:
    """The columns of a part; it has no card.

    Raises:
        DatasetError: a line is none of a data set.
        OSError: the file cannot be read.
    """
    columns: dict[str, list[Any]] = {}
    number = 0
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                _add(columns, json.loads(line), is_first=number == 1)
        number = 0
        return {name: _as_array(name, values) for name, values in columns.items()}, None
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        place = f"line {number}: " if number else ""
        message = f"{path}: {place}this is no data set in JSON Lines: {error}"
        raise DatasetError(message, path=str(path)) from None


def _rows(records: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    names = list(records)
    columns = [
        (array.astype(str) if array.dtype.kind == "S" else array).tolist()
        for array in records.values()
    ]
    for values in zip(*columns, strict=True):
        row = dict(zip(names, values, strict=True))
        row[_SCORES] = [None if score == UNPLAYABLE else score for score in row[_SCORES]]
        yield row


def _add(columns: dict[str, list[Any]], row: object, *, is_first: bool) -> None:
    """Add a row's values to their columns.

    Raises:
        KeyError, TypeError, ValueError: it is no object, or has other fields than the first row.
    """
    if not isinstance(row, dict):
        raise TypeError("not a JSON object")
    if is_first:
        columns.update({name: [] for name in row})
    if len(row) != len(columns):
        raise ValueError(f"{len(row)} fields, and {len(columns)} in the first line")
    for name, value in row.items():
        if name == _SCORES:
            value = [UNPLAYABLE if score is None else score for score in value]  # noqa: PLW2901
        columns[name].append(value)


def _as_array(name: str, values: list[Any]) -> Array:
    types = {column.name: column.dtype for column in COLUMNS}
    if name == "moves":
        return np.array(values, dtype=np.str_).astype(np.bytes_)
    return np.array(values, dtype=types.get(name))
