"""``POST /kaggle``: observations as Kaggle's ConnectX sends them, on boards of any size."""

import json
from typing import Any

import pytest

from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import random_games
from tests.support.web_api import Api, check_declared

PATH = "/kaggle"
EMPTY: list[Any] = [0] * 42


def request(cells: object, mark: object = 1, **configuration: object) -> dict[str, Any]:
    """A request as Kaggle sends it, with changes to the configuration."""
    standard = {
        "episodeSteps": 1000,
        "actTimeout": 2,
        "runTimeout": 1200,
        "columns": 7,
        "rows": 6,
        "inarow": 4,
        "agentTimeout": 60,
        "timeout": 2,
    }
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
    marks = {None: 0, "x": 1, "o": 2}
    cells = [
        marks[position.stone_at(column, row)]
        for row in reversed(range(height))
        for column in range(width)
    ]
    return request(cells, marks[position.turn], columns=width, rows=height, actTimeout=30)


@pytest.mark.parametrize("board", [(7, 6), (5, 4), (4, 5), (9, 6), (12, 4), (4, 15)])
def test_the_answer_is_a_perfect_column_on_any_board(api: Api, board: tuple[int, int]) -> None:
    size, solver = BoardSize(*board), Solver(table_mb=1)
    for moves in random_games(4, empty=9, board=size):
        position = Position(moves, width=size.width, height=size.height)
        action = api.post(PATH, observed(position))["action"]
        assert type(action) is int
        assert action in solver.analyze(position).best


def test_the_content_type_of_kaggles_client_is_accepted(api: Api) -> None:
    response = api.client.post(
        PATH, content=json.dumps(request(EMPTY)), params={"player": "stupid"}
    )
    assert "content-type" not in response.request.headers
    assert response.status_code == 200
    check_declared(response)


@pytest.mark.parametrize("player", ["stupid", "hard", "perfect:blunder=1", "minimax-windows"])
def test_any_player_may_be_chosen(api: Api, player: str) -> None:
    late = observed(Position("532336513633217277452711665127"))
    first = api.post(PATH, late, player=player, seed=3)
    assert first["action"] in range(7)
    assert api.post(PATH, late, player=player, seed=3, seconds=30) == first


def test_a_minimal_request_is_answered(api: Api) -> None:
    body = {"state": {"observation": {"board": EMPTY}}}
    assert api.post(PATH, body, player="stupid") == {"action": 0}


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
    assert api.refused(PATH, body) == (400, field)


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ({"player": "exec:ls"}, (403, "player")),
        ({"player": "nobody"}, (400, "player")),
        (
            {"player": "montecarlo-flat:simulations=10000000,stop_gap=1", "seconds": 0.02},
            (422, "player"),
        ),
        ({"seconds": 0}, (400, "seconds")),
        ({"seed": "x"}, (400, "seed")),
        ({"depth": 1}, (400, "depth")),
    ],
)
def test_bad_queries_are_refused(
    api: Api, query: dict[str, Any], refusal: tuple[int, str | None]
) -> None:
    assert api.refused(PATH, request(EMPTY), **query) == refusal


AGENT = "/agent"


def rows_of(position: Position, first: int = 1, second: int = 2) -> list[list[int]]:
    marks = {".": 0, "x": first, "o": second}
    return [[marks[square] for square in row] for row in str(position).split("\n")]


@pytest.mark.parametrize("marks", [(1, 2), (2, 1), (1, -1), (-1, 1)])
@pytest.mark.parametrize("moves", ["112233", "11223"])
def test_an_agent_of_the_simple_protocol(api: Api, moves: str, marks: tuple[int, int]) -> None:
    position = Position(moves)
    body = {
        "board": rows_of(position, *marks),
        "current_player": marks[position.ply % 2],
        "valid_moves": list(position.legal_columns()),
    }
    assert api.post(AGENT, body, player="perfect") == {"column": 3}


def test_the_side_to_move_follows_from_the_board(api: Api) -> None:
    for moves in ("112233", "11223"):
        assert api.post(AGENT, {"board": rows_of(Position(moves))}) == {"column": 3}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"board": [0] * 42}, "board"),
        ({"board": [[0] * 7] * 5 + [[0] * 6]}, "board"),
        ({"board": [[3] * 7] * 6}, "board"),
        ({"board": [[1, 0], [0, 0]], "current_player": 2}, "board"),
        ({"board": []}, "board"),
        ({"current_player": 1}, "current_player"),
        ({"current_player": "1"}, "current_player"),
        ({"valid_moves": [1, 2, 3, 4, 5, 6, 7]}, "valid_moves"),
        ({"valid_moves": [0]}, "valid_moves"),
    ],
)
def test_boards_of_the_simple_protocol_that_are_refused(
    api: Api, change: dict[str, Any], field: str
) -> None:
    body = {"board": rows_of(Position("445")), "current_player": 2} | change
    assert api.refused(AGENT, body) == (400, field)
