"""Paths that lead out of the served files, and questions that make no sense."""

import pytest

from tests.support.running.raw_http import exchange, is_error_object, status_of
from tests.support.running.web_server import WebServer


@pytest.mark.parametrize(
    "target",
    [
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/js/../../server.py",
        "/js/..%2f..%2fserver.py",
        "/js/..%5c..%5cserver.py",
        "/js/%2e%2e/%2e%2e/server.py",
        "/style/....//....//server.py",
        "//etc/passwd",
        "/js//etc/passwd",
        "/js/%00",
        "/js/api.js%00.png",
        "/js/api.js/",
        "/js/",
        "/js",
        "/js/" + "a" * 5000,
        "/%ff%fe",
        "/js/%ED%A0%80",
        "/__init__.py",
        "/.git/config",
        "/api/v1/jobs/../../../etc/passwd",
        "/api/v1/matches/..%2f..%2fx",
    ],
)
def test_paths_that_lead_nowhere(server: WebServer, target: str) -> None:
    received = exchange(
        server,
        f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(),
    )
    head, _, body = received.partition(b"\r\n\r\n")
    assert status_of(head) in {400, 404, 405}
    assert is_error_object(body)
    assert b"root:" not in received


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://evil.example/api/v1/players", 403),
        ("evil.example:80", 400),
        ("*", 404),
        ("/solve?pos=%00", 400),
        ("/solve?pos=%ff", 400),
        ("/api/v1/position?moves=44&moves=45", 400),
        ("/solve?pos=" + "4" * 30_000, 400),
        ("/solve?" + "&".join(f"a{number}=1" for number in range(3000)), 400),
        ("/solve?pos=44;board=7x6", 400),
        ("/api/v1/jobs/99999999999999999999999999", 404),
        ("/api/v1/jobs/-1", 404),
        ("/api/v1/jobs/1e3", 404),
        ("/api/v1/jobs/٣", 404),
        ("/api/v1/position?moves=44&budget=NaN", 400),
        ("/api/v1/position?moves=44&budget=1e999", 400),
        ("/api/v1/position?moves=44&budget=-1", 400),
        ("/api/v1/position?key=99999999999999999999999", 400),
        ("/api/v1/position?grid=" + "%0a" * 5000, 400),
        ("/api/v1/evaluations?cursor=AAAA", 400),
        ("/api/v1/evaluations?limit=99999999999999999999", 400),
        ("/api/v1/games/1/99999999999999999999", 404),
    ],
    ids=lambda value: str(value)[:50],
)
def test_questions_that_make_no_sense(server: WebServer, target: str, status: int) -> None:
    host = "evil.example" if "evil" in target else "localhost"
    request = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    received = exchange(server, request.encode())
    if not target.isascii():
        assert status_of(received) == 400  # a target in other letters is no HTTP
        return
    assert status_of(received) in {status, 400 if status == 404 else status}
    assert is_error_object(received.partition(b"\r\n\r\n")[2])
