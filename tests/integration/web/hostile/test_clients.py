"""Clients that are slow, that leave, that are a thousand."""

import contextlib
import resource
import time

import pytest

from tests.support.lacking import leave_out
from tests.support.running.raw_http import POSTS, connected, read_all, status_of
from tests.support.running.waiting import AT_ONCE_SECONDS
from tests.support.running.web_server import WebServer


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("path", [*POSTS, "/api/v1/batch"])
def test_requests_that_are_cut(server: WebServer, path: str, share: float) -> None:
    body = b'{"moves": "4453", "player": "random", "kind": "analyze", "positions": ["44"]}\n' * 2
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    request = head.encode() + body
    for _ in range(20):
        with connected(server) as client:
            client.sendall(request[: int(len(request) * share)])


def test_clients_that_leave_before_the_answer(server: WebServer) -> None:
    """Their searches end: the ones that come after find a server with nothing to do."""
    target = "/api/v1/position?moves=&board=8x7&budget=30"
    for _ in range(20):
        with connected(server) as client:
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.02)
    begin = time.monotonic()
    while server.ask("/api/v1/position?moves=&board=8x7&budget=0.05").status == 429:
        assert time.monotonic() - begin < 20
        time.sleep(0.05)


def test_a_thousand_connections(server: WebServer) -> None:
    """They say nothing; whoever says something is answered as if they were not there."""
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
            for _ in range(50):
                begin = time.monotonic()
                assert server.ask("/solve?pos=4453").status == 200
                assert time.monotonic() - begin < AT_ONCE_SECONDS
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_thousand_clients_at_once(server: WebServer) -> None:
    """All send a request before any reads an answer."""
    request = b"GET /solve?pos=4453 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with contextlib.ExitStack() as at_end:
        clients = [at_end.enter_context(connected(server)) for _ in range(400)]
        for client in clients:
            client.sendall(request)
        assert {status_of(read_all(client)) for client in clients} == {200}


@pytest.mark.long
def test_slow_clients(server: WebServer) -> None:
    """A head that drips, and one that stops, are ended; a body that stops, too."""
    with connected(server) as dripping, connected(server) as stopped, connected(server) as body:
        for client in (dripping, stopped, body):
            client.settimeout(60)
        stopped.sendall(b"GET /solve HTTP/1.1\r\nHost: loc")
        body.sendall(
            b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
        begin = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - begin < 120:
                dripping.sendall(b"G")
                time.sleep(0.5)
        assert time.monotonic() - begin < 60
        assert [status_of(read_all(client)) for client in (stopped, body)] == [408, 408]
