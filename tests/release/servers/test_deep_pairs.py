"""Comparing ``c4 deep`` by real workers with one search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.deep.pairs import Pair, compare, line

if TYPE_CHECKING:
    from tests.conftest import GivenServer
    from tests.support.running.databases import PostgresDatabases


@pytest.mark.servers
def test_two_workers_and_one_search_find_the_same_score(
    postgres_server: PostgresDatabases, redis_server: GivenServer
) -> None:
    with postgres_server.database(initialised=True) as url:
        pair = compare("6x5", url, redis_server.url, workers=2, table_mb=1)
    assert pair.board == "6x5"
    assert pair.single_nodes > 10_000
    assert pair.nodes > 10_000
    assert 0 < pair.single_seconds < 60
    assert 0 < pair.seconds < 60


def test_a_line_has_medians_and_the_range() -> None:
    found = [
        Pair("7x7", seconds, 1000, 10.0, nodes)
        for seconds, nodes in ((15.0, 900), (20.0, 1100), (12.0, 1000))
    ]
    assert line(found) == "| 7x7 | 15.0 s | 10.0 s | 1.50 (1.20 to 2.00) | 1.00 |"
