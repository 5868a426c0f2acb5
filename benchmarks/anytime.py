"""Limited analyses of boards that are not solved in time, and the play that they allow.

::

    python -m benchmarks anytime columns 8x7 8x8 9x7 10x7
    python -m benchmarks anytime strength 8x7 8x8 9x7 10x7 --opponent medium --opponent hard
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from benchmarks.games import level_positions
from benchmarks.options import WITH_HELP, seed_option
from c4core.dice import Dice
from c4core.evaluation import value_between
from c4core.notation import parse_board
from c4core.players import Limits, parse_player
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.record import Results

PLIES: Final = range(4, 31)
LEVELS_DRAWN: Final = ("beginner", "easy", "medium", "hard")
"""The levels whose games supply positions."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure what limited analyses prove, and how strong the player ``perfect`` is by them."""


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=14_000_000,
    show_default=True,
    help="Nodes of an analysis; about 2 s. A position alone gets a quarter of them.",
)
@seed_option
@click.pass_obj
def columns(results: Results, *, names: tuple[str, ...], count: int, nodes: int, seed: int) -> None:
    """Compare analyses in turns with analyses of one column after the other."""
    for name in names:
        found: Counter[str] = Counter()
        for position in level_positions(
            parse_board(name), count, Dice(seed), levels=LEVELS_DRAWN, plies=PLIES
        ):
            alone = Solver().solve(position, node_limit=nodes // 4)
            analysis = Solver().analyze(position, node_limit=nodes)
            found["positions"] += 1
            found["columns"] += len(position.legal_columns())
            found["missing"] += analysis.lower < alone.lower or analysis.upper > alone.upper
            found["position_decided"] += analysis.value is not None
            found.update(_proven("turns", analysis.bounds))
            found.update(_proven("one_by_one", _one_by_one(position, nodes)))
        figures = {"board": name, "nodes": nodes, **found}
        click.echo(figures)
        results.keep("anytime", f"columns {name}", figures)


def _proven(name: str, bounds: Sequence[tuple[int, int] | None]) -> dict[str, int]:
    known = [pair for pair in bounds if pair is not None]
    return {
        f"{name}_exact": sum(lower == upper for lower, upper in known),
        f"{name}_decided": sum(value_between(*pair) is not None for pair in known),
    }


def _one_by_one(position: Position, nodes: int) -> list[tuple[int, int] | None]:
    """The bounds of the columns, each searched to its end, from the centre outwards."""
    solver = Solver()
    middle = (position.width - 1) / 2
    bounds: list[tuple[int, int] | None] = [None] * position.width
    for column in sorted(position.legal_columns(), key=lambda column: abs(column - middle)):
        child = solver.solve(position.play(column), node_limit=nodes)
        nodes -= child.nodes
        bounds[column] = -child.upper, -child.lower
    return bounds


@main.command()
@click.argument("names", metavar="BOARD", nargs=-1, required=True)
@click.option("--opponent", "opponents", multiple=True, default=("medium", "hard"))
@click.option("--games", type=click.IntRange(2), default=100, show_default=True)
@click.option("--seconds", type=click.FloatRange(0.01), default=2.0, show_default=True)
@seed_option
@click.pass_obj
def strength(
    results: Results,
    *,
    names: tuple[str, ...],
    opponents: tuple[str, ...],
    games: int,
    seconds: float,
    seed: int,
) -> None:
    """Let ``perfect`` play against levels, with both sides the same number of times."""
    perfect = parse_player("perfect").make()
    for name in names:
        for level in opponents:
            opponent = parse_player(level).make()
            found: Counter[str] = Counter()
            for number in range(games):
                dice = Dice(seed + number)
                position = Position(width=parse_board(name).width, height=parse_board(name).height)
                while not position.is_over:
                    is_perfect = position.ply % 2 == number % 2
                    player = perfect if is_perfect else opponent
                    limits = Limits(seconds=seconds if is_perfect else None)
                    position = position.play(player.choose(position, dice, limits))
                side = "x" if number % 2 == 0 else "o"
                result = {None: "drawn", side: "won"}.get(position.winner, "lost")
                found[result] += 1
            figures = {"board": name, "opponent": level, "seconds": seconds, **found}
            click.echo(figures)
            results.keep("anytime", f"strength {name} {level}", figures)
