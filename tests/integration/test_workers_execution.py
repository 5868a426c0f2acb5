"""What becomes of one unit, whatever happens while it is being solved."""

import io
import threading
import time

import pytest
from sqlalchemy import text

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations, jobs
from db.database import Database
from db.errors import MatchNotFoundError, StorageError
from db.evaluations import EvaluationFilter
from db.jobs import Claim, UnitPlan, UnitState
from tests.support.games import random_games
from tests.support.service import await_that
from workers.analysis import submit
from workers.execution import HANDLERS, UnitEnd, run_unit
from workers.leases import LeaseKeeper
from workers.outcome import UnitOutcome

EASY = random_games(20, empty=10)
BOARD = DEFAULT_BOARD


def make(database: Database, games: list[str]) -> int:
    lines = read_lines(io.BytesIO("\n".join(games).encode()), board=BOARD)
    return submit(database, lines, board=BOARD).job_id


def make_unit(database: Database, entries: list[str]) -> int:
    """A job of one unit, whatever the planner would think of that."""
    with database.write() as session:
        job_id = jobs.create_job(
            session,
            kind="analyze",
            board=BOARD,
            params={"score_only": False, "zero_based": False},
            engine_version=ENGINE_VERSION,
        )
        plan = UnitPlan({"line": 1, "entries": entries}, len(entries))
        jobs.add_units(session, job_id, [plan])
        jobs.start_job(session, job_id)
    return job_id


def claim(database: Database, *, lease_seconds: float = 60) -> Claim:
    claimed = database.run(
        lambda session: jobs.claim(
            session, owner="test", lease_seconds=lease_seconds, engine_version=ENGINE_VERSION
        )
    )
    assert claimed is not None
    return claimed


def states(database: Database, job_id: int) -> dict[UnitState, int]:
    with database.read() as session:
        units = jobs.get_job(session, job_id).units
    return {state: number for state, number in units.items() if number}


def stored(database: Database) -> int:
    with database.read() as session:
        return evaluations.count(session, EvaluationFilter(board=BOARD))


def never() -> bool:
    return False


def test_a_unit_is_solved_and_stored_at_once(database: Database) -> None:
    job_id = make(database, EASY)
    assert run_unit(database, Solver(table_mb=1), claim(database), never).end is UnitEnd.DONE
    assert states(database, job_id) == {UnitState.DONE: 1}
    assert stored(database) == len(EASY)


def test_a_unit_that_somebody_else_has_by_now_is_not_written(database: Database) -> None:
    job_id = make(database, EASY)
    late = claim(database, lease_seconds=-1)
    newer = claim(database)
    assert run_unit(database, Solver(table_mb=1), late, never).end is UnitEnd.LOST
    assert states(database, job_id) == {UnitState.LEASED: 1}
    assert stored(database) == 0
    assert run_unit(database, Solver(table_mb=1), newer, never).end is UnitEnd.DONE
    assert run_unit(database, Solver(table_mb=1), newer, never).end is UnitEnd.LOST


def test_a_unit_of_a_cancelled_job_is_not_written(database: Database) -> None:
    job_id = make(database, EASY)
    claimed = claim(database)
    database.run(lambda session: jobs.cancel_job(session, job_id))
    assert run_unit(database, Solver(table_mb=1), claimed, never).end is UnitEnd.LOST
    assert states(database, job_id) == {UnitState.CANCELLED: 1}


def test_a_unit_that_is_stopped_is_handed_back(database: Database) -> None:
    job_id = make_unit(database, [*EASY, "1212", "1213", "1214", "1215"])
    solver = Solver(table_mb=1)
    claimed = claim(database)
    stopping = threading.Event()

    def stop() -> None:
        stopping.set()
        solver.stop()

    timer = threading.Timer(0.3, stop)
    timer.start()
    assert run_unit(database, solver, claimed, stopping.is_set).end is UnitEnd.HANDED_BACK
    timer.join()
    assert UnitState.LEASED not in states(database, job_id)
    assert stored(database) >= len(EASY)
    again = claim(database)
    assert (again.unit_id, again.attempts) == (claimed.unit_id, 1)


