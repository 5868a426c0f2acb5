"""What the processes of a deep job have told, for whoever answers questions about it afterwards.

A transposition table keeps one bound of a position: the proof that its score is at most 0 replaces
the one that it is at least 0. Best play needs both, at every ply. So a listener keeps what it hears
beside the table, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.batch import BOUND
from workers.deep.tree import Bounds, first_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.position import Position
    from workers.core.searching import Searcher

MOST_BOUNDS: Final = 1 << 20
"""So many bounds are kept, 11 MB; whenever there are twice as many, the cheaper half is lost."""


class Heard:
    """Takes in bounds for a solver, and remembers those that have cost the most.

    Args:
        solver: gets all of them into its table.
    """

    def __init__(self, solver: Searcher) -> None:
        self._solver = solver
        self._kept = np.empty(0, dtype=BOUND)
        self._new: list[NDArray[np.void]] = []

    def add_bounds(self, bounds: NDArray[np.void], *, width: int, height: int) -> None:
        """Take in bounds. Arguments and errors as of ``Solver.add_bounds``."""
        self._solver.add_bounds(bounds, width=width, height=height)
        self._new.append(bounds)
        if len(self._kept) + sum(map(len, self._new)) > 2 * MOST_BOUNDS:
            self._sort()

    def bounds(self, position: Position) -> Bounds:
        """The bounds of a position: what was heard, and what follows from the position itself."""
        if self._new:
            self._sort()
        lower, upper = first_bounds(position)
        # Late positions have a key of their own in the table, and their mirror images another.
        for key in {position.key, position.mirrored().key}:
            first, end = np.searchsorted(self._kept["key"], np.array([key, key + 1], np.uint64))
            for _, score, is_upper, _ in self._kept[first:end].tolist():
                lower, upper = (
                    (lower, min(upper, score)) if is_upper else (max(lower, score), upper)
                )
        return Bounds(lower, upper)

    def _sort(self) -> None:
        kept = np.concatenate([self._kept, *self._new])
        self._new.clear()
        if len(kept) > MOST_BOUNDS:
            kept = kept[np.argpartition(kept["log_nodes"], -MOST_BOUNDS)[-MOST_BOUNDS:]]
        self._kept = np.sort(kept, order="key")
