"""The files of a data set's parts (NPZ, JSON Lines and Parquet), and their memory limits.

- NPZ: an array for every column, and the card as text in ``card``. No array is a pickle, and
  pickles are never read. The bytes depend only on the contents and the version of zlib, because
  the members of the archive have no timestamps.
- JSON Lines: an object for each position, with a field for every column. A full column's score is
  ``null``. The files do not contain the card.
- Parquet (needs pyarrow): the columns of NPZ. A column with several numbers for each position is a
  list of fixed size, in which the last axis of the array runs fastest. The card is in the file's
  metadata, as JSON under ``c4_card``.

A small file can unpack to huge columns, so memory is checked before it is allocated. The columns of
real data sets take 5 to 17 times as much memory as their files, because all keys are different and
shuffled. A file is refused if the sizes in its headers are much larger. The readers never read more
bytes than the headers claim.
"""

from __future__ import annotations

import io
import json
import math
import os
import struct
import zipfile
import zlib
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.records import COLUMNS
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE
from c4core.extras import load_pyarrow
from c4core.files import check_regular_file
from c4core.lines import read_json
from c4core.notation import NARROW_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import DTypeLike

    from c4core.dataset.records import Array

MAX_PER_BYTE: Final = 32
"""The largest number of bytes in memory for each byte of a file.

The largest measured ratio is 16.7, in an NPZ file of planes with the first 2,871 positions of 8x7,
the largest board. With moves as well it is 16.5, and in Parquet 14.7. For 20,000 positions, and on
9x6, 7x8, 4x15 and 16x3, it is 16 or less; on small boards it is 8 or less.
"""

LEAST_FILE: Final = 1 << 14
"""The memory limit of a smaller file is that of a file of this many bytes."""

MAX_CARD: Final = 1 << 22
"""The largest number of characters in a data card."""

TYPES: Final = {column.name: np.dtype(column.dtype.format(C=NARROW_BITS)) for column in COLUMNS}
"""The type of every column; the type of texts has the largest possible length."""


