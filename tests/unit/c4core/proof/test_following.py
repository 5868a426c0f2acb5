"""Rules in their lasting form: they are true, follow from the rules, and can be kept to."""

from __future__ import annotations

import numpy as np
import pytest

from c4core.proof.following import answers, lasts
from c4core.position import Position
from tests.support.boards.every_position import check_lasting_form, check_target
from tests.support.certificates import random_positions


@pytest.mark.parametrize(("width", "height", "step"), [(4, 4, 10), (5, 3, 10)])
def test_on_some_positions_of_small_boards(width: int, height: int, step: int) -> None:
    assert check_lasting_form(width, height, step=step) > 5_000


@pytest.mark.parametrize(("width", "height"), [(5, 5), (6, 7), (7, 6), (8, 5), (12, 4)])
def test_on_large_boards(width: int, height: int) -> None:
    positions = random_positions(width, height, 1000, seed=height)
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    held = [len(check_target(keys, width, height, target)) for target in (-2, 0, 1, 5, 9)]
    assert min(held[1:]) > 0


def test_nothing_helps_against_a_win_at_once() -> None:
    assert not lasts(Position("121212"), least=-20)
    assert answers(Position("1212121"[:-2] + "3"), least=5) == ()
