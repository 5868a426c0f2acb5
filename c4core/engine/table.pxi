# The transposition table: a bound for each of the positions that cost the most to search.
#
# An entry is one aligned 64-bit word, which is read and written atomically, so that any number of threads
# share the table without locks. A race can lose an entry, but never tear one::
#
#      63                                          12 11       5 4     0
#     +----------------------------------------------+----------+-------+
#     | tag: the low 52 bits of the mixed key        | bound    | work  |
#     +----------------------------------------------+----------+-------+
#
#     bound   0 = empty; else 64 + 2 * score, plus 1 if the score is an upper bound, 0 if a lower one
#     work    log2 of the nodes that the bound cost
#
# The mixed key is the position's key times an odd number, a bijection of the 64-bit words. Its top
# bits choose a bucket of two entries and its low 52 bits are the tag; with 2**12 buckets or more the
# two overlap or meet, so together they are the whole key and no position is taken for another.
#
# An entry has one bound: the windows of a solve approach the score from one side, so one of two bounds
# would nearly always be stale. A new bound replaces the old one of its key, or else the bound in the bucket
# that cost the least work. Expensive bounds stay, so a table that fits the cache saves nearly as much as a
# large one. Scores are between -29 and 29 on every board, because the winner has four stones on it at the
# end, so a bound's code fits seven bits.
#
# **Which key.** Up to MIRROR_PLIES stones a position and its mirror image share an entry, under the smaller of
# their two keys; later a search rarely visits both. Positions with fewer than LATE_TABLE_EMPTIES empty squares
# are kept in a small table of the thread (root.pxi).
#
# **Exchange.** Bounds can be copied to the table of another solver, while searches continue in both. The place
# and the tag of an entry give its mixed key. The position's key follows from it, because multiplication by an
# odd number has an inverse.

from libc.stdint cimport int8_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc

cimport c4core.engine.atomics as atomics

cdef extern from *:
    int __builtin_clzll(unsigned long long) noexcept nogil

cdef struct Table:
    uint64_t* entries   # buckets * BUCKET words, aligned to a cache line
    void* memory        # as calloc returned it
    uint64_t buckets    # a power of two, at least 2**12
    int shift           # 64 - log2(buckets)

cdef enum:
    CACHE_LINE = 64
    HUGE_PAGE = 1 << 21
    LEAST_BUCKETS = 1 << 12
    BUCKET = 2          # entries of a bucket
    WORK_BITS = 5
    CODE_BITS = 7
    NO_BOUND = 0        # the code of an empty entry
    CODE_ZERO = 64      # the code of the lower bound 0
    LEAST_ROOM = 1024   # bounds


cdef bint table_create(Table* table, size_t most_bytes) noexcept nogil:
    """Allocate the largest power of two that fits, at least 64 KB; False if memory is short."""
    cdef size_t bytes_ = LEAST_BUCKETS * BUCKET * sizeof(uint64_t)
    cdef size_t alignment
    table.buckets = LEAST_BUCKETS
    table.shift = 64 - 12
    while 2 * bytes_ <= most_bytes:
        bytes_ *= 2
        table.buckets *= 2
        table.shift -= 1
    # calloc, not malloc and memset: the system provides a page only when it is touched.
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


cdef inline uint64_t mixed_key(uint64_t key) noexcept nogil:
    """Spread the key over the word. Multiplication by an odd number is a bijection: no key is lost."""
    return key * <uint64_t>0x9E3779B97F4A7C15


cdef inline uint64_t* bucket_of(const Table* table, uint64_t mixed) noexcept nogil:
    return table.entries + BUCKET * (mixed >> table.shift)


cdef inline int lower_code(int score) noexcept nogil:
    """Return the code of "the score is at least this"."""
    return CODE_ZERO + 2 * score


cdef inline int upper_code(int score) noexcept nogil:
    """Return the code of "the score is at most this"."""
    return CODE_ZERO + 2 * score + 1


cdef inline bint code_is_upper(int code) noexcept nogil:
    return code & 1


cdef inline int code_score(int code) noexcept nogil:
    return (code >> 1) - (CODE_ZERO >> 1)


