"""Games and matches: lists, pages, reports, reviews, puzzles, and games that are sent."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from c4core.arena.file_formats import json_object
from c4core.arena.judging import positions_of
from c4core.arena.statistics import Sprt, wilson_interval
from c4core.notation import BoardSize, parse_moves
from c4core.position import Position
from c4core.solver import Solver
from db.checking import check
from db.database import Database
from db.games import create_match
from db.records.matches import Seats
from tests.support.boards.finished_games import finished_games
from tests.support.boards.games import random_games
from tests.support.boards.matches import game, play, store_match, terms
from tests.support.web_api import Api, serving
from web.api.games import LABEL, LARGEST_NUMBER
from workers.answers.find import evaluate
from workers.answers.question import Question
from workers.match.files import game_of, import_games
from workers.match.judging import Judging, read_report
from workers.match.report import match_object
from workers.match.reviews import read_game

GAMES = "/api/v1/games"
MATCHES = "/api/v1/matches"
PUZZLES = "/api/v1/puzzles"
REVIEW = "/api/v1/game"
SMALL = BoardSize(4, 4)
GAME = {"moves": "1212121", "first": "human", "second": "random"}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Matches: a played one, one with a test, an import with a start, and an unplayed one."""
    url = str(tmp_path_factory.mktemp("stored") / "c4.db")
    start = Position("11", board="4x4")
    entries = finished_games(5, board=SMALL, start=start)
    with Database.open(url) as database:
        play(database, terms(games=12, seats=Seats.ALTERNATE))
        play(database, terms(games=6, sprt=Sprt(0, 100)))
        games = [game_of(replace_moves(entry), player_a=None) for entry in entries]
        import_games(database, games, start=start, label="some file")
        store_match(database, [])
    return url


def replace_moves(entry: Any) -> Any:  # noqa: ANN401
    """Keep only the final grid of some games."""
    return entry._replace(moves=None) if entry.winner is None else entry


@pytest.fixture(scope="module")
def api(stored: str) -> Iterator[Api]:
    with serving(database_url=stored) as found:
        yield found


def all_games(api: Api, limit: int = 500, **query: str | float) -> list[dict[str, Any]]:
    return api.every(GAMES, "games", limit, **query)


def test_pages_contain_every_game_once(api: Api, stored: str) -> None:
    found = all_games(api, 4)
    places = [(game["match"], game["number"]) for game in found]
    assert places == sorted(set(places))
    assert len(places) == 12 + 6 + 5
    assert found == all_games(api)
    with Database.open(stored) as database:
        for game in found:
            entry = read_game(database, game["match"], game["number"])
            assert game["length"] == entry.final.ply - entry.start.ply
            for name, value in json_object(entry).items():
                assert game[name] == (str(value) if name in ("seed", "start", "final") else value)
    for game in found:
        assert api.get(f"{GAMES}/{game['match']}/{game['number']}") == game
        assert ("final_grid" in game) == ("moves" not in game)
    grids = {game["start_grid"] for game in found if game["match"] == 3}
    assert grids == {str(Position("11", board="4x4"))}
    assert api.refused(f"{GAMES}/1/12") == (404, None)


def test_openings_count_the_moves_of_games_from_the_empty_board(api: Api) -> None:
    for moves in ("", "4", "44"):
        found = api.get("/api/v1/openings", moves=moves)
        begun = [
            game
            for match in (1, 2)
            for game in all_games(api, match=match)
            if game["moves"].startswith(moves) and len(game["moves"]) > len(moves)
        ]
        assert found["games"] == len(begun)
        mover = "x" if len(moves) % 2 == 0 else "o"
        for column in found["columns"]:
            same = [one for one in begun if one["moves"][len(moves)] == str(column["column"])]
            won = [one for one in same if one["winner"] == mover]
            drawn = [one for one in same if one["winner"] is None]
            assert (column["games"], column["wins"], column["draws"]) == tuple(
                map(len, (same, won, drawn))
            )
            assert column["losses"] == len(same) - len(won) - len(drawn)
            names = [one["first" if mover == "x" else "second"] for one in same]
            assert {one["player"]: one["games"] for one in column["players"]} == Counter(names)
    assert api.get("/api/v1/openings", board="4x4")["games"] == 0  # another start
    assert api.refused("/api/v1/openings", moves="4444444") == (400, "moves")


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ({"match": 2}, lambda game: game["match"] == 2),
        ({"board": "4x4"}, lambda game: game["board"] == "4x4"),
        ({"winner": "x"}, lambda game: game["winner"] == "x"),
        ({"winner": "o", "match": 1}, lambda game: game["winner"] == "o" and game["match"] == 1),
        ({"winner": "draw"}, lambda game: game["winner"] is None),
        ({"ending": "four"}, lambda game: game["ending"] == "four"),
        ({"ending": "crash"}, lambda game: game["ending"] == "crash"),
    ],
)
def test_filters_select_the_matching_games(api: Api, query: dict[str, Any], holds: Any) -> None:  # noqa: ANN401
    assert all_games(api, **query) == [game for game in all_games(api) if holds(game)]


