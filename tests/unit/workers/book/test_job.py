"""Jobs of kind ``book``: plans, units, scores, complete and sparse books."""

from functools import cache
from itertools import islice
from unittest.mock import Mock

import numpy as np
import pytest

from c4core.evaluation import NO_SCORE
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations, jobs
from db.database import Database
from db.records.evaluations import StoredEvaluation
from db.records.jobs import MAX_ATTEMPTS, Claim, JobState, UnitState
from tests.support.boards.books import Oracle, reached, scores_of, source
from tests.support.boards.exhaustive import plies
from tests.support.boards.matches import run_job
from tests.support.jobs import must_take, state_of
from tests.support.running.databases import ask, do
from workers.book.build import BookPlanError, CompleteBook, SparseBook, canonical
from workers.book.job import (
    LEAST_POSITIONS,
    MAX_BY_LEAST,
    Choice,
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
TINY = BoardSize(4, 4)


@cache
def tiny_oracle() -> Oracle:
    """The solved tiny board, computed once for all tests."""
    return Oracle()


def empty(board: BoardSize = SMALL) -> Position:
    return Position(width=board.width, height=board.height)


def fail_a_unit(database: Database, error: str) -> None:
    """Fail the first unit as often as it may be tried."""
    for _ in range(MAX_ATTEMPTS):
        do(database, jobs.fail, must_take(database), error)


def plan(database: Database, last_ply: int = 5) -> tuple[CompleteBook, int]:
    """Plan the job of a complete book."""
    book = CompleteBook(empty(), last_ply)
    return book, plan_job(database, book.task, book.levels)


class TestPlanning:
    def test_every_position_is_in_one_unit(self, database: Database) -> None:
        book, job_id = plan(database, 9)
        units = ask(database, jobs.unit_results, job_id, limit=10_000)
        sizes = [len(decode_keys(unit.payload)) for unit in units]
        keys = np.concatenate([decode_keys(unit.payload) for unit in units]).tolist()
        assert len(set(keys)) == len(keys)
        assert set(keys) < set(book.levels[-1].tolist())
        assert max(sizes) <= MAX_BY_LEAST * LEAST_POSITIONS
        assert len(sizes) > 20

    def test_the_same_task_finds_its_job_and_continues_it(self, database: Database) -> None:
        asked = PlyTask(empty(), 5)
        assert find_job(database, asked) is None
        _, job_id = plan(database)
        assert find_job(database, asked) == job_id
        do(database, jobs.cancel_job, job_id)
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
            PlyTask(empty(), 6),
            PlyTask(empty(BoardSize(4, 5)), 5),
            PlyTask(empty().play(0), 5),
            PlyTask(empty(), 5, columns=True),
            PlyTask(empty(), 5, choice=Choice(0, "first")),
            PlyTask(empty(), 5, columns=True, choice=Choice(2, "second")),
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
        monkeypatch.setattr(jobs, "start_job", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            plan(database)
        assert ask(database, jobs.list_jobs) == []
        assert find_job(database, PlyTask(empty(), 5)) is None


class TestUnit:
    def claimed(self, database: Database, *, columns: bool = False, sparse: bool = False) -> Claim:
        book = CompleteBook(empty(), 6)
        choice = Choice(0, "first") if sparse else None
        plan_job(database, PlyTask(empty(), 6, columns=columns, choice=choice), book.levels)
        return must_take(database)

    @pytest.mark.parametrize(("columns", "sparse"), [(False, False), (True, False), (True, True)])
    def test_scores_are_exact_and_in_order(
        self, database: Database, *, columns: bool, sparse: bool
    ) -> None:
        """Only a unit of a sparse book stores evaluations."""
        claim = self.claimed(database, columns=columns, sparse=sparse)
        outcome = solve_unit(claim, Solver(table_mb=1), database, lambda: False)
        assert outcome.is_complete
        found = decode_scores(outcome.result["scores"], columns=SMALL.width if columns else 1)
        solver = Solver(table_mb=1)
        for key, row in zip(decode_keys(claim.payload).tolist(), found.tolist(), strict=True):
            position = Position.from_key(key, width=5, height=4)
            analysis = solver.analyze(position)
            if columns:
                shown = [None if score == NO_SCORE else score for score in row]
                assert tuple(shown) == analysis.scores
            else:
                assert row == [analysis.score]
        assert outcome.nodes == outcome.result["nodes"] > 0
        assert set(outcome.costs) == {6}
        stored = {row.key for row in outcome.evaluations}
        assert stored == (set(decode_keys(claim.payload).tolist()) if sparse else set())

    def test_results_of_an_interrupted_unit_are_not_searched_again(
        self, database: Database
    ) -> None:
        claim = self.claimed(database)
        keys = decode_keys(claim.payload).tolist()
        solver = Solver(table_mb=1)
        found = [
            StoredEvaluation(key, 5, 4, 6, score, score, 9, 1)
            for key in keys[::2]
            for score in [solver.solve(Position.from_key(key, width=5, height=4)).score]
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
        job, (unit, *_) = read_job(database, job_id), ask(database, jobs.unit_results, job_id)
        (*_, before) = unit_objects(job, unit)
        assert before["error"] == "not solved: queued"
        run_job(database, job_id)
        unit, *_ = ask(database, jobs.unit_results, job_id)
        (*_, after) = unit_objects(job, unit)
        assert (after["key"], after["board"]) == (before["key"], "5x4")
        position = Position.from_key(int(str(after["key"])), width=5, height=4)
        assert after["score"] == Solver(table_mb=1).solve(position).score


def test_scores_of_an_incomplete_or_another_book_are_refused(database: Database) -> None:
    def assert_refused(message: str) -> None:
        keys = book.levels[-1][1:] if message == "--fresh" else book.levels[-1]
        with pytest.raises(BookIncompleteError, match=message):
            read_scores(database, job_id, book.task, keys)

    book, job_id = plan(database)
    assert_refused("running")
    fail_a_unit(database, "out of luck")
    run_job(database, job_id)
    assert_refused(r"1 of \d+ units failed: out of luck")
    assert find_job(database, book.task) == job_id
    run_job(database, job_id)
    assert_refused("--fresh")


class TestComplete:
    @pytest.mark.parametrize(
        ("board", "moves", "last"),
        [("5x4", "", 4), ("4x5", "1", 6), ("5x4", "33", 6), ("4x4", "12341", 15)],
    )
    def test_every_position_has_its_score(
        self, database: Database, board: str, moves: str, last: int
    ) -> None:
        width, height = map(int, board.split("x"))
        book = CompleteBook(canonical(Position(moves, width=width, height=height)), last)
        solver = Solver(table_mb=1)
        for keys, scores in book.scored(source(database)):
            found = solver.solve_many(keys, width=width, height=height)
            assert scores.tolist() == found.lower.tolist() == found.upper.tolist()

    def test_only_the_deepest_ply_is_searched(self, database: Database) -> None:
        book = CompleteBook(empty(), 7)
        book.scored(source(database))
        (job,) = ask(database, jobs.list_jobs)
        assert job.positions[UnitState.DONE] <= len(book.levels[-1])

    def test_a_book_of_immediate_wins_needs_no_job(self, database: Database) -> None:
        start = Position("121212", width=5, height=4)
        levels = CompleteBook(canonical(start), 6).scored(source(database))
        assert [scores.tolist() for _, scores in levels] == [[(20 + 1 - 6) // 2]]
        assert not ask(database, jobs.list_jobs)

    def test_unreachable_plies_are_empty(self, database: Database) -> None:
        *_, keys = islice(plies(width=4, height=4, canonical=True), 15)
        starts = (Position.from_key(key, width=4, height=4) for key in keys.tolist())
        start = next(
            position
            for position in starts
            if not position.is_over and all(map(position.is_winning, position.legal_columns()))
        )
        with pytest.raises(BookPlanError, match="continues after ply 14"):
            CompleteBook(canonical(start), 15)
        with pytest.raises(BookPlanError, match="no such game continues after ply 14"):
            SparseBook(canonical(start), 15, Choice(0, "both")).scored(source(database))


class TestSparse:
    # "both" is the union of the positions reached by each side's good play.
    @pytest.mark.parametrize(("within", "sides"), [(0, "both"), (1, "first"), (3, "second")])
    def test_a_sparse_book_has_the_positions_that_good_play_reaches(
        self, database: Database, within: int, sides: str
    ) -> None:
        start, last = empty(TINY), 5
        choice = Choice(within, sides)  # type: ignore[arg-type]
        levels = SparseBook(start, last, choice).scored(source(database))
        halves = {"first": [0], "second": [1], "both": [0, 1]}[sides]
        expected = [
            reached(tiny_oracle(), start, last, within=within, chooser=half) for half in halves
        ]
        assert [set(level) for level in scores_of(levels)] == [
            set.union(*plies) for plies in zip(*expected, strict=True)
        ]
        solver = Solver(table_mb=1)
        for keys, scores in levels:
            assert scores.tolist() == solver.solve_many(keys, width=4, height=4).lower.tolist()

    def test_a_sparse_book_may_have_a_start(self, database: Database) -> None:
        start = canonical(Position("1125", width=5, height=4))
        levels = SparseBook(start, 7, Choice(1, "second")).scored(source(database))
        expected = reached(Oracle(), start, 7, within=1, chooser=1)
        assert [set(level) for level in scores_of(levels)] == expected

    def test_a_deeper_book_reuses_the_plies_of_a_shallower_one(self, database: Database) -> None:
        SparseBook(empty(), 4, Choice(0, "first")).scored(source(database))
        before = len(ask(database, jobs.list_jobs))
        SparseBook(empty(), 5, Choice(0, "first")).scored(source(database))
        # Columns of ply 4 and scores of ply 5: all others are found.
        assert len(ask(database, jobs.list_jobs)) == before + 2

    def test_within_many_points_a_sparse_book_is_complete(self, database: Database) -> None:
        sparse = SparseBook(empty(), 4, Choice(99, "first")).scored(source(database))
        complete = CompleteBook(empty(), 4).scored(source(database))
        assert scores_of(sparse) == scores_of(complete)
