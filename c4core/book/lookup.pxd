"""The children of a position, and a search for all of them in a sorted array at a time.

A binary search in an array that is larger than the cache waits for memory at every step. The children
of a position are looked up side by side, so that their waits overlap.
"""

from libc.stdint cimport uint64_t

from c4core.board cimport Geometry, canonical_key, playable_squares, winning_squares


cdef inline int children_that_go_on(
    const Geometry* g, uint64_t stones, uint64_t mask, uint64_t* keys
) noexcept nogil:
    """Write the canonical keys of the children by moves that do not win; returns their number."""
    cdef uint64_t moves = playable_squares(g, mask) & ~winning_squares(g, stones, mask), move
    cdef int number = 0
    while moves:
        move = moves & (0 - moves)
        moves ^= move
        keys[number] = canonical_key(g, stones ^ mask, mask | move)
        number += 1
    return number


cdef inline void find_keys(
    const uint64_t* keys, Py_ssize_t count, const uint64_t* wanted, int number, Py_ssize_t* found
) noexcept nogil:
    """Write the index of each wanted key, or -1 if it is missing, into ``found``.

    Args:
        keys: sorted, ``count`` of them.
        wanted: at most MAX_COLUMNS keys.
        number: how many.
        found: receives their indexes.
    """
    cdef Py_ssize_t left = count, half
    cdef int i
    for i in range(number):
        found[i] = 0
    # Invariant: if wanted[i] is there at all, it is in keys[found[i]] .. keys[found[i] + left - 1].
    while left > 1:
        half = left >> 1
        for i in range(number):
            found[i] += half * (keys[found[i] + half] <= wanted[i])
        left -= half
    for i in range(number):
        if count == 0 or keys[found[i]] != wanted[i]:
            found[i] = -1
