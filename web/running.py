"""Work on jobs in the server's own process if there is no broker.

The threads of all jobs share one solver, so memory does not grow with the number of jobs. Jobs use
one thread fewer than interactive requests, so that a core stays free for people who wait for an
answer. Several jobs run at the same time, so that a short job does not wait hours for a long one;
the others wait in a queue.

When a server starts, it continues the unfinished jobs that a server created, which it recognizes by
their label (:func:`web_label`). It does not continue other jobs that were resumed through a server:
their owner may not want that.
"""

from __future__ import annotations

import threading
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM
from db import jobs
from db.errors import JobNotFoundError, JobStateError, StorageError
from db.records.jobs import JobState
from workers.logs import LOGGER
from workers.runners.local import LocalRunner, SharedSolver
from workers.runners.remote import call_workers

if TYPE_CHECKING:
    from c4core.players import Consent
    from db.database import Database
    from workers.celery.doorbell import Doorbell

LABEL: Final = "web"
"""The label of jobs that a server created; a label of their own follows after ": "."""

AT_ONCE: Final = 4
"""Maximum number of jobs that run at the same time."""

MOST_FOUND: Final = 1_000
"""Maximum number of jobs that a starting server continues."""

RETRY_SECONDS: Final = 5.0
"""Pause after an error of the database."""


class _Closing(Exception):  # noqa: N818 (not an error)
    """The server is shutting down."""


class _ResumedError(Exception):
    """The job was cancelled, and resumed after its threads had stopped."""


def web_label(label: str | None) -> str:
    """The label of a job that a server creates."""
    return f"{LABEL}: {label}" if label else LABEL


class JobRunner:
    """Works on jobs, or calls workers for them. Thread-safe."""

    def __init__(
        self,
        database: Database,
        *,
        doorbell: Doorbell | None = None,
        threads: int = 2,
        table_mb: int = 64,
        programs: Consent = NO_PROGRAM,
    ) -> None:
        self.threads = 0 if doorbell is not None else max(1, threads - 1)
        self._database = database
        self._doorbell = doorbell
        self._table_mb = table_mb
        self.programs = programs
        self._solver: SharedSolver | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._waiting: deque[int] = deque()
        self._running: dict[int, threading.Thread] = {}
        self._called_again: set[int] = set()
        self._finding: threading.Thread | None = None

    @property
    def is_local(self) -> bool:
        """Whether this process works on the jobs."""
        return self._doorbell is None

    def running(self) -> list[int]:
        """The numbers of the jobs that this process is working on."""
        with self._lock:
            return sorted(self._running)

    def start(self) -> None:
        """Continue unfinished jobs. Returns at once."""
        if self.is_local:
            self._finding = threading.Thread(target=self._find, name="c4-jobs", daemon=True)
            self._finding.start()

    def call(self, job_id: int) -> None:
        """Start a job that was created or resumed. Blocks briefly."""
        if self._doorbell is not None:
            call_workers(self._database, self._doorbell, job_id)
            return
        with self._lock:
            if self._closing.is_set() or job_id in self._waiting:
                return
            if job_id in self._running:
                self._called_again.add(job_id)
            elif len(self._running) < AT_ONCE:
                self._begin(job_id)
            else:
                self._waiting.append(job_id)

    def close(self) -> None:
        """Stop all searches, and return when unfinished work has been handed back."""
        self._closing.set()
        if self._finding is not None:
            self._finding.join()
        with self._lock:
            self._waiting.clear()
            threads = list(self._running.values())
        for thread in threads:
            thread.join()

    def _find(self) -> None:
        """Continue the unfinished jobs that a server created."""
        while not self._closing.is_set():
            try:
                with self._database.read() as session:
                    found = jobs.list_jobs(session, states=[JobState.RUNNING], limit=MOST_FOUND)
            except StorageError as error:
                LOGGER.warning("cannot read the unfinished jobs, trying again: %s", error)
                self._closing.wait(RETRY_SECONDS)
                continue
            for job in reversed(found):  # the oldest first
                if job.label is not None and job.label.partition(":")[0] == LABEL:
                    self.call(job.id)
            return

    def _begin(self, job_id: int) -> None:
        """Start a job's thread. The caller holds the lock."""
        if self._solver is None:
            self._solver = SharedSolver(threads=self.threads, table_mb=self._table_mb)
        thread = threading.Thread(
            target=self._work, args=(job_id, self._solver), name=f"c4-job-{job_id}", daemon=True
        )
        self._running[job_id] = thread
        thread.start()

    def _work(self, job_id: int, solver: SharedSolver) -> None:
        """Work on a job until it ends, then start the next."""
        while self._attempt(job_id, solver) or not self._ends(job_id):
            pass

    def _ends(self, job_id: int) -> bool:
        """Remove a job and start the next; return False if it was resumed while it ended."""
        with self._lock:
            if job_id in self._called_again and not self._closing.is_set():
                self._called_again.discard(job_id)
                return False
            del self._running[job_id]
            if self._waiting and not self._closing.is_set():
                self._begin(self._waiting.popleft())
            return True

    def _attempt(self, job_id: int, solver: SharedSolver) -> bool:
        """Work on a job; return True to try again, after a database error or a resume."""
        try:
            runner = LocalRunner(
                self._database,
                job_id,
                threads=self.threads,
                programs=self.programs,
                shared=solver,
            )
            with runner:
                runner.wait(on_look=partial(self._check, runner))
        except _Closing:
            pass
        except _ResumedError:
            return True
        except (JobNotFoundError, JobStateError) as error:
            LOGGER.warning("stopped working on job %d: %s", job_id, error)
        except StorageError as error:
            LOGGER.warning("cannot work on job %d, trying again: %s", job_id, error)
            return not self._closing.wait(RETRY_SECONDS)
        except Exception as error:  # noqa: BLE001 (no memory, or a program that may not start)
            LOGGER.error("stopped working on job %d: %r", job_id, error)
        return False

    def _check(self, runner: LocalRunner, state: JobState) -> None:
        if self._closing.is_set():
            raise _Closing
        if runner.has_stopped and state is JobState.RUNNING:
            raise _ResumedError
