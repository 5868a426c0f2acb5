"""The tables of ``docs/performance.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.engine import batches, boards, calls, classes, columns
from benchmarks.page import machine_line, table, versions_line
from cli.bench.timing import three_digits, time_text
from cli.output.render import score_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.engine.results import Measurement, Results
    from cli.bench.timing import Spread

OWN = "C4"
NOTHING = "-"
NOT_MEASURED = "Not measured in this run."


def line(measurement: Measurement) -> str:
    """One measurement in one line, for the terminal."""
    wrong = f", {measurement.wrong} WRONG" if measurement.wrong else ""
    threads = f", {measurement.threads} threads" if measurement.threads > 1 else ""
    return (
        f"{measurement.group}: {measurement.case}, {measurement.solver}{threads}: "
        f"{measurement.count:,} x {time_text(measurement.each.median)}{wrong}"
    )


def sections(results: Results) -> dict[str, str]:
    """The text for every place on the page, by name."""
    makers = {
        "classes": _classes,
        "rivals": _rivals,
        "boards": _boards,
        "openings": _openings,
        "columns": _columns,
        "batches": _batches,
        "threads": _threads,
        "calls": _calls,
    }
    return {"run": _run(results)} | {
        name: make(results) or NOT_MEASURED for name, make in makers.items()
    }


def range_text(spread: Spread) -> str:
    """The ends of a spread, or ``one run`` if they are equal."""
    if spread.least == spread.most:
        return "one run"
    least, most = time_text(spread.least), time_text(spread.most)
    if least.split()[-1] == most.split()[-1]:
        least = least.split()[0]
    return f"{least} to {most}"


def number_text(number: float | None) -> str:
    """A count with separators, or with a suffix where it is large."""
    if number is None:
        return NOTHING
    for size, suffix in ((1e9, " G"), (1e6, " M")):
        if number >= size:
            return f"{three_digits(number / size)}{suffix}"
    return f"{number:,.0f}"


def times_text(ratio: float | None) -> str:
    """A ratio of times: ``12.3``."""
    return NOTHING if ratio is None else three_digits(ratio)


def ratio(measurement: Measurement, own: Measurement | None) -> float | None:
    """The median processor time of a solver, divided by that of the engine."""
    if own is None or own is measurement or not own.each.median or not measurement.each.median:
        return None
    return measurement.each.median / own.each.median


def partner(measurement: Measurement, others: Sequence[Measurement]) -> Measurement | None:
    """The engine's measurement of the same case on the same positions."""
    return next(
        (
            other
            for other in others
            if other.solver == OWN
            and other.case == measurement.case
            and other.count == measurement.count
        ),
        None,
    )


def widest(measurements: Iterable[Measurement]) -> list[Measurement]:
    """For every case the engine's measurement on the most positions."""
    best: dict[str, Measurement] = {}
    for measurement in measurements:
        if measurement.solver == OWN and (
            measurement.case not in best or measurement.count > best[measurement.case].count
        ):
            best[measurement.case] = measurement
    return list(best.values())


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """A table with words in the first columns and numbers in the others; empty without rows."""
    return table(heading, rows, left=words) if rows else ""


def _run(results: Results) -> str:
    return "\n".join(
        [
            f"- Day: {results.date}",
            machine_line(results.machine),
            versions_line(results.versions),
            f"- Positions: {results.positions}",
            f"- Table: {results.table}",
            f"- Wrong answers of all solvers together: {results.wrong}",
            f"- Command: `{results.command}`",
        ]
    )


def _cells(own: Measurement) -> list[str]:
    return [
        own.case,
        f"{own.count:,}",
        time_text(own.each.median),
        range_text(own.each),
        number_text(own.nodes_each),
    ]


def _classes(results: Results) -> str:
    rows = [[*_cells(own), str(own.wrong)] for own in widest(results.group(classes.GROUP))]
    return _table(["class", "positions", "a position", "range", "nodes", "wrong"], rows)


def _rivals(results: Results) -> str:
    return _beside(results.group(classes.GROUP), "class")


def _columns(results: Results) -> str:
    measurements = results.group(columns.GROUP)
    rows = [_cells(own) for own in widest(measurements)]
    alone = _table(["positions of", "positions", "a position", "range", "nodes"], rows)
    return "\n\n".join(text for text in (alone, _beside(measurements, "positions of")) if text)


def _beside(measurements: Sequence[Measurement], heading: str) -> str:
    """Solvers side by side on the same positions."""
    rivals = list(dict.fromkeys(one.solver for one in measurements if one.solver != OWN))
    cases: dict[tuple[str, int], dict[str, Measurement]] = {}
    for one in measurements:
        cases.setdefault((one.case, one.count), {})[one.solver] = one
    rows = []
    for (case, count), solvers in cases.items():
        own = solvers.get(OWN)
        if own is None or len(solvers) == 1:
            continue
        row = [case, f"{count:,}", time_text(own.each.median)]
        for name in rivals:
            other = solvers.get(name)
            row += (
                [NOTHING, NOTHING]
                if other is None
                else [time_text(other.each.median), times_text(ratio(other, own))]
            )
        rows.append(row)
    return _table(
        [heading, "positions", OWN, *(text for name in rivals for text in (name, "times"))], rows
    )


def _boards(results: Results) -> str:
    measurements = results.group(boards.BOARDS)
    rows = [
        [
            one.case,
            one.solver,
            score_text(boards.SCORES[one.case.partition(",")[0]]),
            number_text(one.nodes),
            time_text(one.each.median),
            range_text(one.each),
            times_text(ratio(one, partner(one, measurements))),
        ]
        for one in measurements
    ]
    return _table(["board", "solver", "score", "nodes", "time", "range", "times"], rows, words=2)


def _openings(results: Results) -> str:
    rows = [
        [
            one.case,
            score_text(-boards.FIRST_MOVES[one.case]),
            number_text(one.nodes),
            time_text(one.each.median),
            range_text(one.each),
        ]
        for one in results.group(boards.OPENINGS)
    ]
    return _table(["first move", "score for the first player", "nodes", "time", "range"], rows)


def _batches(results: Results) -> str:
    rows = [
        [
            one.case,
            f"{one.count:,}",
            number_text(1 / one.each.median),
            time_text(one.each.median),
            range_text(one.each),
        ]
        for one in results.group(batches.BATCHES)
    ]
    return _table(["batch", "positions", "positions/s", "a position", "range"], rows)


def _threads(results: Results) -> str:
    measurements = results.group(batches.THREADS)
    single = {one.case: one for one in measurements if one.threads == 1}
    rows = [
        [
            one.case,
            str(one.threads),
            time_text(one.elapsed.median),
            range_text(one.elapsed),
            times_text(single[one.case].elapsed.median / one.elapsed.median),
            number_text(one.nodes),
        ]
        for one in sorted(measurements, key=lambda one: one.case)
    ]
    return _table(["work", "threads", "wall clock", "range", "speed-up", "nodes"], rows)


def _calls(results: Results) -> str:
    measurements = [*results.group(calls.CALLS), *results.group(calls.IMPORTS)]
    rows = [
        [one.case, one.solver, time_text(one.each.median), range_text(one.each)]
        for one in measurements
    ]
    return _table(["call", "solver", "time", "range"], rows, words=2)
