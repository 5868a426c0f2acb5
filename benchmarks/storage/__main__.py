"""``python -m benchmarks.storage``: the costs of storage and jobs beyond the search."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from benchmarks.options import WITH_HELP, threads_option
from benchmarks.storage.overhead import measure
from benchmarks.storage.rates import make_rows, run


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure what storage and jobs cost beyond the search."""


@main.command()
@click.option("--rows", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@click.option(
    "--postgres",
    metavar="URL",
    help="Measure this scratch database as well: postgresql://.../NAME. Its rows are deleted.",
)
@click.option(
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Make the SQLite file here.  [default: the system's place for temporary files]",
)
def rates(*, rows: int, rounds: int, postgres: str | None, directory: Path | None) -> None:
    """Measure how fast SQLite is: upserts, lookups, streams, pages, units."""
    made = make_rows(rows, seed=0)
    with tempfile.TemporaryDirectory(dir=directory) as place:
        run(str(Path(place) / "c4.db"), made, rounds)
    if postgres:
        run(postgres, made, rounds)


@main.command()
@click.option("--positions", type=click.IntRange(1), default=100_000, show_default=True)
@click.option(
    "--empty",
    type=click.IntRange(1, 29),
    default=10,
    show_default=True,
    help="Empty squares: the more, the harder. With 30 the book that comes with C4 knows them.",
)
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True)
@threads_option
@click.option("--score-only", is_flag=True, help="Without the scores of all columns.")
def overhead(*, positions: int, empty: int, runs: int, threads: int, score_only: bool) -> None:
    """Measure what a job costs beyond the search."""
    measure(positions=positions, empty=empty, runs=runs, threads=threads, score_only=score_only)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.storage")
