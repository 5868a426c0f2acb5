"""Connections of clients that are slow, careless or hostile, on real sockets."""

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("httptools")

import uvicorn

from tests.support.running.waiting import AT_ONCE_SECONDS
from web.serving import protocol
from web.settings import Limits

LIMITS = Limits(connections=3, read_seconds=0.2)
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def answer(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 (ASGI)
    """``/`` says hello, ``/echo`` sends a body back, ``/refuse`` reads none, ``/slow`` waits."""
    assert scope["type"] == "http"
    body = b"hello"
    if scope["path"] == "/echo":
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
    elif scope["path"] == "/slow":
        await asyncio.sleep(0.3)
    status = 413 if scope["path"] == "/refuse" else 200
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-length", str(len(body)).encode())],
        }
    )
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server with little patience."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(protocol, "LINGER_SECONDS", 0.2)
    config = uvicorn.Config(
        answer,
        http=protocol.protocol_for(LIMITS),
        ws="none",
        lifespan="off",
        log_config=None,
        timeout_keep_alive=1,
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.005)
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(10)


@contextlib.contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        yield client


def read_all(client: socket.socket) -> bytes:
    """All that the server says before it closes the connection."""
    received = b""
    while piece := client.recv(65536):
        received += piece
    return received


def exchange(port: int, *pieces: bytes) -> bytes:
    with connected(port) as client:
        for piece in pieces:
            client.sendall(piece)
        return read_all(client)


def refusal(answer: bytes) -> tuple[int, str]:
    """The status and the message of an answer that is an error."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    error = json.loads(body)
    assert error["field"] is None
    return int(head.split()[1]), error["error"]


def test_a_request_and_the_next(port: int) -> None:
    with connected(port) as client:
        for _ in range(3):
            client.sendall(GET)
            assert client.recv(1000).endswith(b"\r\n\r\nhello")


def test_pipelined_requests_are_answered_in_order(port: int) -> None:
    echo = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n%03d"
    last = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    received = exchange(port, b"".join(echo % number for number in range(200)) + last)
    bodies = [part[:3] for part in received.split(b"\r\n\r\n")[1:-1]]
    assert bodies == [b"%03d" % number for number in range(200)]


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 40_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 101 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nA\x00: b\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
    ],
    ids=lambda value: str(value)[:30],
)
def test_heads_that_are_refused(port: int, request_head: bytes, status: int) -> None:
    assert refusal(exchange(port, request_head))[0] == status


def test_nonsense_does_not_fill_the_log(port: int, caplog: pytest.LogCaptureFixture) -> None:
    exchange(port, b"hello\r\n\r\n")
    upgrade = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n"
    exchange(port, upgrade)
    assert not [record for record in caplog.records if "request" in record.getMessage()]


def test_a_header_without_end(port: int) -> None:
    assert refusal(exchange(port, b"GET / HTTP/1.1\r\nA: ", b"b" * 300_000)) == (
        431,
        protocol.TOO_LARGE,
    )


def test_trailers_without_end(port: int) -> None:
    head = b"POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    assert refusal(exchange(port, head, b"A: b\r\n" * 1000))[0] == 431


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_stops(port: int, sent: bytes) -> None:
    begin = time.monotonic()
    assert refusal(exchange(port, sent))[0] == 408
    assert 0.2 < time.monotonic() - begin < AT_ONCE_SECONDS


def test_a_head_that_drips(port: int) -> None:
    """Bytes that come one by one do not make the server wait longer."""
    with connected(port) as client:
        with contextlib.suppress(OSError):  # it has ended the connection
            for byte in GET * 10:
                client.sendall(bytes([byte]))
                time.sleep(0.02)
        assert refusal(read_all(client))[0] == 408


def test_a_body_that_stops(port: int) -> None:
    head = b"POST /echo HTTP/1.1\r\nContent-Length: 10\r\n\r\n"
    assert refusal(exchange(port, head, b"12345"))[0] == 408


def test_a_body_that_comes_slowly(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"POST /echo HTTP/1.1\r\nContent-Length: 8\r\n\r\n")
        for byte in b"12345678":
            time.sleep(0.1)
            client.sendall(bytes([byte]))
        assert client.recv(1000).endswith(b"\r\n\r\n12345678")


def test_an_answer_that_takes_its_time(port: int) -> None:
    """It is the client who waits, whatever it has sent of its next request."""
    with connected(port) as client:
        client.sendall(GET.replace(b"/ ", b"/slow ") + b"GET / HT")
        assert client.recv(1000).endswith(b"\r\n\r\nhello")
        client.sendall(b"TP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000).endswith(b"\r\n\r\nhello")


def test_a_client_that_sends_on_gets_the_answer(port: int) -> None:
    """The body is not read: the client may be in its midst when the answer comes."""
    with connected(port) as client:
        client.sendall(b"POST /refuse HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        time.sleep(0.05)
        for _ in range(50):
            client.sendall(b"ffff\r\n" + b"a" * 0xFFFF + b"\r\n")
        assert read_all(client).startswith(b"HTTP/1.1 413 ")


def test_nonsense_after_a_request(port: int) -> None:
    received = exchange(port, GET.replace(b"/ ", b"/slow ") + b"nonsense\r\n\r\n")
    first, _, rest = received.partition(b"hello")
    assert first.startswith(b"HTTP/1.1 200 ")
    assert refusal(rest)[0] == 400


def test_nonsense_in_a_body(port: int) -> None:
    head = b"POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert refusal(exchange(port, head, b"3\r\nabc\r\nxyz\r\n"))[0] == 400


def test_more_connections_than_are_taken(port: int, until: Callable[..., None]) -> None:
    with contextlib.ExitStack() as at_end:
        for _ in range(3):
            client = at_end.enter_context(connected(port))
            client.sendall(GET)
            assert client.recv(1000).endswith(b"hello")
        assert refusal(exchange(port))[0] == 503
    until(lambda: exchange(port, GET).startswith(b"HTTP/1.1 200 "))


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Waits until something holds."""

    def wait(holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + 5
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    return wait


def test_a_client_that_does_not_read_is_cut(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "WRITE_SECONDS", 0.2)
    body = b"a" * 20_000_000
    with connected(port) as client:
        client.sendall(b"POST /echo HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.6)
        with contextlib.suppress(ConnectionResetError):
            assert len(read_all(client)) < len(body)


def test_a_switch_of_protocols_is_not_made(port: int) -> None:
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Key: eA==\r\n"
    received = exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\n" + upgrade + b"\r\n")
    assert received.startswith(b"HTTP/1.1 200 ")
