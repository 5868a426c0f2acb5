"""Claims of units: announcements and expired leases."""

import pytest

from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.jobs import get_job, heartbeat, progress, requeue_lapsed, retry_job
from db.records.jobs import (
    INTERACTIVE_PRIORITY,
    LONGEST_LEASE,
    MAX_LAPSES,
    Claim,
    JobState,
    UnitPlan,
    UnitState,
)
from tests.support.jobs import (
    LEASE,
    failed_units,
    finish,
    give_up,
    must_take,
    ring,
    state_of,
    take,
    take_unit,
    unit_ids,
)
from tests.support.running.databases import (
    BOARD,
    FakeClock,
    ask,
    counted_queries,
    do,
    make_job,
    on_sqlite,
)


def test_units_are_announced_in_order_and_again_if_no_worker_comes(
    timed: Database, clock: FakeClock
) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 2) == units[:2]
    clock.time += jobs.REANNOUNCE_SECONDS + 1
    assert ring(timed, 3) == [units[2], units[3], units[0]]  # the oldest repeat, after new ones
    assert ring(timed, 3) == [units[1]]
    assert ring(timed) == []
    clock.time += jobs.REANNOUNCE_SECONDS
    assert ring(timed) == []
    clock.time += 0.001
    assert ring(timed) == units
    clock.time -= 3600.0
    assert ring(timed) == units
    assert ring(timed) == []


def test_returned_units_are_announced_first_and_at_once(timed: Database) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 3) == units[:3]
    failed, released, _ = (must_take_unit(timed, unit_id) for unit_id in units[:3])
    assert give_up(timed, failed) is UnitState.QUEUED
    assert do(timed, jobs.release, released)
    assert ring(timed) == [units[0], units[1], units[3]]


def test_units_whose_messages_were_not_sent_are_announced_again(timed: Database) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 3) == units[:3]
    must_take_unit(timed, units[0])
    do(timed, jobs.take_back, units[:2])
    assert ring(timed) == [units[1], units[3]]
    assert ring(timed) == []


def test_only_queued_units_of_running_jobs_are_given_out(timed: Database) -> None:
    def assert_nothing_is_given_out(**options: int) -> None:
        assert ring(timed, **options) == []
        assert take(timed, **options) is None
        assert [take_unit(timed, unit, **options) for unit in units] == [None] * len(units)

    with timed.write() as session:
        job_id = jobs.create_job(
            session, kind="k", board=BOARD, params={}, engine_version=ENGINE_VERSION
        )
        jobs.add_units(session, job_id, [UnitPlan({}, 1)] * 3)
    units = [*unit_ids(timed, job_id), 10**9]
    assert_nothing_is_given_out()
    do(timed, jobs.start_job, job_id)
    assert_nothing_is_given_out(engine_version=ENGINE_VERSION + 1)
    assert ring(timed, 0) == []
    assert ring(timed, 1) == units[:1]
    assert must_take(timed).unit_id == units[1]
    do(timed, jobs.cancel_job, job_id)
    assert_nothing_is_given_out()
    do(timed, jobs.resume_job, job_id)
    assert ring(timed) == units[:3]  # as if never announced


def test_urgent_then_older_jobs_are_announced_in_each_lane(timed: Database) -> None:
    priorities = (0, INTERACTIVE_PRIORITY, 5, INTERACTIVE_PRIORITY + 1, INTERACTIVE_PRIORITY - 1)
    old, asked, urgent, asked_urgently, most_urgent = (
        unit_ids(timed, make_job(timed, 2, priority=priority)) for priority in priorities
    )
    assert ring(timed, 3) == [*most_urgent, urgent[0]]
    assert ring(timed, interactive=True) == asked_urgently + asked
    assert ring(timed) == [urgent[1], *old]
    assert ring(timed, interactive=True) == []


@on_sqlite
def test_the_number_of_queries_does_not_grow_with_the_jobs(timed: Database) -> None:
    for _ in range(10):
        make_job(timed, 1)
    ring(timed)
    with counted_queries(timed) as queries:
        assert ring(timed) == []
    assert 1 <= len(queries) <= 4


def test_a_claim_has_all_fields(timed: Database) -> None:
    job_id = make_job(timed, 3, positions=4, priority=7)
    unit = unit_ids(timed, job_id)[1]
    taken = must_take_unit(timed, unit)
    assert (taken.unit_id, taken.job_id, taken.seq, taken.kind) == (unit, job_id, 1, "test")
    assert (taken.payload, taken.params, taken.positions) == ({"number": 1}, {"depth": 1}, 4)
    assert (taken.fence, taken.attempts, taken.priority) == (1, 1, 7)
    assert (taken.engine_version, taken.board, taken.owner) == (ENGINE_VERSION, BOARD, "ada")
    assert take_unit(timed, unit) is None  # announced twice
    assert [must_take(timed).seq for _ in range(2)] == [0, 2]
    assert take(timed) is None


