"""Single turns: what they take, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from c4core.position import Position
from c4core.proof.weakc4_turns import NO_MOVE, WINS, canonical, choose, replies

SIZE = {"width": 4, "height": 4}


def keys(*moves: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([Position(each, **SIZE).key for each in moves], dtype=np.uint64)


def column(*values: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.array(values, dtype=np.uint8)


def levels(*squares: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(squares, dtype=np.uint64)


def test_what_is_played() -> None:
    bottom_row = 0b00001_00001_00001_00001
    first, last = 1, 1 << 15
    # The level of the bottom row has four squares on the empty board, three after "12".
    chosen = choose(keys("", "11", "121212", "1212"), levels(bottom_row, last, first), **SIZE)
    assert chosen.tolist() == [3, 3, WINS, 3]
    assert choose(keys(""), levels(bottom_row), **SIZE).tolist() == [NO_MOVE]
    assert choose(keys("141424"), levels(), **SIZE).tolist() == [3]
    assert choose(keys("12", ""), levels(), **SIZE).tolist() == [NO_MOVE, NO_MOVE]


def test_replies() -> None:
    found = replies(keys("1111", "121212"), column(1, WINS), **SIZE)
    assert found.parents.tolist() == [0, 0, 0]
    assert found.columns.tolist() == [1, 2, 3]
    assert found.ends.tolist() == [0, 0, 0]
    assert found.keys.tolist() == keys("111122", "111123", "111124").tolist()


def test_what_is_refused() -> None:
    for wrong in (4, 200, NO_MOVE):
        with pytest.raises(ValueError, match=f"column {wrong} cannot be played at index 1"):
            replies(keys("", ""), column(0, wrong), **SIZE)
    with pytest.raises(ValueError, match="column 0 cannot be played at index 0"):
        replies(keys("1111"), column(0), **SIZE)
    for function in (replies, canonical):
        with pytest.raises(ValueError, match="2 positions and 1 columns"):
            function(keys("", "1"), column(0), **SIZE)
