"""Hostile requests and long batches to a real server.

``tests/unit/web`` tests the parts that refuse them. The cases here need real bytes, or show that
``c4 serve`` uses those parts.
"""

import contextlib
import json
from collections.abc import Iterator
from itertools import cycle, islice

import pytest

from tests.support.boards.games import random_games
from tests.support.running.raw_http import (
    JSON_BODY,
    POSTS,
    connected,
    exchange,
    is_error,
    is_error_object,
    read_all,
    status_of,
)
from tests.support.running.waiting import await_that, needs_proc
from tests.support.running.web_server import WebServer
from web.bodies import LARGEST_OBJECT

GROWTH_MB = 80.0
EASY = random_games(200, empty=6)
MANY = 20_000
MEMORY_MB = 80
"""Limit for the additional memory of any batch: its waiting lines, and a thousand lines of 5 kB in
several forms."""


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    """A server that accepts any number of requests; it must neither fail nor grow.

    Most tests use the address of a proxy, so that the server accepts any number of connections.
    """
    limits = ("--rate=0", "--searches=2", "--max-budget=86400")
    proxies = ("--trust-proxy=127.0.0.1", "--trust-proxy=10.0.0.0/8")
    options = (*limits, "--table-mb=1", *proxies)
    with WebServer(*options) as running:
        running.ask("/api/v1/position?moves=4453")
        before = running.resident_mb
        yield running
        assert "Traceback" not in running.said
        assert "a fault in c4" not in running.said
        assert running.resident_mb < before + GROWTH_MB


@pytest.fixture(autouse=True)
def alive(server: WebServer) -> Iterator[None]:
    """Check after each test that the server answers."""
    yield
    assert server.ask("/solve?pos=4453").status == 200


def refusal(received: bytes) -> int:
    """The status of an answer that must be an error."""
    assert is_error_object(received.partition(b"\r\n\r\n")[2])
    return status_of(received)


def get(target: str, *, method: str = "GET", host: str = "localhost") -> bytes:
    """A request without a body, the last of its connection."""
    return f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()


def post(path: str, *headers: str) -> bytes:
    """The head of a request with a JSON body."""
    named = ("Host: localhost", "Content-Type: application/json", *headers)
    return "\r\n".join([f"POST {path} HTTP/1.1", *named, "", ""]).encode()


