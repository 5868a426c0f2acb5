"""Sharing what searches have found: bounds of the positions that cost the most, between processes.

Each process that works on a deep job has a transposition table of its own. While it searches, a
thread beside the search sends the table's dearest bounds to the others, and adds theirs. Nothing
waits for that, and nothing depends on it: without it, processes repeat searches of each other.
"""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.batch import BOUND
from db import jobs
from db.decoding import decoding
from db.errors import StorageError
from workers.core.follow import read_job
from workers.core.leases import Duty, Rounds
from workers.deep.heard import Heard
from workers.deep.newest_jobs import NewestJobs
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.jobs import Claim
    from workers.core.searching import Searcher

LEAST_NODES: Final = 1 << 15
"""A bound that cost fewer nodes (3 ms) is not shared. With 2**13, processes send four times as much
and save no more; with 2**17 they save half as much (docs/deep.md)."""

PARCEL_BOUNDS: Final = 1 << 16
"""Bounds that are sent at a time; those that cost the most come first."""

FIRST_SECONDS: Final = 0.25
"""The time from the beginning of a search to its first exchange."""

EVERY_SECONDS: Final = 1.0
"""The time from one exchange to the next .."""

SHARE_OF_TIME: Final = 0.02
""".. or more, if exchanges would take more than this part of a processor's time."""

_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
_OTHER_ODD: Final = np.uint64(0xC2B2AE3D27D4EB4F)


class Seen:
    """Remembers bounds that a process has sent or received, so that they are not sent (again)."""

    def __init__(self) -> None:
        self._names = np.empty(0, dtype=np.uint64)  # sorted

    def news(self, bounds: NDArray[np.void]) -> NDArray[np.void]:
        """Those of some bounds that were not noted yet."""
        return bounds[~np.isin(_names(bounds), self._names, kind="sort")]

    def note(self, bounds: NDArray[np.void]) -> None:
        """Remember some bounds."""
        self._names = np.union1d(self._names, _names(bounds))


def _names(bounds: NDArray[np.void]) -> NDArray[np.uint64]:
    """A number for each bound, whatever it has cost. Two rarely have the same, and one is lost."""
    kinds = (2 * bounds["score"].astype(np.int64) + bounds["is_upper"]).view(np.uint64)
    names: NDArray[np.uint64] = bounds["key"] * _ODD + kinds * _OTHER_ODD
    return names


class Exchange:
    """What a process has sent and received about one job.

    Args:
        database: the job's.
        job_id: its number.
        board: its board.
    """

    def __init__(self, database: Database, job_id: int, board: BoardSize) -> None:
        self._database = database
        self._job_id = job_id
        self._board = board
        self._sender = secrets.randbits(62)
        self._next_numbers = {self._sender: 0}
        self._seen = Seen()
        self._lock = threading.Lock()
        self._due = 0.0

    def take_turn(self, solver: Searcher, *, early_seconds: float = 0.0) -> bool:
        """Send and receive, unless another thread of this process has done so just now.

        Args:
            solver: the process's own.
            early_seconds: so long before the next time is due is not too early.

        Returns:
            Whether it was this thread's turn.

        Raises:
            DamagedValueError: what others have sent cannot be read.
            StorageError: the database cannot be read or written.
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

    def receive(self, listener: Searcher | Heard) -> None:
        """Add what others have sent since the last time. Errors as of :meth:`take_turn`."""
        parcels: list[jobs.Parcel] | None = None
        while parcels is None or len(parcels) == jobs.PARCELS:
            with self._database.read() as session:
                parcels = jobs.new_parcels(session, self._job_id, self._next_numbers)
            for parcel in parcels:
                with decoding(f"a parcel of bounds of job {self._job_id}"):
                    bounds = np.frombuffer(parcel.bounds, dtype=BOUND)
                    listener.add_bounds(bounds, width=self._board.width, height=self._board.height)
                self._seen.note(bounds)
                self._next_numbers[parcel.sender] = parcel.number + 1
                LOGGER.debug("job %d: received %d bounds", self._job_id, len(bounds))

    def _send(self, solver: Searcher) -> None:
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
        parcel = jobs.Parcel(self._sender, number, np.sort(news, order="key").tobytes())
        # A transaction that failed may have been committed nevertheless: its number is not free.
        self._next_numbers[self._sender] = number + 1
        self._database.run(lambda session: jobs.send_parcel(session, self._job_id, parcel))
        self._seen.note(news)
        LOGGER.debug("job %d: sent %d bounds", self._job_id, len(news))


_exchanges: NewestJobs[Exchange] = NewestJobs()


@contextmanager
def sharing(database: Database, claim: Claim, solver: Searcher) -> Iterator[None]:
    """Share what is found about a job while one of its units is searched.

    Args:
        database: the job's.
        claim: of the unit.
        solver: the only one of this process that works on jobs of this database.
    """
    exchange = _exchanges.get(
        database, claim.job_id, lambda: Exchange(database, claim.job_id, claim.board)
    )
    with _every_second(
        Duty("share what was found", lambda: EVERY_SECONDS, lambda: exchange.take_turn(solver))
    ):
        yield
    with suppress(StorageError):  # it has been logged, or will be
        exchange.take_turn(solver, early_seconds=EVERY_SECONDS / 2)


@contextmanager
def listening(database: Database, job_id: int, solver: Searcher) -> Iterator[Heard]:
    """Add what the processes of a job share to the table of a solver that takes no part in it.

    Args:
        database: the job's.
        job_id: its number.
        solver: afterwards it answers questions about the job's positions quickly.

    Yields:
        What is heard; it is complete afterwards.

    Raises:
        JobNotFoundError: there is no such job.
        StorageError: the database cannot be read.
    """
    exchange = Exchange(database, job_id, read_job(database, job_id).board)
    heard = Heard(solver)
    with _every_second(
        Duty("read what was found", lambda: EVERY_SECONDS, lambda: exchange.receive(heard))
    ):
        yield heard
    with suppress(StorageError):
        exchange.receive(heard)


@contextmanager
def _every_second(duty: Duty) -> Iterator[None]:
    duty.due = time.monotonic() + FIRST_SECONDS
    rounds = Rounds([duty], name="c4-sharing")
    rounds.start()
    try:
        yield
    finally:
        rounds.close()
