"""The costs of storage and jobs beside the search.

``rates`` measures upserts, lookups, streams, pages and units, on SQLite and PostgreSQL, and prints
the median, the smallest and the largest figure of the rounds. ``overhead`` analyzes a batch of
positions as ``c4 analyze`` does, with a new SQLite file, and then searches the same positions
without a job. On a machine with other work, only its processor time is meaningful.
"""

from __future__ import annotations

import gc
import io
import json
import multiprocessing
import random
import resource
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from sqlalchemy import delete, update

from benchmarks.games import different_games
from benchmarks.options import WITH_HELP, threads_option
from c4core.lines import read_lines
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db.costs import Cost
from db.database import Database
from db.evaluations import find, lookup, search, store, stream
from db.evaluations.columns import full_column_bits
from db.jobs import (
    add_units,
    announce,
    claim,
    claim_unit,
    complete,
    create_job,
    finish_if_complete,
    progress,
    requeue_lapsed,
    start_job,
    totals,
)
from db.models import Base, Unit
from db.records.evaluations import Cursor, EvaluationFilter, StoredEvaluation
from db.records.jobs import Claim, UnitPlan, UnitState
from workers.positions.analysis import submit
from workers.positions.question import Question
from workers.runners.local import LocalRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

BOARD = BoardSize(7, 6)
EVERYTHING = EvaluationFilter(board=BOARD)
BATCH = 5_000
WRITERS = 8
UNITS = 300
UNIT_POSITIONS = 100
LARGE_JOB = 100_000
"""Units of a job that is nearly done."""
QUERIES = 20
SETTLED_ROWS = 10_000
"""After this many rows, a stream has allocated all its memory."""

CLAIM: Any = {"owner": "b", "lease_seconds": 60.0, "engine_version": ENGINE_VERSION}
TABLE_MB = 64
SPAWN = multiprocessing.get_context("spawn")


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure what storage and jobs cost beyond the search."""


@main.command()
@click.option("--rows", "number", type=click.IntRange(1), default=100_000, show_default=True)
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
def rates(*, number: int, rounds: int, postgres: str | None, directory: Path | None) -> None:
    """Measure how fast SQLite is: upserts, lookups, streams, pages, units."""
    rows = make_rows(number, seed=0)
    with tempfile.TemporaryDirectory(dir=directory) as place:
        measure_rates(str(Path(place) / "c4.db"), rows, rounds)
    if postgres:
        measure_rates(postgres, rows, rounds)


@main.command()
@click.option("--positions", type=click.IntRange(1), default=100_000, show_default=True)
@click.option(
    "--empty",
    type=click.IntRange(1, 29),
    default=10,
    show_default=True,
    help="Empty squares: the more, the harder. The included book has the positions with 30.",
)
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True)
@threads_option
@click.option("--score-only", is_flag=True, help="Without the scores of all columns.")
def overhead(*, positions: int, empty: int, runs: int, threads: int, score_only: bool) -> None:
    """Measure what a job costs beyond the search: input, units, SQLite, results."""
    chance = random.Random(1)  # noqa: S311
    moves = [game.moves for game in different_games(chance, BOARD.cells - empty, positions)]
    pairs: list[tuple[Taken, Taken]] = []
    for _ in range(runs):
        searching = search_alone(moves, threads=threads, score_only=score_only)
        running = run_job(moves, threads=threads, score_only=score_only)
        pairs.append((searching, running))
        print(
            f"  search {searching.wall:.2f} s, job {running.wall:.2f} s "
            f"({searching.processor:.2f} s and {running.processor:.2f} s of processor time)"
        )
    print(f"{positions:,} positions with {empty} empty squares, {threads} threads:")
    for name in Taken._fields:
        each = [(getattr(alone, name), getattr(job, name)) for alone, job in pairs]
        beyond = [(job - alone) / positions * 1e6 for alone, job in each]
        print(
            f"  {name}: {statistics.median(alone for alone, _ in each) / positions * 1e6:.1f} us "
            f"a position alone; beyond that, median {statistics.median(beyond):.1f} us "
            f"({min(beyond):.1f} to {max(beyond):.1f} in {runs} runs); the job takes "
            f"{statistics.median(job / alone for alone, job in each):.3f} times as long"
        )


class Taken(NamedTuple):
    """The seconds that some work took; processor time of all threads."""

    wall: float
    processor: float


class Stopwatch:
    """Measures the time since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    @property
    def taken(self) -> Taken:
        """The time that has passed."""
        return Taken(time.perf_counter() - self._wall, time.process_time() - self._processor)


