"""The cost of a book of 7x6, estimated from a sample of its units.

::

    python -m benchmarks books sample 14 --units 60
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from benchmarks.options import WITH_HELP, seed_option
from c4core.arrays import open_plies
from c4core.book.units import cut_units
from c4core.position import Position
from c4core.solver import Solver
from workers.book.job import ANCESTOR_PLIES, LEAST_POSITIONS, MAX_BY_LEAST

if TYPE_CHECKING:
    from benchmarks.record import Results

TABLE_MB: Final = 16
HOUR: Final = 3600.0


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of books of 7x6."""


@main.command()
@click.argument("ply", type=click.IntRange(ANCESTOR_PLIES, 14))
@click.option("--units", type=click.IntRange(1), default=60, show_default=True)
@seed_option
@click.pass_obj
def sample(results: Results, *, ply: int, units: int, seed: int) -> None:
    """Solve a sample of the units of a ply, and estimate the cost of all units."""
    figures = take_sample(ply, units, seed=seed)
    share = figures["unit_positions"] / figures["searched"]
    click.echo(f"{figures}: {figures['seconds'] / share / HOUR:.2f} h of one thread for all")
    results.keep("books", f"sample {ply}", figures)


def take_sample(ply: int, units: int, *, seed: int) -> dict[str, Any]:
    """Cut a ply into units as a job does, and solve a random sample of them."""
    levels = list(islice(open_plies(Position()), ply - ANCESTOR_PLIES, ply + 1))
    cut = list(cut_units(levels, least=LEAST_POSITIONS, most=LEAST_POSITIONS * MAX_BY_LEAST))
    chosen = np.random.default_rng(seed).choice(len(cut), min(units, len(cut)), replace=False)
    solver = Solver(table_mb=TABLE_MB)
    nodes, seconds = 0, 0.0
    for index in chosen.tolist():
        found = solver.solve_many(cut[index], related=True)
        nodes, seconds = nodes + int(found.nodes.sum()), seconds + found.seconds
    return {
        "plies": ply,
        "positions": len(levels[-1]),  # without mirror images and finished games
        "searched": sum(map(len, cut)),  # without immediate wins
        "units": len(chosen),
        "unit_positions": sum(len(cut[index]) for index in chosen.tolist()),
        "nodes": nodes,
        "seconds": seconds,
    }
