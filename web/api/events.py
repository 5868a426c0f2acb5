"""The progress of a job as server-sent events."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from db.errors import StorageError
from db.jobs import watching
from web import openapi, parameters
from web.api.jobs import JobProgress, OneJob
from web.parameters import Parameters
from web.responses import JSON, UNBUFFERED, encode
from web.service import service_of
from workers.core.follow import UNDER_WAY, progress_object, read_job
from workers.deep.answer import Observer, tree_object
from workers.deep.task import KIND as DEEP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from db.database import Database
    from db.records.jobs import JobInfo
    from web.service import Service

LOOK_SECONDS: Final = 0.5
"""Time between two reads of a job's progress."""


class Seen(NamedTuple):
    """A job's progress at one time."""

    progress: dict[str, Any]
    """The job's progress; a deep job's includes its tree."""
    has_ended: bool


class JobWatch:
    """Reads one job's progress for all clients that watch it."""

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
        """The job's progress, read at most :data:`LOOK_SECONDS` ago."""
        async with self._lock:  # the first caller reads, and the others wait for its result
            if self._seen is None or time.monotonic() >= self._due:
                self._seen = await self._service.in_thread(self._read)
                self._due = time.monotonic() + LOOK_SECONDS
            return self._seen

    def _read(self) -> Seen:
        with self._database.read() as session:
            job = watching.get_job(session, self._job_id)
            shown = progress_object(job)
            if self._observer is not None:
                shown["tree"] = tree_object(self._observer.look(session))
        return Seen(shown, job.state not in UNDER_WAY)


class JobWatches:
    """The jobs that clients are watching."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._watches: dict[int, JobWatch] = {}
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def watching(self, job_id: int) -> AsyncIterator[JobWatch]:
        """Watch a job; all its watchers share one :class:`JobWatch`."""
        database = self._service.require_database()
        async with self._lock:  # of many clients that begin together, one reads the job
            if job_id not in self._watches:
                job = await self._service.in_thread(read_job, database, job_id)
                self._watches[job_id] = JobWatch(self._service, database, job)
        watch = self._watches[job_id]
        watch.watchers += 1
        try:
            yield watch
        finally:
            watch.watchers -= 1
            if not watch.watchers:
                del self._watches[job_id]


def watches_of(request: Request, service: Service) -> JobWatches:
    """The watches of the server that received the request."""
    state = request.app.state
    if not hasattr(state, "job_watches"):
        state.job_watches = JobWatches(service)
    found: JobWatches = state.job_watches
    return found


EVENT_STREAM: Final = "text/event-stream"
COMMENT_SECONDS: Final = 15.0
"""Time without an event until a comment is sent. Comments keep proxies from closing the connection,
and reveal clients that have disappeared."""
RETRY_MILLISECONDS: Final = 1000
"""Time until a browser reconnects after the stream broke."""


async def answer_events(request: Request) -> Response:
    """``GET /api/v1/jobs/{job}/events``."""
    service = service_of(request)
    parameters.read_query(request, Parameters)
    number = parameters.read_path(request, OneJob).job
    async with AsyncExitStack() as on_failure:
        watching = watches_of(request, service).watching(number)
        watch = await on_failure.enter_async_context(watching)
        await watch.look()  # raises errors before the response begins
        if request.method == "HEAD":
            return Response(media_type=EVENT_STREAM, headers=UNBUFFERED)
        return EventStream(service, watch, on_failure.pop_all())


class EventStream(StreamingResponse):
    """The stream of events for one client."""

    media_type = EVENT_STREAM

    def __init__(self, service: Service, watch: JobWatch, at_end: AsyncExitStack) -> None:
        super().__init__(_events(service, watch), headers=UNBUFFERED)
        self._at_end = at_end

    async def __call__(self, *scope_receive_send: Any) -> None:  # noqa: ANN401 (Starlette's)
        """Send the events, then stop watching."""
        async with self._at_end:
            await super().__call__(*scope_receive_send)


async def _events(service: Service, watch: JobWatch) -> AsyncIterator[bytes]:
    """Yield the current progress, each change, and at last the event ``end``.

    If a stream breaks before ``end``, browsers reconnect and get the current progress.
    """
    yield b"retry: %d\n\n" % RETRY_MILLISECONDS
    last = b""
    next_comment = time.monotonic() + COMMENT_SECONDS
    while not service.is_stopping:
        try:
            seen = await watch.look()
        except StorageError:  # it may recover, and the client would only reconnect
            seen = None
        data = last if seen is None else encode(seen.progress)
        if data != last:
            yield _event("progress", data)
            last = data
            next_comment = time.monotonic() + COMMENT_SECONDS
        if seen is not None and seen.has_ended:
            yield _event("end", data)
            return
        if time.monotonic() >= next_comment:
            yield b": still here\n\n"
            next_comment = time.monotonic() + COMMENT_SECONDS
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await service.stopping.wait()


def _event(name: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


ROUTES: Final = [Route("/api/v1/jobs/{job}/events", answer_events)]

PATHS: Final[dict[str, object]] = {
    "/api/v1/jobs/{job}/events": {
        "get": openapi.operation(
            "The progress of a running job",
            openapi.content(
                {
                    "type": "object",
                    "required": ["event", "data"],
                    "properties": {
                        "event": {"enum": ["progress", "end"]},
                        "data": {
                            "type": "string",
                            "contentMediaType": JSON,
                            "contentSchema": JobProgress,
                        },
                    },
                },
                EVENT_STREAM,
            ),
            path=OneJob,
            problems=(404,),
            description="Server-sent events until the job ends. `progress`, with a `JobProgress` "
            "as data, is sent at once and after each change; `end`, with the same data, when the "
            "job has ended. A comment is sent after 15 seconds without events.",
        )
    }
}
