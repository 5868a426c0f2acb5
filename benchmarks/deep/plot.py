"""The plot of the speed-up by the number of workers, on logarithmic axes, with the ideal line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.plotting import COLOURS, FAINT, INK, SHAPES, plot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Line(NamedTuple):
    """One line of the plot."""

    label: str
    points: Sequence[tuple[int, float]]
    """Pairs of the number of workers and their speed-up."""


def draw(path: Path, lines: Sequence[Line], ticks: Sequence[int]) -> None:
    """Write the plot as an SVG file.

    Args:
        path: the file; its suffix is replaced.
        lines: the lines of the plot, at most as many as there are colours.
        ticks: the ticks of both axes.
    """
    with plot(path, (8, 5.2)) as axes:
        axes.plot(ticks, ticks, color=FAINT, linewidth=2, zorder=1)
        for index, line in enumerate(lines):
            axes.plot(
                *zip(*line.points, strict=True),
                color=COLOURS[index],
                marker=SHAPES[index],
                markersize=7,
                linewidth=1.6,
                label=line.label,
                zorder=2,
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        for set_ticks in (axes.set_xticks, axes.set_yticks):
            set_ticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
        axes.grid(visible=True, color=FAINT, linewidth=0.6)
        axes.set_xlabel("workers", color=INK)
        axes.set_ylabel("times as fast as one search", color=INK)
        axes.set_title("One position, many workers (simulated)", loc="left", color=INK, fontsize=12)
        axes.legend(loc="upper left", frameon=False, fontsize=10)
