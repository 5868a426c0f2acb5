"""Deep jobs in the database: shifts, stored bounds, the proof and the answer."""

import threading
from typing import Any

import pytest

from c4core.evaluation import Evaluation
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.database import Database
from db.jobs import control, queue, watching
from db.records.evaluations import COSTLY_NODES, EvaluationFilter, StoredEvaluation
from db.records.jobs import MAX_ATTEMPTS, Claim, JobState, UnitResult, UnitState
from tests.support.boards.matches import run_job
from tests.support.jobs import must_take, of_job, state_of, take
from tests.support.running.databases import ask, do, worker
from tests.support.running.waiting import await_that
from workers.core.follow import read_job
from workers.core.run import UnitEnd, run_unit
from workers.deep import job, search
from workers.deep.answer import DeepProgress, Observer, read_answer
from workers.deep.job import find_job, join_or_submit, solve_unit, unit_objects
from workers.deep.proof import (
    FIRST_TRY_NODES,
    TRY_FACTOR,
    Bounds,
    Lemma,
    best_line,
    complete_proof,
    follow_proof,
)
from workers.deep.search import REMEMBERED, JointSearch, _searches, join
from workers.deep.task import CUT, DeepTask

SMALL = BoardSize(5, 4)
LARGE = BoardSize(6, 5)


def deep(moves: str = "", board: BoardSize = SMALL, *, weak: bool = False) -> DeepTask:
    return DeepTask(Position(moves, board=board), moves, weak)


def submit(database: Database, task: DeepTask) -> int:
    job_id, is_new = join_or_submit(database, task)
    assert is_new
    return job_id


def units(database: Database, job_id: int, *states: UnitState) -> list[UnitResult]:
    found = ask(database, watching.unit_results, job_id)
    return [unit for unit in found if not states or unit.state in states]


def store(
    database: Database, position: Position, lower: int, upper: int, *, nodes: int = 1
) -> None:
    row = StoredEvaluation(
        position.canonical_key, *position.board, position.ply, lower, upper, nodes, ENGINE_VERSION
    )
    do(database, evaluations.store, position.board, [row])


def stored(database: Database, position: Position) -> StoredEvaluation:
    found = ask(database, evaluations.find, position.board, position.canonical_key)
    assert found is not None
    return found


def progress_of(database: Database, job_id: int) -> DeepProgress:
    return ask(database, Observer(read_job(database, job_id)).look)


def work_on(database: Database, claim: Claim) -> UnitEnd:
    return run_unit(database, Solver(table_mb=1), claim, lambda: False).end


def score_of(task: DeepTask) -> int:
    score = Solver().solve(task.start).score
    assert score is not None
    return score


