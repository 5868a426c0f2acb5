"""Request bodies: JSON objects, files, and lines that are read while they arrive.

Bodies wait in memory and on disk. All requests together may hold a limited amount of each, and a
client a limited amount of memory. A player's tree counts as memory of its request, too.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import Counter
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from starlette.requests import ClientDisconnect

from c4core.lines import MAX_LINE, TOO_DEEP, is_too_deep, read_json
from web.middleware import HttpMiddleware
from web.responses import ApiError, hidden, quote, too_many, unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from types import TracebackType
    from typing import Any, Self

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from web.settings import Limits

LARGEST_FILE: Final = 256 * 1024 * 1024
"""Maximum size of a body that becomes a file in bytes: about ten million lines."""
MOST_IN_MEMORY: Final = 256 * 1024
"""Maximum number of bytes of a body in memory; the rest goes to disk."""


def refuse_encoded(request: Request) -> None:
    """Refuse a compressed body, because its size is unknown."""
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ApiError(415, "the body must not be compressed")


@asynccontextmanager
async def whole_body(request: Request, room: DiskQuota, limits: Limits) -> AsyncIterator[IO[bytes]]:
    """The complete body as a file, positioned at its beginning."""
    refuse_encoded(request)
    taken = 0
    try:
        with tempfile.SpooledTemporaryFile(MOST_IN_MEMORY) as file:
            memory = memory_of_request(request.scope)
            async for piece in _pieces(request, LARGEST_FILE, limits):
                if not room.take(len(piece)):
                    raise room.refusal()
                memory.take(min(len(piece), max(0, MOST_IN_MEMORY - taken)))
                taken += len(piece)
                with _writing():
                    file.write(piece)
            with _writing():
                file.seek(0)
            yield file
    finally:
        room.give_back(taken)


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise hidden("the body cannot be stored", error) from None


async def read_object(
    request: Request, limits: Limits, *, any_type: bool = False
) -> dict[str, object]:
    """Read the body, which must be one JSON object."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not any_type:
        raise ApiError(415, f"the body must be application/json, not {quote(kind)}")
    refuse_encoded(request)
    value = parse_json(await _read_body(request, limits))
    if not isinstance(value, dict):
        raise ApiError(400, "the body must be a JSON object")
    return value


def parse_json(body: bytes) -> object:
    """Parse JSON; refuse duplicate fields, NaN, numbers out of range, and deep nesting."""
    try:
        value = read_json(body.decode())
    except UnicodeDecodeError as error:
        raise ApiError(400, f"the body is not UTF-8, at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ApiError(400, f"not JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:  # too many digits, too deep nesting
        raise ApiError(400, f"not JSON: {error}") from None
    if is_too_deep(value):
        raise ApiError(400, f"not JSON: {TOO_DEEP}")
    return cast("object", value)


async def _read_body(request: Request, limits: Limits) -> bytes:
    body = bytearray()
    memory = memory_of_request(request.scope)
    async for piece in _pieces(request, limits.body_bytes, limits):
        memory.take(len(piece))
        body += piece
    return bytes(body)


async def _pieces(request: Request, most: int, limits: Limits) -> AsyncIterator[bytes]:
    too_large = ApiError(413, f"the body is larger than {most:,} bytes")
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:19]) > most:
        raise too_large
    size, waited = 0, 0.0
    stream = aiter(request.stream())
    while True:
        began = time.monotonic()
        try:
            async with asyncio.timeout(limits.read_seconds + size / limits.least_rate - waited):
                piece = await anext(stream, None)
        except ClientDisconnect:
            raise ApiError(400, "the body did not arrive completely") from None
        except TimeoutError:
            raise ApiError(
                408, f"the body arrives more slowly than {limits.least_rate:,} bytes a second"
            ) from None
        if piece is None:
            return
        waited += time.monotonic() - began  # without the server's own time
        size += len(piece)
        if size > most:
            raise too_large
        yield piece


CHUNK: Final = 64 * 1024
"""Number of bytes to read from the file at a time."""

MOST_ON_DISK: Final = 256 * 1024 * 1024
"""Maximum number of bytes of a body that wait to be answered: about ten million lines."""

LOOK_SECONDS: Final = 0.25
"""Time between two checks for free disk space."""


class Block(NamedTuple):
    """Some complete lines of a body."""

    first: int
    """Number of the first line, counted from 1."""
    text: bytes
    """The lines with their line ends. A line that is too long is cut, but stays above the limit."""


