"""The texts and the plot of ``docs/performance.md``.

The plot has one row per class, with a mark for the time of each solver on a logarithmic axis. The
marks of a row are for the same positions; if a rival is slow, only for the first few of a class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.engine.solvers import Measurement
from benchmarks.page import INK, plot_file, run_lines, table
from cli.measuring import three_digits, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.record import Part

# Okabe and Ito's colours, which colour-blind people can distinguish; shapes also differ in print.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
SHAPES: Final = ("o", "s", "D", "^", "v")
FAINT: Final = "#cccccc"

OWN: Final = "C4"
NOTHING: Final = "-"
NOT_MEASURED: Final = "Not measured in this run."

GROUPS: Final = (
    *("classes", "boards", "openings", "columns"),
    *("batches", "threads", "calls", "imports"),
)
"""The groups of measurements."""

STANDARD: Final = "7x6"
EMPTY_BOARD: Final = "empty board"
BOARD_SCORES: Final = {
    "7x5": 0, "6x6": -1, "5x8": 0, "6x7": 1, "8x5": 1, "9x4": -1, "7x6": 1
}  # fmt: skip
"""Known scores of empty boards for the first player."""
FIRST_MOVES: Final = {"1": 2, "2": 1, "3": 0, "4": -1, "5": 0, "6": 1, "7": 2}
"""Scores after each first move, for the second player."""

TIMES: Final = "\N{MULTIPLICATION SIGN}"
WHOLE: Final = 9.95  # larger ratios are shown without decimals
TICKS: Final = {1e-6: "1 µs", 1e-3: "1 ms", 1.0: "1 s", 60.0: "1 min"}

Groups = dict[str, list[Measurement]]


def line(measurement: Measurement) -> str:
    """A measurement in one line, for the terminal."""
    wrong = f", {measurement.wrong} WRONG" if measurement.wrong else ""
    threads = f", {measurement.threads} threads" if measurement.threads > 1 else ""
    return (
        f"{measurement.group}: {measurement.case}, {measurement.solver}{threads}: "
        f"{measurement.count:,} x {time_text(measurement.each.median)}{wrong}"
    )


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/performance.md``."""
    found = parts["run"].figures
    groups = grouped(found)
    wrong = sum(each.wrong for each in measurements(found))
    lines = run_lines(
        parts["run"].made,
        f"Positions: {found['positions']}",
        f"Table: {found['table']}",
        f"Wrong answers of all solvers together: {wrong}",
    )
    classes, columns = groups["classes"], groups["columns"]
    both = (own_table(columns, "positions of"), rivals_table(columns, "positions of"))
    texts = {
        "classes": own_table(classes, "class", wrong=True),
        "rivals": rivals_table(classes, "class"),
        "boards": boards_table(groups["boards"]),
        "openings": openings_table(groups["openings"]),
        "columns": "\n\n".join(filter(None, both)),
        "batches": batches_table(groups["batches"]),
        "threads": threads_table(groups["threads"]),
        "calls": calls_table([*groups["calls"], *groups["imports"]]),
    }
    return {"run": lines} | {name: text or NOT_MEASURED for name, text in texts.items()}


def measurements(figures: Mapping[str, Any]) -> list[Measurement]:
    """The measurements of a run, in their order."""
    return [Measurement(**each) for each in figures["measurements"]]


def grouped(figures: Mapping[str, Any]) -> Groups:
    """The measurements of a run by group."""
    found = measurements(figures)
    return {name: [each for each in found if each.group == name] for name in GROUPS}


def own_table(found: Sequence[Measurement], heading: str, *, wrong: bool = False) -> str:
    """The engine's times for each case, on the largest number of positions."""
    headings = f"{heading} | positions | per position | range | nodes"
    row = "{case} | {count:,} | {each.median:time} | {each:range} | {nodes_each:number}"
    more = (" | wrong", " | {wrong}") if wrong else ("", "")
    return _table(headings + more[0], widest(found), row + more[1])


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
        row = [case, f"{count:,}", time_text(own.each.median)]
        for other in map(solvers.get, rivals):
            times = other and ratio(other, own)
            row += [
                time_text(other.each.median) if other else NOTHING,
                three_digits(times) if times else NOTHING,
            ]
        rows.append(row)
    names = "".join(f" | {name} | times" for name in rivals)
    return _table(f"{heading} | positions | {OWN}{names}", rows)


def boards_table(found: Sequence[Measurement]) -> str:
    """The results of empty boards."""
    rows = [
        {
            "one": one,
            "score": BOARD_SCORES[one.case.partition(",")[0]],
            "times": ratio(one, partner(one, found)),
        }
        for one in found
    ]
    return _table(
        "board | solver | score | nodes | time | range | times",
        rows,
        "{one.case} | {one.solver} | {score:score} | {one.nodes:number} | {one.each.median:time}"
        " | {one.each:range} | {times:digits}",
        left=2,
    )


def openings_table(found: Sequence[Measurement]) -> str:
    """The results of the first moves of 7x6."""
    return _table(
        "first move | score for the first player | nodes | time | range",
        [{"one": one, "score": -FIRST_MOVES[one.case]} for one in found],
        "{one.case} | {score:score} | {one.nodes:number} | {one.each.median:time}"
        " | {one.each:range}",
    )