REFUSED = {
    "no host": (b"GET /api/v1/players HTTP/1.0\r\n\r\n", {400, 403}),
    "another host": (get("/api/v1/players", host="evil.example"), {403}),
    "another address": (get("http://evil.example/", host="evil.example"), {403}),
    "no path": (get("evil.example:80", host="evil.example"), {403}),
    "asterisk": (get("*"), {400, 404}),
    "no UTF-8": (get("/solve?pos=%ff"), {400}),
    "semicolon": (get("/solve?pos=44;board=7x6"), {400}),
    "long value": (get("/solve?pos=" + "4" * 30_000), {400}),
    "many values": (get("/solve?" + "&".join(f"a{n}=1" for n in range(3000))), {400}),
    "many lines": (get("/api/v1/position?grid=" + "%0a" * 5000), {400}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_requests_are_refused(server: WebServer, name: str) -> None:
    request, statuses = REFUSED[name]
    assert refusal(exchange(server, request)) in statuses


def test_bodies_that_are_too_large_are_refused(server: WebServer) -> None:
    """The client of the first has not even started to send it; the second never ends."""
    head = post("/api/v1/game", f"Content-Length: {1 << 40}", "Expect: 100-continue")
    assert refusal(exchange(server, head)) == 413
    sent = 0
    with connected(server) as client:
        client.sendall(post("/api/v1/game", "Transfer-Encoding: chunked"))
        with contextlib.suppress(OSError):  # the server has closed the connection
            for _ in range(200):
                client.sendall(b"10000\r\n" + b"[" * 0x10000 + b"\r\n")
                sent += 0x10000
        assert status_of(client.recv(65536)) == 413
    assert sent >= LARGEST_OBJECT


def test_a_body_of_the_largest_size_is_read(server: WebServer) -> None:
    """The body is read, and refused for its content."""
    body = b'{"moves": "' + b"4" * (LARGEST_OBJECT - 100) + b'"}'
    answered = server.ask("/api/v1/game", method="POST", body=body, headers=JSON_BODY)
    assert is_error(answered, 400)
    assert len(answered.body) < 1000  # the message does not repeat the complete value


@pytest.mark.parametrize("path", [*POSTS, "/api/v1/batch"])
def test_incomplete_requests(server: WebServer, path: str) -> None:
    body = b'{"moves": "4453", "player": "random", "kind": "analyze", "positions": ["44"]}\n'
    request = post(path, f"Content-Length: {2 * len(body)}") + 2 * body
    for share in (0.1, 0.5, 0.9, 0.99):
        for _ in range(5):
            with connected(server) as client:
                client.sendall(request[: int(len(request) * share)])


HARD = b'{"moves": "", "board": "9x6"}\n'
KNOWN = "X-Forwarded-For: 203.0.113.9, 198.51.100.7, 10.1.2.3"
OTHER = "X-Forwarded-For: 198.51.100.7, 198.51.100.8"
"""Two proxies in a row, and one; addresses before the last one that is not a proxy are forged."""
SEARCH = "GET /api/v1/position?board=9x6&budget={} HTTP/1.1\r\nHost: localhost\r\n{}\r\n\r\n"
CHUNKED = (KNOWN, "Transfer-Encoding: chunked")


@pytest.mark.parametrize(
    "request_",
    [
        SEARCH.format(86400, KNOWN).encode(),
        post("/api/v1/batch?budget=86400", *CHUNKED) + b"%x\r\n%b\r\n" % (len(HARD), HARD),
    ],
    ids=["position", "batch"],
)
def test_a_client_that_disconnects_ends_its_search(server: WebServer, request_: bytes) -> None:
    """Searches are counted for each client of the proxies."""

    def searches() -> int:
        """The number of requests that search, found without taking a place among them."""
        found: int = server.ask("/readyz").json["searches"]
        return found

    def ask(client: str) -> bytes:
        return exchange(server, SEARCH.format(0, f"{client}\r\nConnection: close").encode())

    await_that(lambda: not searches())  # the clients of other tests disconnected a moment ago
    with contextlib.ExitStack() as at_end:
        for _ in range(2):
            at_end.enter_context(connected(server)).sendall(request_)
        await_that(lambda: searches() == 2)
        assert status_of(ask(KNOWN)) == 429
        assert b"retry-after" in ask(KNOWN)
        assert status_of(ask(OTHER)) == 200
    await_that(lambda: not searches())  # which would take a day
    assert status_of(ask(KNOWN)) == 200


def test_only_a_proxy_names_the_scheme(server: WebServer) -> None:
    """127.0.0.1 is a trusted proxy, 127.0.0.2 is not."""
    asked = b"GET /?pos=44 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    for address, scheme in (("127.0.0.1", b"https"), ("127.0.0.2", b"http")):
        with connected(server, address) as client:
            client.sendall(asked + b"X-Forwarded-Proto: https\r\n\r\n")
            assert b'content="%s://localhost/api' % scheme in read_all(client)


@needs_proc
def test_many_lines_take_constant_memory(server: WebServer) -> None:
    """Lines and answers are several times as large as the memory limit."""
    moves = list(islice(cycle(EASY), MANY))
    asked = [{"id": f"{number:5000d}", "moves": each} for number, each in enumerate(moves)]
    server.ask("/api/v1/batch", method="POST", body=EASY[0].encode())
    before = highest = server.resident_mb
    lines = [json.dumps(one).encode() for one in asked]
    for place, (one, shown) in enumerate(zip(asked, server.batch(lines), strict=True)):
        assert (shown["id"], shown["moves"]) == (one["id"], one["moves"])
        if not place % 100:
            highest = max(highest, server.resident_mb)
    assert highest - before < MEMORY_MB


def test_lines_are_answered_before_the_next_are_sent(server: WebServer) -> None:
    with connected(server) as client:
        client.sendall(
            b"POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        received = client.makefile("rb")
        for number, moves in enumerate(EASY[:5]):
            line = json.dumps({"id": number, "moves": moves}).encode() + b"\n"
            client.sendall(b"%x\r\n%b\r\n" % (len(line), line))
            if not number:
                assert received.readline().startswith(b"HTTP/1.1 200")
                while received.readline().strip():
                    pass
            size = int(received.readline(), 16)
            shown = json.loads(received.read(size))
            received.readline()
            assert (shown["id"], shown["moves"]) == (number, moves)
