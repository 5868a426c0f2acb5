"""How fast storage is: upserts, lookups, streams, pages, claims; on SQLite and PostgreSQL.

    python benchmarks/storage.py
    python benchmarks/storage.py --postgres postgresql://USER:PASSWORD@HOST/EMPTY_DATABASE

Prints the median of the rounds and their spread. The PostgreSQL database must be empty or C4's
own scratch database: its rows are deleted.
"""

import argparse
import gc
import multiprocessing
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sqlalchemy import delete
from sqlalchemy.orm import Session

from c4core.notation import BoardSize
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.evaluation_columns import full_column_bits
from db.evaluations import (
    Cursor,
    EvaluationFilter,
    StoredEvaluation,
    find,
    lookup,
    search,
    store,
    stream,
)
from db.jobs import UnitPlan, add_units, claim, complete, create_job, finish_if_complete, start_job
from db.models import Base

BOARD = BoardSize(7, 6)
EVERYTHING = EvaluationFilter(board=BOARD)
BATCH = 5_000
WRITERS = 8
UNITS = 300
UNIT_POSITIONS = 100


def make_rows(number: int, seed: int) -> list[StoredEvaluation]:
    """Rows with random keys, in random order; every second one with column scores."""
    chosen = random.Random(seed)  # noqa: S311 - no secret
    playable = ~full_column_bits(BOARD)
    rows = []
    for index in range(number):
        scores = tuple(chosen.randint(-18, 2) for _ in range(6))
        rows.append(
            StoredEvaluation(
                chosen.getrandbits(49) & playable,
                BOARD.width,
                BOARD.height,
                chosen.randrange(42),
                2,
                2,
                chosen.randrange(1_000_000),
                ENGINE_VERSION,
                (2, *scores) if index % 2 else None,
            )
        )
    return rows


def batches(rows: list[StoredEvaluation]) -> Iterator[list[StoredEvaluation]]:
    """The rows in batches, as units deliver them."""
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def clear(database: Database) -> None:
    """Delete every row."""
    with database.write() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(delete(table))


def write_all(database: Database, rows: list[StoredEvaluation]) -> None:
    """Store the rows, a transaction a batch."""
    for batch in batches(rows):
        with database.write() as session:
            store(session, BOARD, batch)


class Bench:
    """Measurements of one database, printed as they are made."""

    def __init__(self, database: Database, rows: list[StoredEvaluation], rounds: int) -> None:
        self.database = database
        self.rows = rows
        self.rounds = rounds

    def report(self, what: str, number: int, run: Callable[[], object]) -> None:
        """Print how many a second ``run`` does, of ``number`` in one run."""
        rates = []
        for _ in range(self.rounds):
            gc.collect()
            began = time.perf_counter()
            run()
            rates.append(number / (time.perf_counter() - began))
        self.line(what, rates, "/s")

    def line(self, what: str, values: list[float], unit: str) -> None:
        """Print median and spread."""
        print(
            f"{self.database.dialect:11} {what:42} {statistics.median(values):>12,.0f}{unit:3}"
            f"  ({min(values):,.0f} - {max(values):,.0f})",
            flush=True,
        )

    def upserts(self) -> None:
        """New rows, the same again, and tighter ones over looser ones."""
        loose = [
            StoredEvaluation(row.key, 7, 6, row.ply, -5, 9, 1, ENGINE_VERSION) for row in self.rows
        ]
        rates = []
        for _ in range(self.rounds):
            clear(self.database)
            began = time.perf_counter()
            write_all(self.database, loose)
            rates.append(len(loose) / (time.perf_counter() - began))
        self.line(f"upserts, new rows, batches of {BATCH}", rates, "/s")
        rates = []
        for _ in range(self.rounds):
            clear(self.database)
            write_all(self.database, loose)
            began = time.perf_counter()
            write_all(self.database, self.rows)
            rates.append(len(loose) / (time.perf_counter() - began))
        self.line("upserts that tighten", rates, "/s")
        self.report(
            "upserts that change nothing",
            len(self.rows),
            lambda: write_all(self.database, self.rows),
        )

    def reads(self) -> None:
        """Lookups, the stream, and pages near both ends."""
        chosen = random.Random(1)  # noqa: S311 - no secret
        keys = [row.key for row in chosen.sample(self.rows, min(50_000, len(self.rows)))]
        singles = keys[:5_000]
        with self.database.read() as session:
            self.report(
                "single lookups, one transaction",
                len(singles),
                lambda: [find(session, BOARD, key) for key in singles],
            )
            for size in (100, 1_000, 10_000):
                self.report(
                    f"batched lookups, keys, {size} a batch",
                    len(keys),
                    partial(look_up_in_batches, session, keys, size),
                )
            before = peak_memory()
            self.report(
                "streamed rows", len(self.rows), lambda: sum(1 for _ in stream(session, EVERYTHING))
            )
            self.line("  memory that streaming added, KiB", [peak_memory() - before], "")
            for name, cursor in (("first", Cursor(0, 0)), ("last", Cursor(41, 1 << 48))):
                self.report(
                    f"pages of 100 rows, the {name}",
                    200,
                    partial(read_page, session, cursor, times=200),
                )

    def single_transactions(self) -> None:
        """Single lookups with a transaction each, as separate requests would do."""
        keys = [row.key for row in self.rows[:2_000]]

        def run() -> None:
            for key in keys:
                with self.database.read() as session:
                    find(session, BOARD, key)

        self.report("single lookups, a transaction each", len(keys), run)

    def units(self) -> None:
        """Claim, store and complete: the whole cost of a position beyond the search."""
        payload = {"moves": ["4453"] * UNIT_POSITIONS}
        number = 50_000 // UNIT_POSITIONS

        def plan(count: int) -> None:
            with self.database.write() as session:
                job_id = create_job(
                    session, kind="bench", board=BOARD, params={}, engine_version=ENGINE_VERSION
                )
                add_units(
                    session, job_id, (UnitPlan(payload, UNIT_POSITIONS) for _ in range(count))
                )
                start_job(session, job_id)

        self.report("planned positions, units of 100", 50_000, lambda: plan(number))
        clear(self.database)

        def work() -> None:
            plan(UNITS)
            for batch in range(UNITS):
                with self.database.write() as session:
                    taken = claim(
                        session, owner="b", lease_seconds=60.0, engine_version=ENGINE_VERSION
                    )
                if taken is None:
                    raise RuntimeError("a unit is missing")
                rows = self.rows[batch * UNIT_POSITIONS : (batch + 1) * UNIT_POSITIONS]
                with self.database.write() as session:
                    complete(
                        session,
                        taken,
                        evaluations=rows,
                        result={"scores": [1] * UNIT_POSITIONS},
                        nodes=1,
                        seconds=0.1,
                    )
                with self.database.write() as session:
                    finish_if_complete(session, taken.job_id)

        self.report("completed positions, units of 100", UNITS * UNIT_POSITIONS, work)


