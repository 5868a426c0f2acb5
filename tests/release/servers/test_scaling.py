"""The costs of units are measured with a real worker."""

import pytest

from benchmarks.scaling import measure_at
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import GivenServer


@pytest.mark.servers
def test_costs_are_measured(postgres_server: PostgresDatabases, redis_server: GivenServer) -> None:
    with postgres_server.database(initialised=True) as url:
        found = measure_at(0.001, url, redis_server.url, units=6)
    assert 0 < found["search"] < found["unit"]
    # A unit needs six; the rest are periodic queries of the process, a few each second.
    assert 6 <= found["trips"] < 7 + 10 * found["unit"]
    assert found["server"] > 0
