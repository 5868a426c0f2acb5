"""Colours and a plain frame for the plots of the documents."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from c4core import extras

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes

# Okabe and Ito's colours, which colour-blind people can tell apart; shapes differ even in print.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
SHAPES: Final = ("o", "s", "D", "^", "v")
INK: Final = "#333333"
FAINT: Final = "#cccccc"


@contextmanager
def plot(path: Path, size: tuple[float, float]) -> Iterator[Axes]:
    """Yield axes to draw on, and then write them as an SVG file of this size in inches."""
    extras.require(extras.PLOT, click.ClickException)
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    # Text stays text, and the same results make the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "c4", "font.size": 11}):
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        yield axes
        axes.tick_params(length=0, colors=INK)
        axes.set_axisbelow(True)
        for side in axes.spines.values():
            side.set_visible(False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
