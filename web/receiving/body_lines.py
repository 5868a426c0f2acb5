"""The lines of a body that may be larger than memory, while they arrive.

A program that sends lines often reads no answer before it has sent the last one. If the server
stopped reading while its answers are not read, both would wait for ever. So what arrives faster
than it is answered goes to a file without a name, and only what is larger than :data:`MOST_ON_DISK`
makes the client wait, or what finds no room beside the bodies of others. Memory is constant either
way.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from c4core.lines import MAX_LINE
from web.errors import hidden

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from starlette.types import Receive

    from web.receiving.disk_room import DiskRoom

CHUNK: Final = 64 * 1024
"""Bytes that are read from the file at a time."""

MOST_IN_MEMORY: Final = 256 * 1024
"""Bytes that are written to the file at a time, into the system's cache: less needs no file."""

MOST_ON_DISK: Final = 256 * 1024 * 1024
"""Bytes of a body that wait to be answered: some ten million lines."""

LOOK_SECONDS: Final = 0.25
"""A body that waits for room that others have looks so often whether there is some."""


class Block(NamedTuple):
    """Some whole lines of a body."""

    first: int
    """1-based number of the first."""
    text: bytes
    """The lines, each with its end. Of one that is too long there is as much as shows that."""


class BodyLines:
    """The lines of a body that arrives. Use it in a ``with`` block, on one event loop.

    Args:
        room: on disk, for all bodies.
        most: bytes of this one that wait at most.
    """

    def __init__(self, room: DiskRoom, *, most: int = MOST_ON_DISK) -> None:
        self._disk = room
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
            self._disk.give_back(self._written_to)

    async def fill(self, receive: Receive) -> None:
        """Read the body, and go on until the client has gone away.

        Args:
            receive: of the request.

        Raises:
            ApiError: 503, what waits cannot be written to the disk.
        """
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

    def _is_full(self) -> bool:
        """Whether the client has to wait. A file becomes smaller only when all of it was read."""
        waiting = self._written_to + len(self._tail)
        return waiting >= self._most or len(self._tail) >= MOST_IN_MEMORY

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
        self._spill_some()

    def _end(self) -> None:
        if self._open:
            self._tail += b"\n"
            self._ready += 1
        self._has_ended = True
        self._news.set()

    def _spill_some(self) -> None:
        """Write what has arrived to the file, if it is much and there is room."""
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
            raise hidden("what waits to be answered cannot be kept", error) from None
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
    """Where the first lines end, at most so many, and how many they are."""
    lines = text.count(b"\n")
    if lines <= limit:
        return text.rfind(b"\n") + 1, lines
    end = 0
    for _ in range(limit):
        end = text.find(b"\n", end) + 1
    return end, limit