cdef inline int table_bound(const uint64_t* bucket, uint64_t mixed, int beta) noexcept nogil:
    """Return the stored bound if it decides whether the score is at least ``beta``, else NOT_PROVEN."""
    cdef uint64_t tag = mixed << (CODE_BITS + WORK_BITS)
    cdef uint64_t entry
    cdef int index, code, score
    for index in range(BUCKET):
        entry = atomics.load(bucket + index)
        if (entry ^ tag) >> (CODE_BITS + WORK_BITS) == 0:
            # An empty entry says "at least -32", which decides nothing.
            code = <int>(entry >> WORK_BITS) & ((1 << CODE_BITS) - 1)
            score = code_score(code)
            if code_is_upper(code) == (score < beta):
                return score
            break
    return NOT_PROVEN


cdef inline void table_store(
    uint64_t* bucket, uint64_t mixed, int code, uint64_t nodes
) noexcept nogil:
    """Store the bound in the key's entry, or else in place of the bound that cost the least."""
    cdef uint64_t tag = mixed << (CODE_BITS + WORK_BITS)
    cdef uint64_t work = 63 - __builtin_clzll(nodes | 1)
    cdef uint64_t cheapest = 1 << WORK_BITS
    cdef uint64_t entry
    cdef int index, place = 0
    if work >= 1 << WORK_BITS:
        work = (1 << WORK_BITS) - 1
    for index in range(BUCKET):
        entry = atomics.load(bucket + index)
        if (entry ^ tag) >> (CODE_BITS + WORK_BITS) == 0:
            place = index
            break
        if entry & ((1 << WORK_BITS) - 1) < cheapest:
            cheapest = entry & ((1 << WORK_BITS) - 1)
            place = index
    atomics.store(bucket + place, tag | (<uint64_t>code << WORK_BITS) | work)


cdef enum:
    MIRROR_PLIES = 16           # up to here a position and its mirror image share an entry
    LATE_TABLE_EMPTIES = 22     # positions with fewer empty squares are kept in the thread's own table


cdef inline uint64_t table_key(
    const Board* g, uint64_t own, uint64_t mask, int ply
) noexcept nogil:
    """Return the mixed key. Mirror images share it only at low plies, where both are common enough."""
    return mixed_key(
        canonical_key(g, own, mask) if ply <= MIRROR_PLIES else position_key(g, own, mask)
    )


cdef inline uint64_t unmixed(uint64_t mixed) noexcept nogil:
    """Return the key of a mixed key; the factor is the inverse of mixed_key's, modulo 2**64."""
    return mixed * <uint64_t>0xF1DE83E19937733D


cdef bint table_export(
    const Table* table, int least_work, TableBound** bounds, size_t* count
) noexcept nogil:
    """Copy the bounds that cost at least 2**least_work nodes; False if memory is short.

    The caller frees the array, even after a failure.
    """
    cdef uint64_t place, entry
    cdef size_t room = 0
    cdef int code
    cdef TableBound* larger
    bounds[0] = NULL
    count[0] = 0
    for place in range(table.buckets * BUCKET):
        entry = atomics.load(table.entries + place)
        code = <int>(entry >> WORK_BITS) & ((1 << CODE_BITS) - 1)
        if code == NO_BOUND or <int>(entry & ((1 << WORK_BITS) - 1)) < least_work:
            continue
        if count[0] == room:
            room = 2 * room if room else LEAST_ROOM
            larger = <TableBound*>realloc(bounds[0], room * sizeof(TableBound))
            if larger == NULL:
                return False
            bounds[0] = larger
        larger = bounds[0] + count[0]
        larger.key = unmixed(
            ((place // BUCKET) << table.shift) | (entry >> (CODE_BITS + WORK_BITS))
        )
        larger.score = <int8_t>code_score(code)
        larger.is_upper = code_is_upper(code)
        larger.log_nodes = <uint8_t>(entry & ((1 << WORK_BITS) - 1))
        count[0] += 1
    return True


cdef void table_import(
    Table* table, const Board* g, const TableBound* bounds, size_t count
) noexcept nogil:
    """Store bounds, except for positions that belong in the threads' own tables."""
    cdef const TableBound* bound
    cdef uint64_t stones, mask, mixed
    cdef size_t index
    cdef int ply
    for index in range(count):
        bound = bounds + index
        split_key(g, bound.key, &stones, &mask)
        ply = popcount(mask)
        if g.cells - ply < LATE_TABLE_EMPTIES:
            continue
        mixed = table_key(g, stones, mask, ply)
        table_store(
            bucket_of(table, mixed),
            mixed,
            upper_code(bound.score) if bound.is_upper else lower_code(bound.score),
            <uint64_t>1 << bound.log_nodes,
        )
