"""Looking at a job for all who watch it: one look at the database serves them all."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from db import jobs
from workers.core.follow import UNDER_WAY, progress_object, read_job, state_name
from workers.deep.answer import Observer, tree_object
from workers.deep.task import KIND as DEEP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from db.database import Database
    from db.records.jobs import JobInfo
    from web.service import Service

LOOK_SECONDS: Final = 0.5
"""Time between two looks at a job."""


class Seen(NamedTuple):
    """A look at a job."""

    progress: dict[str, Any]
    """How far it is; for a deep job with its tree."""
    has_ended: bool


class JobWatch:
    """Looks at one job.

    Args:
        service: has the database.
        database: where the job lives.
        job: as it was when the watching began.
    """

    def __init__(self, service: Service, database: Database, job: JobInfo) -> None:
        self.watchers = 0
        self._service = service
        self._database = database
        self._job_id = job.id
        self._observer = Observer(job) if job.kind == DEEP else None
        self._lock = asyncio.Lock()
        self._seen: Seen | None = None
        self._due = 0.0

    async def look(self) -> Seen:
        """The job, as it was less than :data:`LOOK_SECONDS` ago.

        Raises:
            StorageError: the database cannot be read.
        """
        async with self._lock:  # whoever comes first looks, the others wait for that
            if self._seen is None or time.monotonic() >= self._due:
                self._seen = await self._service.in_thread(self._read)
                self._due = time.monotonic() + LOOK_SECONDS
            return self._seen

    def _read(self) -> Seen:
        with self._database.read() as session:
            progress = jobs.progress(session, self._job_id)
            shown = progress_object(progress, state_name(session, self._job_id, progress.state))
            if self._observer is not None:
                shown["tree"] = tree_object(self._observer.look(session))
        return Seen(shown, progress.state not in UNDER_WAY)


class JobWatches:
    """The jobs that are watched at the moment.

    Args:
        service: has the database.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._watches: dict[int, JobWatch] = {}

    @asynccontextmanager
    async def watching(self, job_id: int) -> AsyncIterator[JobWatch]:
        """Watch a job; all who do get the same watch.

        Raises:
            JobNotFoundError: there is no such job.
            StorageError: the database cannot be read.
            ApiError: there is no database.
        """
        database = self._service.require_database()
        if job_id not in self._watches:
            job = await self._service.in_thread(read_job, database, job_id)
            # Another may have come first while the job was read.
            self._watches.setdefault(job_id, JobWatch(self._service, database, job))
        watch = self._watches[job_id]
        watch.watchers += 1
        try:
            yield watch
        finally:
            watch.watchers -= 1
            if not watch.watchers:
                del self._watches[job_id]


def watches_of(request: Request, service: Service) -> JobWatches:
    """The watches of the server that a request came to."""
    state = request.app.state
    if not hasattr(state, "job_watches"):
        state.job_watches = JobWatches(service)
    found: JobWatches = state.job_watches
    return found
