"""What a job costs beyond the search: lines in, units, SQLite, results out.

    python benchmarks/overhead.py [--positions 100000] [--runs 3] [--threads 1] [--score-only]

Analyzes a batch of easy positions as ``c4 analyze`` does, into a fresh SQLite file, and compares
with what the same solver needs for the same positions alone. Prints the median and the spread of
the runs, in wall-clock time and in processor time; on a machine with other work to do the second is
the one to look at.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD, format_moves
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from workers.analysis import submit
from workers.local import LocalRunner
from workers.question import Question

TABLE_MB = 64


def easy_games(count: int, empty: int = 10) -> list[str]:
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


class Stopwatch:
    """Wall-clock and processor seconds since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    @property
    def wall(self) -> float:
        """Wall-clock seconds."""
        return time.perf_counter() - self._wall

    @property
    def processor(self) -> float:
        """Processor seconds of all threads."""
        return time.process_time() - self._processor


def search(games: list[str], *, threads: int, score_only: bool) -> tuple[float, float]:
    """The search alone: wall-clock and processor seconds."""
    positions = [Position(moves) for moves in games]
    solver = Solver(table_mb=TABLE_MB, threads=threads)
    watch = Stopwatch()
    if score_only:
        solver.solve_many(positions)
    else:
        solver.analyze_many(positions)
    return watch.wall, watch.processor


def run_job(data: bytes, directory: Path, *, threads: int, score_only: bool) -> tuple[float, float]:
    """A job over a fresh database: wall-clock and processor seconds, results written and all."""
    with Database.open(str(directory / "overhead.db")) as database:
        watch = Stopwatch()
        lines = read_lines(io.BytesIO(data), board=DEFAULT_BOARD)
        question = Question(columns=not score_only)
        job = submit(database, lines, board=DEFAULT_BOARD, question=question)
        planning = watch.wall
        with LocalRunner(database, job.job_id, threads=threads, table_mb=TABLE_MB) as runner:
            written = sum(len(json.dumps(shown)) for shown in runner.results())
        seconds = watch.wall, watch.processor
    print(f"  planned after {planning:.2f} s; {written / 1e6:.1f} MB of results")
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--score-only", action="store_true")
    options = parser.parse_args()
    kind = {"threads": options.threads, "score_only": options.score_only}
    games = easy_games(options.positions)
    data = ("\n".join(games) + "\n").encode()
    overheads: list[tuple[float, ...]] = []
    for _ in range(options.runs):
        searching = search(games, **kind)
        with tempfile.TemporaryDirectory() as directory:
            running = run_job(data, Path(directory), **kind)
        overheads.append(
            tuple(
                (whole - part) / options.positions * 1e6
                for whole, part in zip(running, searching, strict=True)
            )
        )
        print(
            f"  search {searching[0]:.2f} s, job {running[0]:.2f} s "
            f"({searching[1]:.2f} s and {running[1]:.2f} s of processor time)"
        )
    print(f"{options.positions} positions, {options.threads} threads, beyond the search:")
    for name, values in zip(("wall clock", "processor"), zip(*overheads, strict=True), strict=True):
        print(
            f"  {name}: median {statistics.median(values):.1f} us a position "
            f"({min(values):.1f} to {max(values):.1f} in {options.runs} runs)"
        )


if __name__ == "__main__":
    main()
