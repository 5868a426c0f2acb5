import pytest
from sqlalchemy import func, select

from c4core.version import ENGINE_VERSION
from db import jobs
from db.costs import Cost
from db.database import Database
from db.errors import ContradictionError, JobNotFoundError, JobStateError
from db.evaluations import count, find, store
from db.models import MeasuredCost
from db.records.evaluations import EvaluationFilter
from db.records.jobs import MAX_ATTEMPTS, MAX_LAPSES, JobState, UnitPlan, UnitState
from tests.support.jobs import LEASE, failed_units, finish, give_up, must_take, state_of, take
from tests.support.running.databases import BOARD, FakeClock, ask, do, make_job, on_sqlite, row


class TestPlanning:
    def test_a_job_exists_once_created(self, timed: Database) -> None:
        job_id = make_job(timed, 3, positions=10, priority=7)
        with timed.read() as session:
            job = jobs.get_job(session, job_id)
            assert jobs.list_jobs(session) == [job]
        assert (job.kind, job.board, job.params, job.priority) == ("test", BOARD, {"depth": 1}, 7)
        assert job.state is JobState.RUNNING
        assert job.created_at == job.started_at == 1_000_000.0
        assert job.finished_at is None
        assert job.units[UnitState.QUEUED] == 3
        assert job.positions[UnitState.QUEUED] == 30
        assert sum(job.units.values()) == 3

    def test_units_are_numbered_across_several_calls(self, database: Database) -> None:
        with database.write() as session:
            job_id = jobs.create_job(
                session, kind="k", board=BOARD, params={}, engine_version=1, label="mine"
            )
            plans = (UnitPlan({"n": n}, 1) for n in range(1_100))
            assert jobs.add_units(session, job_id, plans) == 1_100
        with database.write() as session:
            assert jobs.add_units(session, job_id, [UnitPlan({"n": 1_100}, 1)]) == 1
            assert jobs.add_units(session, job_id, []) == 0
            assert jobs.start_job(session, job_id) is JobState.RUNNING
        with database.read() as session:
            results = jobs.unit_results(session, job_id, after_seq=997, limit=1_000)
            assert jobs.get_job(session, job_id).label == "mine"
        assert [unit.seq for unit in results] == list(range(998, 1_101))
        assert all(unit.payload == {"n": unit.seq} for unit in results)

    @on_sqlite
    def test_a_job_without_units_is_done_when_started(self, database: Database) -> None:
        assert state_of(database, make_job(database, 0)) is JobState.DONE

    @on_sqlite
    def test_units_cannot_be_added_later(self, database: Database) -> None:
        job_id = make_job(database)
        with database.write() as session:
            with pytest.raises(JobStateError, match="is running: units cannot be added"):
                jobs.add_units(session, job_id, [UnitPlan({}, 1)])
            with pytest.raises(JobStateError, match="cannot be started"):
                jobs.start_job(session, job_id)

    @on_sqlite
    def test_a_missing_job_is_reported(self, database: Database) -> None:
        steering = (jobs.start_job, jobs.cancel_job, jobs.resume_job, jobs.retry_job)
        with database.write() as session:
            for action in (jobs.get_job, jobs.progress, jobs.finish_if_complete, *steering):
                with pytest.raises(JobNotFoundError, match="there is no job 77"):
                    action(session, 77)


