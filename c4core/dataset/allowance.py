"""How much memory a file of a data set may take, checked before it is taken.

A small file can unpack to huge columns. The files of real data sets are a fifth to a seventeenth of
what they take in memory, for their keys are all different and shuffled. So a file is refused if the
sizes in its headers are much larger than that, and no more than these sizes is read.
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

Measured: at most 16.7, in an NPZ file of planes with the first 2,871 positions of 8x7, the largest
board. With moves as well it is 16.5, and in Parquet 14.7. For 20,000 positions, and on 9x6, 7x8,
4x15 and 16x3, it is 16 or less; on small boards 8 or less.
"""

LEAST_FILE: Final = 1 << 14
"""A smaller file may take as much memory as one of this size."""

MAX_CARD: Final = 1 << 22
"""Characters of a data card."""

TYPES: Final = {column.name: np.dtype(column.dtype.format(C=MAX_BITS)) for column in COLUMNS}
"""The type of every column; of texts the longest one."""


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
            Its bytes.

        Raises:
            ValueError: there is no such column, it has another type, or it is too large.
        """
        if name not in TYPES:
            raise ValueError(f"a column {name} that no data set has")
        found, wanted = np.dtype(dtype), TYPES[name]
        if found.kind != wanted.kind or found.itemsize > wanted.itemsize:
            raise ValueError(f"column {name} is of type {found} instead of {wanted}")
        if min(shape, default=0) < 0:
            raise ValueError(f"column {name} has the shape {shape}")
        size = math.prod(shape) * found.itemsize
        self._left -= size
        if self._left < 0:
            raise ValueError(
                f"column {name} would take {size:,} bytes, which no data set in a file of "
                f"{self._file_bytes:,} bytes does"
            )
        return size

    def check_unpacked(self, size: int) -> None:
        """Check that a file unpacks to no more than its columns may take.

        Args:
            size: its bytes before compression, according to its headers.

        Raises:
            ValueError: it unpacks to more.
        """
        if size > self._most:
            raise ValueError(
                f"it unpacks to {size:,} bytes, which no data set in a file of "
                f"{self._file_bytes:,} bytes does"
            )
