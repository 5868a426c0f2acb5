"""The progress of a job, and whether any process works on it, by the database's clock."""

import io
from dataclasses import replace

import pytest

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.version import ENGINE_VERSION, __version__
from db import jobs, registry
from db.database import Database
from db.jobs.sharing import PLANNER_ALIVE_SECONDS, RUNNER_ALIVE_SECONDS
from db.records.jobs import INTERACTIVE_PRIORITY, MAX_ATTEMPTS, JobProgress, JobState, WorkerInfo
from db.registry import WORKER_ALIVE_SECONDS
from tests.support.jobs import LEASE, finish, must_take
from tests.support.running.databases import FakeClock
from workers.analyze.job import submit
from workers.core.follow import (
    LEAST_SECONDS,
    LEAST_UNITS,
    ProgressMeter,
    Unattended,
    unattended_jobs,
)
from workers.core.kinds import Lane

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


def test_a_job_is_waiting_until_it_starts_and_running_while_a_lease_lasts(
    timed: Database, clock: FakeClock
) -> None:
    job_id = make(timed)
    assert idle(timed) == {job_id: WAITING}
    claimed = must_take(timed)
    assert idle(timed) == {}
    clock.time += LEASE - 1
    assert idle(timed) == {}
    clock.time += 2  # killed without notice
    assert idle(timed) == {job_id: INTERRUPTED}
    again = must_take(timed)
    assert again.fence == claimed.fence + 1
    assert idle(timed) == {}
    finish(timed, again)
    assert idle(timed) == {job_id: INTERRUPTED}
    finish(timed, must_take(timed))
    assert idle(timed) == {}  # done


def test_heartbeats_between_two_units_count(timed: Database, clock: FakeClock) -> None:
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


def test_workers_that_accept_a_job_make_it_queued(timed: Database, clock: FakeClock) -> None:
    bulk, urgent = make(timed), make(timed, priority=INTERACTIVE_PRIORITY)
    enter(timed)
    assert idle(timed) == {bulk: QUEUED, urgent: WAITING}
    enter(timed, Lane.INTERACTIVE)
    assert idle(timed) == {bulk: WAITING, urgent: QUEUED}
    enter(timed, version=ENGINE_VERSION + 1)
    assert idle(timed) == {bulk: WAITING, urgent: WAITING}
    enter(timed)
    claimed = must_take(timed)
    assert idle(timed) == {bulk: QUEUED}  # the urgent job is taken first
    finish(timed, claimed)
    assert idle(timed) == {bulk: QUEUED, urgent: INTERRUPTED}
    enter(timed, Lane.INTERACTIVE)
    assert idle(timed) == {bulk: WAITING}  # between two units
    clock.time += WORKER_ALIVE_SECONDS + 1
    assert idle(timed) == {bulk: WAITING, urgent: INTERRUPTED}


def test_a_job_whose_planner_has_died_is_interrupted(timed: Database, clock: FakeClock) -> None:
    with timed.write() as session:
        job_id = jobs.create_job(
            session, kind="analyze", board=DEFAULT_BOARD, params={}, engine_version=ENGINE_VERSION
        )
        jobs.record_planner_heartbeat(session, job_id)
    assert idle(timed) == {}
    clock.time += PLANNER_ALIVE_SECONDS + 1
    assert idle(timed) == {job_id: INTERRUPTED}


@pytest.mark.parametrize("ending", ["cancel", "fail"])
def test_an_ended_job_is_not_idle(timed: Database, ending: str) -> None:
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


FIRST = JobProgress(
    job_id=1,
    state=JobState.RUNNING,
    units=10,
    units_done=2,
    units_failed=0,
    units_leased=0,
    positions=1000,
    positions_done=200,
    positions_failed=0,
    nodes=0,
    seconds=0.0,
    positions_per_second=None,
    eta_seconds=None,
)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_no_rate_is_shown_before_enough_is_done() -> None:
    clock = Clock()
    meter = ProgressMeter(FIRST, clock)
    assert (meter.look(FIRST).rate, meter.look(FIRST).remaining) == (None, None)
    clock.now += LEAST_SECONDS * 10
    few = replace(FIRST, units_done=2 + LEAST_UNITS - 1, positions_done=400)
    assert meter.look(few).rate is None
    clock.now = 100 + LEAST_SECONDS / 2
    soon = replace(FIRST, units_done=2 + LEAST_UNITS, positions_done=500)
    assert meter.look(soon).rate is None


def test_the_rate_counts_only_units_done_while_watching() -> None:
    clock = Clock()
    meter = ProgressMeter(FIRST, clock)
    clock.now += 4
    progress = meter.look(
        replace(FIRST, units_done=6, positions_done=600, units_failed=1, positions_failed=100)
    )
    assert progress.seconds == pytest.approx(4)
    assert progress.rate == pytest.approx(100)


def test_the_remaining_time_comes_from_the_database() -> None:
    meter = ProgressMeter(FIRST, Clock())
    assert meter.look(FIRST).remaining is None
    assert meter.look(replace(FIRST, eta_seconds=7.5)).remaining == 7.5


def test_at_the_end_no_time_remains() -> None:
    clock = Clock()
    meter = ProgressMeter(FIRST, clock)
    clock.now += 0.5
    progress = meter.look(replace(FIRST, units_done=10, positions_done=1000))
    assert progress.remaining == 0
    assert progress.rate == pytest.approx(1600)


def test_a_job_that_has_already_ended_has_no_rate() -> None:
    done = replace(FIRST, state=JobState.DONE, units_done=10, positions_done=1000)
    progress = ProgressMeter(done, Clock()).look(done)
    assert (progress.rate, progress.remaining) == (None, 0)
