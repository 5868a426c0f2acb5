from concurrent.futures import ThreadPoolExecutor

import pytest

from db.database import Database
from db.errors import ContradictionError, JobNotFoundError, JobStateError
from db.evaluations import find, store
from db.jobs import control, queue, watching
from db.records.jobs import MAX_ATTEMPTS, JobState, UnitPlan, UnitState
from tests.support.jobs import (
    LEASE,
    failed_units,
    finish,
    give_up,
    lease_end,
    must_take,
    state_of,
    take,
)
from tests.support.running.databases import (
    BOARD,
    FakeClock,
    ask,
    do,
    make_job,
    on_postgresql,
    on_sqlite,
    row,
)
from tests.support.running.waiting import HANG_SECONDS


class TestPlanning:
    def test_a_job_exists_once_created(self, timed: Database) -> None:
        job_id = make_job(timed, 3, positions=10, priority=7)
        with timed.read() as session:
            job = watching.get_job(session, job_id)
            assert watching.list_jobs(session) == [job]
        assert (job.kind, job.board, job.params, job.priority) == ("test", BOARD, {"depth": 1}, 7)
        assert job.state is JobState.RUNNING
        assert job.created_at == job.started_at == 1_000_000.0
        assert job.finished_at is None
        assert job.units[UnitState.QUEUED] == 3
        assert job.positions[UnitState.QUEUED] == 30
        assert sum(job.units.values()) == 3

    def test_units_are_numbered_across_several_calls(self, database: Database) -> None:
        with database.write() as session:
            job_id = control.create_job(
                session, kind="k", board=BOARD, params={}, engine_version=1, label="mine"
            )
            plans = (UnitPlan({"n": n}, 1) for n in range(1_100))
            assert control.add_units(session, job_id, plans) == 1_100
        with database.write() as session:
            assert control.add_units(session, job_id, [UnitPlan({"n": 1_100}, 1)]) == 1
            assert control.add_units(session, job_id, []) == 0
            assert control.start_job(session, job_id) is JobState.RUNNING
        with database.read() as session:
            results = watching.unit_results(session, job_id, after_seq=997, limit=1_000)
            assert watching.get_job(session, job_id).label == "mine"
        assert [unit.seq for unit in results] == list(range(998, 1_101))
        assert all(unit.payload == {"n": unit.seq} for unit in results)

    @on_sqlite
    def test_units_cannot_be_added_after_the_end(self, database: Database) -> None:
        ended, job_id = make_job(database, 0), make_job(database)
        assert state_of(database, ended) is JobState.DONE
        with database.write() as session:
            with pytest.raises(JobStateError, match="is done: units cannot be added"):
                control.add_units(session, ended, [UnitPlan({}, 1)])
            with pytest.raises(JobStateError, match="cannot be started"):
                control.start_job(session, job_id)

    def test_a_missing_job_is_reported(self, database: Database) -> None:
        steering = (control.start_job, control.cancel_job, control.resume_job)
        with database.write() as session:
            for number in (77, -1, 2**31, 2**63, 10**30):
                for action in (watching.get_job, *steering):
                    with pytest.raises(JobNotFoundError, match=f"there is no job {number}"):
                        action(session, number)
            with pytest.raises(JobNotFoundError, match="there is no job 77"):
                control.finish_if_complete(session, 77)


