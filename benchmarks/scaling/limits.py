"""The costs of units and messages, and the load at which the service saturates.

If every unit demands ``d`` seconds of a resource, the resource serves at most ``1 / d`` units per
second, however many workers there are (the utilisation law). The workers also demand resources
independently of their units, even when they are idle. A thread that never waits completes a unit in
the time of its search and of all other steps.

These are upper bounds: the formula has no queues, so a real service stays below them, and the gap
grows near a bound. The formula leaves out the servers' own housekeeping, locks, full networks,
faults and the interactive lane.
"""

from __future__ import annotations

import math
import operator
from dataclasses import asdict, astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workers.celery.process import BEAT_SECONDS, SWEEP_SECONDS

from workers.core.leases import BEATS_PER_LEASE, LEASE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.record import Part

LEASE_BEAT_SECONDS: Final = LEASE_SECONDS / BEATS_PER_LEASE


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a transaction or a message, in seconds."""

    server: float = 0.0
    client: float = 0.0
    """Processor time of the client: Python code, of which a process runs one thread at a time."""
    wait: float = 0.0
    """The rest of the time until the answer arrives: the disk and the local network."""
    round_trips: float = 0.0
    """Number of times the client waits for an answer; a distant server makes each wait longer."""

    def __add__(self, other: Cost) -> Cost:
        """The total cost of both."""
        return Cost(*map(operator.add, astuple(self), astuple(other)))

    def __sub__(self, other: Cost) -> Cost:
        """The cost without the other. Parts that are negative because of noise become 0."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Cost(*(max(0.0, one - less) for one, less in pairs))

    def __mul__(self, times: float) -> Cost:
        """The cost of this many repetitions."""
        return Cost(*(part * times for part in astuple(self)))


@dataclass(frozen=True, slots=True)
class UnitCost:
    """The cost of a step of a unit, which depends on the number of positions."""

    each: Cost = Cost()
    position: Cost = Cost()

    def of(self, positions: float) -> Cost:
        """The cost for a unit with this many positions."""
        return self.each + self.position * positions

    @classmethod
    def through(cls, few: Cost, many: Cost, *, at: tuple[int, int]) -> UnitCost:
        """The line through the costs of a unit with few and a unit with many positions."""
        position = (many - few) * (1 / (at[1] - at[0]))
        return cls(few - position * at[0], position)


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """The costs of all steps of a unit of one kind, except its search."""

    plan: UnitCost = UnitCost()
    """Reading its lines and writing it into the database."""
    claim: UnitCost = UnitCost()
    solve: UnitCost = UnitCost()
    """Reading its payload, looking up known positions and making its result, without the search."""
    complete: UnitCost = UnitCost()
    """Storing the results, marking it done and announcing the next unit, in one transaction."""


@dataclass(frozen=True, slots=True)
class SharedCosts:
    """The costs that do not depend on the units: messages and background duties."""

    ring: Cost = Cost()
    take: Cost = Cost()
    """Bringing a message from the broker to the task, and acknowledging it."""
    heartbeat: Cost = Cost()
    turn: Cost = Cost()
    """Trying without success to acquire the sweeping duty."""
    sweep: Cost = Cost()
    """Sweeping when nothing was lost."""
    beat: Cost = Cost()
    poll: Cost = Cost()
    """Waiting for messages, per second of a worker: the costs of the broker and of the worker's
    Python, without the duties above."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of everything except the search."""

    unit: UnitCosts = UnitCosts()
    shared: SharedCosts = SharedCosts()


