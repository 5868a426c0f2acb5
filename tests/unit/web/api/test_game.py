"""``/api/v1/game``: reviews of moves, of stored games, and of games in the request."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from c4core.arena.file_formats import json_object
from c4core.notation import BoardSize
from c4core.position import Position
from db.database import Database
from tests.support.boards.finished_games import finished_games
from tests.support.boards.games import random_games
from tests.support.boards.matches import game, store_match
from tests.support.web_api import Api, serving

PATH = "/api/v1/game"
SMALL = BoardSize(4, 4)


@pytest.fixture(scope="module")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("game") / "c4.db")


@pytest.fixture(scope="module")
def bare(database_url: str) -> Iterator[Api]:
    with serving(database_url=database_url) as found:
        yield found


def test_a_game_given_by_its_moves_is_reviewed(api: Api) -> None:
    (entry,) = finished_games(1, board=SMALL)
    review = api.get(PATH, moves=entry.moves, board="4x4", budget=30)
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


def test_moves_beyond_the_budget_stay_open(api: Api) -> None:
    (moves,) = random_games(1, empty=20)
    review = api.get(PATH, moves=moves, budget=0)
    assert not review["complete"]
    assert review["moves_judged"][0]["before"] is None
    assert review["ending"] == "unfinished"


def test_a_stored_game_is_reviewed(api: Api, database_url: str) -> None:
    with Database.open(database_url) as database:
        match = store_match(database, [game(0), game(1, moves=None)])
    review = api.get(PATH, match=match, number=0, budget=0)
    assert (review["moves"], review["first"]) == ("4343434", "set:fallback=vector")
    without = api.get(PATH, match=match, number=1)
    assert (without["moves"], without["complete"], without["moves_judged"]) == (None, False, [])
    assert api.refused(PATH, match=match, number=2) == (404, None)
    assert api.refused(PATH, match=match + 1, number=0) == (404, None)


def test_a_game_in_the_request_is_reviewed(api: Api) -> None:
    start = Position("1122", width=4, height=4)
    (entry,) = finished_games(1, board=SMALL, start=start)
    fields = json_object(entry)
    review = api.post(PATH, fields, budget=30)
    assert review["start"] == str(start)
    assert review["complete"]
    as_text = fields | {"start": str(fields["start"]), "unknown": [1]}
    again = api.post(PATH, as_text, budget=30)
    assert again["moves_judged"] == review["moves_judged"]


def test_a_stored_game_can_be_sent_back(api: Api, database_url: str) -> None:
    (entry,) = finished_games(1)
    fields = {"moves": entry.moves, "final_key": entry.final.key, "winner": entry.winner}
    with Database.open(database_url) as database:
        stored = game(0, **fields, length=entry.final.ply, ending=str(entry.ending), seed=1 << 63)
        match = store_match(database, [stored])
    sent = api.get(f"/api/v1/games/{match}/0")
    assert sent["seed"] == str(1 << 63)
    assert api.post(PATH, sent, budget=0)["moves"] == entry.moves


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({}, "moves"),
        ({"moves": "8"}, "moves"),
        ({"moves": "44", "board": "99x99"}, "board"),
        ({"moves": "44", "match": 1, "number": 1}, "moves"),
        ({"match": 1, "number": 1, "board": "7x6"}, "board"),
        ({"match": 1}, "number"),
        ({"number": 1}, "match"),
        ({"match": 10**30, "number": 0}, "match"),
        ({"moves": "44", "budget": 31}, "budget"),
        ({"moves": "44", "player": "perfect"}, "player"),
        ({"moves": "1212121" + "3"}, "moves"),
    ],
)
def test_bad_queries_are_refused(api: Api, query: dict[str, Any], field: str) -> None:
    assert api.refused(PATH, **query) == (400, field)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "moves"),
        ({"moves": 44}, "moves"),
        ({"moves": "44"}, "ending"),  # neither side has won yet
        ({"moves": "1212121", "winner": "o"}, "winner"),
        ({"moves": "1212121", "winner": ["x"] * 10_000}, "winner"),
        ({"moves": "44", "start": "x"}, "start"),
        ({"moves": "1212121", "seed": True}, "seed"),
        ([], None),
    ],
)
def test_bad_games_are_refused(api: Api, body: object, field: str | None) -> None:
    assert api.refused(PATH, body) == (400, field)


def test_without_a_database_the_answer_is_503() -> None:
    with serving() as api:
        assert api.refused(PATH, match=1, number=1) == (503, None)
        assert api.get(PATH, moves="1212121", budget=0)["winner"] == "x"
