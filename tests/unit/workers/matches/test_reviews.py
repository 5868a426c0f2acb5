"""Reviews of many games: a job finds the scores, and the reviews are those of single games."""

from typing import Final

import pytest

from c4core.arena.file_formats import game_of_moves
from c4core.arena.files import GameEntry
from c4core.notation import BoardSize
from db import jobs
from db.database import Database
from db.records.jobs import JobState
from tests.support.boards.finished_games import finished_games
from tests.support.boards.matches import run_job
from workers.core.follow import read_job
from workers.matches.reviews.game import review_game
from workers.matches.reviews.many import plan_reviews, reviews_of
from workers.matches.reviews.reviewed import review_object
from workers.positions.desk import Desk

SMALL: Final = BoardSize(4, 4)
WIDE: Final = BoardSize(5, 4)


def small_games(count: int = 12) -> list[GameEntry]:
    return finished_games(count, seed=5, board=SMALL)


def test_they_are_those_of_single_games(database: Database) -> None:
    games = [*small_games(), *finished_games(3, seed=6, board=WIDE)]
    first, second = plan_reviews(database, games)
    assert read_job(database, first.job_id).board == SMALL
    assert read_job(database, second.job_id).board == WIDE
    for job in (first, second):
        run_job(database, job.job_id)
    assert plan_reviews(database, games) == []
    reviews = list(reviews_of(database, games))
    assert [review.game for review in reviews] == games
    desk = Desk(None, threads=1, table_mb=1)
    try:
        for review in reviews:
            alone = review_object(review_game(review.game, desk))
            together = review_object(review)
            assert together["complete"]
            for fields in (alone, together):
                del fields["nodes"], fields["seconds"]
            assert together == alone
    finally:
        desk.close()


def test_the_same_games_find_their_job_again(database: Database) -> None:
    games = small_games()
    (made,) = plan_reviews(database, games, label="a name")
    (found,) = plan_reviews(database, list(reversed(games)))
    assert found.job_id == made.job_id
    with database.write() as session:
        jobs.cancel_job(session, made.job_id)
    (resumed,) = plan_reviews(database, games)
    assert resumed.job_id == made.job_id
    assert read_job(database, made.job_id).state is JobState.RUNNING
    (other,) = plan_reviews(database, games[:3])
    assert other.job_id != made.job_id


def test_a_job_that_has_found_some_is_gone_on_with(database: Database) -> None:
    games = small_games()
    (made,) = plan_reviews(database, games)
    (part,) = plan_reviews(database, games[:4])
    run_job(database, part.job_id)
    (found,) = plan_reviews(database, games)
    assert found.job_id == made.job_id
    assert found.positions < made.positions


def test_without_a_job_nothing_is_judged(database: Database) -> None:
    unknown, over = game_of_moves("1234", SMALL), game_of_moves("", SMALL)
    reviews = list(reviews_of(database, [unknown, over]))
    assert [len(review.moves) for review in reviews] == [4, 0]
    assert not any(move.judged for move in reviews[0].moves)
    assert reviews[0].accuracy("x") is None
    assert plan_reviews(database, [over]) == []
    assert list(reviews_of(database, [])) == []


@pytest.mark.parametrize("moves", ["1213", "121212"])
def test_a_review_shows_itself(database: Database, moves: str) -> None:
    games = [game_of_moves(moves, SMALL)._replace(first="a", second="<b>")]
    assert "a against &lt;b&gt;" in next(reviews_of(database, games))._repr_svg_()
    (job,) = plan_reviews(database, games)
    run_job(database, job.job_id)
    (review,) = reviews_of(database, games)
    assert review.is_complete
    assert review.picture().width > 0
