"""The tables of ``docs/scaling.md``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.page import machine_line, table, versions_line
from benchmarks.scaling.books import HOUR, PLIES, cost_of_book, seconds_of_book
from benchmarks.scaling.limits import (
    Service,
    bound,
    demands,
    thread_limits,
    threads_of_a_process,
)
from cli.bench.timing import three_digits, time_text
from workers.books.task import KIND as BOOK
from workers.positions.analysis import KIND as BATCH

if TYPE_CHECKING:
    from benchmarks.scaling.costs import Cost, Measured

PHASES: Final = {
    "plan": "plan, written 32 at a time",
    "claim": "claim",
    "solve": "read, look up, make the result",
    "complete": "complete and announce the next",
}
KINDS: Final = {BATCH: "batch", BOOK: "book"}
SHARED: Final = {
    "ring": "send a message",
    "take": "take a message, acknowledge it",
    "heartbeat": "prolong a lease (every 2 s of a thread's search)",
    "turn": "ask for the sweeper's turn (every second of a worker)",
    "beat": "renew a worker's entry (every 5 s)",
    "sweep": "sweep (every second, one of all workers)",
    "poll": "wait for messages (a second of a worker)",
}
BYTES: Final = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
PERCENT: Final = 100.0
FEW: Final = 0.0005
"""Smaller shares are written as 0."""
HANDFUL: Final = 100.0
"""Times up to this many seconds are written in seconds."""


MANY_THREADS: Final = 16
"""The threads of a worker on a large machine."""
GROWTH: Final = (1, 16, 64, 256, 1_024)
"""Numbers of threads of all workers."""
UNIT_POSITIONS: Final = (1, 10, 100, 1_000, 10_000)
POSITION_SECONDS: Final = 0.01
DISTANCES: Final = (0.0, 0.0005, 0.002, 0.01, 0.05)
BOOK_THREADS: Final = (1, 16, 64, 256, 1_024)


class Work(NamedTuple):
    """A kind of work."""

    name: str
    kind: str
    """The kind of the job, for its costs."""
    unit_seconds: float
    unit_positions: int

    def service(self, *, workers: int = 1, threads: int = 1, distance: float = 0.0) -> Service:
        """The service that does this work."""
        return Service(workers, threads, self.unit_seconds, self.unit_positions, distance=distance)


STANDARD: Final = Work("batch, 10 ms a position, units of 1 s", BATCH, 1.0, 100)
SMALL: Final = Work("the same, units of 0.1 s", BATCH, 0.1, 10)


def works(measured: Measured) -> list[Work]:
    """Kinds of work: batches, then books; of each, the one with the smallest demands first."""
    return [
        STANDARD,
        SMALL,
        Work("batch, 1 ms a position, units of 1 s", BATCH, 1.0, 1_000),
        Work("batch, 35 µs a position, the largest units", BATCH, 0.035, 1_000),
        *(
            Work(
                f"book, ply {ply}, units of {book.unit_seconds:.2g} s",
                BOOK,
                book.unit_seconds,
                book.counts.unit_positions,
            )
            for ply in _plies(measured)
            for book in [cost_of_book(measured, ply)]
        ),
    ]


def sections(measured: Measured) -> dict[str, str]:
    """The text for every place of the page, by name."""
    makers = (
        *(run, costs, connections, check),  # measurements
        *(limits, growth, units, distance, books, durations),  # calculated from them
    )
    return {make.__name__: make(measured) for make in makers}


def run(measured: Measured) -> str:
    """The machine, the versions and the day of the measurement."""
    return "\n".join(
        [
            f"- Day: {measured.date}",
            machine_line(measured.machine),
            versions_line(measured.versions),
            f"- Command: `{measured.command}`",
        ]
    )


def costs(measured: Measured) -> str:
    """The costs of units and messages."""
    rows = [
        (
            f"{KINDS[kind]}: {text}",
            *_cost(unit_cost.each),
            time_text(unit_cost.position.server),
            time_text(unit_cost.position.client),
        )
        for kind, unit in measured.units.items()
        for name, text in PHASES.items()
        for unit_cost in [getattr(unit, name)]
    ]
    rows += [
        (text, *_cost(getattr(measured.shared, name)), "", "") for name, text in SHARED.items()
    ]
    return table(
        [
            "what",
            "server",
            "Python",
            "waiting",
            "round trips",
            "server, a position",
            "Python, a position",
        ],
        rows,
    )


def limits(measured: Measured) -> str:
    """The number of threads that every resource can serve."""
    rows = []
    for work in works(measured):
        known = measured.costs(work.kind)
        alone = work.service()
        asked = demands(known, alone)
        single = thread_limits(known, alone)
        many = thread_limits(known, work.service(threads=MANY_THREADS))
        rows.append(
            (
                work.name,
                time_text(asked.database.unit),
                _number(single.database),
                _number(many.database),
                _number(single.broker),
                _number(many.broker),
                _number(many.planner),
                _number(threads_of_a_process(known, alone)),
            )
        )
    return table(
        [
            "work",
            "database, a unit",
            "database, 8 cores, workers of 1",
            f"of {MANY_THREADS}",
            "broker, workers of 1",
            f"of {MANY_THREADS}",
            "one planner",
            "one process",
        ],
        rows,
    )


def growth(measured: Measured) -> str:
    """The bounds for growing numbers of workers."""
    known = measured.costs(STANDARD.kind)
    rows = []
    for of_each in (1, MANY_THREADS):
        for threads in GROWTH:
            if threads >= of_each:
                service = STANDARD.service(workers=threads // of_each, threads=of_each)
                most = bound(known, service)
                rows.append(
                    (
                        f"{service.workers:,} x {of_each}",
                        three_digits(most.units_per_second),
                        *map(_percent, most[1:]),
                    )
                )
    return table(
        [
            "workers x threads",
            "units/s",
            "search",
            "database busy",
            "broker busy",
            "planner busy",
            "a worker's Python busy",
        ],
        rows,
    )


def units(measured: Measured) -> str:
    """The bounds for growing units of the same work."""
    known = measured.costs(BATCH)
    rows = []
    for positions in UNIT_POSITIONS:
        alone = Service(unit_seconds=positions * POSITION_SECONDS, unit_positions=positions)
        most = thread_limits(known, replace(alone, threads=MANY_THREADS))
        rows.append(
            (
                f"{positions:,}",
                time_text(alone.unit_seconds),
                _percent(bound(known, alone).searching),
                _number(threads_of_a_process(known, alone)),
                _number(most.database),
                _number(most.broker),
            )
        )
    return table(
        [
            "positions of a unit",
            "search of a unit",
            "searching, one thread alone",
            "threads: one process",
            f"database, workers of {MANY_THREADS}",
            f"broker, workers of {MANY_THREADS}",
        ],
        rows,
    )


def distance(measured: Measured) -> str:
    """The bounds for workers far from the servers."""
    rows = [
        (
            time_text(seconds),
            *(
                _percent(bound(measured.costs(work.kind), work.service(distance=seconds)).searching)
                for work in (STANDARD, SMALL)
            ),
        )
        for seconds in DISTANCES
    ]
    return table(
        [
            "a round trip takes longer by",
            *(f"searching: {work.name}" for work in (STANDARD, SMALL)),
        ],
        rows,
    )


def connections(measured: Measured) -> str:
    """The connections of a worker."""
    rows = [(str(threads), str(number)) for threads, number in measured.connections.items()]
    return table(["threads of a worker", "connections to the database"], rows)


def check(measured: Measured) -> str:
    """Real jobs, and what the costs predict for them."""
    known, cores = measured.costs(BATCH), int(measured.machine["cores"])
    rows = []
    for one in measured.runs:
        service = Service(one.workers, one.threads, one.unit_seconds, one.positions, cores)
        most = bound(known, service, planned=True)
        rows.append(
            (
                f"{one.workers} x {one.threads}",
                str(one.positions),
                time_text(one.unit_seconds),
                f"{one.load:.1f}",
                *(
                    f"{time_text(getattr(one.real, part))} / "
                    f"{time_text(getattr(one.foreseen, part))}"
                    for part in ("worker", "database", "broker")
                ),
                f"{one.real.together * one.units_per_second:.1f} of {cores}",
                f"{one.units_per_second:.0f} / {most.units_per_second:.0f}",
            )
        )
    return table(
        [
            "workers x threads",
            "positions of a unit",
            "search of a unit",
            "others ready, a processor",
            "a unit, workers: real / foreseen",
            "database's server",
            "broker",
            "processors that all three had",
            "units/s: real / at most",
        ],
        rows,
    )


def books(measured: Measured) -> str:
    """The costs of books."""
    rows = []
    for ply in _plies(measured):
        book = cost_of_book(measured, ply)
        counts = book.counts
        rows.append(
            (
                str(ply),
                f"{counts.positions:,}",
                f"{counts.searched:,}",
                time_text(book.search_seconds / counts.searched),
                f"{book.search_seconds / HOUR:.2f} h",
                f"{counts.units:,}",
                time_text(book.unit_seconds),
                f"{book.broker_operations:,}",
                _size(book.bytes),
                _size(book.log_bytes),
                _size(book.evaluation_bytes),
                time_text(book.database_seconds),
                time_text(book.python_seconds),
                time_text(book.planner_seconds),
            )
        )
    return table(
        [
            "ply",
            "positions",
            "searched",
            "each",
            "one core",
            "units, rows, messages",
            "search of a unit",
            "broker operations",
            "bytes",
            "log",
            "if all were stored",
            "database's processor",
            "workers' Python",
            "planning",
        ],
        rows,
    )


def durations(measured: Measured) -> str:
    """The least time that books take."""
    rows = [
        (
            str(ply),
            *(_duration(seconds_of_book(measured, ply, threads)) for threads in BOOK_THREADS),
        )
        for ply in _plies(measured)
    ]
    return table(["ply, threads:", *(f"{threads:,}" for threads in BOOK_THREADS)], rows)


def _plies(measured: Measured) -> list[int]:
    """The costs of all books whose search was measured."""
    return [ply for ply in PLIES if ply in measured.book_seconds]


def _cost(cost: Cost) -> tuple[str, ...]:
    trips = f"{cost.round_trips:.1f}".removesuffix(".0") if cost.round_trips else ""
    return time_text(cost.server), time_text(cost.client), time_text(cost.wait), trips


def _percent(share: float) -> str:
    return f"{PERCENT * share:.1f} %" if share > FEW else "0 %"


def _number(threads: float) -> str:
    """A number with two significant digits; the assumptions are not more exact."""
    return f"{float(f'{threads:.2g}'):,.0f}"


def _size(size: float) -> str:
    scale, unit = next((entry for entry in BYTES if size >= entry[0]), (1.0, "bytes"))
    return f"{three_digits(size / scale)} {unit}"


def _duration(seconds: float) -> str:
    if seconds >= HOUR:
        return f"{three_digits(seconds / HOUR)} h"
    return f"{seconds / 60:.1f} min" if seconds >= HANDFUL else f"{seconds:.0f} s"
