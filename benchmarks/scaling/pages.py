"""The texts of ``docs/scaling-log.md``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.page import run_lines, table
from benchmarks.scaling.limits import (
    HOUR,
    PLIES,
    Measured,
    Service,
    bound,
    cost_of_book,
    demands,
    seconds_of_book,
    thread_limits,
    threads_of_a_process,
)
from cli.measuring import three_digits, time_text
from workers.analyze.job import KIND as BATCH
from workers.book.job import KIND as BOOK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.record import Part
    from benchmarks.scaling.limits import Cost

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
    "heartbeat": "renew a lease (every 2 s of a thread's search)",
    "turn": "try to acquire the sweeping duty (every second of a worker)",
    "beat": "renew a worker's entry (every 5 s)",
    "sweep": "sweep (every second, by one worker)",
    "poll": "wait for messages (one second of a worker)",
}
BYTES: Final = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
PERCENT: Final = 100.0
FEW: Final = 0.0005
"""Smaller shares are shown as 0."""
HANDFUL: Final = 100.0
"""Times up to this many seconds are shown in seconds."""

MANY_THREADS: Final = 16
"""Threads per worker on a large machine."""
ALL_THREADS: Final = (1, 16, 64, 256, 1_024)
"""Numbers of threads of all workers together."""
UNIT_POSITIONS: Final = (1, 10, 100, 1_000, 10_000)
POSITION_SECONDS: Final = 0.01
DISTANCES: Final = (0.0, 0.0005, 0.002, 0.01, 0.05)


class Work(NamedTuple):
    """A kind of work."""

    name: str
    kind: str
    """The kind of the job, which determines its costs."""
    unit_seconds: float
    unit_positions: int

    def service(self, *, workers: int = 1, threads: int = 1, distance: float = 0.0) -> Service:
        """A service that does this work."""
        return Service(workers, threads, self.unit_seconds, self.unit_positions, distance=distance)


STANDARD: Final = Work("batch, 10 ms a position, units of 1 s", BATCH, 1.0, 100)
SMALL: Final = Work("the same, units of 0.1 s", BATCH, 0.1, 10)


def works(measured: Measured) -> list[Work]:
    """Kinds of work: batches, then books, each in the order of growing demands."""
    found = [
        STANDARD,
        SMALL,
        Work("batch, 1 ms a position, units of 1 s", BATCH, 1.0, 1_000),
        Work("batch, 35 µs a position, the largest units", BATCH, 0.035, 1_000),
    ]
    for ply in _plies(measured):
        book = cost_of_book(measured, ply)
        name = f"book, ply {ply}, units of {book.unit_seconds:.2g} s"
        found.append(Work(name, BOOK, book.unit_seconds, book.counts.unit_positions))
    return found


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in the page: the measurements, then the figures that follow."""
    measured = Measured.of(parts)
    return {
        "run": run_lines(parts["measure"].made),
        "costs": costs(measured),
        "connections": table(
            "threads of a worker | connections to the database",
            [{"threads": each, "number": n} for each, n in measured.connections.items()],
            "{threads} | {number}",
        ),
        "limits": limits(measured),
        "growth": growth(measured),
        "units": units(measured),
        "distance": distance(measured),
        "books": books(measured),
        "durations": durations(measured),
    }


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
        "what | server | Python | waiting | round trips | "
        "server, per position | Python, per position",
        rows,
    )


def limits(measured: Measured) -> str:
    """The number of threads that every resource can serve."""
    rows = []
    for work in works(measured):
        known = measured.costs(work.kind)
        alone = work.service()
        single = thread_limits(known, alone)
        many = thread_limits(known, work.service(threads=MANY_THREADS))
        numbers = (single.database, many.database, single.broker, many.broker, many.planner)
        of_process = threads_of_a_process(known, alone)
        unit = time_text(demands(known, alone).database.unit)
        rows.append((work.name, unit, *map(_number, (*numbers, of_process))))
    return table(
        f"work | database, per unit | database, 8 cores, workers of 1 | of {MANY_THREADS} | "
        f"broker, workers of 1 | of {MANY_THREADS} | one planner | one process",
        rows,
    )


