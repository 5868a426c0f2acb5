"""The quality of guesses of open results (``c4core.estimate``).

::

    python -m benchmarks guesses boards 7x6 8x7 8x8 9x6
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
import numpy as np

from benchmarks.games import level_positions
from benchmarks.options import WITH_HELP, seed_option
from benchmarks.page import table
from c4core.book import Book
from c4core.dice import Dice
from c4core.estimate import estimate
from c4core.notation import DEFAULT_BOARD, parse_board
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.record import Part, Results
    from c4core.notation import BoardSize
    from c4core.position import Position

FIRST_PLY: Final = {"7x6": 2, "8x8": 16}
"""The least number of stones by board, otherwise 8; with fewer, it takes minutes to solve a
position."""
LAST_PLY: Final = 34
LEVELS_DRAWN: Final = ("easy", "medium", "hard")
"""The levels whose games supply positions."""
RANDOM_SHARE: Final = 0.1
"""The share of random moves in these games, which makes them different."""

BUDGETS: Final = (1_000, 10_000, 100_000)
"""Numbers of simulated games for a guess."""
BINS: Final = 10

STYLE: Final = {"font.size": 11, "svg.fonttype": "none", "svg.hashsalt": "c4"}
"""The style of the plot: its text stays text, and the same figures give the same file."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure how often guesses are right."""


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--node-limit", type=click.IntRange(1), default=30_000_000, show_default=True)
@seed_option
@click.pass_obj
def boards(
    results: Results, *, names: tuple[str, ...], count: int, node_limit: int, seed: int
) -> None:
    """Guess the results of positions with rising budgets, and solve them."""
    for name in names:
        board = parse_board(name)
        solver = Solver(table_mb=64, book=Book.shipped() if board == DEFAULT_BOARD else None)
        bins = {games: np.zeros((BINS, 3)) for games in BUDGETS}
        unsolved = 0
        for position in positions(board, count, Dice(seed)):
            value = solver.solve(position, weak=True, node_limit=node_limit).value
            if value is None:
                unsolved += 1
                continue
            for games, row in bins.items():
                share = estimate(position, games=games).share
                row[min(int(share * BINS), BINS - 1)] += 1, share, RESULTS_OF[value]
        figures = {
            "board": name,
            "unsolved": unsolved,
            "bins": {str(games): list(map(_bin, row.tolist())) for games, row in bins.items()},
        }
        click.echo(figures)
        results.keep("guesses", name, figures)


RESULTS_OF: Final = {"win": 1.0, "draw": 0.5, "loss": 0.0}


def _bin(sums: Sequence[float]) -> dict[str, float]:
    """The number of positions in a range of guesses, and the sums of their guesses and results."""
    return {"count": int(sums[0]), "guessed": sums[1], "scored": sums[2]}


def positions(board: BoardSize, count: int, dice: Dice) -> Iterator[Position]:
    """Positions of games of the levels; the book has the scores of the openings of 7x6."""
    last = 12 if board == DEFAULT_BOARD else LAST_PLY
    plies = range(FIRST_PLY.get(str(board), 8), min(last, board.cells - 1) + 1)
    return level_positions(
        board, count, dice, levels=LEVELS_DRAWN, plies=plies, random_share=RANDOM_SHARE
    )


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/boards.md``."""
    rows = [
        _row(games, index, parts)
        for games in map(str, BUDGETS)
        for index in range(BINS)
        if any(part.figures["bins"][games][index]["count"] for part in parts.values())
    ]
    names = " | ".join(parts)
    return {"guesses": table(f"games | shown | {names}", rows)}


def _row(games: str, index: int, parts: Mapping[str, Part]) -> list[str]:
    cells = []
    for part in parts.values():
        found = part.figures["bins"][games][index]
        share = 100 * found["scored"] / max(found["count"], 1)
        cells.append(f"{share:.0f} % of {found['count']}" if found["count"] else "")
    return [f"{int(games):,}", f"{100 * index // BINS} to {100 * (index + 1) // BINS} %", *cells]


@main.command()
@click.pass_obj
def plot(results: Results) -> None:
    """Write the calibration plot, ``guesses.svg``."""
    import matplotlib as mpl  # noqa: PLC0415 (the extra "bench")
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(STYLE):
        drawn = Figure(figsize=(6, 5), layout="constrained", facecolor="white")
        axes = drawn.subplots()
        axes.plot([0, 100], [0, 100], color="#999", linewidth=1, zorder=1)
        for name, part in results.read("guesses").items():
            found = [each for each in part.figures["bins"][str(BUDGETS[-1])] if each["count"]]
            axes.plot(
                [100 * each["guessed"] / each["count"] for each in found],
                [100 * each["scored"] / each["count"] for each in found],
                marker="o",
                label=name,
            )
        axes.set_xlabel("chance shown, in percent")
        axes.set_ylabel("result with perfect play, in percent")
        axes.grid(color="#ddd")
        axes.legend(frameon=False)
        drawn.savefig(results.directory / "guesses.svg", metadata={"Date": None})