def peak_memory() -> float:
    """The most memory that the process has had, in KiB."""
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def write_in_process(url: str, rows: int, seed: int) -> None:
    """One of several writers."""
    chosen = make_rows(rows, seed)
    with Database.open(url) as database:
        for start in range(0, rows, 500):
            with database.write() as session:
                store(session, BOARD, chosen[start : start + 500])


def concurrent_writers(database: Database, url: str, rows: int) -> None:
    """Eight processes that write at the same time: rate together, and how many failed."""
    clear(database)
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=write_in_process, args=(url, rows, 100 + number))
        for number in range(WRITERS)
    ]
    began = time.perf_counter()
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    rate = WRITERS * rows / (time.perf_counter() - began)
    failed = sum(process.exitcode != 0 for process in processes)
    what = f"{WRITERS} writing processes, start included"
    print(f"{database.dialect:11} {what:42} {rate:>12,.0f}/s   {failed} failed", flush=True)


def look_up_in_batches(session: Session, keys: list[int], size: int) -> None:
    """All keys, so many a call."""
    for start in range(0, len(keys), size):
        lookup(session, BOARD, keys[start : start + size])


def read_page(session: Session, cursor: Cursor, *, times: int) -> None:
    """The page of 100 rows behind a cursor, again and again."""
    for _ in range(times):
        search(session, EVERYTHING, after=cursor, limit=100)


@contextmanager
def scratch_file(directory: str | None) -> Iterator[str]:
    """The path of an SQLite database that is thrown away."""
    with tempfile.TemporaryDirectory(dir=directory) as place:
        yield str(Path(place) / "c4.db")


def run(url: str, rows: list[StoredEvaluation], rounds: int) -> None:
    """All measurements of one database."""
    with Database.open(url) as database:
        bench = Bench(database, rows, rounds)
        bench.upserts()
        bench.reads()
        bench.single_transactions()
        concurrent_writers(database, url, 10_000)
        clear(database)
        bench.units()
        clear(database)


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--postgres", metavar="URL", help="measure this database as well")
    parser.add_argument("--directory", help="where the SQLite file is made")
    arguments = parser.parse_args()
    rows = make_rows(arguments.rows, seed=0)
    with scratch_file(arguments.directory) as path:
        run(path, rows, arguments.rounds)
    if arguments.postgres:
        run(arguments.postgres, rows, arguments.rounds)


if __name__ == "__main__":
    main()
