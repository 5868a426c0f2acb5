"""Slots and packed keys on boards of every shape."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from c4core import Position
from c4core.book.numbering import MAX_DIGITS, Ranking, pons_keys, read_pons_keys
from c4core.book.units import pack_keys, unpack_keys
from tests.support.boards.positions import games


def key_of(position: Position) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array([position.key], dtype=np.uint64)


@given(games(), st.integers(0, 64))
def test_positions_and_slots_map_to_each_other(game: tuple[Position, str], stones: int) -> None:
    position, moves = game
    size = {"width": position.width, "height": position.height}
    start = Position(moves[: min(stones, position.ply)], **size)
    ranking = Ranking(start, last=position.ply)
    slots = ranking.slots(key_of(position), ply=position.ply)
    assert slots[0] < ranking.count(position.ply)
    assert np.array_equal(ranking.slots(key_of(position.mirrored()), ply=position.ply), slots)
    assert ranking.keys(slots, ply=position.ply).tolist() == [position.canonical_key]


@given(games())
def test_pons_keys_are_one_to_one(game: tuple[Position, str]) -> None:
    position, _ = game
    if position.ply + position.width - 1 >= MAX_DIGITS:
        return
    size = {"width": position.width, "height": position.height}
    numbers = pons_keys(key_of(position), **size)
    assert np.array_equal(pons_keys(key_of(position.mirrored()), **size), numbers)
    assert read_pons_keys(numbers, **size).tolist() == [position.canonical_key]


@given(st.sets(st.integers(0, 2**64 - 1)))
def test_packed_keys_round_trip(keys: set[int]) -> None:
    array = np.array(sorted(keys), dtype=np.uint64)
    assert np.array_equal(unpack_keys(pack_keys(array)), array)
