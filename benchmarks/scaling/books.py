"""What complete books of 7x6 cost: positions, units, messages, bytes, hours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.scaling.limits import Service, bound, demands, unit_cycle
from workers.books.task import KIND

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Measured

HOUR: Final = 3_600.0

MESSAGE_OPERATIONS: Final = 3
"""What a message is for the broker: it is put, taken and acknowledged."""

KIND_OF_BATCHES: Final = "analyze"

PROCESS_THREADS: Final = 16
"""Threads of a worker, where there are so many."""


class Ply(NamedTuple):
    """A ply of 7x6, counted: mirror-reduced, without games that are over."""

    positions: int
    searched: int
    """Positions that do not win at once."""
    units: int
    """That ``workers.books.planning`` cuts them into."""

    @property
    def unit_positions(self) -> int:
        """Of a unit, on average."""
        return round(self.searched / self.units)


PLIES: Final = {
    8: Ply(91_295, 77_715, 156),
    10: Ply(809_464, 634_338, 990),
    12: Ply(5_832_236, 4_200_899, 6_956),
    14: Ply(35_045_629, 23_192_137, 40_531),
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

    def service(self, *, threads: int = 1) -> Service:
        """Workers that build it."""
        of_each = min(threads, PROCESS_THREADS)
        return Service(threads // of_each, of_each, self.unit_seconds, self.counts.unit_positions)


def cost_of_book(measured: Measured, ply: int) -> Book:
    """What a complete book to a ply costs.

    Args:
        measured: all costs.
        ply: one whose search is among them.
    """
    counts = PLIES[ply]
    units = counts.units
    seconds = measured.book_seconds[ply] * counts.searched
    sizes = measured.sizes[KIND]
    asked = demands(
        measured.costs(KIND),
        Service(unit_seconds=seconds / units, unit_positions=counts.unit_positions),
    )
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


def seconds_of_book(measured: Measured, ply: int, threads: int) -> float:
    """The least time in which so many threads make a book, its planning included."""
    book, costs = cost_of_book(measured, ply), measured.costs(KIND)
    service = book.service(threads=threads)
    rounds = math.ceil(book.counts.units / threads)
    return book.planner_seconds + max(
        rounds * unit_cycle(costs, service),
        book.counts.units / bound(costs, service, planned=True).units_per_second,
    )
