"""Lines from a descriptor, and whether the next one can be read without waiting."""

from __future__ import annotations

import os
import select

from cli.shell.streams import reading

CHUNK = 64 * 1024


class LineSource:
    """A descriptor that is read line by line.

    ``readline`` is that of a binary file, so that ``c4core.lines.read_lines`` can use it. The
    buffer of a file object would hide whether the next line can be read without waiting. That
    decides between answering at once (a person, a program that waits) and in batches (a file).

    Attributes:
        line: the line that was begun last, as it came, with its end; cut at the reader's limit.
    """

    def __init__(self, descriptor: int) -> None:
        self.line = b""
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._at_start = True
        self._at_end = False

    def readline(self, limit: int) -> bytes:
        """The next line with its end, or as much of it as the limit allows; empty at the end."""
        searched = 0
        while True:
            end = self._buffer.find(b"\n", searched, limit) + 1
            if end or len(self._buffer) >= limit or self._at_end:
                break
            searched = len(self._buffer)
            self._read()
        piece = bytes(self._buffer[: end or limit])
        del self._buffer[: len(piece)]
        if self._at_start:
            self.line = piece
        self._at_start = piece.endswith(b"\n")
        return piece

    def is_ready(self) -> bool:
        """Whether the next line, or the end, can be read without waiting."""
        if not self._at_end and b"\n" not in self._buffer and self._is_readable():
            self._read()
        return self._at_end or b"\n" in self._buffer

    def _is_readable(self) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(0))

    def _read(self) -> None:
        with reading("standard input"):
            chunk = os.read(self._descriptor, CHUNK)
        self._buffer += chunk
        self._at_end = not chunk
