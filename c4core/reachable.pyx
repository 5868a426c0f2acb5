"""Enumeration of reachable positions, ply by ply, as sorted arrays of keys.

A ply's array is made from the one before: every position that is not over gives one child for each
column that is not full. The children of a piece of the parents at a time are sorted and freed of
duplicates, then the pieces are merged two by two, so that the memory for what several parents share
stays small whatever the size of the ply.
"""

import numpy as np

cimport cython
from libc.stdint cimport uint64_t

from c4core.board cimport (
    Geometry,
    canonical_key,
    geometry_of,
    has_four,
    playable_squares,
    popcount,
    position_key,
    split_key,
    winning_squares,
)
from c4core.position cimport Position

from c4core.notation import check_board

# Parents whose children are sorted together: some 50 MB of children on 7x6.
cdef enum:
    PIECE_PARENTS = 1 << 20

# Which children a ply's array holds.
cdef enum Kept:
    EVERY           # also those that end the game
    OPEN            # those that do not


cdef Py_ssize_t _children(
    const Geometry* g, const uint64_t[::1] parents, uint64_t[::1] children, bint canonical, Kept kept
) noexcept nogil:
    """Write the key of every child of every parent that is not over; returns their number."""
    cdef Py_ssize_t index, count = 0
    cdef uint64_t stones, mask, moves, move
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        if has_four(g, stones ^ mask):
            continue
        moves = playable_squares(g, mask)
        if kept == OPEN:
            if popcount(mask) + 1 >= g.cells:
                continue
            moves &= ~winning_squares(g, stones, mask)
        while moves:
            move = moves & (0 - moves)
            moves ^= move
            if canonical:
                children[count] = canonical_key(g, stones ^ mask, mask | move)
            else:
                children[count] = position_key(g, stones ^ mask, mask | move)
            count += 1
    return count


cdef Py_ssize_t _squeeze(uint64_t[::1] keys) noexcept nogil:
    """Move the different values of a sorted array to its front; returns their number."""
    cdef Py_ssize_t index, count = 0
    for index in range(keys.shape[0]):
        if count == 0 or keys[index] != keys[count - 1]:
            keys[count] = keys[index]
            count += 1
    return count


cdef Py_ssize_t _merge(
    const uint64_t[::1] left, const uint64_t[::1] right, uint64_t[::1] merged
) noexcept nogil:
    """Merge two sorted arrays without duplicates into such an array; returns its length."""
    cdef Py_ssize_t i = 0, j = 0, count = 0
    cdef uint64_t a, b
    while i < left.shape[0] and j < right.shape[0]:
        a, b = left[i], right[j]
        merged[count] = min(a, b)
        i += a <= b
        j += b <= a
        count += 1
    while i < left.shape[0]:
        merged[count] = left[i]
        i += 1
        count += 1
    while j < right.shape[0]:
        merged[count] = right[j]
        j += 1
        count += 1
    return count


cdef object _merged(object left, object right):
    """The union of two sorted arrays without duplicates."""
    cdef const uint64_t[::1] a = left, b = right
    space = np.empty(len(left) + len(right), dtype=np.uint64)
    cdef uint64_t[::1] c = space
    cdef Py_ssize_t count
    with nogil:
        count = _merge(a, b, c)
    return space[:count].copy()


@cython.wraparound(True)
cdef object _next_ply(const Geometry* g, object level, bint canonical, Kept kept):
    """The sorted keys of all children of a ply."""
    cdef const uint64_t[::1] parents
    cdef uint64_t[::1] buffer
    cdef Py_ssize_t count
    cdef list parts = []    # (number of pieces, their union), as the digits of a binary counter
    space = np.empty(min(len(level), PIECE_PARENTS) * g.width, dtype=np.uint64)
    for start in range(0, len(level), PIECE_PARENTS):
        parents = level[start : start + PIECE_PARENTS]
        buffer = space
        with nogil:
            count = _children(g, parents, buffer, canonical, kept)
        piece = space[:count]
        piece.sort()
        buffer = piece
        with nogil:
            count = _squeeze(buffer)
        parts.append((1, piece[:count].copy()))
        while len(parts) > 1 and parts[-1][0] == parts[-2][0]:
            pieces, last = parts.pop()
            parts[-1] = (2 * pieces, _merged(parts[-1][1], last))
    while len(parts) > 1:
        last = parts.pop()[1]
        parts[-1] = (0, _merged(parts[-1][1], last))
    return parts[0][1] if parts else space


def plies(*, int width=7, int height=6, bint canonical=False):
    """Iterate over the plies of a board: all reachable positions with 0, 1, 2, .. stones.

    Args:
        width: columns.
        height: rows.
        canonical: one of each pair of mirror images (canonical keys) instead of all positions.

    Yields:
        A sorted uint64 array of keys without duplicates for each ply, games that are over included
        at the ply where they end. The last array is the last one that is not empty.

    Raises:
        BoardError: impossible size.
    """
    check_board(width, height)
    cdef const Geometry* g = geometry_of(width, height)
    level = np.array([g.bottom], dtype=np.uint64)
    while level.size:
        yield level
        level = _next_ply(g, level, canonical, EVERY)


def open_plies(Position start not None):
    """Iterate over the plies from a position on: what can be reached from it and is not over.

    Yields:
        A sorted uint64 array of canonical keys without duplicates for each ply, the first for the
        start's own. The last array is the last one that is not empty; a start that is over has none.
    """
    cdef const Geometry* g = start.g
    level = np.array([] if start.is_over else [start.canonical_key], dtype=np.uint64)
    while level.size:
        yield level
        level = _next_ply(g, level, True, OPEN)
