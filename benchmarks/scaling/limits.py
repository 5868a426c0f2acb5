"""The load at which the service saturates: the demands of units and workers for each resource.

If every unit demands ``d`` seconds of a resource, the resource serves at most ``1 / d`` units in a
second, however many workers there are (the utilisation law). The workers' demands beside their
units grow with their number, whether they have work or not. A thread that never has to wait does a
unit in the time of its search and of all other steps.

These are upper bounds: the formula has no queues, so a real service stays below them, and the
distance grows near a bound. The formula leaves out the servers' own housekeeping, locks, full
networks, faults and the interactive lane.
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
    """Threads of each worker; each thread has a processor of its own."""
    unit_seconds: float = 1.0
    """The mean seconds of search in a unit."""
    unit_positions: int = 100
    database_cores: int = 8
    """Processors of the database's server."""
    distance: float = 0.0
    """Seconds that a round trip takes longer than in the measurement."""

    @property
    def all_threads(self) -> int:
        """The number of threads of all workers."""
        return self.workers * self.threads


class Demand(NamedTuple):
    """The demand for a resource, in seconds."""

    unit: float = 0.0
    """The demand of a unit, from its planning to the message about the next unit."""
    searching: float = 0.0
    """The demand of a second of a thread's search."""
    worker: float = 0.0
    """The demand of a second of a worker's life."""

    def with_search(self, service: Service) -> float:
        """The demand of a unit with its search."""
        return self.unit + self.searching * service.unit_seconds

    def of_thread(self, service: Service) -> float:
        """The demand of a second of a thread that always searches, with its share of the worker."""
        return self.with_search(service) / service.unit_seconds + self.worker / service.threads


class Demands(NamedTuple):
    """The demands for every resource."""

    database: Demand
    """Processor seconds of its server, of which there are several a second."""
    broker: Demand
    planner: Demand
    python: Demand
    """Processor seconds of a worker's Python, which runs one thread at a time."""


class Limits(NamedTuple):
    """The number of threads that every resource can serve."""

    database: float
    broker: float
    planner: float

    @property
    def least(self) -> float:
        """The number of threads that the service as a whole can serve."""
        return min(self)


class Bound(NamedTuple):
    """The most that a service can do, and the utilisation of every resource at that rate."""

    units_per_second: float
    searching: float
    """The share of the threads' time that is spent on search."""
    database: float
    """Its utilisation; so are the following figures."""
    broker: float
    planner: float
    python: float
    """The utilisation of a worker's Python."""


def demands(costs: Costs, service: Service) -> Demands:
    """The demands of a service's units and workers."""
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
    """Seconds that a thread takes for a unit if it never has to wait for others."""
    _plan, *phases = _phases(costs, service)
    return service.unit_seconds + sum(
        cost.server + cost.client + cost.wait + cost.round_trips * service.distance
        for cost in (*phases, costs.shared.ring, costs.shared.take)
    )


def bound(costs: Costs, service: Service, *, planned: bool = False) -> Bound:
    """The most that a service can do.

    Args:
        costs: the costs of its units, messages and duties.
        service: the workers and the units.
        planned: whether all units were planned before; if not, one process plans them meanwhile.
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
    """The number of threads that always search that each resource can serve."""
    asked = demands(costs, service)
    return Limits(
        _served(service.database_cores, asked.database.of_thread(service)),
        _served(1, asked.broker.of_thread(service)),
        _served(1, asked.planner.of_thread(service)),
    )


def threads_of_a_process(costs: Costs, service: Service) -> float:
    """The number of threads that can search in a process, whose Python runs one at a time."""
    asked = demands(costs, service).python
    return _served(1 - asked.worker, asked.with_search(service) / service.unit_seconds)


def _phases(costs: Costs, service: Service) -> tuple[Cost, ...]:
    """The cost of planning, claiming, solving and completing a unit."""
    unit = costs.unit
    return tuple(
        cost.of(service.unit_positions)
        for cost in (unit.plan, unit.claim, unit.solve, unit.complete)
    )


def _served(seconds: float, asked: float) -> float:
    """How many clients a resource can serve, if each demands this much of its seconds."""
    return seconds / asked if asked else math.inf
