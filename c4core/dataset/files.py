"""The files of a data set's parts (NPZ, JSON Lines and Parquet), and their memory limits.

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
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

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

The largest measured ratio is 16.7, in an NPZ file of planes with the first 2,871 positions of 8x7,
the largest board. With moves as well it is 16.5, and in Parquet 14.7. For 20,000 positions, and on
9x6, 7x8, 4x15 and 16x3, it is 16 or less; on small boards it is 8 or less.
"""

LEAST_FILE: Final = 1 << 14
"""The memory limit of a smaller file is that of a file of this many bytes."""

TYPES: Final = {column.name: np.dtype(column.dtype.format(C=NARROW_BITS)) for column in COLUMNS}
"""The type of every column; the type of texts has the largest possible length."""


_CARD: Final = "card"

_DAMAGE: Final = (
    *(EOFError, KeyError, MemoryError, OSError, OverflowError, RuntimeError, TypeError, ValueError),
    *(TokenError, struct.error, zipfile.BadZipFile, zlib.error),
)
"""Errors of numpy and zipfile for wrong bytes."""


def check_type(name: str, dtype: np.dtype[Any]) -> None:
    """Refuse a column that data sets do not have, or that has another type there."""
    if name not in TYPES:
        raise ValueError(f"an unknown column {name!r:.80}")
    if dtype.kind != TYPES[name].kind or dtype.itemsize > TYPES[name].itemsize:
        raise ValueError(f"column {name} is of type {dtype!s:.80} instead of {TYPES[name]}")


def check_memory(path: Path, unpacked: int) -> None:
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
            check_memory(path, sum(member.file_size for member in members.infolist()))
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name]) for name in archive.files}
        card = arrays.pop(_CARD)
        if card.dtype.kind != "U" or card.shape:
            raise ValueError(f"the card is of type {card.dtype} {card.shape}")
        for name, array in arrays.items():
            check_type(name, array.dtype)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; errors about wrong bytes name no file
        message = f"{path}: not an NPZ data set, or damaged: {error}"
        raise DatasetError(message) from None
    return arrays, str(card)


_SCORES: Final = "column_scores"

_MAX_LINE: Final = 1 << 12
"""The largest number of bytes of a line; the largest boards need 1,000."""

_ROWS: Final = 512
"""The number of rows that are kept as lists before they become arrays."""


def write_jsonl(path: Path, records: Mapping[str, Array], _card: str) -> None:
    """Write a part of a data set."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in _rows(records):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    """A line; data sets of one representation lack the other one."""

    planes: list[list[list[int]]] | UnsetType = UNSET
    moves: Annotated[str, msgspec.Meta(max_length=NARROW_BITS)] | UnsetType = UNSET
    ply: int | UnsetType = UNSET
    side: int | UnsetType = UNSET
    key: int | UnsetType = UNSET
    score: int | UnsetType = UNSET
    value: int | UnsetType = UNSET
    distance: int | UnsetType = UNSET
    column_scores: list[int | None] | UnsetType = UNSET
    best: list[int] | UnsetType = UNSET
    quiet: int | UnsetType = UNSET
    decisive: int | UnsetType = UNSET


def read_jsonl(path: Path) -> tuple[dict[str, Array], None]:
    """The columns of a part, and None because the file has no card."""
    decode = msgspec.json.Decoder(_Row).decode
    pieces: dict[str, list[Array]] = {}
    rows: list[_Row] = []
    place = str(path)
    try:
        check_regular_file(path)
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE + 1), b""), 1):
                place = f"{path}: line {number}"
                if len(line) > _MAX_LINE:
                    raise ValueError(f"longer than {_MAX_LINE:,} bytes")  # noqa: TRY301
                rows.append(decode(line))
                if len(rows) == _ROWS:
                    _pack(rows, pieces)
        _pack(rows, pieces)
        return {name: np.concatenate(arrays) for name, arrays in pieces.items()}, None
    except (OverflowError, RecursionError, ValueError) as error:
        message = f"{place}: not a JSON Lines data set: {error}"
        raise DatasetError(message) from None


def _pack(rows: list[_Row], pieces: dict[str, list[Array]]) -> None:
    """Turn rows into arrays, piece by piece: lists would take many times the memory."""
    if not rows:
        return
    for name in pieces or [name for name in TYPES if getattr(rows[0], name) is not UNSET]:
        values = [getattr(row, name) for row in rows]
        if UNSET in values:
            raise ValueError(f"not all lines have a field {name}")
        if name == _SCORES:
            values = [[NO_SCORE if score is None else score for score in row] for row in values]
        is_text = TYPES[name].kind == "S"
        array = np.array(values, dtype=np.str_ if is_text else TYPES[name])
        pieces.setdefault(name, []).append(array.astype(np.bytes_) if is_text else array)
    rows.clear()


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
_TEXTS: Final = "moves"


def write_parquet(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set, with the card as JSON."""
    arrow = load_pyarrow(DatasetError)
    columns = {name: _as_column(arrow, array) for name, array in records.items()}
    table = arrow.table(columns).replace_schema_metadata({_CARD_KEY: card.encode()})
    arrow.parquet.write_table(table, path, compression="zstd")


