"""Neighbours: found like by hand, and none in different parts if somebody asks for that."""

from pathlib import Path

import numpy as np
import pytest

from c4core import Position
from c4core.dataset.draw import draw_from_play
from c4core.dataset.lots import SPLITS, Shares, divide, linked, links, split_of
from c4core.dataset.reading import inspect
from c4core.dataset.writing import write_dataset
from tests.support.boards.datasets import SMALL, made, recipe

KEYS = draw_from_play(SMALL, 0, 19, 400, 1).keys
SHARES = Shares(60, 20, 20)


def by_hand() -> set[tuple[int, int]]:
    """The pairs of keys of parents and children."""
    known = set(KEYS.tolist())
    pairs = set()
    for key in known:
        position = Position.from_key(key, width=SMALL.width, height=SMALL.height)
        children = (position.play(column) for column in position.legal_columns())
        pairs |= {(key, child.canonical_key) for child in children if not child.is_over}
    return {(parent, child) for parent, child in pairs if child in known}


def parts_of(is_kept: np.ndarray, places: np.ndarray) -> dict[str, np.ndarray]:
    return {name: KEYS[is_kept][places == index] for index, name in enumerate(SPLITS)}


def test_pairs_are_those_by_hand() -> None:
    shuffled = np.random.default_rng(1).permutation(KEYS)
    parents, children = links(shuffled, SMALL)
    found = set(zip(shuffled[parents].tolist(), shuffled[children].tolist(), strict=True))
    assert found == by_hand()
    assert len(found) > 50
    assert [len(each) for each in links(KEYS[:0], SMALL)] == [0, 0]


def test_linked_positions_are_counted() -> None:
    part = dict(zip(KEYS.tolist(), split_of(KEYS, 1, SHARES).tolist(), strict=True))
    across = {key for pair in by_hand() if part[pair[0]] != part[pair[1]] for key in pair}
    parts = parts_of(*divide(KEYS, SMALL, 1, SHARES, "keep"))
    assert linked(parts, SMALL) == {
        name: sum(part[key] == index for key in across) for index, name in enumerate(SPLITS)
    }


@pytest.mark.parametrize("seed", range(2))
def test_together_leaves_nothing_out_and_nobody_across(seed: int) -> None:
    is_kept, places = divide(KEYS, SMALL, seed, SHARES, "together")
    assert is_kept.all()
    assert set(linked(parts_of(is_kept, places), SMALL).values()) == {0}
    again, moved = divide(KEYS[::-1].copy(), SMALL, seed, SHARES, "together")
    assert (again.all(), moved[::-1].tolist()) == (True, places.tolist())


@pytest.mark.parametrize("seed", range(2))
def test_drop_leaves_out_of_train_only_what_it_must(seed: int) -> None:
    before = split_of(KEYS, seed, SHARES)
    is_kept, places = divide(KEYS, SMALL, seed, SHARES, "drop")
    assert set(linked(parts_of(is_kept, places), SMALL).values()) == {0}
    assert places.tolist() == before[is_kept].tolist()
    assert is_kept[before == SPLITS.index("test")].all()
    part = dict(zip(KEYS.tolist(), before.tolist(), strict=True))
    pairs = by_hand()
    for key in KEYS[~is_kept].tolist():
        others = [sum(pair) - key for pair in pairs if key in pair]
        assert any(part[other] > part[key] for other in others)


@pytest.mark.parametrize("choice", ["keep", "together", "drop"])
def test_a_card_says_it_and_info_sees_it(tmp_path: Path, choice: str) -> None:
    parts, card = made(recipe(neighbours=choice, count=300))
    told = card["neighbours"]
    assert told["choice"] == choice
    assert told["dropped"] == 300 - card["positions"]
    assert (told["dropped"] > 0) == (choice == "drop")
    assert (sum(told["linked"].values()) > 0) == (choice == "keep")
    write_dataset(tmp_path, parts, card, formats=["npz"])
    assert inspect(tmp_path).problems == []
    told["linked"]["test"] += 1
    write_dataset(tmp_path, parts, card, formats=["npz"], replace=True)
    (problem,) = inspect(tmp_path).problems
    assert problem.startswith(f"{told['linked']['test'] - 1} positions of test have neighbours")
