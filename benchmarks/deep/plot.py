"""The plot of the speed-up: how many times as fast so many workers are as one search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.plot import COLOURS, FAINT, INK, SHAPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def draw(curves: Mapping[str, Sequence[tuple[int, float]]], path: Path) -> None:
    """Write the plot as ``path.svg``: for each position its workers and how fast they are."""
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    # Text stays text, and the same results make the same file.
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "c4", "font.size": 11}
    from matplotlib import pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(8, 5.2), layout="constrained")
    ticks = sorted({workers for curve in curves.values() for workers, _ in curve})
    axes.plot(ticks, ticks, color=FAINT, linewidth=2, zorder=1)
    for index, (label, curve) in enumerate(curves.items()):
        axes.plot(
            *zip(*curve, strict=True),
            color=COLOURS[index % len(COLOURS)],
            marker=SHAPES[index % len(SHAPES)],
            markersize=7,
            linewidth=1.6,
            label=label,
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
    axes.set_xlabel("workers", color=INK)
    axes.set_ylabel("times as fast as one search", color=INK)
    axes.set_title("One position, many workers (simulated)", loc="left", color=INK, fontsize=12)
    axes.legend(loc="upper left", frameon=False, fontsize=10)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    plt.close(figure)
