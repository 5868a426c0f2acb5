"""Connections of slow, careless or hostile clients, on real sockets.

The server's clock stands still until the test advances it. So no timeout comes too early, and each
comes exactly when the test expects it.
"""

import asyncio
import contextlib
import gc
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, Self

import pytest
import uvicorn

from tests.support.running.command_line import ROOT
from tests.support.running.raw_http import connected, exchange, read_all
from tests.support.running.waiting import HANG_SECONDS
from web import protocol
from web.server import TURN_SECONDS, short_switch_interval
from web.settings import Limits

LIMITS = Limits(connections=3, read_seconds=20)
KEEP_ALIVE_SECONDS = 7
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = b"a" * 20_000_000


class SlowClock(asyncio.SelectorEventLoop):
    """An event loop whose clock is advanced by hand."""

    now = 1_000.0

    def time(self) -> float:
        return self.now


class Running:
    """A server in a thread, and its clock."""

    def __init__(self, limits: Limits = LIMITS, *proxies: str) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.loop = SlowClock()
        self.changed = threading.Condition()
        self.received = 0
        self.paused = 0
        self.may_answer = asyncio.Event()
        """``/slow`` waits for it."""
        config = uvicorn.Config(
            self._answer,
            http=self._observed(protocol.protocol_for(limits, frozenset(proxies))),
            interface="asgi3",
            ws="none",
            lifespan="off",
            log_config=None,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        serving = self._server.serve([self._listener])
        self._thread = threading.Thread(target=self.loop.run_until_complete, args=(serving,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End the server, which checks every tenth of a second whether it has to end."""
        self._server.should_exit = True
        while self._thread.is_alive():
            self.call(self._tick)
            self._thread.join(0.01)
        self.loop.close()
        self._listener.close()

    def turn_on(self, seconds: float) -> None:
        """Advance the server's clock, and wait until all due callbacks have run."""

        async def turn() -> None:
            self.loop.now += seconds
            for _ in range(2):  # turns of the event loop: it finds the due callbacks and runs them
                await asyncio.sleep(0)

        asyncio.run_coroutine_threadsafe(turn(), self.loop).result(HANG_SECONDS)

    def call(self, function: Any, *arguments: object) -> None:  # noqa: ANN401
        self.loop.call_soon_threadsafe(function, *arguments)

    def _tick(self) -> None:
        self.loop.now += 1

    def await_received(self, size: int) -> None:
        """Wait until the server has read this many bytes in total."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.received >= size, HANG_SECONDS)

    def await_paused(self) -> None:
        """Wait until the server cannot write because a client does not read."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.paused, HANG_SECONDS)

    def _observed(self, guarded: type[protocol.GuardedProtocol]) -> type:
        """The protocol, extended to report the bytes read and the pauses in writing."""
        running = self

        class Observed(guarded):  # type: ignore[misc, valid-type] (made at run time)
            def data_received(self, data: bytes) -> None:
                super().data_received(data)
                with running.changed:
                    running.received += len(data)
                    running.changed.notify_all()

            def pause_writing(self) -> None:
                super().pause_writing()
                with running.changed:
                    running.paused += 1
                    running.changed.notify_all()

        return Observed

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 (ASGI)
        """Answer a request.

        ``/`` says hello, ``/echo`` returns the body, ``/headers`` reads it and names its headers,
        ``/refuse`` reads no body, ``/slow`` waits, and ``/large`` exceeds the buffers of a
        connection.
        """
        assert scope["type"] == "http"
        body = LARGE if scope["path"] == "/large" else b"hello"
        if scope["path"] in {"/echo", "/headers"}:
            body, more = b"", True
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
            if scope["path"] == "/headers":
                body = b",".join(name for name, _ in scope["headers"])
        elif scope["path"] == "/slow":
            await self.may_answer.wait()
        status = 413 if scope["path"] == "/refuse" else 200
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture
def running() -> Iterator[Running]:
    with Running() as server:
        yield server


def read_to(client: socket.socket, end: bytes) -> bytes:
    """Read up to and including the given bytes."""
    received = b""
    while not received.endswith(end):
        piece = client.recv(65536)
        assert piece, received
        received += piece
    return received


def greeted(at_end: contextlib.ExitStack, running: Running, address: str = "127.0.0.1") -> Any:  # noqa: ANN401
    """A connection whose first request has been answered; it stays open to the end of the test."""
    client = at_end.enter_context(connected(running, address))
    client.sendall(GET)
    read_to(client, b"\r\n\r\nhello")
    return client


def refusal(answer: bytes) -> tuple[int, str]:
    """The status and the message of an error response."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    for name in (b"content-security-policy", b"x-content-type-options", b"cache-control"):
        assert b"\r\n%b: " % name in head
    error = json.loads(body)
    assert error["field"] is None
    return int(head.split()[1]), error["error"]


def test_a_connection_serves_several_requests(running: Running) -> None:
    with connected(running) as client:
        for _ in range(3):
            client.sendall(GET)
            read_to(client, b"\r\n\r\nhello")
        running.turn_on(KEEP_ALIVE_SECONDS)
        assert read_all(client) == b""  # the next request does not come


def test_pipelined_requests_are_answered_in_order(running: Running) -> None:
    echo = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n%03d"
    last = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    received = exchange(running, b"".join(echo % number for number in range(200)) + last)
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
        (b"POST /echo HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nA\x00: b\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        (b"\0" * 10_000, 400),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_heads_are_refused(running: Running, request_head: bytes, status: int) -> None:
    assert refusal(exchange(running, request_head))[0] == status


@pytest.mark.parametrize(
    "header",
    [
        *("Host: other", "Authorization: Bearer x", "Origin: http://x", "Sec-Fetch-Site: none"),
        *("Content-Type: text/csv", "Content-Encoding: gzip", "Expect: 100-continue"),
    ],
)
def test_repeated_headers_are_refused(running: Running, header: str) -> None:
    name = header.partition(":")[0].lower()
    head = f"POST /echo HTTP/1.1\r\n{name}: x\r\nA: b\r\n{header}\r\nConnection: close\r\n\r\n"
    told = refusal(exchange(running, head.encode()))
    assert told == (400, f"the header {name} is given more than once")


def test_trailers_are_not_headers(running: Running) -> None:
    """Holds even if the application reads the headers after the body."""
    head = b"POST /headers HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    trailers = b"Authorization: Bearer x\r\nOrigin: http://x\r\nHost: other\r\nA: b\r\n\r\n"
    last = b"GET /headers HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n"
    received = exchange(running, head + b"1\r\na\r\n0\r\n" + trailers + last)
    bodies = [part.partition(b"HTTP/")[0] for part in received.split(b"\r\n\r\n")[1:]]
    assert bodies == [b"host,transfer-encoding", b"host,connection"]


def test_upgrades_are_ignored_and_bad_requests_do_not_fill_the_log(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    exchange(running, b"hello\r\n\r\n")
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Key: eA==\r\n"
    received = exchange(running, b"GET / HTTP/1.1\r\nHost: x\r\n" + upgrade + b"\r\n")
    assert received.startswith(b"HTTP/1.1 200 ")
    assert not [record for record in caplog.records if "request" in record.getMessage()]


def test_an_endless_header_is_refused(running: Running) -> None:
    received = exchange(running, b"GET / HTTP/1.1\r\nA: " + b"b" * 300_000)
    assert refusal(received) == (431, protocol.TOO_LARGE)


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"0\r\n" + b"A: b\r\n" * 1000, 431), (b"3\r\nabc\r\nxyz\r\n", 400)],
    ids=["endless trailers", "malformed"],
)
def test_bad_bodies_are_refused(running: Running, body: bytes, status: int) -> None:
    head = b"POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert refusal(exchange(running, head + body))[0] == status


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        *((head, protocol.HEAD_SECONDS) for head in (b"", b"\r\n", b"GET / HT", GET[:-2])),
        (b"POST /echo HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345", LIMITS.read_seconds),
    ],
)
def test_an_incomplete_request_times_out(running: Running, sent: bytes, seconds: float) -> None:
    with connected(running) as client, contextlib.ExitStack() as at_end:
        client.sendall(sent)
        running.await_received(len(sent))
        greeted(at_end, running)  # the server accepts connections in order
        running.turn_on(seconds)
        assert refusal(read_all(client))[0] == 408


def test_a_slow_head_times_out(running: Running) -> None:
    """Single bytes do not extend the time limit."""
    with connected(running) as client:
        for number, byte in enumerate(GET[:4], start=1):
            client.sendall(bytes([byte]))
            running.await_received(number)
            running.turn_on(protocol.HEAD_SECONDS / 4)
        assert refusal(read_all(client))[0] == 408


def test_a_slow_body_times_out(running: Running) -> None:
    head = b"POST /echo HTTP/1.1\r\nContent-Length: 8\r\n\r\n"
    with connected(running) as client:
        client.sendall(head)
        for number, byte in enumerate(b"12345678"):
            running.await_received(len(head) + number)
            running.turn_on(0.9 * LIMITS.read_seconds)
            client.sendall(bytes([byte]))
        read_to(client, b"\r\n\r\n12345678")


def test_a_slow_answer_does_not_time_out(running: Running) -> None:
    """The client waits, even if it has sent a part of its next request."""
    sent = GET.replace(b"/ ", b"/slow ") + b"GET / HT"
    with connected(running) as client:
        client.sendall(sent)
        running.await_received(len(sent))
        running.turn_on(10 * protocol.HEAD_SECONDS)
        running.call(running.may_answer.set)
        read_to(client, b"\r\n\r\nhello")
        client.sendall(b"TP/1.1\r\nHost: x\r\n\r\n")
        read_to(client, b"\r\n\r\nhello")


def test_a_client_that_keeps_sending_gets_the_answer(running: Running) -> None:
    """The body is not read: the answer arrives while the client still sends."""
    with connected(running) as client:
        client.sendall(b"POST /refuse HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert client.recv(1, socket.MSG_PEEK)
        for _ in range(50):
            client.sendall(b"ffff\r\n" + b"a" * 0xFFFF + b"\r\n")
        answer = read_all(client)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert answer.count(b"\r\nconnection: close\r\n") == 1
        running.turn_on(protocol.LINGER_SECONDS)
        with pytest.raises(OSError):  # noqa: PT011 (a reset or a broken pipe: the connection is closed now)
            client.sendall(LARGE)


def test_a_malformed_next_request_is_refused(running: Running) -> None:
    sent = GET.replace(b"/ ", b"/slow ") + b"nonsense\r\n\r\n"
    with connected(running) as client:
        client.sendall(sent)
        running.await_received(len(sent))
        running.call(running.may_answer.set)
        first, _, rest = read_all(client).partition(b"hello")
    assert first.startswith(b"HTTP/1.1 200 ")
    assert refusal(rest)[0] == 400


def test_excess_connections_are_refused(running: Running) -> None:
    with contextlib.ExitStack() as at_end:
        clients = [greeted(at_end, running) for _ in range(3)]
        assert refusal(exchange(running, b""))[0] == 503
        running.turn_on(KEEP_ALIVE_SECONDS)
        for client in clients:
            assert read_all(client) == b""
        greeted(at_end, running)


def test_one_client_does_not_get_all_connections() -> None:
    limits = Limits(connections=5, connections_per_client=2)
    with Running(limits) as running, contextlib.ExitStack() as at_end:
        first, _ = greeted(at_end, running), greeted(at_end, running)
        for _ in range(10):  # these do not count for others, although they wait to be closed
            refused_connection = at_end.enter_context(connected(running))
            assert refusal(read_all(refused_connection))[0] == 429
        greeted(at_end, running, "127.0.0.2")
        first.close()
        greeted(at_end, running)  # the server learns of both in their order


def test_refused_connections_are_limited() -> None:
    with Running(Limits(connections=1)) as running, contextlib.ExitStack() as at_end:
        greeted(at_end, running)
        many = range(protocol.MOST_TURNED_AWAY + 10)
        answers = []
        for client in [at_end.enter_context(connected(running)) for _ in many]:
            with contextlib.suppress(ConnectionResetError):
                answers.append(read_all(client))
        told = [refusal(answer)[0] for answer in answers if answer]
        assert told == [503] * protocol.MOST_TURNED_AWAY


def test_a_proxy_has_connections_for_all_its_clients() -> None:
    limits = Limits(connections=5, connections_per_client=2)
    with Running(limits, "127.0.0.1") as running, contextlib.ExitStack() as at_end:
        for _ in range(5):
            greeted(at_end, running)
        assert refusal(exchange(running, b""))[0] == 503


def test_a_client_that_does_not_read_is_disconnected(running: Running) -> None:
    with connected(running) as client:
        client.sendall(GET.replace(b"/ ", b"/large "))
        running.await_paused()
        running.turn_on(protocol.WRITE_SECONDS)
        with contextlib.suppress(ConnectionResetError):
            assert len(read_all(client)) < len(LARGE)


PROGRAM = """
import resource
from web.server import room_for_connections
for limits in ((4096, 4096), (1024, 4096), (1024, 1500), (200, 200)):
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    print(room_for_connections(2000), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
"""A process of its own: a lowered limit cannot be raised again."""


def test_room_for_2000_connections() -> None:
    command = [sys.executable, "-c", PROGRAM]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    assert out.splitlines() == [
        "2000 4096",  # there is enough
        "2000 2256",  # it may be raised
        "1244 1500",  # cannot be raised far enough
        "1 200",
    ]


def test_settings_of_the_process_are_restored_at_the_end() -> None:
    before, frozen = sys.getswitchinterval(), gc.get_freeze_count()
    with short_switch_interval():
        assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
        assert gc.get_freeze_count() > frozen
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() <= frozen
