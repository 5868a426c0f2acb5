"""What a job costs beyond the search: lines in, units, SQLite, results out.

    python -m benchmarks.overhead [--positions 100000] [--empty 10] [--runs 3] [--score-only]

Analyzes a batch of positions as ``c4 analyze`` does, into a fresh SQLite file, and compares with
what the same solver needs for the same positions alone. Prints the median and the spread of the
runs, in wall-clock time and in processor time; on a machine with other work to do the second is the
one to look at.
"""

from __future__ import annotations

import io
import json
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import click

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD, format_moves
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from workers.positions.analysis import submit
from workers.positions.question import Question
from workers.runners.local import LocalRunner

TABLE_MB = 64


def random_games(count: int, empty: int) -> list[str]:
    """Different random games that are not over, with so many empty squares."""
    chance = random.Random(1)  # noqa: S311
    games: dict[str, None] = {}
    while len(games) < count:
        position, columns = Position(), list[int]()
        while position.ply < DEFAULT_BOARD.cells - empty and not position.is_over:
            columns.append(chance.choice(position.legal_columns()))
            position = position.play(columns[-1])
        if not position.is_over:
            games[format_moves(columns)] = None
    return list(games)


class Taken(NamedTuple):
    """What something has taken."""

    wall: float
    """Wall-clock seconds."""
    processor: float
    """Processor seconds of all threads."""


class Stopwatch:
    """Time since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    @property
    def taken(self) -> Taken:
        """What has passed."""
        return Taken(time.perf_counter() - self._wall, time.process_time() - self._processor)


def search(games: list[str], *, threads: int, score_only: bool) -> Taken:
    """The search alone."""
    positions = [Position(moves) for moves in games]
    solver = Solver(table_mb=TABLE_MB, threads=threads)
    watch = Stopwatch()
    if score_only:
        solver.solve_many(positions)
    else:
        solver.analyze_many(positions)
    return watch.taken


def run_job(data: bytes, directory: Path, *, threads: int, score_only: bool) -> Taken:
    """A job over a fresh database, results written and all."""
    with Database.open(str(directory / "overhead.db")) as database:
        watch = Stopwatch()
        lines = read_lines(io.BytesIO(data), board=DEFAULT_BOARD)
        question = Question(columns=not score_only)
        job = submit(database, lines, board=DEFAULT_BOARD, question=question)
        planning = watch.taken.wall
        with LocalRunner(database, job.job_id, threads=threads, table_mb=TABLE_MB) as runner:
            written = sum(len(json.dumps(shown)) for shown in runner.results())
        taken = watch.taken
    click.echo(f"  planned after {planning:.2f} s; {written / 1e6:.1f} MB of results")
    return taken


@click.command()
@click.option("--positions", type=click.IntRange(1), default=100_000, show_default=True)
@click.option(
    "--empty",
    type=click.IntRange(1, 29),
    default=10,
    show_default=True,
    help="Empty squares: the more, the harder. With 30 the book that comes with C4 knows them.",
)
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--score-only", is_flag=True, help="Not the scores of all columns.")
def main(*, positions: int, empty: int, runs: int, threads: int, score_only: bool) -> None:
    """Measure what a job costs beyond the search."""
    games = random_games(positions, empty)
    data = ("\n".join(games) + "\n").encode()
    pairs: list[tuple[Taken, Taken]] = []
    for _ in range(runs):
        searching = search(games, threads=threads, score_only=score_only)
        with tempfile.TemporaryDirectory() as directory:
            running = run_job(data, Path(directory), threads=threads, score_only=score_only)
        pairs.append((searching, running))
        click.echo(
            f"  search {searching.wall:.2f} s, job {running.wall:.2f} s "
            f"({searching.processor:.2f} s and {running.processor:.2f} s of processor time)"
        )
    click.echo(f"{positions:,} positions with {empty} empty squares, {threads} threads:")
    for name in Taken._fields:
        each = [(getattr(alone, name), getattr(job, name)) for alone, job in pairs]
        beyond = [(job - alone) / positions * 1e6 for alone, job in each]
        click.echo(
            f"  {name}: {statistics.median(alone for alone, _ in each) / positions * 1e6:.1f} us "
            f"a position alone; beyond that, median {statistics.median(beyond):.1f} us "
            f"({min(beyond):.1f} to {max(beyond):.1f} in {runs} runs); the job takes "
            f"{statistics.median(job / alone for alone, job in each):.3f} times as long"
        )


if __name__ == "__main__":
    main()
