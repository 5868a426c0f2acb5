"""The simulated service: held against limits that can be worked out without a simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.scaling.costs import Cost, Costs, SharedCosts, UnitCost, UnitCosts
from benchmarks.scaling.limits import demands, thread_limits, threads_of_a_process
from benchmarks.scaling.model import Activity, Scenario, Service

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
    scenario = Scenario(workers=8, threads=2, unit_seconds=0.5, unit_spread=0.3)
    outcome = Service(NOTHING, scenario).run(10, 200)
    assert outcome.searching == pytest.approx(1.0)
    assert outcome.units_per_second == pytest.approx(16 / 0.5, rel=0.02)
    assert outcome.database == outcome.broker == outcome.planner == outcome.python == 0.0


def test_the_same_seed_gives_the_same_outcome() -> None:
    scenario = Scenario(workers=5, threads=3, unit_seconds=0.1)
    first, again = (Service(COSTS, scenario).run(5, 20) for _ in range(2))
    assert first == again
    assert Service(COSTS, replace(scenario, seed=2)).run(5, 20) != first


def test_units_take_what_they_are_said_to_take() -> None:
    for spread in (0.01, 0.5, 2.0):
        scenario = Scenario(workers=1, unit_seconds=2.0, unit_spread=spread)
        rate = Service(NOTHING, scenario).run(0, 20_000).units_per_second
        assert rate == pytest.approx(0.5, rel=0.04)


def test_one_thread_pays_for_every_part_of_a_unit_one_after_the_other() -> None:
    scenario = Scenario(workers=1, unit_seconds=0.01, unit_positions=100, distance=1e-3)
    costs = Costs(
        COSTS.unit, SharedCosts(ring=COSTS.shared.ring, take=COSTS.shared.take)
    )  # no duties
    unit, shared = COSTS.unit, COSTS.shared
    parts = [unit.claim.of(100), unit.solve.of(100), unit.complete.of(100)]
    cycle = 0.01 + sum(
        part.server + part.client + part.wait + 1e-3 * part.round_trips
        for part in [*parts, shared.ring, shared.take]
    )
    outcome = Service(costs, scenario).run(10, 2_000)
    assert outcome.units_per_second == pytest.approx(1 / cycle, rel=0.02)
    assert outcome.searching == pytest.approx(0.01 / cycle, rel=0.02)


@pytest.mark.parametrize("workers", [1, 10, 100])
def test_utilisation_is_what_the_units_and_the_workers_ask_for(workers: int) -> None:
    scenario = Scenario(workers=workers, threads=2, unit_seconds=0.5)
    outcome = Service(COSTS, scenario).run(20, 60 + 2_000 / workers)
    asked = demands(COSTS, scenario)
    rate = outcome.units_per_second
    threads = outcome.searching * 2 * workers
    sweeps = COSTS.shared.sweep.server
    database = (
        rate * asked.database.unit
        + threads * asked.database.searching
        + workers * asked.database.worker
        + sweeps
    )
    assert outcome.database * scenario.database_cores == pytest.approx(database, rel=0.05)
    broker = rate * asked.broker.unit + workers * asked.broker.worker
    assert outcome.broker == pytest.approx(broker, rel=0.05)
    assert outcome.planner == pytest.approx(rate * asked.planner.unit, rel=0.05)
    python = (
        rate * asked.python.unit + threads * asked.python.searching
    ) / workers + asked.python.worker
    assert outcome.python == pytest.approx(python, rel=0.06)


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
        scenario = Scenario(workers=threads, database_cores=cores)
        rate = Service(costs, scenario).run(20, 30).units_per_second
        assert rate <= min(threads, limit) * 1.03
        assert rate >= min(threads, limit) * 0.94
    scenario = Scenario(workers=1, database_cores=cores)
    assert thread_limits(costs, scenario).least == pytest.approx(limit)


def test_a_process_ends_where_its_python_does() -> None:
    costs = cost_of(complete=Cost(client=0.01))
    assert threads_of_a_process(costs, Scenario(workers=1)) == pytest.approx(100)
    outcome = Service(costs, Scenario(workers=1, threads=200)).run(20, 20)
    assert outcome.units_per_second == pytest.approx(100, rel=0.02)
    assert outcome.python == pytest.approx(1.0, abs=0.01)
    assert outcome.shares[Activity.PYTHON] == pytest.approx(0.5, abs=0.03)


def test_idle_threads_wait_for_messages_when_the_planner_is_slow() -> None:
    costs = cost_of(plan=Cost(client=0.1))
    outcome = Service(costs, Scenario(workers=100)).run(20, 100)
    assert outcome.units_per_second == pytest.approx(10, rel=0.1)
    assert outcome.shares[Activity.MESSAGE] == pytest.approx(0.9, abs=0.03)


def test_a_job_ends_with_its_last_unit() -> None:
    scenario = Scenario(workers=4, unit_seconds=1.0, unit_spread=1e-6, units=10)
    outcome = Service(NOTHING, scenario).run_job()
    assert outcome.seconds == pytest.approx(3.0, abs=1e-3)
    assert outcome.units_per_second == pytest.approx(10 / 3, abs=1e-3)


def test_distance_costs_its_round_trips() -> None:
    scenario = Scenario(workers=1, unit_seconds=1.0, unit_spread=1e-6)
    near = Service(COSTS, scenario).run(10, 500).units_per_second
    far = Service(COSTS, replace(scenario, distance=0.1)).run(10, 500).units_per_second
    assert 1 / far - 1 / near == pytest.approx(0.1 * (4 + 3 + 16 + 1 + 3), rel=0.02)


def test_only_a_job_has_an_end() -> None:
    with pytest.raises(ValueError, match="a job has a number of units"):
        Service(NOTHING, Scenario(workers=1)).run_job()
