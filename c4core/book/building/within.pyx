"""Which positions good play reaches: the contents of sparse books.

Every position carries a *merit*: the set of players who have not yet given away more than the margin in
any move, on some way to the position (bit 0 the first player, bit 1 the second). A move that stays within
the margin of the best one keeps the set, any other takes the mover out of it. A position that several
ways lead to has the merits of all of them; one whose set is empty is not good play.

Keys are sorted canonical keys (layout picture in board.pyx); scores are for the side to move.
"""

import numpy as np

from libc.stdint cimport int8_t, uint8_t, uint64_t

from c4core.board cimport Geometry, geometry_of, popcount, split_key
from c4core.book.building.lookup cimport MAX_CHILDREN, children_that_go_on, find_keys

from c4core.book.errors import BookContentError
from c4core.notation import check_board

# Who has played well.
cdef enum Merit:
    FIRST = 1
    SECOND = 2

MERIT_FIRST = FIRST
MERIT_SECOND = SECOND


cdef Py_ssize_t _hand_down(
    const Geometry* g,
    int within,
    const uint64_t[::1] parents,
    const int8_t[::1] parent_scores,
    const uint8_t[::1] parent_merits,
    const uint64_t[::1] children,
    const int8_t[::1] child_scores,
    uint8_t[::1] merits,
) noexcept nogil:
    """Returns the index of the first parent that misses a child, or -1."""
    cdef Py_ssize_t index, count = children.shape[0]
    cdef Py_ssize_t[MAX_CHILDREN] found
    cdef uint64_t[MAX_CHILDREN] keys
    cdef uint64_t stones, mask
    cdef uint8_t merit
    cdef int number, i, mover
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        if popcount(mask) + 1 == g.cells:
            continue
        mover = SECOND if popcount(mask) & 1 else FIRST
        number = children_that_go_on(g, stones, mask, keys)
        find_keys(&children[0] if count else NULL, count, keys, number, found)
        for i in range(number):
            if found[i] < 0:
                return index
            merit = parent_merits[index]
            if -child_scores[found[i]] < parent_scores[index] - within:
                merit &= ~mover
            merits[found[i]] |= merit
    return -1


def hand_down_merits(
    const uint64_t[::1] parent_keys,
    const int8_t[::1] parent_scores,
    const uint8_t[::1] parent_merits,
    const uint64_t[::1] child_keys,
    const int8_t[::1] child_scores,
    *,
    int within,
    int width=7,
    int height=6,
):
    """The merits of the next ply's positions.

    Args:
        parent_keys: positions of a ply that are not over.
        parent_scores: their scores.
        parent_merits: who has played well so far: MERIT_FIRST, MERIT_SECOND, both or 0.
        child_keys: all their children that are not over.
        child_scores: the children's scores.
        within: points that a move may give away and still be good.
        width: columns of the board.
        height: rows of it.

    Returns:
        A uint8 array, one merit for each child.

    Raises:
        BookContentError: a child is missing.
        BoardError: impossible size.
        ValueError: ``within`` is negative.
    """
    check_board(width, height)
    cdef const Geometry* g = geometry_of(width, height)
    cdef Py_ssize_t failed
    if within < 0:
        raise ValueError(f"no move is within {within} points of the best one")
    result = np.zeros(child_keys.shape[0], dtype=np.uint8)
    cdef uint8_t[::1] merits = result
    with nogil:
        failed = _hand_down(
            g,
            within,
            parent_keys,
            parent_scores,
            parent_merits,
            child_keys,
            child_scores,
            merits,
        )
    if failed >= 0:
        raise BookContentError(
            f"a child of position {parent_keys[failed]} is missing", key=parent_keys[failed]
        )
    return result
