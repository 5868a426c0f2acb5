"""The in-process runner: threads of this process work on a job, which lives in the database.

All threads search with one solver, so they share its table. Several processes may run the same job;
each takes the units that the others have not.
"""

from __future__ import annotations

import os
import random
import socket
import threading
from itertools import takewhile
from typing import TYPE_CHECKING, Self

from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import JobStateError
from db.jobs import JobState, UnitState
from workers import analysis
from workers.execution import run_unit
from workers.leases import LeaseKeeper
from workers.progress import LOOK_SECONDS, JobWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from c4core.lines import JsonValue
    from db.database import Database
    from db.jobs import Claim, JobInfo, UnitResult
    from workers.progress import Progress

LEASE_SECONDS = 10.0
"""How long the units of a process that has died are not given to others."""

RESULT_UNITS = 4
"""Units whose results are in memory at a time."""

IDLE_SECONDS = 0.5
"""Mean time between two attempts to get a unit while others hold all that are left."""

ENDED = frozenset({UnitState.DONE, UnitState.FAILED})
"""States of units that have something to write."""


class LocalRunner:
    """Works on a job within a ``with`` block, and writes its results while it does.

    Leaving the block stops the work, finished or not: searches end at once, units are handed
    back, what they have found is stored, and the job can be resumed. So a KeyboardInterrupt out of
    :meth:`results` or :meth:`wait` leaves an orderly job. Signal handlers are the caller's affair.

    Args:
        database: where the job lives.
        job_id: a job that is running, or has ended: then nothing is solved.
        threads: threads to work with.
        table_mb: megabytes of memory that they share for what they have found.
        lease_seconds: see :data:`LEASE_SECONDS`.

    Raises:
        JobNotFoundError: there is no such job.
        JobStateError: the job is for another version of the engine, or of another kind.
    """

    def __init__(
        self,
        database: Database,
        job_id: int,
        *,
        threads: int = 1,
        table_mb: int = 64,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self._database = database
        self._job_id = job_id
        self._job = self._read_job()
        _refuse_foreign(self._job)
        self._solver = Solver(table_mb=table_mb)
        self._lease_seconds = lease_seconds
        self._owner = f"{socket.gethostname()}:{os.getpid()}"
        self._leases = LeaseKeeper(database, lease_seconds, on_lost=self._solver.stop)
        self._threads = [
            threading.Thread(target=self._work, name=f"c4-unit-{number}", daemon=True)
            for number in range(threads)
        ]
        self._stopping = threading.Event()
        self._news = threading.Event()
        self._has_ended = False
        self._error: Exception | None = None

    def __enter__(self) -> Self:
        """Start to work, unless the job has ended."""
        if self._job.state is JobState.RUNNING:
            self._leases.start()
            for thread in self._threads:
                thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop to work."""
        self.stop()

    def stop(self) -> None:
        """End all searches and hand back what is not done. Returns when that has been written."""
        self._stopping.set()
        while running := [thread for thread in self._threads if thread.is_alive()]:
            # Again and again: a thread may have been about to start a search.
            self._solver.stop()
            running[0].join(timeout=0.01)
        self._leases.close()

    def results(
        self, on_progress: Callable[[Progress], None] | None = None
    ) -> Iterator[dict[str, JsonValue]]:
        """The job's output, one object a line of its input, in order, as soon as it is there.

        Ends after the last line; when the job is cancelled, before the first unit that is not done.
        Results are read from the database a few units at a time: a slow reader costs no memory.

        Args:
            on_progress: told a few times a second how far the job is, in the caller's thread, while
                the iterator waits or is read.

        Raises:
            StorageError: the database failed, here or in one of the threads.
        """
        watch = JobWatch(self._database, self._job_id, on_progress)
        seq = -1
        while True:
            has_ended = watch.look(at_once=self._has_ended)
            units = self._ended_units(seq)
            for unit in units:
                yield from analysis.unit_objects(self._job, unit)
                seq = unit.seq
            if not units:
                if has_ended:
                    return
                self._await_news()

    def wait(self, on_progress: Callable[[Progress], None] | None = None) -> JobInfo:
        """Wait until the job has ended; how it did. Arguments and errors as in :meth:`results`."""
        watch = JobWatch(self._database, self._job_id, on_progress)
        while not watch.look(at_once=self._has_ended):
            self._await_news()
        return self._read_job()

    def _read_job(self) -> JobInfo:
        with self._database.read() as session:
            return jobs.get_job(session, self._job_id)

    def _ended_units(self, after: int) -> list[UnitResult]:
        """The next units that have come to their end, a few, up to the first that has not."""
        with self._database.read() as session:
            units = jobs.unit_results(session, self._job_id, after_seq=after, limit=RESULT_UNITS)
        return list(takewhile(lambda unit: unit.state in ENDED, units))

    def _await_news(self) -> None:
        """Sleep until a unit has ended, or it is time for another look."""
        self._news.wait(LOOK_SECONDS)
        self._news.clear()
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        """What a thread does: unit after unit, until the job has ended."""
        try:
            while not self._stopping.is_set():
                claim = self._claim()
                if claim is not None:
                    self._solve(claim)
                    self._news.set()
                elif self._finish() is not JobState.RUNNING:
                    self._has_ended = True
                    return
                else:
                    # Others hold what is left. Should they die, their leases run out.
                    self._stopping.wait(random.uniform(0.5, 1.5) * IDLE_SECONDS)  # noqa: S311
        except Exception as error:  # noqa: BLE001  # raised again in the caller's thread
            self._error = error
            self._stopping.set()
            self._solver.stop()
        finally:
            self._news.set()

    def _claim(self) -> Claim | None:
        return self._database.run(
            lambda session: jobs.claim(
                session,
                owner=self._owner,
                lease_seconds=self._lease_seconds,
                engine_version=ENGINE_VERSION,
                job_id=self._job_id,
            )
        )

    def _finish(self) -> JobState:
        return self._database.run(lambda session: jobs.finish_if_complete(session, self._job_id))

    def _solve(self, claim: Claim) -> None:
        with self._leases.hold(claim) as lease:
            run_unit(
                self._database,
                self._solver,
                claim,
                lambda: lease.is_lost or self._stopping.is_set(),
            )


def _refuse_foreign(job: JobInfo) -> None:
    """Raise JobStateError for a job whose units this program would never get or understand."""
    if job.kind != analysis.KIND:
        problem = f"is of kind {job.kind!r}, which this version of c4 does not know"
    elif job.state is JobState.RUNNING and job.engine_version != ENGINE_VERSION:
        problem = (
            f"was made for version {job.engine_version} of the engine, this is {ENGINE_VERSION}"
        )
    else:
        return
    raise JobStateError(f"job {job.id} {problem}", job_id=job.id, state=job.state)
