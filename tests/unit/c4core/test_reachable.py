"""Counts of reachable positions, the basic test of a move generator.

The figures are well known (J. Tromp, "John's Connect Four Playground"; OEIS A212693) or counted
here from every ply's definition.
"""

from itertools import islice

import numpy as np
import pytest

from c4core import Position
from c4core.arrays import plies
from c4core.errors import BoardError

COUNTS_7X6 = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186]
CANONICAL_NOT_OVER_7X6 = [1, 4, 25, 121, 568, 2144, 8231, 27109, 91295]


def test_counts_per_ply_of_7x6() -> None:
    assert [len(keys) for keys in islice(plies(), 10)] == COUNTS_7X6


def test_mirror_reduced_counts_of_open_positions() -> None:
    counts = [
        sum(not Position.from_key(key).is_over for key in keys.tolist())
        for keys in islice(plies(canonical=True), 9)
    ]
    assert counts == CANONICAL_NOT_OVER_7X6


@pytest.mark.parametrize(
    ("width", "height", "total"), [(4, 4, 161_029), (4, 5, 1_706_255), (5, 4, 3_945_711)]
)
def test_all_positions_of_small_boards(width: int, height: int, total: int) -> None:
    assert sum(len(keys) for keys in plies(width=width, height=height)) == total


def test_plies_agree_with_playing_every_move() -> None:
    level = {Position(width=4, height=5)}
    for keys in islice(plies(width=4, height=5), 8):
        assert {p.key for p in level} == set(keys.tolist())
        level = {p.play(column) for p in level for column in p.legal_columns()}


def test_canonical_plies_are_the_minimum_of_both_images() -> None:
    for keys, canonical in zip(
        islice(plies(width=5, height=4), 9),
        islice(plies(width=5, height=4, canonical=True), 9),
        strict=True,
    ):
        both = {Position.from_key(key, width=5, height=4).canonical_key for key in keys.tolist()}
        assert both == set(canonical.tolist())


def test_arrays_are_sorted_and_unique() -> None:
    for keys in islice(plies(), 7):
        assert keys.dtype == np.uint64
        assert bool(np.all(keys[1:] > keys[:-1]))


def test_impossible_boards_are_refused() -> None:
    with pytest.raises(BoardError):
        next(plies(width=8, height=8))
