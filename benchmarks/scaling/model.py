"""The service as things that wait for each other: workers, a database, a broker, a planner.

What a thread of a worker does, again and again, with the resources that it needs for that::

    take a message        broker, the worker's Python, waits if there is none
    claim the unit        the worker's Python, database
    read it, look up      the worker's Python, database
    search                a processor of its own
    complete, announce    the worker's Python, database
    ring for the next     the worker's Python, broker

A worker's threads search at the same time, but run Python one at a time. Beside that, every worker
keeps its leases, renews its entry and asks for the sweeper's turn. The database's server does as
many transactions at a time as it has processors, the broker one thing at a time. A submitter plans
units while others are worked on.

What is left out: locks (no transaction waits for another's: ``SKIP LOCKED``), the server's own
housekeeping, faults, and the interactive lane.
"""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING, Final

from benchmarks.scaling.events import Server, Simulation
from workers.broker.doorbell import missing
from workers.core.leases import BEATS_PER_LEASE, LEASE_SECONDS
from workers.service.registration import BEAT_SECONDS
from workers.service.sweeping import SWEEP_SECONDS

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Cost, Costs
    from benchmarks.scaling.events import Process

LEASE_BEAT_SECONDS: Final = LEASE_SECONDS / BEATS_PER_LEASE

PLANNED_AT_ONCE: Final = 32
"""Units that the submitter writes in a transaction."""

LOOK_SECONDS: Final = 0.05
"""Time between two looks of a submitter that has planned enough."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A service to be simulated."""

    workers: int
    threads: int = 1
    """Of each worker; each has a processor to itself."""
    unit_seconds: float = 1.0
    """Search in a unit, on average."""
    unit_positions: int = 100
    unit_spread: float = 0.5
    """Standard deviation of a unit's seconds, as a share of the mean."""
    database_cores: int = 8
    """Transactions that the database's server does at a time."""
    distance: float = 0.0
    """Seconds that a round trip takes beyond what was measured."""
    units: int | None = None
    """Of the job; None: a submitter plans units as long as they are worked on."""
    seed: int = 1


class Activity(StrEnum):
    """What the time of a thread is spent on."""

    SEARCH = "search"
    MESSAGE = "message"
    """Waiting for one, while it is brought, and while the next is rung for."""
    PYTHON = "python"
    """Running it, and waiting for other threads that do."""
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a simulation has come to."""

    units_per_second: float
    shares: dict[Activity, float]
    """Of all threads' time."""
    database: float
    """Utilisation."""
    broker: float
    planner: float
    """0.0 where everything was planned before."""
    python: float
    """Of a worker's Python, on average."""
    seconds: float
    """Simulated: of the measured part, or of the whole job."""

    @property
    def searching(self) -> float:
        """The share of the threads' time that is spent on what they are there for."""
        return self.shares[Activity.SEARCH]


