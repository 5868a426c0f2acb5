from db.database import Database
from db.jobs import cancel_job, get_job, heartbeat, progress, requeue_lapsed
from db.records.jobs import LONGEST_LEASE, MAX_LAPSES, JobState, UnitState
from tests.support.jobs import LEASE, failed_units, finish, must_take, state_of, take_unit
from tests.support.running.databases import FakeClock, ask, do, make_job, on_sqlite


def sweep(database: Database, **options: int) -> int:
    return do(database, requeue_lapsed, **options)


def test_leases_that_ran_out_are_queued_again(timed: Database, clock: FakeClock) -> None:
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


def test_a_clock_that_is_set_back_frees_the_units_of_the_dead(
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
def test_no_lease_is_longer_than_one_can_be(timed: Database, clock: FakeClock) -> None:
    make_job(timed, 1)
    taken = must_take(timed, lease_seconds=10 * LONGEST_LEASE)
    assert sweep(timed) == 0
    assert do(timed, heartbeat, taken, 10 * LONGEST_LEASE)
    assert sweep(timed) == 0
    clock.time += LONGEST_LEASE + 1
    assert sweep(timed) == 1


@on_sqlite
def test_those_that_ran_out_first_come_first(timed: Database, clock: FakeClock) -> None:
    make_job(timed, 3)
    for _ in range(3):
        must_take(timed)
        clock.time += 1.0
    clock.time += LEASE
    assert sweep(timed, limit=2) == 2
    assert [must_take(timed).seq for _ in range(3)] == [2, 0, 1]  # a lapsed lease, then the queue


@on_sqlite
def test_jobs_that_do_not_run_are_left_alone(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 1)
    must_take(timed)
    do(timed, cancel_job, job_id)
    clock.time += LEASE + 1
    assert sweep(timed) == 0
    assert state_of(timed, job_id) is JobState.CANCELLED


def test_a_unit_that_silences_every_worker_is_given_up(timed: Database, clock: FakeClock) -> None:
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
