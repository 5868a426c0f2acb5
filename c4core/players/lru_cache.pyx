"""A cache of limited size that forgets the least recently used entry (LRU).

Entries lie in one array. Two kinds of lists run through it by index: the order of use, doubly linked
(``newer``, ``older``), and for each slot of a hash table the entries that fall into it (``next``).
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef Cache* new_cache(int32_t capacity) except NULL:
    """An empty cache for so many entries."""
    cdef Cache* cache = <Cache*>malloc(sizeof(Cache))
    cdef uint64_t slots = 1
    if cache == NULL:
        raise MemoryError
    while slots < <uint64_t>capacity:
        slots <<= 1
    cache.capacity = capacity
    cache.count = 0
    cache.newest = cache.oldest = -1
    cache.slot_mask = slots - 1
    cache.slots = <int32_t*>malloc(slots * sizeof(int32_t))
    cache.entries = <Entry*>malloc(capacity * sizeof(Entry))
    if cache.slots == NULL or cache.entries == NULL:
        free_cache(cache)
        raise MemoryError
    memset(cache.slots, 0xFF, slots * sizeof(int32_t))
    return cache


cdef void free_cache(Cache* cache) noexcept:
    if cache != NULL:
        free(cache.slots)
        free(cache.entries)
        free(cache)


cdef inline int32_t* _slot(Cache* cache, uint64_t key) noexcept nogil:
    """The slot of a key. Its bits are mixed, because the keys of neighbours differ in few bits."""
    return &cache.slots[((key * <uint64_t>0x9E3779B97F4A7C15) >> 32) & cache.slot_mask]


cdef void _take_out(Cache* cache, int32_t index) noexcept nogil:
    """Take an entry out of the order of use."""
    cdef Entry* entry = &cache.entries[index]
    if entry.newer < 0:
        cache.newest = entry.older
    else:
        cache.entries[entry.newer].older = entry.older
    if entry.older < 0:
        cache.oldest = entry.newer
    else:
        cache.entries[entry.older].newer = entry.newer


cdef void _put_first(Cache* cache, int32_t index) noexcept nogil:
    """Make an entry the newest."""
    cdef Entry* entry = &cache.entries[index]
    entry.newer = -1
    entry.older = cache.newest
    if cache.newest < 0:
        cache.oldest = index
    else:
        cache.entries[cache.newest].newer = index
    cache.newest = index


cdef Entry* find_entry(Cache* cache, uint64_t key) noexcept nogil:
    cdef int32_t index = _slot(cache, key)[0]
    while index >= 0 and cache.entries[index].key != key:
        index = cache.entries[index].next
    if index < 0:
        return NULL
    _take_out(cache, index)
    _put_first(cache, index)
    return &cache.entries[index]


cdef int32_t _forget_oldest(Cache* cache) noexcept nogil:
    """Take the oldest entry out of its lists; returns its index."""
    cdef int32_t index = cache.oldest
    cdef int32_t* link = _slot(cache, cache.entries[index].key)
    _take_out(cache, index)
    while link[0] != index:
        link = &cache.entries[link[0]].next
    link[0] = cache.entries[index].next
    return index


cdef void store_entry(
    Cache* cache, uint64_t key, int depth, Bound bound, int64_t value
) noexcept nogil:
    cdef Entry* entry = find_entry(cache, key)
    cdef int32_t index
    cdef int32_t* slot
    if entry == NULL:
        if cache.count == cache.capacity:
            index = _forget_oldest(cache)
        else:
            index = cache.count
            cache.count += 1
        entry = &cache.entries[index]
        slot = _slot(cache, key)
        entry.key = key
        entry.next = slot[0]
        slot[0] = index
        _put_first(cache, index)
    entry.depth = depth
    entry.bound = bound
    entry.value = value
