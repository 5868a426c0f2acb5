"""The quality of guesses of open results (``c4core.estimate``).

::

    python -m benchmarks guesses boards 8x7 9x6
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP, seed_option
from benchmarks.page import table
from c4core.dice import Dice
from c4core.estimate import MOST_GAMES, estimate
from c4core.notation import parse_board
from c4core.players import parse_player
from c4core.players.heuristics import winning_columns
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.record import Part, Results
    from c4core.notation import BoardSize

FIRST_PLY: Final = 10
"""The least number of stones; with fewer, it takes minutes to solve a position."""

BANDS: Final = ((10, 11), (12, 15), (16, 21), (22, 27), (28, 39))
"""The first and last ply of each row in the page's table."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure how often guesses are right."""


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--games", type=click.IntRange(1), default=MOST_GAMES, show_default=True)
@click.option("--node-limit", type=click.IntRange(1), default=1_000_000_000, show_default=True)
@seed_option
@click.pass_obj
def boards(
    results: Results, *, names: tuple[str, ...], count: int, games: int, node_limit: int, seed: int
) -> None:
    """Guess the results of positions, and solve them."""
    for name in names:
        plies: dict[int, dict[str, int]] = {}
        seconds, unsolved = 0.0, 0
        solver = Solver(table_mb=256)
        for position in positions(parse_board(name), count, Dice(seed)):
            value = solver.solve(position, weak=True, node_limit=node_limit).value
            if value is None:
                unsolved += 1
                continue
            began = time.perf_counter()
            guess = estimate(position, games=games).value(-1, 1)
            seconds += time.perf_counter() - began
            ply = plies.setdefault(
                position.ply, {"count": 0, "right": 0, "opposite": 0, "drawn": 0}
            )
            ply["count"] += 1
            ply["right"] += guess == value
            ply["opposite"] += {guess, value} == {"win", "loss"}
            ply["drawn"] += value == "draw"
        solved = sum(ply["count"] for ply in plies.values())
        figures = {
            "board": name,
            "games": games,
            "unsolved": unsolved,
            "seconds": seconds / max(solved, 1),  # of a guess
            "plies": {str(ply): plies[ply] for ply in sorted(plies)},
        }
        click.echo(figures)
        results.keep("guesses", name, figures)


def positions(board: BoardSize, count: int, dice: Dice) -> Iterator[Position]:
    """Positions without an immediate win, the same number for each even ply.

    Both sides complete a line, else block one, else move at random (the player ``set``).
    """
    player = parse_player("set:fallback=vector").make()
    plies = range(FIRST_PLY, min(BANDS[-1][1], board.width * board.height - 1), 2)
    for number in range(count):
        ply = plies[number % len(plies)]
        position = Position(width=board.width, height=board.height)
        while position.ply < ply:
            position = position.play(player.choose(position, dice))
            is_last = position.ply == ply
            if position.is_over or (is_last and winning_columns(position, position.turn)):
                position = Position(width=board.width, height=board.height)
        yield position


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/boards.md``."""
    rows = [_row(part.figures, first, last) for part in parts.values() for first, last in BANDS]
    return {
        "guesses": table(
            "board | stones | positions | right | opposite | drawn positions",
            [row for row in rows if row is not None],
        )
    }


def _row(figures: dict[str, Any], first: int, last: int) -> list[str] | None:
    found = [ply for number, ply in figures["plies"].items() if first <= int(number) <= last]
    count = sum(ply["count"] for ply in found)
    if not count:
        return None
    shares = [
        f"{100 * sum(ply[name] for ply in found) / count:.1f} %"
        for name in ("right", "opposite", "drawn")
    ]
    return [figures["board"], f"{first} to {last}", f"{count}", *shares]
