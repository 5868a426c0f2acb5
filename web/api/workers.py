"""Who is at work, and on how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from web import parameters
from web.description import words
from web.responses import json_response
from web.service import service_of
from workers.core.follow import service_status, status_object

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database


async def answer_workers(request: Request) -> Response:
    """``GET /api/v1/workers``."""
    service = service_of(request)
    parameters.read_query(request, ())
    status = await service.in_thread(_read, service.require_database())
    runner = service.runner
    server = {
        "threads": 0 if runner is None else runner.threads,
        "jobs": [] if runner is None else runner.running(),
        "is_writable": service.is_writable,
    }
    workers = status.pop("live_workers")
    return json_response({"workers": workers, "status": status, "server": server})


def _read(database: Database) -> dict[str, Any]:
    with database.read() as session:
        return status_object(*service_status(session))


ROUTES: Final = [Route("/api/v1/workers", answer_workers)]

PATHS: Final[dict[str, object]] = {
    "/api/v1/workers": {
        "get": words.operation(
            "Who is at work, and on how much",
            words.ref("Workers"),
            description="`workers` are those of `c4 worker` that listen to a broker; `server` is "
            "this process: its threads that work on jobs, and the jobs that they are at work on.",
        )
    }
}
