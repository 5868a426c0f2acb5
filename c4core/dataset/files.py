"""The files of a data set's parts: NPZ, which is read again, JSON Lines and Parquet.

- NPZ: an array for every column, and the card as text in ``card``. No array is a pickle, and
  pickles are never read. The bytes depend only on the contents and the version of zlib, because
  the members of the archive have no timestamps.
- JSON Lines: an object for each position, with a field for every column. A full column's score is
  ``null``. The files do not contain the card.
- Parquet (needs pyarrow): the columns of NPZ. A column with several numbers for each position is a
  list of fixed size, in which the last axis of the array runs fastest. The card is in the file's
  metadata, as JSON under ``c4_card``.

A small file can unpack to huge columns. The columns of real data sets take 5 to 17 times as much
memory as their files, because all keys are different and shuffled. A file is refused if the sizes
in its headers are much larger.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
import zlib
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.records import COLUMNS
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE
from c4core.extras import load_pyarrow
from c4core.files import check_regular_file
from c4core.notation import NARROW_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

MAX_PER_BYTE: Final = 32
"""The largest number of bytes in memory for each byte of a file.

The largest measured ratio is 16.7, in a file of planes with the first 2,871 positions of 8x7, the
largest board. With moves as well it is 16.5. For 20,000 positions, and on
9x6, 7x8, 4x15 and 16x3, it is 16 or less; on small boards it is 8 or less.
"""

LEAST_FILE: Final = 1 << 14
"""The memory limit of a smaller file is that of a file of this many bytes."""

TYPES: Final = {column.name: np.dtype(column.dtype.format(C=NARROW_BITS)) for column in COLUMNS}
"""The type of every column; the type of texts has the largest possible length."""

_CARD: Final = "card"
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

_DAMAGE: Final = (
    *(EOFError, KeyError, MemoryError, OSError, OverflowError, RuntimeError, TypeError, ValueError),
    *(TokenError, struct.error, zipfile.BadZipFile, zlib.error),
)
"""Errors of numpy and zipfile for wrong bytes."""


def _check_type(name: str, dtype: np.dtype[Any]) -> None:
    """Refuse a column that data sets do not have, or that has another type there."""
    if name not in TYPES:
        raise ValueError(f"an unknown column {name!r:.80}")
    if dtype.kind != TYPES[name].kind or dtype.itemsize > TYPES[name].itemsize:
        raise ValueError(f"column {name} is of type {dtype!s:.80} instead of {TYPES[name]}")


def _check_memory(path: Path, unpacked: int) -> None:
    """Refuse a file that unpacks to more bytes than a data set in a file of this size."""
    size = path.stat().st_size
    if unpacked > MAX_PER_BYTE * max(size, LEAST_FILE):
        raise ValueError(
            f"it unpacks to {unpacked:,} bytes, too many for a data set in a file of {size:,} bytes"
        )


def write_npz(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set; ``path`` ends in ``.npz``, and ``card`` is JSON."""
    np.savez_compressed(path, allow_pickle=False, **records, card=np.array(card))


def read_npz(path: Path) -> tuple[dict[str, Array], str]:
    """The columns of a part, and its card."""
    try:
        check_regular_file(path)
        with zipfile.ZipFile(path) as members:
            _check_memory(path, sum(member.file_size for member in members.infolist()))
            # zipfile unpacks a block of the other methods at once: 850 bytes become a gigabyte.
            if any(member.compress_type not in _METHODS for member in members.infolist()):
                raise ValueError("an array is packed by another method than numpy's")
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name]) for name in archive.files}
        card = arrays.pop(_CARD)
        if card.dtype.kind != "U" or card.shape:
            raise ValueError(f"the card is of type {card.dtype} {card.shape}")
        for name, array in arrays.items():
            _check_type(name, array.dtype)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; errors about wrong bytes name no file
        message = f"{path}: not an NPZ data set, or damaged: {error!s:.200}"
        raise DatasetError(message) from None
    return arrays, str(card)


_SCORES: Final = "column_scores"


def write_jsonl(path: Path, records: Mapping[str, Array], _card: str) -> None:
    """Write a part of a data set."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _rows(records):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _rows(records: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    names = list(records)
    columns = [
        (array.astype(str) if array.dtype.kind == "S" else array).tolist()
        for array in records.values()
    ]
    for values in zip(*columns, strict=True):
        row = dict(zip(names, values, strict=True))
        row[_SCORES] = [None if score == NO_SCORE else score for score in row[_SCORES]]
        yield row


_CARD_KEY: Final = b"c4_card"


def write_parquet(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set, with the card as JSON."""
    arrow = load_pyarrow(DatasetError)
    columns = {name: _as_column(arrow, array) for name, array in records.items()}
    table = arrow.table(columns).replace_schema_metadata({_CARD_KEY: card.encode()})
    arrow.parquet.write_table(table, path, compression="zstd")


def _as_column(arrow: Any, array: Array) -> Any:  # noqa: ANN401
    if array.dtype.kind == "S":
        return arrow.array(array.astype(str), type=arrow.string())
    if array.ndim == 1:
        return arrow.array(array)
    size = math.prod(array.shape[1:])
    return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), size)
