"""Hostile requests to a real server.

``tests/unit/web`` tests the parts that refuse them. The cases here need real bytes, or show that
``c4 serve`` uses those parts.
"""

import contextlib
import resource
from collections.abc import Iterator
from itertools import product

import pytest

from tests.support.lacking import leave_out
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
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.web_server import WebServer
from web.settings import Limits

MIB = 1 << 20


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


class TestHeads:
    @pytest.mark.parametrize(
        ("head", "status"),
        [
            (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n", 431),
            (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
            (b"\x00" * 10_000, 400),
        ],
        ids=["target", "headers", "version", "zeros"],
    )
    def test_bytes_that_are_not_http_are_refused(
        self, server: WebServer, head: bytes, status: int
    ) -> None:
        received = b""
        with connected(server) as client:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                client.sendall(head)
            received = read_all(client)
        assert refusal(received) == status

    def test_a_missing_host_is_refused(self, server: WebServer) -> None:
        received = exchange(server, b"GET /api/v1/players HTTP/1.0\r\n\r\n")
        assert status_of(received) in {400, 403}

    def test_other_methods_are_refused(self, server: WebServer) -> None:
        for method in ("PUT", "TRACE", "CONNECT", "BREW", "get"):
            request = get("/api/v1/position", method=method)
            assert refusal(exchange(server, request)) in {400, 405}, method


class TestTargets:
    @pytest.mark.parametrize(
        "target",
        [
            "/../../../../etc/passwd",
            "//etc/passwd",
            "/static/js/../../server.py",
            "/static/js/..%2f..%2fserver.py",
            "/static/js/..%5c..%5cserver.py",
            "/static/js/api.js%00.png",
            "/%ff%fe",
            "/static/js/%ED%A0%80",
            "/api/v1/jobs/../../../etc/passwd",
        ],
        ids=lambda target: target[:40],
    )
    def test_unknown_paths_are_refused(self, server: WebServer, target: str) -> None:
        received = exchange(server, get(target))
        assert refusal(received) in {400, 404}
        assert b"root:" not in received

    @pytest.mark.parametrize(
        ("target", "host", "statuses"),
        [
            ("http://evil.example/api/v1/players", "evil.example", {403}),
            ("evil.example:80", "evil.example", {400}),
            ("*", "localhost", {400, 404}),
            ("/solve?pos=%ff", "localhost", {400}),
            ("/solve?pos=" + "4" * 30_000, "localhost", {400}),
            ("/solve?" + "&".join(f"a{n}=1" for n in range(3000)), "localhost", {400}),
            ("/solve?pos=44;board=7x6", "localhost", {400}),
            ("/api/v1/position?grid=" + "%0a" * 5000, "localhost", {400}),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_bad_queries_are_refused(
        self, server: WebServer, target: str, host: str, statuses: set[int]
    ) -> None:
        assert refusal(exchange(server, get(target, host=host))) in statuses

    def test_a_target_that_is_not_ascii_is_refused(self, server: WebServer) -> None:
        assert status_of(exchange(server, get("/api/v1/jobs/\N{ARABIC-INDIC DIGIT ONE}"))) == 400


class TestBodies:
    def test_malformed_json_is_refused(self, server: WebServer) -> None:
        bodies = (b"", b'{"a":' * 100_000, b'{"moves": ' + b"9" * 100_000 + b"}")
        for path, body in product(POSTS, [*bodies, '{"moves": "44"}'.encode("utf-16")]):
            answered = server.ask(path, method="POST", body=body, headers=JSON_BODY)
            assert is_error(answered, 400), (path, body[:20])

    def test_a_body_with_a_huge_length_is_refused(self, server: WebServer) -> None:
        """The body is not read: the client has not even started to send it."""
        head = post("/api/v1/game", f"Content-Length: {1 << 40}", "Expect: 100-continue")
        assert refusal(exchange(server, head)) == 413

    def test_an_endless_body_is_refused(self, server: WebServer) -> None:
        with connected(server) as client:
            client.sendall(post("/api/v1/game", "Transfer-Encoding: chunked"))
            sent = 0
            with contextlib.suppress(OSError):  # the server has closed the connection
                for _ in range(200):
                    client.sendall(b"10000\r\n" + b"[" * 0x10000 + b"\r\n")
                    sent += 0x10000
            with contextlib.suppress(ConnectionResetError):
                assert status_of(read_all(client)) == 413
        assert sent >= MIB

    def test_a_body_of_the_largest_size_is_read(self, server: WebServer) -> None:
        """The body is read, and refused for its content."""
        body = b'{"moves": "' + b"4" * (MIB - 100) + b'"}'
        answered = server.ask("/api/v1/game", method="POST", body=body, headers=JSON_BODY)
        assert is_error(answered, 400)
        assert len(answered.body) < 1000  # the message does not repeat the complete value

    @pytest.mark.parametrize("path", [*POSTS, "/api/v1/batch"])
    def test_incomplete_requests(self, server: WebServer, path: str) -> None:
        body = b'{"moves": "4453", "player": "random", "kind": "analyze", "positions": ["44"]}\n'
        request = post(path, f"Content-Length: {2 * len(body)}") + 2 * body
        for share in (0.1, 0.5, 0.9, 0.99):
            for _ in range(5):
                with connected(server) as client:
                    client.sendall(request[: int(len(request) * share)])


HARD = b'{"moves": "", "board": "9x6"}\n'
LINE = b"%x\r\n%b\r\n" % (len(HARD), HARD)
DAY = "budget=86400"


@pytest.mark.parametrize(
    ("request_", "again"),
    [
        (get(f"/api/v1/position?board=9x6&{DAY}"), get("/api/v1/position?board=9x6&budget=0")),
        (
            post(f"/api/v1/batch?{DAY}", "Transfer-Encoding: chunked") + LINE,
            post("/api/v1/batch", "Content-Length: 0", "Connection: close"),
        ),
    ],
    ids=["position", "batch"],
)
def test_a_client_that_disconnects_ends_its_search(
    server: WebServer, request_: bytes, again: bytes
) -> None:
    def searches() -> int:
        """The number of requests that search, found without taking a place among them."""
        found: int = server.ask("/readyz").json["searches"]
        return found

    await_that(
        lambda: not searches(), seconds=HANG_SECONDS
    )  # the clients of other tests disconnected a moment ago
    with contextlib.ExitStack() as at_end:
        for _ in range(2):
            at_end.enter_context(connected(server)).sendall(request_)
        await_that(lambda: searches() == 2)
        refused = exchange(server, again)
        assert status_of(refused) == 429
        assert b"retry-after" in refused
    await_that(lambda: not searches())  # which would take a day
    assert status_of(exchange(server, again)) == 200


def test_a_slow_client_leaves_connections_to_others(server: WebServer) -> None:
    most = Limits().connections_per_client
    with contextlib.ExitStack() as at_end:
        for _ in range(most):
            client = at_end.enter_context(connected(server, "127.0.0.2"))
            client.sendall(post("/api/v1/game", "Content-Length: 100") + b"{")
        with connected(server, "127.0.0.2") as client:
            assert refusal(read_all(client)) == 429
        assert server.ask("/solve?pos=4453").status == 200


def test_a_proxy_names_the_client(server: WebServer) -> None:
    """Searches are counted for each client of the proxy."""
    searching = "GET /api/v1/position?board=9x6&%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
    known = "X-Forwarded-For: 10.9.9.9, 198.51.100.7\r\n"
    other = "X-Forwarded-For: 198.51.100.7, 198.51.100.8\r\n"

    def ask(client: str) -> int:
        request = searching % ("budget=0", client + "Connection: close\r\n")
        return status_of(exchange(server, request.encode()))

    with contextlib.ExitStack() as at_end:
        for _ in range(2):
            client = at_end.enter_context(connected(server))
            client.sendall((searching % (DAY, known)).encode())
        await_that(lambda: ask(known) == 429)
        assert ask(other) == 200
    await_that(lambda: ask(known) == 200)


def test_a_thousand_connections(server: WebServer) -> None:
    """They send nothing or half a head; all other clients are answered as usual."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1500:
        leave_out("this process may not have a thousand files open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    try:
        with contextlib.ExitStack() as at_end:
            for number in range(1000):
                client = at_end.enter_context(connected(server))
                if number % 2:
                    client.sendall(b"GET /solve?pos=44 HTTP/1.1\r\nHo")
            assert server.ask("/solve?pos=4453").status == 200
            clients = [at_end.enter_context(connected(server)) for _ in range(200)]
            for client in clients:  # all send before any reads an answer
                client.sendall(get("/solve?pos=4453"))
            assert {status_of(read_all(client)) for client in clients} == {200}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
