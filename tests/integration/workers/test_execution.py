"""The fate of a unit under any event while it is being solved."""

import errno
import io
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest
from sqlalchemy import text

from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD, parse_board
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.database import Database, Session
from db.errors import MatchNotFoundError, RefusedValueError, StorageError
from db.jobs import control, queue, watching
from db.records.evaluations import EvaluationFilter
from db.records.jobs import (
    INTERACTIVE_PRIORITY,
    MAX_ATTEMPTS,
    MAX_LOST_ATTEMPTS,
    Claim,
    JobState,
    UnitPlan,
    UnitState,
)
from tests.support import toy_kind
from tests.support.boards.games import random_games
from tests.support.jobs import must_take, of_job, outlast_lease, state_of
from tests.support.running.databases import FakeClock, ask, do, on_postgresql
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.units import failed_unit, job_of_games, states, working
from workers.analyze.job import ANALYZE, submit
from workers.answers.question import Question
from workers.core.kinds import KINDS, Lane, UnitOutcome
from workers.core.leases import LeaseKeeper
from workers.core.run import UnitEnd, run_unit
from workers.core.worker import Worker, WorkerSettings
from workers.deep.job import join_or_submit
from workers.deep.task import DeepTask
from workers.logs import LOGGER

EASY = random_games(20, empty=10)
BOARD = DEFAULT_BOARD


def make_unit(database: Database, entries: list[str]) -> int:
    """A job of one unit, made without the planner."""
    params = {"score_only": False, "zero_based": False}
    asked = {"kind": "analyze", "board": BOARD, "params": params, "engine_version": ENGINE_VERSION}
    with database.write() as session:
        job_id = control.create_job(session, **asked)
        plan = UnitPlan({"line": 1, "entries": entries}, len(entries))
        control.add_units(session, job_id, [plan])
        control.start_job(session, job_id)
    return job_id


def claim(database: Database, *, lease_seconds: float = 60) -> Claim:
    return must_take(database, lease_seconds=lease_seconds)


def run(database: Database, claimed: Claim, **options: Any) -> UnitEnd:  # noqa: ANN401
    return run_unit(database, Solver(table_mb=1), claimed, never, **options).end


@contextmanager
def keeping(
    database: Database, seconds: float, on_lost: Callable[[], None] = lambda: None
) -> Iterator[LeaseKeeper]:
    keeper = LeaseKeeper(database, seconds, on_lost)
    keeper.start()
    yield keeper
    keeper.close()


def stored(database: Database) -> int:
    return ask(database, evaluations.count, EvaluationFilter(board=BOARD))


def never() -> bool:
    return False


def test_a_unit_claimed_by_another_worker_is_not_written(database: Database) -> None:
    job_id = job_of_games(database, EASY)
    late = claim(database, lease_seconds=-1)
    newer = claim(database)
    assert run(database, late) is UnitEnd.LOST
    assert states(database, job_id) == {UnitState.LEASED: 1}
    assert stored(database) == 0
    assert run(database, newer) is UnitEnd.DONE
    assert states(database, job_id) == {UnitState.DONE: 1}
    assert stored(database) == len(EASY)
    assert run(database, newer) is UnitEnd.LOST


def test_a_stopped_unit_is_released(database: Database) -> None:
    job_id = make_unit(database, [*EASY, "", "1", "2", "3"])
    solver = Solver(table_mb=1)
    claimed = claim(database)
    stopping = threading.Event()

    def stop() -> None:
        # The positions of EASY take fewer nodes.
        await_that(lambda: (solver.progress[0] or 0) > 300_000)
        stopping.set()
        solver.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    assert run_unit(database, solver, claimed, stopping.is_set).end is UnitEnd.HANDED_BACK
    stopper.join()
    assert UnitState.LEASED not in states(database, job_id)
    assert stored(database) >= len(EASY)
    again = claim(database)
    assert (again.unit_id, again.attempts) == (claimed.unit_id, 1)


def test_a_failing_database_is_not_the_units_fault(database: Database) -> None:
    job_id = job_of_games(database, EASY)
    do(database, Session.execute, text("ALTER TABLE evaluations RENAME TO elsewhere"))
    with pytest.raises(StorageError):
        run(database, claim(database))
    assert states(database, job_id) == {UnitState.QUEUED: 1}
    do(database, Session.execute, text("ALTER TABLE elsewhere RENAME TO evaluations"))
    assert claim(database).attempts == 1


