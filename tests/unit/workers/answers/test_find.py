"""Answers from stored results and from searching, compared with the slow oracle."""

import json
import threading
import time
from collections.abc import Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from c4core.book import Book
from c4core.evaluation import score_limits
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.errors import ReadOnlyError
from db.records.evaluations import StoredEvaluation
from tests.support.boards import reference
from tests.support.boards.games import random_games
from tests.support.running.waiting import await_that
from workers.answers.find import BatchResult, evaluate, find_answers, search_with
from workers.answers.question import Question

# The oracle is slow, and many tests ask it about the same positions.
reference_score = cache(reference.reference_score)
reference_scores = cache(reference.reference_scores)

COLUMNS = Question()
SCORE = Question(columns=False)
WEAK = Question(columns=False, weak=True)


def small(moves: str) -> Position:
    return Position(moves, board="5x4")


GAMES = [small(moves) for moves in random_games(12, empty=8, board=BoardSize(5, 4))]
OVER = small("1212121")
LOPSIDED = next(game for game in GAMES if game.canonical_key != game.mirrored().key)


def stored(position: Position, lower: int, upper: int) -> StoredEvaluation:
    assert position.key == position.canonical_key
    return StoredEvaluation(
        position.key, *position.board, position.ply, lower, upper, 99, ENGINE_VERSION
    )


def ask(
    positions: list[Position],
    question: Question = COLUMNS,
    known: Mapping[int, StoredEvaluation] | None = None,
) -> BatchResult:
    return find_answers(positions, question, search_with(Solver(table_mb=1)), known or {})


@pytest.mark.parametrize("count", [1, len(GAMES)])
@pytest.mark.parametrize("question", [COLUMNS, SCORE])
def test_positions_have_their_scores(question: Question, count: int) -> None:
    """A finished game is answered, too, and not stored."""
    positions = [OVER, OVER.mirrored(), *GAMES[:count]]
    findings = ask(positions, question)
    assert findings.is_complete
    for position, answer in zip(positions, findings.answers, strict=True):
        assert answer.score == reference_score(position)
        assert answer.scores == (reference_scores(position) if question.columns else None)
        assert answer.source == "search"
    assert not {OVER.key, OVER.mirrored().key} & {row.key for row in findings.learned}


def test_a_weak_answer_has_the_outcome() -> None:
    findings = ask(GAMES, WEAK)
    assert findings.is_complete
    for position, answer in zip(GAMES, findings.answers, strict=True):
        score = reference_score(position)
        assert answer.value == ("win" if score > 0 else "loss" if score < 0 else "draw")
        assert answer.lower <= score <= answer.upper
    position = next(game for game in GAMES if game.key == game.canonical_key)
    (answer,) = ask([position], WEAK, {position.key: stored(position, 1, 5)}).answers
    assert (answer.source, answer.lower, answer.upper, answer.value) == ("db", 1, 5, "win")


def test_mirror_images_and_repetitions_are_searched_once() -> None:
    position = LOPSIDED
    findings = ask([position, position.mirrored(), position])
    first, second, third = findings.answers
    assert first.scores == reference_scores(position)
    assert second.scores == first.scores[::-1]
    assert third.scores == first.scores
    assert first.nodes == findings.nodes > 0
    assert (second.nodes, third.nodes) == (0, 0)
    (learned,) = findings.learned
    canonical = Position.from_key(position.canonical_key, board="5x4")
    assert (learned.key, learned.scores) == (canonical.key, reference_scores(canonical))
    assert learned.score == reference_score(position)
    assert (learned.width, learned.height, learned.ply) == (5, 4, position.ply)
    assert learned.engine_version == ENGINE_VERSION


@pytest.mark.parametrize("position", [LOPSIDED, LOPSIDED.mirrored()])
def test_known_positions_are_not_searched(position: Position) -> None:
    (known,) = ask([position]).learned
    findings = ask([position], known={known.key: known})
    assert (findings.nodes, findings.learned, findings.is_complete) == (0, [], True)
    (answer,) = findings.answers
    assert (answer.source, answer.nodes) == ("db", 0)
    assert answer.scores == reference_scores(position)
    (answer,) = ask([position], SCORE, {known.key: known}).answers
    assert (answer.source, answer.scores) == ("db", None)


def test_partly_known_positions_are_searched() -> None:
    position = next(game for game in GAMES if game.key == game.canonical_key)
    score = reference_score(position)
    for known, question in [
        (stored(position, score, score), COLUMNS),
        (stored(position, score - 1, score), SCORE),
        (stored(position, -10, 10), WEAK),
    ]:
        findings = ask([position], question, {position.key: known})
        assert findings.answers[0].source == "search"
        assert findings.answers[0].lower >= known.lower
        assert findings.answers[0].upper <= known.upper
        assert len(findings.learned) == 1


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("count", [1, 20])
def test_limits_leave_correct_bounds(columns: bool, count: int) -> None:  # noqa: FBT001
    positions = [Position(f"4{column}{other}") for column in "123" for other in "1234567"][:count]
    findings = ask(positions, Question(columns=columns, node_limit=0))
    assert not findings.is_complete
    assert findings.learned == []
    for position, answer in zip(positions, findings.answers, strict=True):
        lowest, highest = score_limits(position.ply, DEFAULT_BOARD)
        assert lowest <= answer.lower < -10
        assert 10 < answer.upper <= highest
        assert answer.score is None
        assert answer.value is None
        assert answer.best == ()
    position = Position("4")
    known = {position.key: stored(position, -3, 2)}
    (answer,) = ask([position], Question(columns=columns, node_limit=0), known).answers
    assert (answer.lower, answer.upper) == (-3, 2)


