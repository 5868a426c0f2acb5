"""Bodies of requests that may be larger than memory: as lines while they arrive, and as a file.

A program that sends lines often reads no answer before it has sent the last one. If the server
stopped reading while its answers are not read, both would wait for ever. So what arrives faster
than it is answered goes to a file without a name, and only what is larger than :data:`MOST_ON_DISK`
makes the client wait. Memory is constant either way.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from starlette.requests import ClientDisconnect

from c4core.lines import MAX_LINE
from web.errors import ApiError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from starlette.requests import Request
    from starlette.types import Receive

CHUNK: Final = 64 * 1024
"""Bytes that are read from the file at a time."""

MOST_IN_MEMORY: Final = 256 * 1024
"""Bytes that are written to the file at a time, into the system's cache: less needs no file."""

MOST_ON_DISK: Final = 256 * 1024 * 1024
"""Bytes of a body that wait to be answered, or that are read as a whole: some ten million lines."""


class Block(NamedTuple):
    """Some whole lines of a body."""

    first: int
    """1-based number of the first."""
    text: bytes
    """The lines, each with its end. Of one that is too long there is as much as shows that."""


class BodyLines:
    """The lines of a body that arrives. Use it in a ``with`` block, on one event loop.

    Args:
        most: bytes that wait at most.
    """

    def __init__(self, *, most: int = MOST_ON_DISK) -> None:
        self._most = most
        self._head = bytearray()  # is taken first,
        self._file: IO[bytes] | None = None  # then what is in the file,
        self._tail = bytearray()  # then this
        self._read_to = self._written_to = 0
        self._open = 0  # bytes of the line that has not come to its end
        self._ready = 0  # lines that are whole and wait
        self._taken = 0
        self._has_ended = False
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drop what waits."""
        if self._file is not None:
            self._file.close()

    async def fill(self, receive: Receive) -> None:
        """Read the body, and go on until the client has gone away.

        Args:
            receive: of the request.
        """
        while (message := await receive())["type"] != "http.disconnect":
            if self._has_ended:
                continue
            body = message.get("body", b"")
            for start in range(0, len(body), MAX_LINE):
                self._feed(body[start : start + MAX_LINE])
            if not message.get("more_body", False):
                self._end()
            while self._written_to - self._read_to + len(self._tail) >= self._most:
                self._room.clear()
                await self._room.wait()

    async def take(self, limit: int) -> Block | None:
        """Some of the next lines, as soon as there is one; None at the end.

        Args:
            limit: lines at most.
        """
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

    def _feed(self, piece: bytes) -> None:
        """Take over a piece that is no longer than the longest line."""
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
        if len(self._tail) >= MOST_IN_MEMORY:
            self._spill()

    def _end(self) -> None:
        if self._open:
            self._tail += b"\n"
            self._ready += 1
        self._has_ended = True
        self._news.set()

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by __exit__)
        self._file.seek(self._written_to)
        self._file.write(self._tail)
        self._written_to += len(self._tail)
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
            self._file.seek(0)
            self._file.truncate()
            self._read_to = self._written_to = 0


def _end_of_lines(text: bytearray, limit: int) -> tuple[int, int]:
    """Where the first lines end, at most so many, and how many they are."""
    lines = text.count(b"\n")
    if lines <= limit:
        return text.rfind(b"\n") + 1, lines
    end = 0
    for _ in range(limit):
        end = text.find(b"\n", end) + 1
    return end, limit


def refuse_encoded(request: Request) -> None:
    """Refuse a body that is compressed: nobody knows how large it is.

    Raises:
        ApiError: 415.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ApiError(415, "the body must not be compressed")


async def read_whole(request: Request, *, most: int = MOST_ON_DISK) -> IO[bytes]:
    """The body as a file, at its beginning; the caller closes it.

    Args:
        request: whose body it is.
        most: bytes of the largest body.

    Raises:
        ApiError: 400, it has not arrived as a whole; 413, it is too large; 415, it is compressed.
    """
    refuse_encoded(request)
    too_large = ApiError(413, f"the body is larger than {most:,} bytes")
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:19]) > most:
        raise too_large
    with ExitStack() as on_failure:
        file = on_failure.enter_context(tempfile.SpooledTemporaryFile(MOST_IN_MEMORY))
        try:
            async for piece in request.stream():
                file.write(piece)
                if file.tell() > most:
                    break
        except ClientDisconnect:
            raise ApiError(400, "the body has not arrived as a whole") from None
        if file.tell() > most:
            raise too_large
        file.seek(0)
        on_failure.pop_all()
    return file
