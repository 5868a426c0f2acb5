"""The plot of the classes: a row for each class, with a mark for the time of each solver.

The time axis is logarithmic. The marks of a row are for the same positions: the first few of a
class if a rival is slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.engine import boards, classes
from benchmarks.engine.tables import OWN, partner, ratio, widest
from benchmarks.plotting import COLOURS, FAINT, INK, SHAPES, plot
from cli.bench.timing import time_text

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.engine.results import Measurement, Results

EMPTY_BOARD = "empty board"
TIMES = "\N{MULTIPLICATION SIGN}"
WHOLE = 9.95  # larger ratios have no decimal
TICKS = {1e-6: "1 µs", 1e-3: "1 ms", 1.0: "1 s", 60.0: "1 min"}


def draw(results: Results, path: Path) -> None:
    """Write the plot as ``path.svg`` and ``path.png``.

    Raises:
        ValueError: the results have no class.
    """
    rows = _rows(results)
    if not rows:
        raise ValueError("the results hold no classes to be drawn")
    with plot(path, (9, 1.6 + 0.62 * len(rows)), png=True) as axes:
        _marks(axes, rows, results)
        _frame(axes, rows, results)


def _rows(results: Results) -> dict[str, list[Measurement]]:
    """The measurements of every row, all on the same positions."""
    rows: dict[str, list[Measurement]] = {}
    for group, case, name in (
        *((classes.GROUP, own.case, own.case) for own in widest(results.group(classes.GROUP))),
        (boards.BOARDS, boards.STANDARD, EMPTY_BOARD),
    ):
        found = [one for one in results.group(group) if one.case == case]
        rivals = [one for one in found if one.solver != OWN and one.each.median > 0]
        beside = [one for rival in rivals[:1] if (one := partner(rival, found)) is not None]
        if found:
            rows[name] = [*(beside or widest(found)), *rivals]
    return rows


def _marks(axes: Axes, rows: dict[str, list[Measurement]], results: Results) -> None:
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
            slower = ratio(one, partner(one, results.group(one.group)))
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


def _frame(axes: Axes, rows: dict[str, list[Measurement]], results: Results) -> None:
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
        f"processor time for one position, one thread, no book ({results.machine['processor']})",
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
