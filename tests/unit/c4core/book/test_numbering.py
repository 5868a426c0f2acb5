"""Slots: every position has one, and the slot determines the position."""

from __future__ import annotations

from itertools import product, takewhile
from math import comb

import numpy as np
import pytest

from c4core import BoardError, Position
from c4core.arrays import open_plies
from c4core.book.numbering import Ranking
from c4core.errors import BookContentError

STARTS = [
    (4, 4, ""), (4, 4, "1432"), (5, 4, ""), (5, 4, "13"), (4, 5, "2"), (5, 4, "3"), (3, 6, ""),
    (6, 3, "16"), (1, 5, ""), (2, 7, "1"), (9, 2, "5"), (7, 6, "44444"), (7, 6, "1"),
]  # fmt: skip


def test_slots_of_7x6() -> None:
    ranking = Ranking(Position(), last=12)
    shapes = dict.fromkeys(range(13), 0)
    for left in product(range(7), repeat=3):
        for right in product(range(7), repeat=3):
            for middle in range(7):
                if left >= right and sum(left + right) + middle <= 12:
                    shapes[sum(left + right) + middle] += 1
    assert [ranking.count(n) for n in range(13)] == [shapes[n] * comb(n, n // 2) for n in range(13)]
    assert ranking.count(12) == 7_116_648


@pytest.mark.parametrize(("width", "height", "moves"), STARTS)
def test_positions_have_distinct_slots(width: int, height: int, moves: str) -> None:
    start = Position(moves, width=width, height=height)
    levels = list(takewhile(lambda keys: len(keys) < 20_000, open_plies(start)))
    ranking = Ranking(start, last=start.ply + len(levels) - 1)
    for ply, keys in enumerate(levels, start.ply):
        slots = ranking.slots(keys, ply=ply)
        assert len(np.unique(slots)) == len(keys)
        assert slots.max() < ranking.count(ply)
        assert np.array_equal(ranking.keys(slots, ply=ply), keys)


@pytest.mark.parametrize(("width", "height", "moves"), STARTS)
def test_every_slot_is_a_position_or_its_mirror_image(width: int, height: int, moves: str) -> None:
    start = Position(moves, width=width, height=height)
    for ply in range(start.ply, min(start.ply + 6, width * height) + 1):
        ranking = Ranking(start, last=ply)
        slots = np.arange(ranking.count(ply), dtype=np.uint64)
        keys = ranking.keys(slots, ply=ply)
        _, twins = np.unique(keys, return_counts=True)
        assert twins.max() <= 2
        back = ranking.slots(keys, ply=ply)
        assert np.array_equal(ranking.keys(back, ply=ply), keys)
        assert len(np.unique(back)) == len(twins)


def test_the_largest_slots_round_trip() -> None:
    """Slots of the longest plies use nearly all of their 64 bits."""
    for width, height in ((16, 3), (8, 7), (4, 15), (32, 1), (3, 19), (12, 4)):
        start = Position(width=width, height=height)
        ranking = Ranking(start, last=width * height)
        for ply in (0, 1, width * height // 2, width * height - 1, width * height):
            last = np.array([0, ranking.count(ply) // 3, ranking.count(ply) - 1], dtype=np.uint64)
            keys = ranking.keys(last, ply=ply)
            slots = []
            for key in keys.tolist():
                try:
                    Position.from_key(key, width=width, height=height)
                except ValueError:
                    continue
                slots += ranking.slots(np.array([key], dtype=np.uint64), ply=ply).tolist()
            assert all(slot < ranking.count(ply) for slot in slots)


def test_positions_without_a_slot_are_refused() -> None:
    ranking = Ranking(Position("1"), last=4)
    wrong_ply, no_extension = Position("4453"), Position("44")
    with pytest.raises(BookContentError, match="with 3 stones"):
        ranking.slots(np.array([wrong_ply.key], dtype=np.uint64), ply=3)
    with pytest.raises(BookContentError, match="that extends position"):
        ranking.slots(np.array([no_extension.key], dtype=np.uint64), ply=2)
    with pytest.raises(BookContentError):
        ranking.slots(np.array([0], dtype=np.uint64), ply=2)
    with pytest.raises(ValueError, match="ply 5 has no slots"):
        ranking.count(5)
    with pytest.raises(ValueError, match="no slot 99"):
        ranking.keys(np.array([99], dtype=np.uint64), ply=1)
    with pytest.raises(ValueError, match="do not extend"):
        Ranking(Position("11"), last=1)
    with pytest.raises(BoardError):
        Ranking(Position(width=99), last=1)
