"""Where the service saturates, without a simulation: what everything asks of each resource.

A resource that is asked for ``d`` seconds by each unit can serve ``1 / d`` units a second, whatever
else there is (the utilisation law). What workers ask for beside their units grows with their number
and is there whether or not they have work.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.scaling.model import LEASE_BEAT_SECONDS
from workers.service.registration import BEAT_SECONDS
from workers.service.sweeping import SWEEP_SECONDS

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Costs
    from benchmarks.scaling.model import Scenario


class Demand(NamedTuple):
    """Seconds that are asked of a resource."""

    unit: float = 0.0
    """By a unit: from planning to the message about the next."""
    searching: float = 0.0
    """By a second of a thread's search."""
    worker: float = 0.0
    """By a second of a worker's life."""

    def of_thread(self, scenario: Scenario) -> float:
        """By a second of a thread that always searches, and its share of its worker."""
        units = self.unit / scenario.unit_seconds
        return units + self.searching + self.worker / scenario.threads


class Demands(NamedTuple):
    """What is asked of every resource."""

    database: Demand
    """Processor seconds of its server, of which there are several a second."""
    broker: Demand
    planner: Demand
    python: Demand
    """Of a worker's Python: one thread at a time."""


class Limits(NamedTuple):
    """How many threads every resource can serve."""

    database: float
    broker: float
    planner: float

    @property
    def least(self) -> float:
        """What the service as a whole can serve."""
        return min(self)


def demands(costs: Costs, scenario: Scenario) -> Demands:
    """What a scenario's units and workers ask for."""
    positions = scenario.unit_positions
    plan, claim, solve, complete = (
        cost.of(positions)
        for cost in (costs.unit.plan, costs.unit.claim, costs.unit.solve, costs.unit.complete)
    )
    shared = costs.shared
    duties = shared.turn * (1 / SWEEP_SECONDS) + shared.beat * (1 / BEAT_SECONDS)
    leases = shared.heartbeat * (1 / LEASE_BEAT_SECONDS)
    return Demands(
        database=Demand(
            sum(cost.server for cost in (plan, claim, solve, complete)),
            leases.server,
            duties.server,
        ),
        broker=Demand(shared.ring.server + shared.take.server, 0.0, shared.poll.server),
        planner=Demand(plan.client + plan.server + plan.wait),
        python=Demand(
            sum(cost.client for cost in (claim, solve, complete, shared.ring, shared.take)),
            leases.client,
            duties.client + shared.poll.client,
        ),
    )


def thread_limits(costs: Costs, scenario: Scenario) -> Limits:
    """How many threads that always search each resource can serve."""
    asked = demands(costs, scenario)
    return Limits(
        _served(scenario.database_cores, asked.database.of_thread(scenario)),
        _served(1, asked.broker.of_thread(scenario)),
        _served(1, asked.planner.of_thread(scenario)),
    )


def threads_of_a_process(costs: Costs, scenario: Scenario) -> float:
    """How many threads can search in a process whose Python runs one at a time."""
    asked = demands(costs, scenario).python
    return _served(1 - asked.worker, asked.unit / scenario.unit_seconds + asked.searching)


def _served(seconds: float, asked: float) -> float:
    """How many can be served in so many seconds, when each asks for so much."""
    return seconds / asked if asked else math.inf
