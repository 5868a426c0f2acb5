"""``GET /api/v1/position``: everything about a position, and what is done when time is short."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from c4core.position import Position
from c4core.reference import reference_scores
from c4core.solver import Solver
from db import jobs
from db.database import Database
from web.app import create_app
from web.settings import Limits, Settings
from workers.positions.evaluate import evaluate, look_up
from workers.positions.question import Question

LATE = "532336513633217277452711665127"
"""Solved in microseconds."""
HARD = {"board": "9x6"}
"""Nobody solves this empty board in a test's time."""
PATH = "/api/v1/position"


@pytest.fixture
def settings(sqlite_path: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{sqlite_path}", threads=1, table_mb=8)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        yield client


def test_everything_is_said_of_a_position(client: TestClient) -> None:
    position = Position(LATE)
    found = client.get(PATH, params={"moves": LATE, "line": "true"}).json()
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


def test_plies_of_a_column_count_its_own(client: TestClient) -> None:
    found = client.get(PATH, params={"moves": "121212", "budget": 30}).json()
    assert found["columns"][0]["plies"] == 1
    assert found["threats"] == {"x": [[1, 4]], "o": [[2, 4]]}


def test_a_won_game_shows_its_four(client: TestClient) -> None:
    found = client.get(PATH, params={"moves": "1212121"}).json()
    assert found["over"] == {"winner": "x", "cells": [[1, 1], [1, 2], [1, 3], [1, 4]]}
    assert (found["source"], found["plies"], found["complete"]) == ("rules", 0, True)
    assert found["score"] == Solver().solve(Position("1212121")).score
    assert not any(column["playable"] for column in found["columns"])


def test_a_position_can_be_named_in_other_ways(client: TestClient) -> None:
    position = Position(LATE)
    for named in ({"key": str(position.key)}, {"grid": str(position)}):
        found = client.get(PATH, params=named).json()
        assert found["moves"] is None
        assert found["key"] == str(position.key)
        assert found["score"] == 6


def test_time_that_is_too_short_leaves_honest_bounds(client: TestClient) -> None:
    found = client.get(PATH, params={**HARD, "budget": 0.1, "line": "true"}).json()
    assert found["complete"] is False
    assert found["lower"] < found["upper"]
    assert found["score"] is found["value"] is found["plies"] is found["line"] is None
    assert found["queued"] is None
    assert found["seconds"] < 1


def test_what_was_found_is_stored_and_found_again(client: TestClient, settings: Settings) -> None:
    client.get(PATH, params={"moves": LATE})
    url = settings.database_url
    assert url is not None
    position = Position(LATE)
    with Database.open(url) as database:
        for _ in range(100):
            if look_up(database, [position]):
                break
            time.sleep(0.02)
        assert look_up(database, [position])[position.canonical_key].score == 6
    mirrored = "".join(str(8 - int(move)) for move in LATE)
    found = client.get(PATH, params={"moves": mirrored}).json()
    assert found["source"] == "db"
    assert [column["score"] for column in found["columns"]] == [-6, -6, -6, 6, None, -6, -6]


def test_a_server_that_only_reads_stores_nothing(settings: Settings) -> None:
    only_reads = Settings(database_url=settings.database_url, threads=1, table_mb=8, read_only=True)
    with TestClient(create_app(only_reads), base_url="http://127.0.0.1") as client:
        assert client.get(PATH, params={"moves": LATE}).json()["complete"]
        refused = client.get(PATH, params={**HARD, "budget": 0, "queue": "true"})
        assert refused.status_code == 403
    assert settings.database_url is not None
    with Database.open(settings.database_url) as database:
        assert look_up(database, [Position(LATE)]) == {}


def test_an_open_question_goes_on_as_one_job(client: TestClient, settings: Settings) -> None:
    asked = {"board": "8x7", "budget": 0, "queue": "true"}
    first = client.get(PATH, params=asked).json()
    assert first["complete"] is False
    assert client.get(PATH, params=asked).json()["queued"] == first["queued"]
    assert settings.database_url is not None
    with Database.open(settings.database_url) as database, database.read() as session:
        job = jobs.get_job(session, first["queued"])
    assert (job.kind, str(job.board)) == ("analyze", "8x7")


def test_a_question_is_queued_only_for_own_pages(client: TestClient) -> None:
    """A page of a stranger may send a GET, with an image for example."""
    asked = {**HARD, "budget": 0, "queue": "true"}
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert client.get(PATH, params=asked, headers=headers).status_code == 403


def test_one_who_knows_the_token_may_queue(settings: Settings) -> None:
    guarded = Settings(database_url=settings.database_url, threads=1, table_mb=8, token="s3cret")  # noqa: S106
    asked = {**HARD, "budget": 0, "queue": "true"}
    with TestClient(create_app(guarded), base_url="http://127.0.0.1") as client:
        refused = client.get(PATH, params=asked)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
        for wrong in ("Bearer s3cre", "Bearer ", "Basic s3cret", "s3cret"):
            answer = client.get(PATH, params=asked, headers={"authorization": wrong})
            assert answer.status_code == 401
        allowed = client.get(PATH, params=asked, headers={"authorization": "Bearer s3cret"})
        assert allowed.json()["queued"] is not None


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("moves=8", "moves"),
        ("moves=4&key=1", "key"),
        ("key=1", "key"),
        ("key=-1", "key"),
        ("grid=xx", "grid"),
        ("grid=...%0Axo.&board=7x6", "grid"),
        ("board=1x99", "board"),
        ("moves=4&budget=31", "budget"),
        ("moves=4&budget=nan", "budget"),
        ("moves=4&line=maybe", "line"),
        ("moves=4&moves=5", "moves"),
        ("moves=4&colour=red", "colour"),
        ("moves=%00", "moves"),
        ("moves=" + "4" * 5000, "moves"),
    ],
)
def test_what_is_wrong_is_named(client: TestClient, query: str, field: str) -> None:
    answer = client.get(f"{PATH}?{query}")
    assert answer.status_code == 400
    assert answer.json()["field"] == field
    assert answer.json()["error"]


def test_a_client_has_so_many_searches_at_a_time() -> None:
    limits = Limits(searches_per_client=1, requests_per_second=1e9)
    settings = Settings(threads=1, table_mb=8, limits=limits)
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        first = threading.Thread(target=client.get, args=(f"{PATH}?board=9x6&budget=4",))
        first.start()
        service = client.app.state.service
        while not service.searches:
            time.sleep(0.005)
        refused = client.get(PATH, params={**HARD, "budget": 1})
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        assert client.get(PATH, params={"moves": "1212121"}).status_code == 200  # no search
        first.join()
        assert client.get(PATH, params={**HARD, "budget": 0}).status_code == 200


def test_the_stored_answer_is_the_searched_one(sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database:
        evaluate([Position(LATE)], Question(), Solver(), database)
    settings = Settings(database_url=str(sqlite_path), threads=1, table_mb=8)
    with TestClient(create_app(settings), base_url="http://127.0.0.1") as client:
        stored = client.get(PATH, params={"moves": LATE}).json()
        assert stored["source"] == "db"
        assert [c["score"] for c in stored["columns"]] == list(reference_scores(Position(LATE)))
