"""Share the bounds of the most expensive positions between the processes of a deep job.

Each process that works on a deep job has its own transposition table. During a search, another
thread sends the table's most expensive bounds to the other processes, and adds the bounds that they
send. Nothing waits for the exchange or depends on it. Without it, processes repeat searches of
other processes.

A transposition table keeps one bound per position: the proof that a score is at most 0 replaces the
proof that it is at least 0. Best play needs both bounds at every ply. So a listener also keeps the
received bounds outside the table.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from c4core.batch import bound_type
from db import jobs
from db.errors import StorageError
from workers.core.follow import read_job
from workers.core.leases import PeriodicThread
from workers.deep.tree import Bounds, first_bounds
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from c4core.position import Position
    from c4core.solver import Solver
    from db.database import Database
    from db.records.jobs import Claim


REMEMBERED: Final = 8
"""Maximum number of jobs of a database for which objects are kept."""

T = TypeVar("T")


class JobCache(Generic[T]):
    """Keeps one object for each of the most recently used jobs. Thread-safe."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Database, OrderedDict[int, T]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def get(
        self,
        database: Database,
        job_id: int,
        make: Callable[[], T],
        *,
        is_good: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """The object of a job; it is made if it is missing, or if ``is_good`` rejects it."""
        with self._lock:
            of_jobs = self._kept.setdefault(database, OrderedDict())
            if job_id not in of_jobs or not is_good(of_jobs[job_id]):
                of_jobs[job_id] = make()
            of_jobs.move_to_end(job_id)
            if len(of_jobs) > REMEMBERED:
                of_jobs.popitem(last=False)
            return of_jobs[job_id]

    def job_ids(self, database: Database) -> list[int]:
        """The jobs of a database with a kept object, the most recently used last."""
        with self._lock:
            return list(self._kept.get(database, ()))


MOST_BOUNDS: Final = 1 << 20
"""Number of bounds that are kept (11 MB). When there are twice as many, the cheaper half is
dropped."""


class BoundsListener:
    """Passes bounds to a solver, and keeps the most expensive ones."""

    def __init__(self, solver: Solver, board: BoardSize) -> None:
        self._solver = solver
        self._kept = np.empty(0, dtype=bound_type(board))
        self._new: list[NDArray[np.void]] = []

    def add_bounds(self, bounds: NDArray[np.void], *, width: int, height: int) -> None:
        """Add bounds; arguments and errors as in ``Solver.add_bounds``."""
        self._solver.add_bounds(bounds, width=width, height=height)
        self._new.append(bounds)
        if len(self._kept) + sum(map(len, self._new)) > 2 * MOST_BOUNDS:
            self._sort()

    def bounds(self, position: Position) -> Bounds:
        """The bounds of a position: received, or implied by the position itself."""
        if self._new:
            self._sort()
        lower, upper = first_bounds(position)
        # Late positions are stored by their exact key, so their mirror images have another key.
        for key in {position.key, position.mirrored().key}:
            low = np.uint64(key & (1 << 64) - 1)
            first = np.searchsorted(self._kept["key"], low, "left")
            end = np.searchsorted(self._kept["key"], low, "right")
            for *halves, score, is_upper, _ in self._kept[first:end].tolist():
                if halves[1:] not in ([], [key >> 64]):
                    continue
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


LEAST_NODES: Final = 1 << 15
"""Bounds that cost fewer nodes (3 ms) are not shared. With 2**13, processes send four times as much
and save no more; with 2**17 they save half as much (docs/deep-log.md)."""

PARCEL_BOUNDS: Final = 1 << 16
"""Maximum number of bounds sent at a time; the most expensive come first."""

FIRST_SECONDS: Final = 0.25
"""Seconds from the beginning of a search to its first exchange."""

EVERY_SECONDS: Final = 1.0
"""Minimum number of seconds from one exchange to the next."""

SHARE_OF_TIME: Final = 0.02
"""Maximum share of a processor's time for exchanges; beyond that they become less frequent."""

_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_OTHER_ODD: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_THIRD_ODD: Final = np.uint64(0x165667B19E3779F9)


class Seen:
    """Remembers the bounds that a process has sent or received, to avoid sending them again."""

    def __init__(self) -> None:
        self._names = np.empty(0, dtype=np.uint64)  # sorted

    def news(self, bounds: NDArray[np.void]) -> NDArray[np.void]:
        """The bounds that were not noted yet."""
        return bounds[~np.isin(_names(bounds), self._names, kind="sort")]

    def note(self, bounds: NDArray[np.void]) -> None:
        """Remember bounds."""
        self._names = np.union1d(self._names, _names(bounds))


