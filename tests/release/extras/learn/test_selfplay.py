"""Self-play: parallel games follow the rules, and moves get the values that the rule defines."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from c4core import Position
from c4core.models.evaluator import planes_of_positions
from c4core.models.torch.selfplay import (
    DISCOUNT,
    TRACE,
    Games,
    SelfPlayCourse,
    _Moves,
    win_share,
    worth_of_moves,
)
from c4core.notation import BoardSize


@given(st.integers(0, 2**32), st.sampled_from([(7, 6), (4, 4), (5, 4), (8, 7)]))
def test_parallel_games_are_the_same_as_single_ones(seed: int, size: tuple[int, int]) -> None:
    board, n = BoardSize(*size), 6
    chance = np.random.default_rng(seed)
    games = Games(board, n)
    going = [Position(width=board.width, height=board.height) for _ in range(n)]
    while len(games):
        assert np.array_equal(games.planes, planes_of_positions(going, moved=False))
        for is_open, position in zip(games.is_open, going, strict=True):
            assert np.flatnonzero(is_open).tolist() == list(position.legal_columns())
        columns = [int(chance.choice(position.legal_columns())) for position in going]
        won, over = games.play(np.array(columns))
        after = [position.play(column) for position, column in zip(going, columns, strict=True)]
        assert [position.winner is not None for position in after] == won.tolist()
        assert [position.is_over for position in after] == over.tolist()
        going = [position for position in after if not position.is_over]
    assert not going


def moves(best: list[float], *, is_best: list[bool], won: list[bool], over: list[bool]) -> _Moves:
    n = len(best)
    return _Moves(
        planes=np.zeros((n, 2, 4, 4), dtype=np.uint8),
        columns=np.zeros(n, dtype=np.int64),
        best=np.array(best, dtype=np.float32),
        is_best=np.array(is_best),
        won=np.array(won),
        over=np.array(over),
    )


def test_worth_of_moves() -> None:
    # Three games: one is won at once, one is won a move later, one is drawn two moves later.
    played = [
        moves([0, 0, 0], is_best=[True] * 3, won=[True, False, False], over=[True, False, False]),
        moves([0.5, 0.25], is_best=[True, False], won=[True, False], over=[True, False]),
        moves([0.4], is_best=[False], won=[False], over=[True]),
    ]
    first, second, third = worth_of_moves(played)
    assert third.tolist() == [0]  # a draw
    # The last move was random and worse than expected, so it does not count.
    assert second.tolist() == pytest.approx([1, -DISCOUNT * 0.4])
    assert first.tolist() == pytest.approx(
        [1, -DISCOUNT * (TRACE * 1 + (1 - TRACE) * 0.5), -DISCOUNT * 0.25]
    )


def test_a_random_move_counts_if_it_is_better_than_expected() -> None:
    played = [
        moves([0.0], is_best=[True], won=[False], over=[False]),
        moves([-0.5], is_best=[False], won=[True], over=[True]),
    ]
    assert worth_of_moves(played)[0].tolist() == pytest.approx(
        [-DISCOUNT * (TRACE * 1 + (1 - TRACE) * -0.5)]
    )


def test_it_learns_to_beat_random_play() -> None:
    course = SelfPlayCourse(
        board=BoardSize(5, 4), channels=32, hidden=64, games=512, batch=128, rate=0.003, seed=1
    )

    def share() -> float:
        return win_share(
            course.network, "selfplay", "random", games=200, seed=9, board=BoardSize(5, 4)
        )

    before = share()
    for number in range(1, 4):
        figures = course.epoch(number, lambda _done, _parts: None)
    assert share() > before + 0.1
    assert 7 <= figures["moves"] <= 20
    assert 0 <= figures["won_set"] <= 1
