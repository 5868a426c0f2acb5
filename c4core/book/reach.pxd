"""Whether play can reach a position, on the C side."""

from libc.stdint cimport uint64_t

from c4core.book.numbering cimport Rank

# 1: play from the start can lead to the position or its mirror image; 0: it cannot; -1: no memory.
# The position must hold no four in a row.
cdef int is_reachable(const Rank* r, uint64_t stones, uint64_t mask) noexcept nogil
