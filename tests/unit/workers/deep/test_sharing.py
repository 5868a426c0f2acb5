"""Bounds that the processes of a deep job share, and bounds that a listener keeps."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from c4core.batch import BOUND, WIDE_BOUND
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import jobs
from db.database import Database, Session
from db.errors import BusyError
from tests.support.jobs import must_take
from tests.support.running.databases import ask, do
from tests.support.running.waiting import await_that
from workers.deep import sharing
from workers.deep.job import solve_unit, submit
from workers.deep.sharing import BoundsListener, Exchange, listening
from workers.deep.task import DeepTask
from workers.deep.tree import first_bounds

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
    return ask(database, jobs.new_parcels, job_id, {})


@pytest.fixture
def exchange(database: Database, job_id: int) -> Callable[[], Exchange]:
    """Makes the exchanges of processes."""
    return partial(Exchange, database, job_id, START.board)


def test_bounds_of_one_process_reach_the_other_and_are_sent_once(
    database: Database, job_id: int, learned: Solver, exchange: Callable[[], Exchange]
) -> None:
    sender, receiver, other = exchange(), exchange(), Solver(table_mb=4)
    for _ in range(3):
        assert sender.take_turn(learned)
        assert receiver.take_turn(other)
    assert len(parcels(database, job_id)) == 1
    assert bounds(other) == bounds(learned)
    assert len(bounds(other)) > 100
    news = np.array([(Position("1", width=6, height=6).canonical_key, -16, False, 30)], dtype=BOUND)
    other.add_bounds(news, width=6, height=6)
    receiver.take_turn(other)
    third = Solver(table_mb=4)
    sender.take_turn(third)
    assert bounds(third) == {tuple(bound[:3]) for bound in news.tolist()}
    assert other.solve(START).nodes < Solver(table_mb=4).solve(START).nodes / 2


def test_a_listener_gets_bounds_sent_meanwhile(
    database: Database,
    job_id: int,
    learned: Solver,
    exchange: Callable[[], Exchange],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sharing, "EVERY_SECONDS", 0.01)
    listener = Solver(table_mb=4)
    with listening(database, job_id, listener) as heard:
        exchange().take_turn(learned)
        await_that(lambda: bounds(listener) == bounds(learned))
    for key, score, is_upper in bounds(learned):
        known = heard.bounds(Position.from_key(key, width=6, height=6))
        assert known.upper <= score if is_upper else known.lower >= score
    assert len(parcels(database, job_id)) == 1


def test_the_most_expensive_bounds_are_sent_first(
    database: Database,
    job_id: int,
    learned: Solver,
    exchange: Callable[[], Exchange],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sharing, "PARCEL_BOUNDS", 10)
    sender = exchange()
    for _ in range(3):
        sender.take_turn(learned)
    first, second, third = (
        np.frombuffer(parcel.bounds, dtype=BOUND)["log_nodes"]
        for parcel in parcels(database, job_id)
    )
    assert [len(first), len(second), len(third)] == [10, 10, 10]
    assert first.min() >= second.max() >= second.min() >= third.max()


def test_the_largest_parcel_of_a_wide_board_can_be_read(database: Database, job_id: int) -> None:
    data = np.random.default_rng(1).bytes(sharing.PARCEL_BOUNDS * WIDE_BOUND.itemsize)
    parcel = jobs.BoundsPackage(1, 0, data)
    assert do(database, jobs.share_bounds, job_id, parcel)
    assert parcels(database, job_id) == [parcel]


def test_a_turn_that_is_not_due_is_skipped(
    learned: Solver, exchange: Callable[[], Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "EVERY_SECONDS", 1000.0)
    only = exchange()
    assert (only.take_turn(learned), only.take_turn(learned)) == (True, False)


def test_a_failure_loses_nothing(
    database: Database,
    learned: Solver,
    exchange: Callable[[], Exchange],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same bounds are sent again the next time, even if they have arrived."""
    sender = exchange()
    run = database.run

    def run_and_fail(work: Callable[[Session], bool]) -> bool:
        run(work)
        raise BusyError("the answer was lost")

    with monkeypatch.context() as patched:
        patched.setattr(database, "run", run_and_fail)
        with pytest.raises(BusyError):
            sender.take_turn(learned)
    sender.take_turn(learned)
    other = Solver(table_mb=4)
    exchange().take_turn(other)
    assert bounds(other) == bounds(learned)


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


EARLY = Position("4", width=7, height=7)
LATE = Position("764137142134747115", width=7, height=7)


def told(*bounds: tuple[int, int, bool, int]) -> BoundsListener:
    listener = BoundsListener(Solver(table_mb=1), BoardSize(7, 7))
    for bound in bounds:
        listener.add_bounds(np.array([bound], dtype=BOUND), width=7, height=7)
    return listener


def test_the_tightest_bounds_of_a_position_are_known() -> None:
    key, implied = EARLY.canonical_key, first_bounds(EARLY)
    for bounds, known in (
        ([(key, 0, False, 20), (key, 0, True, 22)], (0, 0)),
        ([(key, 0, True, 9), (key, 0, False, 20)], (0, 0)),
        ([(key, -3, False, 20), (key, -1, False, 21), (key, -2, False, 22)], (-1, implied.upper)),
        ([], implied),
        ([(LATE.key, 0, True, 20)], implied),
    ):
        assert told(*bounds).bounds(EARLY) == known


def test_bounds_apply_to_both_mirror_images() -> None:
    assert LATE.key != LATE.mirrored().key
    for key in (LATE.key, LATE.mirrored().key):
        listener = told((key, 2, True, 20))
        assert listener.bounds(LATE).upper == listener.bounds(LATE.mirrored()).upper == 2


def test_too_many_bounds_drop_the_cheapest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MOST_BOUNDS", 2)
    children = [LATE.play(column) for column in LATE.legal_columns()[:6]]
    costs = zip(children, (3, 9, 4, 8, 5, 6), strict=True)
    listener = told(*((child.key, 0, True, cost) for child, cost in costs))
    known = [listener.bounds(child).upper == 0 for child in children]
    assert known == [False, True, False, True, False, False]
