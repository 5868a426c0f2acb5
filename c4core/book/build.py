"""Operations on complete plies: scores from the next ply, and the ancestor of each position.

Keys are sorted canonical keys (engine/board.pxd draws the layout). A score is for the side to move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import MOVE_FILLS, MOVE_GOES_ON, MOVE_WINS, canonical_keys, children
from c4core.errors import BookContentError
from c4core.evaluation import NO_SCORE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]

NOBODY: Final = 0x7FFFFFFF
"""The owner of a child without a parent."""

_PIECE: Final = 1 << 18
"""The number of positions whose children are looked up in one step; this limits the memory."""


def known_children(
    parent_keys: Keys, child_keys: Keys, board: BoardSize
) -> Iterator[tuple[slice, NDArray[np.uint8], NDArray[np.intp]]]:
    """Look the children of positions up among sorted keys, piece by piece.

    A piece has its place, the moves of :func:`children`, and for each column the index of the child
    in ``child_keys``, or -1 if it is missing.
    """
    for begin in range(0, len(parent_keys), _PIECE):
        piece = slice(begin, begin + _PIECE)
        after, moves = children(parent_keys[piece], board)
        places = np.searchsorted(child_keys, after)
        there = places < len(child_keys)
        there[there] = child_keys[places[there]] == after[there]
        yield piece, moves, np.where(there & (moves == MOVE_GOES_ON), places, -1)


def best_of_known(
    parent_keys: Keys, child_keys: Keys, child_scores: Scores, board: BoardSize
) -> tuple[Scores, NDArray[np.bool_]]:
    """Return the best scores that positions can reach through their known children.

    Moves that end the game do not need a child: the score of a win follows from its ply, and a move
    that fills the board is a draw. The parents, in any order, must not be over.

    Returns:
        Two arrays. The first has an int8 score for each parent, or NO_SCORE if it has no known
        child. The second says whether the score is exact: the parent wins at once, or no child is
        missing.
    """
    if len(child_keys) != len(child_scores):
        raise BookContentError(f"{len(child_keys)} keys cannot have {len(child_scores)} scores")
    scores = np.append(child_scores, np.int8(-NO_SCORE - 1))  # the last one is never chosen
    best = np.empty(len(parent_keys), dtype=np.int8)
    exact = np.empty(len(parent_keys), dtype=np.bool_)
    for piece, moves, places in known_children(parent_keys, child_keys, board):
        worth = np.where(places >= 0, -scores[places], np.int8(NO_SCORE))
        worth[moves == MOVE_FILLS] = 0
        _, plies = canonical_keys(parent_keys[piece], board)
        wins = (moves == MOVE_WINS).any(axis=1)
        best[piece] = np.where(wins, (board.cells + 1 - plies) // 2, worth.max(axis=1))
        exact[piece] = wins | ((moves != MOVE_GOES_ON) | (places >= 0)).all(axis=1)
    return best, exact


def derive(parent_keys: Keys, child_keys: Keys, child_scores: Scores, board: BoardSize) -> Scores:
    """Return the scores of positions from the scores of all their children.

    ``child_keys`` must include every child that is not over, except of parents that win at once.
    """
    scores, exact = best_of_known(parent_keys, child_keys, child_scores, board)
    if not exact.all():
        key = int(parent_keys[int(exact.argmin())])
        raise BookContentError(f"a child of position {key} has no score")
    return scores


def inherit(
    parent_keys: Keys, parent_owners: NDArray[np.int32], child_keys: Keys, board: BoardSize
) -> NDArray[np.int32]:
    """Return, for each child, the least owner of its parents.

    An owner is a number from 0 on; a child without a parent gets NOBODY.
    """
    owners = np.full(len(child_keys), NOBODY, dtype=np.int32)
    for piece, _, places in known_children(parent_keys, child_keys, board):
        rows, columns = np.nonzero(places >= 0)
        np.minimum.at(owners, places[rows, columns], parent_owners[piece][rows])
    return owners
