"""The small search with a model, compared with one without bounds; and network input."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c4core.dice import Dice
from c4core.models.evaluator import (
    grids_of_planes,
    input_planes,
    planes_of_positions,
    search_column,
    words_of_planes,
)
from c4core.models.tuples import TupleEngine, random_tuples, table_shape
from c4core.notation import BoardError, BoardSize
from c4core.players import Limits, PlayerFailure, Stop, StopPlaying, parse_player
from c4core.players.heuristics import winning_columns
from c4core.position import Position
from tests.support.boards.learning import model_file, random_positions
from tests.support.running.interrupts import stopped

BOARDS = [BoardSize(5, 4), BoardSize(7, 6)]
WON = 1000.0


def engine(board: BoardSize) -> TupleEngine:
    width, height = board
    squares = random_tuples(Dice(3), tuples=4, length=4, width=width, height=height)
    tables = np.random.default_rng(4).normal(0, 0.3, table_shape(4, 4)).astype(np.float32)
    return TupleEngine(width=width, height=height, squares=squares, tables=tables)


def other_side(position: Position) -> str:
    return "o" if position.turn == "x" else "x"


def slow_value(model: TupleEngine, position: Position, depth: int) -> float:
    """The value of a position that is not over, by searching every line to this depth."""
    if winning_columns(position, position.turn):
        return WON - (position.ply + 1)
    threats = winning_columns(position, other_side(position))
    if len(threats) > 1:
        return -(WON - (position.ply + 2))
    if depth == 0:
        return model.evaluate(position)[1]
    values = []
    for column in position.legal_columns():
        after = position.play(column)
        if not threats or column in threats:
            values.append(0 if after.is_over else -slow_value(model, after, depth - 1))
    return max(values)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_bounds_and_order_change_nothing(board: BoardSize, depth: int) -> None:
    model = engine(board)
    for position in random_positions(15, seed=depth, board=board, least_ply=4):
        column, value, evaluations = search_column(model, position, depth=depth)
        after = position.play(column)
        if after.winner is not None:
            assert value == WON - after.ply
        elif after.is_over:
            assert value == 0
        else:
            assert value == pytest.approx(-slow_value(model, after, depth - 1), abs=1e-12)
        for other in position.legal_columns():
            there = position.play(other)
            if not there.is_over:
                assert -slow_value(model, there, depth - 1) <= value + 1e-12
        assert evaluations >= 1


def test_wins_and_blocks_are_seen_at_any_depth() -> None:
    model = engine(BOARDS[1])
    for position in random_positions(150, seed=5, board=BOARDS[1]):
        column = search_column(model, position, depth=1)[0]
        wins = winning_columns(position, position.turn)
        threats = winning_columns(position, other_side(position))
        if wins:
            assert column in wins
        elif len(threats) == 1:
            after = position.play(threats[0])
            if after.is_over or not winning_columns(after, after.turn):
                assert column == threats[0]


def test_a_longer_search_finds_the_shortest_win() -> None:
    # x makes three in the bottom row with both ends open.
    column, value, _ = search_column(engine(BOARDS[1]), Position("4354"), depth=4)
    assert column in {1, 2, 4, 5}
    assert value < WON
    column, value, _ = search_column(engine(BOARDS[1]), Position("4455"), depth=4)
    assert (column, value) in {(2, WON - 7), (5, WON - 7)}


def test_a_search_can_be_stopped() -> None:
    model = engine(BOARDS[1])
    ended = stopped(lambda stop: search_column(model, Position(), depth=42, stop=stop))
    assert ended.was_thinking
    assert isinstance(ended.result, StopPlaying)
    with pytest.raises(StopPlaying):
        search_column(model, Position(), depth=42, stop=Stop().within(0.01))


def test_bad_depths_and_positions_are_refused() -> None:
    model = engine(BOARDS[0])
    with pytest.raises(ValueError, match="depth cannot be 0"):
        search_column(model, Position(width=5, height=4), depth=0)
    with pytest.raises(ValueError, match="cannot judge a position of 7x6"):
        search_column(model, Position(), depth=1)
    with pytest.raises(ValueError, match="the game is over"):
        search_column(model, Position("1212121", width=5, height=4), depth=1)


@pytest.mark.parametrize(("kind", "board"), [("residual", BOARDS[1]), ("tuples", BOARDS[0])])
def test_search_players_choose_legal_columns(tmp_path: Path, kind: str, board: BoardSize) -> None:
    name = f"learning-{kind}-search"
    # The shipped network is for 7x6.
    model = "shipped" if kind == "residual" else model_file(tmp_path, name, board)
    spec = parse_player(f"{name}:model={model}")
    assert "depth=4" in spec.text
    player = spec.make()
    for position in random_positions(10, seed=6, board=board):
        column = player.choose(position, Dice(1), Limits())
        assert position.is_legal(column)
        assert column == player.choose(position, Dice(2))
    with pytest.raises(PlayerFailure, match=f"plays on {board}, not on 4x4"):
        player.choose(Position(width=4, height=4), Dice(1))


class TestPlanes:
    @given(seed=st.integers(0, 5000), size=st.sampled_from([(5, 4), (4, 4), (7, 6), (6, 7)]))
    @settings(max_examples=30)
    def test_planes_agree_with_the_position(self, seed: int, size: tuple[int, int]) -> None:
        board = BoardSize(*size)
        (position,) = random_positions(1, seed=seed, board=board)
        sides = (position.turn, other_side(position))
        stones = [
            [
                [position.stone_at(column, row) == side for column in range(board.width)]
                for row in range(board.height)
            ]
            for side in sides
        ]
        to_move, moved = (
            planes_of_positions([position], moved=moved)[0] for moved in (False, True)
        )
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

    def test_mirrored_positions_have_mirrored_planes(self) -> None:
        plain = planes_of_positions(random_positions(100, seed=9), moved=False)
        one, other = (
            input_planes(*words_of_planes(planes), width=5, height=4)
            for planes in (plain, np.ascontiguousarray(plain[..., ::-1]))
        )
        assert np.array_equal(one[..., ::-1], other)

    def test_the_grid_of_the_sources_example(self) -> None:
        # Player 1 begins: 3,2,3,2,3,2,3, counted from 0.
        final = Position.from_columns([3, 2, 3, 2, 3, 2, 3])
        (grid,) = grids_of_planes(planes_of_positions([final], moved=True))
        assert grid.shape == (1, 6, 7)
        rows = [[0] * 7] * 2 + [[0, 0, 0, 1, 0, 0, 0]] + [[0, 0, -1, 1, 0, 0, 0]] * 3
        assert grid[0].tolist() == rows

    def test_wide_boards_are_refused(self) -> None:
        words = np.zeros(2, dtype=np.uint64)
        position = Position(width=10, height=7)
        with pytest.raises(BoardError, match="input planes need a board with"):
            input_planes(words, words, width=10, height=7)
        with pytest.raises(BoardError, match="input planes need a board with"):
            planes_of_positions([position], moved=False)
        with pytest.raises(BoardError, match="input planes need a board with"):
            words_of_planes(np.zeros((1, 2, 7, 10), dtype=np.uint8))
        with pytest.raises(BoardError, match="models need a board with"):
            engine(position.board)
        with pytest.raises(ValueError, match="a model of 7x6 cannot judge a position of 10x7"):
            search_column(engine(BoardSize(7, 6)), position, depth=2)

    def test_bad_planes_are_refused(self) -> None:
        words = np.zeros(2, dtype=np.uint64)
        with pytest.raises(BoardError):
            input_planes(words, words, width=9, height=9)
        with pytest.raises(ValueError, match="there are 7 planes, not 8"):
            input_planes(words, words, planes=8)
        with pytest.raises(BoardError):
            words_of_planes(np.zeros((1, 2, 9, 9), dtype=np.uint8))
        with pytest.raises(ValueError, match="there are 1 planes"):
            words_of_planes(np.zeros((1, 1, 4, 5), dtype=np.uint8))
        with pytest.raises(ValueError, match="2 words of own stones and 1 of all"):
            input_planes(words, words[:1])
