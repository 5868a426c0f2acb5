"""The tables of ``docs/scaling.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.scaling import studies
from benchmarks.scaling.books import HOUR, PLIES, cost_of_book, seconds_of_book
from benchmarks.scaling.limits import demands, thread_limits, threads_of_a_process
from benchmarks.scaling.model import Activity
from benchmarks.scaling.studies import MANY_THREADS, STANDARD, mixes
from cli.bench.timing import three_digits, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.scaling.costs import Cost, Measured
    from benchmarks.scaling.model import Outcome

PHASES: Final = {
    "plan": "plan, written 32 at a time",
    "claim": "claim",
    "solve": "read, look up, make the result",
    "complete": "complete and announce the next",
}
KINDS: Final = {"analyze": "batch", "book": "book"}
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
"""Shares below that are none."""
HANDFUL: Final = 100.0
"""Seconds that are told as such."""


def measured_sections(measured: Measured) -> dict[str, str]:
    """The text of the places that need no simulation, by name."""
    return {
        "run": run(measured),
        "costs": costs(measured),
        "limits": limits(measured),
        "connections": connections(measured),
        "check": check(measured),
        "books": books(measured),
    }


def simulated_sections(measured: Measured) -> dict[str, str]:
    """The text of the other places."""
    return {
        "growth": growth(measured),
        "units": unit_sizes(measured),
        "distance": distance(measured),
        "durations": durations(measured),
    }


def run(measured: Measured) -> str:
    """Where and when the costs were measured."""
    machine = measured.machine
    versions = ", ".join(f"{name} {version}" for name, version in measured.versions.items())
    return "\n".join(
        [
            f"- Day: {measured.date}",
            f"- Machine: {machine['processor']}, {machine['cores']} cores, {machine['system']}",
            f"- Versions: {versions}",
            f"- Command: `{measured.command}`",
        ]
    )


def costs(measured: Measured) -> str:
    """What units and messages cost."""
    rows = [
        (
            f"{KINDS[kind]}: {text}",
            *_cost(unit_cost.each),
            _each(unit_cost.position.server),
            _each(unit_cost.position.client),
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
    """How many threads every resource can serve."""
    rows = []
    for mix in mixes(measured):
        known = measured.costs(mix.kind)
        alone = mix.scenario()
        asked = demands(known, alone)
        single = thread_limits(known, alone)
        many = thread_limits(known, mix.scenario(threads=MANY_THREADS))
        rows.append(
            (
                mix.name,
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
    """More and more workers."""
    rows = [
        (
            f"{threads // of_each:,} x {of_each}",
            three_digits(outcome.units_per_second),
            *_shares(outcome),
            *_used(outcome),
        )
        for of_each in (1, MANY_THREADS)
        for threads, outcome in studies.growth(measured, STANDARD, of_each)
    ]
    return table(
        [
            "workers x threads",
            "units/s",
            *(str(activity) for activity in Activity),
            "database busy",
            "broker busy",
            "planner busy",
            "a worker's Python busy",
        ],
        rows,
    )


def unit_sizes(measured: Measured) -> str:
    """The same job in larger and larger units."""
    rows = [
        (
            f"{positions:,}",
            time_text(positions * studies.POSITION_SECONDS),
            f"{outcome.seconds:.0f} s",
            f"{outcome.seconds / studies.JOB_SECONDS:.2f}",
            _percent(outcome.database),
            _percent(outcome.broker),
            _percent(outcome.python),
        )
        for positions, outcome in studies.unit_sizes(measured)
    ]
    return table(
        [
            "positions of a unit",
            "search of a unit",
            "the job takes",
            "times the ideal",
            "database",
            "broker",
            "a worker's Python",
        ],
        rows,
    )


def distance(measured: Measured) -> str:
    """Workers far from the servers."""
    some = [STANDARD, mixes(measured)[1]]
    columns = [list(studies.distances(measured, mix)) for mix in some]
    rows = [
        (time_text(row[0][0]), *(_percent(outcome.searching) for _, outcome in row))
        for row in zip(*columns, strict=True)
    ]
    return table(
        ["a round trip takes longer by", *(f"searching: {mix.name}" for mix in some)], rows
    )


def connections(measured: Measured) -> str:
    """Connections of a worker."""
    rows = [(str(threads), str(number)) for threads, number in measured.connections.items()]
    return table(["threads of a worker", "connections to the database"], rows)


def check(measured: Measured) -> str:
    """Real runs beside what was foreseen."""
    rows = [
        (
            f"{one.workers} x {one.threads}",
            str(one.positions),
            time_text(one.unit_seconds),
            f"{one.load:.1f}",
            *(
                f"{time_text(getattr(one.real, part))} / {time_text(getattr(one.foreseen, part))}"
                for part in ("worker", "database", "broker")
            ),
            f"{one.real.units_per_second:.0f} / {one.foreseen.units_per_second:.0f}",
        )
        for one in measured.runs
    ]
    return table(
        [
            "workers x threads",
            "positions of a unit",
            "search of a unit",
            "others ready, a processor",
            "a unit, workers: real / foreseen",
            "database's server",
            "broker",
            "units/s: real / simulated",
        ],
        rows,
    )


def books(measured: Measured) -> str:
    """What books cost."""
    rows = []
    for ply in PLIES:
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
    """How long books take."""
    fleets = studies.BOOK_THREADS
    rows = [
        (
            str(ply),
            *(
                _duration(seconds_of_book(measured, ply, threads))
                for threads in studies.BOOK_THREADS
            ),
        )
        for ply in PLIES
    ]
    return table(["ply, threads:", *(f"{threads:,}" for threads in fleets)], rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""

    def lines() -> Iterator[str]:
        yield _line(head)
        yield _line(["---", *["---:"] * (len(head) - 1)])
        yield from map(_line, rows)

    return "\n".join(lines())


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cost(cost: Cost) -> tuple[str, ...]:
    trips = f"{cost.round_trips:.1f}".removesuffix(".0") if cost.round_trips else ""
    return time_text(cost.server), time_text(cost.client), time_text(cost.wait), trips


def _each(seconds: float) -> str:
    return time_text(seconds)


def _shares(outcome: Outcome) -> tuple[str, ...]:
    return tuple(_percent(outcome.shares[activity]) for activity in Activity)


def _used(outcome: Outcome) -> tuple[str, ...]:
    return tuple(
        _percent(share)
        for share in (outcome.database, outcome.broker, outcome.planner, outcome.python)
    )


def _percent(share: float) -> str:
    return f"{PERCENT * share:.1f} %" if share > FEW else "0 %"


def _number(threads: float) -> str:
    """Two digits are more than the assumptions are worth."""
    return f"{float(f'{threads:.2g}'):,.0f}"


def _size(size: float) -> str:
    scale, unit = next((entry for entry in BYTES if size >= entry[0]), (1.0, "bytes"))
    return f"{three_digits(size / scale)} {unit}"


def _duration(seconds: float) -> str:
    if seconds >= HOUR:
        return f"{three_digits(seconds / HOUR)} h"
    return f"{seconds / 60:.1f} min" if seconds >= HANDFUL else f"{seconds:.0f} s"
