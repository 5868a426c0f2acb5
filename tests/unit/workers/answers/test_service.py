"""Many users ask at the same time, and new evaluations are stored in the background."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import pytest

from c4core.book import Book
from c4core.evaluation import Analysis
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.errors import ReadOnlyError, UnreachableError
from db.records.evaluations import StoredEvaluation
from tests.support.boards.reference import reference_scores
from tests.support.running.waiting import HANG_SECONDS, await_that, ends
from workers.answers import service as keeping
from workers.answers.find import answer_at_end, answer_stored, evaluate, look_up
from workers.answers.question import Question, line_in_book
from workers.answers.service import SOLVERS, AnswerService, EvaluationWriter, SearchStop, SolverPool

LATE = "532336513633217277452711665127"
HARD = Position(board="9x6")
"""Cannot be solved during a test."""
ENDLESS = Question(time_limit=3600)


def test_a_limit_leaves_bounds_and_no_limit_gives_the_score(service: AnswerService) -> None:
    (answer,) = service.answer([HARD], Question(time_limit=0.05))
    assert answer.lower < answer.upper
    (answer,) = service.answer([Position(LATE)], Question())
    assert answer.scores == reference_scores(Position(LATE))
    assert service.answer_batch([Position(LATE)] * 2, Question())[1].scores == answer.scores
    assert service.answer([], Question()) == []


def await_asked(service: AnswerService, number: int) -> None:
    """Wait until this many users have a solver."""
    pool = (service._interactive, service._batches)
    await_that(lambda: sum(sum(each._users) for each in pool) == number)


def test_a_stop_ends_one_search_and_no_other(service: AnswerService) -> None:
    """Some users share a solver, because there are more users than solvers."""
    stops = [SearchStop() for _ in range(3 * SOLVERS)]
    with ThreadPoolExecutor(len(stops)) as threads:
        asked = [threads.submit(service.answer, [HARD], ENDLESS, stop) for stop in stops]
        await_asked(service, len(stops))
        for stop in stops[1:]:
            stop.set()
        for future in asked[1:]:
            future.result(timeout=HANG_SECONDS)
        assert not asked[0].done()
        stops[0].set()
        (answer,) = asked[0].result(timeout=HANG_SECONDS)
    assert answer.lower < answer.upper


def test_closing_ends_all_searches() -> None:
    service = AnswerService(None, threads=2, table_mb=1)
    with ThreadPoolExecutor(2) as threads:
        asked = [
            threads.submit(call, [HARD], ENDLESS) for call in (service.answer, service.answer_batch)
        ]
        await_asked(service, len(asked))
        service.close()
        for future in asked:
            assert future.result(timeout=HANG_SECONDS)[0].score is None


def test_free_solvers_are_preferred_to_shared_ones() -> None:
    pool = SolverPool(2, threads=1, table_mb=1)
    with pool.taken() as first, pool.taken() as second, pool.taken() as third:
        assert second is not first
        assert third in {first, second}
    with pool.taken() as again:
        assert again is first  # the most recently used table


def test_best_play_is_found_within_its_time(service: AnswerService) -> None:
    position = Position(LATE)
    line = service.find_line(position)
    assert line == Solver().principal_variation(position)
    assert ends(lambda: service.find_line(HARD, time_limit=0.05)) is None
    assert service.find_line(Position("1212121")) == ()
    stop = SearchStop()
    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(service.find_line, HARD, stop=stop)
        await_asked(service, 1)
        stop.set()
        assert found.result(timeout=HANG_SECONDS) is None


@pytest.mark.parametrize("how", ["stop", "close"])
def test_a_stop_just_before_a_search_ends_it(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = AnswerService(None, threads=1, table_mb=1)
    for_line, for_answer = SearchStop(), SearchStop()

    class Late(Solver):
        def analyze(self, *arguments: Any, **options: Any) -> Analysis:  # noqa: ANN401
            for_answer.set() if how == "stop" else service.close()
            return super().analyze(*arguments, **options)

        def principal_variation(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
            for_line.set() if how == "stop" else service.close()
            return super().principal_variation(position)

    monkeypatch.setattr(keeping, "Solver", Late)
    (answer,) = ends(lambda: service.answer([HARD], ENDLESS, for_answer))
    assert answer.score is None
    assert ends(lambda: service.find_line(HARD, stop=for_line)) is None
    service.close()


def test_repeated_stops_of_a_search_start_one_thread() -> None:
    def interrupters() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "c4-interrupt"]

    await_that(lambda: not interrupters())  # of earlier tests
    stops = [SearchStop(), SearchStop()]
    with keeping._interrupting(Solver(table_mb=1), stops):
        for stop in stops * 3:
            stop.set()
        assert len(interrupters()) == 1
    await_that(lambda: not interrupters())


def test_the_book_is_queried_first_and_bounds_a_search() -> None:
    service = AnswerService(None, threads=1, table_mb=1, book=Book.shipped().path)
    answer = service.booked(Position("44"), Question())
    assert answer is not None
    assert answer.scores == (-3, -3, -2, 1, -2, -3, -3)
    assert service.answer([Position("44")], Question())[0].source == "book"
    assert service.booked(HARD, Question()) is None
    # Its score is in the book's last ply, and its columns' scores are not.
    last = Position("444333525152")
    assert service.booked(last, Question()) is None
    (bounded,) = service.answer([last], Question(node_limit=1))
    known = service.booked(last, Question(columns=False))
    assert known is not None
    assert bounded.score == known.score
    line, end = line_in_book(service.book_for(last.board), Position())
    assert line[0] == 3
    assert end.ply == len(line) > 10
    service.close()


@pytest.mark.parametrize(
    "moves", ["1212121", "71212121", "627611313612643311373445565265752224447775"]
)
def test_answers_at_the_end_agree_with_the_engine(moves: str) -> None:
    position = Position(moves)
    found = Solver().analyze(position)
    answer = answer_at_end(position)
    assert (answer.lower, answer.upper, answer.scores) == (found.lower, found.upper, found.scores)


def test_stored_columns_match_the_orientation_of_the_question(sqlite: Database) -> None:
    position = Position(LATE)
    evaluate([position], Question(columns=False), Solver(), sqlite)
    (stored,) = look_up(sqlite, [position]).values()
    assert answer_stored(position, Question(), stored) is None
    evaluate([position], Question(), Solver(), sqlite)
    (stored,) = look_up(sqlite, [position]).values()
    for asked in (position, position.mirrored()):
        answer = answer_stored(asked, Question(), stored)
        assert answer is not None
        assert answer.scores == reference_scores(asked)


POSITIONS = [Position(moves, board="5x4") for moves in ("12", "13", "1423")]


@pytest.mark.parametrize("keeps", [True, False])
def test_results_are_stored_when_the_service_closes(sqlite: Database, *, keeps: bool) -> None:
    """A service with ``keeps=False`` stores nothing."""
    service = AnswerService(sqlite, threads=1, table_mb=1, keeps=keeps)
    for position in (Position(LATE), *POSITIONS):
        service.answer([position], Question())
    service.close()
    scores = [row.score for row in look_up(sqlite, [Position(LATE)]).values()]
    assert scores == ([6] if keeps else [])
    assert len(look_up(sqlite, POSITIONS)) == (3 if keeps else 0)


def test_answers_do_not_need_the_database(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_database: Database) -> None:
        raise UnreachableError("away")

    service = AnswerService(sqlite, threads=1, table_mb=1)
    monkeypatch.setattr(Database, "read", fail)
    monkeypatch.setattr(Database, "write", fail)
    assert service.answer([Position(LATE)], Question())[0].score == 6
    service.close()


ROWS = [
    StoredEvaluation(each.canonical_key, 5, 4, each.ply, -1, 1, 5, ENGINE_VERSION)
    for each in POSITIONS
]


def test_excess_and_late_results_are_dropped(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_WAITING", 1)
    monkeypatch.setattr(keeping, "GATHER_SECONDS", 60.0)
    keeper = EvaluationWriter(sqlite)
    for row in ROWS:
        keeper.keep([row])
    keeper.close()
    keeper.keep([ROWS[2]])
    assert len(look_up(sqlite, POSITIONS)) == 1


def test_a_read_only_database_is_left_alone(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Mock(side_effect=ReadOnlyError("only read"))
    monkeypatch.setattr(keeping, "store_learned", store)
    keeper = EvaluationWriter(sqlite)
    keeper.keep([ROWS[0]])
    await_that(lambda: keeper._is_closed)
    keeper.keep([ROWS[1]])
    keeper.close()
    assert store.call_count == 1
