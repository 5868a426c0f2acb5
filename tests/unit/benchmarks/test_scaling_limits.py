"""What the costs of single steps make of a service: bounds that can be worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.scaling.costs import Cost, Costs, SharedCosts, UnitCost, UnitCosts
from benchmarks.scaling.limits import (
    LEASE_BEAT_SECONDS,
    Service,
    bound,
    demands,
    thread_limits,
    threads_of_a_process,
    unit_cycle,
)

COSTS = Costs(
    UnitCosts(
        plan=UnitCost(Cost(50e-6, 100e-6), Cost(1e-6, 2e-6)),
        claim=UnitCost(Cost(400e-6, 1e-3, 100e-6, 4)),
        solve=UnitCost(Cost(150e-6, 500e-6, 50e-6, 3), Cost(1e-6, 6e-6)),
        complete=UnitCost(Cost(1e-3, 3e-3, 200e-6, 16), Cost(7e-6, 4e-6)),
    ),
    SharedCosts(
        ring=Cost(40e-6, 500e-6, 0.0, 1),
        take=Cost(90e-6, 1e-3, 0.0, 3),
        heartbeat=Cost(300e-6, 700e-6),
        turn=Cost(130e-6, 800e-6),
        beat=Cost(500e-6, 2e-3),
        sweep=Cost(2e-3, 12e-3),
        poll=Cost(300e-6),
    ),
)
NOTHING = Costs()


def cost_of(**phases: Cost) -> Costs:
    """Nothing costs anything but these phases of a unit."""
    return Costs(UnitCosts(**{name: UnitCost(cost) for name, cost in phases.items()}))


def test_threads_that_pay_for_nothing_only_search() -> None:
    most = bound(NOTHING, Service(workers=8, threads=2, unit_seconds=0.5))
    assert most.units_per_second == pytest.approx(16 / 0.5)
    assert most.searching == pytest.approx(1.0)
    assert most[2:] == (0.0, 0.0, 0.0, 0.0)
    assert thread_limits(NOTHING, Service()).least == math.inf


def test_one_thread_pays_for_every_part_of_a_unit_one_after_the_other() -> None:
    service = Service(unit_seconds=0.01, unit_positions=100, distance=1e-3)
    unit, shared = COSTS.unit, COSTS.shared
    parts = [unit.claim.of(100), unit.solve.of(100), unit.complete.of(100)]
    cycle = 0.01 + sum(
        part.server + part.client + part.wait + 1e-3 * part.round_trips
        for part in [*parts, shared.ring, shared.take]
    )
    assert unit_cycle(COSTS, service) == pytest.approx(cycle)
    most = bound(COSTS, service)
    assert most.units_per_second == pytest.approx(1 / cycle)
    assert most.searching == pytest.approx(0.01 / cycle)


def test_distance_costs_its_round_trips() -> None:
    near, far = (unit_cycle(COSTS, Service(distance=distance)) for distance in (0.0, 0.1))
    assert far - near == pytest.approx(0.1 * (4 + 3 + 16 + 1 + 3))


@pytest.mark.parametrize("workers", [1, 10, 100])
def test_utilisation_is_what_the_units_and_the_workers_ask_for(workers: int) -> None:
    service = Service(workers=workers, threads=2, unit_seconds=0.5)
    most, asked = bound(COSTS, service), demands(COSTS, service)
    rate, threads = most.units_per_second, most.searching * 2 * workers
    database = (
        rate * (150e-6 + 400e-6 + 250e-6 + 1.7e-3)
        + threads * 300e-6 / LEASE_BEAT_SECONDS
        + workers * asked.database.worker
    )
    assert most.database * service.database_cores == pytest.approx(database)
    assert most.broker == pytest.approx(rate * 130e-6 + workers * 300e-6)
    assert most.planner == pytest.approx(rate * asked.planner.unit)
    python = (rate * asked.python.unit + threads * asked.python.searching) / workers
    assert most.python == pytest.approx(python + asked.python.worker)
    assert bound(COSTS, service, planned=True).planner == 0.0


@pytest.mark.parametrize(
    ("costs", "cores", "limit"),
    [
        (cost_of(complete=Cost(server=0.01)), 4, 400.0),
        (cost_of(plan=Cost(client=0.004, server=0.001)), 8, 200.0),
        (Costs(shared=SharedCosts(ring=Cost(0.001), take=Cost(0.004))), 8, 200.0),
    ],
    ids=["database", "planner", "broker"],
)
def test_throughput_ends_where_a_resource_does(costs: Costs, cores: int, limit: float) -> None:
    for threads in (100, 1_000):
        service = Service(workers=threads, database_cores=cores)
        alone = threads / unit_cycle(costs, service)
        assert bound(costs, service).units_per_second == pytest.approx(min(alone, limit))
    assert thread_limits(costs, Service(database_cores=cores)).least == pytest.approx(limit)


def test_a_job_that_was_planned_before_does_not_wait_for_the_planner() -> None:
    costs = cost_of(plan=Cost(client=0.1))
    service = Service(workers=100)
    assert bound(costs, service).units_per_second == pytest.approx(10)
    assert bound(costs, service).planner == pytest.approx(1.0)
    assert bound(costs, service, planned=True).units_per_second == pytest.approx(100)


def test_a_process_ends_where_its_python_does() -> None:
    costs = cost_of(complete=Cost(client=0.01))
    assert threads_of_a_process(costs, Service()) == pytest.approx(100)
    most = bound(costs, Service(threads=200))
    assert most.units_per_second == pytest.approx(100)
    assert most.python == pytest.approx(1.0)
    assert most.searching == pytest.approx(0.5)


def test_workers_that_ask_for_more_than_there_is_leave_nothing_for_units() -> None:
    costs = Costs(COSTS.unit, replace(COSTS.shared, poll=Cost(0.01)))
    assert bound(costs, Service(workers=99)).units_per_second > 0
    assert bound(costs, Service(workers=101)).units_per_second == 0.0
