"""Protocols of others: gamesolver.org's ``/solve`` and Kaggle's ConnectX.

The scores of ``ANSWERS`` come from another program, bitbully, and from the slow reference solver if
few cells are empty. The first two rows are published.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from c4core.book import Book
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import random_games
from tests.support.boards.reference import reference_scores
from tests.support.web_api import Api, check_declared, serving

KAGGLE = "/kaggle"
EMPTY: list[Any] = [0] * 42
FEW = 12
"""Number of empty cells that the reference solver can handle quickly."""

ANSWERS = {
    "": [-2, -1, 0, 1, 0, -1, -2],
    "44": [-3, -3, -2, 1, -2, -3, -3],
    "4": [-4, -2, -2, -1, -2, -2, -4],
    "4453": [-5, -5, -2, -3, -4, -2, -2],
    "444444": [-1, 0, 1, 100, 1, 0, -1],
    "4444443": [-16, -1, -16, 100, -2, -16, -16],
    "121212": [18, -3, -18, -18, -18, -18, -18],
    "333333222222": [-2, 100, 100, 14, 0, 2, 0],
    "532336513633217277452711665127": [-6, -6, 100, 6, -6, -6, -6],
    "22525762534622441115633653436713514": [-3, 100, 100, -3, 100, -2, -3],
    "2252576253462244111563365343671351441": [100, 100, 100, 100, 100, -1, -2],
    "47372534712334171251112467556746646623523": [100, 100, 100, 100, 1, 100, 100],
    "627611313612643311373445565265752224447775": [100] * 7,  # a draw
    "1212121": [100] * 7,  # x has won
    "12233434414": [100] * 7,  # on a diagonal
    "71212121": [100] * 7,  # o has won
}


@pytest.fixture(scope="module")
def bare() -> Iterator[Api]:
    """A server with the book of the default board."""
    with serving(table_mb=16, book=Book.shipped().path) as found:
        yield found


def test_the_answer_is_compatible(client: TestClient) -> None:
    for moves, expected in ANSWERS.items():
        position = Position(moves)
        if 0 < position.board.cells - position.ply <= FEW and not position.is_over:
            slow = reference_scores(position)
            assert expected == [100 if score is None else score for score in slow], moves
        answer = client.get("/solve", params={"pos": moves})
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        scores = ",".join(map(str, expected))
        assert answer.text == f'{{"pos":"{moves}","score":[{scores}]}}'


def test_additional_parameters_are_ignored_and_the_position_is_echoed(client: TestClient) -> None:
    answer = client.get("/solve?pos=44&_=1700000000&callback=x")
    assert answer.json() == {"pos": "44", "score": ANSWERS["44"]}
    assert client.get("/solve?pos=Aa&board=12x1").status_code == 400
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


def request(cells: object, mark: object = 1, **configuration: object) -> dict[str, Any]:
    """A request as Kaggle sends it, with changes to the configuration."""
    standard = {"episodeSteps": 1000, "actTimeout": 2, "runTimeout": 1200, "agentTimeout": 60}
    standard |= {"timeout": 2, "columns": 7, "rows": 6, "inarow": 4}
    observation = {"remainingOverageTime": 60, "step": 4, "board": cells, "mark": mark}
    return {
        "action": "act",
        "configuration": standard | configuration,
        "environment": "connectx",
        "state": {"observation": observation},
    }


def observed(position: Position) -> dict[str, Any]:
    """A position as Kaggle sends it: square by square, starting at the top left."""
    width, height = position.board
    marks = {".": 0, "x": 1, "o": 2}
    cells = [marks[square] for square in str(position).replace("\n", "")]
    return request(cells, 1 + position.ply % 2, columns=width, rows=height, actTimeout=30)


@pytest.mark.parametrize("board", [(7, 6), (5, 4), (4, 5), (9, 6), (12, 4), (4, 15)])
def test_the_answer_is_a_perfect_column_on_any_board(api: Api, board: tuple[int, int]) -> None:
    size, solver = BoardSize(*board), Solver(table_mb=1)
    for moves in random_games(4, empty=9, board=size):
        position = Position(moves, board=size)
        action = api.post(KAGGLE, observed(position))["action"]
        assert type(action) is int
        assert action in solver.analyze(position).best


def test_a_minimal_request_of_kaggles_client_is_answered(api: Api) -> None:
    for body in (request(EMPTY), {"state": {"observation": {"board": EMPTY}}}):
        answer = api.client.post(KAGGLE, content=json.dumps(body), params={"player": "stupid"})
        assert "content-type" not in answer.request.headers
        assert (answer.status_code, answer.json()) == (200, {"action": 0})
        check_declared(answer)


@pytest.mark.parametrize("player", ["stupid", "hard", "perfect:blunder=1", "minimax-windows"])
def test_any_player_may_be_chosen(api: Api, player: str) -> None:
    late = observed(Position("532336513633217277452711665127"))
    first = api.post(KAGGLE, late, player=player, seed=3)
    assert first["action"] in range(7)
    assert api.post(KAGGLE, late, player=player, seed=3, seconds=30) == first


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "state"),
        ([], None),
        ({"state": {}}, "observation"),
        (request(EMPTY) | {"action": "reset"}, "action"),
        (request(EMPTY) | {"configuration": None}, "configuration"),
        (request(EMPTY, inarow="4.0"), "inarow"),
        (request(EMPTY, columns=0), "columns"),
        (request(EMPTY, columns=6), "board"),
        (request(EMPTY, actTimeout="soon"), "actTimeout"),
        (request("0" * 42), "board"),
        (request([True, *EMPTY[1:]]), "board"),
        (request([0.0, *EMPTY[1:]]), "board"),
        (request([1, *EMPTY[1:]], 2), "board"),  # a floating stone
        (request([*EMPTY[:40], 1, 1], 1), "board"),  # nobody moves twice
        (request(EMPTY, 2), "mark"),
        (request([*EMPTY[:35], 1, 1, 1, 1, 2, 2, 2], 2), "board"),  # the game is over
    ],
)
def test_bad_observations_are_refused(api: Api, body: object, field: str | None) -> None:
    assert api.refused(KAGGLE, body) == (400, field)


@pytest.mark.parametrize(
    ("status", "query"),
    [
        (403, {"player": "exec:ls"}),
        (422, {"seconds": 0.02, "player": "montecarlo-flat:simulations=10000000,stop_gap=1"}),
        *((400, query) for query in ({"player": "nobody"}, {"seconds": 0}, {"seed": "x"})),
        (400, {"depth": 1}),
    ],
)
def test_bad_queries_are_refused(api: Api, status: int, query: dict[str, Any]) -> None:
    assert api.refused(KAGGLE, request(EMPTY), **query) == (status, list(query)[-1])
