"""Databases with many writers and many rows; the gate tries less of each."""

import random
import resource
import tempfile
from pathlib import Path
from threading import Barrier

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from db.database import Database
from db.evaluations import count, store
from db.records.evaluations import EvaluationFilter
from tests.support.boards.games import random_games
from tests.support.claim_machine import run_claim_machine
from tests.support.running.databases import BOARD, ask, do, row
from tests.support.running.processes import PROCESSES, run_all
from workers.analyze.job import submit
from workers.core.follow import LocalRunner


def write_batches(url: str, number: int, barrier: Barrier) -> None:
    with Database.open(url) as database:
        barrier.wait()
        for batch in range(25):
            keys = range(100_000 * number + 100 * batch, 100_000 * number + 100 * batch + 100)
            do(database, store, BOARD, [row(key) for key in keys])


def test_eight_writing_processes_lose_nothing(rows_url: str) -> None:
    barrier = PROCESSES.Barrier(8)
    run_all(write_batches, [(rows_url, number, barrier) for number in range(8)])
    with Database.open(rows_url) as database:
        assert ask(database, count, EvaluationFilter(board=BOARD)) == 8 * 25 * 100


def test_claims_follow_the_model(rows_url: str) -> None:
    run_claim_machine(rows_url, examples=60)


LINES = 1_000_000
MEGABYTE = 1024  # in the kilobytes that Linux reports


def test_a_million_lines_with_ten_bad_ones(sqlite_path: Path) -> None:
    games = random_games(2000, empty=8)
    bad = set(random.Random(2).sample(range(LINES), 10))
    with tempfile.TemporaryFile() as file, Database.open(str(sqlite_path)) as database:
        for number in range(LINES):
            file.write(b"9\n" if number in bad else games[number % 2000].encode() + b"\n")
        file.seek(0)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        job = submit(database, read_lines(file, board=DEFAULT_BOARD), board=DEFAULT_BOARD)
        assert (job.positions, job.bad_lines) == (LINES - 10, 10)
        with LocalRunner(database, job.job_id, threads=2, table_mb=1) as runner:
            for number, shown in enumerate(runner.results()):
                if number in bad:
                    assert shown["line"] == number + 1
                else:
                    assert shown["moves"] == games[number % 2000]
                    assert shown["score"] is not None
        assert number == LINES - 1
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 150 * MEGABYTE