def test_the_list_of_matches(api: Api) -> None:
    found = api.get(MATCHES)["matches"]
    assert [match["match"] for match in found] == [4, 3, 2, 1]
    assert [match["state"] for match in found] == ["unfinished", "imported", "done", "done"]
    assert [match["games"] for match in found] == [0, 5, 6, 12]
    assert found[1]["label"] == "some file"
    for match in found:
        a, b = match["a"], match["b"]
        assert (a["wins"], a["draws"]) == (b["losses"], b["draws"])
    first = api.get(MATCHES, limit=3)
    assert (first["matches"], first["next"]) == (found[:3], "2")
    assert api.get(MATCHES, limit=3, cursor=2) == {"matches": found[3:], "next": None}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_reports_of_matches(api: Api, stored: str, number: int) -> None:
    report = api.get(f"{MATCHES}/{number}", judge=0)
    with Database.open(stored) as database:
        expected = read_report(database, number, Judging(games=0, least_ply=None))
    course = report.pop("course")
    assert report == match_object(expected)
    assert len(course["games"]) == report["games"]
    if report["games"]:
        last = [course[name][-1] for name in ("wins", "losses", "draws")]
        assert last == [report["a"][name] for name in ("wins", "losses", "draws")]
    for won, lost, low, high in zip(
        *(course[name] for name in ("wins", "losses", "low", "high")), strict=True
    ):
        interval = wilson_interval(won, won + lost)
        assert (low, high) == ((None, None) if interval is None else (interval.low, interval.high))


def test_a_report_judges_by_stored_scores(api: Api, stored: str) -> None:
    """The report does not search."""
    assert api.get(f"{MATCHES}/3")["judged_games"] == 0
    with Database.open(stored) as database:
        decisive = next(game for game in all_games(api, match=3) if "moves" in game)
        entry = read_game(database, 3, decisive["number"])
        positions = positions_of(entry.start, parse_moves(entry.moves or "", width=4))
        evaluate(positions, Question(), Solver(table_mb=1), database)
    report = api.get(f"{MATCHES}/3")
    assert report["judged_games"] > 0
    assert report["a"]["accuracy"] or report["b"]["accuracy"]
    assert api.get(f"{MATCHES}/3", judge=0)["judged_games"] == 0


def test_player_names_contain_no_directories(tmp_path: Path) -> None:
    url = str(tmp_path / "c4.db")
    player = "proof:/home/someone/mine.c4proof"
    (entry,) = finished_games(1)
    with Database.open(url) as database:
        game = game_of(entry._replace(first=player), player_a=player)
        import_games(database, [game], player_a=player)
    with serving(database_url=url) as api:
        for path in (MATCHES, f"{MATCHES}/1", GAMES, f"{GAMES}/1/0"):
            shown = json.dumps(api.get(path))
            assert "proof:mine.c4proof" in shown
            assert "someone" not in shown


def test_the_largest_numbers_on_any_database(database: Database, rows_url: str) -> None:
    """The database accepts each of these numbers in a query."""
    match = store_match(database, [])
    largest = LARGEST_NUMBER
    with serving(database_url=rows_url) as api:
        assert api.get(GAMES, match=match, cursor=f"{largest}:{largest}")["games"] == []
        assert [each["match"] for each in api.get(MATCHES, cursor=largest)["matches"]] == [match]
        for path in (f"{GAMES}/{largest}/{largest}", f"{MATCHES}/{largest}"):
            assert api.refused(path) == (404, None)
        ends = {"min_ply": 0, "max_ply": 64, "min_score": -64, "max_score": 64}
        found = api.get("/api/v1/evaluations", cursor=f"64:{(1 << 64) - 1}", limit=1_000, **ends)
        assert found == {"rows": [], "next": None}


def test_puzzles_of_random_play(api: Api) -> None:
    asked = {"board": "5x5", "count": 3, "budget": 30}
    found = api.get(PUZZLES, **asked, seed=4)
    assert (len(found["puzzles"]), found["complete"]) == (3, True)
    for fields in found["puzzles"]:
        position = Position(fields["moves"], board="5x5")
        assert (fields["grid"], fields["key"]) == (str(position), str(position.key))
        line = parse_moves(fields["line"], width=5)
        assert (fields["solution"], fields["length"]) == (line[0] + 1, len(line))
        assert positions_of(position, line)[-1].play(line[-1]).is_over
    assert api.get(PUZZLES, **asked, seed=4) == found
    assert api.get(PUZZLES, **asked, seed=5) != found
    assert api.get(PUZZLES, budget=0) == {"puzzles": [], "complete": False}


