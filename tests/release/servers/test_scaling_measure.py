"""Measuring the costs of units and messages: all parts run, and the figures are plausible."""

from contextlib import ExitStack

import pytest

from benchmarks.scaling import measure, units
from benchmarks.scaling.meters import open_place
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import GivenServer


@pytest.mark.servers
def test_costs_are_measured(
    postgres_server: PostgresDatabases, redis_server: GivenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units, "UNITS", {units.FEW: 6, units.MANY: 2})
    monkeypatch.setattr(measure, "TIMES", 10)
    monkeypatch.setattr(measure, "MESSAGES", 30)
    monkeypatch.setattr(measure, "IDLE_SECONDS", 0.5)
    monkeypatch.setattr(measure, "THREADS", (1,))
    with postgres_server.database(initialised=True) as url, ExitStack() as at_end:
        place = open_place(url, redis_server.url, at_end)
        found = measure.measure_everything(place, rounds=1)
    for kind in ("analyze", "book"):
        costs = found.units[kind]
        for phase in (costs.plan, costs.claim, costs.solve, costs.complete):
            assert phase.of(100).client > 0
        assert costs.claim.each.round_trips >= 3
        assert found.sizes[kind].unit > 0
    assert found.sizes["analyze"].evaluation > 40
    assert found.shared.ring.server > 0
    assert found.shared.ring.round_trips >= 1
    assert found.connections[1] >= 2
