"""Rules in their lasting form: they are true, follow from the rules, and can be kept to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core.certificate.following import answers, lasts
from c4core.certificate.rules import rules_that_hold
from c4core.evaluation import score_limits
from c4core.position import Position
from tests.support.boards.exhaustive import exhaustive_scores, fours, split_keys
from tests.support.certificates import random_positions

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_done(position: Position, least: int) -> bool:
    """Whether the side to move, the prover, needs no rule: it wins in time, or it is too late."""
    left = position.board.cells - position.ply
    if -(left // 2) >= least:
        return True
    wins = any(position.is_winning(column) for column in position.legal_columns())
    return wins and (left + 1) // 2 >= least


def can_be_kept(position: Position, least: int) -> bool:
    """Whether every move of the side to move leaves the prover done, or with an answer."""
    following = (position.play(column) for column in position.legal_columns())
    return all(
        (each.is_over and each.winner is None) or is_done(each, least) or answers(each, least=least)
        for each in following
    )


def check_target(keys: NDArray[np.uint64], width: int, height: int, target: int) -> list[int]:
    """Hold the lasting form against the rules and against what follows; where it held."""
    sets = rules_that_hold(keys, width=width, height=height, target=target)
    held = []
    for index, (key, by_rule) in enumerate(zip(keys, sets, strict=True)):
        position = Position.from_key(int(key), width=width, height=height)
        kept = lasts(position, least=-target)
        assert kept or not by_rule, (key, target)
        if kept:
            assert can_be_kept(position, -target), (key, target)
            held.append(index)
    return held


def check_every_position(width: int, height: int, *, step: int) -> int:
    """Check every ``step``-th position of a board, scores too; returns how often the form held."""
    count = 0  # on full boards nobody plays on
    lowest, highest = score_limits(0, width, height)
    for keys, scores in exhaustive_scores(width, height)[:-1]:
        stones, mask = split_keys(keys, width, height)
        alive = np.flatnonzero(~fours(stones ^ mask, height))[::step]
        for target in range(lowest, highest):
            held = check_target(keys[alive], width, height, target)
            assert (scores[alive][held] <= target).all(), target
            count += len(held)
    return count


@pytest.mark.parametrize(("width", "height", "step"), [(4, 4, 5), (5, 3, 5), (5, 4, 300)])
def test_on_some_positions_of_small_boards(width: int, height: int, step: int) -> None:
    assert check_every_position(width, height, step=step) > 10_000


@pytest.mark.long
@pytest.mark.parametrize(("width", "height", "step"), [(4, 4, 1), (5, 3, 1), (4, 5, 6), (5, 4, 20)])
def test_on_more_positions(width: int, height: int, step: int) -> None:
    assert check_every_position(width, height, step=step) > 100_000


@pytest.mark.parametrize(("width", "height"), [(5, 5), (6, 7), (7, 6), (8, 5), (12, 4)])
def test_on_large_boards(width: int, height: int) -> None:
    positions = random_positions(width, height, 1000, seed=height)
    keys = np.array([position.key for position in positions], dtype=np.uint64)
    held = [len(check_target(keys, width, height, target)) for target in (-2, 0, 1, 5, 9)]
    assert min(held[1:]) > 0


def test_nothing_helps_against_a_win_at_once() -> None:
    assert not lasts(Position("121212"), least=-20)
    assert answers(Position("1212121"[:-2] + "3"), least=5) == ()