def test_a_database_that_fails_is_not_the_units_fault(database: Database) -> None:
    job_id = make(database, EASY)
    with database.write() as session:
        session.execute(text("ALTER TABLE evaluations RENAME TO elsewhere"))
    with pytest.raises(StorageError):
        run_unit(database, Solver(table_mb=1), claim(database), never)
    assert states(database, job_id) == {UnitState.QUEUED: 1}
    with database.write() as session:
        session.execute(text("ALTER TABLE elsewhere RENAME TO evaluations"))
    assert claim(database).attempts == 1


@pytest.mark.parametrize("error", [MatchNotFoundError(7), StorageError("no such parameter")])
def test_what_does_not_pass_is_counted(
    database: Database, monkeypatch: pytest.MonkeyPatch, error: StorageError
) -> None:
    job_id = make(database, EASY)
    raised_by_units(monkeypatch, error)
    for _ in range(jobs.MAX_ATTEMPTS):
        assert run_unit(database, Solver(table_mb=1), claim(database), never).end is UnitEnd.FAILED
    with database.read() as session:
        (unit,) = jobs.failed_units(session, job_id)
    assert unit.error == f"{type(error).__name__}: {error}"


def test_a_unit_that_exhausts_every_memory_is_given_up(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = make(database, EASY)
    raised_by_units(monkeypatch, MemoryError())
    for _ in range(jobs.MAX_LAPSES):
        taken = claim(database)
        assert taken.attempts == 1
        with pytest.raises(MemoryError):
            run_unit(database, Solver(table_mb=1), taken, never)
    with database.read() as session:
        (unit,) = jobs.failed_units(session, job_id)
    assert unit.error == "MemoryError"


def raised_by_units(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def solve_unit(*_arguments: object) -> UnitOutcome:
        raise error

    monkeypatch.setitem(HANDLERS, "analyze", solve_unit)


def test_a_payload_that_makes_no_sense_fails_after_some_attempts(database: Database) -> None:
    job_id = make_unit(database, ["99"])
    for _ in range(jobs.MAX_ATTEMPTS):
        assert run_unit(database, Solver(table_mb=1), claim(database), never).end is UnitEnd.FAILED
    with database.read() as session:
        (unit,) = jobs.failed_units(session, job_id)
    assert unit.error.startswith("MoveError: invalid move at index 0")


def test_a_lease_is_kept_until_it_is_let_go(database: Database) -> None:
    make(database, EASY)
    keeper = LeaseKeeper(database, 0.3, on_lost=lambda: None)
    keeper.start()
    claimed = claim(database, lease_seconds=0.3)
    lapsed = threading.Event()
    with keeper.hold(claimed) as lease:
        lapsed.wait(0.8)
        assert database.run(lambda session: jobs.heartbeat(session, claimed, 0.3))
        assert not lease.is_lost
    lapsed.wait(0.5)
    assert claim(database).fence == claimed.fence + 1
    keeper.close()


def test_a_lost_lease_is_noticed(database: Database) -> None:
    job_id = make(database, EASY)
    lost = threading.Event()
    keeper = LeaseKeeper(database, 0.3, on_lost=lost.set)
    keeper.start()
    with keeper.hold(claim(database)) as lease:
        database.run(lambda session: jobs.cancel_job(session, job_id))
        assert lost.wait(5)
        assert lease.is_lost
    keeper.close()


@pytest.mark.postgres
def test_a_unit_that_somebody_is_writing_costs_no_other_lease(postgres_url: str) -> None:
    """As when a process is stopped while it plans the next units of a job."""
    with Database.open(postgres_url) as database:
        blocked_job = make_unit(database, EASY)
        blocked = claim(database, lease_seconds=1)
        make_unit(database, EASY)
        free = claim(database, lease_seconds=1)
        keeper = LeaseKeeper(database, 1, on_lost=lambda: None)
        keeper.start()
        with keeper.hold(blocked) as blocked_lease, keeper.hold(free) as free_lease:
            with database.write() as session:
                jobs.hold_job(session, blocked_job)
                time.sleep(2)
                assert database.run(jobs.requeue_lapsed) == 0
            assert not free_lease.is_lost
            database.run(lambda session: jobs.release(session, blocked))
            await_that(lambda: blocked_lease.is_lost)
        keeper.close()
