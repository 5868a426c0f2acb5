"""The picture of a book: its lines of play as rings, its scores as bars. Needs matplotlib.

The first player's wins are blue, draws grey, the second player's wins orange. Darker means a sooner
win.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb

from c4core.book.outline import NO_LINE, rings, spreads
from c4core.evaluation import NO_SCORE
from c4core.notation import column_label
from cli.output import drawing
from cli.output.drawing import BAD, FAINT, GOOD, INK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure
    from matplotlib.projections.polar import PolarAxes
    from numpy.typing import NDArray

    from c4core.book import Book
    from c4core.book.outline import Spread, Values

WIN: Final = LinearSegmentedColormap.from_list("win", GOOD)
LOSS: Final = LinearSegmentedColormap.from_list("loss", BAD)
DRAW: Final = "#d6d6d6"
NOTHING: Final = "#ffffff"

HOLE: Final = 0.75
"""Radius of the centre, in ring widths."""

EDGED_RINGS: Final = 3
"""The last ring with lines between its fields; in later rings the lines would hide the colours."""

LABELLED_RINGS: Final = 2
"""The last ring with columns and scores in its fields."""

SMOOTH: Final = 720
"""Minimum number of straight pieces of a ring."""

DARK: Final = 0.45
"""Text is white on colours darker than this."""

DOTS_PER_INCH: Final = 200


def draw(book: Book, depth: int, paths: Sequence[Path]) -> None:
    """Draw a book into files; their suffixes name the formats."""
    levels = [spread for spread in spreads(book) if len(spread.counts)]
    lines = list(rings(book, depth))
    most = max(int(np.abs(level.scores).max()) for level in levels)
    with drawing.figure(13.5, 8, paths, dots_per_inch=DOTS_PER_INCH) as figure:
        halves = figure.add_gridspec(1, 2, width_ratios=[1.15, 1])
        left, right = figure.add_subfigure(halves[0]), figure.add_subfigure(halves[1])
        left.suptitle(_title(book, depth), fontsize=11)
        grid = left.add_gridspec(2, 1, height_ratios=[30, 1])
        tree = cast("PolarAxes", left.add_subplot(grid[0], projection="polar"))
        key = left.add_subplot(grid[1])
        _draw_rings(tree, lines, most, book.info.board.width)
        _draw_key(key, most, is_sparse=book.info.kind == "sparse")
        _draw_spreads(right, levels, most)


def colours(values: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Colours of scores for the first player, as red, green and blue.

    ``values`` are scores, NO_SCORE or NO_LINE. A score of ``most`` or ``-most`` is the darkest.
    """
    shade = np.clip((np.abs(values) - 1) / max(most - 1, 1), 0, 1)
    found = np.empty((len(values), 3))
    found[:] = to_rgb(DRAW)
    for map_, part in ((WIN, values > 0), (LOSS, values < 0)):
        found[part] = map_(shade[part])[:, :3]
    found[(values == NO_SCORE) | (values == NO_LINE)] = to_rgb(NOTHING)
    return found


def _draw_rings(axes: PolarAxes, lines: Sequence[Values], most: int, width: int) -> None:
    axes.set_theta_zero_location("S")  # the left columns on the left, the middle one on top
    axes.set_theta_direction(-1)
    axes.set_axis_off()
    axes.set_ylim(0, HOLE + len(lines) - 1)
    for ring, values in enumerate(lines):
        inner, outer = HOLE + ring - 1 if ring else 0.0, HOLE + ring
        seen = colours(values.astype(np.int64), most)
        pieces = -(-SMOOTH // len(values))
        axes.pcolormesh(
            np.linspace(0, 2 * np.pi, len(values) * pieces + 1),
            [inner, outer],
            np.repeat(seen, pieces, axis=0)[np.newaxis],
            rasterized=True,
        )
        if ring <= EDGED_RINGS:
            _draw_edges(axes, ring, len(values), inner, outer)
        if ring <= LABELLED_RINGS:
            _label(axes, ring, values, seen, width)


def _draw_edges(axes: PolarAxes, ring: int, fields: int, inner: float, outer: float) -> None:
    size = 1.2 / max(ring, 1)
    if ring:
        angles = np.linspace(0, 2 * np.pi, fields, endpoint=False)
        axes.vlines(angles, inner, outer, colors="white", linewidth=size)
    around = np.linspace(0, 2 * np.pi, SMOOTH)
    axes.plot(around, np.full(SMOOTH, outer), color="white", linewidth=size)


def _label(
    axes: PolarAxes, ring: int, values: Values, seen: NDArray[np.float64], width: int
) -> None:
    for index, value in enumerate(values.tolist()):
        if value in (NO_LINE, NO_SCORE):
            continue
        score = f"{value:+d}" if value else "0"
        axes.text(
            2 * np.pi * (index + 0.5) / len(values),
            HOLE + ring - 0.5 if ring else 0.0,
            f"$\\bf{{{column_label(index % width)}}}$\n{score}" if ring else score,
            ha="center",
            va="center",
            fontsize=9 if ring < LABELLED_RINGS else 5.5,
            linespacing=1.1,
            color="white" if seen[index].mean() < DARK else INK,
        )


def _draw_key(axes: Axes, most: int, *, is_sparse: bool) -> None:
    scores = np.arange(-most, most + 1)
    axes.imshow(
        colours(scores, most)[np.newaxis],
        extent=(-most - 0.5, most + 0.5, 0, 1),
        aspect="auto",
        interpolation="nearest",
    )
    axes.set_yticks([])
    half = (most + 1) / 2
    axes.set_xticks(
        [-most, -half, 0, half, most],
        ["soon", "second player wins", "draw", "first player wins", "soon"],
    )
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if is_sparse:
        axes.text(0.5, 1.2, "white: not in the book", transform=axes.transAxes, ha="center")


def _title(book: Book, depth: int) -> str:
    info = book.info
    begin = "the empty board" if not info.first_ply else f"a position of {info.first_ply} stones"
    return (
        f"{info.board}, all lines of {depth} moves from {begin}\n"
        "clockwise from below: columns from left to right; scores for the first player"
    )


def _draw_spreads(figure: SubFigure, levels: Sequence[Spread], most: int) -> None:
    figure.suptitle("How often each score occurs among the positions of a ply", fontsize=11)
    rows = figure.subplots(len(levels), 1, sharex=True, squeeze=False)[:, 0]
    heading = "positions\nfirst wins · draw · second wins"
    rows[0].set_title(heading, loc="right", fontsize=7.5, color=FAINT)
    for axes, level in zip(rows, levels, strict=True):
        _draw_spread(axes, level, most)
    rows[-1].set_xlabel("score for the first player: 1 is a win with the last stone")
    rows[-1].tick_params(axis="x", length=3)


def _draw_spread(axes: Axes, level: Spread, most: int) -> None:
    shares = level.counts / level.counts.sum()
    axes.bar(level.scores, shares, width=0.86, color=colours(level.scores, most))
    axes.set_xlim(-most - 0.7, most + 0.7)
    axes.set_ylim(0, float(shares.max()) * 1.08)
    axes.set_yticks([])
    axes.tick_params(axis="x", length=0)
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.set_ylabel(f"ply {level.ply}", rotation=0, ha="right", va="center")
    won, drawn, lost = (f"{share:.0%}" for share in level.shares)
    axes.text(
        0.995,
        0.9,
        f"{int(level.counts.sum()):,}\n{won} · {drawn} · {lost}",
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=7.5,
        color=FAINT,
    )
