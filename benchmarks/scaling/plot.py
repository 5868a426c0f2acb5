"""The plot of growth: threads that search against threads that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.plot import COLOURS, FAINT, INK, SHAPES
from benchmarks.scaling import studies
from benchmarks.scaling.studies import MANY_THREADS, STANDARD, mixes

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.scaling.costs import Measured

TICKS: Final = (1, 4, 16, 64, 256, 1_024, 4_096)


class Line(NamedTuple):
    """One line of the plot."""

    label: str
    threads: list[int]
    searching: list[float]


def draw(measured: Measured, path: Path) -> None:
    """Write the plot as ``path.svg``."""
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    # Text stays text, and the same results make the same file.
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "c4", "font.size": 11}
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(8, 5.2), layout="constrained")
    axes.plot(TICKS, TICKS, color=FAINT, linewidth=2, zorder=1)
    for index, line in enumerate(_lines(measured)):
        axes.plot(
            line.threads,
            line.searching,
            color=COLOURS[index],
            marker=SHAPES[index],
            markersize=7,
            linewidth=1.6,
            label=line.label,
            zorder=2,
        )
    _frame(axes)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    plt.close(figure)


def _lines(measured: Measured) -> list[Line]:
    found = []
    small = mixes(measured)[1]
    for label, mix, of_each in (
        ("units of 1 s, workers of 16 threads", STANDARD, MANY_THREADS),
        ("units of 1 s, workers of 1 thread", STANDARD, 1),
        ("units of 0.1 s, workers of 16 threads", small, MANY_THREADS),
        ("units of 0.1 s, workers of 1 thread", small, 1),
    ):
        outcomes = list(studies.growth(measured, mix, of_each))
        found.append(
            Line(
                label,
                [threads for threads, _ in outcomes],
                [threads * outcome.searching for threads, outcome in outcomes],
            )
        )
    return found


def _frame(axes: Axes) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(TICKS, [f"{tick:,}" for tick in TICKS])
    axes.minorticks_off()
    axes.tick_params(length=0, colors=INK)
    axes.grid(visible=True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel("threads of all workers", color=INK)
    axes.set_ylabel("threads that search, on average", color=INK)
    axes.set_title("Growth of the service (simulated)", loc="left", color=INK, fontsize=12)
    axes.legend(loc="upper left", frameon=False, fontsize=10)
