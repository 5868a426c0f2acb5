"""Request bodies: JSON objects, files, and lines that are read while they arrive."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING, Final, NamedTuple, TypeVar

from msgspec import Struct
from starlette.requests import ClientDisconnect

from c4core.lines import MAX_LINE
from web.parameters import read_json
from web.responses import ApiError, hidden, quote
from web.service import client_of, service_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request
    from starlette.types import Receive

P = TypeVar("P", bound=Struct)

LARGEST_OBJECT: Final = 64 * 1024
"""Maximum size of a JSON object in bytes, where it describes one game or one position."""
LARGEST_FILE: Final = 256 * 1024 * 1024
"""Maximum size of a body that becomes a file in bytes: about ten million lines."""
MOST_IN_MEMORY: Final = 256 * 1024
"""Maximum number of bytes of a file in memory; the rest goes to disk."""
MOST_WAITING: Final = 4 * 1024 * 1024
"""Maximum number of bytes of a batch that wait to be answered: about 400,000 lines."""


def refuse_encoded(request: Request) -> None:
    """Refuse a compressed body, because its size is unknown."""
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ApiError(415, "the body must not be compressed")


@asynccontextmanager
async def whole_body(request: Request) -> AsyncIterator[IO[bytes]]:
    """The complete body as a file, positioned at its beginning."""
    refuse_encoded(request)
    try:
        with tempfile.SpooledTemporaryFile(MOST_IN_MEMORY) as file:
            await _receive(request, file.write, LARGEST_FILE)
            file.seek(0)
            yield file
    except OSError as error:
        raise hidden("the body cannot be stored", error) from None


async def read_object(
    request: Request,
    kind: type[P],
    *,
    any_type: bool = False,
    most: int = LARGEST_OBJECT,
) -> P:
    """Read the body, which must be one JSON object of this kind."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != "application/json" and not any_type:
        raise ApiError(415, f"the body must be application/json, not {quote(given)}")
    refuse_encoded(request)
    service = service_of(request)
    body = bytearray()
    with service.memory.held(client_of(request), most):
        await _receive(request, body.extend, most)
        return read_json(kind, body, service.settings.limits)


async def _receive(request: Request, write: Callable[[bytes], object], most: int) -> None:
    """Receive the body, within limits of size and time."""
    limits = service_of(request).settings.limits
    too_large = ApiError(413, f"the body is larger than {most:,} bytes")
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:19]) > most:
        raise too_large
    size = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    raise too_large
                write(piece)
    except ClientDisconnect:
        raise ApiError(400, "the body did not arrive completely") from None
    except TimeoutError:
        message = f"the body did not arrive within {limits.body_seconds:g} seconds"
        raise ApiError(408, message) from None


class Block(NamedTuple):
    """Some complete lines of a body."""

    first: int
    """Number of the first line, counted from 1."""
    text: bytes
    """The lines with their line ends. A line that is too long is cut, but stays above the limit."""


class BodyLines:
    """The lines of an arriving body, on one event loop.

    If ``most`` bytes wait, the client has to wait until some are taken.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._text = bytearray()
        self._open = 0  # bytes of the incomplete line at the end
        self._ready = 0  # complete lines that wait
        self._taken = 0
        self._has_ended = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    async def fill(self, receive: Receive, seconds: float) -> None:
        """Read the body, then wait until the client disconnects.

        If no line is taken for this many seconds while too many wait, raise an :class:`ApiError`.
        """
        while (message := await receive())["type"] != "http.disconnect":
            body = message.get("body", b"")
            for start in range(0, len(body), MAX_LINE):
                self._feed(body[start : start + MAX_LINE])
            if not message.get("more_body", False):
                self._end()
            while len(self._text) >= self._most and not self._has_ended:
                self._room.clear()
                try:
                    async with asyncio.timeout(seconds):
                        await self._room.wait()
                except TimeoutError:
                    raise ApiError(408, "the client did not read the answers") from None

    async def take(self, limit: int) -> Block | None:
        """Wait for the next lines, and take at most ``limit``; None at the end."""
        while not self._ready:
            if self._has_ended:
                return None
            self._news.clear()
            await self._news.wait()
        end = 0
        lines = min(self._ready, limit)
        for _ in range(lines):
            end = self._text.index(b"\n", end) + 1
        block = Block(self._taken + 1, bytes(self._text[:end]))
        del self._text[:end]
        self._taken += lines
        self._ready -= lines
        self._room.set()
        return block

    def _feed(self, piece: bytes) -> None:
        """Append a piece of at most :data:`MAX_LINE` bytes."""
        first = piece.find(b"\n")
        content = piece if first < 0 else piece[:first]
        self._text += content[: max(0, MAX_LINE - self._open)]
        if first < 0:
            self._open += len(piece)
            return
        self._text += piece[first:]
        self._open = len(piece) - piece.rfind(b"\n") - 1
        self._ready += piece.count(b"\n")
        self._news.set()

    def _end(self) -> None:
        if self._open and not self._has_ended:
            self._text += b"\n"
            self._ready += 1
        self._has_ended = True
        self._news.set()
