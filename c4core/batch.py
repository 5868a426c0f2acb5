"""Results as arrays: of a search of many positions, in their order, and the bounds of a table.

Every score is for the side to move of its position, as in :mod:`c4core.evaluation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BOUND: Final = np.dtype([("key", "<u8"), ("score", "i1"), ("is_upper", "?"), ("log_nodes", "u1")])
"""A bound of one position, 11 bytes: what one solver's table knows, for another solver
(:meth:`c4core.Solver.table_bounds`, :meth:`c4core.Solver.add_bounds`).

``score`` is for the side to move of the position with this key: the position's score is at most
that if ``is_upper``, and at least that if not. ``log_nodes`` is the whole part of the binary
logarithm of the positions that were searched for it; it is 31 for all numbers from 2**31 on.
"""


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """The proven bounds of n positions, and what the searches cost."""

    lower: NDArray[np.int8]
    """Shape (n,): each position's score is proven to be at least this."""
    upper: NDArray[np.int8]
    """Shape (n,): each position's score is proven to be at most this."""
    nodes: NDArray[np.uint64]
    """Shape (n,): the number of positions that each search visited."""
    seconds: float
    """Wall-clock seconds of the whole batch."""

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.lower)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Shape (n,): whether the bounds meet."""
        return np.equal(self.lower, self.upper)


class BatchEvaluation(_Batch):
    """The scores of n positions, or the bounds that are proven."""

    __slots__ = ()

    @property
    def scores(self) -> np.ma.MaskedArray[tuple[int], np.dtype[np.int8]]:
        """Shape (n,): the scores, masked where they are not exact."""
        return np.ma.MaskedArray(self.lower, mask=~self.exact)


@dataclass(frozen=True, slots=True, eq=False)
class BatchAnalysis(_Batch):
    """The scores of all columns of n positions."""

    scores: NDArray[np.int8]
    """Shape (n, width): each column's score, or :data:`c4core.evaluation.NO_SCORE`."""
