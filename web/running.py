"""Working on jobs in the server's own process, where no broker has workers for them.

The threads of all jobs together search with one solver, so their memory does not grow with the
number of jobs, and take turns: only so many search at a time, one fewer than those of the questions
of people. A processor stays free for these, so that nobody who waits for an answer waits for a job
as well. Of many jobs some are under way at the same time, so that a short one does not wait for one
of hours; the others stand in line.

A server that begins goes on with the jobs that one like it has made and that have not ended: they
are known by their label (:func:`web_label`). Jobs that somebody else has made and that were resumed
here are left alone then, as nobody knows whether their owner wants to go on.
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
"""The label of jobs without one of their own that were made here; with ": ", the beginning of it
where there is one."""

AT_ONCE: Final = 4
"""Jobs that are under way at the same time."""

MOST_FOUND: Final = 1_000
"""Jobs that a server that begins goes on with, at most."""

RETRY_SECONDS: Final = 5.0
"""Pause after the database has failed."""


class _Closing(Exception):  # noqa: N818 (it is no error)
    """The server ends."""


class _ResumedError(Exception):
    """The job was cancelled, and resumed after its threads had left."""


def web_label(label: str | None) -> str:
    """The label of a job that is made here."""
    return f"{LABEL}: {label}" if label else LABEL


class JobRunning:
    """Has jobs worked on. Thread-safe."""

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
        self._programs = programs
        self._solver: SharedSolver | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._waiting: deque[int] = deque()
        self._running: dict[int, threading.Thread] = {}
        self._called_again: set[int] = set()
        self._finding: threading.Thread | None = None

    @property
    def is_local(self) -> bool:
        """Whether threads of this process do the work."""
        return self._doorbell is None

    @property
    def programs(self) -> Consent:
        """Which players that are programs this process may start."""
        return self._programs

    def running(self) -> list[int]:
        """The numbers of the jobs that threads of this process are at work on."""
        with self._lock:
            return sorted(self._running)

    def start(self) -> None:
        """Go on with the jobs that were under way. Returns at once."""
        if self.is_local:
            self._finding = threading.Thread(target=self._find, name="c4-jobs", daemon=True)
            self._finding.start()

    def call(self, job_id: int) -> None:
        """Have a job worked on that was just made or resumed. Blocking, but not for long."""
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
        """End all searches and hand back what is not done. Returns when that has been written."""
        self._closing.set()
        if self._finding is not None:
            self._finding.join()
        with self._lock:
            self._waiting.clear()
            threads = list(self._running.values())
        for thread in threads:
            thread.join()

    def _find(self) -> None:
        """Call for the jobs of this server's like that are not done."""
        while not self._closing.is_set():
            try:
                with self._database.read() as session:
                    found = jobs.list_jobs(session, states=[JobState.RUNNING], limit=MOST_FOUND)
            except StorageError as error:
                LOGGER.warning("cannot look for jobs to go on with, trying again: %s", error)
                self._closing.wait(RETRY_SECONDS)
                continue
            for job in reversed(found):  # the oldest first
                if job.label is not None and job.label.partition(":")[0] == LABEL:
                    self.call(job.id)
            return

    def _begin(self, job_id: int) -> None:
        """Start a job's thread; the lock is held."""
        if self._solver is None:
            self._solver = SharedSolver(threads=self.threads, table_mb=self._table_mb)
        thread = threading.Thread(
            target=self._work, args=(job_id, self._solver), name=f"c4-job-{job_id}", daemon=True
        )
        self._running[job_id] = thread
        thread.start()

    def _work(self, job_id: int, solver: SharedSolver) -> None:
        """Work on a job until it has ended, and make room for the next."""
        while self._attempt(job_id, solver) or not self._ends(job_id):
            pass

    def _ends(self, job_id: int) -> bool:
        """Let another job begin in a job's place, unless it was resumed while it ended."""
        with self._lock:
            if job_id in self._called_again and not self._closing.is_set():
                self._called_again.discard(job_id)
                return False
            del self._running[job_id]
            if self._waiting and not self._closing.is_set():
                self._begin(self._waiting.popleft())
            return True

    def _attempt(self, job_id: int, solver: SharedSolver) -> bool:
        """Work on a job; whether to try again: the database failed, or the job was resumed."""
        try:
            runner = LocalRunner(
                self._database,
                job_id,
                threads=self.threads,
                programs=self._programs,
                shared=solver,
            )
            with runner:
                runner.wait(on_look=partial(self._check, runner))
        except _Closing:
            pass
        except _ResumedError:
            return True
        except (JobNotFoundError, JobStateError) as error:
            LOGGER.warning("job %d is left as it is: %s", job_id, error)
        except StorageError as error:
            LOGGER.warning("cannot work on job %d, trying again: %s", job_id, error)
            return not self._closing.wait(RETRY_SECONDS)
        except Exception as error:  # noqa: BLE001 (no memory, a program that may not be started)
            LOGGER.error("job %d is left as it is: %r", job_id, error)
        return False

    def _check(self, runner: LocalRunner, state: JobState) -> None:
        if self._closing.is_set():
            raise _Closing
        if runner.has_stopped and state is JobState.RUNNING:
            raise _ResumedError
