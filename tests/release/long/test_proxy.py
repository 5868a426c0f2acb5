"""nginx with the configuration of ``deploy/nginx``, in front of a real server.

With two of them in a row, clients connect to the outer one, which connects to the inner one.
"""

import json
import re
import urllib.request
from collections.abc import Iterator

import pytest

from tests.support.lacking import leave_out
from tests.support.running.nginx import Nginx
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import WebServer
from web.settings import Limits


@pytest.fixture(scope="module")
def nginx() -> Iterator[Nginx]:
    if Nginx.program() is None:
        leave_out("nginx is not installed")
    options = ("--table-mb=1", "--token=t", "--allow-host=c4.example", "--trust-proxy=127.0.0.1")
    with WebServer(*options) as web, Nginx(web) as running:
        yield running


def exchange(nginx: Nginx, *sent: bytes) -> bytes:
    """Send bytes, and read until the proxy closes the connection."""
    received = b""
    with nginx.connected() as client:
        for piece in sent:
            client.sendall(piece)
        while piece := client.recv(65536):
            received += piece
    return received


def get(path: str, *headers: str) -> bytes:
    named = ("Host: c4.example", "Connection: close", *headers)
    return "\r\n".join([f"GET {path} HTTP/1.1", *named, "", ""]).encode()


def test_requests_pass(nginx: Nginx) -> None:
    assert json.loads(exchange(nginx, get("/solve?pos=44")).rpartition(b"\r\n")[2])["score"]
    assert b" 404 " in exchange(nginx, get("/metrics")).splitlines()[0]
    forged = exchange(nginx, get("/solve?pos=44", "X-Forwarded-For: 10.0.0.1"))
    assert forged.startswith(b"HTTP/1.1 200 ")


CLIENT, OTHER, OUTER = "127.0.0.21", "127.0.0.22", "127.0.0.31"
SERVER = ("--table-mb=1", "--token=t", "--allow-host=c4.example", "--rate=0.01")
BURST = Limits().burst
FORGED = f"X-Forwarded-For: 198.51.100.7, {OUTER}"


def statuses(proxy: Nginx, client: str, count: int) -> list[int]:
    """The statuses of requests that a client sends on one connection, with a forged header."""
    asked = get("/solve?pos=44", FORGED)
    last = asked.replace(b"pos=44", b"pos=45")
    sent = asked.replace(b"Connection: close\r\n", b"") * (count - 1) + last
    received = b""
    with proxy.connected(client) as connection:
        connection.sendall(sent)
        while piece := connection.recv(65536):
            received += piece
    return list(map(int, re.findall(rb"HTTP/1\.1 (\d+)", received)))


@pytest.mark.parametrize("is_outer_trusted", [True, False])
def test_of_two_proxies_the_outer_ones_client_counts(*, is_outer_trusted: bool) -> None:
    """If the outer proxy is not trusted, all its clients count as one client."""
    if Nginx.program() is None:
        leave_out("nginx is not installed")
    trusted = ("127.0.0.1", OUTER) if is_outer_trusted else ("127.0.0.1",)
    options = [*SERVER, *(f"--trust-proxy={address}" for address in trusted)]
    with WebServer(*options) as web, Nginx(web) as inner, Nginx(inner, source=OUTER) as outer:
        answered = statuses(outer, CLIENT, BURST + 20)
        assert answered == [200] * BURST + [429] * 20
        assert statuses(outer, OTHER, 1) == [200 if is_outer_trusted else 429]


def test_a_slow_head_is_ended(nginx: Nginx) -> None:
    with nginx.connected() as client:
        client.sendall(b"GET / HTTP/1.1\r\nHo")
        assert b" 200 " not in client.recv(65536)
    assert b" 400 " in exchange(nginx, get("/", "A: " + "b" * 40_000)).splitlines()[0]


def test_a_batch_is_answered_line_by_line(nginx: Nginx) -> None:
    with nginx.connected() as client:
        head = b"POST /api/v1/batch?columns=false HTTP/1.1\r\nHost: c4.example\r\n"
        client.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n4453\n\r\n")
        received = b""
        while b'"score"' not in received:  # the body has not ended
            piece = client.recv(65536)
            assert piece
            received += piece


def test_the_page_may_send_requests(nginx: Nginx) -> None:
    body = json.dumps({"kind": "analyze", "moves": "44"}).encode()
    headers = {
        "Host": "c4.example",
        "Origin": "https://c4.example",
        "Authorization": "Bearer t",
        "Content-Type": "application/json",
    }
    asked = urllib.request.Request(f"{nginx.url}/api/v1/jobs", body, headers)
    with urllib.request.urlopen(asked, timeout=HANG_SECONDS) as answer:
        assert answer.status == 201
