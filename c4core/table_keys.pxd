"""Which table keeps a position, and under which key."""

from libc.stdint cimport uint64_t

from c4core.board cimport Geometry, canonical_key, position_key
from c4core.table cimport mixed_key

cdef enum:
    MIRROR_PLIES = 16           # up to here a position and its mirror image share an entry
    LATE_TABLE_EMPTIES = 22     # positions with fewer empty squares are kept in the thread's own table


cdef inline uint64_t table_key(
    const Geometry* g, uint64_t own, uint64_t mask, int ply
) noexcept nogil:
    """The mixed key; mirror images share one only at low plies, where they meet often enough."""
    return mixed_key(
        canonical_key(g, own, mask) if ply <= MIRROR_PLIES else position_key(g, own, mask)
    )
