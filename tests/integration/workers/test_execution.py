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
from db import evaluations, jobs
from db.database import Database, Session
from db.errors import MatchNotFoundError, RefusedValueError, StorageError
from db.records.evaluations import EvaluationFilter
from db.records.jobs import MAX_ATTEMPTS, MAX_LAPSES, Claim, JobState, UnitPlan, UnitState
from tests.support import toy_kind
from tests.support.boards.games import random_games
from tests.support.jobs import must_take, outlast_lease, state_of, unit_ids
from tests.support.running.databases import FakeClock, ask, do, on_postgresql, worker
from tests.support.running.waiting import HANG_SECONDS, await_that, ends
from tests.support.units import failed_unit, job_of_games, states, unit_worker
from workers.analyze.job import ANALYZE, submit
from workers.answers.question import Question
from workers.celery import unit_worker as spare
from workers.core.kinds import KINDS, Lane, UnitOutcome
from workers.core.leases import LeaseKeeper
from workers.core.run import RetryingWriter, UnitEnd, run_unit
from workers.core.searching import STOP_POLL_SECONDS
from workers.deep import job as planning
from workers.deep.task import DeepTask
from workers.logs import LOGGER

EASY = random_games(20, empty=10)
BOARD = DEFAULT_BOARD


def make_unit(database: Database, entries: list[str]) -> int:
    """A job of one unit, made without the planner."""
    params = {"score_only": False, "zero_based": False}
    asked = {"kind": "analyze", "board": BOARD, "params": params, "engine_version": ENGINE_VERSION}
    with database.write() as session:
        job_id = jobs.create_job(session, **asked)
        plan = UnitPlan({"line": 1, "entries": entries}, len(entries))
        jobs.add_units(session, job_id, [plan])
        jobs.start_job(session, job_id)
    return job_id


def claim(database: Database, *, lease_seconds: float = 60) -> Claim:
    return must_take(database, owner="test", lease_seconds=lease_seconds)


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
    assert error.startswith("DamagedValueError: damaged: a unit's lines cannot be read")
    assert "move 1: column 9 is outside the board" in error


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
    for _ in range(MAX_LAPSES):
        taken = claim(database)
        assert taken.attempts == 1
        with pytest.raises(type(error)):
            run(database, taken)
    assert failed_unit(database, job_id).error == told


