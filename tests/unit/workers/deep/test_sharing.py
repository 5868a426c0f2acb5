"""Bounds that the processes of a deep job share, and bounds that a listener keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import update

from c4core.batch import BOUND
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import jobs
from db.database import Database, Session
from db.errors import BusyError, DamagedValueError
from db.models import SharedBounds
from tests.support.jobs import must_take
from tests.support.running.waiting import await_that
from workers.deep import sharing
from workers.deep import sharing as heard
from workers.deep.job import solve_unit, submit
from workers.deep.sharing import BoundsListener, Exchange, listening
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds, first_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from c4core.evaluation import Evaluation
    from db.database import Session

START = Position(width=6, height=6)


@pytest.fixture(autouse=True)
def _small_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "LEAST_NODES", 1 << 12)
    monkeypatch.setattr(sharing, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(sharing, "SHARE_OF_TIME", 1e9)


@pytest.fixture
def job_id(database: Database) -> int:
    return submit(database, DeepTask(START, "", split_plies=1))


@pytest.fixture(scope="module")
def learned() -> Solver:
    """A solver that has searched the position."""
    solver = Solver(table_mb=4)
    solver.solve(START)
    return solver


def bounds(solver: Solver) -> set[tuple[int, int, bool]]:
    found = solver.table_bounds(width=6, height=6, least_nodes=sharing.LEAST_NODES)
    return {(key, score, is_upper) for key, score, is_upper, _ in found.tolist()}


def parcels(database: Database, job_id: int) -> list[jobs.BoundsPackage]:
    with database.read() as session:
        return jobs.new_parcels(session, job_id, {})


def test_bounds_of_one_process_reach_the_other(
    database: Database, job_id: int, learned: Solver
) -> None:
    other = Solver(table_mb=4)
    assert Exchange(database, job_id, START.board).take_turn(learned)
    assert Exchange(database, job_id, START.board).take_turn(other)
    assert bounds(other) == bounds(learned)
    assert len(bounds(other)) > 100
    assert other.solve(START).nodes < Solver(table_mb=4).solve(START).nodes / 2


def test_a_listener_gets_bounds_sent_meanwhile(
    database: Database, job_id: int, learned: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "EVERY_SECONDS", 0.01)
    listener = Solver(table_mb=4)
    with listening(database, job_id, listener) as heard:
        Exchange(database, job_id, START.board).take_turn(learned)
        await_that(lambda: bounds(listener) == bounds(learned))
    for key, score, is_upper in bounds(learned):
        known = heard.bounds(Position.from_key(key, width=6, height=6))
        assert known.upper <= score if is_upper else known.lower >= score
    assert len(parcels(database, job_id)) == 1


def test_bounds_are_not_sent_twice_or_back(
    database: Database, job_id: int, learned: Solver
) -> None:
    sender, receiver = (Exchange(database, job_id, START.board) for _ in range(2))
    other = Solver(table_mb=4)
    for _ in range(3):
        assert sender.take_turn(learned)
        assert receiver.take_turn(other)
    assert len(parcels(database, job_id)) == 1


def test_later_bounds_are_sent_later(database: Database, job_id: int, learned: Solver) -> None:
    first, second = (Exchange(database, job_id, START.board) for _ in range(2))
    other = Solver(table_mb=4)
    first.take_turn(learned)
    second.take_turn(other)
    news = np.array([(Position("1", width=6, height=6).canonical_key, -16, False, 30)], dtype=BOUND)
    other.add_bounds(news, width=6, height=6)
    second.take_turn(other)
    receiver = Solver(table_mb=4)
    first.take_turn(receiver)
    assert bounds(receiver) == {tuple(bound[:3]) for bound in news.tolist()}


def test_the_most_expensive_bounds_are_sent_first(
    database: Database, job_id: int, learned: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "PARCEL_BOUNDS", 10)
    sender = Exchange(database, job_id, START.board)
    for _ in range(3):
        sender.take_turn(learned)
    costs = [
        np.frombuffer(parcel.bounds, dtype=BOUND)["log_nodes"]
        for parcel in parcels(database, job_id)
    ]
    assert [len(cost) for cost in costs] == [10, 10, 10]
    assert costs[0].min() >= costs[1].max()
    assert costs[1].min() >= costs[2].max()


def test_a_turn_that_is_not_due_is_skipped(
    database: Database, job_id: int, learned: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "EVERY_SECONDS", 1000.0)
    exchange = Exchange(database, job_id, START.board)
    assert exchange.take_turn(learned)
    assert not exchange.take_turn(learned)


def test_a_failure_loses_nothing(
    database: Database, job_id: int, learned: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bounds are sent again the next time, even if they have arrived."""
    exchange = Exchange(database, job_id, START.board)
    run = database.run

    def run_and_fail(work: Callable[[Session], bool]) -> bool:
        run(work)
        raise BusyError("the answer was lost")

    with monkeypatch.context() as patched:
        patched.setattr(database, "run", run_and_fail)
        with pytest.raises(BusyError):
            exchange.take_turn(learned)
    exchange.take_turn(learned)
    other = Solver(table_mb=4)
    Exchange(database, job_id, START.board).take_turn(other)
    assert bounds(other) == bounds(learned)


