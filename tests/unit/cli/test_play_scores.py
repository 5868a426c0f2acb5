"""Exact scores and stored games for the players and hints of ``c4 play``."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from c4core import Position, Solver
from c4core.players import parse_player
from cli.commands.play.opponents import GameResources, Scores
from db.database import Database
from tests.support.running.waiting import HANG_SECONDS, await_that
from workers.match.files import game_of_moves, import_games

MIDDLE = "44444556"


def scores(database: Database | None, told: list[str] | None = None) -> Scores:
    return Scores(
        database,
        table_mb=4,
        threads=1,
        on_trouble=(lambda _: None) if told is None else told.append,
    )


def test_scores_agree_with_the_solver_and_are_kept(database: Database) -> None:
    position = Position(MIDDLE)
    expected = Solver().analyze(position)
    answer = scores(database).ask(position)
    assert (answer.scores, answer.source) == (expected.scores, "search")
    again = scores(database).analyze(position)
    assert (again.scores, again.score, again.nodes) == (expected.scores, expected.score, 0)


def test_the_game_continues_without_its_database(sqlite_path: Path) -> None:
    told: list[str] = []
    with Database.open(str(sqlite_path)) as database:
        asked = scores(database, told)
        with closing(sqlite3.connect(sqlite_path)) as connection:
            connection.execute("DROP TABLE evaluations")
        assert asked.ask(Position(MIDDLE)).scores is not None
        assert asked.ask(Position(MIDDLE[:-1])).scores is not None
    assert len(told) == 1
    assert told[0].startswith("the game continues without the database: ")


def test_giving_up_a_search_does_not_affect_the_next() -> None:
    asked = scores(None)
    answers = []
    long = Position(width=9, height=6)  # takes hours
    thread = threading.Thread(target=lambda: answers.append(asked.ask(long)))
    thread.start()
    await_that(lambda: asked._searching)
    asked.give_up()
    assert asked.ask(Position(MIDDLE)).score is not None
    thread.join(HANG_SECONDS)
    assert answers[0].score is None


def test_only_some_players_look_up_stored_games(database: Database) -> None:
    game = game_of_moves("1122334", start=Position())
    import_games(database, [game], start=Position())
    resources = GameResources(scores(None), database)
    for name in ("random", "perfect"):
        found = resources.of(parse_player(name), Position().board)
        assert (found.analyst is not None, found.final_games) == (True, None)
    found = resources.of(parse_player("database-montecarlo"), Position().board)
    assert found.final_games is not None
    assert found.final_games.tally(Position("112233"))[3] == (1, 1, 0)