class Service:
    """The simulated service.

    Args:
        costs: what everything takes.
        scenario: what there is.
    """

    def __init__(self, costs: Costs, scenario: Scenario) -> None:
        self._costs = costs
        self._scenario = scenario
        self._chance = random.Random(scenario.seed)  # noqa: S311
        # Of the logarithm of a unit's seconds.
        self._sigma = math.sqrt(math.log1p(scenario.unit_spread**2))
        self._mean = math.log(scenario.unit_seconds) - self._sigma**2 / 2
        self._simulation = Simulation()
        self._database = Server(self._simulation, scenario.database_cores)
        self._broker = Server(self._simulation)
        self._pythons = [Server(self._simulation) for _ in range(scenario.workers)]
        self._in_search = [0] * scenario.workers
        self._messages = 0
        self._idle: deque[Process] = deque()
        self._planned = 0 if scenario.units is None else scenario.units
        self._planning = 0.0
        self._done = 0
        self._spent = dict.fromkeys(Activity, 0.0)
        self._since = self._last_done = 0.0

    @property
    def _threads(self) -> int:
        return self._scenario.workers * self._scenario.threads

    def run(self, warm_up: float, seconds: float) -> Outcome:
        """Simulate for some time, and measure all but the beginning."""
        self._begin()
        self._simulation.run(warm_up)
        self._forget()
        self._simulation.run(warm_up + seconds)
        return self._outcome()

    def run_job(self) -> Outcome:
        """Simulate until all units are done.

        Raises:
            ValueError: the scenario has no number of units.
        """
        if self._scenario.units is None:
            raise ValueError("a job has a number of units")
        self._begin()
        while self._done < self._scenario.units:
            self._simulation.run(self._simulation.now + SWEEP_SECONDS)
        return self._outcome()

    def _begin(self) -> None:
        start = self._simulation.start
        if self._scenario.units is None:
            start(self._plan())
        start(self._sweep())
        for worker in range(self._scenario.workers):
            for _ in range(self._scenario.threads):
                start(self._work(worker))
            # Workers were started at different times, and their duties are not in step.
            start(self._keep_leases(worker), self._chance.uniform(0, LEASE_BEAT_SECONDS))
            start(self._poll(), self._chance.random())
            for duty, every in (
                (self._costs.shared.turn, SWEEP_SECONDS),
                (self._costs.shared.beat, BEAT_SECONDS),
            ):
                start(self._repeat(worker, duty, every), self._chance.uniform(0, every))

    def _forget(self) -> None:
        """Measure from now on."""
        for server in (self._database, self._broker, *self._pythons):
            server.forget()
        self._spent.update(dict.fromkeys(Activity, 0.0))
        self._planning, self._done = 0.0, 0
        self._since = self._simulation.now

    def _outcome(self) -> Outcome:
        elapsed = self._simulation.now - self._since
        if self._scenario.units is not None:
            elapsed = self._last_done
        spent = sum(self._spent.values()) or 1.0  # nothing, where nothing gets done
        return Outcome(
            units_per_second=self._done / elapsed,
            shares={activity: seconds / spent for activity, seconds in self._spent.items()},
            database=self._database.utilisation(),
            broker=self._broker.utilisation(),
            planner=self._planning / elapsed,
            python=fmean(server.utilisation() for server in self._pythons),
            seconds=elapsed,
        )

    # What goes on at the same time: every method is a process of the simulation.

    def _work(self, worker: int) -> Process:
        """A thread."""
        unit, positions = self._costs.unit, self._scenario.unit_positions
        claim, solve, complete = (
            cost.of(positions) for cost in (unit.claim, unit.solve, unit.complete)
        )
        simulation, spent = self._simulation, self._spent
        while True:
            yield from self._receive()
            yield from self._python(worker, self._costs.shared.take)
            yield from self._transact(worker, claim)
            yield from self._transact(worker, solve)
            seconds = self._chance.lognormvariate(self._mean, self._sigma)
            self._in_search[worker] += 1
            yield simulation.now + seconds
            self._in_search[worker] -= 1
            spent[Activity.SEARCH] += seconds
            yield from self._transact(worker, complete)
            self._done += 1
            self._last_done = simulation.now
            if self._announce(1):
                yield from self._python(worker, self._costs.shared.ring)
                yield from self._send()

    def _plan(self) -> Process:
        """The submitter: plans as long as fewer units wait than the threads can use."""
        cost = self._costs.unit.plan.of(self._scenario.unit_positions) * PLANNED_AT_ONCE
        enough = 2 * PLANNED_AT_ONCE + missing(0, self._threads)
        while True:
            if self._planned >= enough:
                yield self._simulation.now + LOOK_SECONDS
                continue
            begin = self._simulation.now
            yield begin + cost.client
            yield self._database.serve(cost.server)
            yield self._simulation.now + self._way(cost)
            self._planning += self._simulation.now - begin
            self._planned += PLANNED_AT_ONCE

    def _sweep(self) -> Process:
        """The sweeper's turn, whoever has it: it fills the window of messages."""
        while True:
            yield self._database.serve(self._costs.shared.sweep.server)
            rung = self._announce(missing(self._messages, self._threads))
            if rung:
                yield self._broker.serve(rung * self._costs.shared.ring.server)
                self._deliver(rung)
            yield self._simulation.now + SWEEP_SECONDS

    def _repeat(self, worker: int, duty: Cost, every: float) -> Process:
        """A duty of a worker."""
        while True:
            yield self._pythons[worker].serve(duty.client)
            yield self._database.serve(duty.server)
            yield self._simulation.now + self._way(duty)
            yield self._simulation.now + every * self._chance.uniform(0.8, 1.2)

    def _keep_leases(self, worker: int) -> Process:
        """A worker's keeper of leases: prolongs them one after the other."""
        duty = self._costs.shared.heartbeat
        while True:
            for _ in range(self._in_search[worker]):
                yield self._pythons[worker].serve(duty.client)
                yield self._database.serve(duty.server)
                yield self._simulation.now + self._way(duty)
            yield self._simulation.now + LEASE_BEAT_SECONDS

    def _poll(self) -> Process:
        """A worker asks the broker once a second whether it has anything."""
        while True:
            yield self._broker.serve(self._costs.shared.poll.server)
            yield self._simulation.now + 1.0

    # Parts of processes.

    def _receive(self) -> Process:
        """Wait for a message and get it."""
        simulation, cost = self._simulation, self._costs.shared.take
        begin = simulation.now
        if self._messages:
            self._messages -= 1
        else:
            self._idle.append(simulation.current)
            yield None
        yield self._broker.serve(cost.server)
        yield simulation.now + self._way(cost)
        self._spent[Activity.MESSAGE] += simulation.now - begin

    def _send(self) -> Process:
        """Ring for a unit."""
        simulation, cost = self._simulation, self._costs.shared.ring
        begin = simulation.now
        yield self._broker.serve(cost.server)
        yield simulation.now + self._way(cost)
        self._spent[Activity.MESSAGE] += simulation.now - begin
        self._deliver(1)

    def _transact(self, worker: int, cost: Cost) -> Process:
        """A transaction."""
        yield from self._python(worker, cost)
        begin = self._simulation.now
        yield self._database.serve(cost.server)
        yield self._simulation.now + self._way(cost)
        self._spent[Activity.DATABASE] += self._simulation.now - begin

    def _python(self, worker: int, cost: Cost) -> Process:
        begin = self._simulation.now
        yield self._pythons[worker].serve(cost.client)
        self._spent[Activity.PYTHON] += self._simulation.now - begin

    # What takes no time.

    def _announce(self, wanted: int) -> int:
        """How many of the planned units are to be rung for, of so many that are wanted."""
        announced = min(wanted, self._planned)
        self._planned -= announced
        return announced

    def _deliver(self, messages: int) -> None:
        for _ in range(messages):
            if self._idle:
                self._simulation.start(self._idle.popleft())
            else:
                self._messages += 1

    def _way(self, cost: Cost) -> float:
        return cost.wait + cost.round_trips * self._scenario.distance
