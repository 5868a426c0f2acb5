"""Units of work: every position is in exactly one unit; and packed keys."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from c4core import Position
from c4core.arrays import open_plies, wins_now
from c4core.book.units import cut_units, owners_of, pack_keys, unpack_keys
from c4core.errors import BookContentError

LEVELS = list(islice(open_plies(Position()), 4, 9))


@pytest.mark.parametrize(("least", "most"), [(1, 4000), (500, 4000), (100, 150), (7, 7)])
def test_every_position_is_in_one_unit(least: int, most: int) -> None:
    units = list(cut_units(LEVELS, least=least, most=most))
    searched = LEVELS[-1][~wins_now(LEVELS[-1])]
    assert np.array_equal(np.sort(np.concatenate(units)), searched)
    assert max(map(len, units)) <= most
    assert all(bool((unit[1:] > unit[:-1]).all()) for unit in units)
    again = cut_units(LEVELS, least=least, most=most)
    assert all(np.array_equal(a, b) for a, b in zip(units, again, strict=True))


def test_small_shares_are_merged() -> None:
    units = list(cut_units(LEVELS, least=500))
    assert min(map(len, units[:-1])) >= 240
    assert len(units) < 200


def test_owners_are_the_least_ancestors() -> None:
    levels = list(islice(open_plies(Position(width=4, height=4)), 3, 6))
    leads_to: dict[int, int] = {}
    for index in range(len(levels[0]) - 1, -1, -1):
        below = [Position.from_key(int(levels[0][index]), width=4, height=4)]
        for _ in range(2):
            below = [p.play(c) for p in below for c in p.legal_columns()]
        leads_to |= {p.canonical_key: index for p in below}
    owners = owners_of(levels, width=4, height=4)
    assert owners.tolist() == [leads_to[key] for key in levels[-1].tolist()]


def test_a_position_without_a_parent_is_refused() -> None:
    with pytest.raises(BookContentError, match="not a child"):
        owners_of([LEVELS[0][:5], LEVELS[1]])


def test_units_of_a_single_level() -> None:
    assert sum(len(unit) for unit in cut_units(LEVELS[:1])) == (~wins_now(LEVELS[0])).sum()
    assert list(cut_units([np.empty(0, dtype=np.uint64)])) == []


def test_bad_unit_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="units of 5 to 4"):
        list(cut_units(LEVELS, least=5, most=4))


def test_packed_units_round_trip() -> None:
    for extreme in ([], [0, 2**64 - 1], [2**64 - 2, 2**64 - 1], [127, 128]):
        keys = np.array(extreme, dtype=np.uint64)
        assert unpack_keys(pack_keys(keys)).tolist() == extreme
    for unit in cut_units(LEVELS):
        packed = pack_keys(unit)
        assert len(packed) < 3.5 * len(unit) + 10
        assert np.array_equal(unpack_keys(packed), unit)


@pytest.mark.parametrize("keys", [[1, 1], [2, 1], [2**64 - 1, 0]])
def test_unsorted_keys_are_not_packed(keys: list[int]) -> None:
    with pytest.raises(BookContentError, match="not sorted at index 1"):
        pack_keys(np.array(keys, dtype=np.uint64))


@pytest.mark.parametrize(
    ("packed", "what"),
    [
        (b"\x80", "within a number"),
        (b"\xff" * 9 + b"\x02", "more than 64 bits at byte 9"),
        (b"\x80" * 10 + b"\x00", "more than 64 bits"),
        (b"\xff" * 9 + b"\x01\x00", "exceed 64 bits at byte 10"),
    ],
)
def test_bad_packed_keys_are_refused(packed: bytes, what: str) -> None:
    with pytest.raises(BookContentError, match=what):
        unpack_keys(packed)
