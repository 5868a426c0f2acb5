"""The in-process runner: threads of this process work on a job in the database.

All threads search with one solver, so they share its table. Several processes may run the same job;
each takes units that the others have not taken. A process that runs several jobs may let them share
one solver, and take turns to search (:class:`SharedSolver`).
"""

from __future__ import annotations

import os
import random
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from c4core.players import NO_PROGRAM
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import BusyError, StorageError, UnreachableError
from db.records.jobs import JobState
from workers.core.follow import POLL_SECONDS, JobFollower
from workers.core.kinds import check_consent
from workers.core.leases import LEASE_SECONDS, LeaseKeeper, PeriodicTask, PeriodicThread
from workers.core.run import RetryingWriter, run_unit
from workers.core.searching import TurnTakingSolver

if TYPE_CHECKING:
    from c4core.players import Consent
    from db.database import Database
    from db.records.jobs import Claim
    from workers.core.searching import Searcher

PRESENCE_SECONDS = 2.0
"""Time between two heartbeats of this runner in the job's row, with or without a lease."""

PATIENCE_SECONDS = 30.0
"""The longest wait for a database that cannot be written; then the caller gets the error."""

IDLE_SECONDS = 0.5
"""Mean time between two attempts to get a unit while others hold all that are left."""


class SharedSolver:
    """A solver for the runners of several jobs, which take turns to search.

    A runner that stops interrupts the searches of all of them. The others start theirs again, and
    find most of their results in the table.

    Args:
        threads: number of threads that search at a time, for all runners together.
        table_mb: size of their shared table in megabytes.
    """

    def __init__(self, *, threads: int, table_mb: int) -> None:
        self.solver = Solver(table_mb=table_mb)
        self.turns = TurnTakingSolver(self.solver, threads)


class LocalRunner(JobFollower):
    """Works on a job within a ``with`` block, and yields its results meanwhile.

    Leaving the block stops the work, finished or not. Searches end at once, units are handed back,
    their results are stored, and the job can be resumed, also after a KeyboardInterrupt in
    :meth:`results` or :meth:`wait`. The caller sets up signal handlers.

    Args:
        database: the database of the job.
        job_id: a job that is running, or has ended; then nothing is solved.
        threads: number of threads.
        table_mb: size of their shared table in megabytes.
        lease_seconds: how long a unit's lease lasts without a heartbeat.
        programs: the players that are programs and that may be started, if the job plays matches.
        shared: a shared solver, in place of a new one with a table of ``table_mb``.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job is for another version of the engine, or of another kind.
        ProgramRefusedError: the job needs a program that may not be started.
    """

    def __init__(
        self,
        database: Database,
        job_id: int,
        *,
        threads: int = 1,
        table_mb: int = 64,
        lease_seconds: float = LEASE_SECONDS,
        programs: Consent = NO_PROGRAM,
        shared: SharedSolver | None = None,
    ) -> None:
        super().__init__(database, job_id)
        if self._job.state is JobState.RUNNING:
            check_consent(database, self._job, programs)
        self._programs = programs
        self._shared = shared
        self._solver = Solver(table_mb=table_mb) if shared is None else shared.solver
        self._lease_seconds = lease_seconds
        self._owner = f"{socket.gethostname()}:{os.getpid()}"
        self._leases = LeaseKeeper(database, lease_seconds, on_lost=self._solver.stop)
        self._presence = PeriodicThread(
            [
                PeriodicTask(
                    "record that the job is worked on", lambda: PRESENCE_SECONDS, self._beat
                )
            ],
            name="c4-presence",
        )
        self._threads = [
            threading.Thread(target=self._work, name=f"c4-unit-{number}", daemon=True)
            for number in range(threads)
        ]
        self._stopping = threading.Event()
        self._writer = RetryingWriter(
            database,
            self._stopping,
            # A full disk or a file without permission is reported at once.
            passing=(UnreachableError, BusyError),
            patience=PATIENCE_SECONDS,
        )
        self._news = threading.Event()
        self._has_ended = False
        self._error: BaseException | None = None

    def __enter__(self) -> Self:
        """Start the work, unless the job has ended."""
        if self._job.state is JobState.RUNNING:
            try:
                self._leases.start()
                self._presence.start()
                for thread in self._threads:
                    thread.start()
            except BaseException:  # a signal
                self.stop()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the work."""
        self.stop()

    def stop(self) -> None:
        """End all searches and hand back open units. Returns when that is written."""
        self._stopping.set()
        while running := [thread for thread in self._threads if thread.is_alive()]:
            # Repeatedly: a thread may start a search just after a stop.
            self._solver.stop()
            running[0].join(timeout=0.01)
        self._leases.close()
        self._presence.close()
        if self._job.state is JobState.RUNNING:
            with suppress(StorageError):  # otherwise the heartbeat expires in some seconds
                self._database.run(
                    lambda session: jobs.clear_runner_heartbeat(session, self._job.id)
                )

    @property
    def has_stopped(self) -> bool:
        """Whether the job had ended before the start, or a thread has seen its end.

        It may have been resumed since then.
        """
        return self._has_ended or self._job.state is not JobState.RUNNING

    def _has_certainly_ended(self) -> bool:
        return self._has_ended

    def _pause(self) -> None:
        """Wait for the end of a unit, or for the next look at the job; raise a thread's error."""
        self._news.wait(POLL_SECONDS)
        self._news.clear()
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
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
                    # Other processes hold the remaining units. If they die, their leases run out.
                    self._stopping.wait(random.uniform(0.5, 1.5) * IDLE_SECONDS)  # noqa: S311
        except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
            self._error = error
            self._stopping.set()
            self._solver.stop()
        finally:
            self._news.set()

    def _beat(self) -> None:
        with suppress(StorageError):
            self._database.run(lambda session: jobs.record_runner_heartbeat(session, self._job.id))

    def _claim(self) -> Claim | None:
        return self._writer.run(
            lambda session: jobs.claim(
                session,
                owner=self._owner,
                lease_seconds=self._lease_seconds,
                engine_version=ENGINE_VERSION,
                job_id=self._job.id,
            )
        )

    def _finish(self) -> JobState:
        return self._writer.run(lambda session: jobs.finish_if_complete(session, self._job.id))

    def _solve(self, claim: Claim) -> None:
        with self._leases.hold(claim) as lease:
            searcher: Searcher = self._solver
            if self._shared is not None:
                searcher = self._shared.turns.unless(lambda: lease.is_lost)
            run_unit(
                self._database,
                searcher,
                claim,
                lambda: lease.is_lost or self._stopping.is_set(),
                programs=self._programs,
                writer=self._writer,
            )
