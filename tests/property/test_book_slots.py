"""Slots and packed keys on boards of every shape."""

import numpy as np
from hypothesis import given, strategies as st

from c4core import Position
from c4core.book.numbering import MAX_DIGITS, Ranking, pons_keys
from c4core.book.units import pack_keys, unpack_keys
from tests.support.boards.positions import games


@given(games())
def test_mirror_images_share_slots_and_pons_keys(game: tuple[Position, str]) -> None:
    position, _ = game
    own, of_mirror_image = (
        np.array([key], dtype=np.uint64) for key in (position.key, position.mirrored().key)
    )
    ranking = Ranking(position.board, position.ply)
    slots = ranking.slots(own, ply=position.ply)
    assert slots[0] < ranking.count(position.ply)
    assert np.array_equal(ranking.slots(of_mirror_image, ply=position.ply), slots)
    if position.ply + position.width - 1 < MAX_DIGITS:
        numbers = pons_keys(own, position.board)
        assert np.array_equal(pons_keys(of_mirror_image, position.board), numbers)


@given(st.sets(st.integers(0, 2**64 - 1)))
def test_packed_keys_round_trip(keys: set[int]) -> None:
    array = np.array(sorted(keys), dtype=np.uint64)
    assert np.array_equal(unpack_keys(pack_keys(array)), array)
