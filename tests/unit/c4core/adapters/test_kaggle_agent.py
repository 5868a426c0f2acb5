"""Agents for Kaggle's ConnectX without Kaggle's package: reading input and refusing bad input."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.adapters.kaggle import make_agent, read_board, read_position, read_seconds
from c4core.adapters.mover import AdapterError
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players.host import configuration_of, observation_of
from c4core.position import Position
from tests.support.boards.games import random_games

EXAMPLE = Path(__file__).parents[4] / "examples" / "kaggle_agent.py"
EMPTY: list[Any] = [0] * 42


BOARDS = [DEFAULT_BOARD, BoardSize(5, 4), BoardSize(4, 8), BoardSize(10, 7), BoardSize(20, 5)]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_observations_and_configurations_round_trip(board: BoardSize) -> None:
    for moves in random_games(10, empty=6, board=board):
        position = Position(moves, width=board.width, height=board.height)
        assert read_board(configuration_of(board, 1.5)) == board
        assert read_seconds(configuration_of(board, 1.5)) == 1.5
        assert read_position(observation_of(position), board) == position


def test_an_agent_returns_plain_integers() -> None:
    position = Position("112233")
    agent = make_agent("perfect")
    column = agent(observation_of(position), configuration_of(position.board, 2.0))
    assert (column, type(column)) == (3, int)


def test_an_agent_on_a_wide_board() -> None:
    position = Position("a1a1a1", width=10, height=7)
    agent = make_agent("alphabeta")
    assert agent(observation_of(position), configuration_of(position.board, 2.0)) == 9


def test_the_last_callable_of_the_example_is_an_agent() -> None:
    names = runpy.run_path(str(EXAMPLE))
    agent = [value for value in names.values() if callable(value)][-1]
    assert agent({"board": EMPTY, "mark": 1}, {}) == 3


@pytest.mark.parametrize(
    ("observation", "configuration", "field"),
    [
        ({}, {}, "board"),
        ({"board": EMPTY[1:]}, {}, "board"),
        ({"board": [3, *EMPTY[1:]]}, {}, "board"),
        ({"board": [1, *EMPTY[1:]]}, {}, "board"),
        ({"board": EMPTY, "mark": 2}, {}, "mark"),
        ({"board": EMPTY, "mark": None}, {}, "mark"),
        ({"board": EMPTY}, {"inarow": 5}, "inarow"),
        ({"board": EMPTY}, {"inarow": "4"}, "inarow"),
        ({"board": EMPTY}, {"columns": 10**5000}, "columns"),
        ({"board": EMPTY}, {"rows": 60}, "configuration"),
        ({"board": EMPTY}, {"actTimeout": float("nan")}, "actTimeout"),
        ({"board": EMPTY}, {"actTimeout": -1}, "actTimeout"),
        ({"board": EMPTY}, {"actTimeout": True}, "actTimeout"),
    ],
)
def test_bad_input_is_refused(
    observation: dict[str, Any],
    configuration: dict[str, Any],
    field: str,
    snapshot: SnapshotAssertion,
) -> None:
    agent = make_agent("stupid")
    with pytest.raises(AdapterError) as caught:
        agent(observation, configuration)
    assert caught.value.field == field
    assert len(str(caught.value)) < 150
    assert str(caught.value) == snapshot
