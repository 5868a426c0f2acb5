"""The in-process runner: threads of this process work on a job in the database.

All threads search with one solver, so they share its table. Several processes may run the same job;
each takes units that the others have not taken.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Final, Self

from c4core.players import NO_PROGRAM
from c4core.solver import Solver
from db.records.jobs import JobState
from workers.core.follow import POLL_SECONDS, JobFollower
from workers.core.kinds import check_consent
from workers.core.leases import LEASE_SECONDS
from workers.core.worker import Worker, WorkerSettings
from workers.deep.task import KIND as DEEP

if TYPE_CHECKING:
    from c4core.players import Consent
    from db.database import Database

PATIENCE_SECONDS: Final = 30.0
"""The longest wait for a database that cannot be written; then the caller gets the error."""


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
    ) -> None:
        super().__init__(database, job_id)
        if self._job.state is JobState.RUNNING:
            check_consent(database, self._job, programs)
        # The threads search one piece of a deep job together, but other units side by side.
        turns, searching = (1, threads) if self._job.kind == DEEP else (threads, 1)
        settings = WorkerSettings(
            f"{socket.gethostname()}:{os.getpid()}",
            threads=turns,
            table_mb=table_mb,
            programs=programs,
            patience=PATIENCE_SECONDS,
        )
        self._worker = Worker(
            database,
            Solver(table_mb=table_mb, threads=searching),
            settings,
            job_ids={job_id},
            lease_seconds=lease_seconds,
        )

    def __enter__(self) -> Self:
        """Start the work, unless the job has ended."""
        if self._job.state is JobState.RUNNING:
            try:
                self._worker.start()
                self._worker.start_turns()
            except BaseException:  # a signal
                self.stop()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the work."""
        self.stop()

    def stop(self) -> None:
        """End all searches and hand back open units. Returns when that is written."""
        self._worker.stop()

    def _has_certainly_ended(self) -> bool:
        return self._job.id in self._worker.ended_jobs

    def _pause(self) -> None:
        """Wait for the end of a unit, or for the next look at the job; raise a thread's error."""
        self._worker.news.wait(POLL_SECONDS)
        self._worker.news.clear()
        if self._worker.error is not None:
            raise self._worker.error
