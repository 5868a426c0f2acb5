"""Claims of units: announcements, expired leases, and unreadable units."""

from pathlib import Path

import pytest
from sqlalchemy import text

from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.jobs import (
    cancel_job,
    finish_if_complete,
    get_job,
    heartbeat,
    progress,
    requeue_lapsed,
    retry_job,
)
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


def ring(database: Database, limit: int = 100, **options: object) -> list[int]:
    defaults: dict[str, object] = {"engine_version": ENGINE_VERSION, "interactive": False}
    return do(database, jobs.announce, limit=limit, **(defaults | options))


def test_units_are_announced_in_order_and_once(timed: Database, clock: FakeClock) -> None:
    units = unit_ids(timed, make_job(timed, 5))
    assert ring(timed, 2) == units[:2]
    assert ring(timed, 2) == units[2:4]
    assert ring(timed, 2) == units[4:]
    assert ring(timed, 2) == []
    clock.time += jobs.REANNOUNCE_SECONDS
    assert ring(timed, 2) == []
    clock.time += 0.001
    assert ring(timed) == units  # no worker came


@on_sqlite
def test_setting_the_clock_back_delays_no_announcement(timed: Database, clock: FakeClock) -> None:
    units = unit_ids(timed, make_job(timed, 2))
    assert ring(timed) == units
    clock.time -= 3600.0
    assert ring(timed) == units
    assert ring(timed) == []


@on_sqlite
def test_new_units_are_announced_before_repeats_and_oldest_repeats_first(
    timed: Database, clock: FakeClock
) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 2) == units[:2]
    clock.time += jobs.REANNOUNCE_SECONDS + 1
    assert ring(timed, 3) == [units[2], units[3], units[0]]
    assert ring(timed, 3) == [units[1]]


def test_returned_units_are_announced_first_and_at_once(timed: Database) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 3) == units[:3]
    failed, released, _ = (must_take_unit(timed, unit_id) for unit_id in units[:3])
    assert give_up(timed, failed) is UnitState.QUEUED
    assert do(timed, jobs.release, released)
    assert ring(timed) == [units[0], units[1], units[3]]


@on_sqlite
def test_only_queued_units_of_running_jobs_are_announced(database: Database) -> None:
    job_id = make_job(database, 2)
    units = unit_ids(database, job_id)
    must_take(database)
    assert ring(database, engine_version=ENGINE_VERSION + 1) == []
    assert ring(database, 0) == []
    do(database, jobs.cancel_job, job_id)
    assert ring(database) == []
    do(database, jobs.resume_job, job_id)
    assert ring(database) == units


@on_sqlite
def test_resumed_units_are_as_if_never_announced(timed: Database) -> None:
    job_id = make_job(timed, 2)
    units = unit_ids(timed, job_id)
    assert ring(timed) == units
    with timed.write() as session:
        jobs.cancel_job(session, job_id)
        jobs.resume_job(session, job_id)
    assert ring(timed) == units


def test_urgent_then_older_jobs_are_announced_in_each_lane(database: Database) -> None:
    priorities = (0, INTERACTIVE_PRIORITY, 5, INTERACTIVE_PRIORITY + 1, INTERACTIVE_PRIORITY - 1)
    old, asked, urgent, asked_urgently, most_urgent = (
        unit_ids(database, make_job(database, 2, priority=priority)) for priority in priorities
    )
    assert ring(database, 3) == [*most_urgent, urgent[0]]
    assert ring(database, interactive=True) == asked_urgently + asked
    assert ring(database) == [urgent[1], *old]
    assert ring(database, interactive=True) == []


@on_sqlite
def test_the_number_of_queries_does_not_grow_with_the_jobs(database: Database) -> None:
    for _ in range(10):
        make_job(database, 1)
    ring(database)
    with counted_queries(database) as queries:
        assert ring(database) == []
    assert 1 <= len(queries) <= 4


