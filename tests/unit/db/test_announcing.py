from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.records.jobs import INTERACTIVE_PRIORITY, Claim, UnitPlan, UnitState
from tests.support.jobs import LEASE, give_up, must_take, take, take_unit, unit_ids
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
    assert ring(timed) == units  # nobody came


@on_sqlite
def test_a_clock_that_is_set_back_delays_no_announcement(timed: Database, clock: FakeClock) -> None:
    units = unit_ids(timed, make_job(timed, 2))
    assert ring(timed) == units
    clock.time -= 3600.0
    assert ring(timed) == units
    assert ring(timed) == []


@on_sqlite
def test_what_was_announced_the_longest_ago_comes_after_what_never_was(
    timed: Database, clock: FakeClock
) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 2) == units[:2]
    clock.time += jobs.REANNOUNCE_SECONDS + 1
    assert ring(timed, 3) == [units[2], units[3], units[0]]
    assert ring(timed, 3) == [units[1]]


def test_what_came_back_goes_first_and_at_once(timed: Database) -> None:
    units = unit_ids(timed, make_job(timed, 4))
    assert ring(timed, 3) == units[:3]
    failed, released, _ = (must_take_unit(timed, unit_id) for unit_id in units[:3])
    assert give_up(timed, failed) is UnitState.QUEUED
    assert do(timed, jobs.release, released)
    assert ring(timed) == [units[0], units[1], units[3]]


@on_sqlite
def test_only_queued_units_of_running_jobs(database: Database) -> None:
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


def test_urgent_jobs_first_then_older_ones_each_class_for_itself(database: Database) -> None:
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
    def test_the_unit_that_was_named(self, timed: Database) -> None:
        job_id = make_job(timed, 3, positions=4, priority=7)
        unit = unit_ids(timed, job_id)[1]
        taken = must_take_unit(timed, unit)
        assert (taken.unit_id, taken.job_id, taken.seq, taken.kind) == (unit, job_id, 1, "test")
        assert (taken.payload, taken.params, taken.positions) == ({"number": 1}, {"depth": 1}, 4)
        assert (taken.fence, taken.attempts, taken.priority) == (1, 1, 7)
        assert taken.engine_version == ENGINE_VERSION
        assert take_unit(timed, unit) is None  # told twice
        assert must_take(timed).seq == 0

    def test_nothing_that_may_not_be_taken(self, timed: Database) -> None:
        job_id = make_job(timed, 2)
        units = unit_ids(timed, job_id)
        assert take_unit(timed, units[0], engine_version=ENGINE_VERSION + 1) is None
        assert take_unit(timed, 10**9) is None
        do(timed, jobs.cancel_job, job_id)
        assert take_unit(timed, units[0]) is None

    @on_sqlite
    def test_nothing_while_planning(self, database: Database) -> None:
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
    def test_a_lease_that_ran_out(self, timed: Database, clock: FakeClock) -> None:
        (unit,) = unit_ids(timed, make_job(timed, 1))
        must_take_unit(timed, unit)
        clock.time += LEASE
        assert take_unit(timed, unit) is None
        clock.time += 0.001
        again = must_take_unit(timed, unit)
        assert (again.fence, again.attempts) == (2, 1)

    @on_sqlite
    def test_it_gives_nothing_up(self, timed: Database, clock: FakeClock) -> None:
        # That is the sweeper's: it may close the job, and a claim must wait for nobody.
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
