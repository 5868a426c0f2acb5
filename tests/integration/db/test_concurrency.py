"""Concurrent threads and processes on the same database."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from db import games
from db.database import Database
from db.errors import BusyError
from db.evaluations import count
from db.jobs import control, queue, watching
from db.jobs.control import lock_job
from db.records.evaluations import EvaluationFilter, StoredEvaluation
from db.records.jobs import Claim, JobState, UnitState
from tests.support.boards.matches import terms
from tests.support.jobs import ELIGIBLE, must_take, take, waits_for_lock
from tests.support.running.databases import BOARD, ask, do, make_job, on_postgresql, on_sqlite, row
from tests.support.running.processes import PROCESSES, at_once, run_all
from tests.support.running.waiting import HANG_SECONDS, await_that

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

T = TypeVar("T")

WORKERS = 4
UNITS = 40


def work(url: str, owner: str, completed: "SimpleQueue[list[int]]") -> None:
    """Claim and complete units until none is left; send the numbers of the completed ones."""
    mine = []
    with Database.open(url) as database:
        while taken := take(database, owner=owner):
            rows = [row(100 * taken.seq + offset) for offset in range(10)]
            # Write shared rows as well, each worker in another order, so that two could block each
            # other.
            rows += [row(1_000_000 + offset) for offset in range(20)][:: (-1) ** taken.seq]
            assert database.run(partial(finish, taken, rows, owner=owner))
            do(database, control.finish_if_complete, taken.job_id)
            mine.append(taken.seq)
    completed.put(mine)


def finish(
    taken: Claim, rows: list[StoredEvaluation], session: Session, *, owner: str = "ada"
) -> bool:
    result = {"owner": owner}
    return queue.complete(session, taken, evaluations=rows, result=result, nodes=1, seconds=0.0)


def test_workers_get_every_unit_exactly_once(database: Database, rows_url: str) -> None:
    job_id = make_job(database, UNITS)
    queues = {f"w{number}": PROCESSES.SimpleQueue() for number in range(WORKERS)}
    workers = [(rows_url, owner, queue) for owner, queue in queues.items()]
    if database.dialect == "sqlite":
        run_all(work, workers)
    else:  # on a server, threads and processes are equal clients
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda worker: work(*worker), workers))
    completed = {owner: queue.get() for owner, queue in queues.items()}
    assert sorted(seq for mine in completed.values() for seq in mine) == list(range(UNITS))
    job = ask(database, watching.get_job, job_id)
    assert (job.state, job.units[UnitState.DONE]) == (JobState.DONE, UNITS)
    results = ask(database, watching.unit_results, job_id, limit=UNITS)
    assert all(unit.seq in completed[unit.result["owner"]] for unit in results)
    assert ask(database, count, EvaluationFilter(board=BOARD)) == 10 * UNITS + 20


def test_one_of_many_claims_gets_the_unit(database: Database) -> None:
    make_job(database, 1)
    claims = at_once(lambda: take(database))
    assert [taken.fence for taken in claims if taken is not None] == [1]


@on_postgresql
def test_claims_do_not_wait_for_a_unit_that_is_being_written(database: Database) -> None:
    make_job(database, 3)
    expired = must_take(database, lease_seconds=-1.0)
    with database.write() as session:  # one is claimed, another completed
        claimed = queue.claim(session, ELIGIBLE, owner="ada", lease_seconds=60.0)
        assert claimed is not None
        assert claimed.seq == 1
        assert finish(expired, [], session)
        with ThreadPoolExecutor(1) as pool:

            def elsewhere(work: Callable[[], T]) -> T:
                return pool.submit(work).result(HANG_SECONDS)

            assert elsewhere(lambda: database.run(queue.requeue_expired)) == 0
            assert elsewhere(lambda: must_take(database).seq) == 2
            assert elsewhere(lambda: take(database)) is None


@on_postgresql
def test_a_released_unit_keeps_its_job_open(database: Database) -> None:
    """Every observer sees the unit either queued or leased."""
    job_id = make_job(database, 1)
    taken = must_take(database)

    def hand_back(*arguments: Any) -> None:  # noqa: ANN401 (the signature of SQLAlchemy's event)
        if "'queued'" in arguments[2]:
            with database.write() as other:
                queue.release(other, taken)

    with database.write() as session:
        connection = session.connection()
        event.listen(connection, "after_cursor_execute", hand_back)
        assert control.resume_job(session, job_id) is JobState.RUNNING
        event.remove(connection, "after_cursor_execute", hand_back)
    assert take(database) is not None


def open_fresh(url: str, barrier: "threading.Barrier", created: "SimpleQueue[bool]") -> None:
    barrier.wait()
    with Database.open(url) as database:
        created.put(database.created)
        assert ask(database, count, EvaluationFilter(board=BOARD)) == 0


def test_processes_may_open_an_empty_database_together(empty_url: str) -> None:
    barrier, created = PROCESSES.Barrier(WORKERS), PROCESSES.SimpleQueue()
    run_all(open_fresh, [(empty_url, barrier, created)] * WORKERS)
    assert any(created.get() for _ in range(WORKERS))


@on_sqlite
def test_run_repeats_broken_transactions_and_gives_up(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.database._ATTEMPTS", 3)
    calls: list[int] = []

    def succeed_at_the_third_call(_session: Session) -> str:
        calls.append(1)
        if len(calls) != 3:
            raise BusyError("deadlock")
        return "done"

    assert database.run(succeed_at_the_third_call) == "done"
    assert len(calls) == 3
    with pytest.raises(BusyError, match="deadlock"):
        database.run(succeed_at_the_third_call)
    assert len(calls) == 6


@on_postgresql
def test_run_repeats_a_transaction_after_a_deadlock(database: Database) -> None:
    job_ids = [make_job(database, 1) for _ in range(2)]
    barrier = threading.Barrier(2)
    attempts: Counter[int] = Counter()

    def lock_both(order: list[int], session: Session) -> None:
        attempts[order[0]] += 1
        lock_job(session, order[0])
        if attempts[order[0]] == 1:
            barrier.wait(HANG_SECONDS)
        lock_job(session, order[1])

    with ThreadPoolExecutor(2) as pool:
        orders = (job_ids, job_ids[::-1])
        list(pool.map(lambda order: database.run(partial(lock_both, order)), orders))
    # At least one was repeated; it may have met the other a second time.
    assert attempts.total() > len(attempts) == 2


def end_its_match(session: Session, job_id: int) -> object:
    (match,) = games.matches_of_job(session, job_id)
    return games.end_early(session, match.id, games=0, verdict="H0")


@on_postgresql
@pytest.mark.parametrize(
    ("steer", "lease"),
    [(control.cancel_job, 60.0), (control.resume_job, -1.0), (end_its_match, 60.0)],
)
def test_controlling_a_job_and_extending_leases_do_not_deadlock(
    database: Database, steer: Callable[[Session, int], object], lease: float
) -> None:
    with ThreadPoolExecutor(1) as pool:
        job_id = make_job(database, 2)
        with database.write() as session:
            match_id = games.create_match(session, terms(), job_id=job_id)
            games.set_units(session, match_id, 0, 2)
        first, second = (must_take(database, lease_seconds=60.0) for _ in range(2))
        # The row written last comes after the others in the table.
        do(database, queue.prolong, [second], lease)
        do(database, queue.prolong, [first], lease)
        with database.write() as session:
            assert queue.prolong(session, [first], lease) == [True]
            steering = pool.submit(reading_the_table, database, partial(steer, job_id=job_id))
            await_that(lambda: waits_for_lock(database), seconds=HANG_SECONDS)
            assert not steering.done()
            assert queue.prolong(session, [second], lease) == [True]
        steering.result(HANG_SECONDS)
        assert do(database, queue.prolong, [second], lease) == [False]


def reading_the_table(database: Database, work: Callable[[Session], T]) -> T:
    """Do the work without indexes, as a server does that expects to read most of the table."""
    with database.write() as session:
        session.execute(text("SET LOCAL enable_indexscan = off"))
        session.execute(text("SET LOCAL enable_bitmapscan = off"))
        return work(session)