def test_a_resumed_search_has_the_rest_of_its_limit() -> None:
    limit = 50_000
    given: list[int | None] = []

    class Interrupted(Solver):
        """Is stopped by another user after most of its node limit."""

        def solve(self, position: Position, *, node_limit: int | None = None, **more: Any) -> Any:  # noqa: ANN401
            given.append(node_limit)
            if len(given) == 1:
                node_limit = 40_000
            return super().solve(position, node_limit=node_limit, **more)

    asked = Question(columns=False, node_limit=limit)
    search = search_with(Interrupted(table_mb=1))
    (answer,) = find_answers([Position("")], asked, search, {}).answers
    assert given[0] == limit
    assert len(given) == 2
    assert 0 < (given[1] or 0) <= 0.2 * limit
    assert 0.8 * limit <= answer.nodes <= 1.1 * limit


def test_the_time_limit_applies_to_each_position() -> None:
    start = time.monotonic()
    ask([Position(""), Position("1"), Position("2")], Question(time_limit=0.05))
    assert time.monotonic() - start > 0.1


@pytest.mark.parametrize("count", [1, 40])
def test_a_stop_ends_the_search_and_keeps_known_results(count: int) -> None:
    easy = [Position(moves) for moves in random_games(4, empty=12)]
    hard = [Position(moves) for moves in ["", *map("".join, product("1234567", repeat=2))]][:count]
    solver = Solver(table_mb=1)
    stopping = threading.Event()

    def stop() -> None:
        # The easy positions are done by then: they take less time.
        await_that(lambda: (solver.progress[0] or 0) > 500_000)
        stopping.set()
        solver.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    search = search_with(solver, stopping.is_set)
    findings = find_answers([*easy, *hard], COLUMNS, search, {})
    stopper.join()
    assert not findings.is_complete
    assert len(findings.answers) == len(easy) + count
    assert findings.answers[0].score is not None
    assert findings.answers[-1].score is None
    assert len(findings.learned) >= 1
    assert all(evaluation.lower <= evaluation.upper for evaluation in findings.learned)


@pytest.mark.parametrize("count", [1, 20])
def test_a_stop_meant_for_others_is_overcome(count: int) -> None:
    positions = [Position(moves) for moves in random_games(count, empty=22)]
    solver = Solver(table_mb=1)
    over = threading.Event()

    def nag() -> None:
        for _ in range(20):  # each time after some progress
            searched = solver.progress[0]
            await_that(lambda: over.is_set() or solver.progress[0] > searched)  # noqa: B023
            solver.stop()

    nagger = threading.Thread(target=nag)
    nagger.start()
    findings = find_answers(positions, COLUMNS, search_with(solver), {})
    over.set()
    nagger.join()
    assert findings.is_complete
    calm = Solver(table_mb=1)
    for position, answer in zip(positions, findings.answers, strict=True):
        assert answer.scores == calm.analyze(position).scores


def test_positions_are_answered_even_if_they_cannot_be_stored(
    sqlite_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL may allow reading and not writing, and reports that only on a write."""
    told: list[bool] = []

    def refuse(*_arguments: object) -> None:
        raise ReadOnlyError("no permission")

    with Database.open(str(sqlite_path)) as database:
        monkeypatch.setattr(Database, "run", refuse)
        (answer,) = evaluate(
            GAMES[:1], COLUMNS, Solver(table_mb=1), database, on_not_kept=lambda: told.append(True)
        )
    assert answer.score == reference_score(GAMES[0])
    assert told == [True]


def test_a_question_round_trips_through_a_job() -> None:
    limits = Question(time_limit=0.5), Question(columns=False, node_limit=1000, time_limit=2.0)
    for question in (COLUMNS, SCORE, WEAK, *limits):
        assert Question.from_params(json.loads(json.dumps(question.as_params()))) == question
    # Jobs of earlier versions are understood.
    assert Question.from_params({"score_only": True, "zero_based": False}) == SCORE
    assert COLUMNS.as_params() == {"score_only": False}
    with pytest.raises(ValueError, match="not for their columns"):
        Question(weak=True)


def test_a_book_with_the_score_but_not_the_columns_narrows_the_bounds() -> None:
    book = Book.shipped(BoardSize(8, 7))
    assert book.info.last_ply == 0
    start = Position(board="8x7")
    question = Question(node_limit=1000)
    found = find_answers([start, start.play(0)], question, search_with(Solver()), {}, book=book)
    first, second = found.answers
    assert (first.score, first.source, first.nodes > 0) == (2, "search", True)
    assert first.scores == (None,) * 8
    assert second.score is None
    assert [row.key for row in found.learned] == [start.canonical_key, start.play(0).canonical_key]
    assert found.learned[0].lower < found.learned[0].upper  # proven here, without the book
    score_only = Question(columns=False, node_limit=1000)
    [answer] = find_answers([start], score_only, search_with(Solver()), {}, book=book).answers
    assert (answer.score, answer.source, answer.nodes) == (2, "book", 0)
