"""Scores of a ply from those of the next one, over whole plies at a time.

Keys are sorted canonical keys (layout picture in board.pyx); a score is for the side to move.
"""

import numpy as np

from libc.stdint cimport int8_t, uint8_t, uint64_t

from c4core.board cimport (
    MAX_COLUMNS,
    Geometry,
    geometry_of,
    playable_squares,
    popcount,
    split_key,
    winning_squares,
)
from c4core.book.lookup cimport children_that_go_on, find_keys

from c4core.book.errors import BookContentError
from c4core.notation import check_board

# No position's score.
cdef enum:
    MISSING = -128

UNKNOWN = MISSING


cdef void _best_of_known(
    const Geometry* g,
    const uint64_t[::1] parents,
    const uint64_t[::1] child_keys,
    const int8_t[::1] child_scores,
    int8_t[::1] scores,
    uint8_t[::1] complete,
) noexcept nogil:
    """Score the parents by those of their children that are known."""
    cdef Py_ssize_t index, count = child_keys.shape[0]
    cdef Py_ssize_t[MAX_COLUMNS] found
    cdef uint64_t[MAX_COLUMNS] keys
    cdef uint64_t stones, mask
    cdef int number, i, ply, best
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        ply = popcount(mask)
        complete[index] = True
        if winning_squares(g, stones, mask) & playable_squares(g, mask):
            scores[index] = <int8_t>((g.cells + 1 - ply) // 2)
            continue
        if ply + 1 == g.cells:
            scores[index] = 0
            continue
        number = children_that_go_on(g, stones, mask, keys)
        find_keys(&child_keys[0] if count else NULL, count, keys, number, found)
        best = MISSING
        for i in range(number):
            if found[i] < 0:
                complete[index] = False
            else:
                best = max(best, -child_scores[found[i]])
        scores[index] = <int8_t>best


def best_of_known(
    const uint64_t[::1] parent_keys,
    const uint64_t[::1] child_keys,
    const int8_t[::1] child_scores,
    *,
    int width=7,
    int height=6,
):
    """The best that positions can reach through those of their children that are known.

    Moves that end the game need no child: a win has the score that its ply says, and the last square
    of the board is a draw.

    Args:
        parent_keys: positions that are not over, any order.
        child_keys: sorted canonical keys.
        child_scores: their scores.
        width: columns of the board.
        height: rows of it.

    Returns:
        Two arrays: an int8 score for each parent, UNKNOWN where it has no known child; and whether
        it is the parent's score, because it wins at once or no child is missing.

    Raises:
        BookContentError: keys and scores differ in number.
        BoardError: impossible size.
    """
    check_board(width, height)
    cdef const Geometry* g = geometry_of(width, height)
    if child_keys.shape[0] != child_scores.shape[0]:
        raise BookContentError(
            f"{child_keys.shape[0]} keys cannot have {child_scores.shape[0]} scores"
        )
    best = np.empty(parent_keys.shape[0], dtype=np.int8)
    exact = np.empty(parent_keys.shape[0], dtype=np.bool_)
    cdef int8_t[::1] scores = best
    cdef uint8_t[::1] complete = exact.view(np.uint8)
    with nogil:
        _best_of_known(g, parent_keys, child_keys, child_scores, scores, complete)
    return best, exact


def derive(parent_keys, child_keys, child_scores, *, int width=7, int height=6):
    """The scores of positions from those of all their children.

    Args:
        parent_keys: positions that are not over, any order.
        child_keys: sorted canonical keys; every child that is not over, of every parent that has no
            winning move, must be among them.
        child_scores: their scores.
        width: columns of the board.
        height: rows of it.

    Returns:
        An int8 array, one score for each parent.

    Raises:
        BookContentError: a child is missing, or keys and scores differ in number.
        BoardError: impossible size.
    """
    scores, exact = best_of_known(
        parent_keys, child_keys, child_scores, width=width, height=height
    )
    if not exact.all():
        key = int(parent_keys[int(exact.argmin())])
        raise BookContentError(f"a child of position {key} has no score", key=key)
    return scores