class TestClaimUnit:
    def test_the_named_unit_is_claimed(self, timed: Database) -> None:
        job_id = make_job(timed, 3, positions=4, priority=7)
        unit = unit_ids(timed, job_id)[1]
        taken = must_take_unit(timed, unit)
        assert (taken.unit_id, taken.job_id, taken.seq, taken.kind) == (unit, job_id, 1, "test")
        assert (taken.payload, taken.params, taken.positions) == ({"number": 1}, {"depth": 1}, 4)
        assert (taken.fence, taken.attempts, taken.priority) == (1, 1, 7)
        assert taken.engine_version == ENGINE_VERSION
        assert take_unit(timed, unit) is None  # announced twice
        assert must_take(timed).seq == 0

    def test_other_engines_and_cancelled_jobs_give_no_unit(self, timed: Database) -> None:
        job_id = make_job(timed, 2)
        units = unit_ids(timed, job_id)
        assert take_unit(timed, units[0], engine_version=ENGINE_VERSION + 1) is None
        assert take_unit(timed, 10**9) is None
        do(timed, jobs.cancel_job, job_id)
        assert take_unit(timed, units[0]) is None

    @on_sqlite
    def test_a_job_in_planning_gives_no_unit(self, database: Database) -> None:
        with database.write() as session:
            job_id = jobs.create_job(
                session, kind="k", board=BOARD, params={}, engine_version=ENGINE_VERSION
            )
            jobs.add_units(session, job_id, [UnitPlan({}, 1)])
        (unit,) = unit_ids(database, job_id)
        assert ring(database) == []
        assert take_unit(database, unit) is None
        assert take(database) is None
        do(database, jobs.start_job, job_id)
        assert ring(database) == [unit]
        assert take_unit(database, unit) is not None

    @on_sqlite
    def test_an_expired_unit_is_claimed(self, timed: Database, clock: FakeClock) -> None:
        (unit,) = unit_ids(timed, make_job(timed, 1))
        must_take_unit(timed, unit)
        clock.time += LEASE
        assert take_unit(timed, unit) is None
        clock.time += 0.001
        again = must_take_unit(timed, unit)
        assert (again.fence, again.attempts) == (2, 1)

    @on_sqlite
    def test_a_claim_gives_up_no_unit(self, timed: Database, clock: FakeClock) -> None:
        # Only the sweeper gives up units: it may close the job, and a claim must not wait for that.
        job_id = make_job(timed, 1)
        (unit,) = unit_ids(timed, job_id)
        silent = 0
        while take_unit(timed, unit) is not None:
            clock.time += LEASE + 1
            silent += 1
        assert silent == 10
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


@on_sqlite
def test_stopped_jobs_are_left_alone(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 1)
    must_take(timed)
    do(timed, cancel_job, job_id)
    clock.time += LEASE + 1
    assert sweep(timed) == 0
    assert state_of(timed, job_id) is JobState.CANCELLED


def test_a_unit_that_lapses_too_often_is_given_up(timed: Database, clock: FakeClock) -> None:
    job_id, other = make_job(timed, 2), make_job(timed, 1)
    for lapse in range(1, MAX_LAPSES + 1):
        taken = must_take(timed, job_id=job_id)
        assert (taken.seq, taken.fence, taken.attempts) == (0, lapse, 1)
        clock.time += LEASE + 1
        assert sweep(timed) == (lapse < MAX_LAPSES)
    assert state_of(timed, job_id) is JobState.RUNNING
    finish(timed, must_take(timed, job_id=job_id))
    assert state_of(timed, job_id) is JobState.FAILED
    assert state_of(timed, other) is JobState.RUNNING
    (failed,) = ask(timed, failed_units, job_id)
    assert failed.error == "lease expired 10 times"
    assert failed.attempts == 0
    assert take_unit(timed, failed.unit_id) is None


@on_sqlite
def test_giving_up_the_last_unit_closes_the_job(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 1)
    for _ in range(MAX_LAPSES):
        must_take(timed)
        clock.time += LEASE + 1
        sweep(timed)
    assert state_of(timed, job_id) is JobState.FAILED


