"""The cost of a job beyond the search: input, units, SQLite, results.

A batch of positions is analyzed as by ``c4 analyze``, with a new SQLite file, and then the same
solver searches the same positions without a job. The difference is given in wall-clock time and in
processor time; on a machine with other work, only the processor time is meaningful.
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

from benchmarks.random_play import different_games
from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from workers.positions.analysis import submit
from workers.positions.question import Question
from workers.runners.local import LocalRunner

TABLE_MB = 64


def games(count: int, empty: int) -> list[str]:
    """Different random games that are not over, with this many empty squares."""
    found = different_games(random.Random(1), DEFAULT_BOARD.cells - empty, count)  # noqa: S311
    return [game.moves for game in found]


class Taken(NamedTuple):
    """The time that some work took."""

    wall: float
    """Wall-clock seconds."""
    processor: float
    """Processor seconds of all threads."""


class Stopwatch:
    """Measures the time since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    @property
    def taken(self) -> Taken:
        """The time that has passed."""
        return Taken(time.perf_counter() - self._wall, time.process_time() - self._processor)


def search(moves: list[str], *, threads: int, score_only: bool) -> Taken:
    """Search alone, without a job."""
    positions = [Position(each) for each in moves]
    solver = Solver(table_mb=TABLE_MB, threads=threads)
    watch = Stopwatch()
    if score_only:
        solver.solve_many(positions)
    else:
        solver.analyze_many(positions)
    return watch.taken


def run_job(data: bytes, directory: Path, *, threads: int, score_only: bool) -> Taken:
    """Run a job in a fresh database, and write its results."""
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


def measure(*, positions: int, empty: int, runs: int, threads: int, score_only: bool) -> None:
    """Measure and print the cost of a job beyond the search.

    Args:
        positions: the number of positions of the job.
        empty: the number of empty squares of each position.
        runs: the number of repetitions; the median counts.
        threads: the number of threads that search.
        score_only: whether to leave out the scores of all columns.
    """
    moves = games(positions, empty)
    data = ("\n".join(moves) + "\n").encode()
    pairs: list[tuple[Taken, Taken]] = []
    for _ in range(runs):
        searching = search(moves, threads=threads, score_only=score_only)
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
