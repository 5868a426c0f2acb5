import pytest
from sqlalchemy import text

from db.database import Database
from db.jobs.control import finish_if_complete
from db.jobs.queue import claim, survey
from db.jobs.watching import get_job, list_jobs, totals
from db.records.jobs import MAX_ATTEMPTS, JobState, UnitPlan, UnitState
from tests.support.jobs import ELIGIBLE, LEASE, finish, give_up, must_take, of_job
from tests.support.running.databases import (
    FakeClock,
    ask,
    make_job,
    make_planned_job,
    on_sqlite,
    query_plans,
)


def test_progress(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 4, positions=10)
    before = ask(timed, get_job, job_id)
    assert (before.units[UnitState.QUEUED], before.positions[UnitState.QUEUED]) == (4, 40)
    assert before.positions_ended == 0
    assert before.positions_per_second is None
    assert before.eta_seconds is None
    taken = must_take(timed)
    must_take(timed)
    clock.time += 20.0
    finish(timed, taken, seconds=20.0)
    now = ask(timed, get_job, job_id)
    assert now.state is JobState.RUNNING
    assert (now.units[UnitState.DONE], now.units[UnitState.LEASED]) == (1, 1)
    assert (now.positions_ended, now.nodes, now.seconds) == (10, 5, 20.0)
    assert now.positions_per_second == pytest.approx(0.5)
    assert now.eta_seconds is None  # a single unit may be chance
    clock.time += 100.0
    assert ask(timed, get_job, job_id).positions_per_second is None


def test_remaining_time_counts_units(timed: Database, clock: FakeClock) -> None:
    job_id = make_planned_job(timed, [UnitPlan({}, positions) for positions in range(1, 9)])
    work(timed, clock, job_id, units=2, seconds=2.0)
    assert ask(timed, get_job, job_id).eta_seconds is None
    work(timed, clock, job_id, units=1, seconds=2.0)
    assert ask(timed, get_job, job_id).eta_seconds == pytest.approx(10.0)


@on_sqlite
def test_remaining_time_depends_on_the_last_minute(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 100, positions=10)
    work(timed, clock, job_id, units=10, seconds=1.0)
    clock.time += 30.0
    work(timed, clock, job_id, units=5, seconds=10.0)
    now = ask(timed, get_job, job_id)
    assert now.positions_per_second == pytest.approx(1.0)
    assert now.eta_seconds == pytest.approx(850.0)
    clock.time += 61.0
    assert ask(timed, get_job, job_id).eta_seconds is None


@on_sqlite
def test_a_resumed_job_is_measured_from_its_new_start(timed: Database, clock: FakeClock) -> None:
    job_id = make_job(timed, 10, positions=10)
    work(timed, clock, job_id, units=3, seconds=1.0)
    clock.time += 10_000.0
    work(timed, clock, job_id, units=3, seconds=1.0)
    assert ask(timed, get_job, job_id).eta_seconds == pytest.approx(4.0)
    work(timed, clock, job_id, units=4, seconds=1.0)
    assert ask(timed, get_job, job_id).eta_seconds == 0.0


def test_remaining_time_of_all_jobs_together(timed: Database, clock: FakeClock) -> None:
    some = [make_planned_job(timed, [UnitPlan({}, 10) for _ in range(4)]) for _ in "ab"]
    work(timed, clock, some[0], units=2, seconds=1.0)
    assert ask(timed, totals).eta_seconds is None
    work(timed, clock, some[1], units=1, seconds=1.0)
    must_take(timed)
    assert ask(timed, totals).eta_seconds == pytest.approx(5.0)


def work(database: Database, clock: FakeClock, job_id: int, *, units: int, seconds: float) -> None:
    """Complete units one after another, each in the given time."""
    for _ in range(units):
        taken = must_take(database, of_job(job_id))
        clock.time += seconds
        finish(database, taken, seconds=seconds)


def test_totals(timed: Database, clock: FakeClock) -> None:
    idle = ask(timed, totals)
    assert (idle.queued_units, idle.workers, idle.oldest_queued_seconds) == (0, 0, None)
    assert idle.eta_seconds == 0.0
    make_job(timed, 5, positions=10)
    must_take(timed, owner="dead", lease_seconds=1.0)
    taken = must_take(timed, owner="ada")
    must_take(timed, owner="ada")
    must_take(timed, owner="bob")
    clock.time += 10.0
    finish(timed, taken, seconds=10.0)
    make_job(timed, 0)
    busy = ask(timed, totals)
    assert busy.jobs[JobState.RUNNING] == busy.jobs[JobState.DONE] == 1
    assert (busy.queued_units, busy.running_units, busy.workers) == (2, 2, 2)
    assert (busy.queued_positions, busy.running_positions) == (20, 20)
    assert busy.oldest_queued_seconds == pytest.approx(10.0)
    assert busy.positions_per_second == pytest.approx(1.0)
    assert busy.eta_seconds is None
    clock.time += LEASE
    gone = ask(timed, totals)
    assert (gone.workers, gone.positions_per_second, gone.eta_seconds) == (0, None, None)
    clock.time -= LEASE
    failing = make_job(timed, 1)
    for _ in range(MAX_ATTEMPTS):
        give_up(timed, must_take(timed, of_job(failing)))
    failed = ask(timed, totals)
    assert (busy.failed_units, failed.failed_units, failed.jobs[JobState.FAILED]) == (0, 1, 1)


@on_sqlite
def test_lists_are_newest_first_and_filtered(database: Database) -> None:
    made = [make_job(database, units) for units in (1, 0, 1)]
    with database.read() as session:
        assert [job.id for job in list_jobs(session)] == made[::-1]
        assert [job.id for job in list_jobs(session, limit=1)] == [made[2]]
        done = list_jobs(session, states=[JobState.DONE, JobState.FAILED])
    assert [job.id for job in done] == [made[1]]


@on_sqlite
def test_a_long_list_takes_several_statements(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [make_job(database, 2, positions=3) for _ in range(5)]
    monkeypatch.setattr("db.jobs.watching._LISTED", 2)
    found = ask(database, list_jobs)
    assert [job.id for job in found] == made[::-1]
    assert all(job.positions[UnitState.QUEUED] == 6 for job in found)


@pytest.mark.parametrize("analyzed", [False, True])
def test_every_query_uses_an_index(
    untouched: Database,
    analyzed: bool,  # noqa: FBT001
) -> None:
    """Tested with and without statistics, for any share of finished units."""
    job_id = make_job(untouched, 5_000)
    with untouched.write() as session:
        session.execute(text("UPDATE units SET state = 'done', finished_at = 1.0 WHERE seq < 2500"))
        if analyzed:
            session.execute(text("ANALYZE units"))
    claimer = {"owner": "ada", "lease_seconds": 30.0}
    plans = query_plans(untouched, lambda session: claim(session, ELIGIBLE, **claimer))
    plans += query_plans(untouched, lambda session: survey(session, [ELIGIBLE]))
    assert "ix_units_queued" in plans
    assert "ix_units_leased" in plans
    assert "Seq Scan on units" not in plans
    plans = query_plans(untouched, lambda session: get_job(session, job_id))
    assert "ix_units_failed" in plans
    with untouched.write() as session:
        session.execute(text("UPDATE units SET state = 'done', finished_at = 1.0"))
    plans = query_plans(untouched, lambda session: finish_if_complete(session, job_id))
    assert all(index in plans for index in ("ix_units_queued", "ix_units_leased"))