def search_alone(moves: list[str], *, threads: int, score_only: bool) -> Taken:
    """Search without a job."""
    positions = [Position(each) for each in moves]
    solver = Solver(table_mb=TABLE_MB, threads=threads)
    watch = Stopwatch()
    if score_only:
        solver.solve_many(positions)
    else:
        solver.analyze_many(positions)
    return watch.taken


def run_job(moves: list[str], *, threads: int, score_only: bool) -> Taken:
    """Run a job in a fresh database, and write its results."""
    data = io.BytesIO("".join(f"{each}\n" for each in moves).encode())
    with (
        tempfile.TemporaryDirectory() as directory,
        Database.open(str(Path(directory) / "overhead.db")) as database,
    ):
        watch = Stopwatch()
        question = Question(columns=not score_only)
        job = submit(database, read_lines(data, board=BOARD), board=BOARD, question=question)
        planning = watch.taken.wall
        with LocalRunner(database, job.job_id, threads=threads, table_mb=TABLE_MB) as runner:
            written = sum(len(json.dumps(shown)) for shown in runner.results())
        taken = watch.taken
    print(f"  planned after {planning:.2f} s; {written / 1e6:.1f} MB of results")
    return taken


def make_rows(number: int, seed: int) -> list[StoredEvaluation]:
    """Rows with random keys, in random order; every second row has column scores."""
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


def clear(database: Database) -> None:
    """Delete every row."""
    with database.write() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(delete(table))


def write_all(database: Database, rows: list[StoredEvaluation], size: int = BATCH) -> None:
    """Store the rows, with a transaction for each batch."""
    for start in range(0, len(rows), size):
        with database.write() as session:
            store(session, BOARD, rows[start : start + size])


