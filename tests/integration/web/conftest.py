"""One server for the tests with real connections."""

from collections.abc import Iterator

import pytest

from tests.support.running.web_server import WebServer

GROWTH_MB = 60.0


@pytest.fixture(scope="package")
def server() -> Iterator[WebServer]:
    """A server that accepts any number of requests; it must neither fail nor grow.

    Most tests use the address of a proxy, so that the server accepts any number of connections.
    """
    limits = ("--rate=0", "--searches=2", "--max-budget=86400")
    options = (*limits, "--table-mb=1", "--trust-proxy=127.0.0.1")
    with WebServer(*options) as running:
        running.ask("/api/v1/position?moves=4453")
        before = running.resident_mb
        yield running
        assert "Traceback" not in running.said
        assert "a fault in c4" not in running.said
        assert running.resident_mb < before + GROWTH_MB