class TestShifts:
    def test_a_job_begins_with_one_seat(self, database: Database) -> None:
        job_id = submit(database, deep())
        (shift,) = units(database, job_id)
        assert shift.state is UnitState.QUEUED
        assert state_of(database, job_id) is JobState.RUNNING

    def test_every_thread_finds_a_seat(self, database: Database) -> None:
        do(database, watching.record_worker, worker(threads=3))
        job_id, _ = join_or_submit(database, deep("1"), threads=2)
        assert len(units(database, job_id)) == 3
        job_id, _ = join_or_submit(database, deep("2"), threads=5)
        assert len(units(database, job_id)) == 5

    def test_stored_results_may_be_the_answer(self, database: Database) -> None:
        store(database, deep().start, 0, 0)
        job_id = submit(database, deep())
        assert state_of(database, job_id) is JobState.DONE
        assert units(database, job_id) == []
        assert read_answer(database, job_id, Solver()).line_is_complete

    def test_the_newest_job_for_a_question_is_found(self, database: Database) -> None:
        assert find_job(database, deep("1")) is None
        first = submit(database, deep("1"))
        assert find_job(database, deep("5")) == first  # the mirror image
        assert join_or_submit(database, deep("5")) == (first, False)
        assert find_job(database, deep("1", weak=True)) is None
        assert find_job(database, deep("2")) is None
        run_job(database, first)
        assert find_job(database, deep("1")) == first

    def test_a_taken_seat_leaves_another_for_the_next_thread(self, database: Database) -> None:
        job_id = submit(database, deep("", BoardSize(8, 7)))
        is_over = threading.Event()
        searching = threading.Thread(
            target=solve_unit,
            args=(must_take(database), solver := Solver(table_mb=1), database, is_over.is_set),
        )
        searching.start()
        await_that(lambda: units(database, job_id, UnitState.QUEUED))
        second = must_take(database, of_job(job_id))
        assert second.seq == 1
        is_over.set()
        solver.stop()
        searching.join()
        assert len(units(database, job_id, UnitState.LEASED)) == 2

    def test_a_seat_ends_when_its_time_is_over(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(job, "SHIFT_SECONDS", 0.05)
        job_id = submit(database, deep("", BoardSize(8, 7)))
        assert work_on(database, must_take(database)) is UnitEnd.DONE
        first, second = units(database, job_id)
        assert (first.state, second.state) == (UnitState.DONE, UnitState.QUEUED)
        assert first.result is not None
        assert first.result["lower"] < first.result["upper"]
        assert read_job(database, job_id).nodes == first.result["nodes"] > 0

    def test_the_answer_cuts_off_the_seats_that_nobody_has_taken(self, database: Database) -> None:
        job_id = submit(database, deep())
        assert work_on(database, must_take(database)) is UnitEnd.DONE
        do(database, control.finish_if_complete, job_id)
        first, second = units(database, job_id)
        assert second.result == CUT
        assert first.result is not None
        assert first.result["line"]
        assert state_of(database, job_id) is JobState.DONE

    def test_a_failed_seat_does_not_fail_a_job_with_an_answer(self, database: Database) -> None:
        job_id = submit(database, deep())
        other = must_take(database)
        with database.write() as session:
            job._offer_shift(session, job_id)
        for _ in range(MAX_ATTEMPTS):
            do(database, queue.fail, other, "broken")
            other = take(database) or other
        assert len(units(database, job_id, UnitState.FAILED)) == 1
        run_job(database, job_id)
        assert state_of(database, job_id) is JobState.DONE

    def test_a_stop_releases_the_seat(self, database: Database) -> None:
        job_id = submit(database, deep("", BoardSize(8, 7)))
        report = run_unit(database, Solver(table_mb=1), must_take(database), lambda: True)
        assert report.end is UnitEnd.HANDED_BACK
        assert len(units(database, job_id, UnitState.QUEUED)) == 2

    def test_a_cancelled_job_is_resumed(self, database: Database) -> None:
        job_id = submit(database, deep())
        do(database, control.cancel_job, job_id)
        assert take(database) is None
        do(database, control.resume_job, job_id)
        run_job(database, job_id)
        assert state_of(database, job_id) is JobState.DONE

    def test_output(self, database: Database) -> None:
        job_id = submit(database, deep())
        info = read_job(database, job_id)
        (shown,) = unit_objects(info, units(database, job_id)[0])
        assert shown["error"] == "not searched: queued"
        run_job(database, job_id)
        done, cut = units(database, job_id)
        (shown,) = unit_objects(info, done)
        assert (shown["lower"], shown["upper"], shown["board"]) == (0, 0, "5x4")
        assert list(unit_objects(info, cut)) == []


class TestAnswers:
    @pytest.mark.parametrize(
        ("moves", "board", "threads", "weak"),
        [
            ("", SMALL, 1, False),
            ("3", SMALL, 3, False),
            ("33", LARGE, 3, False),
            ("1", LARGE, 2, True),
            ("", BoardSize(6, 6), 2, False),
        ],
    )
    def test_the_score_is_right(
        self, database: Database, moves: str, board: BoardSize, threads: int, *, weak: bool
    ) -> None:
        asked = deep(moves, board, weak=weak)
        job_id = submit(database, asked)
        run_job(database, job_id, threads=threads)
        assert state_of(database, job_id) is JobState.DONE
        score, row = score_of(asked), stored(database, asked.start)
        answer = read_answer(database, job_id, Solver())
        progress = answer.progress
        assert (row.lower, row.upper) == (progress.lower, progress.upper)
        assert progress.asked is None
        if weak:
            assert progress.lower <= score <= progress.upper
        else:
            assert progress.lower == progress.upper == score
        assert answer.proof.missing == ()
        assert answer.proof.derived
        assert len(progress.moves) == board.width

    def test_best_play_is_best_and_goes_to_the_end(self, database: Database) -> None:
        asked = deep("33", LARGE)
        job_id = submit(database, asked)
        run_job(database, job_id)
        answer = read_answer(database, job_id, Solver())
        position, left, solver = asked.start, score_of(asked), Solver()
        assert answer.best
        for column in answer.line:
            position, left = position.play(column), -left
            assert solver.solve(position).score == left
        assert position.is_over
        assert answer.line_is_complete

    def test_a_gap_in_a_proof_is_reported(self, database: Database) -> None:
        start = deep().start
        store(database, start.play(2), -2, -2)
        claimed = follow_proof(database, start, Bounds(2, 2))
        assert claimed.missing == (Lemma(start.canonical_key, 3, is_reached=False),)

    def test_the_cheap_bounds_that_a_proof_lacks_are_searched(self, database: Database) -> None:
        asked = deep("", LARGE)
        store(database, asked.start, 0, 0, nodes=2 * COSTLY_NODES)
        assert follow_proof(database, asked.start, Bounds(0, 0)).derived == 0
        new = complete_proof(database, asked.start, (0, 0), solver := Solver(), 2 * COSTLY_NODES)
        assert new
        for row in new:
            found = solver.solve(Position.from_key(row.key, board="6x5")).score
            assert found is not None
            assert row.lower <= found <= row.upper
        do(database, evaluations.store, asked.board, new)
        proof = follow_proof(database, asked.start, Bounds(0, 0))
        assert proof.missing == ()
        assert proof.derived > 2

    def test_known_best_play_needs_no_search(self, database: Database) -> None:
        class Unasked(Solver):
            def test(self, *_: object, **__: object) -> Evaluation:
                raise AssertionError("no search is needed")

        solver, start = Solver(), deep("33").start
        score = solver.solve(start).score
        assert score is not None
        line = best_line(database, start, score, solver)
        position = start
        for column in line:
            position = position.play(column)
            store(database, position, *(2 * (solver.solve(position).score,)))
        assert best_line(database, start, score, Unasked()) == line

    def test_all_moves_are_tried_with_few_nodes_before_any_gets_many(
        self, database: Database
    ) -> None:
        """Proving that a move is not the best may take long, and is not needed."""
        limits: list[int] = []

        class Slow(Solver):
            def test(self, position: Position, beta: int, **options: Any) -> Evaluation:  # noqa: ANN401
                limits.append(options["node_limit"])
                return super().test(position, beta, node_limit=min(1000, options["node_limit"]))

        start = Position(board="7x7")
        assert best_line(database, start, 1, Slow(table_mb=1)) == []
        assert limits[:7] == [FIRST_TRY_NODES] * 7
        assert set(limits[7:14]) == {TRY_FACTOR * FIRST_TRY_NODES}


class TestStoredBounds:
    def test_costly_bounds_are_stored_and_true(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "COSTLY_NODES", 1 << 14)
        monkeypatch.setattr(job, "complete_proof", lambda *_: [])
        asked = deep("", BoardSize(6, 6))
        run_job(database, submit(database, asked), threads=2)
        rows = ask(database, evaluations.search, EvaluationFilter(board=asked.board)).rows
        (first,) = ask(database, evaluations.costly, asked.board, limit=1)
        assert first.key == asked.start.canonical_key
        assert len(rows) > 5
        solver = Solver()
        for row in rows:
            score = solver.solve(Position.from_key(row.key, board="6x6")).score
            assert score is not None
            assert row.lower <= score <= row.upper

    def test_a_process_that_joins_reads_the_stored_bounds(self, database: Database) -> None:
        asked = deep("", BoardSize(8, 7))
        # The quick search at the beginning meets neither of them.
        early = Position("11882277", board="8x7")
        late = Position("11335577246813571", board="8x7")
        store(database, early, -3, 24, nodes=COSTLY_NODES)
        store(database, late, -20, 3, nodes=COSTLY_NODES)
        solver = Solver(table_mb=1)
        with JointSearch(database, submit(database, asked), asked, solver, None).shift():
            found = solver.table_bounds(board="8x7", least_nodes=COSTLY_NODES)
        # A late position and its mirror image have entries of their own.
        assert set(found["key"].tolist()) == {early.canonical_key, late.key, late.mirrored().key}

    def test_an_answer_of_another_process_ends_the_search(self, database: Database) -> None:
        """The database carries it if there is no Redis."""
        asked = deep("", BoardSize(8, 7))
        job_id = submit(database, asked)
        solver = Solver(table_mb=1)
        part = JointSearch(database, job_id, asked, solver, None)
        with part.shift() as shared:
            assert not shared.is_decided
            store(database, asked.start, 2, 2)
            assert shared.work().score == 2

    def test_bounds_that_cannot_be_written_are_kept(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "COSTLY_NODES", 1 << 14)
        asked = deep("", BoardSize(6, 6))
        part = JointSearch(database, submit(database, asked), asked, Solver(), None)
        part.search.work()
        part._exchange()
        with monkeypatch.context() as patch:
            patch.setattr(search, "store_learned", None)
            with pytest.raises(TypeError):
                part._store()
        part._store()
        stored = ask(database, evaluations.search, EvaluationFilter(board=asked.board))
        assert len(stored.rows) > 5

    def test_a_process_remembers_a_few_searches(self, database: Database) -> None:
        solver = Solver(table_mb=1)
        claims = []
        for moves in ("1", "2", "3", "11", "12", "13"):
            submit(database, deep(moves))
            claims.append(must_take(database))
        parts = [join(database, claim, solver, None) for claim in claims]
        assert join(database, claims[-1], solver, None) is parts[-1]
        assert len(_searches[database]) == REMEMBERED


def test_the_progress_of_a_running_job_is_shown(database: Database) -> None:
    job_id = submit(database, deep("1"))
    observer = Observer(read_job(database, job_id))
    progress = ask(database, observer.look)
    start = deep("1").start
    assert (progress.lower, progress.upper) == (-8, 9)
    assert (progress.asked, progress.moves[0]) == (1, (-8, 9))
    store(database, start.play(2), -8, 0)
    assert ask(database, observer.look).lower == 0
    store(database, start, 0, 0)
    assert progress_of(database, job_id).asked is None