class Bench:
    """Measurements of one database, printed as they are made."""

    def __init__(self, database: Database, rows: list[StoredEvaluation], rounds: int) -> None:
        self.database = database
        self.rows = rows
        self.rounds = rounds

    def report(
        self,
        what: str,
        number: int,
        run: Callable[[], object],
        *,
        prepare: Callable[[], object] = gc.collect,
    ) -> None:
        """Print the rate of ``run``, which handles ``number`` items; preparing is not timed."""
        rates = []
        for _ in range(self.rounds):
            prepare()
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
        """Store new rows, tighter bounds over looser ones, and the same rows again."""
        loose = [
            StoredEvaluation(row.key, 7, 6, row.ply, -5, 9, 1, ENGINE_VERSION) for row in self.rows
        ]
        number, database = len(loose), self.database

        def store_loose() -> None:
            clear(database)
            write_all(database, loose)

        self.report(
            f"upserts, new rows, batches of {BATCH}",
            number,
            partial(write_all, database, loose),
            prepare=partial(clear, database),
        )
        store_all = partial(write_all, database, self.rows)
        self.report("upserts that tighten", number, store_all, prepare=store_loose)
        self.report("upserts that change nothing", number, store_all)

    def reads(self) -> None:
        """Look up rows, stream all of them, and read pages near both ends."""
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
            self.report(
                "streamed rows", len(self.rows), lambda: sum(1 for _ in stream(session, EVERYTHING))
            )
            for name, cursor in (("first", Cursor(0, 0)), ("last", Cursor(41, 1 << 48))):
                self.report(
                    f"pages of 100 rows, the {name}",
                    200,
                    partial(read_page, session, cursor, times=200),
                )

    def single_requests(self) -> None:
        """Look up single rows, with a transaction for each."""
        keys = [row.key for row in self.rows[:2_000]]

        def run() -> None:
            for key in keys:
                with self.database.read() as session:
                    find(session, BOARD, key)

        self.report("single lookups, a transaction each", len(keys), run)

    def memory(self, url: str) -> None:
        """Print the memory that a process adds by streaming from the 10,000th row on."""
        queue: multiprocessing.Queue[float] = SPAWN.Queue()
        process = SPAWN.Process(target=stream_in_process, args=(url, queue))
        process.start()
        self.line("  memory that streaming added, KiB", [queue.get(timeout=600)], "")
        process.join()

    def units(self) -> None:
        """Measure claim, storage and completion of units: all costs except the search."""
        number = UNITS * UNIT_POSITIONS
        for what, positions, work in (
            (
                "planned positions, units of 100",
                50_000,
                lambda: self.plan(50_000 // UNIT_POSITIONS),
            ),
            ("completed positions, units of 100", number, self.work_on_any_unit),
            ("the same, units announced one by one", number, self.work_on_announced_units),
        ):
            self.report(what, positions, work)
            clear(self.database)

    def plan(self, units: int) -> int:
        """Make a job."""
        payload = {"moves": ["4453"] * UNIT_POSITIONS}
        with self.database.write() as session:
            job_id = create_job(
                session, kind="bench", board=BOARD, params={}, engine_version=ENGINE_VERSION
            )
            plans = (UnitPlan(payload, UNIT_POSITIONS, 1.0) for _ in range(units))
            add_units(session, job_id, plans)
            start_job(session, job_id)
        return job_id

    def work_on_any_unit(self) -> None:
        """Claim and complete units, as the local runner does."""
        self.plan(UNITS)
        for _ in range(UNITS):
            with self.database.write() as session:
                taken = claim(session, **CLAIM)
            if taken is None:
                raise RuntimeError("a unit is missing")
            with self.database.write() as session:
                self.complete(session, taken)
            with self.database.write() as session:
                finish_if_complete(session, taken.job_id)

    def work_on_announced_units(self) -> None:
        """Claim announced units, complete each and announce the next one, as workers do."""
        self.plan(UNITS)
        with self.database.write() as session:
            bell = announce_some(session, 1)
        while bell:
            with self.database.write() as session:
                taken = claim_unit(session, bell[0], **CLAIM)
            if taken is None:
                raise RuntimeError("a unit is missing")
            with self.database.write() as session:
                self.complete(session, taken)
                bell = announce_some(session, 1)

    def complete(self, session: Session, taken: Claim) -> None:
        """Complete a unit with evaluations of its own."""
        complete(
            session,
            taken,
            evaluations=self.rows[taken.seq * UNIT_POSITIONS :][:UNIT_POSITIONS],
            result={"scores": [1] * UNIT_POSITIONS},
            nodes=1,
            seconds=0.1,
            costs={ply: Cost(20, 0.02) for ply in range(10, 15)},
        )

    def large_job(self) -> None:
        """Measure the queries that are repeated all the time while a large job is nearly done."""
        job_id = self.plan(LARGE_JOB)
        with self.database.write() as session:
            session.execute(
                update(Unit)
                .where(Unit.seq < LARGE_JOB - UNITS)
                .values(state=UnitState.DONE, finished_at=Unit.seq)
            )
        for name, ask in (
            ("announcements of 4 units", partial(announce_some, limit=4)),
            ("sweeps for expired leases", requeue_lapsed),
            ("progress of a job", partial(progress, job_id=job_id)),
            ("status of the service", totals),
        ):
            what = f"{name}, {LARGE_JOB:,} units"
            self.report(what, QUERIES, partial(self.ask_often, ask))
        clear(self.database)

    def ask_often(self, ask: Callable[[Session], object]) -> None:
        """Repeat a query, with a transaction each time."""
        for _ in range(QUERIES):
            with self.database.write() as session:
                ask(session)


def announce_some(session: Session, limit: int) -> list[int]:
    """Choose units to announce."""
    return announce(session, engine_version=ENGINE_VERSION, interactive=False, limit=limit)


def peak_memory() -> float:
    """The largest memory of the process, in KiB."""
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def stream_in_process(url: str, queue: multiprocessing.Queue[float]) -> None:
    """Stream all rows. Returns the memory that was added after the first ones."""
    before = 0.0
    with Database.open(url) as database, database.read() as session:
        for number, _ in enumerate(stream(session, EVERYTHING)):
            if number == SETTLED_ROWS:
                before = peak_memory()
    queue.put(peak_memory() - before)


def write_in_process(url: str, rows: int, seed: int) -> None:
    """Write rows, as one of several processes."""
    chosen = make_rows(rows, seed)
    with Database.open(url) as database:
        write_all(database, chosen, 500)


def concurrent_writers(database: Database, url: str, rows: int) -> None:
    """Let eight processes write at the same time; print their rate and how many failed."""
    clear(database)
    processes = [
        SPAWN.Process(target=write_in_process, args=(url, rows, 100 + number))
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
    """Look up all keys, with this many in a call."""
    for start in range(0, len(keys), size):
        lookup(session, BOARD, keys[start : start + size])


def read_page(session: Session, cursor: Cursor, *, times: int) -> None:
    """Read the page of 100 rows behind a cursor, again and again."""
    for _ in range(times):
        search(session, EVERYTHING, after=cursor, limit=100)


def measure_rates(url: str, rows: list[StoredEvaluation], rounds: int) -> None:
    """Make all measurements of one database."""
    with Database.open(url) as database:
        bench = Bench(database, rows, rounds)
        bench.upserts()
        bench.reads()
        bench.single_requests()
        bench.memory(url)
        concurrent_writers(database, url, 10_000)
        clear(database)
        bench.units()
        bench.large_job()
