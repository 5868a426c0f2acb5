"""Bounds and rules of certificates on every position of larger boards, which takes minutes."""

import pytest

from tests.support.boards.every_position import check_bounds, check_lasting_form, check_rules


@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5), (6, 4)])
def test_bounds_hold_on_every_position(width: int, height: int) -> None:
    assert check_bounds(width, height) > 4_000_000


@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5), (4, 6), (6, 4)])
def test_rules_of_certificates_hold_on_every_position(width: int, height: int) -> None:
    assert min(check_rules(width, height).values()) > 10_000


@pytest.mark.parametrize(("width", "height", "step"), [(4, 4, 1), (5, 3, 1), (4, 5, 6), (5, 4, 20)])
def test_lasting_rules_hold_and_can_be_kept(width: int, height: int, step: int) -> None:
    assert check_lasting_form(width, height, step=step) > 100_000
