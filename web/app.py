"""The server's application: the middleware, all resources, and the page's files.

The files in ``pages`` are read into memory when the server starts. Each has a route of its own, so
no path can lead to other files.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
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
    players,
    position,
    puzzles,
    results,
)
from web.middleware import Counting, Faults, Headers, Rate
from web.responses import HANDLERS, JSON, NOT_FOUND, answer_error, encode
from web.service import Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

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


def create_app(
    settings: Settings, on_start: Callable[[Service], object] = lambda _service: None
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
            Middleware(Clients, settings.proxies),
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
    document = encode(openapi.build_document(MODULES, budget=limits.budget_seconds))

    async def send_document(_request: Request) -> Response:
        return Response(document, media_type=JSON)

    return [
        *(route for module in MODULES for route in module.ROUTES),
        Route(openapi.PATH, send_document),
        *page_routes(),
    ]


DIRECTORY: Final = Path(__file__).parent / "pages"
INDEX: Final = "index.html"
MISSING: Final = "missing.html"
"""The page for an address that does not exist."""
ICON: Final = "icon.svg"
FAVICON: Final = "/favicon.ico"
"""The path from which browsers fetch the icon of responses that name none, such as JSON."""
PREFIX: Final = "/static/"
"""The path of all files except the index."""
VIEWS: Final = ("/", "/puzzles", "/explore", "/work")
"""The addresses of the page; its scripts choose the view."""

TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Media types by suffix; other files are not served."""

NOT_MODIFIED: Final = 304


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file with its headers."""

    content: bytes
    kind: str
    """The media type."""
    tag: str
    """The quoted ``ETag``, a hash of the content."""

    @classmethod
    def read(cls, path: Path) -> PageFile:
        """Read a file of a known type."""
        content = path.read_bytes()
        tag = hashlib.blake2b(content, digest_size=12).hexdigest()
        return cls(content, TYPES[path.suffix], f'"{tag}"')

    def response(self, request: Request) -> Response:
        """The file, or 304 if the browser has this version."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        tags = request.headers.get("if-none-match", "")
        if self.tag in tags or tags.strip() == "*":
            return Response(status_code=NOT_MODIFIED, headers=headers)
        return Response(self.content, headers=headers, media_type=self.kind)


def page_routes(directory: Path = DIRECTORY) -> list[Route]:
    """The routes of the files and of the page's views."""
    paths = sorted(path for path in directory.rglob("*") if path.suffix in TYPES)
    files = {PREFIX + path.relative_to(directory).as_posix(): PageFile.read(path) for path in paths}
    if PREFIX + ICON in files:
        files[FAVICON] = files[PREFIX + ICON]
    index = files.pop(PREFIX + INDEX, None)
    if index is not None:
        files |= dict.fromkeys(VIEWS, index)
    return [Route(address, _sender(file)) for address, file in files.items()]


_missing: Final = PageFile.read(DIRECTORY / MISSING)


async def answer_missing(request: Request, error: Exception) -> Response:
    """The response for a path that does not exist: a page for browsers, JSON for programs."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if (
        request.method not in {"GET", "HEAD"}
        or request.url.path.startswith("/api/")
        or not wants_page
    ):
        return await answer_error(request, error)
    return Response(_missing.content, NOT_FOUND, media_type=_missing.kind)


def _sender(file: PageFile) -> Callable[[Request], Awaitable[Response]]:
    async def send_file(request: Request) -> Response:
        return file.response(request)

    return send_file
