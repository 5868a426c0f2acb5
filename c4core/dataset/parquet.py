"""Parts of data sets as Parquet files; needs the extra ``parquet`` (pyarrow).

The columns are those of NPZ. A column with several numbers for each position is a list of fixed
size, in which the last axis of the array runs fastest. The card is in the file's metadata, as JSON
under ``c4_card``.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.allowance import TYPES, Allowance
from c4core.dataset.errors import DatasetError
from c4core.extras import load_pyarrow
from c4core.files import check_plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

_CARD: Final = b"c4_card"
_TEXTS: Final = "moves"


def write_parquet(path: Path, records: Mapping[str, Array], card: str) -> None:
    """Write a part of a data set.

    Args:
        path: the file.
        records: the columns.
        card: the data card, as JSON.

    Raises:
        DatasetError: pyarrow is not installed.
        OSError: the file cannot be written.
    """
    arrow = load_pyarrow(DatasetError)
    columns = {name: _as_column(arrow, array) for name, array in records.items()}
    table = arrow.table(columns).replace_schema_metadata({_CARD: card.encode()})
    arrow.parquet.write_table(table, path, compression="zstd")


def read_parquet(path: Path) -> tuple[dict[str, Array], str]:
    """The columns of a part, lists as two-dimensional arrays, and its card.

    Raises:
        DatasetError: the file is not a part of a set, or is damaged, or pyarrow is not installed.
        OSError: the file cannot be read.
    """
    arrow = load_pyarrow(DatasetError)
    try:
        check_plain(path)
        with path.open("rb") as file:
            about = arrow.parquet.read_metadata(file)
            card: bytes = (about.metadata or {})[_CARD]
            # Equal texts are stored once (as a dictionary) until their length was checked.
            texts = [name for name in about.schema.names if name == _TEXTS]
            part = arrow.parquet.ParquetFile(file, metadata=about, read_dictionary=texts)
            _check(arrow, part, Allowance(os.fstat(file.fileno()).st_size))
            # Only in this thread: after an error, threads of Arrow's can outlive the call, and they
            # abort the process when it exits.
            table = part.read(use_threads=False)
            arrays = {name: _as_array(arrow, table.column(name)) for name in table.column_names}
    except KeyError:
        raise DatasetError(f"{path}: this is no data set: it has no card", path=str(path)) from None
    except (arrow.ArrowException, OSError, TypeError, ValueError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file cannot be opened; for wrong bytes Arrow raises OSErrors, too
        message = f"{path}: this is no data set in Parquet: {error}"
        raise DatasetError(message, path=str(path)) from None
    return arrays, card.decode(errors="replace")


def _as_column(arrow: Any, array: Array) -> Any:  # noqa: ANN401
    if array.dtype.kind == "S":
        return arrow.array(array.astype(str), type=arrow.string())
    if array.ndim == 1:
        return arrow.array(array)
    size = math.prod(array.shape[1:])
    return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), size)


def _check(arrow: Any, part: Any, allowance: Allowance) -> None:  # noqa: ANN401
    """Check that the columns have the right types, and do not take too much memory.

    The check uses the sizes in the file's footer. A page may still claim a larger size, up to 2 GB,
    and Arrow believes it. (A group's ``column()`` has more details. But if a footer is wrong, an
    exception that Arrow does not catch ends the process.)

    Raises:
        ValueError: a column is wrong or too large.
    """
    names = part.schema_arrow.names
    if len(set(names)) < len(names):
        raise ValueError("a column is there twice")
    metadata = part.metadata
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    for field in part.schema_arrow:
        dtype, size = _entry_of(arrow, field)
        allowance.take(field.name, dtype, (rows, size))
    allowance.check_unpacked(sum(max(group.total_byte_size, 0) for group in groups))


def _entry_of(arrow: Any, field: Any) -> tuple[np.dtype[Any], int]:  # noqa: ANN401
    """The type of a column's entries, and the number of entries in a row.

    Raises:
        ValueError: the entries are neither whole numbers nor texts.
    """
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


def _as_array(arrow: Any, column: Any) -> Array:  # noqa: ANN401
    """A column as an array.

    Raises:
        ValueError: a row has no entry, or a text is longer than any line of moves.
    """
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