@dataclass(frozen=True, slots=True)
class Sizes:
    """The space that units take in the database, in bytes."""

    unit: float = 0.0
    """A unit's row without its positions, including indexes."""
    position: float = 0.0
    evaluation: float = 0.0
    """A position's row in the evaluations, including indexes."""
    log_unit: float = 0.0
    """Bytes written to the write-ahead log per unit, from planning to completion."""
    log_position: float = 0.0
    """Bytes written to the write-ahead log per position."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All measurements."""

    units: dict[str, UnitCosts]
    sizes: dict[str, Sizes]
    shared: SharedCosts
    connections: dict[int, int]
    """A worker's connections to the database, by its number of threads."""
    book_seconds: dict[int, float] = field(default_factory=dict)
    """Seconds of search per position of a book, by ply; docs/books-log.md has their source."""

    def costs(self, kind: str) -> Costs:
        """The costs of jobs of a kind."""
        return Costs(self.units[kind], self.shared)

    def figures(self) -> dict[str, Any]:
        """The costs as they are stored, with four digits, because further digits would be noise."""
        entries = asdict(self)
        del entries["book_seconds"]
        found: dict[str, Any] = rounded(entries)
        return found

    @classmethod
    def of(cls, parts: Mapping[str, Part]) -> Measured:
        """Read the stored measurements.

        Raises:
            ValueError: the costs were not measured yet.
        """
        if "measure" not in parts:
            raise ValueError(
                "the costs were not measured yet: python -m benchmarks scaling measure"
            )
        kept = parts["measure"].figures
        books = parts["book"].figures if "book" in parts else {}
        return cls(
            {
                kind: UnitCosts(
                    **{
                        name: UnitCost(Cost(**cost["each"]), Cost(**cost["position"]))
                        for name, cost in costs.items()
                    }
                )
                for kind, costs in kept["units"].items()
            },
            {kind: Sizes(**sizes) for kind, sizes in kept["sizes"].items()},
            SharedCosts(**{name: Cost(**cost) for name, cost in kept["shared"].items()}),
            {int(threads): number for threads, number in kept["connections"].items()},
            {int(ply): seconds for ply, seconds in books.items()},
        )


@dataclass(frozen=True, slots=True)
class Service:
    """Workers, and the units that they work on."""

    workers: int = 1
    threads: int = 1
    """Number of threads per worker; each thread has its own processor."""
    unit_seconds: float = 1.0
    """Mean seconds of search per unit."""
    unit_positions: int = 100
    database_cores: int = 8
    """Number of processors of the database server."""
    distance: float = 0.0
    """Additional seconds per round trip, compared with the measurement."""

    @property
    def all_threads(self) -> int:
        """The number of threads of all workers."""
        return self.workers * self.threads


class Demand(NamedTuple):
    """The demand for a resource, in seconds."""

    unit: float = 0.0
    """Demand per unit, from its planning to the message about the next unit."""
    searching: float = 0.0
    """Demand per second of a thread's search."""
    worker: float = 0.0
    """Demand per second in which a worker runs."""

    def with_search(self, service: Service) -> float:
        """The demand of a unit with its search."""
        return self.unit + self.searching * service.unit_seconds

    def of_thread(self, service: Service) -> float:
        """The demand per second of a searching thread, including its share of the worker."""
        return self.with_search(service) / service.unit_seconds + self.worker / service.threads


class Demands(NamedTuple):
    """The demands for every resource."""

    database: Demand
    """Processor seconds of the database server, which has several processors."""
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
        """The number of threads that the whole service can serve."""
        return min(self)


class Bound(NamedTuple):
    """The maximum rate of a service, and the utilisation of every resource at that rate."""

    units_per_second: float
    searching: float
    """The share of the threads' time that is spent on search."""
    database: float
    """Utilisation of the database; the following figures are utilisations, too."""
    broker: float
    planner: float
    python: float


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
    """Seconds that a thread takes for a unit if it never waits for others."""
    _plan, *phases = _phases(costs, service)
    return service.unit_seconds + sum(
        cost.server + cost.client + cost.wait + cost.round_trips * service.distance
        for cost in (*phases, costs.shared.ring, costs.shared.take)
    )


def bound(costs: Costs, service: Service) -> Bound:
    """The maximum rate of a service."""
    asked = demands(costs, service)
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
    """The number of constantly searching threads that each resource can serve."""
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
    """The number of clients that a resource can serve, if each demands this many seconds of it."""
    return seconds / asked if asked else math.inf


class Ply(NamedTuple):
    """The counted positions of a ply of 7x6, without mirror images and finished games."""

    searched: int
    """Number of positions without an immediate win."""
    units: int
    """Number of units into which ``workers.book.job`` cuts the positions."""

    @property
    def unit_positions(self) -> int:
        """Mean number of positions per unit."""
        return round(self.searched / self.units)


PLIES: Final = {
    8: Ply(77_715, 156),
    10: Ply(634_338, 990),
    12: Ply(4_200_899, 6_956),
    14: Ply(23_192_137, 40_531),
}


def rounded(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Round all numbers in JSON data to four digits."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: rounded(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return value