class TestClaims:
    def test_a_claim_has_all_fields(self, timed: Database) -> None:
        job_id = make_job(timed, 2, positions=4)
        taken = must_take(timed)
        assert (taken.job_id, taken.kind, taken.seq, taken.board) == (job_id, "test", 0, BOARD)
        assert (taken.payload, taken.params, taken.positions) == ({"number": 0}, {"depth": 1}, 4)
        assert (taken.fence, taken.attempts, taken.owner) == (1, 1, "ada")
        assert must_take(timed).seq == 1
        assert take(timed) is None

    def test_urgent_then_older_jobs_are_claimed(self, database: Database) -> None:
        job_ids = [make_job(database, 1, priority=priority) for priority in (0, 5, 0, -1)]
        order = [must_take(database).job_id for _ in job_ids]
        assert order == [job_ids[1], job_ids[0], job_ids[2], job_ids[3]]

    def test_claims_respect_engine_version_and_job(self, database: Database) -> None:
        first, second = make_job(database, 1), make_job(database, 1)
        assert take(database, engine_version=ENGINE_VERSION + 1) is None
        assert must_take(database, job_id=second).job_id == second
        assert must_take(database).job_id == first

    def test_completion_stores_results(self, timed: Database, clock: FakeClock) -> None:
        job_id = make_job(timed, 1)
        taken = must_take(timed)
        clock.time += 9.0
        assert finish(timed, taken, evaluations=[row(5)], result={"scores": [1]})
        with timed.read() as session:
            assert find(session, BOARD, 5) is not None
            assert jobs.unit_results(session, job_id)[0].result == {"scores": [1]}
            job = jobs.get_job(session, job_id)
        assert (job.state, job.finished_at) == (JobState.DONE, 1_000_009.0)
        assert (job.nodes, job.seconds) == (5, 0.5)

    @on_sqlite
    def test_completing_twice_changes_nothing(self, database: Database) -> None:
        make_job(database, 1)
        taken = must_take(database)
        assert finish(database, taken)
        assert not finish(database, taken, evaluations=[row(5)], nodes=99)
        assert ask(database, count, EvaluationFilter(board=BOARD)) == 0

    def test_a_contradiction_rolls_the_completion_back(self, database: Database) -> None:
        job_id = make_job(database, 1)
        do(database, store, BOARD, [row(5)])
        taken = must_take(database)
        wrong = row(5, lower=-1, upper=-1)
        with pytest.raises(ContradictionError):
            finish(database, taken, evaluations=[row(4), wrong], costs={8: Cost(10, 0.5)})
        with database.read() as session:
            assert find(session, BOARD, 4) is None
            assert jobs.get_job(session, job_id).units[UnitState.LEASED] == 1
            assert session.scalar(select(func.count()).select_from(MeasuredCost)) == 0
        assert give_up(database, taken) is UnitState.QUEUED

    @on_sqlite
    def test_releasing_a_unit_costs_no_attempt(self, database: Database) -> None:
        make_job(database, 1)
        for fence in range(1, 2 * MAX_ATTEMPTS):
            taken = must_take(database)
            assert (taken.fence, taken.attempts) == (fence, 1)
            with database.write() as session:
                assert jobs.release(session, taken)
                assert not jobs.release(session, taken)

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
            job = jobs.get_job(session, job_id)
            (failed,) = failed_units(session, job_id)
        assert job.state is JobState.FAILED
        assert failed.error.startswith("broken\N{REPLACEMENT CHARACTER}? 3!")
        assert len(failed.error) == 2_000
        assert job.errors == (failed.error,)


class TestLeases:
    def test_an_expired_unit_is_claimed_first(self, timed: Database, clock: FakeClock) -> None:
        make_job(timed, 3)
        late = must_take(timed)
        clock.time += LEASE
        assert must_take(timed).seq == 1  # at exactly this time the lease still holds
        clock.time += 0.001
        again = must_take(timed, owner="bob")
        assert (again.seq, again.fence, again.attempts) == (
            0,
            2,
            1,
        )  # a lapse does not count as an attempt
        with timed.write() as session:
            assert not jobs.heartbeat(session, late, LEASE)
            assert not jobs.release(session, late)
            assert jobs.fail(session, late, "late") is None
        assert not finish(timed, late, evaluations=[row(5)])
        assert finish(timed, again)
        assert ask(timed, find, BOARD, 5) is None

    @on_sqlite
    def test_a_late_worker_may_complete_an_unclaimed_unit(
        self, timed: Database, clock: FakeClock
    ) -> None:
        make_job(timed, 1)
        taken = must_take(timed)
        clock.time += 10 * LEASE
        assert finish(timed, taken)

    @on_sqlite
    def test_heartbeats_extend_the_lease(self, timed: Database, clock: FakeClock) -> None:
        make_job(timed, 1)
        taken = must_take(timed)
        for _ in range(5):
            clock.time += 0.9 * LEASE
            assert do(timed, jobs.heartbeat, taken, LEASE)
            assert take(timed) is None

    def test_a_unit_fails_after_ten_lapses(self, timed: Database, clock: FakeClock) -> None:
        job_id = make_job(timed, 1)
        for _ in range(MAX_LAPSES):
            assert must_take(timed).attempts == 1
            clock.time += LEASE + 1
        assert take(timed) is None
        job = ask(timed, jobs.get_job, job_id)
        assert job.state is JobState.FAILED
        assert job.errors == ("lease expired 10 times",)
        assert do(timed, jobs.retry_job, job_id) == 1
        must_take(timed)  # with all its lapses again
        clock.time += LEASE + 1
        assert must_take(timed).attempts == 1

    @on_sqlite
    def test_errors_and_lapses_are_counted_apart(self, timed: Database, clock: FakeClock) -> None:
        make_job(timed, 1)
        for attempt in range(1, MAX_ATTEMPTS):
            assert must_take(timed).attempts == attempt
            clock.time += LEASE + 1
            again = must_take(timed)
            assert again.attempts == attempt
            assert give_up(timed, again) is UnitState.QUEUED
        assert give_up(timed, must_take(timed)) is UnitState.FAILED

    def test_by_default_the_database_clock_counts(self, database: Database) -> None:
        make_job(database, 1)
        must_take(database, lease_seconds=-1.0)
        assert must_take(database, lease_seconds=60.0).fence == 2
        assert take(database) is None
        assert ask(database, jobs.list_jobs)[0].created_at > 1.7e9


