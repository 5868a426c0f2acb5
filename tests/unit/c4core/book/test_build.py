"""Children of positions, and scores derived from children."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core import BoardError, KeyValueError, Position
from c4core.arrays import (
    MOVE_FILLS,
    MOVE_GOES_ON,
    MOVE_NONE,
    MOVE_WINS,
    canonical_keys,
    children,
    is_threatened,
    open_plies,
    wins_now,
)
from c4core.book.build import best_of_known, derive
from c4core.errors import BookContentError
from c4core.evaluation import NO_SCORE
from tests.support.boards.exhaustive import exhaustive_scores, fours, split_keys
from tests.support.boards.small_books import NOTHING, whole_game

if TYPE_CHECKING:
    from numpy.typing import NDArray


def keys_of(*positions: Position) -> NDArray[np.uint64]:
    return np.array([position.key for position in positions], dtype=np.uint64)


def test_children_are_found_for_every_position_of_a_ply() -> None:
    keys = next(islice(open_plies(Position(width=4, height=4)), 9, None))
    child_keys, moves = children(keys, width=4, height=4)
    assert set(np.unique(moves).tolist()) == {MOVE_NONE, MOVE_GOES_ON, MOVE_WINS}
    for key, its_children, its_moves in zip(
        keys.tolist(), child_keys.tolist(), moves.tolist(), strict=True
    ):
        position = Position.from_key(key, width=4, height=4)
        for column in range(4):
            if not position.is_legal(column):
                assert (its_children[column], its_moves[column]) == (0, MOVE_NONE)
                continue
            child = position.play(column)
            assert its_children[column] == child.canonical_key
            assert its_moves[column] == (MOVE_WINS if child.is_over else MOVE_GOES_ON)


def test_the_last_square_ends_the_game() -> None:
    *_, last = open_plies(Position(width=4, height=4))
    _, moves = children(last, width=4, height=4)
    assert set(np.unique(moves).tolist()) == {MOVE_NONE, MOVE_WINS, MOVE_FILLS}
    scores = derive(last, *NOTHING, width=4, height=4)
    assert set(scores.tolist()) == {0, 1}


def test_wins_and_threats() -> None:
    threat = Position("121212")
    assert wins_now(keys_of(threat, Position("12121"))).tolist() == [True, False]
    assert is_threatened(keys_of(threat, Position("12121"))).tolist() == [True, True]
    assert not is_threatened(keys_of(Position("1212"))).any()


@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 3), (4, 5)])
def test_whole_boards_have_the_oracles_scores(width: int, height: int) -> None:
    levels = whole_game(Position(width=width, height=height))
    for (keys, scores), (every, expected) in zip(
        levels, exhaustive_scores(width, height), strict=False
    ):
        stones, mask = split_keys(every, width, height)
        going_on = ~fours(stones ^ mask, height)
        assert np.array_equal(keys, every[going_on])
        assert np.array_equal(scores, expected[going_on])
    assert len(levels) == width * height


def test_a_missing_child_is_reported() -> None:
    parents, below = islice(open_plies(Position()), 3, 5)
    scores = np.zeros(len(below), dtype=np.int8)
    assert not derive(parents, below, scores).any()
    with pytest.raises(BookContentError, match="has no score") as caught:
        derive(parents, below[1:], scores[1:])
    assert caught.value.key in parents.tolist()
    with pytest.raises(BookContentError, match="cannot have"):
        derive(parents, below, scores[1:])


def test_the_best_known_child_is_found() -> None:
    start = Position(width=4, height=4)
    (keys, scores), (child_keys, child_scores) = whole_game(start)[6:8]
    some = child_keys[::2].copy(), child_scores[::2].copy()
    best, exact = best_of_known(keys, *some, width=4, height=4)
    wins = wins_now(keys, width=4, height=4)
    assert np.array_equal(best[exact], scores[exact])
    assert bool((best <= scores).all())
    assert bool(exact[wins].all())
    best, exact = best_of_known(keys, *NOTHING, width=4, height=4)
    assert np.array_equal(exact, wins)
    assert bool((best[~wins] == NO_SCORE).all())


def test_canonical_keys() -> None:
    positions = [Position("4453"), Position("1"), Position("7"), Position()]
    canonical, plies = canonical_keys(keys_of(*positions))
    assert canonical.tolist() == [position.canonical_key for position in positions]
    assert plies.tolist() == [4, 1, 1, 0]
    with pytest.raises(KeyValueError):
        canonical_keys(np.array([0], dtype=np.uint64))
    with pytest.raises(BoardError):
        canonical_keys(np.array([0], dtype=np.uint64), width=99)
