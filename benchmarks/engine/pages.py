"""The texts of ``docs/performance-log.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.engine.solvers import Measurement
from benchmarks.page import number_text, range_text, run_lines, table
from c4core import parse_board
from c4core.solved import SOLVED
from cli.measuring import three_digits, time_with_unit
from cli.output.render import score_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.record import Part

OWN: Final = "C4"
NOTHING: Final = "-"
NOT_MEASURED: Final = "Not measured in this run."

GROUPS: Final = ("classes", "boards", "columns", "batches", "threads")
"""The groups of measurements."""

STANDARD: Final = "7x6"
EMPTY_BOARD: Final = "empty board"


def line(measurement: Measurement) -> str:
    """A measurement in one line, for the terminal."""
    wrong = f", {measurement.wrong} WRONG" if measurement.wrong else ""
    threads = f", {measurement.threads} threads" if measurement.threads > 1 else ""
    return (
        f"{measurement.group}: {measurement.case}, {measurement.solver}{threads}: "
        f"{measurement.count:,} x {time_with_unit(measurement.each.median)}{wrong}"
    )


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/performance-log.md``."""
    found = parts["run"].figures
    measured = [Measurement(**each) for each in found["measurements"]]
    groups = {name: [each for each in measured if each.group == name] for name in GROUPS}
    lines = run_lines(
        parts["run"].made,
        f"Positions: {found['positions']}",
        f"Table: {found['table']}",
        f"Wrong answers of all solvers together: {sum(each.wrong for each in measured)}",
    )
    classes, columns = groups["classes"], groups["columns"]
    both = (own_table(columns, "positions of"), rivals_table(columns, "positions of"))
    texts = {
        "classes": own_table(classes, "class", wrong=True),
        "rivals": rivals_table(classes, "class"),
        "boards": boards_table(groups["boards"]),
        "columns": "\n\n".join(filter(None, both)),
        "batches": batches_table(groups["batches"]),
        "threads": threads_table(groups["threads"]),
    }
    return {"run": lines} | {name: text or NOT_MEASURED for name, text in texts.items()}


def own_table(found: Sequence[Measurement], heading: str, *, wrong: bool = False) -> str:
    """The engine's times for each case, on the largest number of positions."""
    headings = f"{heading} | positions | per position | range | nodes{' | wrong' * wrong}"
    rows = []
    for one in widest(found):
        nodes = "" if one.nodes is None else number_text(one.nodes / one.count)
        times = f"{time_with_unit(one.each.median)} | {range_text(one.each)}"
        more = f" | {one.wrong}" * wrong
        rows.append(f"{one.case} | {one.count:,} | {times} | {nodes}{more}")
    return _table(headings, rows)


def rivals_table(found: Sequence[Measurement], heading: str) -> str:
    """All solvers on the same positions."""
    rivals = list(dict.fromkeys(one.solver for one in found if one.solver != OWN))
    cases: dict[tuple[str, int], dict[str, Measurement]] = {}
    for one in found:
        cases.setdefault((one.case, one.count), {})[one.solver] = one
    rows = []
    for (case, count), solvers in cases.items():
        own = solvers.get(OWN)
        if own is None or len(solvers) == 1:
            continue
        row = [case, f"{count:,}", time_with_unit(own.each.median)]
        for other in map(solvers.get, rivals):
            times = other and ratio(other, own)
            row += [
                time_with_unit(other.each.median) if other else NOTHING,
                three_digits(times) if times else NOTHING,
            ]
        rows.append(row)
    names = "".join(f" | {name} | times" for name in rivals)
    return _table(f"{heading} | positions | {OWN}{names}", rows)


def boards_table(found: Sequence[Measurement]) -> str:
    """The results of empty boards."""
    rows = []
    for one in found:
        times = ratio(one, partner(one, found))
        rows.append(
            [
                one.case,
                one.solver,
                score_text(SOLVED[parse_board(one.case.partition(",")[0])].score),
                "" if one.nodes is None else number_text(one.nodes),
                time_with_unit(one.each.median),
                range_text(one.each),
                "" if times is None else three_digits(times),
            ]
        )
    return _table("board | solver | score | nodes | time | range | times", rows, left=2)


def batches_table(found: Sequence[Measurement]) -> str:
    """The times of batches in one call."""
    rows = [
        f"{one.case} | {one.count:,} | {number_text(1 / one.each.median)} | "
        f"{time_with_unit(one.each.median)} | {range_text(one.each)}"
        for one in found
    ]
    return _table("batch | positions | positions/s | per position | range", rows)


def threads_table(found: Sequence[Measurement]) -> str:
    """The gain in wall-clock time from more threads."""
    single = {one.case: one for one in found if one.threads == 1}
    rows = [
        f"{one.case} | {one.threads} | {time_with_unit(one.elapsed.median)} | "
        f"{range_text(one.elapsed)} | "
        f"{three_digits(single[one.case].elapsed.median / one.elapsed.median)} | "
        f"{number_text(one.nodes or 0)}"
        for one in sorted(found, key=lambda one: one.case)
    ]
    return _table("work | threads | wall clock | range | speed-up | nodes", rows)


def ratio(measurement: Measurement, own: Measurement | None) -> float | None:
    """A solver's median processor time, divided by the engine's."""
    if own is None or own is measurement or not own.each.median or not measurement.each.median:
        return None
    return measurement.each.median / own.each.median


def partner(measurement: Measurement, others: Sequence[Measurement]) -> Measurement | None:
    """The engine's measurement of the same case on the same positions."""
    wanted = (OWN, measurement.case, measurement.count)
    return next((one for one in others if (one.solver, one.case, one.count) == wanted), None)


def widest(found: Iterable[Measurement]) -> list[Measurement]:
    """The engine's measurement with the most positions, for each case."""
    best: dict[str, Measurement] = {}
    for one in found:
        if one.solver == OWN and (one.case not in best or one.count > best[one.case].count):
            best[one.case] = one
    return list(best.values())


def _table(headings: str, rows: Sequence[str | Sequence[str]], *, left: int = 1) -> str:
    return table(headings, rows, left=left) if rows else ""
