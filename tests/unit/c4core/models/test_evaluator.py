"""The small search with a model, compared with one without bounds; and network input."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from syrupy.assertion import SnapshotAssertion

from c4core.dice import Dice
from c4core.models.evaluator import (
    Evaluator,
    grids_of_planes,
    input_planes,
    planes_of_positions,
    search_column,
    words_of_planes,
)
from c4core.models.residual import ResidualEngine, weight_shapes
from c4core.notation import BoardSize
from c4core.players import Limits, PlayerFailure, Stop, StopPlaying, parse_player
from c4core.players.heuristics import winning_columns
from c4core.position import Position
from tests.support.boards.games import random_positions
from tests.support.boards.player_positions import other
from tests.support.refusals import refusal
from tests.support.running.interrupts import stopped

BOARDS = [BoardSize(5, 4), BoardSize(7, 6)]
WON = 1000.0


def engine(board: BoardSize) -> ResidualEngine:
    sizes = {"channels": 8, "blocks": 1, "hidden": 8}
    draw = np.random.default_rng(5).normal
    weights = {
        name: draw(0, 0.3, shape).astype(np.float32)
        for name, shape in weight_shapes(board.height, **sizes).items()
    }
    return ResidualEngine(width=board.width, height=board.height, weights=weights, **sizes)


def slow_value(model: Evaluator, position: Position, depth: int) -> float:
    """The value of a position that is not over, by searching every line to this depth.

    The lines are the two columns of largest worth, if they are close.
    """
    if winning_columns(position, position.turn):
        return WON - (position.ply + 1)
    threats = winning_columns(position, other(position.turn))
    if len(threats) > 1:
        return -(WON - (position.ply + 2))
    if threats:
        after = position.play(*threats)
        return 0 if after.is_over else -slow_value(model, after, depth)
    worths, value = model.evaluate(position)
    if depth == 0:
        return value
    columns = sorted(position.legal_columns(), key=lambda column: -worths[column])
    columns = [c for c in columns[:2] if worths[c] >= worths[columns[0]] - 4]
    children = (position.play(column) for column in columns)
    return max(0 if after.is_over else -slow_value(model, after, depth - 1) for after in children)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_bounds_and_order_change_nothing(board: BoardSize, depth: int) -> None:
    model = engine(board)

    def slow(after: Position) -> float:
        if after.is_over:
            return WON - after.ply if after.winner else 0
        return -slow_value(model, after, depth - 1)

    for position in random_positions(25, seed=depth, board=board, least_ply=4):
        column, value, evaluations = search_column(model, position, depth=depth)
        worths, _ = model.evaluate(position)
        best = max(worths[c] for c in position.legal_columns())
        values = {c: slow(position.play(c)) + worths[c] - best for c in position.legal_columns()}
        assert value == pytest.approx(max(values.values()), abs=1e-12)
        assert values[column] == pytest.approx(value, abs=1e-12)
        assert evaluations >= 1


def test_a_search_can_be_stopped() -> None:
    model = engine(BOARDS[1])
    ended = stopped(lambda stop: search_column(model, Position(), depth=42, stop=stop))
    assert ended.was_thinking
    assert isinstance(ended.result, StopPlaying)
    with pytest.raises(StopPlaying):
        search_column(model, Position(), depth=42, stop=Stop().within(0.01))


def test_search_players_choose_legal_columns() -> None:
    spec = parse_player("learning-residual-search")
    assert "depth=3" in spec.text
    player, board = spec.make(), BOARDS[1]
    for position in random_positions(10, seed=6, board=board):
        column = player.choose(position, Dice(1), Limits())
        assert position.is_legal(column)
        assert column == player.choose(position, Dice(2))
    with pytest.raises(PlayerFailure, match=f"plays on {board}, not on 4x4"):
        player.choose(Position(width=4, height=4), Dice(1))


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
    planes = input_planes(own, mask, width=board.width, height=board.height)[0]
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
    words, wide = np.zeros(2, dtype=np.uint64), Position(width=10, height=7)

    def planes(*shape: int) -> str:
        return refusal(words_of_planes, np.zeros((1, *shape), dtype=np.uint8))

    def search(text: str, depth: int = 1, width: int = 5, height: int = 4) -> str:
        position = Position(text, width=width, height=height)
        return refusal(search_column, engine(BOARDS[0]), position, depth=depth)

    assert [
        search("", depth=0),
        search("", width=7, height=6),
        search("", width=10, height=7),
        search("1212121"),
        refusal(engine, wide.board),
        refusal(planes_of_positions, [wide], moved=False),
        planes(2, 7, 10),
        planes(2, 9, 9),
        planes(1, 4, 5),
        refusal(input_planes, words, words, width=10, height=7),
        refusal(input_planes, words, words, width=9, height=9),
        refusal(input_planes, words, words, planes=8),
        refusal(input_planes, words, words[:1]),
    ] == snapshot
