"""Claims of units, and expired leases."""

from dataclasses import replace
from typing import Any

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.jobs import control, queue, watching
from db.jobs.control import resume_job
from db.jobs.queue import Eligible, prolong, requeue_expired
from db.jobs.watching import get_job
from db.records.jobs import (
    INTERACTIVE_PRIORITY,
    MAX_LOST_ATTEMPTS,
    JobState,
    UnitPlan,
    UnitState,
)
from tests.support.jobs import (
    ELIGIBLE,
    LEASE,
    failed_units,
    finish,
    must_take,
    of_job,
    state_of,
    take,
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


def requeue(database: Database, **options: int) -> int:
    return do(database, requeue_expired, **options)


def test_only_queued_units_of_running_jobs_are_claimed(timed: Database) -> None:
    with timed.write() as session:
        job_id = control.create_job(
            session, kind="k", board=BOARD, params={}, engine_version=ENGINE_VERSION
        )
        control.add_units(session, job_id, [UnitPlan({}, 1)] * 2)
    assert take(timed) is None
    do(timed, control.start_job, job_id)
    assert take(timed, Eligible(ENGINE_VERSION + 1)) is None
    assert [must_take(timed).seq for _ in range(2)] == [0, 1]
    assert take(timed) is None
    do(timed, control.cancel_job, job_id)
    assert take(timed) is None
    do(timed, control.resume_job, job_id)
    assert must_take(timed).seq == 0


def test_a_claim_has_all_fields(timed: Database) -> None:
    job_id = make_job(timed, 3, positions=4, priority=7)
    must_take(timed)
    taken = must_take(timed)
    assert (taken.unit_id, taken.job_id) == (unit_ids(timed, job_id)[1], job_id)
    assert (taken.seq, taken.kind) == (1, "test")
    assert (taken.payload, taken.params, taken.positions) == ({"number": 1}, {"depth": 1}, 4)
    assert (taken.fence, taken.attempts, taken.priority) == (1, 1, 7)
    assert taken.board == BOARD


def test_returned_units_come_first(timed: Database) -> None:
    make_job(timed, 4)
    failed, released, _ = (must_take(timed) for _ in range(3))
    do(timed, queue.fail, failed, "no")
    do(timed, queue.release, released)
    assert [must_take(timed).seq for _ in range(3)] == [0, 1, 3]


def test_more_urgent_jobs_come_first_in_each_lane(timed: Database) -> None:
    priorities = (0, INTERACTIVE_PRIORITY, 5, INTERACTIVE_PRIORITY + 1, INTERACTIVE_PRIORITY - 1)
    old, asked, urgent, asked_urgently, most_urgent = (
        make_job(timed, 1, priority=priority) for priority in priorities
    )
    bulk = replace(ELIGIBLE, interactive=False)
    assert [must_take(timed, bulk).job_id for _ in range(2)] == [most_urgent, urgent]
    assert must_take(timed, replace(ELIGIBLE, interactive=True)).job_id == asked_urgently
    assert [must_take(timed).job_id for _ in range(2)] == [asked, old]


def test_a_worker_may_name_jobs_and_skip_others(timed: Database) -> None:
    first, second = make_job(timed, 1), make_job(timed, 2)
    assert must_take(timed, replace(ELIGIBLE, skipped=[first])).job_id == second
    assert must_take(timed, of_job(second)).job_id == second
    assert take(timed, replace(ELIGIBLE, skipped=[first])) is None
    assert take(timed, Eligible(ENGINE_VERSION, job_ids=[])) is None
    assert must_take(timed, of_job(first)).job_id == first


@on_sqlite
def test_a_claim_takes_one_statement_however_many_jobs_there_are(timed: Database) -> None:
    for _ in range(10):
        make_job(timed, 1)
    known: dict[int, dict[str, Any]] = {}
    claimer = {"owner": "ada", "lease_seconds": LEASE, "known": known}
    while do(timed, queue.claim, ELIGIBLE, **claimer):
        pass
    assert len(known) == 10
    do(timed, control.resume_job, make_job(timed, 2))
    do(timed, queue.claim, ELIGIBLE, **claimer)
    with counted_queries(timed) as queries:
        assert do(timed, queue.claim, ELIGIBLE, **claimer) is not None
    assert len(queries) == 2  # with BEGIN
    known |= {number: {} for number in range(1_000, 1_000 + queue.MOST_KNOWN)}
    new = make_job(timed, 1)
    assert do(timed, queue.claim, of_job(new), **claimer) is not None
    assert list(known) == [new]


def test_units_with_expired_leases_are_queued_again(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 4)
    late, alive, done = (must_take(timed) for _ in range(3))
    finish(timed, done)
    clock.time += LEASE
    assert requeue(timed) == 0
    assert do(timed, prolong, [alive], LEASE) == [True]
    clock.time += 0.001
    assert requeue(timed) == 1
    assert requeue(timed) == 0
    units = ask(timed, get_job, job_id).units
    assert (units[UnitState.QUEUED], units[UnitState.LEASED]) == (2, 1)
    assert not finish(timed, late)
    again = must_take(timed)
    assert (again.seq, again.fence, again.attempts) == (late.seq, 2, 2)


@on_sqlite
def test_the_leases_that_expired_first_are_queued_first(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 3)
    for _ in range(3):
        must_take(timed)
        clock.time += 1.0
    clock.time += LEASE
    assert requeue(timed, limit=2) == 2
    units = ask(timed, watching.unit_results, job_id)
    assert [unit.state for unit in units] == ["queued", "queued", "leased"]


def test_a_unit_whose_workers_are_lost_too_often_fails(timed: Database, clock: FakeClock) -> None:
    job_id, other = make_job(timed, 2), make_job(timed, 1)

    def lose(fence: int) -> None:
        for attempt in range(1, MAX_LOST_ATTEMPTS + 1):
            taken = must_take(timed, of_job(job_id))
            assert (taken.seq, taken.fence, taken.attempts) == (0, fence + attempt, attempt)
            clock.time += LEASE + 1
        assert requeue(timed) == 1

    lose(0)
    assert state_of(timed, job_id) is JobState.RUNNING
    finish(timed, must_take(timed, of_job(job_id)))
    assert state_of(timed, job_id) is JobState.FAILED
    assert state_of(timed, other) is JobState.RUNNING
    (failed,) = ask(timed, failed_units, job_id)
    assert failed.error == "its worker was lost 10 times"
    assert do(timed, resume_job, job_id) is JobState.RUNNING
    lose(MAX_LOST_ATTEMPTS)
    # The last unit does not close its job: a look at the database finds that it is complete.
    assert ask(timed, queue.survey, []).complete_job == job_id
    assert do(timed, control.finish_if_complete, job_id) is JobState.FAILED
    assert ask(timed, queue.survey, []).complete_job is None


@on_sqlite
def test_a_look_sees_what_waits(timed: Database, clock: FakeClock) -> None:
    lanes = [replace(ELIGIBLE, interactive=interactive) for interactive in (True, False)]

    def queued() -> list[bool]:
        return ask(timed, queue.survey, lanes).queued

    assert queued() == [False, False]
    make_job(timed, 1)
    assert queued() == [False, True]
    make_job(timed, 1, priority=INTERACTIVE_PRIORITY)
    assert queued() == [True, True]
    must_take(timed)
    assert queued() == [False, True]
    clock.time += LEASE
    assert not ask(timed, queue.survey, lanes).has_expired
    clock.time += 1
    assert ask(timed, queue.survey, []).has_expired
