"""The costs of complete books of 7x6: positions, units, messages, bytes, hours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.scaling.limits import Service, bound, demands, unit_cycle
from workers.books.task import KIND

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Measured

HOUR: Final = 3_600.0

MESSAGE_OPERATIONS: Final = 3
"""The broker's operations for a message: it is put, taken and acknowledged."""

KIND_OF_BATCHES: Final = "analyze"

PROCESS_THREADS: Final = 16
"""Threads of a worker, if there are at least this many."""


class Ply(NamedTuple):
    """The counted positions of a ply of 7x6, without mirror images and games that are over."""

    positions: int
    searched: int
    """Positions that do not win at once."""
    units: int
    """Units into which ``workers.books.planning`` cuts the positions."""

    @property
    def unit_positions(self) -> int:
        """The mean number of positions of a unit."""
        return round(self.searched / self.units)


PLIES: Final = {
    8: Ply(91_295, 77_715, 156),
    10: Ply(809_464, 634_338, 990),
    12: Ply(5_832_236, 4_200_899, 6_956),
    14: Ply(35_045_629, 23_192_137, 40_531),
}


class Book(NamedTuple):
    """The costs of a book's deepest ply; the other plies follow from it without a search."""

    counts: Ply
    search_seconds: float
    """Search, in seconds of one core."""
    python_seconds: float
    """Processor seconds of the workers' Python, beside the search."""
    database_seconds: float
    """Processor seconds of the database's server."""
    planner_seconds: float
    """Seconds of planning before the first unit can be claimed, enumeration excluded."""
    broker_operations: int
    bytes: float
    """Bytes of the rows that stay in the database, one for each unit."""
    log_bytes: float
    """Bytes written to the database's write-ahead log."""
    evaluation_bytes: float
    """Additional bytes if every position were stored as an evaluation."""

    @property
    def unit_seconds(self) -> float:
        """The mean seconds of a unit's search."""
        return self.search_seconds / self.counts.units

    def service(self, *, threads: int = 1) -> Service:
        """Workers that build it."""
        of_each = min(threads, PROCESS_THREADS)
        return Service(threads // of_each, of_each, self.unit_seconds, self.counts.unit_positions)


def cost_of_book(measured: Measured, ply: int) -> Book:
    """The costs of a complete book up to a ply.

    Args:
        measured: all costs.
        ply: a ply whose search is among them.
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
    """The least time in which this many threads make a book, with its planning."""
    book, costs = cost_of_book(measured, ply), measured.costs(KIND)
    service = book.service(threads=threads)
    rounds = math.ceil(book.counts.units / threads)
    return book.planner_seconds + max(
        rounds * unit_cycle(costs, service),
        book.counts.units / bound(costs, service, planned=True).units_per_second,
    )
