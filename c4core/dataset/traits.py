"""Traits of positions: the distance of the end, whether they are quiet, whether decisive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import is_threatened, wins_now
from c4core.batch import UNPLAYABLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]


def distances(scores: Scores, plies: NDArray[np.uint8], board: BoardSize) -> NDArray[np.uint8]:
    """Stones until the end of the game, as :func:`c4core.evaluation.plies_to_end` has them.

    Args:
        scores: shape (n,), of positions that are not over, for their sides to move.
        plies: shape (n,), the stones on their boards.
        board: the board of all positions.
    """
    ply, score = plies.astype(np.int16), scores.astype(np.int16)
    last = board.cells + 1 - 2 * np.abs(score)
    last -= (last - ply) % 2 != (score < 0)
    found: NDArray[np.uint8] = np.where(score == 0, board.cells - ply, last - ply + 1).astype(
        np.uint8
    )
    return found


def are_quiet(keys: Keys, board: BoardSize) -> NDArray[np.bool_]:
    """Whether no move wins at once, and the opponent threatens no such win either."""
    width, height = board
    wins = wins_now(keys, width=width, height=height)
    quiet: NDArray[np.bool_] = ~(wins | is_threatened(keys, width=width, height=height))
    return quiet


def are_decisive(column_scores: Scores) -> NDArray[np.bool_]:
    """Whether the columns differ in their results: shape (n,), from scores of shape (n, W)."""
    values = np.sign(column_scores)
    best = values.max(axis=1, initial=-1)
    worst = np.where(column_scores == UNPLAYABLE, 1, values).min(axis=1, initial=1)
    decisive: NDArray[np.bool_] = best > worst
    return decisive
