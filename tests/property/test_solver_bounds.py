"""Static bounds and solver results against exact values of all positions on small boards."""

import pytest

from c4core.solver import Solver
from tests.support.boards.every_position import check_bounds, check_scores


@pytest.mark.parametrize(("width", "height"), [(4, 4), (4, 3), (3, 4), (5, 3)])
def test_bounds_hold_on_every_position(width: int, height: int) -> None:
    assert check_bounds(width, height) > 0


@pytest.mark.parametrize(("width", "height"), [(4, 4), (3, 5)])
def test_solver_is_exact_on_every_position(width: int, height: int) -> None:
    check_scores(Solver(table_mb=1), width, height)
