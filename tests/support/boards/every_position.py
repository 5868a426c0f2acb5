"""Checks of every position of a board: small boards in the gate, larger ones for a release."""

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.order.samples import upper_bounds
from c4core.counting import count
from c4core.evaluation import score_limits
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.proof.format import RULES
from c4core.proof.lasting import answers, lasts, rules_that_hold
from c4core.solver import Solver
from tests.support.boards.exhaustive import exhaustive_scores, fours, split_keys

Level = tuple[NDArray[np.uint64], NDArray[np.int8]]

NOT_PROVEN = 127
"""The result of ``upper_bounds`` for positions about which it proves nothing."""


def check_scores(solver: Solver, width: int, height: int) -> None:
    """Compare the solver's scores with the exhaustive ones."""
    for keys, scores in exhaustive_scores(width, height):
        result = solver.solve_many(keys, board=(width, height))
        assert np.array_equal(result.lower, scores)
        assert np.array_equal(result.upper, scores)


def open_levels(width: int, height: int) -> Iterator[Level]:
    """The keys and scores of each ply, without positions that are already won."""
    for keys, scores in exhaustive_scores(width, height):
        stones, mask = split_keys(keys, width, height)
        alive = ~fours(stones ^ mask, height)
        yield keys[alive], scores[alive]


def check_bounds(width: int, height: int) -> int:
    """Compare every static bound for every target with the scores; return the number proven."""
    fired = 0
    lowest, highest = score_limits(0, BoardSize(width, height))
    for keys, scores in open_levels(width, height):
        for target in range(lowest, highest + 1):
            bounds = upper_bounds(keys, board=(width, height), target=target)
            proven = bounds != NOT_PROVEN
            assert (bounds[proven] <= target).all()
            assert (bounds[proven] >= scores[proven]).all(), target
            fired += int(proven.sum())
    return fired


def check_rules(width: int, height: int) -> dict[str, int]:
    """Compare every rule for every target with the scores; return how often each rule held."""
    held = dict.fromkeys(RULES, 0)
    for keys, scores in open_levels(width, height):
        for target in range(*score_limits(0, BoardSize(width, height))):
            sets = rules_that_hold(keys, board=(width, height), target=target)
            assert (scores[sets != 0] <= target).all(), target
            for number, name in enumerate(RULES):
                held[name] += int(np.count_nonzero(sets >> number & 1))
    return held


def check_lasting_form(width: int, height: int, *, step: int) -> int:
    """Check every ``step``-th position and its score; return how often the lasting form held."""
    number = 0
    levels = list(open_levels(width, height))
    for keys, scores in levels[:-1]:  # no move is left on full boards
        some, theirs = keys[::step].copy(), scores[::step]
        for target in range(*score_limits(0, BoardSize(width, height))):
            held = check_target(some, width, height, target)
            assert (theirs[held] <= target).all(), target
            number += len(held)
    return number


def check_target(keys: NDArray[np.uint64], width: int, height: int, target: int) -> list[int]:
    """Compare the lasting form with the rules and the next moves; return where it held."""
    sets = rules_that_hold(keys, board=(width, height), target=target)
    held = []
    for index, (key, by_rule) in enumerate(zip(keys, sets, strict=True)):
        position = Position.from_key(int(key), board=(width, height))
        kept = lasts(position, least=-target)
        assert kept or not by_rule, (key, target)
        if kept:
            assert _can_be_kept(position, -target), (key, target)
            held.append(index)
    return held


def _can_be_kept(position: Position, least: int) -> bool:
    """Whether after every move of the side to move the prover is done or has an answer."""
    following = (position.play(column) for column in position.legal_columns())
    return all(
        (each.is_over and each.winner is None)
        or _is_done(each, least)
        or answers(each, least=least)
        for each in following
    )


def _is_done(position: Position, least: int) -> bool:
    """Whether the prover, who is to move, wins in time, or a loss would come late enough."""
    left = position.board.cells - position.ply
    if -(left // 2) >= least:
        return True
    wins = any(position.is_winning(column) for column in position.legal_columns())
    return wins and (left + 1) // 2 >= least


def counted(width: int, height: int) -> list[int]:
    """The number of positions of each ply, counted with the decision diagram."""
    return [ply.positions for ply in count(BoardSize(width, height))]


if __name__ == "__main__":
    for size in ((4, 4), (4, 5), (5, 4), (4, 6), (6, 4)):
        sys.stdout.write("{}x{}: {:,} bounds proven\n".format(*size, check_bounds(*size)))
