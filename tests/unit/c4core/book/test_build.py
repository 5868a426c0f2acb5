"""Children of positions, and scores derived from children."""

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from c4core import BoardError, KeyValueError, Position, arrays
from c4core.book.build import best_of_known, derive
from c4core.errors import BookContentError
from c4core.evaluation import NO_SCORE
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.boards.exhaustive import exhaustive_scores, fours, split_keys
from tests.support.boards.small_books import NOTHING, whole_game

BOARD = BoardSize(4, 4)


def keys_of(*positions: Position) -> NDArray[np.uint64]:
    return np.array([position.key for position in positions], dtype=np.uint64)


def test_children_are_found_for_every_position_of_a_ply() -> None:
    keys, *_, last = islice(arrays.open_plies(Position(board=BOARD)), 9, None)
    child_keys, moves = arrays.children(keys, BOARD)
    assert set(np.unique(moves).tolist()) == {
        arrays.MOVE_NONE,
        arrays.MOVE_GOES_ON,
        arrays.MOVE_WINS,
    }
    for key, its_children, its_moves in zip(
        keys.tolist(), child_keys.tolist(), moves.tolist(), strict=True
    ):
        position = Position.from_key(key, board=BOARD)
        for column in range(4):
            expected = 0, arrays.MOVE_NONE
            if position.is_legal(column):
                child = position.play(column)
                expected = (
                    child.canonical_key,
                    arrays.MOVE_WINS if child.is_over else arrays.MOVE_GOES_ON,
                )
            assert (its_children[column], its_moves[column]) == expected
    _, moves = arrays.children(last, BOARD)
    assert set(np.unique(moves).tolist()) == {arrays.MOVE_NONE, arrays.MOVE_WINS, arrays.MOVE_FILLS}
    assert set(derive(last, *NOTHING, BOARD).tolist()) == {0, 1}


def test_wins_and_threats() -> None:
    keys = keys_of(Position("121212"), Position("12121"))
    assert arrays.wins_now(keys, DEFAULT_BOARD).tolist() == [True, False]
    assert arrays.is_threatened(keys, DEFAULT_BOARD).tolist() == [True, True]
    assert not arrays.is_threatened(keys_of(Position("1212")), DEFAULT_BOARD).any()


@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 3), (4, 5)])
def test_whole_boards_have_the_oracles_scores(width: int, height: int) -> None:
    levels = whole_game(Position(board=(width, height)))
    for (keys, scores), (every, expected) in zip(
        levels, exhaustive_scores(width, height), strict=False
    ):
        stones, mask = split_keys(every, width, height)
        going_on = ~fours(stones ^ mask, height)
        assert np.array_equal(keys, every[going_on])
        assert np.array_equal(scores, expected[going_on])
    assert len(levels) == width * height


def test_a_missing_child_is_reported() -> None:
    parents, below = islice(arrays.open_plies(Position()), 3, 5)
    scores = np.zeros(len(below), dtype=np.int8)
    assert not derive(parents, below, scores, DEFAULT_BOARD).any()
    with pytest.raises(BookContentError, match="has no score"):
        derive(parents, below[1:], scores[1:], DEFAULT_BOARD)
    with pytest.raises(BookContentError, match="cannot have"):
        derive(parents, below, scores[1:], DEFAULT_BOARD)


def test_the_best_known_child_is_found() -> None:
    (keys, scores), (child_keys, child_scores) = whole_game(Position(board=BOARD))[6:8]
    best, exact = best_of_known(keys, child_keys[::2].copy(), child_scores[::2].copy(), BOARD)
    wins = arrays.wins_now(keys, BOARD)
    assert np.array_equal(best[exact], scores[exact])
    assert bool((best <= scores).all())
    assert bool(exact[wins].all())
    best, exact = best_of_known(keys, *NOTHING, BOARD)
    assert np.array_equal(exact, wins)
    assert bool((best[~wins] == NO_SCORE).all())


def test_canonical_keys() -> None:
    positions = [Position("4453"), Position("1"), Position("7"), Position()]
    canonical, plies = arrays.canonical_keys(keys_of(*positions), DEFAULT_BOARD)
    assert canonical.tolist() == [position.canonical_key for position in positions]
    assert plies.tolist() == [4, 1, 1, 0]
    with pytest.raises(KeyValueError):
        arrays.canonical_keys(np.array([0], dtype=np.uint64), DEFAULT_BOARD)
    with pytest.raises(BoardError):
        arrays.canonical_keys(np.array([0], dtype=np.uint64), BoardSize(99, 6))
