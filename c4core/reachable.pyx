"""Enumeration of reachable positions, ply by ply, as sorted arrays of keys.

A ply's array is made from the one before: every position that is not over gives one child for each
column that is not full; sorting removes the children that several parents share.
"""

import numpy as np

from libc.stdint cimport uint64_t

from c4core.board cimport (
    Geometry,
    canonical_key,
    geometry_of,
    has_four,
    position_key,
    split_key,
    top_square,
)

from c4core.notation import check_board

# Children made before they are sorted and merged into the ply's array: bounds the memory for
# duplicates to a few hundred megabytes whatever the size of the ply.
cdef enum:
    CHUNK_PARENTS = 1 << 22


cdef Py_ssize_t _children(
    const Geometry* g, const uint64_t[::1] parents, uint64_t[::1] children, bint canonical
) noexcept nogil:
    """Write the key of every child of every parent that is not over; returns their number."""
    cdef Py_ssize_t index, count = 0
    cdef uint64_t stones, mask, moved
    cdef int column
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        if has_four(g, stones ^ mask):
            continue
        for column in range(g.width):
            if mask & top_square(g, column):
                continue
            moved = mask | (mask + (<uint64_t>1 << (column * g.stride)))
            if canonical:
                children[count] = canonical_key(g, stones ^ mask, moved)
            else:
                children[count] = position_key(g, stones ^ mask, moved)
            count += 1
    return count


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
    cdef const uint64_t[::1] parents
    cdef uint64_t[::1] buffer
    cdef Py_ssize_t count
    level = np.array([g.bottom], dtype=np.uint64)
    while level.size:
        yield level
        parts = []
        for start in range(0, level.size, CHUNK_PARENTS):
            chunk = level[start : start + CHUNK_PARENTS]
            parents = chunk
            space = np.empty(chunk.size * width, dtype=np.uint64)
            buffer = space
            with nogil:
                count = _children(g, parents, buffer, canonical)
            parts.append(np.unique(space[:count]))
        level = parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))
