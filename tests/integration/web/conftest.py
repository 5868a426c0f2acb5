"""One server for the tests of what real connections can do to it."""

from collections.abc import Iterator

import pytest

from tests.support.running.web_server import WebServer

GROWTH_MB = 60.0


@pytest.fixture(scope="package")
def server() -> Iterator[WebServer]:
    """A server that takes any number of requests. It must report no fault of its own, nor grow.

    The address of most tests is that of a proxy, so that it gets any number of connections.
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