def test_puzzles_of_stored_games(api: Api) -> None:
    found = api.get(PUZZLES, match=1, count=20, budget=30, seed=1)
    places = [(fields["match"], fields["number"]) for fields in found["puzzles"]]
    assert {match for match, _ in places} <= {1}
    assert len(set(places)) == len(places)
    assert found["complete"]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Api]:
    """A server with an empty database."""
    with serving(database_url=str(tmp_path / "c4.db")) as found:
        yield found


def test_games_of_the_same_players_are_one_match(fresh: Api) -> None:
    first = fresh.post(GAMES, GAME)
    assert (first["number"], first["winner"], first["ending"]) == (0, "x", "four")
    resigned = {"moves": "44", "winner": "x", "ending": "resigned"}
    second = fresh.post(GAMES, {"first": "random", "second": "human"} | resigned)
    assert (second["match"], second["number"]) == (first["match"], 1)
    others = [
        fresh.post(GAMES, GAME | {"second": "human"}),
        fresh.post(GAMES, {"board": "5x4", "moves": "1212121"}),
        fresh.post(GAMES, GAME | {"start": str(Position("77").key)}),
    ]
    assert len({first["match"], *(other["match"] for other in others)}) == 4
    found = fresh.get(GAMES, match=first["match"])["games"]
    assert [(game["number"], game["first"], game["winner"]) for game in found] == [
        (0, "human", "x"),
        (1, "random", "x"),
    ]
    report = fresh.get(f"{MATCHES}/{first['match']}")
    assert (report["label"], report["games"], report["finished"]) == (LABEL, 2, True)
    assert (report["a"]["wins"], report["b"]["wins"]) == (1, 1)
    assert not list(check(fresh.service.require_database()))


def test_a_match_that_is_looked_up_gets_no_more_games(fresh: Api) -> None:
    first = fresh.post(GAMES, GAME)["match"]
    with fresh.service.require_database().write() as session:
        create_match(session, terms(corpus=(first,)))
    assert fresh.post(GAMES, GAME)["match"] != first
    assert len(fresh.get(GAMES, match=first)["games"]) == 1


def test_a_game_given_by_its_moves_is_reviewed(api: Api) -> None:
    (entry,) = finished_games(1, board=SMALL)
    review = api.get(REVIEW, moves=entry.moves, board="4x4", budget=30)
    assert (review["board"], review["moves"], review["start"]) == ("4x4", entry.moves, None)
    assert (review["winner"], review["ending"]) == (entry.winner, str(entry.ending))
    assert review["complete"]
    judged = review["moves_judged"]
    assert [move["ply"] for move in judged] == list(range(len(entry.moves or "")))
    assert "".join(str(move["column"]) for move in judged) == entry.moves
    turns = [move["ply"] for move in judged if move["changes_result"]]
    assert review["turning_points"] == turns
    for earlier, later in pairwise(judged):
        assert earlier["after"] == -later["before"]  # seen from the other side
        assert earlier["plies_after"] == later["plies_before"]
    (moves,) = random_games(1, empty=20)
    late = api.get(REVIEW, moves=moves, budget=0)
    assert (late["complete"], late["ending"]) == (False, "unfinished")
    assert late["moves_judged"][0]["before"] is None


def test_a_game_in_the_request_is_reviewed(api: Api) -> None:
    start = Position("1122", board="4x4")
    (entry,) = finished_games(1, board=SMALL, start=start)
    fields = json_object(entry)
    review = api.post(REVIEW, fields, budget=30)
    assert (review["start"], review["complete"]) == (str(start), True)
    as_text = fields | {"start": str(fields["start"]), "unknown": [1]}
    again = api.post(REVIEW, as_text, budget=30)
    assert again["moves_judged"] == review["moves_judged"]


def test_a_stored_game_is_reviewed_and_can_be_sent_back(fresh: Api) -> None:
    database = fresh.service.require_database()
    (entry,) = finished_games(1)
    fields = {"moves": entry.moves, "final_key": entry.final.key, "winner": entry.winner}
    fields |= {"length": entry.final.ply, "ending": str(entry.ending), "seed": 1 << 63}
    match = store_match(database, [game(0), game(1, moves=None), game(2, **fields)])
    review = fresh.get(REVIEW, match=match, number=0, budget=0)
    assert (review["moves"], review["first"]) == ("4343434", "set:fallback=vector")
    without = fresh.get(REVIEW, match=match, number=1)
    assert (without["moves"], without["complete"], without["moves_judged"]) == (None, False, [])
    assert fresh.refused(REVIEW, match=match, number=3) == (404, None)
    assert fresh.refused(REVIEW, match=match + 1, number=0) == (404, None)
    sent = fresh.get(f"{GAMES}/{match}/2")
    assert sent["seed"] == str(1 << 63)
    assert fresh.post(REVIEW, sent, budget=0)["moves"] == entry.moves
