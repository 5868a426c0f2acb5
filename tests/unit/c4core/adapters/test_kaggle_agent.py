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
        position = Position(moves, board=board)
        assert read_board(configuration_of(board, 1.5)) == board
        assert read_seconds(configuration_of(board, 1.5)) == 1.5
        assert read_position(observation_of(position), board) == position


@pytest.mark.parametrize(
    ("position", "player", "expected"),
    [
        (Position("112233"), "perfect", 3),
        (Position("a1a1a1", board="10x7"), "alphabeta", 9),
    ],
    ids=str,
)
def test_an_agent_returns_plain_integers(position: Position, player: str, expected: int) -> None:
    agent = make_agent(player)
    column = agent(observation_of(position), configuration_of(position.board, 120.0))
    assert (column, type(column)) == (expected, int)


def test_the_last_callable_of_the_example_is_an_agent() -> None:
    names = runpy.run_path(str(EXAMPLE))
    agent = [value for value in names.values() if callable(value)][-1]
    assert agent({"board": EMPTY, "mark": 1}, {}) == 3


BAD_INPUT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}), ({"board": EMPTY[1:]}, {}), ({"board": [3, *EMPTY[1:]]}, {}),
    ({"board": [1, *EMPTY[1:]]}, {}), ({"board": EMPTY, "mark": 2}, {}),
    ({"board": EMPTY, "mark": None}, {}), ({"board": EMPTY}, {"inarow": 5}),
    ({"board": EMPTY}, {"inarow": "4"}), ({"board": EMPTY}, {"columns": 10**5000}),
    ({"board": EMPTY}, {"rows": 60}), ({"board": EMPTY}, {"actTimeout": float("nan")}),
    ({"board": EMPTY}, {"actTimeout": -1}), ({"board": EMPTY}, {"actTimeout": True}),
]  # fmt: skip


def test_bad_input_is_refused(snapshot: SnapshotAssertion) -> None:
    agent, found = make_agent("stupid"), []
    for observation, configuration in BAD_INPUT:
        with pytest.raises(AdapterError) as caught:
            agent(observation, configuration)
        assert len(str(caught.value)) < 150
        found.append((caught.value.field, str(caught.value)))
    assert found == snapshot
