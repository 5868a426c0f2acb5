"""Results of batch searches as arrays, in the order of the positions, and types of table bounds.

Every score is for the side to move of its position, as in :mod:`c4core.evaluation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from c4core.evaluation import COLUMN_FACTS, NO_SCORE, column_name, value_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[Any]
    """Keys of positions: uint64; on a wide board Python integers (dtype object)."""

BOUND: Final = np.dtype([("key", "<u8"), ("score", "i1"), ("is_upper", "?"), ("log_nodes", "u1")])
"""The type of a bound that one solver's table exports for another, on a narrow board: 11 bytes
(:meth:`c4core.Solver.table_bounds`, :meth:`c4core.Solver.add_bounds`).

``score`` is for the side to move of the position with this key. If ``is_upper``, the position's
score is at most ``score``, otherwise at least. ``log_nodes`` is the binary logarithm, rounded down,
of the number of positions searched for the bound; it is 31 for all numbers from 2**31 on.
"""

WIDE_BOUND: Final = np.dtype([BOUND.descr[0], ("key_high", "<u8"), *BOUND.descr[1:]])
"""The type of a table bound on a wide board, where a key has two halves: 19 bytes."""

TABLE_BOUND: Final = np.dtype(WIDE_BOUND.descr, align=True)
"""The engine's type of a table bound (``TableBound`` in c4core/engine/kernel.pxd)."""


def bound_type(board: BoardSize) -> np.dtype[np.void]:
    """The type of bounds on a board."""
    return BOUND if board.is_narrow else WIDE_BOUND


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """The proven bounds of n positions, and the cost of the searches."""

    lower: NDArray[np.int8]
    """Shape (n,): proven lower bounds of the scores."""
    upper: NDArray[np.int8]
    """Shape (n,): proven upper bounds of the scores."""
    nodes: NDArray[np.uint64]
    """Shape (n,): number of positions that each search visited."""
    seconds: float
    """Wall-clock seconds of the complete batch."""

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Shape (n,): whether the bounds are equal."""
        return np.equal(self.lower, self.upper)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays of length n by name, for example as the columns of a table.

        ``score`` is masked if the bounds differ. ``value`` is None if the bounds leave it open.
        """
        values = map(value_between, self.lower.tolist(), self.upper.tolist())
        return {
            "score": np.ma.MaskedArray(self.lower, mask=~self.exact),
            "lower": self.lower,
            "upper": self.upper,
            "value": np.array(list(values), dtype=object),
            "nodes": self.nodes,
        }


class BatchEvaluation(_Batch):
    """The scores of n positions, or their proven bounds."""

    __slots__ = ()

    @property
    def scores(self) -> np.ma.MaskedArray[tuple[int], np.dtype[np.int8]]:
        """Shape (n,): the scores; a score that is not exact is masked."""
        return np.ma.MaskedArray(self.lower, mask=~self.exact)


@dataclass(frozen=True, slots=True, eq=False)
class BatchAnalysis(_Batch):
    """The scores of all columns of n positions, or their proven bounds."""

    column_lower: NDArray[np.int8]
    """Shape (n, width): proven lower bound of each column's score; NO_SCORE for a full column."""
    column_upper: NDArray[np.int8]
    """Shape (n, width): proven upper bound of each column's score; NO_SCORE for a full column."""

    @property
    def scores(self) -> NDArray[np.int8]:
        """Shape (n, width): each column's score, or :data:`c4core.evaluation.NO_SCORE`."""
        exact = np.equal(self.column_lower, self.column_upper)
        return np.where(exact, self.column_lower, np.int8(NO_SCORE))

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays of length n by name.

        ``score_1`` is the score of the first column, ``lower_1`` and ``upper_1`` are its bounds.
        Missing values are masked.
        """
        arrays = dict(
            zip(COLUMN_FACTS, (self.scores, self.column_lower, self.column_upper), strict=True)
        )
        of_columns = {
            column_name(fact, column): np.ma.masked_equal(array[:, column], NO_SCORE)
            for fact, array in arrays.items()
            for column in range(array.shape[1])
        }
        return {**_Batch.to_dict(self), **of_columns}
