"""Bodies that are malformed, huge or without end."""

import contextlib
import json
import time
from http.client import HTTPConnection

import pytest

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
from tests.support.running.web_server import WebServer

MIB = 1 << 20
GROWTH_MB = 60.0


BODIES = {
    "empty": b"",
    "cut": b'{"moves": "44',
    "list": b"[1, 2]",
    "text": b'"44"',
    "null": b"null",
    "word": b"moves",
    "two": b"{} {}",
    "not UTF-8": b'{"moves": "\xff\xfe"}',
    "UTF-16": '{"moves": "44"}'.encode("utf-16"),
    "deep list": b"[" * 200_000,
    "deep object": b'{"a":' * 100_000,
    "NaN": b'{"moves": NaN}',
    "long number": b'{"moves": ' + b"9" * 100_000 + b"}",
    "NUL": b'{"moves": "4\\u00004"}',
    "half a pair": b'{"moves": "\\ud800"}',
    "moves are a list": b'{"moves": [4, 4]}',
    "moves are true": b'{"moves": true}',
    "strange board": b'{"moves": "", "board": "99999999999999999999x1"}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("path", POSTS)
def test_malformed_json(server: WebServer, path: str, body: bytes) -> None:
    answered = server.ask(path, method="POST", body=body, headers=JSON_BODY)
    assert is_error(answered, 400)


@pytest.mark.parametrize("path", ["/api/v1/game", "/api/v1/move"])
def test_another_type_of_body(server: WebServer, path: str) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answered = server.ask(path, method="POST", body=b"moves=44", headers=headers)
    assert is_error(answered, 415)


@pytest.mark.parametrize("path", POSTS)
def test_a_body_that_says_it_is_huge(server: WebServer, path: str) -> None:
    """Nothing of it is read: the client has not even begun to send it."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {1 << 40}\r\nExpect: 100-continue\r\n\r\n"
    )
    received = exchange(server, head.encode())
    assert status_of(received) == 413
    assert is_error_object(received.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("path", POSTS)
def test_a_body_without_end(server: WebServer, path: str) -> None:
    with connected(server) as client:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        sent = 0
        with contextlib.suppress(OSError):  # the server has had enough
            for _ in range(200):
                client.sendall(b"10000\r\n" + b"[" * 0x10000 + b"\r\n")
                sent += 0x10000
        with contextlib.suppress(ConnectionResetError):
            assert status_of(read_all(client)) == 413
    assert sent >= MIB


def test_a_body_of_the_largest_size(server: WebServer) -> None:
    """It is read, and refused for what is in it."""
    body = b'{"moves": "' + b"4" * (MIB - 100) + b'"}'
    answered = server.ask("/api/v1/game", method="POST", body=body, headers=JSON_BODY)
    assert is_error(answered, 400)
    assert len(answered.body) < 1000  # what is wrong is not said back as a whole


def test_batches_that_nobody_reads(server: WebServer) -> None:
    """The server keeps some of it in a file, then stops reading; its memory does not grow."""
    before = server.resident_mb
    with connected(server) as client:
        client.sendall(
            b"POST /api/v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: application/x-ndjson\r\n\r\n"
        )
        piece = b"4453\n" * 10_000
        sent, begin = 0, time.monotonic()
        client.settimeout(2)
        with contextlib.suppress(OSError):  # it takes no more
            while time.monotonic() - begin < 20:
                client.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n")
                sent += len(piece)
        assert sent < 400 * MIB
    assert server.resident_mb < before + GROWTH_MB


def test_a_batch_of_nonsense(server: WebServer) -> None:
    """Every line is answered, and the others are not troubled."""
    lines = [b"44", b"\xff\xfe", b"{", b"4" * 70_000, b"[" * 50_000, b"", b"{}", b"\x00", b"45"]
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"Content-Type": "application/x-ndjson"}
    with contextlib.closing(connection):
        connection.request("POST", "/api/v1/batch", b"\n".join(lines) + b"\n", headers)
        answer = connection.getresponse()
        objects = [json.loads(line) for line in answer.read().splitlines()]
    assert answer.status == 200
    assert len(objects) == len(lines)
    assert ["error" in one for one in objects] == [False] + [True] * 7 + [False]
