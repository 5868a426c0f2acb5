"""Reviews of games: every move judged, within a budget; single games, or many in one job."""

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Final

import pytest

from c4core.arena.file_formats import game_of_moves
from c4core.arena.files import GameEntry
from c4core.notation import BoardSize, column_label
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from db.errors import GameNotFoundError, MatchNotFoundError
from db.jobs import control
from db.records.jobs import JobState
from tests.support.boards.finished_games import finished_games
from tests.support.boards.games import random_games
from tests.support.boards.matches import game, run_job, store_match
from tests.support.boards.reference import ReferenceSolver, columns_of
from tests.support.jobs import state_of
from tests.support.running.databases import FakeClock, do
from workers.answers import service as answering
from workers.answers.question import Answer, Question
from workers.answers.service import KNOWN, AnswerService
from workers.core.follow import read_job
from workers.match.reviews import (
    Review,
    moved_from,
    plan_reviews,
    read_game,
    review_game,
    review_object,
    review_rows,
    reviewed_moves,
    reviews_of,
)

SMALL: Final = BoardSize(4, 4)
LARGE: Final = BoardSize(7, 6)
WIDE: Final = BoardSize(5, 4)


def test_every_move_agrees_with_the_oracle(service: AnswerService) -> None:
    oracle = ReferenceSolver(SMALL.height)
    for number, moves in enumerate(random_games(8, empty=9, board=SMALL)):
        start = Position(moves, board="4x4")
        (entry,) = finished_games(1, seed=number, board=SMALL, start=start)
        review = review_game(entry, service)
        assert review.is_complete
        shown = review_object(review)
        assert (shown["start"], shown["complete"]) == (str(start), True)
        position, turns = entry.start, []
        for move in shown["moves_judged"]:
            before = oracle.score(columns_of(position))
            after = position.play(move["column"] - 1)
            value = -oracle.score(columns_of(after))
            assert (move["ply"], move["side"]) == (position.ply, position.turn)
            assert (move["before"], move["after"], move["loss"]) == (before, value, before - value)
            for column in move["best"]:
                assert -oracle.score(columns_of(position.play(column - 1))) == before
            changes = (value > 0) - (value < 0) < (before > 0) - (before < 0)
            assert move["changes_result"] == changes == (move["mark"] == "??")
            turns += [position.ply] * changes
            position = after
        assert review.turning_points == tuple(turns)


def test_plies_to_the_end_agree_with_the_game(service: AnswerService) -> None:
    """The numbers equal the moves that followed, in a game of best moves."""
    solver, position, moves = Solver(table_mb=1), Position(board="5x4"), ""
    while not position.is_over:
        column = solver.analyze(position).best[0]
        moves += column_label(column)
        position = position.play(column)
    shown = review_object(review_game(game_of_moves(moves, BoardSize(5, 4)), service))
    left = [(move["plies_before"], move["plies_after"]) for move in shown["moves_judged"]]
    assert left == [(number, number - 1) for number in range(len(moves), 0, -1)]
    assert not any(move["loss"] for move in shown["moves_judged"])


