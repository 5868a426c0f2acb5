"""Batches through a real server: constant memory, in order, while they arrive."""

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle, islice

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.support.boards.games import random_games
from tests.support.running.waiting import await_that, needs_proc
from tests.support.running.web_server import WebServer

EASY = random_games(200, empty=6)
HARD = json.dumps({"moves": "", "board": "9x6"}).encode()
MANY = 20_000
VERY_MANY = 200_000
MEMORY_MB = 40
"""What a batch of any length may add: the table of its solver, and some thousand lines."""


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer("--no-book", "--table-mb=1", "--rate=0", "--searches=2") as started:
        yield started


def head(path: str = "/api/v1/batch") -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def connect(server: WebServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def lines_of(number: int) -> list[bytes]:
    return [moves.encode() for moves in islice(cycle(EASY), number)]


def searches(server: WebServer) -> int:
    """Requests that search, counted by one that does not: one that tries could take a place."""
    return server.ask("/readyz").json["searches"]


def check(server: WebServer, number: int) -> None:
    """All lines are sent before an answer is read: that must not stop the server."""
    server.ask("/api/v1/batch", method="POST", body=EASY[0].encode())
    before = highest = server.resident_mb
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with closing(connection):
        connection.request("POST", "/api/v1/batch", b"\n".join(lines_of(number)))
        answers = connection.getresponse()
        for place, moves in enumerate(lines_of(number)):
            shown = json.loads(answers.readline())
            assert shown["moves"] == moves.decode(), place
            if not place % 1000:
                highest = max(highest, server.resident_mb)
        assert answers.read() == b""
    assert highest - before < MEMORY_MB


@needs_proc
def test_many_lines_take_constant_memory(server: WebServer) -> None:
    check(server, MANY)


@pytest.mark.long
@needs_proc
def test_very_many_lines_take_constant_memory(server: WebServer) -> None:
    check(server, VERY_MANY)


def test_lines_are_answered_before_the_next_are_sent(server: WebServer) -> None:
    with connect(server) as client:
        client.sendall(head())
        received = client.makefile("rb")
        for number, moves in enumerate(EASY[:5]):
            client.sendall(chunk(json.dumps({"id": number, "moves": moves}).encode() + b"\n"))
            if not number:
                assert received.readline().startswith(b"HTTP/1.1 200")
                while received.readline().strip():
                    pass
            size = int(received.readline(), 16)
            shown = json.loads(received.read(size))
            received.readline()
            assert (shown["id"], shown["moves"]) == (number, moves)


def test_a_client_that_goes_away_ends_its_search(server: WebServer) -> None:
    await_that(lambda: not searches(server))  # clients of other tests went away a moment ago
    with contextlib.ExitStack() as at_end:
        for _ in range(2):
            client = at_end.enter_context(connect(server))
            client.sendall(head("/api/v1/batch?budget=30") + chunk(HARD + b"\n"))
        await_that(lambda: searches(server) == 2)
        refused = server.ask("/api/v1/batch", method="POST", body=b"")
        assert refused.status == 429
        assert refused.headers["retry-after"]
    began = time.monotonic()
    await_that(lambda: not searches(server))
    assert time.monotonic() - began < 20  # the searches would take 30
    assert server.ask("/api/v1/batch", method="POST", body=b"").status == 200


def test_a_body_that_is_cut_off_leaves_the_server_well(server: WebServer) -> None:
    for _ in range(3):
        with connect(server) as client:
            client.sendall(head() + b"ffff\r\n4453\n44")
    line = EASY[0].encode()
    await_that(lambda: server.ask("/api/v1/batch", method="POST", body=line).status == 200)
    assert "Traceback" not in server.said