class TestClaims:
    def test_results_are_stored_once(self, timed: Database, clock: FakeClock) -> None:
        job_id = make_job(timed, 1)
        taken = must_take(timed)
        clock.time += 9.0
        assert finish(timed, taken, evaluations=[row(5)], result={"scores": [1]})
        with timed.read() as session:
            assert find(session, BOARD, 5) is not None
            assert watching.unit_results(session, job_id)[0].result == {"scores": [1]}
            job = watching.get_job(session, job_id)
        assert (job.state, job.finished_at) == (JobState.DONE, 1_000_009.0)
        assert (job.nodes, job.seconds) == (5, 0.5)
        assert not finish(timed, taken, evaluations=[row(6)], nodes=99)
        assert ask(timed, watching.get_job, job_id) == job
        assert ask(timed, find, BOARD, 6) is None

    def test_a_contradiction_rolls_the_completion_back(self, database: Database) -> None:
        job_id = make_job(database, 1)
        do(database, store, BOARD, [row(5)])
        taken = must_take(database)
        wrong = row(5, lower=-1, upper=-1)
        with pytest.raises(ContradictionError):
            finish(database, taken, evaluations=[row(4), wrong])
        with database.read() as session:
            assert find(session, BOARD, 4) is None
            assert watching.get_job(session, job_id).units[UnitState.LEASED] == 1
        assert give_up(database, taken) is UnitState.QUEUED

    @on_sqlite
    def test_releasing_a_unit_costs_no_attempt(self, database: Database) -> None:
        make_job(database, 1)
        for fence in range(1, 2 * MAX_ATTEMPTS):
            taken = must_take(database)
            assert (taken.fence, taken.attempts) == (fence, 1)
            with database.write() as session:
                assert queue.release(session, taken)
                assert not queue.release(session, taken)

    def test_a_failing_unit_is_tried_three_times(self, database: Database) -> None:
        job_id = make_job(database, 2)
        states = []
        for attempt in range(1, MAX_ATTEMPTS + 1):
            taken = must_take(database)
            assert (taken.seq, taken.attempts) == (0, attempt)
            states.append(give_up(database, taken, f"broken\0\udce9 {attempt}" + "!" * 5_000))
        assert states == [UnitState.QUEUED, UnitState.QUEUED, UnitState.FAILED]
        assert state_of(database, job_id) is JobState.RUNNING
        assert finish(database, must_take(database))
        with database.read() as session:
            job = watching.get_job(session, job_id)
            (failed,) = failed_units(session, job_id)
        assert job.state is JobState.FAILED
        assert failed.error.startswith("broken\N{REPLACEMENT CHARACTER}? 3!")
        assert len(failed.error) == 2_000
        assert job.errors == (failed.error,)


class TestLeases:
    def test_an_expired_unit_is_claimed_again(self, timed: Database, clock: FakeClock) -> None:
        make_job(timed, 3)
        late = must_take(timed)
        clock.time += LEASE
        assert must_take(timed).seq == 1  # at exactly this time the lease still holds
        clock.time += 0.001
        again = must_take(timed)
        assert (again.seq, again.fence, again.attempts) == (0, 2, 2)
        with timed.write() as session:
            assert queue.prolong(session, [late, again], LEASE) == [False, True]
            assert not queue.release(session, late)
            assert queue.fail(session, late, "late") is None
        assert not finish(timed, late, evaluations=[row(5)])
        assert finish(timed, again)
        assert ask(timed, find, BOARD, 5) is None

    @on_sqlite
    def test_a_heartbeat_or_a_late_result_counts_until_another_claims_the_unit(
        self, timed: Database, clock: FakeClock
    ) -> None:
        make_job(timed, 1)
        taken = must_take(timed)
        for _ in range(5):
            clock.time += 0.9 * LEASE
            assert do(timed, queue.prolong, [taken], LEASE) == [True]
            assert take(timed) is None
        clock.time += 10 * LEASE
        assert finish(timed, taken)

    @on_sqlite
    def test_an_error_after_lost_workers_fails_a_unit(
        self, timed: Database, clock: FakeClock
    ) -> None:
        make_job(timed, 1)
        for attempt in range(1, MAX_ATTEMPTS):
            assert must_take(timed).attempts == attempt
            clock.time += LEASE + 1
        assert give_up(timed, must_take(timed)) is UnitState.FAILED

    @on_postgresql
    def test_prolonging_waits_for_no_transaction(self, database: Database) -> None:
        make_job(database, 2)
        claims = [must_take(database) for _ in range(2)]
        before = lease_end(database)
        with database.write() as session, ThreadPoolExecutor(1) as pool:
            assert queue.prolong(session, claims[:1], LEASE) == [True]
            beat = pool.submit(do, database, queue.prolong, claims, 2 * LEASE)
            assert beat.result(HANG_SECONDS) == [True, True]
        assert lease_end(database) > before + LEASE / 2

    def test_by_default_the_database_clock_counts(self, database: Database) -> None:
        make_job(database, 1)
        must_take(database, lease_seconds=-1.0)
        assert must_take(database, lease_seconds=60.0).fence == 2
        assert take(database) is None
        assert ask(database, watching.list_jobs)[0].created_at > 1.7e9


