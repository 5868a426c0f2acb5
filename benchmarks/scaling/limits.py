"""Where the service saturates: what units and workers ask of each resource.

A resource that every unit asks for ``d`` seconds serves ``1 / d`` units a second and no more,
however many workers there are (the utilisation law). What workers ask for beside their units grows
with their number, whether they have work or not. A thread that is never kept waiting does a unit in
the time of its search and of everything that goes with it.

These are bounds: nothing here waits in a queue, so a real service stays below them, and the more so
the closer to a bound it is. The server's own housekeeping, locks, full networks and faults are left
out, and so is the interactive lane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from workers.core.leases import BEATS_PER_LEASE, LEASE_SECONDS
from workers.service.registration import BEAT_SECONDS
from workers.service.sweeping import SWEEP_SECONDS

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Cost, Costs

LEASE_BEAT_SECONDS: Final = LEASE_SECONDS / BEATS_PER_LEASE


@dataclass(frozen=True, slots=True)
class Service:
    """Workers, and the units that they work on."""

    workers: int = 1
    """Processes."""
    threads: int = 1
    """Of each worker; each has a processor to itself."""
    unit_seconds: float = 1.0
    """Search in a unit, on average."""
    unit_positions: int = 100
    database_cores: int = 8
    """Processors of the database's server."""
    distance: float = 0.0
    """Seconds that a round trip takes beyond what was measured."""

    @property
    def all_threads(self) -> int:
        """Threads of all workers."""
        return self.workers * self.threads


class Demand(NamedTuple):
    """Seconds that are asked of a resource."""

    unit: float = 0.0
    """By a unit: from planning to the message about the next."""
    searching: float = 0.0
    """By a second of a thread's search."""
    worker: float = 0.0
    """By a second of a worker's life."""

    def with_search(self, service: Service) -> float:
        """By a unit, its search included."""
        return self.unit + self.searching * service.unit_seconds

    def of_thread(self, service: Service) -> float:
        """By a second of a thread that always searches, and its share of its worker."""
        return self.with_search(service) / service.unit_seconds + self.worker / service.threads


class Demands(NamedTuple):
    """What is asked of every resource."""

    database: Demand
    """Processor seconds of its server, of which there are several a second."""
    broker: Demand
    planner: Demand
    python: Demand
    """Of a worker's Python, which runs one thread at a time."""


class Limits(NamedTuple):
    """How many threads every resource can serve."""

    database: float
    broker: float
    planner: float

    @property
    def least(self) -> float:
        """What the service as a whole can serve."""
        return min(self)


class Bound(NamedTuple):
    """The most that a service can do, and how busy that makes every resource."""

    units_per_second: float
    searching: float
    """The share of the threads' time that is spent on search."""
    database: float
    """Utilisation, as those that follow."""
    broker: float
    planner: float
    python: float
    """Of a worker's Python."""


def demands(costs: Costs, service: Service) -> Demands:
    """What a service's units and workers ask for."""
    plan, claim, solve, complete = _phases(costs, service)
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


def unit_cycle(costs: Costs, service: Service) -> float:
    """Seconds that a thread takes for a unit if it never has to wait for another one."""
    _plan, *phases = _phases(costs, service)
    return service.unit_seconds + sum(
        cost.server + cost.client + cost.wait + cost.round_trips * service.distance
        for cost in (*phases, costs.shared.ring, costs.shared.take)
    )


def bound(costs: Costs, service: Service, *, planned: bool = False) -> Bound:
    """The most that a service can do.

    Args:
        costs: of its units, its messages and its duties.
        service: what there is.
        planned: all units were planned before; otherwise one process plans them meanwhile.
    """
    asked = demands(costs, service)
    if planned:
        asked = asked._replace(planner=Demand())
    capacities = (service.database_cores, 1, 1, service.workers)  # as in Demands
    rate = min(
        service.all_threads / unit_cycle(costs, service),
        *(
            _served(max(0.0, most - service.workers * each.worker), each.with_search(service))
            for most, each in zip(capacities, asked, strict=True)
        ),
    )
    used = (
        (rate * each.with_search(service) + service.workers * each.worker) / most
        for most, each in zip(capacities, asked, strict=True)
    )
    return Bound(rate, rate * service.unit_seconds / service.all_threads, *used)


def thread_limits(costs: Costs, service: Service) -> Limits:
    """How many threads that always search each resource can serve."""
    asked = demands(costs, service)
    return Limits(
        _served(service.database_cores, asked.database.of_thread(service)),
        _served(1, asked.broker.of_thread(service)),
        _served(1, asked.planner.of_thread(service)),
    )


def threads_of_a_process(costs: Costs, service: Service) -> float:
    """How many threads can search in a process whose Python runs one at a time."""
    asked = demands(costs, service).python
    return _served(1 - asked.worker, asked.with_search(service) / service.unit_seconds)


def _phases(costs: Costs, service: Service) -> tuple[Cost, ...]:
    """Planning, claiming, solving and completing a unit."""
    unit = costs.unit
    return tuple(
        cost.of(service.unit_positions)
        for cost in (unit.plan, unit.claim, unit.solve, unit.complete)
    )


def _served(seconds: float, asked: float) -> float:
    """How many can be served in so many seconds, when each asks for so much."""
    return seconds / asked if asked else math.inf
