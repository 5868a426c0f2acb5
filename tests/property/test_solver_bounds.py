"""The static bounds against exact values of every reachable position of small boards."""

from __future__ import annotations

import numpy as np
import pytest

from c4core.bounds import upper_bounds
from c4core.evaluation import score_limits
from c4core.solver import Solver
from tests.support.boards.exhaustive import exhaustive_scores, fours, split_keys

NOT_PROVEN = 127


def check_every_position(width: int, height: int) -> int:
    """Hold every bound with every target against the scores; returns how many were proven."""
    fired = 0
    for keys, scores in exhaustive_scores(width, height):
        stones, mask = split_keys(keys, width, height)
        alive = ~fours(stones ^ mask, height)
        for target in range(score_limits(0, width, height)[0], score_limits(0, width, height)[1]):
            bounds = upper_bounds(keys[alive], width=width, height=height, target=target)
            proven = bounds != NOT_PROVEN
            assert (bounds[proven] <= target).all()
            assert (bounds[proven] >= scores[alive][proven]).all(), target
            fired += int(proven.sum())
    return fired


@pytest.mark.parametrize(("width", "height"), [(4, 4), (4, 3), (3, 4), (5, 3)])
def test_bounds_hold_on_every_position(width: int, height: int) -> None:
    assert check_every_position(width, height) > 0


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5), (6, 4)])
def test_bounds_hold_on_every_position_of_larger_boards(width: int, height: int) -> None:
    assert check_every_position(width, height) > 4_000_000


@pytest.mark.parametrize(("width", "height"), [(4, 4), (3, 5)])
def test_solver_is_exact_on_every_position(width: int, height: int) -> None:
    solver = Solver(table_mb=1)
    for keys, scores in exhaustive_scores(width, height):
        result = solver.solve_many(keys, width=width, height=height)
        assert np.array_equal(result.lower, scores)
        assert np.array_equal(result.upper, scores)


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(5, 4), (4, 5)])
def test_solver_is_exact_on_every_position_of_larger_boards(width: int, height: int) -> None:
    solver = Solver()
    for keys, scores in exhaustive_scores(width, height):
        result = solver.solve_many(keys, width=width, height=height)
        assert np.array_equal(result.lower, scores)
        assert np.array_equal(result.upper, scores)