class TestLiveness:
    def test_the_silence_of_a_job_is_measured(self, timed: Database, clock: FakeClock) -> None:
        job_id, other = make_job(timed, 1), make_job(timed, 1)
        assert ask(timed, watching.get_job, job_id).silent_seconds is None
        do(timed, queue.record_work, [job_id])
        clock.time += 8.0
        assert ask(timed, watching.get_job, job_id).silent_seconds == 8.0
        assert ask(timed, watching.get_job, other).silent_seconds is None
        do(timed, queue.record_work, [job_id, other])
        assert [job.silent_seconds for job in ask(timed, watching.list_jobs)] == [0.0, 0.0]
        clock.time -= 60.0
        assert ask(timed, watching.get_job, job_id).silent_seconds == 0.0
        do(timed, control.cancel_job, job_id)
        assert ask(timed, watching.get_job, job_id).silent_seconds is None

    @on_postgresql
    def test_recording_work_does_not_wait(self, database: Database) -> None:
        job_id = make_job(database, 1)
        with database.write() as session, ThreadPoolExecutor(1) as pool:
            control.lock_job(session, job_id)
            pool.submit(do, database, queue.record_work, [job_id]).result(HANG_SECONDS)


class TestControl:
    def test_cancel_voids_claims_and_resume_queues_them(self, database: Database) -> None:
        job_id = make_job(database, 3)
        done, taken = must_take(database), must_take(database)
        finish(database, done)
        with database.write() as session:
            assert control.cancel_job(session, job_id) is JobState.CANCELLED
            assert control.cancel_job(session, job_id) is JobState.CANCELLED
            assert queue.prolong(session, [taken], LEASE) == [False]
        assert take(database) is None
        assert not finish(database, taken)
        with database.write() as session:
            units = watching.get_job(session, job_id).units
            assert (units[UnitState.DONE], units[UnitState.CANCELLED]) == (1, 2)
            assert control.resume_job(session, job_id) is JobState.RUNNING
        assert not finish(database, taken)
        assert [must_take(database).seq for _ in range(2)] == [1, 2]

    @on_sqlite
    def test_resume_leaves_live_leases_alone(self, timed: Database, clock: FakeClock) -> None:
        job_id = make_job(timed, 2)
        dead = must_take(timed)
        clock.time += LEASE - 1
        alive = must_take(timed)
        clock.time += 2
        assert do(timed, control.resume_job, job_id) is JobState.RUNNING
        assert not finish(timed, dead)
        assert finish(timed, alive)
        assert finish(timed, must_take(timed))
        assert state_of(timed, job_id) is JobState.DONE

    @on_sqlite
    def test_a_done_job_stays_as_it_is(self, database: Database) -> None:
        job_id = make_job(database, 1)
        finish(database, must_take(database))
        with database.write() as session:
            assert control.resume_job(session, job_id) is JobState.DONE
            with pytest.raises(JobStateError, match="is done: there is nothing to cancel") as error:
                control.cancel_job(session, job_id)
        assert (error.value.job_id, error.value.state) == (job_id, "done")

    @on_sqlite
    def test_resume_gives_failed_units_all_attempts_again(self, database: Database) -> None:
        job_id, other = make_job(database, 1), make_job(database, 1)
        for _ in range(2 * MAX_ATTEMPTS):
            give_up(database, must_take(database))
        with database.write() as session:
            assert control.resume_job(session, job_id) is JobState.RUNNING
        assert state_of(database, job_id) is JobState.RUNNING
        assert [unit.unit_id for unit in ask(database, failed_units, other)]
        taken = must_take(database)
        assert taken.attempts == 1
        assert finish(database, taken)
        with database.read() as session:
            assert watching.get_job(session, job_id).state is JobState.DONE
            assert watching.unit_results(session, job_id)[0].error is None

    @on_sqlite
    def test_a_job_whose_planning_was_interrupted_is_not_resumed(self, database: Database) -> None:
        with database.write() as session:
            job_id = control.create_job(session, kind="k", board=BOARD, params={}, engine_version=1)
            with pytest.raises(JobStateError, match="its units are not all planned"):
                control.resume_job(session, job_id)
            control.cancel_job(session, job_id)
            with pytest.raises(JobStateError, match="its units are not all planned"):
                control.resume_job(session, job_id)