def _names(bounds: NDArray[np.void]) -> NDArray[np.uint64]:
    """A number for each bound, independent of its cost. If two collide, one bound is lost."""
    kinds = (2 * bounds["score"].astype(np.int64) + bounds["is_upper"]).view(np.uint64)
    names: NDArray[np.uint64] = bounds["key"] * _ODD + kinds * _OTHER_ODD
    if "key_high" in (bounds.dtype.names or ()):  # on a wide board
        names ^= bounds["key_high"] * _THIRD_ODD
    return names


class Exchange:
    """The state of one process's exchange of bounds about one job."""

    def __init__(self, database: Database, job_id: int, board: BoardSize) -> None:
        self._database = database
        self._job_id = job_id
        self._board = board
        self._sender = secrets.randbits(62)
        self._next_numbers = {self._sender: 0}
        self._seen = Seen()
        self._lock = threading.Lock()
        self._due = 0.0

    def take_turn(self, solver: Solver, *, early_seconds: float = 0.0) -> bool:
        """Send and receive, unless another thread of this process has done so recently.

        The exchange may take place up to ``early_seconds`` before it is due. Returns whether this
        thread did it.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if time.monotonic() < self._due - early_seconds:
                return False
            before = time.thread_time()
            self.receive(solver)
            self._send(solver)
            spent = time.thread_time() - before
            self._due = time.monotonic() + max(EVERY_SECONDS, spent / SHARE_OF_TIME)
        finally:
            self._lock.release()
        return True

    def receive(self, listener: Solver | BoundsListener) -> None:
        """Add the bounds that other processes have sent since the last call."""
        parcels: list[jobs.BoundsPackage] | None = None
        while parcels is None or len(parcels) == jobs.PARCELS:
            with self._database.read() as session:
                parcels = jobs.new_parcels(session, self._job_id, self._next_numbers)
            for parcel in parcels:
                bounds = np.frombuffer(parcel.bounds, dtype=bound_type(self._board))
                listener.add_bounds(bounds, width=self._board.width, height=self._board.height)
                self._seen.note(bounds)
                self._next_numbers[parcel.sender] = parcel.number + 1
                LOGGER.debug("job %d: received %d bounds", self._job_id, len(bounds))

    def _send(self, solver: Solver) -> None:
        bounds = solver.table_bounds(
            width=self._board.width, height=self._board.height, least_nodes=LEAST_NODES
        )
        news = self._seen.news(bounds)
        if len(news) > PARCEL_BOUNDS:
            order = np.argpartition(news["log_nodes"], -PARCEL_BOUNDS)
            news = news[order[-PARCEL_BOUNDS:]]
        if not len(news):
            return
        number = self._next_numbers[self._sender]
        parcel = jobs.BoundsPackage(self._sender, number, np.sort(news, order="key").tobytes())
        # A failed transaction may have been committed after all, so its number is used up.
        self._next_numbers[self._sender] = number + 1
        self._database.run(lambda session: jobs.share_bounds(session, self._job_id, parcel))
        self._seen.note(news)
        LOGGER.debug("job %d: sent %d bounds", self._job_id, len(news))


_exchanges: JobCache[Exchange] = JobCache()


@contextmanager
def sharing(database: Database, claim: Claim, solver: Solver) -> Iterator[None]:
    """Share bounds with the other processes of the job while one of its units is searched."""
    exchange = _exchanges.get(
        database, claim.job_id, lambda: Exchange(database, claim.job_id, claim.board)
    )
    with _every_second("share search bounds", lambda: exchange.take_turn(solver)):
        yield
    with suppress(StorageError):  # already logged, or will be
        exchange.take_turn(solver, early_seconds=EVERY_SECONDS / 2)


@contextmanager
def listening(database: Database, job_id: int, solver: Solver) -> Iterator[BoundsListener]:
    """Add the bounds that a job's processes share to the table of a solver outside the job.

    Yields the received bounds, which are complete at the end of the context.
    """
    board = read_job(database, job_id).board
    exchange = Exchange(database, job_id, board)
    listener = BoundsListener(solver, board)
    with _every_second("read shared bounds", lambda: exchange.receive(listener)):
        yield listener
    with suppress(StorageError):
        exchange.receive(listener)


@contextmanager
def _every_second(purpose: str, do: Callable[[], object]) -> Iterator[None]:
    thread = PeriodicThread(purpose, EVERY_SECONDS, do, first=FIRST_SECONDS)
    thread.start()
    try:
        yield
    finally:
        thread.close()