def growth(measured: Measured) -> str:
    """The bounds for a growing number of workers."""
    rows = []
    for of_each in (1, MANY_THREADS):
        for threads in ALL_THREADS:
            if threads >= of_each:
                service = STANDARD.service(workers=threads // of_each, threads=of_each)
                most = bound(measured.costs(STANDARD.kind), service)
                name = f"{service.workers:,} x {of_each}"
                rows.append((name, three_digits(most.units_per_second), *map(_percent, most[1:])))
    return table(
        "workers x threads | units/s | search | database busy | broker busy | planner busy | "
        "a worker's Python busy",
        rows,
    )


def units(measured: Measured) -> str:
    """The bounds for growing units of the same work."""
    known = measured.costs(BATCH)
    rows = []
    for positions in UNIT_POSITIONS:
        alone = Service(unit_seconds=positions * POSITION_SECONDS, unit_positions=positions)
        most = thread_limits(known, replace(alone, threads=MANY_THREADS))
        numbers = (threads_of_a_process(known, alone), most.database, most.broker)
        share = _percent(bound(known, alone).searching)
        row = (f"{positions:,}", time_text(alone.unit_seconds), share, *map(_number, numbers))
        rows.append(row)
    return table(
        "positions of a unit | search of a unit | searching, one thread alone | "
        f"threads: one process | database, workers of {MANY_THREADS} | "
        f"broker, workers of {MANY_THREADS}",
        rows,
    )


def distance(measured: Measured) -> str:
    """The bounds for workers far from the servers."""
    rows = [
        [time_text(seconds)]
        + [
            _percent(bound(measured.costs(work.kind), work.service(distance=seconds)).searching)
            for work in (STANDARD, SMALL)
        ]
        for seconds in DISTANCES
    ]
    names = (f"searching: {work.name}" for work in (STANDARD, SMALL))
    return table(["additional time per round trip", *names], rows)


def books(measured: Measured) -> str:
    """The costs of books."""
    rows = []
    for ply in _plies(measured):
        book = cost_of_book(measured, ply)
        sizes = (book.bytes, book.log_bytes, book.evaluation_bytes)
        derived = {
            "each": book.search_seconds / book.counts.searched,
            "hours": book.search_seconds / HOUR,
            "sizes": [_size(size) for size in sizes],
        }
        rows.append({"ply": ply, "book": book, "counts": book.counts} | derived)
    return table(
        "ply | positions | searched | each | one core | units, rows, messages | search of a unit | "
        "broker operations | bytes | log | if all were stored | database's processor | "
        "workers' Python | planning",
        rows,
        "{ply} | {counts.positions:,} | {counts.searched:,} | {each:time} | {hours:.2f} h | "
        "{counts.units:,} | {book.unit_seconds:time} | {book.broker_operations:,} | {sizes[0]} | "
        "{sizes[1]} | {sizes[2]} | {book.database_seconds:time} | {book.python_seconds:time} | "
        "{book.planner_seconds:time}",
    )


def durations(measured: Measured) -> str:
    """The minimum time to build books."""
    rows = [
        [str(ply)] + [_duration(seconds_of_book(measured, ply, each)) for each in ALL_THREADS]
        for ply in _plies(measured)
    ]
    return table(["ply, threads:", *(f"{threads:,}" for threads in ALL_THREADS)], rows)


def _plies(measured: Measured) -> list[int]:
    """The last plies of all books whose search was measured."""
    return [ply for ply in PLIES if ply in measured.book_seconds]


def _cost(cost: Cost) -> tuple[str, ...]:
    trips = f"{cost.round_trips:.1f}".removesuffix(".0") if cost.round_trips else ""
    return time_text(cost.server), time_text(cost.client), time_text(cost.wait), trips


def _percent(share: float) -> str:
    return f"{PERCENT * share:.1f} %" if share > FEW else "0 %"


def _number(threads: float) -> str:
    """A number with two significant digits, because the assumptions are no more precise."""
    return f"{float(f'{threads:.2g}'):,.0f}"


def _size(size: float) -> str:
    scale, unit = next((entry for entry in BYTES if size >= entry[0]), (1.0, "bytes"))
    return f"{three_digits(size / scale)} {unit}"


def _duration(seconds: float) -> str:
    if seconds >= HOUR:
        return f"{three_digits(seconds / HOUR)} h"
    return f"{seconds / 60:.1f} min" if seconds >= HANDFUL else f"{seconds:.0f} s"
