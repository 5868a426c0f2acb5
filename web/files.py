"""The files of the page, from memory: read once, when the server begins.

Only what lies in ``pages`` is there, under the names that it has there: a path that leads elsewhere
is no name.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

DIRECTORY: Final = Path(__file__).parent / "pages"
INDEX: Final = "index.html"
ICON: Final = "icon.svg"
FAVICON: Final = "/favicon.ico"
"""Where browsers look for a site's picture beside an answer that names none, such as JSON."""
PREFIX: Final = "/static/"
"""Before the names of all files but the index."""
VIEWS: Final = ("/", "/explore", "/work")
"""The addresses of the page itself; its scripts tell them apart."""

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
"""Their media types; files of other types are not served."""

NOT_MODIFIED: Final = 304


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file as it is sent."""

    content: bytes
    kind: str
    """Its media type."""
    tag: str
    """Changes when the content does; in quotes."""

    @classmethod
    def read(cls, path: Path) -> PageFile:
        """Read a file of a known type."""
        content = path.read_bytes()
        tag = hashlib.blake2b(content, digest_size=12).hexdigest()
        return cls(content, TYPES[path.suffix], f'"{tag}"')

    def response(self, request: Request) -> Response:
        """The file, or that it is still the one that the browser has."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        tags = request.headers.get("if-none-match", "")
        if self.tag in tags or tags.strip() == "*":
            return Response(status_code=NOT_MODIFIED, headers=headers)
        return Response(self.content, headers=headers, media_type=self.kind)


def page_routes(directory: Path = DIRECTORY) -> list[Route]:
    """A route for each file, and for each view of the page."""
    paths = sorted(path for path in directory.rglob("*") if path.suffix in TYPES)
    files = {PREFIX + path.relative_to(directory).as_posix(): PageFile.read(path) for path in paths}
    if PREFIX + ICON in files:
        files[FAVICON] = files[PREFIX + ICON]
    index = files.pop(PREFIX + INDEX, None)
    if index is not None:
        files |= dict.fromkeys(VIEWS, index)
    return [Route(address, _sender(file)) for address, file in files.items()]


def _sender(file: PageFile) -> Callable[[Request], Awaitable[Response]]:
    async def send_file(request: Request) -> Response:
        return file.response(request)

    return send_file
