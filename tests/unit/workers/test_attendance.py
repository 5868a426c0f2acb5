"""Whether anybody is at work on a job, as the database's clock tells it."""

import io

import pytest

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.version import ENGINE_VERSION, __version__
from db import jobs, registry
from db.database import Database
from db.jobs.sharing import PLANNER_ALIVE_SECONDS, RUNNER_ALIVE_SECONDS
from db.records.jobs import INTERACTIVE_PRIORITY, MAX_ATTEMPTS, WorkerInfo
from db.registry import WORKER_ALIVE_SECONDS
from tests.support.jobs import LEASE, finish, must_take
from tests.support.running.databases import FakeClock
from workers.core.attendance import Unattended, unattended_jobs
from workers.core.lanes import Lane
from workers.positions.analysis import submit

WAITING, QUEUED, INTERRUPTED = Unattended


def make(database: Database, *, priority: int = 0) -> int:
    lines = read_lines(io.BytesIO(b"44\n45\n"), board=DEFAULT_BOARD)
    return submit(database, lines, board=DEFAULT_BOARD, priority=priority, unit_lines=1).job_id


def idle(database: Database) -> dict[int, Unattended]:
    with database.read() as session:
        return unattended_jobs(session)


def enter(database: Database, lane: Lane = Lane.BULK, version: int = ENGINE_VERSION) -> None:
    info = WorkerInfo(
        name="ada",
        host="here",
        pid=1,
        threads=1,
        table_mb=1,
        version=__version__,
        engine_version=version,
        queues=(lane.queue,),
    )
    database.run(lambda session: registry.beat(session, info))


def test_a_job_is_waiting_until_somebody_begins_and_running_while_a_lease_lives(
    timed: Database, clock: FakeClock
) -> None:
    job_id = make(timed)
    assert idle(timed) == {job_id: WAITING}
    claimed = must_take(timed)
    assert idle(timed) == {}
    clock.time += LEASE - 1
    assert idle(timed) == {}
    clock.time += 2  # killed: nobody could say so
    assert idle(timed) == {job_id: INTERRUPTED}
    again = must_take(timed)
    assert again.fence == claimed.fence + 1
    assert idle(timed) == {}
    finish(timed, again)
    assert idle(timed) == {job_id: INTERRUPTED}
    finish(timed, must_take(timed))
    assert idle(timed) == {}  # done


def test_the_heartbeat_of_a_process_between_two_units_counts(
    timed: Database, clock: FakeClock
) -> None:
    job_id, other = make(timed), make(timed)
    timed.run(lambda session: jobs.record_runner_heartbeat(session, job_id))
    assert idle(timed) == {other: WAITING}
    clock.time += RUNNER_ALIVE_SECONDS - 1
    assert idle(timed) == {other: WAITING}
    clock.time += 2
    assert idle(timed) == {job_id: WAITING, other: WAITING}
    timed.run(lambda session: jobs.record_runner_heartbeat(session, job_id))
    assert idle(timed) == {other: WAITING}
    timed.run(lambda session: jobs.clear_runner_heartbeat(session, job_id))
    assert idle(timed) == {job_id: WAITING, other: WAITING}


def test_workers_that_take_such_jobs_will_work_on_them(timed: Database, clock: FakeClock) -> None:
    bulk, urgent = make(timed), make(timed, priority=INTERACTIVE_PRIORITY)
    enter(timed)
    assert idle(timed) == {bulk: QUEUED, urgent: WAITING}
    enter(timed, Lane.INTERACTIVE)
    assert idle(timed) == {bulk: WAITING, urgent: QUEUED}
    enter(timed, version=ENGINE_VERSION + 1)
    assert idle(timed) == {bulk: WAITING, urgent: WAITING}
    enter(timed)
    claimed = must_take(timed)
    assert idle(timed) == {bulk: QUEUED}  # the urgent one is taken first
    finish(timed, claimed)
    assert idle(timed) == {bulk: QUEUED, urgent: INTERRUPTED}
    enter(timed, Lane.INTERACTIVE)
    assert idle(timed) == {bulk: WAITING}  # between two units
    clock.time += WORKER_ALIVE_SECONDS + 1
    assert idle(timed) == {bulk: WAITING, urgent: INTERRUPTED}


def test_a_job_whose_planner_is_gone_is_interrupted(timed: Database, clock: FakeClock) -> None:
    with timed.write() as session:
        job_id = jobs.create_job(
            session, kind="analyze", board=DEFAULT_BOARD, params={}, engine_version=ENGINE_VERSION
        )
        jobs.record_planner_heartbeat(session, job_id)
    assert idle(timed) == {}
    clock.time += PLANNER_ALIVE_SECONDS + 1
    assert idle(timed) == {job_id: INTERRUPTED}


@pytest.mark.parametrize("ending", ["cancel", "fail"])
def test_a_job_that_has_ended_needs_nobody(timed: Database, ending: str) -> None:
    job_id = make(timed)
    if ending == "cancel":
        timed.run(lambda session: jobs.cancel_job(session, job_id))
    else:
        for _ in range(2 * MAX_ATTEMPTS):
            claimed = must_take(timed)
            with timed.write() as session:
                jobs.fail(session, claimed, "broken")
        timed.run(lambda session: jobs.finish_if_complete(session, job_id))
    assert idle(timed) == {}
