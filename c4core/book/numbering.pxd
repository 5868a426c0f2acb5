"""Slot numbers and reachability without the interpreter lock; numbering.pyx explains them."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport MAX_COLUMNS, Board
from c4core.position cimport Position

cdef struct Rank:
    const Board* g
    bint symmetric                  # the start is its own mirror image
    int first                       # stones of the start
    int last                        # most stones that have slots
    int pairs                       # columns, two by two from the edges, and the middle one
    uint64_t base                   # the start's stones, of both sides
    uint64_t base_own               # the stones of the side that is to move in the start
    int[MAX_COLUMNS] base_height
    uint64_t* shapes                # [tied][pair][left]: ways to fill this pair and those inside it
    uint64_t* before                # [tied][pair][left][a][b]: how many of them have a smaller (a, b)

# Turn a position to its image that has a slot; False if neither image extends the start.
cdef bint orient(const Rank* r, int ply, uint64_t* stones, uint64_t* mask) noexcept nogil

# The slot of a position that ``orient`` has turned.
cdef uint64_t slot_of(const Rank* r, uint64_t stones, uint64_t mask, int ply) noexcept nogil

# 1: play from the start can lead to the position or its mirror image; 0: it cannot; -1: no memory.
# The position must have no four in a row.
cdef int is_reachable(const Rank* r, uint64_t stones, uint64_t mask) noexcept nogil

cdef class Ranking:
    cdef Rank r
    cdef readonly Position start