def test_moves_beyond_the_budget_stay_open(
    monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    class Slow(AnswerService):
        """Searches early positions until the limit, and finds nothing."""

        def answer(
            self, positions: Sequence[Position], question: Question, *stop: threading.Event
        ) -> list[Answer]:
            if question.time_limit is not None and positions[0].ply < 16:
                limits.append(question.time_limit)
                clock.time += question.time_limit
                question = KNOWN
            return super().answer(positions, question, *stop)

    limits: list[float] = []
    monkeypatch.setattr(answering, "time", SimpleNamespace(monotonic=clock))
    slow = Slow(None, threads=1, table_mb=1)
    (moves,) = random_games(1, empty=16)
    review = review_game(game_of_moves(moves, LARGE), slow, budget=1.5)
    slow.close()
    assert limits == [1.5]
    known = [move.judged is not None for move in review.moves]
    assert not review.is_complete
    assert not known[0]
    assert known[-1]  # the end of the game is reviewed first
    first = review_object(review)["moves_judged"][0]
    assert (first["before"], first["after"], first["best"], first["mark"]) == (None, None, [], "")
    assert first["changes_result"] is False


def test_a_stop_ends_it(service: AnswerService) -> None:
    stop = threading.Event()
    stop.set()
    review = review_game(game_of_moves("44", LARGE), service, stop=stop)
    assert [move.judged for move in review.moves] == [None, None]


def test_a_game_without_moves(service: AnswerService) -> None:
    (entry,) = finished_games(1)
    review = review_game(entry._replace(moves=None), service)
    assert (review.moves, review.is_complete) == ((), False)
    assert review_object(review)["moves"] is None
    assert review_game(game_of_moves("", LARGE), service).is_complete  # no move was played


def test_a_stored_game(database: Database, service: AnswerService) -> None:
    match = store_match(database, [game(0), game(1)])
    entry = read_game(database, match, 1)
    assert (entry.moves, entry.winner, entry.number) == ("4343434", "x", 1)
    assert review_game(entry, service, budget=0).game is entry
    with pytest.raises(GameNotFoundError, match="has no game 2"):
        read_game(database, match, 2)
    with pytest.raises(MatchNotFoundError):
        read_game(database, match + 1, 0)


def test_games_of_moves() -> None:
    found = [game_of_moves(moves, LARGE) for moves in ("", "4", "1212121")]
    assert [(str(entry.ending), entry.winner, entry.moves) for entry in found] == [
        ("unfinished", None, ""),
        ("unfinished", None, "4"),
        ("four", "x", "1212121"),
    ]


def test_results_are_known_the_next_time(database: Database) -> None:
    (entry,) = finished_games(1, board=SMALL)
    reviews = []
    for budget in (60, 0):
        service = AnswerService(database, threads=1, table_mb=1)
        reviews.append(review_game(entry, service, budget=budget))
        service.close()  # stores the waiting results
    assert reviews[0].nodes > 0
    assert (reviews[1].is_complete, reviews[1].nodes) == (True, 0)


def small_games() -> list[GameEntry]:
    return finished_games(12, seed=5, board=SMALL)


def test_reviews_of_a_job_agree_with_those_of_single_games(
    database: Database, service: AnswerService
) -> None:
    games = [*small_games(), *finished_games(3, seed=6, board=WIDE)]
    first, second = plan_reviews(database, games)
    assert read_job(database, first.job_id).board == SMALL
    assert read_job(database, second.job_id).board == WIDE
    for job in (first, second):
        run_job(database, job.job_id)
    assert plan_reviews(database, games) == []
    reviews = list(reviews_of(database, games, service))
    assert [review.game for review in reviews] == games
    for review in reviews:
        alone = review_object(review_game(review.game, service))
        together = review_object(review)
        assert together["complete"]
        for fields in (alone, together):
            del fields["nodes"], fields["seconds"]
        assert together == alone


def test_the_same_games_find_their_job(database: Database) -> None:
    games = small_games()
    (made,) = plan_reviews(database, games, label="a name")
    (found,) = plan_reviews(database, list(reversed(games)))
    assert found.job_id == made.job_id
    do(database, control.cancel_job, made.job_id)
    (resumed,) = plan_reviews(database, games)
    assert resumed.job_id == made.job_id
    assert state_of(database, made.job_id) is JobState.RUNNING
    (part,) = plan_reviews(database, games[:4])
    assert part.job_id != made.job_id
    run_job(database, part.job_id)
    (rest,) = plan_reviews(database, games)
    assert rest.job_id == made.job_id
    assert rest.positions < made.positions


def test_without_a_job_nothing_is_judged(database: Database) -> None:
    unknown, over = game_of_moves("1234", SMALL), game_of_moves("", SMALL)
    reviews = list(reviews_of(database, [unknown, over]))
    assert [len(review.moves) for review in reviews] == [4, 0]
    assert not any(move.judged for move in reviews[0].moves)
    assert reviews[0].accuracy("x") is None
    assert plan_reviews(database, [over]) == []
    assert list(reviews_of(database, [])) == []


@pytest.mark.parametrize("moves", ["1213", "121212"])
def test_a_review_has_an_svg_representation(database: Database, moves: str) -> None:
    games = [game_of_moves(moves, SMALL)._replace(first="a", second="<b>")]
    assert "a against &lt;b&gt;" in next(reviews_of(database, games))._repr_svg_()
    (job,) = plan_reviews(database, games)
    run_job(database, job.job_id)
    (review,) = reviews_of(database, games)
    assert review.is_complete
    assert review.picture().width > 0


def test_rows_of_moves_are_flat_and_complete(service: AnswerService) -> None:
    entry = game_of_moves("44", LARGE)
    unknown = Review(entry, reviewed_moves(entry, moved_from(entry), [None, None]), 0, 0.0)
    known = review_game(game_of_moves("1213", SMALL), service)
    rows = list(review_rows([known, unknown]))
    assert [(row["game"], row["move"]) for row in rows] == [
        *((1, number) for number in range(1, 5)),
        *((2, number) for number in range(1, 3)),
    ]
    assert len({tuple(row) for row in rows}) == 1
    assert not any(isinstance(value, list | dict | tuple) for row in rows for value in row.values())
    for row, move in zip(rows, review_object(known)["moves_judged"], strict=False):
        assert (row["after"], row["column"]) == (move["after"], move["column"])
        assert row["best"] == " ".join(map(str, move["best"]))
    assert (rows[-1]["before"], rows[-1]["best"]) == (None, None)
