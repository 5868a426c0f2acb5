"""Attacks by one client on a real server: its memory, and the delay of another client.

Each attack is bounded in number and time.
"""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import product

import pytest

from tests.support.running.raw_http import connected, status_of
from tests.support.running.waiting import needs_proc
from tests.support.running.web_server import WebServer

ATTACKER, OTHER = "127.0.0.9", "127.0.0.10"
ATTACK_SECONDS = 4.0
MOST_MB = 40.0
"""Limit for the additional memory of an attack."""
MOST_SECONDS = 2.0
"""Limit for the delay of another client, also on a busy machine; without limits, attacks caused
delays of 4 to 10 seconds."""
METRICS = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer("--table-mb=1", "--rate=0") as running:
        running.ask("/solve?pos=4453")
        yield running
        assert "Traceback" not in running.said
        assert "a fault in c4" not in running.said


def longest_delay(server: WebServer, seconds: float) -> float:
    """The longest time in which another client gets an answer."""
    longest, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        with connected(server, OTHER) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert status_of(client.recv(65536)) == 200
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.05)
    return longest


@needs_proc
def test_requests_sent_ahead_wait_outside_the_server(server: WebServer) -> None:
    """12 connections send 8,000 requests each, and read no answer."""
    sent = METRICS.replace(b"metrics", b"api/v1/openapi.json") * 3 + METRICS * 8_000
    before = server.resident_mb
    with ExitStack() as at_end:
        for _ in range(12):
            client = at_end.enter_context(connected(server, ATTACKER))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.setblocking(False)
            with suppress(BlockingIOError):
                client.send(sent)
        assert longest_delay(server, ATTACK_SECONDS) < MOST_SECONDS
        assert server.resident_mb < before + MOST_MB


UPGRADES = ("foo", "websocket", "h2c")
PATHS = ("POST /api/v1/move", "POST /api/v1/batch", "POST /kaggle", "GET /healthz")


@pytest.mark.parametrize("upgrade", UPGRADES)
def test_a_body_after_an_upgrade_is_not_a_request(server: WebServer, upgrade: str) -> None:
    for path, is_chunked in product(PATHS, (False, True)):
        framing = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {len(METRICS)}"
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(METRICS), METRICS) if is_chunked else METRICS
        head = f"{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Connection: Upgrade\r\nUpgrade: {upgrade}\r\n{framing}\r\n\r\n"
        last = b"GET /solve?pos=44 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with connected(server) as client:
            client.sendall(head.encode())
            received = client.recv(1) if path.startswith("GET") else b""
            client.sendall(body + last)
            while piece := client.recv(65536):
                received += piece
        assert len(re.findall(rb"HTTP/1\.1 \d+", received)) == 2, path
        assert b"c4_web" not in received
        assert b'"score"' in received
