"""The formats of data set files, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.dataset.jsonl import read_jsonl, write_jsonl
from c4core.dataset.npz import read_npz, write_npz
from c4core.dataset.parquet import read_parquet, write_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from c4core.dataset.records import Array


class Format(NamedTuple):
    """How a part of a data set is written and read. Its name is the suffix of the files."""

    write: Callable[[Path, Mapping[str, Array], str], None]
    """Writes the columns, and the card if the format has a place for it."""
    read: Callable[[Path], tuple[dict[str, Array], str | None]]
    """Returns the columns, and the card if the file has it."""


FORMATS: Final = {
    "npz": Format(write_npz, read_npz),
    "parquet": Format(write_parquet, read_parquet),
    "jsonl": Format(write_jsonl, read_jsonl),
}
