"""Plies of positions that are not over: counts, starts, and the end of the game."""

from itertools import islice

import numpy as np
import pytest

from c4core import Position
from c4core.arrays import open_plies, plies

OPEN_7X6 = [1, 4, 25, 121, 568, 2144, 8231, 27109, 91295, 269531, 809464]


def test_counts_of_7x6() -> None:
    assert [len(keys) for keys in islice(open_plies(Position()), 11)] == OPEN_7X6


@pytest.mark.parametrize("moves", ["", "13", "2", "33"])
def test_plies_agree_with_playing_every_move(moves: str) -> None:
    level = {Position(moves, width=5, height=4)}
    for keys in islice(open_plies(Position(moves, width=5, height=4)), 8):
        assert keys.tolist() == sorted({p.canonical_key for p in level})
        assert keys.dtype == np.uint64
        children = {p.play(column) for p in level for column in p.legal_columns()}
        level = {p for p in children if not p.is_over}


def test_open_plies_are_the_plies_without_finished_games() -> None:
    for keys, every in zip(
        open_plies(Position(width=4, height=4)),
        plies(width=4, height=4, canonical=True),
        strict=False,
    ):
        going_on = [
            key for key in every.tolist() if not Position.from_key(key, width=4, height=4).is_over
        ]
        assert keys.tolist() == going_on


def test_the_last_open_ply_leaves_one_square() -> None:
    *_, last = open_plies(Position(width=4, height=4))
    assert Position.from_key(int(last[0]), width=4, height=4).ply == 15


def test_a_finished_game_has_no_plies() -> None:
    assert list(open_plies(Position("1212121"))) == []
