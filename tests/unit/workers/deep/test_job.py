"""Deep jobs in the database: their units, and the effect of results on them."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from sqlalchemy import update

from c4core.evaluation import Evaluation
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db import evaluations, jobs
from db.database import Database, Session
from db.errors import BusyError
from db.jobs import GrowingUnit
from db.models import Unit
from db.records.evaluations import StoredEvaluation
from db.records.jobs import MAX_ATTEMPTS, Claim, JobState, UnitPlan, UnitState
from tests.support.boards.deep import conclude
from tests.support.boards.matches import run_job
from tests.support.jobs import must_take, state_of, take
from tests.support.running.databases import ask, do, worker
from workers.core.follow import read_job
from workers.core.kinds import UnitOutcome
from workers.core.run import UnitEnd, run_unit
from workers.deep import job
from workers.deep.answer import (
    FIRST_TRY_NODES,
    TRY_FACTOR,
    DeepProgress,
    Observer,
    follow_proof,
    proven_line,
    searched_line,
)
from workers.deep.job import SPARE, find_job, go_on, solve_unit, submit, unit_objects
from workers.deep.sharing import REMEMBERED
from workers.deep.task import CUT, DeepTask, piece_of
from workers.deep.tree import Bounds, Piece, first_bounds

SMALL = BoardSize(5, 4)
LARGE = BoardSize(6, 5)


def deep(
    moves: str = "", board: BoardSize = SMALL, *, split: int = 1, nodes: int = 10**9
) -> DeepTask:
    start = Position(moves, width=board.width, height=board.height)
    return DeepTask(start, moves, split_plies=split, unit_nodes=nodes)


def units(database: Database, job_id: int, *states: UnitState) -> list[GrowingUnit]:
    found = ask(database, jobs.read_units, job_id)
    return [unit for unit in found if not states or unit.state in states]


def pieces(database: Database, job_id: int, *states: UnitState) -> list[Piece]:
    return [piece_of(unit.payload) for unit in units(database, job_id, *states)]


def store(database: Database, position: Position, lower: int, upper: int) -> None:
    row = StoredEvaluation(
        position.canonical_key, *position.board, position.ply, lower, upper, 1, ENGINE_VERSION
    )
    do(database, evaluations.store, position.board, [row])


def stored(database: Database, position: Position) -> StoredEvaluation:
    found = ask(database, evaluations.find, position.board, position.canonical_key)
    assert found is not None
    return found


def progress_of(database: Database, job_id: int) -> DeepProgress:
    return ask(database, Observer(read_job(database, job_id)).look)


def solved(database: Database, claim: Claim) -> UnitOutcome:
    outcome = solve_unit(claim, Solver(table_mb=1), database, lambda: False)
    assert outcome.is_complete
    return outcome


def work(database: Database, job_id: int, *, threads: int = 1) -> JobState:
    run_job(database, job_id, threads=threads)
    return state_of(database, job_id)


class TestSubmit:
    @pytest.mark.parametrize(
        ("threads", "registered", "number"), [(1, 1, SPARE), (9, 1, 9), (1, 7, 7)]
    )
    def test_the_first_units_are_the_least_speculative_pieces(
        self, database: Database, threads: int, registered: int, number: int
    ) -> None:
        do(database, jobs.record_worker, worker(threads=registered))
        job_id = submit(database, deep(split=3), threads=threads)
        assert pieces(database, job_id, UnitState.QUEUED) == deep(split=3).tree().wanted(number)
        assert state_of(database, job_id) is JobState.RUNNING

    def test_stored_results_may_be_the_answer(self, database: Database) -> None:
        store(database, deep().start, 0, 0)
        job_id = submit(database, deep())
        assert state_of(database, job_id) is JobState.DONE
        assert units(database, job_id) == []

    def test_the_newest_job_for_a_question_is_found(self, database: Database) -> None:
        assert find_job(database, deep("1")) is None
        first = submit(database, deep("1"))
        assert find_job(database, deep("5", split=3)) == first  # the mirror image
        second = submit(database, deep("1"))
        assert find_job(database, deep("1")) == second
        assert find_job(database, deep("2")) is None


class TestGoingOn:
    def test_a_proof_cuts_off_waiting_and_running_units(self, database: Database) -> None:
        job_id = submit(database, deep(split=2), threads=6)
        eldest, younger = must_take(database), must_take(database)
        assert piece_of(eldest.payload).beta == piece_of(younger.payload).beta == 1
        others = pieces(database, job_id, UnitState.QUEUED)
        # This decides the eldest's parent, so the root needs another move. The younger brother,
        # behind the same move, is cut off while a worker holds it.
        assert conclude(database, eldest, Bounds(-8, 0))
        tree = deep(split=2).tree()
        tree.wanted(6)
        (parent,) = tree.nodes[piece_of(eldest.payload).key].parents
        assert piece_of(younger.payload).key in tree.nodes[parent].children
        cut = units(database, job_id)[younger.seq]
        assert (cut.state, cut.result) == (UnitState.DONE, CUT)
        assert do(database, jobs.prolong, [younger], 30) == [False]
        assert not conclude(database, younger, Bounds(1, 8))
        assert set(pieces(database, job_id, UnitState.QUEUED)) != set(others)

    @pytest.mark.parametrize("twins", [False, True])
    def test_the_end_cuts_off_all_units(self, database: Database, *, twins: bool) -> None:
        """Two units have the same piece if one is claimed when it should get another piece."""
        job_id = submit(database, deep(), threads=3)
        first, second = must_take(database), must_take(database)
        if twins:
            same = update(Unit).where(Unit.job_id == job_id, Unit.seq > second.seq)
            database.run(lambda session: session.execute(same.values(payload=second.payload)))
        # The root wins at the earliest possible moment.
        assert conclude(database, first, Bounds(-9, -9))
        assert state_of(database, job_id) is JobState.DONE
        found = units(database, job_id)
        assert [unit.state for unit in found] == [UnitState.DONE] * 3
        assert [unit.result for unit in found].count(CUT) == 2
        assert do(database, jobs.prolong, [second], 30) == [False]
        root = stored(database, deep().start)
        assert (root.lower, root.upper, root.nodes) == (9, 9, 7)

    def test_waiting_units_get_the_most_urgent_pieces(self, database: Database) -> None:
        job_id = submit(database, deep(), threads=2)
        first, second = units(database, job_id)
        conclude(database, must_take(database), Bounds(-8, 8), hard=True)
        after = units(database, job_id)
        assert after[0].result is not None
        assert after[0].result["hard"]
        # The eldest was split: its first child comes before the second move, which keeps waiting.
        line = pieces(database, job_id, UnitState.QUEUED)
        assert line[0] == Piece(
            deep().start.play(2).play(2).canonical_key, 1 - piece_of(first.payload).beta
        )
        assert second.seq == after[1].seq
        assert piece_of(second.payload) != line[0]

    def test_more_workers_get_more_units(self, database: Database) -> None:
        job_id = submit(database, deep(split=3), threads=1)
        claims = [must_take(database) for _ in range(SPARE)]
        conclude(database, claims[0], Bounds(-8, 8), hard=True)
        assert len(units(database, job_id, UnitState.QUEUED)) == SPARE
        claims += [must_take(database) for _ in range(SPARE)]
        conclude(database, claims[1], Bounds(-8, 8), hard=True)
        assert len(units(database, job_id, UnitState.QUEUED)) == len(claims) - 2 + 1

    def test_a_failed_unit_is_left_out_and_may_become_unnecessary(self, database: Database) -> None:
        job_id = submit(database, deep(), threads=1)
        for _ in range(MAX_ATTEMPTS):
            claim = must_take(database)
            do(database, jobs.fail, claim, "broken")
        (failed,) = units(database, job_id, UnitState.FAILED)
        conclude(database, must_take(database), Bounds(0, 8))
        assert piece_of(failed.payload) not in pieces(database, job_id, UnitState.QUEUED)
        conclude(database, must_take(database), Bounds(-9, -9))
        assert state_of(database, job_id) is JobState.DONE
        assert units(database, job_id)[failed.seq].result == CUT

    def test_a_cancelled_job_is_resumed(self, database: Database) -> None:
        job_id = submit(database, deep(split=2, nodes=5_000), threads=3)
        conclude(database, must_take(database), Bounds(1, 8))
        cut = [unit.seq for unit in units(database, job_id) if unit.result == CUT]
        do(database, jobs.cancel_job, job_id)
        assert take(database) is None
        do(database, jobs.resume_job, job_id)
        assert all(units(database, job_id)[seq].result == CUT for seq in cut)
        assert work(database, job_id) is JobState.DONE

    def test_results_of_a_rolled_back_transaction_are_forgotten(self, database: Database) -> None:
        job_id = submit(database, deep(), threads=1)
        claim = must_take(database)
        result = {"lower": -8, "upper": -8, "hard": False, "nodes": 7, "seconds": 0}

        def fail_in_the_end(session: Session) -> None:
            jobs.complete(session, claim, evaluations=[], result=result, nodes=7, seconds=0.0)
            go_on(session, claim, database)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            database.run(fail_in_the_end)
        # Its result is not stored, so it must not be used.
        assert conclude(database, claim, Bounds(0, 8))
        assert state_of(database, job_id) is JobState.RUNNING
        position = Position.from_key(piece_of(claim.payload).key, width=5, height=4)
        assert stored(database, position).lower == 0

    def test_a_repeated_transaction_loses_nothing(self, database: Database) -> None:
        asked = deep(split=3)
        job_id = submit(database, asked)
        solver = Solver(table_mb=1)
        tries = Counter[int]()

        while claim := take(database):

            def fail_at_first(_session: Session, unit_id: int = claim.unit_id) -> None:
                tries[unit_id] += 1
                if tries[unit_id] == 1:
                    raise BusyError("deadlock detected")

            report = run_unit(database, solver, claim, lambda: False, at_end=fail_at_first)
            assert report.end is UnitEnd.DONE
        do(database, jobs.finish_if_complete, job_id)
        progress, root = progress_of(database, job_id), stored(database, asked.start)
        assert (root.lower, root.upper) == (progress.lower, progress.upper)
        proof = follow_proof(database, asked.start, Bounds(progress.lower, progress.upper))
        assert proof.missing == ()

    def test_finished_units_are_read_once(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        submit(database, deep(split=4), threads=1)
        read: list[int] = []
        read_units = jobs.read_units

        def note(*arguments: Any, **options: Any) -> list[GrowingUnit]:  # noqa: ANN401
            found = read_units(*arguments, **options)
            read.append(len(found))
            return found

        monkeypatch.setattr(jobs, "read_units", note)
        solver = Solver(table_mb=1)
        for _ in range(12):
            run_unit(database, solver, must_take(database), lambda: False)
        # The first read covers everything; later ones the waiting units and the finished one.
        assert max(read[1:]) <= 2 * SPARE

    def test_any_number_of_units_may_fail(self, database: Database) -> None:
        job_id = submit(database, deep(split=2), threads=1)
        claim = must_take(database)
        with database.write() as session:
            failed = [UnitPlan(claim.payload, 1)] * 2_500
            jobs.add_units(session, job_id, failed)
            of_job = (Unit.job_id == job_id, Unit.seq > SPARE - 1)
            session.execute(update(Unit).where(*of_job).values(state=UnitState.FAILED, error="x"))
        for _ in range(3):
            assert conclude(database, claim, Bounds(-8, 8), hard=True)
            claim = must_take(database)
        assert len(units(database, job_id, UnitState.FAILED)) == 0  # they are no longer needed


class TestUnits:
    def test_a_piece_is_decided(self, database: Database) -> None:
        submit(database, deep("33"), threads=1)
        claim = must_take(database)
        outcome = solved(database, claim)
        (row,) = outcome.evaluations
        assert Bounds(row.lower, row.upper).decides(piece_of(claim.payload).beta)
        assert (outcome.result["lower"], outcome.result["hard"]) == (row.lower, False)

    def test_a_piece_is_too_hard(self, database: Database) -> None:
        submit(database, deep("", LARGE, nodes=30_000), threads=1)
        assert solved(database, must_take(database)).result["hard"]

    def test_a_stop_releases_the_unit(self, database: Database) -> None:
        job_id = submit(database, deep("", LARGE), threads=1)
        report = run_unit(database, Solver(table_mb=1), must_take(database), lambda: True)
        assert report.end is UnitEnd.HANDED_BACK
        assert len(units(database, job_id, UnitState.QUEUED)) == SPARE

    def test_results_stored_meanwhile_are_not_searched(self, database: Database) -> None:
        submit(database, deep(), threads=1)
        claim = must_take(database)
        piece = piece_of(claim.payload)
        position = Position.from_key(piece.key, width=5, height=4)
        store(database, position, piece.beta, 8)
        outcome = solved(database, claim)
        assert (outcome.nodes, list(outcome.evaluations)) == (0, [])

    def test_output(self, database: Database) -> None:
        job_id = submit(database, deep(), threads=3)
        job = read_job(database, job_id)
        (waiting, *_) = ask(database, jobs.unit_results, job_id)
        (shown,) = unit_objects(job, waiting)
        assert shown["error"] == "not solved: queued"
        conclude(database, must_take(database), Bounds(-9, -9))
        done, *others = ask(database, jobs.unit_results, job_id)
        (shown,) = unit_objects(job, done)
        assert (shown["lower"], shown["board"], shown["beta"]) == (-9, "5x4", 0)
        assert all(list(unit_objects(job, other)) == [] for other in others)


class TestWhole:
    @pytest.mark.parametrize(
        ("moves", "board", "nodes", "threads"),
        [
            ("", SMALL, 2_000, 1),
            ("3", SMALL, 10**9, 3),
            ("33", LARGE, 30_000, 3),
            ("1", LARGE, 10**9, 1),
        ],
    )
    def test_the_score_is_right(
        self, database: Database, moves: str, board: BoardSize, nodes: int, threads: int
    ) -> None:
        asked = deep(moves, board, split=2, nodes=nodes)
        job_id = submit(database, asked, threads=threads)
        assert work(database, job_id, threads=threads) is JobState.DONE
        score = Solver().solve(asked.start).score
        assert score is not None
        progress, row = progress_of(database, job_id), stored(database, asked.start)
        assert (row.lower, row.upper) == (progress.lower, progress.upper) == (score, score)
        assert progress.asked is None
        assert (progress.queued, progress.failed, progress.at_work) == (0, 0, ())
        proof = follow_proof(database, asked.start, Bounds(score, score))
        assert proof.missing == ()
        assert proof.derived

    def test_a_gap_in_a_proof_is_reported(self, database: Database) -> None:
        start = deep().start
        store(database, start.play(2), -2, -2)
        claimed = follow_proof(database, start, Bounds(2, 2))
        assert [(claim.key, claim.is_reached) for claim in claimed.missing] == [
            (start.canonical_key, False)
        ]

    def test_best_play_goes_to_the_end(self, database: Database) -> None:
        asked = deep("33", LARGE, split=2, nodes=50_000)
        work(database, submit(database, asked))
        solver = Solver()
        score = solver.solve(asked.start).score
        assert score is not None
        line = proven_line(database, asked.start, score)
        assert len(line) >= 2
        position, left = asked.start, score
        for column in line:
            position, left = position.play(column), -left
            assert solver.solve(position).score == left
        rest = searched_line(position, left, solver, known=first_bounds, node_limit=10**7)
        for column in rest:
            position = position.play(column)
        assert position.is_over
        assert searched_line(asked.start, score, Solver(), known=first_bounds, node_limit=0) == []

    def test_known_best_play_needs_no_search(self) -> None:
        class Unasked(Solver):
            def test(self, *_: object, **__: object) -> Evaluation:
                raise AssertionError("no search is needed")

        def known(position: Position) -> Bounds:
            if position.is_over:
                return first_bounds(position)
            found = solver.solve(position)
            return Bounds(found.lower, found.upper)

        solver, start = Solver(), deep("33").start
        score = solver.solve(start).score
        assert score is not None
        line = searched_line(start, score, Unasked(), known=known, node_limit=10**7)
        position = start
        for column in line:
            position, score = position.play(column), -score
            assert known(position).lower == score
        assert position.is_over

    def test_all_moves_are_tried_with_few_nodes_before_any_gets_many(self) -> None:
        """Proving that a move is not the best may take long, and is not needed."""
        limits: list[int] = []

        class Slow(Solver):
            def test(self, position: Position, beta: int, **options: Any) -> Evaluation:  # noqa: ANN401
                limits.append(options["node_limit"])
                return super().test(position, beta, node_limit=options["node_limit"])

        start = Position(width=7, height=7)
        slow = Slow(table_mb=1)
        assert searched_line(start, 1, slow, known=first_bounds, node_limit=1_000_000) == []
        assert limits[:7] == [FIRST_TRY_NODES] * 7
        assert set(limits[7:14]) == {TRY_FACTOR * FIRST_TRY_NODES}
        assert sum(limits) >= 1_000_000

    def test_two_jobs_of_the_same_position_share_results(self, database: Database) -> None:
        first, second = submit(database, deep()), submit(database, deep(split=2))
        with ThreadPoolExecutor(2) as pool:
            assert set(pool.map(partial(work, database), (first, second))) == {JobState.DONE}


def test_current_pieces_and_their_workers_are_shown(database: Database) -> None:
    job_id = submit(database, deep("1", split=2), threads=2)
    claim = must_take(database)
    observer = Observer(read_job(database, job_id))
    progress = ask(database, observer.look)
    (at_work,) = progress.at_work
    assert at_work.columns is not None
    position = Position("1", width=5, height=4)
    for column in at_work.columns:
        position = position.play(column)
    assert position.canonical_key == piece_of(claim.payload).key
    assert (progress.asked, progress.queued, progress.moves[0]) == (1, 1, (-8, 9))
    conclude(database, claim, Bounds(1, 8))
    assert ask(database, observer.look).decided == progress_of(database, job_id).decided == 1


def test_the_number_of_remembered_jobs_is_limited(database: Database) -> None:
    for job_id in range(REMEMBERED + 2):
        job._memory(database, job_id, deep())
    assert job._memories.job_ids(database) == list(range(2, REMEMBERED + 2))


def test_a_memory_in_use_is_not_shared(database: Database) -> None:
    job_id = submit(database, deep(), threads=1)
    memory = job._memory(database, job_id, deep())
    with database.read() as session:
        memory.read(session)
        assert job._memory(database, job_id, deep()) is not memory
    sure = job._memory(database, job_id, deep())
    ask(database, sure.read)
    assert job._memory(database, job_id, deep()) is sure
