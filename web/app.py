"""The server's application: the middleware and all resources."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from web.access import Clients, Origins, allowed_names, client_name
from web.api import (
    batch,
    book,
    evaluations,
    events,
    game,
    games,
    health,
    jobs,
    kaggle,
    matches,
    players,
    position,
    puzzles,
    results,
)
from web.files import answer_missing, page_routes
from web.metrics import Counting
from web.middleware import Faults, Headers, Rate
from web.openapi import build_document
from web.responses import HANDLERS, JSON, NOT_FOUND, encode
from web.rooms import Memory
from web.service import Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from web.openapi import Resource
    from web.settings import Limits, Settings

MODULES: Final[tuple[Resource, ...]] = (
    position,
    game,
    book,
    evaluations,
    games,
    matches,
    players,
    kaggle,
    puzzles,
    jobs,
    events,
    results,
    batch,
    health,
)
"""The modules of the API, in the order in which the router tries them: frequent ones first."""


def create_app(settings: Settings) -> Starlette:
    """Create the application of a server. Its lifespan opens and closes the service."""
    service = Service(settings)
    app = Starlette(
        routes=_routes(settings.limits),
        middleware=[
            Middleware(Counting, service.counters),
            Middleware(Headers),
            Middleware(Origins, allowed_names(settings)),
            Middleware(Clients, frozenset(map(client_name, settings.proxies))),
            Middleware(Rate, settings.limits),
            Middleware(Memory, service.memory),
            Middleware(Faults),
        ],
        exception_handlers={**HANDLERS, NOT_FOUND: answer_missing},
        lifespan=_lifespan,
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    service: Service = app.state.service
    await asyncio.to_thread(service.open)
    try:
        yield
    finally:
        service.stopping.set()
        await asyncio.to_thread(service.close)


def _routes(limits: Limits) -> list[Route]:
    document = encode(build_document(MODULES, budget=limits.budget_seconds))

    async def openapi(_request: Request) -> Response:
        return Response(document, media_type=JSON)

    return [
        *(route for module in MODULES for route in module.ROUTES),
        Route("/api/v1/openapi.json", openapi),
        *page_routes(),
    ]
