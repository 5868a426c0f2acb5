"""``benchmarks/results/learning-*.svg``: the course and the result of every training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from c4core import extras
from c4core.learning.modelfile import Model
from c4core.notation import DEFAULT_BOARD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.learning.results import Results

COLOURS: Final = ("#2171b5", "#d2560b", "#3a8f4d", "#8f4da8", "#8a6d1f")
FAINT: Final = "#666666"
FEWEST: Final = 50
"""A ply with fewer positions has no point in the plot."""
REPORTED: Final = {"learning-cnn": 0.45, "random": 0.02}
"""The shares of games won against set that Brewer 2017 reports."""


def draw_all(results: Results, directory: Path) -> None:
    """Draw every part that was measured."""
    from c4core.training.curves import draw_curves  # noqa: PLC0415 (matplotlib is optional)

    parts = results["parts"]
    for kind in ("cnn", "exact", "selfplay"):
        if kind in parts:
            model = Model(kind, DEFAULT_BOARD, {}, {}, parts[kind]["history"], {})
            draw_curves(model, directory / f"learning-{kind}.svg")
    if "games" in parts:
        _draw(directory / "learning-games.svg", _games, parts["games"])
    if "exact" in parts:
        _draw(directory / "learning-plies.svg", _plies, parts)


def win_shares(marks: str) -> Iterator[float]:
    """The share of games won after each game; a draw is not a win."""
    won = 0
    for games, mark in enumerate(marks, start=1):
        won += mark == "w"
        yield won / games


def _draw(path: Path, fill: Any, part: Any) -> None:  # noqa: ANN401
    extras.require(extras.PLOT, click.ClickException)
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415

    style: Any = {
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "svg.hashsalt": "c4",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(8, 4), layout="constrained", facecolor="white")
        axes = figure.subplots()
        fill(axes, part)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        if axes.get_legend_handles_labels()[0]:  # too few positions may leave nothing to draw
            axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _games(axes: Axes, part: Any) -> None:  # noqa: ANN401
    """Draw the shares of games won against set, and those that Brewer 2017 reports."""
    for (player, marks), colour in zip(part["marks"].items(), COLOURS, strict=False):
        shares = list(win_shares(marks))
        axes.plot(range(1, len(shares) + 1), shares, color=colour, linewidth=1.4, label=player)
        if player in REPORTED:
            axes.axhline(REPORTED[player], color=colour, linewidth=0.8, linestyle=":")
    axes.set_xlabel("games played against set; dotted: reported by Brewer 2017")
    axes.set_ylabel("share of games won")
    axes.set_ylim(-0.02, 1.02)


def _plies(axes: Axes, parts: Any) -> None:  # noqa: ANN401
    """Draw the shares of best columns by the number of stones on the board."""
    shown = {"learning-exact": parts["exact"]["test"], **parts.get("matches", {}).get("shares", {})}
    for (name, shares), colour in zip(shown.items(), COLOURS, strict=False):
        _line(axes, shares["plies"], "best_share", colour, name)
    _line(axes, parts["exact"]["test"]["plies"], "random_share", FAINT, "a random column")
    axes.set_xlabel("stones on the board")
    axes.set_ylabel("positions in which its column is a best one")
    axes.set_ylim(0, 1.02)


def _line(axes: Axes, plies: Any, name: str, colour: str, label: str) -> None:  # noqa: ANN401
    points = [(ply["ply"], ply[name]) for ply in plies if ply["positions"] >= FEWEST]
    axes.plot(*zip(*points, strict=True), color=colour, linewidth=1.4, marker=".", label=label)
