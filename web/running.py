"""Work on jobs in the server's own process if there is no broker.

Jobs use one thread fewer than interactive requests, so that a core stays free for people who wait
for an answer. All jobs share the threads, as they share workers elsewhere.

When a server starts, it continues the unfinished jobs that a server created (:func:`is_ours`). It
does not continue other jobs that were resumed through a server: their owner may not want that.
"""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM
from c4core.solver import Solver
from db.errors import StorageError
from db.jobs import watching
from db.records.jobs import JobState
from workers.book.job import KIND as BOOK
from workers.core.follow import read_job
from workers.core.kinds import lane_of_job
from workers.core.worker import Worker, WorkerSettings
from workers.logs import LOGGER

if TYPE_CHECKING:
    from c4core.players import Consent
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.celery.broker import Broker

ORIGIN: Final = "web"
"""The origin of jobs that a server created: the field ``origin`` or ``topic`` of their parameters.
"""
BOARD: Final = "board"
"""The purpose of the analysis board's jobs, the first word of their topics."""

MOST_FOUND: Final = 1_000
"""Maximum number of jobs that a starting server continues."""

RETRY_SECONDS: Final = 5.0
"""Pause after an error of the database."""


def web_label(label: str | None) -> str:
    """The label of a job that a server creates."""
    return f"{ORIGIN}: {label}" if label else ORIGIN


def is_ours(job: JobInfo) -> bool:
    """Whether a server created the job.

    Only the parameters of a book are its question, which another process may ask, too. Its label
    tells them apart, because no command can set it.
    """
    if job.kind == BOOK:
        return (job.label or "").partition(":")[0] == ORIGIN
    if "origin" in job.params:
        return bool(job.params["origin"] == ORIGIN)
    return str(job.params.get("topic", "")).partition(" ")[0] in {ORIGIN, BOARD}


class JobRunner:
    """Works on jobs, or wakes workers for them. Thread-safe."""

    def __init__(
        self,
        database: Database,
        *,
        broker: Broker | None = None,
        threads: int = 2,
        table_mb: int = 64,
        programs: Consent = NO_PROGRAM,
    ) -> None:
        self.threads = 0 if broker is not None else max(1, threads - 1)
        self.programs = programs
        self._database = database
        self._broker = broker
        self._job_ids: set[int] = set()
        self._closing = threading.Event()
        self._finding = threading.Thread(target=self._find, name="c4-jobs", daemon=True)
        self._worker = Worker(
            database,
            Solver(table_mb=table_mb),
            WorkerSettings(
                f"{socket.gethostname()}:{os.getpid()}",
                threads=max(1, self.threads),
                table_mb=table_mb,
                programs=programs,
            ),
            job_ids=self._job_ids,
            on_error=self._report,
        )

    @property
    def is_local(self) -> bool:
        """Whether this process works on the jobs."""
        return self._broker is None

    def running(self) -> list[int]:
        """The numbers of the jobs that this process is working on."""
        return sorted(self._job_ids - self._worker.ended_jobs)

    def start(self) -> None:
        """Continue unfinished jobs. Returns at once."""
        if self.is_local:
            self._worker.start()
            self._finding.start()

    def call(self, job_id: int) -> None:
        """Start a job that was created or resumed. Blocks briefly."""
        if self._broker is not None:
            self._broker.wake(lane_of_job(read_job(self._database, job_id).priority))
            return
        self._job_ids.add(job_id)
        self._worker.resume(job_id)

    def close(self) -> None:
        """Stop all searches, and return when unfinished work has been handed back."""
        self._closing.set()
        if self._finding.is_alive():
            self._finding.join()
        self._worker.stop()

    def _find(self) -> None:
        """Continue the unfinished jobs that a server created."""
        while not self._closing.is_set():
            try:
                with self._database.read() as session:
                    found = watching.list_jobs(session, states=[JobState.RUNNING], limit=MOST_FOUND)
            except StorageError as error:
                LOGGER.warning("cannot read the unfinished jobs, trying again: %s", error)
                self._closing.wait(RETRY_SECONDS)
                continue
            for job in found:
                if is_ours(job):
                    self.call(job.id)
            return

    def _report(self) -> None:
        LOGGER.error("stopped working on jobs: %r", self._worker.error)
