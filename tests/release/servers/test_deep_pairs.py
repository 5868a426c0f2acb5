"""Comparing ``c4 deep`` by real workers with one search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.deep import compare

if TYPE_CHECKING:
    from tests.support.running.databases import PostgresDatabases
    from tests.support.running.server_process import GivenServer


@pytest.mark.servers
def test_two_workers_and_one_search_find_the_same_score(
    postgres_server: PostgresDatabases, redis_server: GivenServer
) -> None:
    with postgres_server.database(initialised=True) as url:
        pair = compare("6x5", url, redis_server.url, workers=2, table_mb=1)
    assert pair.board == "6x5"
    assert pair.single_nodes > 10_000
    assert pair.nodes > 10_000
    assert pair.single_seconds > 0
    assert pair.seconds > 0
