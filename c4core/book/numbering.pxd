"""C declarations for slot numbers and reachability; numbering.pyx explains them."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport Board

cdef struct Rank:
    const Board* g
    int last                        # the largest number of stones with slots
    int pairs                       # pairs of columns, from the edges inwards; a middle column counts, too
    uint64_t* shapes                # [tied][pair][left]: ways to fill this pair and the inner ones
    uint64_t* before                # [tied][pair][left][a][b]: how many of them have a smaller (a, b)

# Replace a position by the image that has a slot.
cdef void orient(const Rank* r, uint64_t* stones, uint64_t* mask) noexcept nogil

# Return the slot of a position from ``orient``.
cdef uint64_t slot_of(const Rank* r, uint64_t stones, uint64_t mask, int ply) noexcept nogil

# Return whether play can lead to the position.
# The position must have no four in a row.
cdef bint is_reachable(const Rank* r, uint64_t stones, uint64_t mask) except -1 nogil

cdef class Ranking:
    cdef Rank r
