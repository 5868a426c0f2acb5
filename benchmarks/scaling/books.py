"""What complete books of 7x6 cost: positions, units, messages, bytes, hours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.scaling.limits import demands
from benchmarks.scaling.model import Scenario, Service
from workers.books.task import KIND

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Measured

HOUR: Final = 3_600.0

MESSAGE_OPERATIONS: Final = 3
"""What a message is for the broker: it is put, taken and acknowledged."""

KIND_OF_BATCHES: Final = "analyze"


class Ply(NamedTuple):
    """A ply of 7x6, counted: mirror-reduced, without games that are over."""

    positions: int
    searched: int
    """Positions that do not win at once."""
    units: int
    """That ``workers.books.planning`` cuts them into."""
    hours: float
    """Of one core, for all of them; a prototype's, where nothing newer is given."""

    @property
    def unit_positions(self) -> int:
        """Of a unit, on average."""
        return round(self.searched / self.units)


PLIES: Final = {
    8: Ply(91_295, 77_715, 156, 0.65),
    10: Ply(809_464, 634_338, 990, 1.6),
    12: Ply(5_832_236, 4_200_899, 6_956, 2.7),
    14: Ply(35_045_629, 23_192_137, 40_531, 5.0),
}


class Book(NamedTuple):
    """What a book's deepest ply costs; the others follow from it without a search."""

    counts: Ply
    search_seconds: float
    """Of one core."""
    python_seconds: float
    """Of the workers, beside the search."""
    database_seconds: float
    """Of a processor of the database's server."""
    planner_seconds: float
    """Until the first unit can be handed out; without the enumeration of the positions."""
    broker_operations: int
    bytes: float
    """Of the rows that are left in the database: one a unit."""
    log_bytes: float
    """Written to the database's log on the way."""
    evaluation_bytes: float
    """What there would be besides if every position were kept as an evaluation."""

    @property
    def unit_seconds(self) -> float:
        """Of a unit's search, on average."""
        return self.search_seconds / self.counts.units


def cost_of_book(measured: Measured, ply: int) -> Book:
    """What a complete book to a ply costs."""
    counts = PLIES[ply]
    units = counts.units
    given = measured.book_seconds.get(ply)
    seconds = counts.hours * HOUR if given is None else given * counts.searched
    asked = demands(measured.costs(KIND), scenario_of(counts, seconds))
    sizes = measured.sizes[KIND]
    return Book(
        counts=counts,
        search_seconds=seconds,
        python_seconds=units * asked.python.unit,
        database_seconds=units * asked.database.unit,
        planner_seconds=units * asked.planner.unit,
        broker_operations=MESSAGE_OPERATIONS * units,
        bytes=units * sizes.unit + counts.searched * sizes.position,
        log_bytes=units * sizes.log_unit + counts.searched * sizes.log_position,
        evaluation_bytes=counts.searched * measured.sizes[KIND_OF_BATCHES].evaluation,
    )


def scenario_of(counts: Ply, search_seconds: float, *, threads: int = 1) -> Scenario:
    """A book's job, done by workers of up to 16 threads."""
    of_each = min(threads, 16)
    return Scenario(
        workers=max(1, threads // of_each),
        threads=of_each,
        unit_seconds=search_seconds / counts.units,
        unit_positions=counts.unit_positions,
        units=counts.units,
    )


def seconds_of_book(measured: Measured, ply: int, threads: int) -> float:
    """How long a book takes, its planning included; simulated."""
    book = cost_of_book(measured, ply)
    scenario = scenario_of(book.counts, book.search_seconds, threads=threads)
    job = Service(measured.costs(KIND), scenario).run_job()
    return book.planner_seconds + job.seconds