def test_urgent_then_older_jobs_are_claimed(database: Database) -> None:
    job_ids = [make_job(database, 1, priority=priority) for priority in (0, 5, 0, -1, 0)]
    last = job_ids.pop()
    assert must_take(database, job_id=last).job_id == last
    order = [must_take(database).job_id for _ in job_ids]
    assert order == [job_ids[1], job_ids[0], job_ids[2], job_ids[3]]


@on_sqlite
def test_an_expired_unit_is_claimed_by_its_number(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 1)
    (unit,) = unit_ids(timed, job_id)
    for lapses in range(MAX_LAPSES):
        taken = must_take_unit(timed, unit)
        assert (taken.fence, taken.attempts) == (lapses + 1, 1)
        clock.time += LEASE
        assert take_unit(timed, unit) is None
        clock.time += 0.001
    # Only the sweeper gives up units: it may close the job, and a claim must not wait for that.
    assert take_unit(timed, unit) is None
    assert ask(timed, jobs.unit_results, job_id)[0].state is UnitState.LEASED
    assert take(timed) is None
    assert ask(timed, jobs.unit_results, job_id)[0].state is UnitState.FAILED


def must_take_unit(database: Database, unit_id: int) -> Claim:
    taken = take_unit(database, unit_id)
    assert taken is not None
    return taken


def sweep(database: Database, **options: int) -> int:
    return do(database, requeue_lapsed, **options)


def test_units_with_expired_leases_are_queued_again(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 4)
    late, alive, done = (must_take(timed) for _ in range(3))
    finish(timed, done)
    clock.time += LEASE
    assert sweep(timed) == 0
    do(timed, heartbeat, alive, LEASE)
    clock.time += 0.001
    assert sweep(timed) == 1
    assert sweep(timed) == 0
    units = ask(timed, get_job, job_id).units
    assert (units[UnitState.QUEUED], units[UnitState.LEASED]) == (2, 1)
    assert not finish(timed, late)
    again = must_take(timed)
    assert (again.seq, again.fence, again.attempts) == (late.seq, 2, 1)


def test_setting_the_clock_back_frees_the_units_of_dead_workers(
    timed: Database, clock: FakeClock
) -> None:
    job_id = make_job(timed, 3)
    dead, alive, other = (must_take(timed) for _ in range(3))
    clock.time -= 3600.0
    with timed.write() as session:
        assert heartbeat(session, alive, LEASE)
        assert progress(session, job_id).units_leased == 1
    assert must_take(timed).unit_id == dead.unit_id
    assert sweep(timed) == 1
    assert take_unit(timed, other.unit_id) is not None
    assert take_unit(timed, alive.unit_id) is None


@on_sqlite
def test_leases_are_limited(timed: Database, clock: FakeClock) -> None:
    make_job(timed, 1)
    taken = must_take(timed, lease_seconds=10 * LONGEST_LEASE)
    assert sweep(timed) == 0
    assert do(timed, heartbeat, taken, 10 * LONGEST_LEASE)
    assert sweep(timed) == 0
    clock.time += LONGEST_LEASE + 1
    assert sweep(timed) == 1


@on_sqlite
def test_the_earliest_expired_leases_are_swept_first(timed: Database, clock: FakeClock) -> None:
    make_job(timed, 3)
    for _ in range(3):
        must_take(timed)
        clock.time += 1.0
    clock.time += LEASE
    assert sweep(timed, limit=2) == 2
    assert [must_take(timed).seq for _ in range(3)] == [2, 0, 1]  # a lapsed lease, then the queue


@pytest.mark.parametrize("swept", [True, False])
def test_a_unit_that_lapses_too_often_is_given_up(
    timed: Database, clock: FakeClock, *, swept: bool
) -> None:
    job_id, other = make_job(timed, 2), make_job(timed, 1)

    def let_it_lapse(fence: int) -> None:
        for lapse in range(1, MAX_LAPSES + 1):
            taken = must_take(timed, job_id=job_id)
            assert (taken.seq, taken.fence, taken.attempts) == (0, fence + lapse, 1)
            clock.time += LEASE + 1
            if swept:
                assert sweep(timed) == (lapse < MAX_LAPSES)

    let_it_lapse(0)
    assert state_of(timed, job_id) is JobState.RUNNING
    finish(timed, must_take(timed, job_id=job_id))
    assert state_of(timed, job_id) is JobState.FAILED
    assert state_of(timed, other) is JobState.RUNNING
    (failed,) = ask(timed, failed_units, job_id)
    assert failed.error == "lease expired 10 times"
    assert failed.attempts == 0
    assert take_unit(timed, failed.unit_id) is None
    assert do(timed, retry_job, job_id) == 1
    let_it_lapse(MAX_LAPSES)
    assert swept or take(timed, job_id=job_id) is None
    assert state_of(timed, job_id) is JobState.FAILED  # closed with its last unit
