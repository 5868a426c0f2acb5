"""The costs of books of 7x6, built by ``c4 book build`` or estimated from some units.

    python -m benchmarks.books build 4 6 8          # each in an empty database
    python -m benchmarks.books sample 14 --units 60
    python -m benchmarks.books ways 8 --units 4     # the same units, solved in several ways

The figures are kept in benchmarks/results/books.json and shown in docs/books.md.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from benchmarks.books.building import build_book
from benchmarks.books.results import keep
from benchmarks.books.sampling import take_sample
from benchmarks.books.ways import compare_ways
from benchmarks.options import WITH_HELP
from workers.books.planning import ANCESTOR_PLIES

ply_argument = click.argument("ply", type=click.IntRange(ANCESTOR_PLIES, 14))
seed_option = click.option("--seed", type=int, default=1, show_default=True)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of books of 7x6."""


@main.command()
@click.argument("plies", type=click.IntRange(0, 14), nargs=-1, required=True)
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option("--table-mb", type=click.IntRange(1), default=16, show_default=True)
def build(plies: tuple[int, ...], threads: int, table_mb: int) -> None:
    """Build books in an empty database."""
    for last in plies:
        with tempfile.TemporaryDirectory() as directory:
            building = build_book(Path(directory), plies=last, threads=threads, table_mb=table_mb)
        click.echo(building)
        keep(building)


@main.command()
@ply_argument
@click.option("--units", type=click.IntRange(1), default=60, show_default=True)
@seed_option
def sample(ply: int, units: int, seed: int) -> None:
    """Solve some units of a ply, and estimate what all of them take."""
    estimate = take_sample(ply, units, seed=seed)
    click.echo(f"{estimate}: {estimate.hours:.2f} h of one thread for all")
    keep(estimate)


@main.command()
@ply_argument
@click.option("--units", type=click.IntRange(1), default=4, show_default=True)
@seed_option
def ways(ply: int, units: int, seed: int) -> None:
    """Solve some units of a ply in several ways."""
    compared = compare_ways(ply, units, seed=seed)
    click.echo(compared)
    keep(compared)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.books")
