"""The memory that a file of a data set may take, checked before it is allocated.

A small file can unpack to huge columns. The columns of real data sets take 5 to 17 times as much
memory as their files, because all keys are different and shuffled. So a file is refused if the
sizes in its headers are much larger than that, and never more than these sizes is read.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.dataset.records import COLUMNS
from c4core.notation import MAX_BITS

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

MAX_PER_BYTE: Final = 32
"""Bytes in memory for each byte of a file.

The largest measured ratio is 16.7, in an NPZ file of planes with the first 2,871 positions of 8x7,
the largest board. With moves as well it is 16.5, and in Parquet 14.7. For 20,000 positions, and on
9x6, 7x8, 4x15 and 16x3, it is 16 or less; on small boards it is 8 or less.
"""

LEAST_FILE: Final = 1 << 14
"""A smaller file may take as much memory as one of this size."""

MAX_CARD: Final = 1 << 22
"""The limit for the characters of a data card."""

TYPES: Final = {column.name: np.dtype(column.dtype.format(C=MAX_BITS)) for column in COLUMNS}
"""The type of every column; that of texts is the longest possible."""


class Allowance:
    """The memory that is left for the columns of a file.

    Args:
        file_bytes: size of the file.
    """

    def __init__(self, file_bytes: int) -> None:
        self._file_bytes = file_bytes
        self._most = self._left = MAX_PER_BYTE * max(file_bytes, LEAST_FILE)

    def take(self, name: str, dtype: DTypeLike, shape: tuple[int, ...]) -> int:
        """Deduct the memory of a column.

        Returns:
            The bytes of the column.

        Raises:
            ValueError: data sets have no such column, it has another type, or it is too large.
        """
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
        """Check that a file unpacks to no more than its columns may take.

        Args:
            size: the bytes before compression, according to the file's headers.

        Raises:
            ValueError: it unpacks to more.
        """
        if size > self._most:
            raise ValueError(
                f"it unpacks to {size:,} bytes, too many for a data set in a file of "
                f"{self._file_bytes:,} bytes"
            )
