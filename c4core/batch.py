"""The results of a search of many positions: arrays in the order of the positions.

Every score is for the side to move of its position, as in :mod:`c4core.evaluation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNPLAYABLE = -128
"""In ``BatchAnalysis.scores``: the column cannot be played, or was not solved."""


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
    """Shape (n, width): each column's score, or UNPLAYABLE."""
