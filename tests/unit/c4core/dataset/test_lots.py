"""What a hash of a position decides: the same for all that are the same, evenly for the others."""

import hashlib

import numpy as np
import pytest

from c4core import Position
from c4core.dataset.lots import (
    SPLITS,
    Shares,
    are_mirrored,
    choose,
    draw_lots,
    in_order,
    split_of,
)

KEYS = np.arange(1, 100_001, dtype=np.uint64)


def mixed(word: int) -> int:
    """The finalizer of splitmix64, in whole numbers of any size."""
    low = (1 << 64) - 1
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & low
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & low
    return word ^ (word >> 31)


def test_lots_are_what_the_document_says() -> None:
    key = Position("4453").canonical_key
    salt = int.from_bytes(hashlib.blake2b(b"split 7", digest_size=8).digest(), "big")
    (lot,) = draw_lots(np.array([key], dtype=np.uint64), 7, "split").tolist()
    assert lot == mixed(key ^ salt)
    place = (lot >> 32) * 100 >> 32
    (part,) = split_of(np.array([key], dtype=np.uint64), 7, Shares()).tolist()
    assert SPLITS[part] == ("train" if place < 80 else "validation" if place < 90 else "test")


def test_shares_are_kept() -> None:
    numbers = np.bincount(split_of(KEYS, 1, Shares(70, 20, 10)), minlength=3) / len(KEYS)
    assert numbers == pytest.approx([0.7, 0.2, 0.1], abs=0.01)
    assert are_mirrored(KEYS, 1).mean() == pytest.approx(0.5, abs=0.01)


def test_a_part_without_a_share_gets_nothing() -> None:
    assert set(split_of(KEYS, 1, Shares(0, 0, 5)).tolist()) == {2}
    assert set(split_of(KEYS, 1, Shares(1, 0, 1)).tolist()) == {0, 2}
    assert Shares(1, 0, 1).names() == ("train", "test")


def test_seeds_and_purposes_differ() -> None:
    first = draw_lots(KEYS, 1, "split")
    assert not (first == draw_lots(KEYS, 2, "split")).any()
    assert not (first == draw_lots(KEYS, 1, "order")).any()
    assert len(np.unique(first)) == len(KEYS)


def test_choice_is_the_same_in_any_order() -> None:
    chosen = choose(KEYS, 100, 3)
    assert choose(KEYS[::-1].copy(), 100, 3).tolist() == chosen.tolist()
    assert len(set(chosen.tolist())) == 100
    assert set(choose(KEYS, 50, 3).tolist()) < set(chosen.tolist())
    assert choose(KEYS[:5], 100, 3).tolist() == KEYS[:5].tolist()


def test_order_is_a_shuffle() -> None:
    order = in_order(KEYS, 1)
    assert sorted(order.tolist()) == list(range(len(KEYS)))
    assert abs(np.corrcoef(order, np.arange(len(KEYS)))[0, 1]) < 0.02


@pytest.mark.parametrize(
    "text", ["", "80", "80/20", "a/b/c", "0/0/0", "-1/1/1", "1/2/3/4", "1.5/1/1", "9999999/1/1"]
)
def test_shares_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="no split"):
        Shares.parse(text)


def test_shares_as_text() -> None:
    assert str(Shares.parse("8/1/1")) == "8/1/1"
    assert Shares() == Shares.parse("80/10/10")