class MemoryBudget:
    """The memory that is left for the columns of a file of ``file_bytes`` bytes."""

    def __init__(self, file_bytes: int) -> None:
        self._file_bytes = file_bytes
        self._most = self._left = MAX_PER_BYTE * max(file_bytes, LEAST_FILE)

    def take(self, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> int:
        """Deduct the memory of a column, and return its number of bytes."""
        if name not in TYPES:
            raise ValueError(f"an unknown column {name}")
        found, wanted = np.dtype(dtype), TYPES[name]
        if found.kind != wanted.kind or found.itemsize > wanted.itemsize:
            raise ValueError(f"column {name} is of type {found} instead of {wanted}")
        if min(shape, default=0) < 0:
            raise ValueError(f"column {name} has the shape {shape}")
        size = math.prod(shape) * found.itemsize
        self._left -= size
        if self._left < 0:
            raise ValueError(
                f"column {name} would take {size:,} bytes, too many for a data set in a file of "
                f"{self._file_bytes:,} bytes"
            )
        return size

    def check_unpacked(self, size: int) -> None:
        """Raise ValueError if a file unpacks to more bytes than its columns may take.

        The size is before compression, according to the file's headers.
        """
        if size > self._most:
            raise ValueError(
                f"it unpacks to {size:,} bytes, too many for a data set in a file of "
                f"{self._file_bytes:,} bytes"
            )


_CARD: Final = "card"
_ENDING: Final = ".npy"
_VERSION: Final = (1, 0)
"""The version of the header that numpy writes for all arrays except structured ones."""

_STEP: Final = 1 << 20
"""The number of bytes that are unpacked in one step."""

_MAX_MEMBERS: Final = len(TYPES) + 1
"""The largest number of members of an archive: the columns and the card."""

_HEADER_ERRORS = (MemoryError, OverflowError, TokenError)
"""Errors of numpy for a header that is not a Python literal, or an array that is too large."""


def write_npz(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set; ``path`` ends in ``.npz``, and ``card`` is JSON."""
    np.savez_compressed(path, allow_pickle=False, **records, card=np.array(card))


def read_npz(path: Path) -> tuple[dict[str, Array], str]:
    """The columns of a part, and its card."""
    try:
        check_regular_file(path)
        with _Sparing(path.open("rb", buffering=0)) as file, _archive(file) as archive:
            allowance = MemoryBudget(os.fstat(file.fileno()).st_size)
            arrays = {
                name: _read_array(archive, member, allowance)
                for member in archive.infolist()
                if (name := member.filename.removesuffix(_ENDING)) != _CARD
            }
            card = _read_card(archive)
    except (EOFError, KeyError, TypeError, ValueError, *_HEADER_ERRORS) as error:
        raise DatasetError(f"{path}: not an NPZ data set: {error}", path=str(path)) from None
    except (zipfile.BadZipFile, zlib.error, struct.error, OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; errors about wrong bytes name no file
        raise DatasetError(f"{path}: the file is damaged: {error}", path=str(path)) from None
    return arrays, card


class _Sparing(io.BufferedReader):
    """A file that refuses to read more than :data:`_STEP` bytes at a time.

    ``zipfile`` reads the complete list of members at once, and makes an object of 500 bytes for
    each, before they can be counted. The archive states their number, but it may be wrong.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        """Read ``size`` bytes, or :data:`_STEP` if no size is given."""
        if size is None or size < 0:  # zipfile looks for an archive's end in the last 64 KB
            size = _STEP
        if size > _STEP:
            raise ValueError("its list of members is too long")
        return super().read(size)


def _archive(file: IO[bytes]) -> zipfile.ZipFile:
    if not zipfile.is_zipfile(file):
        raise ValueError("not an archive")
    archive = zipfile.ZipFile(file)
    names = [member.filename.removesuffix(_ENDING) for member in archive.infolist()]
    if len(names) > _MAX_MEMBERS:
        raise ValueError(
            f"it has {len(names):,} members, and no data set has more than {_MAX_MEMBERS}"
        )
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"it has two members {name!r:.80}")
    return archive


def _read_array(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, allowance: MemoryBudget
) -> Array:
    with _opened(archive, member) as stream:
        shape, is_fortran, dtype = _header(stream)
        size = allowance.take(member.filename.removesuffix(_ENDING), dtype, shape)
        flat = np.frombuffer(_exactly(stream, size), dtype)
    return flat.reshape(shape, order="F" if is_fortran else "C")


def _read_card(archive: zipfile.ZipFile) -> str:
    with _opened(archive, archive.getinfo(_CARD + _ENDING)) as stream:
        shape, _, dtype = _header(stream)
        characters = dtype.itemsize // np.dtype("U1").itemsize
        if dtype.kind != "U" or shape != () or not 0 < characters <= MAX_CARD:
            raise ValueError(f"the card is of type {dtype} {shape}")
        return str(np.frombuffer(_exactly(stream, dtype.itemsize), dtype)[0])


def _opened(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ValueError(f"{member.filename!r} has an unsupported compression")
    return archive.open(member)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape of an array, whether its first axis runs fastest, and its type."""
    version = np.lib.format.read_magic(stream)
    if version != _VERSION:  # headers of other versions may be of any size
        raise ValueError(f"an array of version {version}")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject:
        raise ValueError("an array of objects")
    return shape, is_fortran, dtype


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    """Read a member that must have exactly this many bytes."""
    data = bytearray(size)
    filled = 0
    while filled < size and (piece := stream.read(min(_STEP, size - filled))):
        data[filled : filled + len(piece)] = piece
        filled += len(piece)
    if filled != size or stream.read(1):
        raise ValueError("an array's size differs from its header")
    return data


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


def read_jsonl(path: Path) -> tuple[dict[str, Array], None]:
    """The columns of a part, and None because the file has no card."""
    reader = _Reader()
    try:
        check_regular_file(path)
        with path.open("rb") as file:
            for line in iter(lambda: file.readline(_MAX_LINE + 1), b""):
                reader.add(line)
        return reader.columns(), None
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        place = f"line {reader.lines}: " if reader.lines else ""
        is_unknown = isinstance(error, KeyError)
        reason = f"a field {error} that the first line does not have" if is_unknown else error
        message = f"{path}: {place}not a JSON Lines data set: {reason}"
        raise DatasetError(message, path=str(path)) from None


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


class _Reader:
    """Turn rows into arrays, piece by piece: lists would take many times the memory.

    Attributes:
        lines: the number of lines that were added so far; 0 after :meth:`columns`.
    """

    def __init__(self) -> None:
        self.lines = 0
        self._rows: dict[str, list[Any]] = {}
        self._pieces: dict[str, list[Array]] = {}

    def add(self, line: bytes) -> None:
        """Add a line."""
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
                value = [NO_SCORE if score is None else score for score in value]  # noqa: PLW2901
            self._rows[name].append(value)
        if self.lines % _ROWS == 0:
            self._pack()

    def columns(self) -> dict[str, Array]:
        """The columns of all rows; a ValueError if the entries of a column differ in shape."""
        self._pack()
        self.lines = 0
        return {name: np.concatenate(pieces) for name, pieces in self._pieces.items() if pieces}

    def _pack(self) -> None:
        for name, values in self._rows.items():
            if values:
                self._pieces[name].append(_as_array(name, values))
                values.clear()


def _as_array(name: str, values: list[Any]) -> Array:
    dtype = TYPES[name]
    if dtype.kind == "S":
        if not all(type(value) is str and len(value) <= dtype.itemsize for value in values):
            raise ValueError(f"column {name} has an entry that is not a text, or is too long")
        return np.array(values, dtype=np.str_).astype(np.bytes_)
    if dtype == np.uint64:
        # Numbers on both sides of 2**63 have no common integer type: numpy would use floats.
        if not all(type(value) is int for value in values):
            raise ValueError(f"column {name} has an entry that is not a whole number")
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
            _check(arrow, part, MemoryBudget(os.fstat(file.fileno()).st_size))
            # Use this thread only: after an error, Arrow's threads can outlive the call, and they
            # abort the process when it exits.
            table = part.read(use_threads=False)
            arrays = {name: _as_array_of(arrow, table.column(name)) for name in table.column_names}
    except KeyError:
        raise DatasetError(f"{path}: not a data set: it has no card", path=str(path)) from None
    except (arrow.ArrowException, OSError, TypeError, ValueError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; for wrong bytes Arrow raises OSErrors, too
        message = f"{path}: not a Parquet data set: {error}"
        raise DatasetError(message, path=str(path)) from None
    return arrays, card.decode(errors="replace")


def _as_column(arrow: Any, array: Array) -> Any:  # noqa: ANN401
    if array.dtype.kind == "S":
        return arrow.array(array.astype(str), type=arrow.string())
    if array.ndim == 1:
        return arrow.array(array)
    size = math.prod(array.shape[1:])
    return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), size)


def _check(arrow: Any, part: Any, allowance: MemoryBudget) -> None:  # noqa: ANN401
    """Check that the columns have the right types, and do not take too much memory.

    The check uses the sizes in the file's footer. A page may still claim a larger size, up to 2 GB,
    which Arrow does not check. (``group.column()`` has more details. But if a footer is wrong, it
    throws an exception that Arrow does not catch, and the process ends.)
    """
    names = part.schema_arrow.names
    if len(set(names)) < len(names):
        raise ValueError("a column occurs twice")
    metadata = part.metadata
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    for field in part.schema_arrow:
        dtype, size = _entry_of(arrow, field)
        allowance.take(field.name, dtype, (rows, size))
    allowance.check_unpacked(sum(max(group.total_byte_size, 0) for group in groups))


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
    texts: Array = column.cast(arrow.string()).to_numpy().astype(np.bytes_)
    return texts
