"""The C side of ``Ranking``: slot numbers without the interpreter lock."""

from libc.stdint cimport uint64_t

from c4core.board cimport MAX_COLUMNS, Geometry
from c4core.position cimport Position

cdef struct Rank:
    const Geometry* g
    bint symmetric                  # the start is its own mirror image
    int first                       # stones of the start
    int last                        # most stones that have slots
    int pairs                       # columns, two by two from the edges, and the middle one
    uint64_t base                   # the start's stones, of both sides
    uint64_t base_own               # those of the side that is to move in the start
    int[MAX_COLUMNS] base_height
    uint64_t* shapes                # [tied][pair][left]: ways to fill this pair and those inside it
    uint64_t* before                # [tied][pair][left][a][b]: how many of them have a smaller (a, b)

# Number of slots of a ply between ``first`` and ``last``.
cdef uint64_t slot_count(const Rank* r, int ply) noexcept nogil

# Whether the start's stones are all there, in their colours.
cdef bint extends(const Rank* r, int ply, uint64_t stones, uint64_t mask) noexcept nogil

# Turn a position to its image that has a slot; False if neither image extends the start.
cdef bint orient(const Rank* r, int ply, uint64_t* stones, uint64_t* mask) noexcept nogil

# The slot of a position that ``orient`` has turned.
cdef uint64_t slot_of(const Rank* r, uint64_t stones, uint64_t mask, int ply) noexcept nogil

# The position that a slot stands for; the slot must be below the ply's count.
cdef void position_of(
    const Rank* r, uint64_t slot, int ply, uint64_t* stones, uint64_t* mask
) noexcept nogil

cdef class Ranking:
    cdef Rank r
    cdef readonly Position start
