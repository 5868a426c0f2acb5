"""The texts of ``docs/scaling-log.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.page import run_lines, table
from benchmarks.scaling.limits import (
    PLIES,
    Measured,
    Service,
    demands,
    thread_limits,
    threads_of_a_process,
)
from cli.measuring import time_text
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
MANY_THREADS: Final = 16
"""Threads per worker on a large machine."""


class Work(NamedTuple):
    """A kind of work."""

    name: str
    kind: str
    """The kind of the job, which determines its costs."""
    unit_seconds: float
    unit_positions: int

    def service(self, *, threads: int = 1) -> Service:
        """A worker that does this work."""
        return Service(1, threads, self.unit_seconds, self.unit_positions)


def works(measured: Measured) -> list[Work]:
    """Kinds of work: batches, then books, each in the order of growing demands."""
    found = [
        Work("batch, 10 ms a position, units of 1 s", BATCH, 1.0, 100),
        Work("the same, units of 0.1 s", BATCH, 0.1, 10),
        Work("batch, 1 ms a position, units of 1 s", BATCH, 1.0, 1_000),
        Work("batch, 35 µs a position, the largest units", BATCH, 0.035, 1_000),
    ]
    for ply, seconds in measured.book_seconds.items():
        counts = PLIES[ply]
        unit_seconds = seconds * counts.searched / counts.units
        name = f"book, ply {ply}, units of {unit_seconds:.2g} s"
        found.append(Work(name, BOOK, unit_seconds, counts.unit_positions))
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


def _cost(cost: Cost) -> tuple[str, ...]:
    trips = f"{cost.round_trips:.1f}".removesuffix(".0") if cost.round_trips else ""
    return time_text(cost.server), time_text(cost.client), time_text(cost.wait), trips


def _number(threads: float) -> str:
    """A number with two significant digits, because the assumptions are no more precise."""
    return f"{float(f'{threads:.2g}'):,.0f}"
