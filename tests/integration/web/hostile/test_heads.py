"""What is hardly HTTP, for another host, or from a page of another."""

import contextlib
import json

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

KAGGLE = b"POST /kaggle HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
BOTH_LENGTHS = KAGGLE + b"Transfer-Encoding: chunked\r\n\r\n{}"
TWO_LENGTHS = KAGGLE + b"Content-Length: 3\r\n\r\n{}"


@pytest.mark.parametrize(
    "head",
    [
        b"GET /solve?pos=44 HTTP/1.1\r\n" + b"A: b\r\n" * 10_000 + b"\r\n",
        b"GET /solve?pos=44 HTTP/1.1\r\nHost: localhost\r\nA: " + b"b" * 1_000_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /solve?pos=44 HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        BOTH_LENGTHS,
        TWO_LENGTHS,
        b"POST /kaggle HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00" * 10_000,
    ],
    ids=lambda head: str(head[:40]),
)
def test_what_is_hardly_http(server: WebServer, head: bytes) -> None:
    received = b""
    with connected(server) as client, contextlib.suppress(ConnectionResetError, BrokenPipeError):
        client.sendall(head)
        received = read_all(client)
    assert status_of(received) in {400, 414, 431}
    assert is_error_object(received.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "[::2]"],
)
def test_another_host(server: WebServer, host: str) -> None:
    """A name of a stranger that leads here (DNS rebinding) does not make its pages trusted."""
    answered = server.ask("/api/v1/players", headers={"Host": host})
    assert is_error(answered, 400, 403)


def test_no_host(server: WebServer) -> None:
    assert status_of(exchange(server, b"GET /api/v1/players HTTP/1.0\r\n\r\n")) in {400, 403}


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost:1", "\xe9"])
@pytest.mark.parametrize("path", POSTS)
def test_pages_of_others(server: WebServer, path: str, origin: str) -> None:
    headers = {"Origin": origin, "Content-Type": "text/plain"}
    answered = server.ask(path, method="POST", body=b"{}", headers=headers)
    assert is_error(answered, 403)
    assert "access-control-allow-origin" not in answered.headers


def test_the_servers_own_pages(server: WebServer) -> None:
    headers = {"Origin": f"http://127.0.0.1:{server.port}", **JSON_BODY}
    body = b'{"moves": "44", "player": "random"}'
    answered = server.ask("/api/v1/move", method="POST", body=body, headers=headers)
    assert answered.status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "BREW", "get"])
def test_other_methods(server: WebServer, method: str) -> None:
    received = exchange(
        server,
        f"{method} /api/v1/position HTTP/1.1\r\nHost: localhost\r\n"
        "Connection: close\r\n\r\n".encode(),
    )
    assert status_of(received) in {400, 405}
    assert is_error_object(received.partition(b"\r\n\r\n")[2])


def test_pipelined_requests(server: WebServer) -> None:
    """Many requests in one piece are answered one after the other, in order."""
    moves = ["4" * (number % 6) for number in range(300)]
    requests = [f"GET /solve?pos={text} HTTP/1.1\r\nHost: localhost\r\n\r\n" for text in moves]
    requests[-1] = requests[-1].replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    received = exchange(server, "".join(requests).encode())
    decoder, text, answers = json.JSONDecoder(), received.decode(), []
    while (begin := text.find('{"pos"')) >= 0:
        answer, end = decoder.raw_decode(text[begin:])
        answers.append(answer["pos"])
        text = text[begin + end :]
    assert answers == moves