def batches_table(found: Sequence[Measurement]) -> str:
    """The times of batches in one call."""
    return _table(
        "batch | positions | positions/s | per position | range",
        [{"one": one, "rate": 1 / one.each.median} for one in found],
        "{one.case} | {one.count:,} | {rate:number} | {one.each.median:time} | {one.each:range}",
    )


def threads_table(found: Sequence[Measurement]) -> str:
    """The gain in wall-clock time from more threads."""
    single = {one.case: one for one in found if one.threads == 1}
    rows = [
        {"one": one, "gain": single[one.case].elapsed.median / one.elapsed.median}
        for one in sorted(found, key=lambda one: one.case)
    ]
    return _table(
        "work | threads | wall clock | range | speed-up | nodes",
        rows,
        "{one.case} | {one.threads} | {one.elapsed.median:time} | {one.elapsed:range}"
        " | {gain:digits} | {one.nodes:number}",
    )


def calls_table(found: Sequence[Measurement]) -> str:
    """The times of calls from Python, and of imports."""
    row = "{case} | {solver} | {each.median:time} | {each:range}"
    return _table("call | solver | time | range", found, row, left=2)


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


def _table(headings: str, rows: Sequence[object], row: str = "", *, left: int = 1) -> str:
    return table(headings, rows, row, left=left) if rows else ""


def draw(parts: Mapping[str, Part], directory: Path) -> None:
    """Write the plot of the classes as ``performance.svg``, if there are figures for it."""
    groups = grouped(parts["run"].figures)
    if rows := _rows(groups):
        with plot_file(directory / "performance.svg", (9, 1.6 + 0.62 * len(rows))) as axes:
            _marks(axes, rows, groups)
            _frame(axes, rows, parts["run"].made.processor)


def _rows(groups: Groups) -> Groups:
    """The measurements of every row, all on the same positions."""
    rows: Groups = {}
    for group, case, name in (
        *(("classes", own.case, own.case) for own in widest(groups["classes"])),
        ("boards", STANDARD, EMPTY_BOARD),
    ):
        found = [one for one in groups[group] if one.case == case]
        rivals = [one for one in found if one.solver != OWN and one.each.median > 0]
        beside = [one for rival in rivals[:1] if (one := partner(rival, found)) is not None]
        if found:
            rows[name] = [*(beside or widest(found)), *rivals]
    return rows


def _marks(axes: Axes, rows: Groups, groups: Groups) -> None:
    solvers = list(dict.fromkeys(one.solver for row in rows.values() for one in row))
    for place, row in enumerate(rows.values()):
        times = [one.each.median for one in row]
        axes.plot([min(times), max(times)], [place, place], color=FAINT, linewidth=2, zorder=1)
    for index, solver in enumerate(solvers):
        points = [
            (one, place)
            for place, row in enumerate(rows.values())
            for one in row
            if one.solver == solver
        ]
        axes.scatter(
            [one.each.median for one, _ in points],
            [place for _, place in points],
            s=70,
            color=COLOURS[index % len(COLOURS)],
            marker=SHAPES[index % len(SHAPES)],
            label=solver,
            zorder=2,
        )
        for one, place in points:
            slower = ratio(one, partner(one, groups[one.group]))
            _write_beside(axes, one, place, slower, below=index % 2 == 0)


def _write_beside(
    axes: Axes, one: Measurement, place: int, times: float | None, *, below: bool
) -> None:
    """Write the engine's time to its left, and each rival's multiple of it above or below."""
    own = one.solver == OWN
    if own:
        text, offset, side, base = time_text(one.each.median), (-9, 0), "right", "center"
    else:
        text = "" if times is None else f"{times:,.{0 if times >= WHOLE else 1}f}{TIMES}"
        offset, side = (0, -8 if below else 8), "center"
        base = "top" if below else "bottom"
    axes.annotate(
        text,
        (one.each.median, place),
        textcoords="offset points",
        xytext=offset,
        ha=side,
        va=base,
        fontsize=9,
        color=INK,
    )


def _frame(axes: Axes, rows: Groups, processor: str) -> None:
    axes.set_xscale("log")
    least, most = axes.get_xlim()
    axes.set_xlim(least / 6, most * 1.5)  # room for the engine's times
    axes.set_xticks(list(TICKS), list(TICKS.values()))
    axes.minorticks_off()
    axes.set_xlim(least / 6, most * 1.5)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.invert_yaxis()
    axes.set_yticks(range(len(rows)), list(rows))
    axes.grid(visible=True, axis="x", color=FAINT, linewidth=0.6)
    axes.set_xlabel(
        f"processor time for one position, one thread, no book ({processor})",
        color=INK,
        fontsize=9.5,
    )
    axes.set_title("Exact score of a position", loc="left", fontsize=12, color=INK, pad=26)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=len(COLOURS),
        frameon=False,
        fontsize=10,
        handletextpad=0.2,
        borderaxespad=0.1,
    )
