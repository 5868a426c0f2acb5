"""Many processes that write to one database at the same time."""

from typing import TYPE_CHECKING

from db.database import Database
from db.evaluations import count, store
from db.records.evaluations import EvaluationFilter
from tests.support.running.databases import BOARD, ask, do, row
from tests.support.running.processes import PROCESSES, run_all

if TYPE_CHECKING:
    import threading


def write_batches(url: str, number: int, barrier: "threading.Barrier") -> None:
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
