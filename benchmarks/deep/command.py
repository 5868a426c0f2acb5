"""Compare simulated workers with one search.

::

    python -m benchmarks.order.build
    python -m benchmarks deep simulate --quick
    python -m benchmarks deep simulate --workers 16 --hosts 16 --exchange-nodes 256

The speed-up is the nodes of one search over the clock of the worker that has the answer.
"""

from __future__ import annotations

from statistics import geometric_mean
from typing import TYPE_CHECKING, Final

import click

from benchmarks.deep.simulation import simulate as simulated
from benchmarks.options import WITH_HELP
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from benchmarks.record import Results

QUICK: Final = ("7x6:", "6x8:333", "7x7:3333", "8x6:44445")
"""Positions of 6 to 14 million nodes. The constants of the search were chosen on these."""

LARGE: Final = (
    "10x4:5", "7x7:", "6x8:", "10x4:", "8x6:", "9x5:", "9x5:55", "6x9:", "7x8:44", "11x4:6",
    "9x6:5555",
)  # fmt: skip
"""Positions of more than 100 million nodes, which were not used to choose anything. The last five
may have billions."""


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure how several workers search one position."""


@main.command()
@click.argument("names", metavar="BOARD:MOVES", nargs=-1)
@click.option("--quick", is_flag=True, help="Use small positions.")
@click.option("--workers", type=click.IntRange(1), multiple=True, default=(16, 64))
@click.option("--hosts", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--exchange-nodes",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Nodes that a worker visits from one exchange of the hosts to the next.",
)
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
@click.pass_obj
def simulate(
    results: Results,
    *,
    names: tuple[str, ...],
    quick: bool,
    workers: tuple[int, ...],
    hosts: int,
    exchange_nodes: int,
    table_mb: int,
) -> None:
    """Simulate workers that search one position together, on a virtual clock."""
    speed_ups: dict[int, list[float]] = {number: [] for number in workers}
    figures = []
    for name in names or (QUICK if quick else LARGE):
        board, _, moves = name.partition(":")
        position = Position(moves, board=board)
        one = Solver(table_mb=table_mb).solve(position)
        for number in workers:
            found = simulated(
                position,
                workers=number,
                hosts=min(hosts, number),
                table_mb=table_mb,
                exchange_nodes=exchange_nodes,
            )
            if found["lower"] != one.score or found["upper"] != one.score:
                raise click.ClickException(f"{name} scores {one.score}, but {number} found {found}")
            speed_ups[number].append(one.nodes / found["clock"])
            figures.append({"position": name, "one": one.nodes, "workers": number, **found})
            click.echo(
                f"{name} {one.nodes:,} nodes; {number} workers: "
                f"{found['nodes'] / one.nodes:.2f} times the nodes, "
                f"{speed_ups[number][-1]:.2f} times as fast"
            )
    for number, values in speed_ups.items():
        click.echo(
            f"{number} workers: {geometric_mean(values):.2f} times as fast "
            f"({min(values):.2f} to {max(values):.2f})"
        )
    results.keep("deep", f"{'quick' if quick else 'large'}, {hosts} hosts", figures)