def raised_by_units(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def solve_unit(*_arguments: object) -> UnitOutcome:
        raise error

    failing = replace(ANALYZE, solve_unit=solve_unit)
    monkeypatch.setattr("workers.analyze.job.ANALYZE", failing)


def error_of_a_failing_unit(database: Database, job_id: int) -> str:
    for _ in range(MAX_ATTEMPTS):
        assert run(database, claim(database)) is UnitEnd.FAILED
    return failed_unit(database, job_id).error


@pytest.mark.parametrize("error", [MatchNotFoundError(7), RefusedValueError("too large")])
def test_permanent_errors_are_counted(
    database: Database, monkeypatch: pytest.MonkeyPatch, error: StorageError
) -> None:
    job_id = job_of_games(database, EASY)
    raised_by_units(monkeypatch, error)
    assert error_of_a_failing_unit(database, job_id) == f"{type(error).__name__}: {error}"


def test_a_bad_payload_fails_after_some_attempts(database: Database) -> None:
    error = error_of_a_failing_unit(database, make_unit(database, ["99"]))
    assert error.startswith("MoveError: move 1: column 9 is outside the board")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), "MemoryError"),
        (StorageError("strange"), "StorageError: strange"),
        (OSError(errno.EMFILE, "Too many"), f"OSError: [Errno {errno.EMFILE}] Too many"),
    ],
)
def test_a_unit_that_may_have_caused_the_fault_fails_late(
    database: Database, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    job_id = job_of_games(database, EASY)
    raised_by_units(monkeypatch, error)
    for attempt in range(1, MAX_LOST_ATTEMPTS + 1):
        taken = claim(database)
        assert taken.attempts == attempt
        with pytest.raises(type(error)):
            run(database, taken)
    assert failed_unit(database, job_id).error == told


FAIL_THRICE = """
CREATE SEQUENCE tries;
CREATE FUNCTION fail_thrice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tries') <= 3 THEN
        RAISE EXCEPTION 'not now' USING ERRCODE = '{code}';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fail_thrice BEFORE INSERT ON evaluations
    FOR EACH STATEMENT EXECUTE FUNCTION fail_thrice();
"""


@pytest.mark.postgres
@pytest.mark.parametrize("empty_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("code", ["57014", "53100", "53200", "26000", "58000"])
def test_results_are_kept_while_the_server_refuses_to_write(
    empty_url: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.core.worker.LONGEST_PAUSE", 0.01)
    with Database.open(empty_url) as database:
        with database.write() as session:
            session.connection().exec_driver_sql(FAIL_THRICE.format(code=code))
        job_id = job_of_games(database, EASY)
        with working(database) as worker:
            worker.turn()
        assert worker.counters.units == {UnitEnd.DONE: 1}
        assert states(database, job_id) == {UnitState.DONE: 1}
        assert ask(database, Session.scalar, text("SELECT last_value FROM tries")) > 3


def test_a_lease_is_extended_until_it_is_released(timed: Database, clock: FakeClock) -> None:
    job_of_games(timed, EASY)
    claimed = claim(timed, lease_seconds=0.3)
    with keeping(timed, 0.3) as keeper, keeper.hold(claimed) as lease:
        outlast_lease(timed, clock, 0.3)
        assert do(timed, queue.prolong, [claimed], 0.3) == [True]
        assert not lease.is_lost
    clock.time += 0.4
    assert claim(timed).fence == claimed.fence + 1


def test_a_lost_lease_is_noticed(database: Database) -> None:
    job_id = job_of_games(database, EASY)
    lost = threading.Event()
    with keeping(database, 0.3, lost.set) as keeper, keeper.hold(claim(database)) as lease:
        do(database, control.cancel_job, job_id)
        assert lost.wait(HANG_SECONDS)
        assert lease.is_lost


LOCK_UNITS = text("SELECT id FROM units WHERE job_id = :job FOR UPDATE")


@on_postgresql
def test_a_locked_unit_costs_no_other_lease(rows_url: str, clock: FakeClock) -> None:
    """This happens when a process is stopped while it plans the next units of a job."""
    with Database.open(rows_url, clock=clock) as database:
        blocked_job = job_of_games(database, EASY)
        blocked = claim(database, lease_seconds=1)
        job_of_games(database, EASY)
        free = claim(database, lease_seconds=1)
        with (
            keeping(database, 1) as keeper,
            keeper.hold(blocked) as blocked_lease,
            keeper.hold(free) as free_lease,
        ):
            with database.write() as session:
                session.execute(LOCK_UNITS, {"job": blocked_job})
                outlast_lease(database, clock, 1)
                assert database.run(queue.requeue_expired) == 0
            assert not free_lease.is_lost
            do(database, queue.release, blocked)
            await_that(lambda: blocked_lease.is_lost)


def test_leases_survive_an_unexpected_heartbeat_failure(
    timed: Database,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    faults = chain([RuntimeError("oops"), MemoryError()], repeat(DEFAULT))
    prolong = Mock(wraps=queue.prolong, side_effect=faults)
    monkeypatch.setattr(queue, "prolong", prolong)
    job_of_games(timed, EASY)
    keeper = LeaseKeeper(timed, 1, on_lost=lambda: None)
    claimed = claim(timed, lease_seconds=1)
    with caplog.at_level("INFO", LOGGER.name), keeper.hold(claimed) as lease:
        keeper.start()
        outlast_lease(timed, clock, 1)
        assert timed.run(queue.requeue_expired) == 0
        assert not lease.is_lost
    keeper.close()
    assert "cannot keep leases, trying again: oops" in caplog.messages


def job_without_end(database: Database, **options: object) -> int:
    """A job of one position that cannot be solved during a test."""
    board = parse_board("8x7")
    lines = read_lines(io.BytesIO(b'{"moves": ""}\n'), board=board)
    return submit(database, lines, board=board, book="", **options).job_id


def test_a_lost_lease_ends_its_search_and_no_other(database: Database) -> None:
    """Searches of one solver are interrupted together; the others begin again."""
    lost, kept = job_without_end(database), job_without_end(database)
    with working(database, threads=2, lease_seconds=5) as worker:
        worker.start()
        worker.start_turns()
        await_that(lambda: worker.leases == 2)
        do(database, control.cancel_job, lost)
        await_that(lambda: worker.counters.units[UnitEnd.LOST] == 1)
        assert states(database, kept) == {UnitState.LEASED: 1}
        assert worker.leases == 1
    assert states(database, kept) == {UnitState.QUEUED: 1}


def test_the_next_unit_is_claimed_by_the_transaction_that_completes_one(
    database: Database,
) -> None:
    job_id = job_of_games(database, EASY, unit_lines=5)
    with working(database) as worker:
        worker.turn()
        assert worker.counters.units == {UnitEnd.DONE: 4}
        assert worker.ended_jobs == {job_id}
    assert states(database, job_id) == {UnitState.DONE: 4}


def test_a_more_urgent_job_begins_after_one_unit(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)
    go_on = tmp_path / "go on"
    long = toy_kind.plan(database, [[4], [9], [16]], waits_for=go_on)
    with working(database) as worker, ThreadPoolExecutor(1) as pool:
        turn = pool.submit(worker.turn)
        await_that(lambda: worker.leases == 1)
        urgent = job_of_games(database, EASY, priority=5)
        done: list[tuple[JobState, int]] = []
        finish = control.finish_if_complete
        monkeypatch.setattr(
            control,
            "finish_if_complete",
            lambda session, job_id: noted(done, finish(session, job_id), job_id),
        )
        go_on.touch()
        turn.result(HANG_SECONDS)
    assert [job_id for state, job_id in done if state is JobState.DONE] == [urgent, long]


def noted(done: list[tuple[JobState, int]], state: JobState, job_id: int) -> JobState:
    done.append((state, job_id))
    return state


def test_an_interactive_unit_gets_a_thread_beside_busy_ones(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)
    go_on = tmp_path / "go on"
    long = toy_kind.plan(database, [[4], [9]], waits_for=go_on)
    with working(database) as worker:
        worker.start()
        await_that(lambda: worker.leases == 1)
        asked = job_of_games(database, EASY, priority=INTERACTIVE_PRIORITY)
        await_that(lambda: state_of(database, asked) is JobState.DONE)
        assert states(database, long) == {UnitState.LEASED: 1, UnitState.QUEUED: 1}
        go_on.touch()
        await_that(lambda: state_of(database, long) is JobState.DONE)


def test_a_worker_for_interactive_units_leaves_the_others(database: Database) -> None:
    bulk = job_of_games(database, EASY)
    asked = job_of_games(database, EASY, priority=INTERACTIVE_PRIORITY)
    settings = WorkerSettings("test", lanes=(Lane.INTERACTIVE,))
    worker = Worker(database, Solver(table_mb=1), settings)
    worker.turn()
    worker.stop()
    assert states(database, asked) == {UnitState.DONE: 1}
    assert states(database, bulk) == {UnitState.QUEUED: 1}


def test_wake_ups_spread_from_thread_to_thread(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that sees more units wakes another one; the last one wakes nobody."""
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)
    go_on = tmp_path / "go on"
    job_id = toy_kind.plan(database, [[4], [9], [16]], waits_for=go_on)
    woken: list[Lane] = []
    settings = WorkerSettings("test", threads=4)
    worker = Worker(database, Solver(table_mb=1), settings, wake=woken.append)
    for turns in (1, 2, 3):
        worker.start_turn()
        await_that(lambda turns=turns: worker.leases == turns)
        await_that(lambda turns=turns: woken == [Lane.BULK] * min(turns, 2))
    worker.turn()  # nothing is left to claim
    assert woken == [Lane.BULK] * 2
    go_on.touch()
    await_that(lambda: states(database, job_id) == {UnitState.DONE: 3})
    worker.stop()


def test_without_wake_ups_a_worker_finds_the_units(database: Database) -> None:
    """This is how work goes on while the broker is away, and after messages are lost."""
    woken: list[Lane] = []
    with working(database, wake=woken.append) as worker:
        worker.start()
        job_id = job_of_games(database, EASY)
        await_that(lambda: state_of(database, job_id) is JobState.DONE)
    assert woken == [Lane.BULK]  # in vain


def test_a_worker_closes_the_jobs_of_dead_workers(database: Database) -> None:
    complete, expired = job_of_games(database, EASY), job_of_games(database, EASY)
    taken = must_take(database, of_job(complete))
    do(database, queue.complete, taken, evaluations=[], result=None, nodes=0, seconds=0.0)
    must_take(database, of_job(expired), lease_seconds=-1)
    with working(database) as worker:
        worker.start()
        await_that(lambda: state_of(database, complete) is JobState.DONE)
        await_that(lambda: state_of(database, expired) is JobState.DONE)


def test_a_growing_job_is_worked_on_to_its_end(database: Database) -> None:
    job_id = join_or_submit(database, DeepTask(Position(board="5x5"), ""))[0]
    with working(database, threads=2) as worker:
        worker.start_turns()
        await_that(lambda: state_of(database, job_id) is JobState.DONE)
        assert worker.counters.units[UnitEnd.DONE] >= 1


@pytest.mark.parametrize(
    ("question", "most"),
    [
        (Question(columns=False, node_limit=200_000), {"node_limit": 60_000}),
        (Question(columns=True, node_limit=200_000), {"node_limit": 60_000}),
        (Question(columns=False, time_limit=50.0), {"time_limit": 15.0}),
    ],
)
def test_limits_apply_to_the_question_and_not_to_an_attempt(
    database: Database, question: Question, most: dict[str, Any]
) -> None:
    """The limit counts all attempts of a unit that is released again and again."""
    spent: list[tuple[int, float]] = []
    told_to_stop = threading.Event()

    class Interrupted(Solver):
        """A searcher whose process is asked to stop some time into each search."""

        def _search(self, search: Any, position: Position, **options: Any) -> Any:  # noqa: ANN401
            for name, value in most.items():
                if options[name] is not None and options[name] > value:
                    told_to_stop.set()
                    options[name] = value
            seconds = options.pop("time_limit")
            if seconds is not None:  # it uses all of its time, by its own account
                found = replace(search(position, node_limit=1000), seconds=seconds)
            else:
                found = search(position, **options)
            spent.append((found.nodes, found.seconds))
            return found

        def solve(self, position: Position, **options: Any) -> Any:  # noqa: ANN401
            return self._search(super().solve, position, **options)

        def analyze(self, position: Position, **options: Any) -> Any:  # noqa: ANN401
            return self._search(super().analyze, position, **options)

    searcher = Interrupted(table_mb=1)
    job_id = job_without_end(database, question=question)
    ends = []
    while not ends or (ends[-1] is UnitEnd.HANDED_BACK and len(ends) < 20):
        told_to_stop.clear()
        ends.append(run_unit(database, searcher, claim(database), told_to_stop.is_set).end)
    assert ends[-1] is UnitEnd.DONE
    assert len(ends) > 2
    nodes, seconds = (sum(each) for each in zip(*spent, strict=True))
    limit = question.node_limit or question.time_limit or 0
    used = nodes if question.node_limit else seconds
    assert 0.85 * limit <= used <= 1.25 * limit
    (unit,) = ask(database, watching.unit_results, job_id)
    assert unit.result is not None
    assert unit.result["score"] == [None]
    assert unit.result["nodes"] == [nodes]  # of all attempts
