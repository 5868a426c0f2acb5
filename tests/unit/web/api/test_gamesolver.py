"""``GET /solve`` is compatible with gamesolver.org: clients of one work with the other.

The scores come from another program, bitbully, and from the slow reference solver if few cells are
empty. The first two rows are published.
"""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from c4core.book.book import shipped_files
from c4core.position import Position
from tests.support.boards.reference import reference_scores
from tests.support.web_api import Api, serving

FEW = 12
"""Number of empty cells that the reference solver can handle quickly."""

ANSWERS = {
    "": [-2, -1, 0, 1, 0, -1, -2],
    "44": [-3, -3, -2, 1, -2, -3, -3],
    "4": [-4, -2, -2, -1, -2, -2, -4],
    "1": [-1, 2, 1, 2, -1, 1, -2],
    "4453": [-5, -5, -2, -3, -4, -2, -2],
    "44444": [-1, -1, -1, -1, -1, -1, -1],
    "444444": [-1, 0, 1, 100, 1, 0, -1],
    "4444443": [-16, -1, -16, 100, -2, -16, -16],
    "121212": [18, -3, -18, -18, -18, -18, -18],
    "445566": [17, 17, 18, 17, 17, 17, 18],
    "333333222222": [-2, 100, 100, 14, 0, 2, 0],
    "1111112222226": [100, 100, 0, -1, -2, 0, -1],
    "43357624155525326336": [-11, -11, -11, -10, -11, -11, -11],
    "532336513633217277452711665127": [-6, -6, 100, 6, -6, -6, -6],
    "257556435577636122546722721633131": [-4, 100, -4, 5, 100, -4, -4],
    "22525762534622441115633653436713514": [-3, 100, 100, -3, 100, -2, -3],
    "142261674354242135112741435533577263": [100, 100, 100, 100, 3, 3, 2],
    "2252576253462244111563365343671351441": [100, 100, 100, 100, 100, -1, -2],
    "4427612253772523425455634741753716666313": [0, 100, 100, 100, 100, 100, 100],
    "47372534712334171251112467556746646623523": [100, 100, 100, 100, 1, 100, 100],
    "627611313612643311373445565265752224447775": [100] * 7,  # a draw
    "1212121": [100] * 7,  # x has won
    "12233434414": [100] * 7,  # on a diagonal
    "71212121": [100] * 7,  # o has won
}


@pytest.fixture(scope="module")
def bare() -> Iterator[Api]:
    """A server with the book of the default board."""
    books = [str(path) for path in shipped_files() if "7x6" in path.name]
    with serving(table_mb=16, book=books[0]) as found:
        yield found


@pytest.mark.parametrize("moves", ANSWERS)
def test_the_answer_is_compatible(client: TestClient, moves: str) -> None:
    position = Position(moves)
    if 0 < position.board.cells - position.ply <= FEW and not position.is_over:
        slow = reference_scores(position)
        assert ANSWERS[moves] == [100 if score is None else score for score in slow]
    answer = client.get("/solve", params={"pos": moves})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    scores = ",".join(map(str, ANSWERS[moves]))
    assert answer.text == f'{{"pos":"{moves}","score":[{scores}]}}'


def test_additional_parameters_are_ignored(client: TestClient) -> None:
    answer = client.get("/solve?pos=44&_=1700000000&callback=x")
    assert answer.json() == {"pos": "44", "score": ANSWERS["44"]}


def test_the_position_is_echoed_unchanged(client: TestClient) -> None:
    answer = client.get("/solve?pos=Aa&board=12x1")
    assert answer.status_code == 400
    answer = client.get("/solve?pos=Ab&board=12x1")
    assert answer.json() == {"pos": "Ab", "score": [*[0] * 9, 100, 100, 0]}


@pytest.mark.parametrize(
    ("query", "field", "error"),
    [
        ("pos=8", "pos", "column 8 is outside the board"),
        ("pos=12121211", "pos", "after the end of the game"),
        ("pos=1111111", "pos", "column 1 is full"),
        ("pos=4x", "pos", "column x is outside the board"),
        ("", "pos", "pos is missing"),
        ("pos=44&board=19x9", "board", "impossible board 19x9"),
    ],
)
def test_impossible_positions_are_refused(
    client: TestClient, query: str, field: str, error: str
) -> None:
    answer = client.get(f"/solve?{query}")
    assert answer.status_code == 400
    assert answer.json()["field"] == field
    assert error in answer.json()["error"]
