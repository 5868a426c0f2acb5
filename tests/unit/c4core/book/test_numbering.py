"""Slots determine positions; units of work contain every position once; and packed keys."""

import random
from itertools import islice, product, takewhile
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from c4core import BoardError, Position
from c4core.arrays import open_plies, wins_now
from c4core.book.numbering import Ranking
from c4core.book.units import cut_units, owners_of, pack_keys, unpack_keys
from c4core.errors import BookContentError
from c4core.notation import DEFAULT_BOARD, BoardSize

SIZES = [(4, 4), (5, 4), (4, 5), (3, 6), (6, 3), (1, 5), (2, 7), (9, 2), (7, 6)]


def keys_of(*keys: int) -> NDArray[np.uint64]:
    return np.array(keys, dtype=np.uint64)


def test_slots_of_7x6() -> None:
    ranking = Ranking(DEFAULT_BOARD, 12)
    shapes = dict.fromkeys(range(13), 0)
    for left in product(range(7), repeat=3):
        for right in product(range(7), repeat=3):
            for middle in range(7):
                if left >= right and sum(left + right) + middle <= 12:
                    shapes[sum(left + right) + middle] += 1
    assert [ranking.count(n) for n in range(13)] == [shapes[n] * comb(n, n // 2) for n in range(13)]
    assert ranking.count(12) == 7_116_648


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_different_positions_have_different_slots(width: int, height: int) -> None:
    start = Position(board=(width, height))
    levels = list(takewhile(lambda keys: len(keys) < 20_000, open_plies(start)))
    ranking = Ranking(BoardSize(width, height), len(levels) - 1)
    for ply, keys in enumerate(levels):
        slots = ranking.slots(keys, ply=ply)
        assert len(np.unique(slots)) == len(keys)
        assert slots.max() < ranking.count(ply)


def test_the_largest_slots() -> None:
    """Slots of the longest plies use nearly all of their 64 bits."""
    for width, height in ((16, 3), (8, 7), (4, 15), (32, 1), (3, 19), (12, 4)):
        cells = width * height
        ranking = Ranking(BoardSize(width, height), cells)
        chance, position = random.Random(1), Position(board=(width, height))
        while not position.is_over:
            slots = ranking.slots(keys_of(position.key), ply=position.ply)
            assert slots[0] < ranking.count(position.ply) < 1 << 64
            position = position.play(chance.choice(position.legal_columns()))


def test_positions_without_a_slot_are_refused() -> None:
    ranking = Ranking(DEFAULT_BOARD, 4)
    with pytest.raises(BookContentError, match="with 3 stones"):
        ranking.slots(keys_of(Position("4453").key), ply=3)
    with pytest.raises(BookContentError):
        ranking.slots(keys_of(0), ply=2)
    with pytest.raises(ValueError, match="ply 5 has no slots"):
        ranking.count(5)
    with pytest.raises(ValueError, match="no positions of 43 stones"):
        Ranking(DEFAULT_BOARD, 43)
    with pytest.raises(BoardError):
        Ranking(BoardSize(99, 6), 1)


LEVELS = list(islice(open_plies(Position()), 4, 9))


@pytest.mark.parametrize(("least", "most"), [(1, 4000), (500, 4000), (100, 150), (7, 7)])
def test_every_position_is_in_one_unit(least: int, most: int) -> None:
    units = list(cut_units(LEVELS, DEFAULT_BOARD, least=least, most=most))
    searched = LEVELS[-1][~wins_now(LEVELS[-1], DEFAULT_BOARD)]
    assert np.array_equal(np.sort(np.concatenate(units)), searched)
    assert max(map(len, units)) <= most
    assert all(bool((unit[1:] > unit[:-1]).all()) for unit in units)
    again = cut_units(LEVELS, DEFAULT_BOARD, least=least, most=most)
    assert all(map(np.array_equal, units, again))


def test_sizes_of_units() -> None:
    units = list(cut_units(LEVELS, DEFAULT_BOARD, least=500))
    assert min(map(len, units[:-1])) >= 240  # small shares are merged
    assert len(units) < 200
    assert (
        sum(len(unit) for unit in cut_units(LEVELS[:1], DEFAULT_BOARD))
        == (~wins_now(LEVELS[0], DEFAULT_BOARD)).sum()
    )
    assert list(cut_units([np.empty(0, dtype=np.uint64)], DEFAULT_BOARD)) == []
    with pytest.raises(ValueError, match="units of 5 to 4"):
        list(cut_units(LEVELS, DEFAULT_BOARD, least=5, most=4))


def test_owners_are_the_least_ancestors() -> None:
    levels = list(islice(open_plies(Position(board="4x4")), 3, 6))
    leads_to: dict[int, int] = {}
    for index in range(len(levels[0]) - 1, -1, -1):
        below = [Position.from_key(int(levels[0][index]), board="4x4")]
        for _ in range(2):
            below = [p.play(c) for p in below for c in p.legal_columns()]
        leads_to |= {p.canonical_key: index for p in below}
    owners = owners_of(levels, BoardSize(4, 4))
    assert owners.tolist() == [leads_to[key] for key in levels[-1].tolist()]
    with pytest.raises(BookContentError, match="not a child"):
        owners_of([LEVELS[0][:5], LEVELS[1]], DEFAULT_BOARD)


def test_packed_units_round_trip() -> None:
    for extreme in ([], [0, 2**64 - 1], [2**64 - 2, 2**64 - 1], [127, 128]):
        keys = np.array(extreme, dtype=np.uint64)
        assert unpack_keys(pack_keys(keys)).tolist() == extreme
    for unit in cut_units(LEVELS, DEFAULT_BOARD):
        packed = pack_keys(unit)
        assert len(packed) < 3.5 * len(unit) + 10
        assert np.array_equal(unpack_keys(packed), unit)
