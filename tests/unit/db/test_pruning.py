import pytest
from sqlalchemy import func, select

from db.database import Database
from db.errors import JobNotFoundError, JobStateError
from db.evaluations import count, store
from db.jobs import control
from db.models import Job, Unit
from db.records.evaluations import EvaluationFilter
from db.records.jobs import INTERACTIVE_PRIORITY, UnitPlan
from tests.support.boards.matches import game, store_match
from tests.support.running.databases import BOARD, FakeClock, ask, do, execute, make_job, row

DAY = 86_400.0


def numbers(database: Database) -> list[int]:
    return ask(database, lambda session: list(session.scalars(select(Job.id).order_by(Job.id))))


def units(database: Database) -> int:
    return ask(database, lambda session: session.scalar(select(func.count()).select_from(Unit)))


def cancelled_job(database: Database, **arguments: int) -> int:
    job_id = make_job(database, 3, **arguments)
    do(database, control.cancel_job, job_id)
    return job_id


def test_a_job_is_deleted_with_its_units(database: Database) -> None:
    do(database, store, BOARD, [row(7)])
    job_id = cancelled_job(database)
    match_id = store_match(database, [game(0)])
    execute(database, "UPDATE matches SET job_id = :job", job=job_id)
    do(database, control.delete_job, job_id)
    assert numbers(database) == []
    assert units(database) == 0
    assert ask(database, count, EvaluationFilter(board=BOARD)) == 1
    assert ask(database, lambda session: session.scalar(select(Job.id))) is None
    assert match_id
    with pytest.raises(JobNotFoundError):
        do(database, control.delete_job, job_id)


def test_a_running_job_is_not_deleted(database: Database) -> None:
    job_id = make_job(database, 3)
    with pytest.raises(JobStateError, match="cancel it first"):
        do(database, control.delete_job, job_id)
    assert units(database) == 3


def test_numbers_are_not_used_again(database: Database) -> None:
    first = cancelled_job(database)
    last = ask(database, lambda session: session.scalar(select(func.max(Unit.id))))
    do(database, control.delete_job, first)
    assert make_job(database, 1) > first
    assert ask(database, lambda session: session.scalar(select(func.min(Unit.id)))) > last


def test_old_jobs_are_pruned(timed: Database, clock: FakeClock) -> None:
    old = [cancelled_job(timed) for _ in range(3)]
    running = make_job(timed, 1)
    clock.time += 2 * DAY
    new = cancelled_job(timed)
    assert do(timed, control.prune_jobs, DAY) == len(old)
    assert numbers(timed) == [running, new]
    assert do(timed, control.prune_jobs, DAY) == 0


def test_a_job_that_is_planned_is_deleted(database: Database) -> None:
    new = {"kind": "k", "board": BOARD, "params": {}, "engine_version": 1}
    job_id = do(database, control.create_job, **new)
    do(database, control.delete_job, job_id)
    with pytest.raises(JobNotFoundError):
        do(database, control.add_units, job_id, [UnitPlan({}, 1)])


def test_interactive_jobs_go_after_a_day(timed: Database, clock: FakeClock) -> None:
    bulk = cancelled_job(timed)
    question = cancelled_job(timed, priority=INTERACTIVE_PRIORITY)
    do(timed, control.prune_jobs, DAY, priority=INTERACTIVE_PRIORITY)
    assert numbers(timed) == [bulk, question]
    clock.time += DAY + 1
    do(timed, control.prune_jobs, DAY, priority=INTERACTIVE_PRIORITY)
    assert numbers(timed) == [bulk]