class BodyLines:
    """The lines of an arriving body. Use it in a ``with`` block, on one event loop."""

    def __init__(self, room: DiskQuota, *, most: int = MOST_ON_DISK) -> None:
        self._disk = room
        self._most = most
        # Lines are taken from the head, then from the file, then from the tail.
        self._head = bytearray()
        self._file: IO[bytes] | None = None
        self._tail = bytearray()
        self._read_to = self._written_to = 0
        self._open = 0  # bytes of the incomplete line at the end
        self._ready = 0  # complete lines that wait
        self._taken = 0
        self._has_ended = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Discard the waiting lines."""
        if self._file is not None:
            self._file.close()
            self._disk.give_back(self._written_to)

    async def fill(self, receive: Receive) -> None:
        """Read the body, then wait until the client disconnects."""
        while (message := await receive())["type"] != "http.disconnect":
            if self._has_ended:
                continue
            body = message.get("body", b"")
            for start in range(0, len(body), MAX_LINE):
                self._feed(body[start : start + MAX_LINE])
            if not message.get("more_body", False):
                self._end()
            while self._is_full() and not self._has_ended:
                self._room.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._room.wait()
                self._spill_some()

    async def take(self, limit: int) -> Block | None:
        """Wait for the next lines, and take at most ``limit``; None at the end."""
        while not self._ready:
            if self._has_ended:
                return None
            self._news.clear()
            await self._news.wait()
        while b"\n" not in self._head:
            self._refill()
        end, lines = _end_of_lines(self._head, limit)
        block = Block(self._taken + 1, bytes(self._head[:end]))
        del self._head[:end]
        self._taken += lines
        self._ready -= lines
        self._room.set()
        return block

    def _is_full(self) -> bool:
        """Whether the client has to wait. The file shrinks only when all of it has been read."""
        waiting = self._written_to + len(self._tail)
        return waiting >= self._most or len(self._tail) >= MOST_IN_MEMORY

    def _feed(self, piece: bytes) -> None:
        """Append a piece of at most :data:`MAX_LINE` bytes."""
        first = piece.find(b"\n")
        content = piece if first < 0 else piece[:first]
        self._tail += content[: max(0, MAX_LINE - self._open)]
        if first < 0:
            self._open += len(piece)
        else:
            self._tail += piece[first:]
            self._open = len(piece) - piece.rfind(b"\n") - 1
            self._ready += piece.count(b"\n")
            self._news.set()
        self._spill_some()

    def _end(self) -> None:
        if self._open:
            self._tail += b"\n"
            self._ready += 1
        self._has_ended = True
        self._news.set()

    def _spill_some(self) -> None:
        """Move the tail to the file if it is large and there is disk space."""
        size = len(self._tail)
        if size < MOST_IN_MEMORY or not self._disk.take(size):
            return
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (see __exit__)
            self._file.seek(self._written_to)
            _write_all(self._file, self._tail)
        except OSError as error:
            self._disk.give_back(size)
            raise hidden("the waiting lines cannot be stored", error) from None
        self._written_to += size
        self._tail.clear()

    def _refill(self) -> None:
        if self._file is None or self._read_to == self._written_to:
            self._head += self._tail
            self._tail.clear()
            return
        self._file.seek(self._read_to)
        piece = self._file.read(min(CHUNK, self._written_to - self._read_to))
        self._head += piece
        self._read_to += len(piece)
        if self._read_to == self._written_to:
            self._file.truncate(0)
            self._disk.give_back(self._written_to)
            self._read_to = self._written_to = 0


def _write_all(file: IO[bytes], data: bytearray) -> None:
    with memoryview(data) as view:
        written = 0
        while written < len(view):
            written += file.write(view[written:])


def _end_of_lines(text: bytearray, limit: int) -> tuple[int, int]:
    """The end of the first lines, and their number, which is at most ``limit``."""
    lines = text.count(b"\n")
    if lines <= limit:
        return text.rfind(b"\n") + 1, lines
    end = 0
    for _ in range(limit):
        end = text.find(b"\n", end) + 1
    return end, limit


HELD: Final = "c4.memory"
"""The key of a request's :class:`RequestMemory` in its scope."""


class MemoryQuota:
    """The memory that all requests share. For the event loop only."""

    def __init__(self, most: int, most_per_client: int) -> None:
        self._most = most
        self._most_per_client = most_per_client
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """Number of bytes in use."""
        return self._taken.total()

    def take(self, client: str, size: int) -> None:
        """Reserve bytes for a client; raise an :class:`ApiError` if too few are free."""
        if self._taken[client] + size > self._most_per_client:
            raise too_many(
                f"your requests hold {self._taken[client]:,} bytes of memory and this one needs "
                f"{size:,} more, but the limit for one client is {self._most_per_client:,}; wait "
                "until another of your requests ends"
            )
        if self.taken + size > self._most:
            raise unavailable(
                f"the requests of all clients hold {self.taken:,} bytes of memory, and "
                f"the limit is {self._most:,}; try again later"
            )
        self._taken[client] += size

    def give_back(self, client: str, size: int) -> None:
        """Release bytes of a client."""
        self._taken[client] -= size
        if not self._taken[client]:
            del self._taken[client]


class RequestMemory:
    """The memory that one request holds, until it is answered."""

    def __init__(self, room: MemoryQuota, client: str) -> None:
        self._room = room
        self._client = client
        self._size = 0

    def take(self, size: int) -> None:
        """Reserve more bytes."""
        if size:
            self._room.take(self._client, size)
            self._size += size

    def close(self) -> None:
        """Release all bytes."""
        if self._size:
            self._room.give_back(self._client, self._size)
            self._size = 0


def memory_of_request(scope: Mapping[str, Any]) -> RequestMemory:
    """The memory that a request holds."""
    found: RequestMemory = scope[HELD]
    return found


class Memory(HttpMiddleware):
    """Middleware that gives each request its :class:`RequestMemory`."""

    def __init__(self, app: ASGIApp, room: MemoryQuota) -> None:
        super().__init__(app)
        self._room = room

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; release its memory at the end."""
        client = scope["client"][0] if scope.get("client") else ""
        scope[HELD] = holding = RequestMemory(self._room, client)
        try:
            await self._app(scope, receive, send)
        finally:
            holding.close()


class DiskQuota:
    """The disk space that all clients share. For the event loop only."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.taken = 0
        """Number of bytes in use."""

    def take(self, size: int) -> bool:
        """Reserve bytes; return False if too few are free."""
        if self.taken + size > self._most:
            return False
        self.taken += size
        return True

    def give_back(self, size: int) -> None:
        """Release bytes."""
        self.taken -= size

    def refusal(self) -> ApiError:
        """The error if no space is left: a 503 with ``Retry-After``."""
        return unavailable(
            f"waiting requests use all {self._most:,} bytes of disk space for bodies; "
            "try again later"
        )

    def check(self) -> None:
        """Raise an :class:`ApiError` if no space is left."""
        if self.taken >= self._most:
            raise self.refusal()
