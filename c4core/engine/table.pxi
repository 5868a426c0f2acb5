"""The transposition table: one bound for each of the positions that cost the most to search.

An entry is one aligned 64-bit word, read and written whole, so that any number of threads share the
table without locks. A race can lose an entry, never tear one::

     63                                          12 11       5 4     0
    +----------------------------------------------+----------+-------+
    | tag: the low 52 bits of the mixed key        | bound    | work  |
    +----------------------------------------------+----------+-------+

    bound   0 = empty; else 64 + 2 * score, plus 1 if the score is an upper bound, 0 if a lower one
    work    log2 of the nodes that the bound cost

The mixed key is the position's key times an odd number, a bijection of the 64-bit words. Its top
bits choose a bucket of two entries and its low 52 bits are the tag; with 2**12 buckets or more the
two overlap or meet, so together they are the whole key and no position is taken for another.

An entry holds one bound: the windows of a solve step towards the score from one side, so of two bounds
one would nearly always be stale. A new bound replaces that of its own key, or else the one in the
bucket that cost the least work. Expensive bounds stay, so a table that fits the cache saves nearly as
much as a large one. Scores lie within -29 .. 29 on every board, because the winner has four stones on
it at the end, so a bound's code fits seven bits.
"""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free

cdef enum:
    CACHE_LINE = 64
    HUGE_PAGE = 1 << 21
    LEAST_BUCKETS = 1 << 12


cdef bint table_create(Table* table, size_t most_bytes) noexcept nogil:
    """Allocate the largest power of two that fits, 64 KB at least; False when memory is short."""
    cdef size_t bytes_ = LEAST_BUCKETS * BUCKET * sizeof(uint64_t)
    cdef size_t alignment
    table.buckets = LEAST_BUCKETS
    table.shift = 64 - 12
    while 2 * bytes_ <= most_bytes:
        bytes_ *= 2
        table.buckets *= 2
        table.shift -= 1
    # calloc, not malloc and memset: the system provides no page before it is touched.
    alignment = HUGE_PAGE if bytes_ >= HUGE_PAGE else CACHE_LINE
    table.memory = calloc(1, bytes_ + alignment)
    if table.memory == NULL:
        return False
    table.entries = <uint64_t*>(
        (<uintptr_t>table.memory + alignment - 1) & ~<uintptr_t>(alignment - 1)
    )
    if bytes_ >= HUGE_PAGE:
        atomics.prefer_huge_pages(table.entries, bytes_)
    return True


cdef void table_clear(Table* table) noexcept nogil:
    """Empty the table, word by word, so that a running search never reads half an entry."""
    cdef uint64_t index
    for index in range(table.buckets * BUCKET):
        atomics.store(table.entries + index, 0)


cdef void table_free(Table* table) noexcept nogil:
    free(table.memory)
    table.memory = NULL
    table.entries = NULL