def test_units_that_may_kill_their_worker_run_one_at_a_time(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)
    monkeypatch.setattr("workers.celery.unit_worker.URGENT_ROUND_SECONDS", 0.01)
    go_on = tmp_path / "go on"
    job_id = toy_kind.plan(database, [[4], [9]], waits_for=go_on)
    first, second = unit_ids(database, job_id)
    do(database, Session.execute, text("UPDATE units SET lapses = 2"))
    with unit_worker(database) as site, ThreadPoolExecutor(1) as others:
        suspect = others.submit(site.work_on, first, Lane.BULK)
        await_that(lambda: UnitState.LEASED in states(database, job_id))
        assert not site.work_on(second, Lane.BULK)
        assert states(database, job_id) == {UnitState.LEASED: 1, UnitState.QUEUED: 1}
        go_on.touch()
        assert suspect.result(HANG_SECONDS)
        assert site.work_on(second, Lane.BULK)
    assert states(database, job_id) == {UnitState.DONE: 2}


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
@pytest.mark.parametrize("code", ["57014", "53100", "53200", "26000", "58000", "XX000"])
def test_results_are_kept_while_the_server_refuses_to_write(
    empty_url: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.core.run.LONGEST_PAUSE", 0.01)
    with Database.open(empty_url) as database:
        with database.write() as session:
            session.connection().exec_driver_sql(FAIL_THRICE.format(code=code))
        job_id = job_of_games(database, EASY)
        writer = RetryingWriter(database, threading.Event())
        assert run(database, claim(database), writer=writer) is UnitEnd.DONE
        assert states(database, job_id) == {UnitState.DONE: 1}
        assert ask(database, Session.scalar, text("SELECT last_value FROM tries")) > 3


def test_a_lease_is_extended_until_it_is_released(timed: Database, clock: FakeClock) -> None:
    job_of_games(timed, EASY)
    claimed = claim(timed, lease_seconds=0.3)
    with keeping(timed, 0.3) as keeper:
        with keeper.hold(claimed) as lease:
            outlast_lease(timed, clock, 0.3)
            assert do(timed, jobs.heartbeat, claimed, 0.3)
            assert not lease.is_lost
        clock.time += 0.4
        assert claim(timed).fence == claimed.fence + 1


def test_a_lost_lease_is_noticed(database: Database) -> None:
    job_id = job_of_games(database, EASY)
    lost = threading.Event()
    with keeping(database, 0.3, lost.set) as keeper, keeper.hold(claim(database)) as lease:
        do(database, jobs.cancel_job, job_id)
        assert lost.wait(HANG_SECONDS)
        assert lease.is_lost


def test_a_cut_off_unit_is_noticed_before_the_next_heartbeat(database: Database) -> None:
    position = Position(width=6, height=6)
    job_id = planning.submit(database, DeepTask(position, "", split_plies=1))
    lost = threading.Event()
    with (
        keeping(database, 10 * HANG_SECONDS, lost.set) as keeper,
        keeper.hold(claim(database)) as cut,
        keeper.hold(claim(database)) as other,
    ):
        do(database, jobs.cut_units, [cut.claim.unit_id], {"cut": True})
        assert lost.wait(HANG_SECONDS)
        assert (cut.is_lost, other.is_lost) == (True, False)
    assert states(database, job_id)[UnitState.DONE] == 1


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
                jobs.hold_job(session, blocked_job)
                outlast_lease(database, clock, 1)
                assert database.run(jobs.requeue_lapsed) == 0
            assert not free_lease.is_lost
            do(database, jobs.release, blocked)
            await_that(lambda: blocked_lease.is_lost)


def test_leases_survive_an_unexpected_heartbeat_failure(
    timed: Database,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    faults = chain([RuntimeError("oops"), MemoryError()], repeat(DEFAULT))
    prolong = Mock(wraps=jobs.prolong, side_effect=faults)
    monkeypatch.setattr(jobs, "prolong", prolong)
    job_of_games(timed, EASY)
    keeper = LeaseKeeper(timed, 1, on_lost=lambda: None)
    claimed = claim(timed, lease_seconds=1)
    with caplog.at_level("INFO", LOGGER.name), keeper.hold(claimed) as lease:
        keeper.start()
        outlast_lease(timed, clock, 1)
        assert timed.run(jobs.requeue_lapsed) == 0
        assert not lease.is_lost
    keeper.close()
    assert "cannot prolong leases, trying again: RuntimeError('oops')" in caplog.messages


def job_without_end(database: Database, **options: object) -> int:
    """A job of one position that cannot be solved during a test."""
    board = parse_board("8x7")
    lines = read_lines(io.BytesIO(b'{"moves": ""}\n'), board=board)
    return submit(database, lines, board=board, book="", **options).job_id


def test_a_unit_that_loses_its_lease_while_waiting_interrupts_no_search(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost lease ends the wait; the running search that the unit waited for continues."""
    beats, stops, waits = Mock(wraps=jobs.prolong), Mock(), threading.Event()

    class Stoppable(Solver):
        def stop(self) -> None:
            stops()
            super().stop()

    class Turns(threading.Semaphore):
        def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:  # noqa: FBT001, FBT002
            has_turn = super().acquire(blocking, timeout)
            if timeout == STOP_POLL_SECONDS and not has_turn:
                waits.set()
            return has_turn

    def await_beats(number: int) -> None:
        """Wait for this many more lease extensions."""
        before = beats.call_count
        await_that(lambda: beats.call_count >= before + number + 1)

    monkeypatch.setattr(jobs, "prolong", beats)
    searched = job_without_end(database)
    waiting = job_of_games(database, EASY)
    with ThreadPoolExecutor(2) as pool:
        with unit_worker(database, Stoppable(table_mb=1), lease_seconds=0.5) as site:
            site._searchers[Lane.BULK]._turns = Turns(1)
            first = pool.submit(site.work_on, unit_ids(database, searched)[0], Lane.BULK)
            await_that(lambda: not site._searchers[Lane.BULK].has_turn(0))
            second = pool.submit(site.work_on, unit_ids(database, waiting)[0], Lane.BULK)
            assert waits.wait(HANG_SECONDS)
            do(database, jobs.cancel_job, waiting)
            assert second.result(timeout=HANG_SECONDS)
            await_beats(1)  # a heartbeat in progress may still stop the searches
            before = stops.call_count
            await_beats(3)
            assert (site.counters.units, site.counters.in_work) == ({UnitEnd.LOST: 1}, 1)
            assert stops.call_count == before
        assert not first.result(timeout=HANG_SECONDS)


def test_a_unit_that_waits_for_a_thread_is_released_for_an_idle_worker(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spare, "SPARE_SECONDS", 0.0)
    job_id = job_of_games(database, EASY)
    (unit,) = unit_ids(database, job_id)

    def enter(name: str) -> None:
        do(
            database,
            jobs.record_worker_heartbeat,
            worker(name, threads=1, queues=(Lane.BULK.queue,)),
        )

    enter("test")
    with unit_worker(database) as site, ThreadPoolExecutor(1) as pool:
        with site._searchers[Lane.BULK].turn():
            waiting = pool.submit(site.work_on, unit, Lane.BULK)
            await_that(lambda: states(database, job_id) == {UnitState.LEASED: 1})
            enter("idle")
            assert not waiting.result(timeout=HANG_SECONDS)
            assert states(database, job_id) == {UnitState.QUEUED: 1}
            assert not site.work_on(unit, Lane.BULK)  # it is left to the other worker
        assert site.work_on(unit, Lane.BULK)
    assert states(database, job_id) == {UnitState.DONE: 1}


def test_a_piece_of_a_growing_job_waits_for_its_turn_unclaimed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its claim, results may give it to another worker, or make another piece as urgent."""
    monkeypatch.setattr("workers.celery.unit_worker.URGENT_ROUND_SECONDS", 0.05)
    endless = DeepTask(Position(width=8, height=7), "", split_plies=1, unit_nodes=10**15)
    job_id = planning.submit(database, endless, threads=3)
    second, third = unit_ids(database, job_id)[1:3]
    with ThreadPoolExecutor(2) as pool:
        with unit_worker(database) as site:
            searching = pool.submit(site.work_on, third, Lane.BULK)
            await_that(lambda: UnitState.LEASED in states(database, job_id))
            assert not ends(lambda: site.work_on(second, Lane.BULK))
            units = ask(database, jobs.read_units, job_id)
            # The first piece was claimed, although the message named another.
            assert [unit.seq for unit in units if unit.state is UnitState.LEASED] == [0]
        assert not searching.result(timeout=HANG_SECONDS)
    assert set(states(database, job_id)) == {UnitState.QUEUED}


GROWING = DeepTask(Position(width=5, height=5), "", split_plies=2)


def test_one_message_is_enough_for_all_pieces_of_a_growing_job(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that has completed a piece claims the next one without another message.

    It acknowledges its message in time: a broker would give it to another worker.
    """
    job_id = planning.submit(database, GROWING)
    first, second, *_ = unit_ids(database, job_id)
    with monkeypatch.context() as patched, unit_worker(database) as site:
        patched.setattr("workers.celery.unit_worker.WITHOUT_MESSAGE_SECONDS", 0.0)
        assert site.work_on(first, Lane.BULK)
        assert site.counters.units == {UnitEnd.DONE: 1}
    with unit_worker(database) as site:
        assert site.work_on(second, Lane.BULK)
        assert site.counters.units[UnitEnd.DONE] > 2
        assert site.counters.in_work == 0
    assert state_of(database, job_id) is JobState.DONE


def test_an_urgent_job_does_not_wait_for_a_growing_one(database: Database) -> None:
    job_id = planning.submit(database, GROWING)
    lines = read_lines(io.BytesIO(b"4453\n"), board=BOARD)
    urgent = submit(database, lines, board=BOARD, priority=1).job_id
    with unit_worker(database) as site:
        assert site.work_on(unit_ids(database, job_id)[0], Lane.BULK)
        assert site.counters.units == {UnitEnd.DONE: 1}
    assert UnitState.QUEUED in states(database, job_id)
    assert set(states(database, urgent)) == {UnitState.QUEUED}


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
    (unit,) = ask(database, jobs.unit_results, job_id)
    assert unit.result is not None
    assert unit.result["score"] == [None]
    assert unit.result["nodes"] == [nodes]  # of all attempts
