"""``/api/v1/book``: the book as a tree."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from c4core.book import Book
from c4core.evaluation import plies_to_end
from c4core.position import Position
from tests.support.boards.small_books import small_book
from tests.support.web_api import Api, serving
from workers.book.reading import explore

PATH = "/api/v1/book"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "small.c4book"
    small_book(path)
    return path


@pytest.fixture(scope="module")
def bare(path: Path) -> Iterator[Api]:
    with serving(book=str(path)) as found:
        yield found


@pytest.mark.parametrize("moves", ["", "3", "33", "121212"])
def test_a_position_and_its_moves(api: Api, path: Path, moves: str) -> None:
    position = Position(moves, width=5, height=4)
    with Book.open(path) as book:
        found = api.get(PATH, moves=moves, board="5x4")
        assert api.get(PATH, key=str(position.key), board="5x4") | {"moves": moves} == found | {
            "children": [child | {"moves": None} for child in found["children"]]
        }
        children = explore(book, position)
        info = book.info
        assert found["book"] == {
            "name": "small.c4book",
            "first_ply": 0,
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
            assert child["plies"] == plies_to_end(expected.score, position.ply, 5, 4)
    best = max(child["score"] for child in found["children"])
    assert best == found["score"]


def test_boards_without_a_book(api: Api) -> None:
    found = api.get(PATH, board="9x6")
    assert (found["book"], found["score"], found["counted_ply"]) == (None, None, None)
    assert [child["column"] for child in found["children"]] == list(range(1, 10))
    assert {child["score"] for child in found["children"]} == {None}


def test_positions_beyond_the_book(tmp_path: Path) -> None:
    path = tmp_path / "small.c4book"
    small_book(path, moves="33")
    with serving(book=str(path)) as api:
        assert api.get(PATH, board="5x4")["score"] is None
        over = api.get(PATH, moves="1212121", board="5x4")
    assert (over["children"], over["score"]) == ([], None)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"moves": "8"}, "moves"),
        ({"moves": "1", "key": "7"}, "key"),
        ({"board": "1000x1"}, "board"),
        ({"key": "1.5"}, "key"),
        ({"grid": "x.\n.o"}, "grid"),
        ({"plies": 3}, "plies"),
    ],
)
def test_bad_queries_are_refused(api: Api, query: dict[str, Any], field: str) -> None:
    assert api.refused(PATH, **query) == (400, field)
