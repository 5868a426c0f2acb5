"""A limit on the number of threads that search at the same time.

A worker holds one unit more than it has threads: while one of them waits for the database, another
one is searched.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import TYPE_CHECKING, Final, Protocol

from workers.errors import LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from c4core.batch import BatchAnalysis, BatchEvaluation
    from c4core.evaluation import Analysis, Evaluation
    from c4core.position import Position

LOOK_SECONDS: Final = 0.1
"""A waiting thread checks this often whether its search is still wanted."""


class Searcher(Protocol):
    """The methods of a solver that units use; a solver is a searcher."""

    def solve(
        self,
        position: Position,
        *,
        weak: bool = ...,
        time_limit: float | None = ...,
        node_limit: int | None = ...,
    ) -> Evaluation:
        """As ``Solver.solve``."""

    def test(self, position: Position, beta: int, *, node_limit: int | None = ...) -> Evaluation:
        """As ``Solver.test``."""

    def analyze(
        self, position: Position, *, time_limit: float | None = ..., node_limit: int | None = ...
    ) -> Analysis:
        """As ``Solver.analyze``."""

    def solve_many(
        self,
        positions: NDArray[np.uint64],
        *,
        width: int = ...,
        height: int = ...,
        weak: bool = ...,
        related: bool = ...,
    ) -> BatchEvaluation:
        """As ``Solver.solve_many``."""

    def analyze_many(
        self, positions: NDArray[np.uint64], *, width: int = ..., height: int = ...
    ) -> BatchAnalysis:
        """As ``Solver.analyze_many``."""

    def table_bounds(
        self, *, width: int = ..., height: int = ..., least_nodes: int = ...
    ) -> NDArray[np.void]:
        """As ``Solver.table_bounds``."""

    def add_bounds(self, bounds: NDArray[np.void], *, width: int = ..., height: int = ...) -> None:
        """As ``Solver.add_bounds``."""


class RationedSearcher:
    """A searcher whose callers take turns, so that only a few search at the same time.

    Args:
        searcher: searches.
        threads: how many may search at a time.

    Attributes:
        is_lost: whether to stop waiting for a turn.
        has_begun: whether there was a turn yet.
    """

    def __init__(self, searcher: Searcher, threads: int) -> None:
        self._searcher = searcher
        self._turns = threading.Semaphore(threads)
        self.is_lost: Callable[[], bool] = lambda: False
        self.has_begun = False

    def has_turn(self, seconds: float) -> bool:
        """Whether a turn is free now, or will be within so many seconds."""
        if not self._turns.acquire(timeout=seconds):
            return False
        self._turns.release()
        return True

    @contextmanager
    def turn_within(self, seconds: float) -> Iterator[RationedSearcher | None]:
        """Hold one turn for several searches, if one is free within so many seconds.

        Yields:
            A searcher that has this turn to itself; None if no turn was free.
        """
        if not self._turns.acquire(timeout=seconds):
            yield None
            return
        try:
            yield RationedSearcher(self._searcher, 1)
        finally:
            self._turns.release()

    def unless(self, is_lost: Callable[[], bool]) -> RationedSearcher:
        """The same turns, for a caller that stops waiting as soon as ``is_lost`` is true."""
        view = copy(self)
        view.is_lost = is_lost
        view.has_begun = False
        return view

    @contextmanager
    def turn(self) -> Iterator[Searcher]:
        """Hold one turn for several searches.

        Raises:
            LeaseLostError: ``is_lost`` became true before a turn was free.
        """
        while not self._turns.acquire(timeout=LOOK_SECONDS):
            if self.is_lost():
                raise LeaseLostError
        self.has_begun = True
        try:
            yield self._searcher
        finally:
            self._turns.release()

    def solve(
        self,
        position: Position,
        *,
        weak: bool = False,
        time_limit: float | None = None,
        node_limit: int | None = None,
    ) -> Evaluation:
        """As ``Solver.solve``; the time limit begins with the turn."""
        with self.turn():
            return self._searcher.solve(
                position, weak=weak, time_limit=time_limit, node_limit=node_limit
            )

    def test(self, position: Position, beta: int, *, node_limit: int | None = None) -> Evaluation:
        """As ``Solver.test``."""
        with self.turn():
            return self._searcher.test(position, beta, node_limit=node_limit)

    def analyze(
        self,
        position: Position,
        *,
        time_limit: float | None = None,
        node_limit: int | None = None,
    ) -> Analysis:
        """As ``Solver.analyze``; the time limit begins with the turn."""
        with self.turn():
            return self._searcher.analyze(position, time_limit=time_limit, node_limit=node_limit)

    def solve_many(
        self,
        positions: NDArray[np.uint64],
        *,
        width: int = 7,
        height: int = 6,
        weak: bool = False,
        related: bool = False,
    ) -> BatchEvaluation:
        """As ``Solver.solve_many``."""
        with self.turn():
            return self._searcher.solve_many(
                positions, width=width, height=height, weak=weak, related=related
            )

    def analyze_many(
        self, positions: NDArray[np.uint64], *, width: int = 7, height: int = 6
    ) -> BatchAnalysis:
        """As ``Solver.analyze_many``."""
        with self.turn():
            return self._searcher.analyze_many(positions, width=width, height=height)

    def table_bounds(
        self, *, width: int = 7, height: int = 6, least_nodes: int = 8192
    ) -> NDArray[np.void]:
        """As ``Solver.table_bounds``. This is no search, and needs no turn."""
        return self._searcher.table_bounds(width=width, height=height, least_nodes=least_nodes)

    def add_bounds(self, bounds: NDArray[np.void], *, width: int = 7, height: int = 6) -> None:
        """As ``Solver.add_bounds``. This is no search, and needs no turn."""
        self._searcher.add_bounds(bounds, width=width, height=height)


def turn_of(searcher: Searcher) -> AbstractContextManager[Searcher]:
    """A turn for work that is no search, but uses the processor like one."""
    return searcher.turn() if isinstance(searcher, RationedSearcher) else nullcontext(searcher)
