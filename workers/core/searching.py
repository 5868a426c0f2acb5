"""Searching for units: turns, interruption, and storing the results.

A worker holds one unit more than it has threads: while one of them waits for the database, another
one is searched. Callers therefore take turns: there are never more searches at a time than threads.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from c4core.notation import BoardSize
from c4core.solver import Solver
from db import evaluations
from workers.errors import LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from db.database import Writer
    from db.records.evaluations import StoredEvaluation

P = ParamSpec("P")
T = TypeVar("T")

STOP_POLL_SECONDS: Final = 0.1
"""Time between two checks whether a search, or the wait for a turn, should end."""


def _in_turn(
    method: Callable[Concatenate[Solver, P], T],
) -> Callable[Concatenate[TurnTakingSolver, P], T]:
    """A method of the solver, called within a turn; its time limit begins with the turn."""

    def call(self: TurnTakingSolver, /, *arguments: P.args, **options: P.kwargs) -> T:
        with self.turn() as solver:
            answer: T = getattr(solver, method.__name__)(*arguments, **options)
            return answer

    return call


class TurnTakingSolver:
    """A solver whose callers take turns, so that only ``threads`` of them search at the same time.

    Attributes:
        is_lost: whether to stop waiting for a turn.
        has_begun: whether there was a turn yet.
    """

    def __init__(self, solver: Solver, threads: int) -> None:
        self._solver = solver
        self._turns = threading.Semaphore(threads)
        self.is_lost: Callable[[], bool] = lambda: False
        self.has_begun = False

    def has_turn(self, seconds: float) -> bool:
        """Whether a turn is free now, or becomes free within these seconds."""
        if not self._turns.acquire(timeout=seconds):
            return False
        self._turns.release()
        return True

    @contextmanager
    def turn_within(self, seconds: float) -> Iterator[TurnTakingSolver | None]:
        """Hold one turn for several searches, if one becomes free within these seconds.

        Yields:
            A searcher that has this turn to itself; None if no turn was free.
        """
        if not self._turns.acquire(timeout=seconds):
            yield None
            return
        try:
            yield TurnTakingSolver(self._solver, 1)
        finally:
            self._turns.release()

    def unless(self, is_lost: Callable[[], bool]) -> TurnTakingSolver:
        """Return the same turns, for a caller that stops waiting as soon as ``is_lost`` is true."""
        view = copy(self)
        view.is_lost = is_lost
        view.has_begun = False
        return view

    @contextmanager
    def turn(self) -> Iterator[Solver]:
        """Hold one turn for several searches.

        Raise LeaseLostError if ``is_lost`` becomes true before a turn is free.
        """
        while not self._turns.acquire(timeout=STOP_POLL_SECONDS):
            if self.is_lost():
                raise LeaseLostError
        self.has_begun = True
        try:
            yield self._solver
        finally:
            self._turns.release()

    solve = _in_turn(Solver.solve)
    test = _in_turn(Solver.test)
    analyze = _in_turn(Solver.analyze)
    solve_many = _in_turn(Solver.solve_many)
    analyze_many = _in_turn(Solver.analyze_many)

    def table_bounds(self, *, width: int, height: int, least_nodes: int) -> NDArray[np.void]:
        """Call ``Solver.table_bounds`` without a turn, because it is not a search."""
        return self._solver.table_bounds(width=width, height=height, least_nodes=least_nodes)

    def add_bounds(self, bounds: NDArray[np.void], *, width: int, height: int) -> None:
        """Call ``Solver.add_bounds`` without a turn, because it is not a search."""
        self._solver.add_bounds(bounds, width=width, height=height)


Searcher = Solver | TurnTakingSolver
"""Searches for units: a solver, or one whose callers take turns."""


def turn_of(searcher: Searcher) -> AbstractContextManager[Searcher]:
    """A turn for work that is not a search, but uses the processor like one."""
    return searcher.turn() if isinstance(searcher, TurnTakingSolver) else nullcontext(searcher)


@contextmanager
def interrupting(is_stopped: Callable[[], bool], stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` soon after ``is_stopped`` becomes true within this context.

    Both are called from another thread. ``stop`` is called repeatedly, because a search may begin
    just after it.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(STOP_POLL_SECONDS):
            if is_stopped():
                stop()

    watcher = threading.Thread(target=watch, name="c4-interrupt", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


def store_learned(writer: Writer, learned: Sequence[StoredEvaluation]) -> None:
    """Store evaluations of one board, in a transaction of their own."""
    if learned:
        board = BoardSize(learned[0].width, learned[0].height)
        writer.run(lambda session: evaluations.store(session, board, learned))
