"""Raw bytes to and from a server, for requests that no client library would send."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.web_server import Answered, WebServer

JSON_BODY = {"Content-Type": "application/json"}
"""Headers of a request with a JSON body."""
POSTS = ("/api/v1/game", "/api/v1/move", "/api/v1/jobs", "/kaggle")
"""Endpoints that accept such a request."""


@contextmanager
def connected(server: WebServer, address: str = "127.0.0.1") -> Iterator[socket.socket]:
    """A connection from an address of this machine."""
    with socket.create_connection(
        ("127.0.0.1", server.port), timeout=HANG_SECONDS, source_address=(address, 0)
    ) as client:
        yield client


def read_all(client: socket.socket) -> bytes:
    """Read until the connection is closed."""
    received = b""
    while piece := client.recv(65536):
        received += piece
    return received


def exchange(server: WebServer, request: bytes) -> bytes:
    """Send bytes, and read until the server closes the connection."""
    with connected(server) as client:
        client.sendall(request)
        return read_all(client)


def status_of(answer: bytes) -> int:
    """The status at the start of an answer."""
    return int(answer.split(b" ", 2)[1])


def is_error_object(body: bytes) -> bool:
    """Whether the answer is the JSON object that every error returns."""
    error = json.loads(body)
    return set(error) == {"error", "field"} and isinstance(error["error"], str)


def is_error(answered: Answered, *statuses: int) -> bool:
    """Whether the answer is an error object with one of the given statuses."""
    assert answered.status in statuses, answered
    assert answered.headers["content-type"].startswith("application/json"), answered
    return is_error_object(answered.body)
