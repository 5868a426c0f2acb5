"""``GET /api/v1/position``: everything about a position, and answers when time is short."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from db.jobs import watching
from tests.support.boards.reference import reference_scores
from tests.support.running.waiting import await_that
from tests.support.web_api import Api, serving
from web.settings import Limits
from workers.answers.find import look_up

LATE = "532336513633217277452711665127"
"""Solved in microseconds."""
HARD = {"board": "9x6"}
"""An empty board that cannot be solved during a test."""
PATH = "/api/v1/position"


@pytest.fixture
def api(sqlite_path: Path) -> Iterator[Api]:
    """A server with an empty database."""
    with serving(database_url=str(sqlite_path)) as found:
        yield found


def test_the_answer_has_everything_about_a_position(client: TestClient) -> None:
    position = Position(LATE)
    found = client.get(PATH, params={"budget": 30, "moves": LATE, "line": "true"}).json()
    scores = reference_scores(position)
    best = max(score for score in scores if score is not None)
    assert (found["moves"], found["key"], found["ply"]) == (LATE, str(position.key), 30)
    assert (found["board"], found["side"], found["over"]) == ("7x6", "x", None)
    assert (found["score"], found["value"], found["complete"]) == (best, "win", True)
    assert [column["score"] for column in found["columns"]] == list(scores)
    assert [column["column"] for column in found["columns"]] == [1, 2, 3, 4, 5, 6, 7]
    assert not found["columns"][2]["playable"]
    assert found["best"] == [c["column"] for c in found["columns"] if c["best"]] == [4]
    assert Position.from_grid(found["grid"]) == position
    assert found["source"] == "search"
    after = Position(LATE + found["line"])
    assert after.winner == "x"
    assert after.ply - position.ply == found["plies"] == found["columns"][3]["plies"]


def test_plies_of_a_column_include_its_own_move(client: TestClient) -> None:
    found = client.get(PATH, params={"moves": "121212", "budget": 30}).json()
    assert found["columns"][0]["plies"] == 1
    assert found["threats"] == {"x": [[1, 4]], "o": [[2, 4]]}
    assert found["estimate"] is None
    won = client.get(PATH, params={"moves": "1212121"}).json()
    assert won["over"] == {"winner": "x", "cells": [[1, 1], [1, 2], [1, 3], [1, 4]]}
    assert (won["source"], won["plies"], won["complete"]) == ("rules", 0, True)
    assert won["score"] == Solver(table_mb=1).solve(Position("1212121")).score
    assert not any(column["playable"] for column in won["columns"])


def test_too_little_time_leaves_bounds_and_a_guess_that_is_not_stored(
    client: TestClient, sqlite_path: Path
) -> None:
    found = client.get(PATH, params={**HARD, "budget": 0.1, "line": "true"}).json()
    assert found["complete"] is False
    assert found["lower"] < found["upper"]
    assert found["score"] is found["value"] is found["plies"] is found["line"] is None
    assert found["queued"] is None
    guess = found["estimate"]
    assert (guess["favoured"], guess["published"]) == ("loss", -2)
    assert len(guess["columns"]) == 9
    for column in found["columns"]:
        assert column["lower"] < column["upper"] <= found["upper"]
    assert all(0 <= share <= 1 for share in (guess["share"], *guess["columns"]))
    position = Position(board="9x6")
    with Database.open(str(sqlite_path)) as database:
        await_that(lambda: look_up(database, [position]))
        (stored,) = look_up(database, [position]).values()
    assert (stored.lower, stored.upper, stored.scores) == (found["lower"], found["upper"], None)


def test_results_are_stored_and_found_again(client: TestClient, sqlite_path: Path) -> None:
    client.get(PATH, params={"budget": 30, "moves": LATE})
    position = Position(LATE)
    with Database.open(str(sqlite_path)) as database:
        await_that(lambda: look_up(database, [position]))
        assert look_up(database, [position])[position.canonical_key].score == 6
    mirrored = "".join(str(8 - int(move)) for move in LATE)
    found = client.get(PATH, params={"budget": 30, "moves": mirrored}).json()
    assert found["source"] == "db"
    assert [column["score"] for column in found["columns"]] == [-6, -6, -6, 6, None, -6, -6]


def test_an_open_question_continues_as_one_job(api: Api, sqlite_path: Path) -> None:
    asked = {"board": "9x6", "budget": 0, "queue": "true"}
    first = api.get(PATH, **asked)
    assert first["complete"] is False
    assert api.get(PATH, **asked)["queued"] == first["queued"]
    with Database.open(str(sqlite_path)) as database, database.read() as session:
        job = watching.get_job(session, first["queued"])
    assert (job.kind, str(job.board)) == ("analyze", "9x6")


def test_the_searches_of_a_client_are_limited_and_end_when_it_disconnects() -> None:
    with serving(limits=Limits(searches_per_client=1, budget_seconds=86_400)) as api:
        with api.searching(f"{PATH}?board=9x6&budget=86400") as statuses:
            refused = api.client.get(PATH, params={**HARD, "budget": 1})
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) >= 1
            assert api.client.get(PATH, params={"moves": "1212121"}).status_code == 200  # no search
        assert statuses == [499]
        assert api.client.get(PATH, params={**HARD, "budget": 0}).status_code == 200


def test_a_search_begins_when_another_one_of_the_client_ends() -> None:
    with serving(limits=Limits(searches_per_client=1)) as api, ThreadPoolExecutor(8) as threads:
        asked = [{"moves": moves, "budget": 0} for moves in ("1212121", "", "4453", "44")] * 2
        found = threads.map(lambda query: api.client.get(PATH, params=query).status_code, asked)
        assert list(found) == [200] * 8


def test_pos_is_another_name_of_moves(bare: Api) -> None:
    assert bare.get(PATH, pos="4453", budget=0)["moves"] == "4453"
    assert bare.get("/solve", moves="4453")["pos"] == "4453"
    twice = bare.client.get(PATH, params={"pos": "4", "moves": "4"})
    assert (twice.status_code, twice.json()["field"]) == (400, "moves")


def test_an_address_or_a_grid_shows_its_board(bare: Api) -> None:
    address = "https://c4.example/?pos=5&board=9x7"
    assert bare.get(PATH, moves=address, budget=0)["board"] == "9x7"
    grid = str(Position("5", board="9x7"))
    assert bare.get(PATH, moves=grid, budget=0)["board"] == "9x7"
    refused = bare.client.get(PATH, params={"moves": address, "board": "7x6"})
    assert refused.json()["error"] == "the address has the board '9x7', not 7x6"
