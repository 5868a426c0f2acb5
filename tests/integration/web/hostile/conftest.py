"""One server for all requests that no program of good will sends.

After each test it has to answer as quickly as ever; at the end it must not have said anything about
a fault of its own, nor have grown.
"""

import time
from collections.abc import Iterator

import pytest

from tests.support.running.web_server import WebServer

AT_ONCE_SECONDS = 2.0
GROWTH_MB = 60.0


@pytest.fixture(scope="package")
def server() -> Iterator[WebServer]:
    """A server without a limit for the number of requests: the tests would reach it."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    with WebServer("--rate=0", "--table-mb=1") as running:
        running.ask("/api/v1/position?moves=4453")
        before = running.resident_mb
        yield running
        assert "Traceback" not in running.said
        assert "a fault in c4" not in running.said
        assert running.resident_mb < before + GROWTH_MB


@pytest.fixture(autouse=True)
def alive(server: WebServer) -> Iterator[None]:
    """After a test the server answers at once."""
    yield
    begin = time.monotonic()
    assert server.ask("/solve?pos=4453").status == 200
    assert time.monotonic() - begin < AT_ONCE_SECONDS
