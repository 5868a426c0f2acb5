"""A cache that forgets what was used longest ago (see recent.pyx)."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

cdef enum Bound:
    EXACT
    AT_LEAST
    AT_MOST

cdef struct Entry:
    uint64_t key
    int64_t value
    int32_t newer       # neighbours in the order of use; -1 at the ends
    int32_t older
    int32_t next        # of the same slot; -1 at the end
    int8_t depth
    int8_t bound

cdef struct Recent:
    int32_t capacity
    int32_t count
    int32_t newest
    int32_t oldest
    uint64_t slot_mask
    int32_t* slots      # first entry of every slot
    Entry* entries

cdef Recent* new_recent(int32_t capacity) except NULL
cdef void free_recent(Recent* cache) noexcept
# The entry of a key, now the newest; NULL where there is none.
cdef Entry* find_recent(Recent* cache, uint64_t key) noexcept nogil
cdef void store_recent(
    Recent* cache, uint64_t key, int depth, Bound bound, int64_t value
) noexcept nogil
