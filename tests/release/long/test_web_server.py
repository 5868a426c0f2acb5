"""Clients of a real server that send very much or very little, for as long as possible."""

import contextlib
import time
from collections.abc import Iterator

import pytest

from tests.support.running.raw_http import connected, read_all, status_of
from tests.support.running.waiting import needs_proc
from tests.support.running.web_server import WebServer

MEMORY_MB = 40
"""Limit for the additional memory of any batch: its solver's table, and a few thousand lines."""
MIB = 1 << 20


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer("--no-book", "--table-mb=1", "--rate=0") as running:
        yield running
        assert "Traceback" not in running.said


@needs_proc
def test_a_batch_whose_answers_are_not_read(server: WebServer) -> None:
    """The server keeps a part of it in a file, then stops reading; its memory does not grow."""
    before = server.resident_mb
    with connected(server) as client:
        client.sendall(
            b"POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-ndjson\r\n\r\n"
        )
        piece = b"4453\n" * 10_000
        sent = 0
        # A server that is only slow ends the test early, and does not fail it.
        client.settimeout(10)
        with contextlib.suppress(OSError):  # the server accepts no more
            while sent < 400 * MIB:
                client.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n")
                sent += len(piece)
        assert sent < 400 * MIB
    assert server.resident_mb < before + MEMORY_MB


def test_slow_clients(server: WebServer) -> None:
    """Connections with a slow or incomplete head, or an incomplete body, are ended."""
    with connected(server) as dripping, connected(server) as stopped, connected(server) as body:
        stopped.sendall(b"GET /solve HTTP/1.1\r\nHost: loc")
        body.sendall(
            b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
        with pytest.raises(OSError):  # noqa: PT011, PT012 (a reset, or a broken pipe)
            for _ in range(240):
                dripping.sendall(b"G")
                time.sleep(0.5)
        assert [status_of(read_all(client)) for client in (stopped, body)] == [408, 408]
