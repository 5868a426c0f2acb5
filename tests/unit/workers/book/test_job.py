"""Jobs of kind ``book``: plans, units, scores, and books."""

from unittest.mock import Mock

import numpy as np
import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations
from db.database import Database
from db.jobs import control, queue, watching
from db.records.evaluations import StoredEvaluation
from db.records.jobs import MAX_ATTEMPTS, Claim, JobState, UnitState
from tests.support.boards.books import source
from tests.support.boards.matches import run_job
from tests.support.jobs import must_take, state_of
from tests.support.running.databases import ask, do
from workers.book.build import BookPlan, BookPlanError
from workers.book.job import (
    LEAST_POSITIONS,
    MAX_BY_LEAST,
    PlyTask,
    decode_keys,
    decode_scores,
    find_job,
    plan_job,
    read_scores,
    solve_unit,
    unit_objects,
)
from workers.core.follow import read_job
from workers.errors import BookIncompleteError

SMALL = BoardSize(5, 4)


def fail_a_unit(database: Database, error: str) -> None:
    """Fail the first unit as often as it may be tried."""
    for _ in range(MAX_ATTEMPTS):
        do(database, queue.fail, must_take(database), error)


def plan(database: Database, last_ply: int = 5) -> tuple[BookPlan, int]:
    """Plan the job of a book."""
    book = BookPlan(SMALL, last_ply)
    return book, plan_job(database, book.task, book.levels)


class TestPlanning:
    def test_every_position_is_in_one_unit(self, database: Database) -> None:
        book, job_id = plan(database, 9)
        units = ask(database, watching.unit_results, job_id, limit=10_000)
        sizes = [len(decode_keys(unit.payload)) for unit in units]
        keys = np.concatenate([decode_keys(unit.payload) for unit in units]).tolist()
        assert len(set(keys)) == len(keys)
        assert set(keys) < set(book.levels[-1].tolist())
        assert max(sizes) <= MAX_BY_LEAST * LEAST_POSITIONS
        assert len(sizes) > 20

    def test_the_same_task_finds_its_job_and_continues_it(self, database: Database) -> None:
        asked = PlyTask(SMALL, 5)
        assert find_job(database, asked) is None
        _, job_id = plan(database)
        assert find_job(database, asked) == job_id
        do(database, control.cancel_job, job_id)
        assert find_job(database, asked) == job_id
        assert state_of(database, job_id) is JobState.RUNNING
        fail_a_unit(database, "broken")
        run_job(database, job_id)
        assert state_of(database, job_id) is JobState.FAILED
        assert find_job(database, asked) == job_id
        assert state_of(database, job_id) is JobState.RUNNING
        _, newer = plan(database)
        assert find_job(database, asked) == newer

    @pytest.mark.parametrize(
        "other",
        [
            PlyTask(SMALL, 6),
            PlyTask(BoardSize(4, 5), 5),
        ],
    )
    def test_another_task_gets_another_job(self, database: Database, other: PlyTask) -> None:
        plan(database)
        assert find_job(database, other) is None
        assert PlyTask.from_params(other.as_params(), other.board) == other

    def test_interrupted_planning_leaves_no_job_to_resume(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("workers.core.submit.UNITS_PER_TRANSACTION", 1)
        monkeypatch.setattr(control, "start_job", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            plan(database)
        assert ask(database, watching.list_jobs) == []
        assert find_job(database, PlyTask(SMALL, 5)) is None


class TestUnit:
    def claimed(self, database: Database) -> Claim:
        book = BookPlan(SMALL, 6)
        plan_job(database, book.task, book.levels)
        return must_take(database)

    def test_scores_are_exact_and_in_order(self, database: Database) -> None:
        claim = self.claimed(database)
        outcome = solve_unit(claim, Solver(table_mb=1), database, lambda: False)
        assert outcome.is_complete
        found = decode_scores(outcome.result["scores"])
        solver = Solver(table_mb=1)
        for key, score in zip(decode_keys(claim.payload).tolist(), found.tolist(), strict=True):
            assert score == solver.solve(Position.from_key(key, board="5x4")).score
        assert outcome.nodes == outcome.result["nodes"] > 0
        assert not outcome.evaluations  # the book keeps the scores

    def test_results_of_an_interrupted_unit_are_not_searched_again(
        self, database: Database
    ) -> None:
        claim = self.claimed(database)
        keys = decode_keys(claim.payload).tolist()
        solver = Solver(table_mb=1)
        found = [
            StoredEvaluation(key, 5, 4, 6, score, score, 9, 1)
            for key in keys[::2]
            for score in [solver.solve(Position.from_key(key, board="5x4")).score]
            if score is not None
        ]
        do(database, evaluations.store, SMALL, found)
        outcome = solve_unit(claim, Solver(table_mb=1), database, lambda: False)
        assert outcome.result["known"] == len(found)

    def test_a_stopped_unit_returns_its_results(self, database: Database) -> None:
        claim = self.claimed(database)
        outcome = solve_unit(claim, Solver(table_mb=1), database, lambda: True)
        # The unit may end before it checks for a stop: then it has a result, and nothing to store.
        assert outcome.is_complete is bool(outcome.result)
        assert outcome.is_complete is not bool(outcome.evaluations)

    def test_output(self, database: Database) -> None:
        _, job_id = plan(database, 4)
        job, (unit, *_) = read_job(database, job_id), ask(database, watching.unit_results, job_id)
        (*_, before) = unit_objects(job, unit)
        assert before["error"] == "not solved: queued"
        run_job(database, job_id)
        unit, *_ = ask(database, watching.unit_results, job_id)
        (*_, after) = unit_objects(job, unit)
        assert (after["key"], after["board"]) == (before["key"], "5x4")
        position = Position.from_key(int(str(after["key"])), board="5x4")
        assert after["score"] == Solver(table_mb=1).solve(position).score


def test_scores_of_an_incomplete_or_another_book_are_refused(database: Database) -> None:
    def assert_refused(message: str) -> None:
        keys = book.levels[-1][1:] if message == "--fresh" else book.levels[-1]
        with pytest.raises(BookIncompleteError, match=message):
            read_scores(database, job_id, keys)

    book, job_id = plan(database)
    assert_refused("running")
    fail_a_unit(database, "out of luck")
    run_job(database, job_id)
    assert_refused(r"1 of \d+ units failed: out of luck")
    assert find_job(database, book.task) == job_id
    run_job(database, job_id)
    assert_refused("--fresh")


@pytest.mark.parametrize(("board", "last"), [((5, 4), 4), ((4, 5), 6), ((4, 4), 15), ((1, 5), 4)])
def test_every_position_has_its_score(
    database: Database, board: tuple[int, int], last: int
) -> None:
    book = BookPlan(BoardSize(*board), last)
    solver = Solver(table_mb=1)
    for keys, scores in book.scored(source(database)):
        found = solver.solve_many(keys, board=board)
        assert scores.tolist() == found.lower.tolist() == found.upper.tolist()


def test_only_the_deepest_ply_is_searched(database: Database) -> None:
    book = BookPlan(SMALL, 7)
    book.scored(source(database))
    (job,) = ask(database, watching.list_jobs)
    assert job.positions[UnitState.DONE] <= len(book.levels[-1])


def test_impossible_plies_are_refused() -> None:
    with pytest.raises(BookPlanError, match="plies 0 to 19 have"):
        BookPlan(SMALL, 20)
    with pytest.raises(BookPlanError, match="choose fewer plies"):
        BookPlan(BoardSize(7, 6), 20)
