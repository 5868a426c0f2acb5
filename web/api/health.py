"""``/healthz``, ``/readyz`` and ``/metrics``: for whoever watches over the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response
from starlette.routing import Route

from c4core.position import Position
from c4core.version import ENGINE_VERSION, __version__
from db.errors import StorageError
from web import parameters
from web.description import words
from web.errors import LOGGER, unavailable
from web.metrics import WebCollector
from web.responses import json_response
from web.service import service_of
from workers.answers.question import Question
from workers.core.kinds import Lane
from workers.errors import BrokerError

if TYPE_CHECKING:
    from starlette.requests import Request

    from web.service import Service

OK: Final = "ok"
NEARLY_OVER: Final = "2252576253462244111563365343671351441"
"""A position that takes some microseconds to solve."""


async def get_health(request: Request) -> Response:
    """Whether the process answers at all."""
    parameters.read_query(request, ())
    return json_response({"status": "ok", "version": __version__, "engine": ENGINE_VERSION})


async def get_readiness(request: Request) -> Response:
    """Whether everything that the server was told to use can be used."""
    parameters.read_query(request, ())
    service = service_of(request)
    if service.is_stopping:
        raise unavailable("the server is about to end")
    return json_response(await service.in_thread(_try_everything, service))


async def get_metrics(request: Request) -> Response:
    """What Prometheus reads."""
    parameters.read_query(request, ())
    registry = CollectorRegistry(auto_describe=False)
    registry.register(WebCollector(service_of(request)))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _try_everything(service: Service) -> dict[str, str | int | None]:
    """Use everything once.

    Raises:
        ApiError: the database cannot be read, or the broker does not answer.
    """
    try:
        service.check_database()
        if service.doorbell is not None:
            service.doorbell.depth(Lane.INTERACTIVE)
    except StorageError as error:
        LOGGER.warning("not ready: %s", error)
        raise unavailable("the database cannot be read; the server's log has more") from None
    except BrokerError as error:
        LOGGER.warning("not ready: %s", error)
        raise unavailable("the broker does not answer; the server's log has more") from None
    service.desk.answer([Position(NEARLY_OVER)], Question())
    return {
        "status": "ready",
        "database": None if service.database is None else OK,  # its place is nobody's business
        "broker": None if service.doorbell is None else OK,
        "searches": service.searches,
    }


ROUTES: Final = [
    Route("/healthz", get_health),
    Route("/readyz", get_readiness),
    Route("/metrics", get_metrics),
]

PATHS: Final[dict[str, object]] = {
    "/healthz": {"get": words.operation("Whether the process answers", words.ref("Health"))},
    "/readyz": {
        "get": words.operation("Whether all that it needs is there", words.ref("Readiness"))
    },
    "/metrics": {
        "get": {
            "summary": "Metrics for Prometheus",
            "responses": {
                "200": {
                    "description": "Metrics as text.",
                    "content": {"text/plain": {"schema": words.TEXT}},
                }
            },
        }
    },
}

SCHEMAS: Final[dict[str, object]] = {
    "Health": words.record({"status": words.TEXT, "version": words.TEXT, "engine": words.WHOLE}),
    "Readiness": words.record(
        {
            "status": words.TEXT,
            "database": words.nullable({"enum": [OK]}),
            "broker": words.nullable({"enum": [OK]}),
            "searches": words.WHOLE,
        }
    ),
}
