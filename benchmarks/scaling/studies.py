"""Which scenarios are simulated, and for how long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.scaling.books import PLIES, cost_of_book
from benchmarks.scaling.model import Scenario, Service
from workers.books.task import KIND as BOOK
from workers.positions.analysis import KIND as BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.scaling.costs import Costs, Measured
    from benchmarks.scaling.model import Outcome

LEAST_UNITS: Final = 4_000
"""That are simulated, so that chance evens out."""

UNITS_EACH: Final = 8
"""Of every thread, likewise."""

WARM_UP_UNITS: Final = 5

LEAST_SECONDS: Final = 20.0
"""Before anything is measured, and while it is: where something is saturated, queues of seconds
build up first."""

THREADS: Final = (1, 16, 64, 256, 1_024, 4_096)
MANY_THREADS: Final = 16
"""Of a worker on a large machine."""

FLEET: Final = Scenario(workers=16, threads=MANY_THREADS)
"""For what does not depend much on the number of workers."""

UNIT_POSITIONS: Final = (1, 10, 100, 1_000, 10_000)
POSITION_SECONDS: Final = 0.01
JOB_SECONDS: Final = 200.0
"""What the job of the study of units would take if its threads did nothing but search."""

DISTANCES: Final = (0.0, 0.0005, 0.002, 0.01, 0.05)

BOOK_THREADS: Final = (1, 16, 64, 256, 1_024)


class Mix(NamedTuple):
    """A kind of work."""

    name: str
    kind: str
    """Of the job, by which costs are known."""
    unit_seconds: float
    unit_positions: int

    def scenario(self, *, workers: int = 1, threads: int = 1) -> Scenario:
        """Workers that do this work."""
        return Scenario(
            workers=workers,
            threads=threads,
            unit_seconds=self.unit_seconds,
            unit_positions=self.unit_positions,
        )


STANDARD: Final = Mix("batch, 10 ms a position, units of 1 s", BATCH, 1.0, 100)


def mixes(measured: Measured) -> list[Mix]:
    """Kinds of work, from what asks little of the service to what asks much."""
    return [
        STANDARD,
        Mix("the same, units of 0.1 s", BATCH, 0.1, 10),
        Mix("batch, 1 ms a position, units of 1 s", BATCH, 1.0, 1_000),
        Mix("batch, 35 µs a position, the largest units", BATCH, 0.035, 1_000),
        *(
            Mix(
                f"book, ply {ply}, units of {book.unit_seconds:.2g} s",
                BOOK,
                book.unit_seconds,
                counts.unit_positions,
            )
            for ply, counts in PLIES.items()
            for book in [cost_of_book(measured, ply)]
        ),
    ]


def simulate(costs: Costs, scenario: Scenario) -> Outcome:
    """Simulate a scenario for long enough."""
    threads = scenario.workers * scenario.threads
    units = max(UNITS_EACH, LEAST_UNITS / threads)
    return Service(costs, scenario).run(
        max(LEAST_SECONDS, WARM_UP_UNITS * scenario.unit_seconds),
        max(LEAST_SECONDS, units * scenario.unit_seconds),
    )


def growth(measured: Measured, mix: Mix, of_each: int) -> Iterator[tuple[int, Outcome]]:
    """More and more threads, in workers of so many."""
    for threads in THREADS:
        if threads >= of_each:
            scenario = mix.scenario(workers=threads // of_each, threads=of_each)
            yield threads, simulate(measured.costs(mix.kind), scenario)


def unit_sizes(measured: Measured) -> Iterator[tuple[int, Outcome]]:
    """The same job in units of more and more positions, until it is done."""
    threads = FLEET.workers * FLEET.threads
    positions = round(JOB_SECONDS * threads / POSITION_SECONDS)
    for unit_positions in UNIT_POSITIONS:
        scenario = replace(
            FLEET,
            unit_positions=unit_positions,
            unit_seconds=unit_positions * POSITION_SECONDS,
            units=positions // unit_positions,
        )
        yield unit_positions, Service(measured.costs(BATCH), scenario).run_job()


def distances(measured: Measured, mix: Mix) -> Iterator[tuple[float, Outcome]]:
    """Workers further and further from the servers."""
    for distance in DISTANCES:
        scenario = mix.scenario(workers=FLEET.workers, threads=FLEET.threads)
        yield (
            distance,
            simulate(measured.costs(mix.kind), replace(scenario, distance=distance)),
        )
