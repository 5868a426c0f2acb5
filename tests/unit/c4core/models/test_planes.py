"""The input of networks."""

import numpy as np
from hypothesis import given, settings, strategies as st
from syrupy.assertion import SnapshotAssertion

from c4core.models.planes import (
    grids_of_planes,
    input_planes,
    planes_of_positions,
    words_of_planes,
)
from c4core.notation import BoardSize
from c4core.players.heuristics import winning_columns
from c4core.position import Position
from tests.support.boards.learning import random_positions
from tests.support.boards.player_positions import other
from tests.support.refusals import refusal


@given(seed=st.integers(0, 5000), size=st.sampled_from([(5, 4), (4, 4), (7, 6), (6, 7)]))
@settings(max_examples=30)
def test_planes_agree_with_the_position(seed: int, size: tuple[int, int]) -> None:
    board = BoardSize(*size)
    (position,) = random_positions(1, seed=seed, board=board)
    sides = (position.turn, other(position.turn))
    stones = [
        [
            [position.stone_at(column, row) == side for column in range(board.width)]
            for row in range(board.height)
        ]
        for side in sides
    ]
    to_move, moved = (planes_of_positions([position], moved=moved)[0] for moved in (False, True))
    assert to_move.tolist() == stones
    assert moved.tolist() == stones[::-1]
    own, mask = words_of_planes(to_move[np.newaxis])
    planes = input_planes(own, mask, board)[0]
    assert np.array_equal(planes[:2], to_move)
    for column in range(board.width):
        height = position.heights[column]
        assert planes[2, :, column].tolist() == [row == height for row in range(board.height)]
    for plane, side in ((3, sides[0]), (4, sides[1])):
        found = np.flatnonzero((planes[plane] & planes[2]).any(axis=0)).tolist()
        assert found == list(winning_columns(position, side))
        assert not (planes[plane] & planes[0]).any()
    rows = [(row + position.ply) % 2 == 0 for row in range(board.height)]
    assert planes[5].tolist() == [[int(row)] * board.width for row in rows]


def test_the_grid_of_the_sources_example() -> None:
    # Player 1 begins: 3,2,3,2,3,2,3, counted from 0.
    final = Position.from_columns([3, 2, 3, 2, 3, 2, 3])
    (grid,) = grids_of_planes(planes_of_positions([final], moved=True))
    assert grid.shape == (1, 6, 7)
    rows = [[0] * 7] * 2 + [[0, 0, 0, 1, 0, 0, 0]] + [[0, 0, -1, 1, 0, 0, 0]] * 3
    assert grid[0].tolist() == rows


def test_bad_input_is_refused(snapshot: SnapshotAssertion) -> None:
    words, wide = np.zeros(2, dtype=np.uint64), Position(board="10x7")

    def planes(*shape: int) -> str:
        return refusal(words_of_planes, np.zeros((1, *shape), dtype=np.uint8))

    assert [
        refusal(planes_of_positions, [wide], moved=False),
        planes(2, 7, 10),
        planes(2, 9, 9),
        planes(1, 4, 5),
        refusal(input_planes, words, words, BoardSize(10, 7)),
        refusal(input_planes, words, words, BoardSize(9, 9)),
        refusal(input_planes, words, words, BoardSize(7, 6), planes=8),
        refusal(input_planes, words, words[:1], BoardSize(7, 6)),
    ] == snapshot
