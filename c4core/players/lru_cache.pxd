"""A cache that forgets the entry that was used longest ago (see lru_cache.pyx)."""

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

cdef struct Cache:
    int32_t capacity
    int32_t count
    int32_t newest
    int32_t oldest
    uint64_t slot_mask
    int32_t* slots      # first entry of every slot
    Entry* entries

cdef Cache* new_cache(int32_t capacity) except NULL
cdef void free_cache(Cache* cache) noexcept
# The entry of a key, which becomes the newest; NULL if the key has none.
cdef Entry* find_entry(Cache* cache, uint64_t key) noexcept nogil
cdef void store_entry(
    Cache* cache, uint64_t key, int depth, Bound bound, int64_t value
) noexcept nogil
