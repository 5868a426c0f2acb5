"""Parts of data sets as JSON Lines: an object for each position, with a field for every column.

A full column's score is ``null``. The files do not contain the card.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.batch import UNPLAYABLE
from c4core.dataset.allowance import TYPES
from c4core.dataset.errors import DatasetError
from c4core.files import check_plain
from c4core.json_text import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

_SCORES: Final = "column_scores"

_MAX_LINE: Final = 1 << 12
"""The limit for the bytes of a line; the largest boards need a thousand."""

_PIECE: Final = 512
"""Rows that are kept as lists before they become arrays."""


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
        DatasetError: a line is not a position of a data set.
        OSError: the file cannot be read.
    """
    reader = _Reader()
    try:
        check_plain(path)
        with path.open("rb") as file:
            for line in iter(lambda: file.readline(_MAX_LINE + 1), b""):
                reader.add(line)
        return reader.columns(), None
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        place = f"line {reader.lines}: " if reader.lines else ""
        is_unknown = isinstance(error, KeyError)
        reason = f"a field {error} that the first line does not have" if is_unknown else error
        message = f"{path}: {place}this is no data set in JSON Lines: {reason}"
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


class _Reader:
    """Turns rows into arrays, piece by piece: lists would take many times the memory.

    Attributes:
        lines: the number of lines that were added so far; 0 after the last one.
    """

    def __init__(self) -> None:
        self.lines = 0
        self._rows: dict[str, list[Any]] = {}
        self._pieces: dict[str, list[Array]] = {}

    def add(self, line: bytes) -> None:
        """Add a line.

        Raises:
            KeyError, RecursionError, TypeError, ValueError: the line is not an object, or has other
                fields than the first one.
        """
        self.lines += 1
        if len(line) > _MAX_LINE:
            raise ValueError(f"longer than {_MAX_LINE:,} bytes")
        row = read_json(line.decode())
        if not isinstance(row, dict):
            raise TypeError("not a JSON object")
        if self.lines == 1:
            for name in row:
                if name not in TYPES:
                    raise ValueError(f"an unknown column {name!r}")
                self._rows[name], self._pieces[name] = [], []
        if len(row) != len(self._rows):
            raise ValueError(f"{len(row)} fields, and {len(self._rows)} in the first line")
        for name, value in row.items():
            if name == _SCORES:
                value = [UNPLAYABLE if score is None else score for score in value]  # noqa: PLW2901
            self._rows[name].append(value)
        if self.lines % _PIECE == 0:
            self._pack()

    def columns(self) -> dict[str, Array]:
        """The columns of all rows.

        Raises:
            ValueError: the entries of a column differ in type or shape.
        """
        self._pack()
        self.lines = 0
        return {name: np.concatenate(pieces) for name, pieces in self._pieces.items() if pieces}

    def _pack(self) -> None:
        for name, values in self._rows.items():
            if values:
                self._pieces[name].append(_as_array(name, values))
                values.clear()


def _as_array(name: str, values: list[Any]) -> Array:
    """A column as an array.

    Raises:
        ValueError: an entry is of another type, or out of range.
    """
    dtype = TYPES[name]
    if dtype.kind == "S":
        if not all(type(value) is str and len(value) <= dtype.itemsize for value in values):
            raise ValueError(f"column {name} has something that is no such text")
        return np.array(values, dtype=np.str_).astype(np.bytes_)
    if dtype == np.uint64:
        # Numbers on both sides of 2**63 have no common integer type: numpy would use floats.
        if not all(type(value) is int for value in values):
            raise ValueError(f"column {name} has something that is no whole number")
        _check_range(name, min(values), max(values))
        return np.array(values, dtype=dtype)
    found = np.array(values)
    if found.dtype.kind not in "iu":
        raise ValueError(f"column {name} is of type {found.dtype} instead of {dtype}")
    _check_range(name, int(found.min()), int(found.max()))
    return found.astype(dtype)


def _check_range(name: str, least: int, most: int) -> None:
    limits = np.iinfo(TYPES[name])
    if least < limits.min or most > limits.max:
        raise ValueError(f"column {name} has a number that is out of range")
