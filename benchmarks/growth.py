"""A plot of growth: lines over numbers of workers, both axes doubling, the ideal beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from benchmarks.engine.plot import COLOURS, FAINT, INK, SHAPES
from c4core import extras

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Line(NamedTuple):
    """One line of the plot."""

    label: str
    points: Sequence[tuple[int, float]]
    """How many there are, and how many times as much they do."""


def draw(
    path: Path, lines: Sequence[Line], ticks: Sequence[int], *, title: str, across: str, up: str
) -> None:
    """Write the plot as ``path.svg``.

    Args:
        path: its suffix is replaced.
        lines: of the plot, as many as there are colours.
        ticks: of both axes.
        title: of the plot.
        across: label of the axis of numbers.
        up: label of the axis of gains.
    """
    extras.require(extras.PLOT, click.ClickException)
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    # Text stays text, and the same results make the same file.
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "c4", "font.size": 11}
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(8, 5.2), layout="constrained")
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
    axes.tick_params(length=0, colors=INK)
    axes.grid(visible=True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel(across, color=INK)
    axes.set_ylabel(up, color=INK)
    axes.set_title(title, loc="left", color=INK, fontsize=12)
    axes.legend(loc="upper left", frameon=False, fontsize=10)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    plt.close(figure)
