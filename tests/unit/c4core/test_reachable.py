"""Counts of reachable positions, the basic test of a move generator.

The figures are well known (J. Tromp, "John's Connect Four Playground"; OEIS A212693) or counted
here from every ply's definition.
"""

from itertools import islice

import numpy as np
import pytest

from c4core import Position
from c4core.arrays import open_plies
from c4core.errors import BoardError
from tests.support.boards.exhaustive import plies

OPEN_7X6 = [1, 4, 25, 121, 568, 2144, 8231, 27109, 91295, 269531, 809464]


def test_counts_per_ply_of_7x6() -> None:
    assert [len(keys) for keys in islice(open_plies(Position()), 11)] == OPEN_7X6


@pytest.mark.parametrize("moves", ["", "13", "2", "33"])
def test_open_plies_agree_with_playing_every_move(moves: str) -> None:
    level = {Position(moves, board="5x4")}
    for keys in islice(open_plies(Position(moves, board="5x4")), 8):
        assert keys.tolist() == sorted({p.canonical_key for p in level})
        assert keys.dtype == np.uint64
        children = {p.play(column) for p in level for column in p.legal_columns()}
        level = {p for p in children if not p.is_over}


def test_open_plies_are_the_plies_without_finished_games() -> None:
    found = list(open_plies(Position(board="4x4")))
    assert len(found) == 16  # the last one leaves one square
    for keys, every in zip(found, plies(width=4, height=4, canonical=True), strict=False):
        positions = [Position.from_key(key, board="4x4") for key in every.tolist()]
        assert keys.tolist() == [position.key for position in positions if not position.is_over]
    assert list(open_plies(Position("1212121"))) == []


def test_impossible_boards_are_refused() -> None:
    with pytest.raises(BoardError):
        next(open_plies(Position(board="10x7")))
