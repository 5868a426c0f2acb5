"""The progress of a job, and whether any process works on it, by the database's clock."""

import io
from dataclasses import replace
from typing import Any

import pytest

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.jobs.sharing import RUNNER_ALIVE_SECONDS, WORKER_ALIVE_SECONDS
from db.jobs.state import PLANNER_ALIVE_SECONDS
from db.records.jobs import INTERACTIVE_PRIORITY, MAX_ATTEMPTS, JobProgress, JobState
from tests.support.jobs import LEASE, finish, give_up, must_take
from tests.support.running.databases import FakeClock, ask, do, worker
from workers.analyze.job import submit
from workers.core.follow import (
    LEAST_SECONDS,
    LEAST_UNITS,
    ProgressMeter,
    Unattended,
    unattended_jobs,
)
from workers.core.kinds import Lane, lane_of_job, lane_of_queue

WAITING, QUEUED, INTERRUPTED = Unattended


def make(database: Database, *, priority: int = 0) -> int:
    lines = read_lines(io.BytesIO(b"44\n45\n"), board=DEFAULT_BOARD)
    return submit(database, lines, board=DEFAULT_BOARD, priority=priority, unit_lines=1).job_id


def idle(database: Database) -> dict[int, Unattended]:
    return ask(database, unattended_jobs)


def enter(database: Database, lane: Lane = Lane.BULK, version: int = ENGINE_VERSION) -> None:
    do(database, jobs.record_worker_heartbeat, worker(engine_version=version, queues=(lane.queue,)))


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
    do(timed, jobs.record_runner_heartbeat, job_id)
    assert idle(timed) == {other: WAITING}
    clock.time += RUNNER_ALIVE_SECONDS - 1
    assert idle(timed) == {other: WAITING}
    clock.time += 2
    assert idle(timed) == {job_id: WAITING, other: WAITING}
    do(timed, jobs.record_runner_heartbeat, job_id)
    assert idle(timed) == {other: WAITING}
    do(timed, jobs.clear_runner_heartbeat, job_id)
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
    asked = {"kind": "analyze", "board": DEFAULT_BOARD, "params": {}}
    job_id = do(timed, jobs.create_job, **asked, engine_version=ENGINE_VERSION)
    do(timed, jobs.record_planner_heartbeat, job_id)
    assert idle(timed) == {}
    clock.time += PLANNER_ALIVE_SECONDS + 1
    assert idle(timed) == {job_id: INTERRUPTED}


@pytest.mark.parametrize("ending", ["cancel", "fail"])
def test_an_ended_job_is_not_idle(timed: Database, ending: str) -> None:
    job_id = make(timed)
    if ending == "cancel":
        do(timed, jobs.cancel_job, job_id)
    else:
        for _ in range(2 * MAX_ATTEMPTS):
            give_up(timed, must_take(timed))
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


@pytest.mark.parametrize(
    ("seconds", "changes", "rate", "remaining"),
    [
        (0, {}, None, None),
        # No rate is shown before enough is done, in enough time.
        (LEAST_SECONDS * 10, {"units_done": 1 + LEAST_UNITS, "positions_done": 400}, None, None),
        (LEAST_SECONDS / 2, {"units_done": 2 + LEAST_UNITS, "positions_done": 500}, None, None),
        (LEAST_SECONDS, {"units_done": 2 + LEAST_UNITS, "positions_done": 500}, 300, None),
        # It counts only units that are done while watching.
        (4, {"units_done": 6, "positions_done": 600, "positions_failed": 100}, 100, None),
        # The remaining time comes from the database; at the end none remains.
        (0, {"eta_seconds": 7.5}, None, 7.5),
        (0.5, {"units_done": 10, "positions_done": 1000}, 1600, 0),
    ],
)
def test_the_rate_and_the_remaining_time(
    seconds: float, changes: dict[str, Any], rate: float | None, remaining: float | None
) -> None:
    clock = FakeClock(100.0)
    meter = ProgressMeter(FIRST, clock)
    clock.time += seconds
    progress = meter.look(replace(FIRST, **changes))
    found = (progress.seconds, progress.rate, progress.remaining)
    assert found == (pytest.approx(seconds), rate and pytest.approx(rate), remaining)


def test_a_job_that_has_already_ended_has_no_rate() -> None:
    done = replace(FIRST, state=JobState.DONE, units_done=10, positions_done=1000)
    progress = ProgressMeter(done, FakeClock()).look(done)
    assert (progress.rate, progress.remaining) == (None, 0)


def test_every_lane_and_engine_version_has_its_own_queue() -> None:
    queues = [lane.queue for lane in Lane]
    assert queues == ["c4.interactive.e1", "c4.bulk.e1"]
    assert [lane_of_queue(queue) for queue in queues] == list(Lane)


def test_the_priority_determines_the_lane() -> None:
    assert lane_of_job(0) is lane_of_job(99) is lane_of_job(-5) is Lane.BULK
    assert lane_of_job(100) is lane_of_job(1000) is Lane.INTERACTIVE
