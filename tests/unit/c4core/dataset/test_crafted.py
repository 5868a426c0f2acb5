"""Memory and time of reading data sets; hostile files are in ``tests/support/hostile``."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from c4core.dataset import reading
from c4core.dataset.allowance import Allowance
from c4core.dataset.card_reading import read_card
from c4core.dataset.reading import FORMATS, part_problems
from tests.support.boards.datasets import check_densest_part, made, recipe

PARTS, CARD = made(recipe(representations=("planes", "moves")))
TERMS = read_card(json.dumps(CARD), "card.json")[1]


def test_a_column_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "train.npz"
    size = 32 << 20
    planes = np.ones((size // 40, 2, 4, 5), dtype=np.uint8)
    np.savez(path, planes=planes, card=np.array("{}"))  # not compressed: as large as its column
    tracemalloc.start()
    found, _ = FORMATS["npz"].read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(found["planes"], planes)
    assert peak < 1.3 * size


@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_that_there_are(tmp_path: Path, representations: tuple[str, ...]) -> None:
    check_densest_part(tmp_path / "train.npz", representations)


def test_no_column_takes_twice_as_much_as_in_the_densest_parts() -> None:
    allowance = Allowance(1_000_000)
    allowance.take("ply", "u1", (32_000_000,))
    with pytest.raises(ValueError, match="side would take 1 bytes, too many"):
        allowance.take("side", "u1", (1,))


def test_no_lines_of_moves_are_made_of_one_position_many_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a file is small, and every line of moves that it is compared with takes its time."""
    monkeypatch.setattr(reading, "make_records", None)
    records = {name: np.repeat(array, 2, axis=0) for name, array in PARTS["train"].items()}
    number = len(PARTS["train"]["key"])
    assert list(part_problems(records, TERMS, "train")) == [
        f"{number} positions occur more than once"
    ]


def test_the_first_problems_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    records = PARTS["train"] | {
        name: PARTS["train"][name] + 1 for name in ("planes", "ply", "side", "score", "value")
    }
    assert len(list(part_problems(records, TERMS, "train"))) == 6
    monkeypatch.setattr(reading, "MAX_PROBLEMS", 3)
    assert len(list(part_problems(records, TERMS, "train"))) == 3