def read_parquet(path: Path) -> tuple[dict[str, Array], str]:
    """The columns of a part, and its card. Lists become two-dimensional arrays."""
    arrow = load_pyarrow(DatasetError)
    try:
        check_regular_file(path)
        with path.open("rb") as file:
            about = arrow.parquet.read_metadata(file)
            card: bytes = (about.metadata or {})[_CARD_KEY]
            # Until their length is checked, equal texts are kept once (as a dictionary).
            texts = [name for name in about.schema.names if name == _TEXTS]
            part = arrow.parquet.ParquetFile(file, metadata=about, read_dictionary=texts)
            _check(arrow, part, path)
            # Use this thread only: after an error, Arrow's threads can outlive the call, and they
            # abort the process when it exits.
            table = part.read(use_threads=False)
            arrays = {name: _as_array_of(arrow, table.column(name)) for name in table.column_names}
    except KeyError:
        raise DatasetError(f"{path}: not a data set: it has no card") from None
    except (arrow.ArrowException, OSError, TypeError, ValueError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; for wrong bytes Arrow raises OSErrors, too
        message = f"{path}: not a Parquet data set: {error}"
        raise DatasetError(message) from None
    return arrays, card.decode(errors="replace")


def _as_column(arrow: Any, array: Array) -> Any:  # noqa: ANN401
    if array.dtype.kind == "S":
        return arrow.array(array.astype(str), type=arrow.string())
    if array.ndim == 1:
        return arrow.array(array)
    size = math.prod(array.shape[1:])
    return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), size)


def _check(arrow: Any, part: Any, path: Path) -> None:  # noqa: ANN401
    """Check that the columns have the right types, and do not take too much memory.

    The check uses the sizes in the file's footer. A page may still claim a larger size, up to 2 GB,
    which Arrow does not check. (``group.column()`` has more details. But if a footer is wrong, it
    throws an exception that Arrow does not catch, and the process ends.)
    """
    names = part.schema_arrow.names
    if len(set(names)) < len(names):
        raise ValueError("a column occurs twice")
    groups = [part.metadata.row_group(index) for index in range(part.metadata.num_row_groups)]
    rows = max(part.metadata.num_rows, sum(group.num_rows for group in groups))
    taken = 0
    for field in part.schema_arrow:
        dtype, size = _entry_of(arrow, field)
        check_type(field.name, dtype)
        taken += rows * size * dtype.itemsize
    check_memory(path, max(taken, sum(max(group.total_byte_size, 0) for group in groups)))


def _entry_of(arrow: Any, field: Any) -> tuple[np.dtype[Any], int]:  # noqa: ANN401
    """The type of a column's entries, and the number of entries in a row."""
    number, size, text = field.type, 1, field.type
    if arrow.types.is_fixed_size_list(field.type):
        number, size = field.type.value_type, field.type.list_size
    elif arrow.types.is_dictionary(field.type):
        text = field.type.value_type
    if arrow.types.is_integer(number):
        return np.dtype(str(number)), size
    if arrow.types.is_string(text):
        return TYPES[_TEXTS], 1
    raise ValueError(f"column {field.name} is of type {field.type}")


def _as_array_of(arrow: Any, column: Any) -> Array:  # noqa: ANN401
    if column.null_count:
        raise ValueError("a row has no entry in a column")
    if arrow.types.is_dictionary(column.type):
        return _as_texts(arrow, column)
    size = column.type.list_size if arrow.types.is_fixed_size_list(column.type) else None
    array: Array = (column if size is None else arrow.compute.list_flatten(column)).to_numpy()
    return array if size is None else array.reshape(len(column), size)


def _as_texts(arrow: Any, column: Any) -> Array:  # noqa: ANN401
    longest = TYPES[_TEXTS].itemsize
    for piece in column.chunks:
        if (
            arrow.compute.max(arrow.compute.binary_length(piece.dictionary)).as_py() or 0
        ) > longest:
            raise ValueError("a text is longer than any line of moves")
    return column.cast(arrow.string()).to_numpy().astype(np.bytes_)
