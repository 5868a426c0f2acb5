"""Monitoring: health, readiness, metrics and the workers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict, cast

from msgspec import Meta
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response
from starlette.routing import Route

from c4core.position import Position
from c4core.version import ENGINE_VERSION, __version__
from db.errors import StorageError
from db.jobs import watching
from db.records.jobs import JobState
from web import openapi, parameters
from web.middleware import WorkCollector
from web.parameters import Parameters
from web.responses import LOGGER, json_response, unavailable
from web.service import service_of
from workers.answers.question import Question
from workers.core.follow import status_object
from workers.errors import BrokerError

if TYPE_CHECKING:
    from starlette.requests import Request

    from db.database import Database
    from db.records.jobs import ServiceStatus
    from web.service import Service

OK: Final = "ok"
READY_SECONDS: Final = 5.0
"""Time limit of ``/readyz``, and of the database in ``/metrics``.

The probes of ``deploy/kubernetes`` wait for 10 seconds."""
NEARLY_OVER: Final = "2252576253462244111563365343671351441"
"""Moves of a position that takes a few microseconds to solve."""


class Health(TypedDict):
    """The health of a server."""

    status: str
    version: str
    engine: int


class Readiness(TypedDict):
    """The readiness of a server; null means that it does not use the database or the broker."""

    status: str
    database: Literal["ok"] | None
    broker: Literal["ok"] | None
    searches: int


class Worker(TypedDict):
    """A process of ``c4 worker``."""

    name: str
    host: str
    pid: int
    threads: int
    table_mb: int
    version: str
    engine_version: int
    queues: list[str]
    units_done: int
    positions_done: int
    nodes: int
    seconds: float
    started_at: str
    seen_at: str
    nodes_per_second: float | None


class WorkStatus(TypedDict):
    """The work of all jobs together."""

    jobs: Annotated[dict[str, int], Meta(extra_json_schema={"required": list(JobState)})]
    queued_units: int
    running_units: int
    failed_units: int
    queued_positions: int
    running_positions: int
    positions_per_second: float | None
    eta_seconds: float | None
    oldest_queued_seconds: float | None
    workers: int


class ServerStatus(TypedDict):
    """The threads and jobs of this server process."""

    threads: int
    jobs: list[int]
    is_writable: bool


class Workers(TypedDict):
    """The workers and their work."""

    workers: list[Worker]
    status: WorkStatus
    server: ServerStatus


async def get_health(request: Request) -> Response:
    """Whether the process answers."""
    parameters.read_query(request, Parameters)
    return json_response({"status": "ok", "version": __version__, "engine": ENGINE_VERSION})


async def get_readiness(request: Request) -> Response:
    """Whether the database, the broker and the solver work."""
    parameters.read_query(request, Parameters)
    service = service_of(request)
    if service.is_stopping:
        raise unavailable("the server is shutting down")
    try:
        async with asyncio.timeout(READY_SECONDS):
            return json_response(await service.in_thread(_try_everything, service))
    except TimeoutError:
        raise unavailable(f"no answer of a service within {READY_SECONDS:g} seconds") from None


async def get_metrics(request: Request) -> Response:
    """Metrics for Prometheus."""
    parameters.read_query(request, Parameters)
    service = service_of(request)
    service.metrics.searches.set(service.searches)
    text = generate_latest(service.metrics.registry)
    if service.database is not None:
        registry = CollectorRegistry()
        registry.register(WorkCollector(await _read_work(service, service.database)))
        text += generate_latest(registry)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


async def _read_work(service: Service, database: Database) -> ServiceStatus | None:
    """Return the totals over all jobs; None if the database is away."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            return await service.in_thread(database.ask, watching.totals)
    except (StorageError, TimeoutError) as error:
        LOGGER.warning("no metrics of the database: %s", error)
        return None


def _try_everything(service: Service) -> Readiness:
    try:
        service.check_database()
        if service.broker is not None:
            service.broker.check()
    except StorageError as error:
        LOGGER.warning("not ready: %s", error)
        raise unavailable("the database cannot be read; see the server's log") from None
    except BrokerError as error:
        LOGGER.warning("not ready: %s", error)
        raise unavailable("the broker does not answer; see the server's log") from None
    service.answer_service.answer([Position(NEARLY_OVER)], Question())
    return {
        "status": "ready",
        "database": None if service.database is None else OK,  # clients must not learn its place
        "broker": None if service.broker is None else OK,
        "searches": service.searches,
    }


async def answer_workers(request: Request) -> Response:
    """``GET /api/v1/workers``."""
    service = service_of(request)
    parameters.read_query(request, Parameters)
    status = await service.in_thread(_read, service.require_database())
    runner = service.runner
    server: ServerStatus = {
        "threads": 0 if runner is None else runner.threads,
        "jobs": [] if runner is None else runner.running(),
        "is_writable": service.is_writable,
    }
    workers = status.pop("live_workers")
    shown: Workers = {
        "workers": workers,
        "status": cast("WorkStatus", status),
        "server": server,
    }
    return json_response(shown)


def _read(database: Database) -> dict[str, Any]:
    with database.read() as session:
        return status_object(watching.totals(session))


ROUTES: Final = [
    Route("/healthz", get_health),
    Route("/readyz", get_readiness),
    Route("/metrics", get_metrics),
    Route("/api/v1/workers", answer_workers),
]

PATHS: Final[dict[str, object]] = {
    "/healthz": {"get": openapi.operation("Whether the process answers", Health)},
    "/readyz": {"get": openapi.operation("Whether the server is ready", Readiness)},
    "/metrics": {
        "get": openapi.operation(
            "Metrics for Prometheus", openapi.content(openapi.TEXT, "text/plain")
        )
    },
    "/api/v1/workers": {
        "get": openapi.operation(
            "The workers and their work",
            Workers,
            description="`workers` are the `c4 worker` processes that listen to a broker. `server` "
            "has this process's threads for jobs, and the jobs that it is working on.",
        )
    },
}
