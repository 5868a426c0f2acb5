"""``/api/v1/evaluations``: filters and pages, compared with all stored rows."""

from collections.abc import Iterator
from typing import Any

import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from tests.support.boards.games import random_games
from tests.support.web_api import Api, serving
from workers.answers.find import evaluate
from workers.answers.question import Question

PATH = "/api/v1/evaluations"
BOARD = BoardSize(5, 4)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a database with some positions of 5x4, most with all columns."""
    url = str(tmp_path_factory.mktemp("stored") / "c4.db")
    solver = Solver(table_mb=1)
    with Database.open(url) as database:
        for empty in (8, 9, 12):
            moves = random_games(15, empty=empty, board=BOARD)
            positions = [Position(each, width=5, height=4) for each in moves]
            evaluate(positions, Question(columns=empty < 12), solver, database)
        weak = Question(columns=False, weak=True)
        evaluate([Position(width=5, height=4)], weak, solver, database)
    return url


@pytest.fixture(scope="module")
def api(stored: str) -> Iterator[Api]:
    with serving(database_url=stored, read_only=True) as found:
        yield found


def all_rows(api: Api, limit: int = 7, **query: object) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: dict[str, object] = {}
    while True:
        page = api.get(PATH, board="5x4", limit=limit, **query, **cursor)
        assert len(page["rows"]) <= limit
        rows += page["rows"]
        if page["next"] is None:
            return rows
        assert len(page["rows"]) == limit
        cursor = {"cursor": page["next"]}


def test_pages_contain_every_row_once(api: Api) -> None:
    rows = all_rows(api)
    assert len(rows) > 30
    places = [(row["ply"], int(row["key"])) for row in rows]
    assert places == sorted(set(places))
    assert rows == all_rows(api, 1_000)
    for row in rows:
        position = Position.from_key(int(row["key"]), width=5, height=4)
        assert Position.from_grid(row["grid"]) == position
        assert (row["ply"], row["side"]) == (position.ply, position.turn)
        if row["scores"] is not None:
            known = [score for score in row["scores"] if score is not None]
            assert max(known) == row["score"]
            assert [row["scores"][column - 1] for column in row["best"]] == [row["score"]] * len(
                row["best"]
            )


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ({"min_ply": 10}, lambda row: row["ply"] >= 10),
        ({"max_ply": 10}, lambda row: row["ply"] <= 10),
        ({"min_ply": 11, "max_ply": 11}, lambda row: row["ply"] == 11),
        ({"min_score": 1}, lambda row: row["lower"] >= 1),
        ({"max_score": -1}, lambda row: row["upper"] <= -1),
        ({"value": "win"}, lambda row: row["value"] == "win"),
        ({"value": "draw"}, lambda row: row["value"] == "draw"),
        ({"value": "loss"}, lambda row: row["value"] == "loss"),
        ({"exact": "true"}, lambda row: row["score"] is not None),
        ({"exact": "false"}, lambda row: row["score"] is None),
        ({"value": "win", "min_ply": 11}, lambda row: row["lower"] > 0 and row["ply"] > 10),
    ],
)
def test_filters_select_the_matching_rows(api: Api, query: dict[str, Any], holds: Any) -> None:  # noqa: ANN401
    assert all_rows(api, **query) == [row for row in all_rows(api, 1_000) if holds(row)]


def test_other_boards_have_no_rows(api: Api) -> None:
    assert api.get(PATH) == {"rows": [], "next": None}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"min_ply": -1}, "min_ply"),
        ({"value": "won"}, "value"),
        ({"exact": "maybe"}, "exact"),
        ({"cursor": "1"}, "cursor"),
        ({"cursor": f"1:{2**128}"}, "cursor"),
        ({"cursor": "99999:1"}, "cursor"),
        ({"cursor": "1:1\0"}, "cursor"),
        ({"board": "x"}, "board"),
        ({"sort": "ply"}, "sort"),
    ],
)
def test_bad_queries_are_refused(api: Api, query: dict[str, Any], field: str) -> None:
    assert api.refused(PATH, **query) == (400, field)


def test_without_a_database_the_answer_is_503() -> None:
    with serving() as api:
        assert api.refused(PATH) == (503, None)
