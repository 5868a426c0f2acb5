"""The progress of a job while somebody watches it, as server-sent events."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from db.errors import StorageError
from web import parameters
from web.api.jobs import job_number
from web.description import words
from web.description.job_schemas import JOB_PLACE
from web.jobs.watching import LOOK_SECONDS, watches_of
from web.responses import JSON, encode
from web.service import service_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from web.jobs.watching import JobWatch
    from web.service import Service

EVENT_STREAM: Final = "text/event-stream"
COMMENT_SECONDS: Final = 15.0
"""After so long without an event there is a comment: proxies cut what is silent, and a client that
has gone without a word is noticed when nobody takes what is sent."""
RETRY_MILLISECONDS: Final = 1000
"""After so long a browser connects again, when the server was restarted."""
HEADERS: Final = {"X-Accel-Buffering": "no"}


async def answer_events(request: Request) -> Response:
    """``GET /api/v1/jobs/{job}/events``."""
    service = service_of(request)
    parameters.read_query(request, ())
    number = job_number(request)
    async with AsyncExitStack() as on_failure:
        watching = watches_of(request, service).watching(number)
        watch = await on_failure.enter_async_context(watching)
        await watch.look()  # errors come before the answer begins
        if request.method == "HEAD":
            return Response(media_type=EVENT_STREAM, headers=HEADERS)
        return EventStream(service, watch, on_failure.pop_all())


class EventStream(StreamingResponse):
    """The events of one who watches.

    Args:
        service: says when the server ends.
        watch: of the job.
        at_end: is closed when the answer has ended, or the client has gone.
    """

    media_type = EVENT_STREAM

    def __init__(self, service: Service, watch: JobWatch, at_end: AsyncExitStack) -> None:
        super().__init__(_events(service, watch), headers=HEADERS)
        self._at_end = at_end

    async def __call__(self, *scope_receive_send: Any) -> None:  # noqa: ANN401 (Starlette's)
        """Answer the request."""
        async with self._at_end:
            await super().__call__(*scope_receive_send)


async def _events(service: Service, watch: JobWatch) -> AsyncIterator[bytes]:
    """The state at once, then each change, at last the end.

    A stream that ends without the event ``end`` was broken off: browsers connect again then, and
    get the present state.
    """
    yield b"retry: %d\n\n" % RETRY_MILLISECONDS
    last = b""
    next_comment = time.monotonic() + COMMENT_SECONDS
    while not service.is_stopping:
        try:
            seen = await watch.look()
        except StorageError:  # it may come back, and who watches would only ask again
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


_EVENT: Final = words.record(
    {
        "event": {"enum": ["progress", "end"]},
        "data": {
            "type": "string",
            "contentMediaType": JSON,
            "contentSchema": words.ref("JobProgress"),
        },
    }
)


def _described() -> dict[str, Any]:
    described = words.operation(
        "The progress of a job while it is worked on",
        {},
        description="Server-sent events. `progress`, with a `JobProgress` as data, comes at once "
        "and after each change; `end` with the same data when the job has ended. A comment comes "
        "after 15 seconds of silence.",
        parameters=[JOB_PLACE],
        problems=(404,),
    )
    described["responses"]["200"] = {
        "description": "Events until the job has ended.",
        "content": {EVENT_STREAM: {"schema": _EVENT}},
    }
    return described


PATHS: Final[dict[str, object]] = {"/api/v1/jobs/{job}/events": {"get": _described()}}
