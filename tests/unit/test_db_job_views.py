import pytest
from sqlalchemy import text

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.jobs import JobState, claim, failed_units, finish_if_complete, list_jobs, progress, totals
from tests.support.databases import FakeClock, make_job, query_plans
from tests.support.jobs import finish, must_take


def test_progress(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 4, positions=10)
    with timed.read() as session:
        before = progress(session, job_id)
    assert (before.units, before.positions, before.positions_done) == (4, 40, 0)
    assert before.positions_per_second is None
    assert before.eta_seconds is None
    taken = must_take(timed)
    must_take(timed)
    clock.time += 20.0
    finish(timed, taken)
    with timed.read() as session:
        now = progress(session, job_id)
    assert (now.state, now.units_done, now.units_leased) == (JobState.RUNNING, 1, 1)
    assert (now.positions_done, now.nodes, now.seconds) == (10, 5, 0.5)
    assert now.positions_per_second == pytest.approx(0.5)
    assert now.eta_seconds == pytest.approx(60.0)
    clock.time += 100.0
    with timed.read() as session:
        assert progress(session, job_id).positions_per_second is None


def test_totals(timed: Database, clock: FakeClock) -> None:
    with timed.read() as session:
        idle = totals(session)
    assert (idle.queued_units, idle.workers, idle.oldest_queued_seconds) == (0, 0, None)
    assert idle.eta_seconds == 0.0
    make_job(timed, 5, positions=10)
    must_take(timed, owner="dead", lease_seconds=1.0)
    taken = must_take(timed, owner="ada")
    must_take(timed, owner="ada")
    must_take(timed, owner="bob")
    clock.time += 10.0
    finish(timed, taken)
    make_job(timed, 0)
    with timed.read() as session:
        busy = totals(session)
    assert busy.jobs[JobState.RUNNING] == busy.jobs[JobState.DONE] == 1
    assert (busy.queued_units, busy.running_units, busy.workers) == (2, 2, 2)
    assert (busy.queued_positions, busy.running_positions) == (20, 20)
    assert busy.oldest_queued_seconds == pytest.approx(10.0)
    assert busy.positions_per_second == pytest.approx(1.0)
    assert busy.eta_seconds == pytest.approx(40.0)


def test_lists_are_newest_first_and_filtered(database: Database) -> None:
    jobs = [make_job(database, units) for units in (1, 0, 1)]
    with database.read() as session:
        assert [job.id for job in list_jobs(session)] == jobs[::-1]
        assert [job.id for job in list_jobs(session, limit=1)] == [jobs[2]]
        done = list_jobs(session, states=[JobState.DONE, JobState.FAILED])
    assert [job.id for job in done] == [jobs[1]]


class TestPlans:
    """Without statistics, and whatever share of the units is done, claims find their index."""

    @pytest.fixture(params=[False, True], ids=["fresh", "analyzed"])
    def half_done(self, request: pytest.FixtureRequest, database: Database) -> Database:
        make_job(database, 5_000)
        with database.write() as session:
            session.execute(
                text("UPDATE units SET state = 'done', finished_at = 1.0 WHERE seq < 2500")
            )
            if request.param:
                session.execute(text("ANALYZE units"))
        return database

    def test_claim(self, half_done: Database) -> None:
        plans = query_plans(
            half_done,
            lambda session: claim(
                session, owner="ada", lease_seconds=9.0, engine_version=ENGINE_VERSION
            ),
        )
        assert "ix_units_queued" in plans
        assert "ix_units_leased" in plans
        assert "Seq Scan on units" not in plans

    def test_failures(self, half_done: Database) -> None:
        with half_done.read() as session:
            (job,) = list_jobs(session)
        plans = query_plans(half_done, lambda session: failed_units(session, job.id))
        assert "ix_units_failed" in plans

    def test_end_of_a_job(self, half_done: Database) -> None:
        with half_done.read() as session:
            (job,) = list_jobs(session)
        with half_done.write() as session:
            session.execute(text("UPDATE units SET state = 'done', finished_at = 1.0"))
        plans = query_plans(half_done, lambda session: finish_if_complete(session, job.id))
        assert all(index in plans for index in ("ix_units_queued", "ix_units_leased"))
