"""Lots: even, and equal for equal positions. Neighbours: as found by hand, and kept apart."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from c4core import Position
from c4core.dataset.draw import draw_from_play
from c4core.dataset.lots import (
    SPLITS,
    Shares,
    are_mirrored,
    choose,
    in_order,
    linked,
    links,
    position_hashes,
    split_of,
)
from c4core.dataset.reading import inspect
from c4core.dataset.writing import write_dataset
from tests.support.boards.datasets import made, recipe
from tests.support.boards.games import SMALL

NUMBERS = np.arange(1, 100_001, dtype=np.uint64)
KEYS = draw_from_play(SMALL, 0, 19, 400, 1).keys
SHARES = Shares(60, 20, 20)


def mixed(word: int) -> int:
    """The finalizer of splitmix64, in Python integers."""
    low = (1 << 64) - 1
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & low
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & low
    return word ^ (word >> 31)


def test_lots_agree_with_the_documentation() -> None:
    key = Position("4453").canonical_key
    salt = int.from_bytes(hashlib.blake2b(b"split 7", digest_size=8).digest(), "big")
    (lot,) = position_hashes(np.array([key], dtype=np.uint64), 7, "split").tolist()
    assert lot == mixed(key ^ salt)
    place = (lot >> 32) * 100 >> 32
    (part,) = split_of(np.array([key], dtype=np.uint64), 7, Shares()).tolist()
    assert SPLITS[part] == ("train" if place < 80 else "validation" if place < 90 else "test")


def test_shares_are_kept() -> None:
    numbers = np.bincount(split_of(NUMBERS, 1, Shares(70, 20, 10)), minlength=3) / len(NUMBERS)
    assert numbers == pytest.approx([0.7, 0.2, 0.1], abs=0.01)
    assert are_mirrored(NUMBERS, 1).mean() == pytest.approx(0.5, abs=0.01)
    # A part with share 0 is empty.
    assert set(split_of(NUMBERS, 1, Shares(0, 0, 5)).tolist()) == {2}
    assert set(split_of(NUMBERS, 1, Shares(1, 0, 1)).tolist()) == {0, 2}
    assert Shares(1, 0, 1).names() == ("train", "test")


def test_lots_depend_on_seed_and_purpose() -> None:
    first = position_hashes(NUMBERS, 1, "split")
    assert not (first == position_hashes(NUMBERS, 2, "split")).any()
    assert not (first == position_hashes(NUMBERS, 1, "order")).any()
    assert len(np.unique(first)) == len(NUMBERS)


def test_the_choice_does_not_depend_on_the_order() -> None:
    chosen = choose(NUMBERS, 100, 3)
    assert choose(NUMBERS[::-1].copy(), 100, 3).tolist() == chosen.tolist()
    assert len(set(chosen.tolist())) == 100
    assert set(choose(NUMBERS, 50, 3).tolist()) < set(chosen.tolist())
    assert choose(NUMBERS[:5], 100, 3).tolist() == NUMBERS[:5].tolist()


def test_the_order_is_a_shuffle() -> None:
    order = in_order(NUMBERS, 1)
    assert sorted(order.tolist()) == list(range(len(NUMBERS)))
    assert abs(np.corrcoef(order, np.arange(len(NUMBERS)))[0, 1]) < 0.02


@pytest.mark.parametrize(
    "text",
    [
        "",
        "80",
        "80/20",
        "a/b/c",
        "\u0668/1/1",
        "0/0/0",
        "-1/1/1",
        "1/2/3/4",
        "1.5/1/1",
        "9999999/1/1",
    ],
)
def test_bad_shares_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a split"):
        Shares.parse(text)
    assert str(Shares.parse("8/1/1")) == "8/1/1"
    assert Shares() == Shares.parse("80/10/10")


def by_hand() -> set[tuple[int, int]]:
    """The pairs of keys of parents and children."""
    known = set(KEYS.tolist())
    pairs = set()
    for key in known:
        position = Position.from_key(key, board=SMALL)
        children = (position.play(column) for column in position.legal_columns())
        pairs |= {(key, child.canonical_key) for child in children if not child.is_over}
    return {(parent, child) for parent, child in pairs if child in known}


def parts_of(places: np.ndarray) -> dict[str, np.ndarray]:
    return {name: KEYS[places == index] for index, name in enumerate(SPLITS)}


def test_pairs_agree_with_a_slow_count() -> None:
    shuffled = np.random.default_rng(1).permutation(KEYS)
    parents, children = links(shuffled, SMALL)
    found = set(zip(shuffled[parents].tolist(), shuffled[children].tolist(), strict=True))
    assert found == by_hand()
    assert len(found) > 50
    assert [len(each) for each in links(KEYS[:0], SMALL)] == [0, 0]
    part = dict(zip(KEYS.tolist(), split_of(KEYS, 1, SHARES).tolist(), strict=True))
    across = {key for pair in found if part[pair[0]] != part[pair[1]] for key in pair}
    parts = parts_of(split_of(KEYS, 1, SHARES))
    assert linked(parts, SMALL) == {
        name: sum(part[key] == index for key in across) for index, name in enumerate(SPLITS)
    }


def test_the_card_counts_neighbours_and_inspect_checks_them(tmp_path: Path) -> None:
    parts, card = made(recipe(count=300))
    told = card.neighbours
    assert sum(told.values()) > 0
    write_dataset(tmp_path, parts, card, formats=["npz"])
    assert inspect(tmp_path).problems == []
    told["test"] += 1
    write_dataset(tmp_path, parts, card, formats=["npz"], replace=True)
    (problem,) = inspect(tmp_path).problems
    assert problem.startswith(f"{told['test'] - 1} positions of test have neighbours")