def damage(database: Database, statement: str, **values: object) -> None:
    with database.write() as session:
        session.execute(text(statement), values)


def damage_payload(database: Database, unit_id: int) -> None:
    statement = "UPDATE units SET payload = replace(payload, 'number', 'lumber') WHERE id = :id"
    damage(database, statement, id=unit_id)


def damage_params(database: Database, job_id: int) -> None:
    statement = "UPDATE jobs SET params = replace(params, 'depth', 'death') WHERE id = :id"
    damage(database, statement, id=job_id)


def errors(database: Database, job_id: int) -> dict[int, str]:
    return {unit.seq: unit.error for unit in ask(database, failed_units, job_id)}


def test_readable_units_are_done_and_the_job_fails(database: Database) -> None:
    job_id = make_job(database, 3)
    damage_payload(database, unit_ids(database, job_id)[0])
    for seq in (1, 2):
        taken = must_take(database)
        assert taken.seq == seq
        finish(database, taken)
    assert errors(database, job_id) == {
        0: "the unit's payload cannot be read: a stored JSON object is damaged: "
        '\'{"lumber":0,"#":"ec0c7986"}\''
    }
    assert state_of(database, job_id) is JobState.FAILED


@on_sqlite
def test_an_unreadable_unit_named_by_a_message(database: Database) -> None:
    job_id = make_job(database, 2)
    first, second = unit_ids(database, job_id)
    damage_payload(database, first)
    assert take_unit(database, first) is None
    assert list(errors(database, job_id)) == [0]
    assert state_of(database, job_id) is JobState.RUNNING
    taken = take_unit(database, second)
    assert taken is not None
    finish(database, taken)
    assert state_of(database, job_id) is JobState.FAILED


@on_sqlite
def test_an_unreadable_unit_with_an_expired_lease(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 2)
    damage_payload(timed, must_take(timed).unit_id)
    clock.time += LEASE + 1
    assert must_take(timed).seq == 1
    assert list(errors(timed, job_id)) == [0]


def test_damaged_parameters_fail_all_units_of_the_job(database: Database) -> None:
    damaged = make_job(database, 100, priority=1)
    other = make_job(database, 1)
    working = must_take(database)
    damage_params(database, damaged)
    assert must_take(database).job_id == other
    assert list(errors(database, damaged)) == list(range(1, 100))
    assert finish(database, working)
    unit = ask(database, failed_units, damaged)[0]
    assert unit.error.startswith("the parameters of the job cannot be read: a stored JSON object")
    damage(database, "UPDATE jobs SET params = replace(params, 'death', 'depth')")
    assert state_of(database, damaged) is JobState.FAILED


@on_sqlite
def test_an_unreadable_last_unit_ends_the_job(database: Database) -> None:
    job_id = make_job(database, 1)
    (unit_id,) = unit_ids(database, job_id)
    damage_payload(database, unit_id)
    for _ in range(2):
        assert take(database) is None
        with database.write() as session:
            assert finish_if_complete(session, job_id) is JobState.FAILED
            retry_job(session, job_id)
    damage(database, "UPDATE units SET payload = replace(payload, 'lumber', 'number')")
    assert must_take(database).payload == {"number": 0}


BYTES_AS_TEXT = "UPDATE units SET payload = CAST(:value AS TEXT) WHERE seq = 0"
ANYTHING = "UPDATE units SET payload = :value WHERE seq = 0"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        (BYTES_AS_TEXT, b'{"number":0}\xff'),
        (ANYTHING, b"\xff\x00"),
        (ANYTHING, 7),
        (ANYTHING, "null"),
        (ANYTHING, '{"a":1,"#":"00"}'),
    ],
)
def test_any_damage_fails_the_unit(sqlite_path: Path, statement: str, value: object) -> None:
    with Database.open(str(sqlite_path)) as database:
        job_id = make_job(database, 2)
        damage(database, statement, value=value)
        assert must_take(database).seq == 1
        assert list(errors(database, job_id)) == [0]