class TestControl:
    def test_cancel_voids_claims_and_resume_queues_them(self, database: Database) -> None:
        job_id = make_job(database, 3)
        done, taken = must_take(database), must_take(database)
        finish(database, done)
        with database.write() as session:
            assert jobs.cancel_job(session, job_id) is JobState.CANCELLED
            assert jobs.cancel_job(session, job_id) is JobState.CANCELLED
            assert not jobs.heartbeat(session, taken, LEASE)
        assert take(database) is None
        assert not finish(database, taken)
        with database.write() as session:
            units = jobs.get_job(session, job_id).units
            assert (units[UnitState.DONE], units[UnitState.CANCELLED]) == (1, 2)
            assert jobs.resume_job(session, job_id) is JobState.RUNNING
        assert not finish(database, taken)
        assert [must_take(database).seq for _ in range(2)] == [1, 2]

    @on_sqlite
    def test_resume_leaves_live_leases_alone(self, timed: Database, clock: FakeClock) -> None:
        job_id = make_job(timed, 2)
        dead = must_take(timed)
        clock.time += LEASE - 1
        alive = must_take(timed)
        clock.time += 2
        assert do(timed, jobs.resume_job, job_id) is JobState.RUNNING
        assert not finish(timed, dead)
        assert finish(timed, alive)
        assert finish(timed, must_take(timed))
        assert state_of(timed, job_id) is JobState.DONE

    @on_sqlite
    def test_an_ended_job_cannot_be_cancelled_and_resuming_changes_nothing(
        self, database: Database
    ) -> None:
        job_id = make_job(database, 1)
        finish(database, must_take(database))
        with database.write() as session:
            assert jobs.resume_job(session, job_id) is JobState.DONE
            assert jobs.retry_job(session, job_id) == 0
            with pytest.raises(
                JobStateError, match="is done: there is nothing to cancel"
            ) as caught:
                jobs.cancel_job(session, job_id)
        assert (caught.value.job_id, caught.value.state) == (job_id, "done")

    @on_sqlite
    def test_retry_gives_all_attempts_again(self, database: Database) -> None:
        job_id = make_job(database, 1)
        for _ in range(MAX_ATTEMPTS):
            give_up(database, must_take(database))
        with database.write() as session:
            assert jobs.resume_job(session, job_id) is JobState.FAILED
            assert jobs.retry_job(session, job_id) == 1
        assert state_of(database, job_id) is JobState.RUNNING
        taken = must_take(database)
        assert taken.attempts == 1
        assert finish(database, taken)
        with database.read() as session:
            assert jobs.get_job(session, job_id).state is JobState.DONE
            assert jobs.unit_results(session, job_id)[0].error is None

    @on_sqlite
    def test_a_job_whose_planning_was_interrupted_is_not_resumed(self, database: Database) -> None:
        with database.write() as session:
            job_id = jobs.create_job(session, kind="k", board=BOARD, params={}, engine_version=1)
            with pytest.raises(JobStateError, match="interrupted before all its units"):
                jobs.resume_job(session, job_id)
            jobs.cancel_job(session, job_id)
            with pytest.raises(JobStateError, match="interrupted before all its units"):
                jobs.resume_job(session, job_id)
            with pytest.raises(JobStateError, match="resume it before"):
                jobs.retry_job(session, job_id)
