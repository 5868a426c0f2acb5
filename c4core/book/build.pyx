"""Operations on complete plies: scores from the next ply's scores, and the ancestor of each position.

Keys are sorted canonical keys (engine/board.pxd draws the layout). A score is for the side to move.

A binary search in an array that is larger than the cache waits for memory at every step. So all children
of a position are looked up together, and their memory latencies overlap.
"""

import numpy as np

from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t

from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    canonical_key,
    playable_squares,
    popcount,
    split_key,
    winning_squares,
)
from c4core.engine.kernel cimport NO_SCORE, board_of

from c4core.errors import BookContentError
from c4core.notation import check_board, check_narrow

cpdef enum:
    NOBODY = 0x7FFFFFFF     # the owner of a child without a parent


cdef inline int _children_that_go_on(
    const Board* g, uint64_t stones, uint64_t mask, uint64_t* keys
) noexcept nogil:
    """Write the canonical keys of the positions after moves that do not win. Return their number."""
    cdef uint64_t moves = playable_squares(g, mask) & ~winning_squares(g, stones, mask), move
    cdef int number = 0
    while moves:
        move = moves & (0 - moves)
        moves ^= move
        keys[number] = canonical_key(g, stones ^ mask, mask | move)
        number += 1
    return number


cdef inline void _find_keys(
    const uint64_t* keys, Py_ssize_t count, const uint64_t* wanted, int number, Py_ssize_t* found
) noexcept nogil:
    """Write the index of each of ``number`` wanted keys, or -1 if it is missing, into ``found``.

    ``keys`` are ``count`` sorted keys.
    """
    cdef Py_ssize_t left = count, half
    cdef int i
    for i in range(number):
        found[i] = 0
    # Invariant: if keys has wanted[i], it is in keys[found[i]] to keys[found[i] + left - 1].
    while left > 1:
        half = left >> 1
        for i in range(number):
            found[i] += half * (keys[found[i] + half] <= wanted[i])
        left -= half
    for i in range(number):
        if count == 0 or keys[found[i]] != wanted[i]:
            found[i] = -1


cdef void _best_of_known(
    const Board* g,
    const uint64_t[::1] parents,
    const uint64_t[::1] child_keys,
    const int8_t[::1] child_scores,
    int8_t[::1] scores,
    uint8_t[::1] complete,
) noexcept nogil:
    """Score the parents by their known children."""
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
        number = _children_that_go_on(g, stones, mask, keys)
        _find_keys(&child_keys[0] if count else NULL, count, keys, number, found)
        best = NO_SCORE
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
    """Return the best scores that positions can reach through their known children.

    Moves that end the game do not need a child: the score of a win follows from its ply, and a move that
    fills the board is a draw. The parents, in any order, must not be over.

    Returns:
        Two arrays. The first has an int8 score for each parent, or NO_SCORE if it has no known child.
        The second says whether the score is exact: the parent wins at once, or no child is missing.
    """
    check_narrow(check_board(width, height), "books")
    cdef const Board* g = board_of(width, height)
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
    """Return the scores of positions from the scores of all their children, as an int8 array.

    Args:
        parent_keys: positions that are not over, in any order.
        child_keys: sorted canonical keys. For every parent without a winning move they must include
            every child that is not over.
        child_scores: the scores of the children.
        width, height: the size of the board.
    """
    scores, exact = best_of_known(
        parent_keys, child_keys, child_scores, width=width, height=height
    )
    if not exact.all():
        key = int(parent_keys[int(exact.argmin())])
        raise BookContentError(f"a child of position {key} has no score", key=key)
    return scores


cdef void _inherit(
    const Board* g,
    const uint64_t[::1] parents,
    const int32_t[::1] parent_owners,
    const uint64_t[::1] children,
    int32_t[::1] owners,
) noexcept nogil:
    """Give every child the least owner of its parents."""
    cdef Py_ssize_t index, count = children.shape[0]
    cdef Py_ssize_t[MAX_COLUMNS] found
    cdef uint64_t[MAX_COLUMNS] keys
    cdef uint64_t stones, mask
    cdef int number, i
    for index in range(count):
        owners[index] = NOBODY
    if count == 0:
        return
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        number = _children_that_go_on(g, stones, mask, keys)
        _find_keys(&children[0], count, keys, number, found)
        for i in range(number):
            if found[i] >= 0:
                owners[found[i]] = min(owners[found[i]], parent_owners[index])


def inherit(
    const uint64_t[::1] parent_keys,
    const int32_t[::1] parent_owners,
    const uint64_t[::1] child_keys,
    *,
    int width=7,
    int height=6,
):
    """Return, for each child, the least owner of its parents, as an int32 array.

    An owner is a number from 0 on; a child without a parent gets NOBODY. ``child_keys`` are sorted.
    """
    check_narrow(check_board(width, height), "books")
    cdef const Board* g = board_of(width, height)
    result = np.empty(child_keys.shape[0], dtype=np.int32)
    cdef int32_t[::1] owners = result
    with nogil:
        _inherit(g, parent_keys, parent_owners, child_keys, owners)
    return result
