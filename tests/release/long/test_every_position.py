"""Checks that take minutes: bounds, rules, scores and counts of complete boards, and damage."""

import pytest

from c4core.solver import Solver
from tests.support.boards.every_position import (
    check_bounds,
    check_lasting_form,
    check_rules,
    check_scores,
    counted,
)
from tests.support.boards.reference import ReferenceSolver
from tests.support.certificates import CLAIMS, check_tampered


@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5), (6, 4)])
def test_bounds_hold_on_every_position(width: int, height: int) -> None:
    assert check_bounds(width, height) > 4_000_000


@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5)])
def test_the_solver_is_exact_on_every_position(width: int, height: int) -> None:
    check_scores(Solver(), width, height)


@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5), (4, 6), (6, 4)])
def test_rules_of_certificates_hold_on_every_position(width: int, height: int) -> None:
    assert min(check_rules(width, height).values()) > 10_000


@pytest.mark.parametrize(("width", "height", "step"), [(4, 4, 1), (5, 3, 1), (4, 5, 6), (5, 4, 20)])
def test_lasting_rules_hold_and_can_be_kept(width: int, height: int, step: int) -> None:
    assert check_lasting_form(width, height, step=step) > 100_000


def test_the_diagram_counts_all_of_6x5() -> None:
    assert sum(counted(6, 5)) == 2_818_972_642


def test_the_oracle_visits_every_position_of_4x4() -> None:
    oracle = ReferenceSolver(4)
    assert oracle.score(("",) * 4) == 0
    assert len(oracle.known) == 161_029


@pytest.mark.parametrize("claim", CLAIMS)
def test_many_tampered_certificates_are_refused(claim: tuple[str, int, int, int]) -> None:
    assert check_tampered(claim, 2_500) < 400
