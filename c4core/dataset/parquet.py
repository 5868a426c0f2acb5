"""Parts of data sets as Parquet files; needs the extra ``parquet`` (pyarrow).

Columns as in NPZ; one with more than a number for each position is a list of fixed size, the last
axis of the array running fastest. The card lies as JSON under ``c4_card`` in the file's metadata.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.dataset.errors import DatasetError
from c4core.extras import load_pyarrow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from c4core.dataset.records import Array

_CARD: Final = b"c4_card"


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
        DatasetError: the file is no Parquet file of ours, or damaged, or pyarrow is not installed.
        OSError: it cannot be read.
    """
    arrow = load_pyarrow(DatasetError)
    try:
        with path.open("rb") as file:
            table = arrow.parquet.read_table(file)
        card: bytes = (table.schema.metadata or {})[_CARD]
        arrays = {name: _as_array(arrow, table.column(name)) for name in table.column_names}
    except KeyError:
        raise DatasetError(f"{path}: this is no data set: it has no card", path=str(path)) from None
    except (arrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # of opening it; arrow has the same kind of error for wrong bytes
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


def _as_array(arrow: Any, column: Any) -> Array:  # noqa: ANN401
    size = column.type.list_size if arrow.types.is_fixed_size_list(column.type) else None
    flat = column if size is None else arrow.compute.list_flatten(column)
    array: Array = flat.to_numpy()
    if array.dtype.kind == "O":
        array = array.astype(np.bytes_)
    return array if size is None else array.reshape(len(column), size)
