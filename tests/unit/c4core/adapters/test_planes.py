"""Positions as planes, on boards of any shape, and planes that are not positions."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.adapters.mover import AdapterError
from c4core.adapters.planes import action_mask, decode, encode, make_policy
from c4core.notation import BoardSize
from c4core.position import Position
from tests.support.boards.games import random_games

BOARDS = [BoardSize(7, 6), BoardSize(5, 4), BoardSize(4, 7), BoardSize(12, 4), BoardSize(10, 7)]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_round_trip(board: BoardSize) -> None:
    for empty in (board.cells, board.cells - 5, 8, 1):
        for moves in random_games(3 if empty < board.cells else 1, empty=empty, board=board):
            position = Position(moves, board=board)
            assert decode(encode(position, position.turn)) == position


def test_the_layout() -> None:
    planes = encode(Position("445"), "o")
    assert (planes.shape, planes.dtype) == ((6, 7, 2), np.int8)
    own = [tuple(place) for place in np.argwhere(planes[:, :, 0]).tolist()]
    other = [tuple(place) for place in np.argwhere(planes[:, :, 1]).tolist()]
    assert (own, other) == ([(4, 3)], [(5, 3), (5, 4)])
    assert (encode(Position("445"), "x") == planes[:, :, ::-1]).all()


def test_the_mask() -> None:
    assert action_mask(Position("111111")).tolist() == [0, 1, 1, 1, 1, 1, 1]


def planes_of(own: list[tuple[int, int]], other: list[tuple[int, int]]) -> object:
    array = np.zeros((6, 7, 2), np.int8)
    for plane, places in enumerate((own, other)):
        for row, column in places:
            array[row, column, plane] = 1
    return array


def test_bad_planes_are_refused(snapshot: SnapshotAssertion) -> None:
    found = []
    for planes in (
        np.zeros((6, 7), np.int8),
        np.zeros((6, 7, 3), np.int8),
        np.zeros((0, 7, 2), np.int8),
        np.full((6, 7, 2), 2),
        np.full((6, 7, 2), np.nan),
        np.ones((6, 7, 2), np.int8),
        planes_of([(5, 0)], []),
        planes_of([], [(5, 0), (5, 1)]),
        planes_of([], [(0, 0)]),
    ):
        with pytest.raises(AdapterError) as caught:
            decode(planes)
        assert caught.value.field == "observation"
        found.append(str(caught.value))
    assert found == snapshot


def test_a_policy_takes_an_array_or_a_dictionary() -> None:
    policy = make_policy("stupid")
    position = Position("111111")
    planes = encode(position, position.turn)
    assert policy(planes) == policy({"observation": planes}) == 1
    assert type(policy(planes)) is int
