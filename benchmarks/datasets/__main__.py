"""The costs of labelled data sets of 7x6, built by ``c4 dataset build``.

    python -m benchmarks.datasets --count 100000 --plies 18..30 --threads 2

The figures are kept in benchmarks/results/datasets.json and shown in docs/datasets.md.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from benchmarks.datasets.building import build
from benchmarks.datasets.results import keep
from benchmarks.options import WITH_HELP


@click.command(context_settings=WITH_HELP)
@click.option("--count", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--plies", default="18..30", show_default=True)
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count() or 1, show_default=True)
@click.option("--table-mb", type=click.IntRange(1), default=64, show_default=True)
def main(count: int, plies: str, threads: int, table_mb: int) -> None:
    """Build a data set in an empty database, uniformly over plies, and keep its costs."""
    with tempfile.TemporaryDirectory() as directory:
        building = build(Path(directory), count, plies, threads, table_mb)
    click.echo(building)
    keep(building)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.datasets")
