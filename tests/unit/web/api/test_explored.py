"""The book as a tree, and stored evaluations: filters and pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from c4core.book import Book
from c4core.evaluation import plies_to_end
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from tests.support.boards.games import random_games
from tests.support.boards.small_books import small_book
from tests.support.web_api import Api, serving
from workers.answers.find import evaluate
from workers.answers.question import Question
from workers.book.reading import explore

BOOK = "/api/v1/book"
EVALUATIONS = "/api/v1/evaluations"
BOARD = BoardSize(5, 4)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "small.c4book"
    small_book(path)
    return path


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a database with some positions of 5x4, most with all columns."""
    url = str(tmp_path_factory.mktemp("stored") / "c4.db")
    solver = Solver(table_mb=1)
    with Database.open(url) as database:
        for empty in (8, 9, 12):
            moves = random_games(15, empty=empty, board=BOARD)
            positions = [Position(each, board="5x4") for each in moves]
            evaluate(positions, Question(columns=empty < 12), solver, database)
        weak = Question(columns=False, weak=True)
        evaluate([Position(board="5x4")], weak, solver, database)
    return url


@pytest.fixture(scope="module")
def api(path: Path, stored: str) -> Iterator[Api]:
    with serving(database_url=stored, book=str(path), read_only=True) as found:
        yield found


@pytest.mark.parametrize("moves", ["", "3", "33", "121212"])
def test_a_position_and_its_moves(api: Api, path: Path, moves: str) -> None:
    position = Position(moves, board="5x4")
    with Book.open(path) as book:
        found = api.get(BOOK, moves=moves, board="5x4")
        assert api.get(BOOK, key=str(position.key), board="5x4") | {"moves": moves} == found | {
            "children": [child | {"moves": None} for child in found["children"]]
        }
        children = explore(book, position)
        info = book.info
        assert found["book"] == {
            "name": "small.c4book",
            "plies": info.last_ply,
            "positions": info.positions,
        }
        assert found["score"] == book.probe(position)
    assert (found["ply"], found["side"]) == (position.ply, position.turn)
    assert Position.from_grid(found["grid"]) == position
    assert [child["column"] - 1 for child in found["children"]] == list(position.legal_columns())
    for child, expected in zip(found["children"], children, strict=True):
        assert child["moves"] == f"{moves}{child['column']}"
        assert child["key"] == str(expected.position.key)
        assert (child["score"], child["continuations"]) == (
            expected.score,
            expected.continuations,
        )
        if expected.score is not None:
            assert child["plies"] == plies_to_end(expected.score, position.ply, position.board)
    best = max(child["score"] for child in found["children"])
    assert best == found["score"]


def test_boards_without_a_book(api: Api) -> None:
    found = api.get(BOOK, board="9x6")
    assert (found["book"], found["score"], found["counted_ply"]) == (None, None, None)
    assert [child["column"] for child in found["children"]] == list(range(1, 10))
    assert {child["score"] for child in found["children"]} == {None}


def test_positions_beyond_the_book(tmp_path: Path) -> None:
    path = tmp_path / "small.c4book"
    small_book(path)
    with serving(book=str(path)) as api:
        over = api.get(BOOK, moves="1212121", board="5x4")
    assert (over["children"], over["score"]) == ([], None)


def all_rows(api: Api, limit: int = 1_000, **query: str | float) -> list[dict[str, Any]]:
    return api.every(EVALUATIONS, "rows", limit, board="5x4", **query)


def test_pages_contain_every_row_once(api: Api) -> None:
    rows = all_rows(api, 7)
    assert len(rows) > 30
    places = [(row["ply"], int(row["key"])) for row in rows]
    assert places == sorted(set(places))
    assert rows == all_rows(api)
    assert api.get(EVALUATIONS) == {"rows": [], "next": None}  # of another board
    for row in rows:
        position = Position.from_key(int(row["key"]), board="5x4")
        assert Position.from_grid(row["grid"]) == position
        assert (row["ply"], row["side"]) == (position.ply, position.turn)
        if row["scores"] is not None:
            known = [score for score in row["scores"] if score is not None]
            assert max(known) == row["score"]
            assert {row["scores"][column - 1] for column in row["best"]} == {row["score"]}


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
    assert all_rows(api, **query) == [row for row in all_rows(api) if holds(row)]
