"""The server's application: the middleware, all resources, and the page's files."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import Route

from web import openapi
from web.access import Clients, Origins, allowed_names
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
    picture,
    players,
    position,
    puzzles,
    results,
)
from web.files import HTML, PageFile, api_page, missing_page, page_routes
from web.middleware import Counting, Faults, Headers, Rate
from web.responses import HANDLERS, JSON, NOT_FOUND, answer_error, encode
from web.service import Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request

    from web.openapi import Resource
    from web.settings import Limits, ServerSettings

MODULES: Final[tuple[Resource, ...]] = (
    position,
    game,
    picture,
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


def create_app(
    settings: ServerSettings, on_start: Callable[[Service], object] = lambda _service: None
) -> Starlette:
    """Create the application of a server.

    Its lifespan opens and closes the service, and calls ``on_start`` in the event loop in between.
    """
    service = Service(settings)
    app = Starlette(
        routes=_routes(settings.limits),
        middleware=[
            Middleware(Counting, service.metrics),
            Middleware(Headers),
            Middleware(Origins, allowed_names(settings)),
            Middleware(Clients),
            Middleware(Rate, settings.limits),
            Middleware(Faults),
        ],
        exception_handlers={**HANDLERS, NOT_FOUND: answer_missing},
        lifespan=partial(_lifespan, service=service, on_start=on_start),
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


@asynccontextmanager
async def _lifespan(
    _app: Starlette, *, service: Service, on_start: Callable[[Service], object]
) -> AsyncIterator[None]:
    await asyncio.to_thread(service.open)
    on_start(service)
    try:
        yield
    finally:
        service.stopping.set()
        await asyncio.to_thread(service.close)


def _routes(limits: Limits) -> list[Route]:
    document = openapi.build_document(MODULES, budget=limits.budget_seconds)
    return [
        *(route for module in MODULES for route in module.ROUTES),
        Route(openapi.PATH, PageFile(encode(document), JSON).response),
        Route(openapi.PEOPLE, api_page(openapi.describe(document)).response),
        *page_routes(),
    ]


async def answer_missing(request: Request, error: Exception) -> Response:
    """The response for a path that does not exist: a page for browsers, JSON for programs."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if (
        request.method not in {"GET", "HEAD"}
        or request.url.path.startswith("/api/")
        or not wants_page
    ):
        return await answer_error(request, error)
    return Response(missing_page(request.url.path), NOT_FOUND, media_type=HTML)