NO_BOUNDS = [
    b"x",
    b"x" * BOUND.itemsize,
    np.array([(1, 0, False, 13)], dtype=BOUND).tobytes(),
    np.array([(START.key, 99, False, 13)], dtype=BOUND).tobytes(),
    np.array([(Position("1").key, 0, False, 13)], dtype=BOUND).tobytes(),  # of another board
]


@pytest.mark.parametrize("sent", NO_BOUNDS)
def test_a_parcel_without_valid_bounds_is_ignored(
    database: Database, job_id: int, learned: Solver, sent: bytes
) -> None:
    with database.write() as session:
        jobs.share_bounds(session, job_id, jobs.BoundsPackage(1, 0, sent))
    with pytest.raises(DamagedValueError, match=f"a parcel of bounds of job {job_id}"):
        Exchange(database, job_id, START.board).take_turn(learned)


@pytest.fixture
def two(sqlite_path: Path) -> Iterator[tuple[Database, Database]]:
    """A database that two processes have open."""
    with Database.open(str(sqlite_path)) as one, Database.open(str(sqlite_path)) as other:
        yield one, other


def test_units_share_bounds_during_the_search(
    two: tuple[Database, Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "FIRST_SECONDS", 0.0)
    job_id = submit(two[0], DeepTask(START, "", split_plies=1), threads=4)
    solvers = Solver(table_mb=4), Solver(table_mb=4)
    for database, solver in zip(two, solvers, strict=True):
        solve_unit(must_take(database), solver, database, lambda: False)
    await_that(lambda: parcels(two[0], job_id))
    sent = np.frombuffer(parcels(two[0], job_id)[0].bounds, dtype=BOUND)["key"].tolist()
    assert set(sent) & {key for key, _, _ in bounds(solvers[1])}


def test_a_unit_is_solved_without_sharing(
    two: tuple[Database, Database],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unreadable bounds are logged, and the piece is decided all the same."""
    monkeypatch.setattr(sharing, "FIRST_SECONDS", 0.0)
    database, _ = two
    job_id = submit(database, DeepTask(START, "", split_plies=1))
    with database.write() as session:
        jobs.share_bounds(session, job_id, jobs.BoundsPackage(1, 0, b"x"))
        session.execute(update(SharedBounds).values(number=3))

    class Late(Solver):
        """Starts searching when the parcel has been read."""

        def test(self, position: Position, beta: int, **options: Any) -> Evaluation:  # noqa: ANN401
            await_that(lambda: told in caplog.text)
            return super().test(position, beta, **options)

    told = "cannot share search bounds, trying again: damaged: a parcel of bounds"
    assert solve_unit(must_take(database), Late(table_mb=4), database, lambda: False).is_complete


EARLY = Position("4", width=7, height=7)
LATE = Position("764137142134747115", width=7, height=7)


def told(*bounds: tuple[int, int, bool, int]) -> BoundsListener:
    listener = BoundsListener(Solver(table_mb=1), BoardSize(7, 7))
    for bound in bounds:
        listener.add_bounds(np.array([bound], dtype=BOUND), width=7, height=7)
    return listener


def test_both_bounds_of_a_position_are_known() -> None:
    key = EARLY.canonical_key
    for bounds in (
        [(key, 0, False, 20), (key, 0, True, 22)],
        [(key, 0, True, 9), (key, 0, False, 20)],
    ):
        assert told(*bounds).bounds(EARLY) == (0, 0)


def test_the_tightest_of_several_bounds_counts() -> None:
    key = EARLY.key
    listener = told((key, -3, False, 20), (key, -1, False, 21), (key, -2, False, 22))
    assert listener.bounds(EARLY) == Bounds(-1, first_bounds(EARLY).upper)


def test_bounds_apply_to_both_mirror_images() -> None:
    assert LATE.key != LATE.mirrored().key
    for key in (LATE.key, LATE.mirrored().key):
        listener = told((key, 2, True, 20))
        assert listener.bounds(LATE).upper == listener.bounds(LATE.mirrored()).upper == 2


def test_other_bounds_follow_from_the_position() -> None:
    for listener in (told(), told((EARLY.key, 0, True, 20))):
        assert listener.bounds(LATE) == first_bounds(LATE)


def test_too_many_bounds_drop_the_cheapest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heard, "MOST_BOUNDS", 2)
    children = [LATE.play(column) for column in LATE.legal_columns()[:6]]
    listener = told(
        *(
            (child.key, 0, True, cost)
            for child, cost in zip(children, (3, 9, 4, 8, 5, 6), strict=True)
        )
    )
    known = [listener.bounds(child).upper == 0 for child in children]
    assert known == [False, True, False, True, False, False]


def test_the_solver_gets_all_received_bounds() -> None:
    solver = Solver(table_mb=1)
    bound = np.array([(EARLY.canonical_key, 0, True, 20)], dtype=BOUND)
    BoundsListener(solver, BoardSize(7, 7)).add_bounds(bound, width=7, height=7)
    assert solver.table_bounds(width=7, height=7, least_nodes=1).tolist() == bound.tolist()
