# The transposition table: a bound for each of the positions that cost the most to search.
#
# An entry is one aligned word, which is read and written atomically, so that any number of threads share the
# table without locks. A race can lose an entry, but never tear one::
#
#     narrow:   63                                          12 11       5 4     0
#     wide:    127                                          13 12       5 4     0
#              +----------------------------------------------+----------+-------+
#              | tag: the low bits of the mixed key           | bound    | work  |
#              +----------------------------------------------+----------+-------+
#
#     bound   0 = empty; else 64 (wide: 128) + 2 * score, plus 1 if it is an upper bound
#     work    log2 of the nodes that the bound cost
#
# The mixed key (word.h) is a bijection of the words. Its top bits choose a bucket of two entries, and its low
# 52 bits (wide: 115) are the tag. With 2**12 buckets (wide: 2**13) or more the two overlap or meet, so
# together they are the complete key and no position is mistaken for another.
#
# An entry has one bound: the windows of a solve approach the score from one side, so one of two bounds
# would nearly always be stale. A new bound replaces the old one of its key, or else the bound in the bucket
# that cost the least work. Expensive bounds stay, so a table that fits the cache saves nearly as much as a
# large one. The winner has four stones on the board at the end, so scores are between -28 and 28 on narrow
# boards and between -59 and 59 on wide ones, and a bound's code fits CODE_BITS.
#
# **Which key.** Up to MIRROR_PLIES stones a position and its mirror image share an entry, under the smaller
# of their two keys; later a search rarely visits both. Positions with fewer than LATE_TABLE_EMPTIES empty
# squares are kept in a small table of the thread (root.pxi).
#
# **Exchange.** Bounds can be copied to the table of another solver, while searches continue in both. The
# place and the tag of an entry give its mixed key, from which the position's key follows.

from libc.stdint cimport int8_t, uint8_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc

cimport c4core.engine.atomics as atomics

cdef extern from *:
    int __builtin_clzll(unsigned long long) noexcept nogil

cdef extern from *:
    """
    enum {
        C4_CODE_BITS = C4_WORD_BITS == 64 ? 7 : 8,
        C4_LOG_LEAST_BUCKETS = C4_CODE_BITS + 5     /* as many bits as an entry has besides the tag */
    };
    """
    enum:
        CODE_BITS "C4_CODE_BITS"
        LOG_LEAST_BUCKETS "C4_LOG_LEAST_BUCKETS"

cdef extern from "word.h" nogil:
    # A bijection that spreads the key over the word, and its inverse.
    word_t mixed_key "c4_mixed_key"(word_t key) noexcept
    word_t unmixed_key "c4_unmixed_key"(word_t mixed) noexcept
    uint64_t top_bits "c4_top_bits"(word_t word) noexcept
    # Atomic, and relaxed as in atomics.pxd.
    word_t load_word "c4_load_word"(const word_t* place) noexcept
    void store_word "c4_store_word"(word_t* place, word_t word) noexcept

cdef struct Table:
    word_t* entries     # buckets * BUCKET words, aligned to a cache line
    void* memory        # as calloc returned it
    uint64_t buckets    # a power of two, at least 2**LOG_LEAST_BUCKETS
    int shift           # 64 - log2(buckets)

cdef enum:
    CACHE_LINE = 64
    HUGE_PAGE = 1 << 21
    BUCKET = 2          # entries of a bucket
    WORK_BITS = 5
    NO_BOUND = 0        # the code of an empty entry
    LEAST_ROOM = 1024   # bounds


cdef bint table_create(Table* table, size_t most_bytes) noexcept nogil:
    """Allocate the largest power of two that fits, at least 64 KB (wide: 256); False if memory is short."""
    cdef size_t bytes_ = (BUCKET * sizeof(word_t)) << LOG_LEAST_BUCKETS
    cdef size_t alignment
    table.buckets = 1 << LOG_LEAST_BUCKETS
    table.shift = 64 - LOG_LEAST_BUCKETS
    while 2 * bytes_ <= most_bytes:
        bytes_ *= 2
        table.buckets *= 2
        table.shift -= 1
    # calloc, not malloc and memset: the system provides a page only when it is touched.
    alignment = HUGE_PAGE if bytes_ >= HUGE_PAGE else CACHE_LINE
    table.memory = calloc(1, bytes_ + alignment)
    if table.memory == NULL:
        return False
    table.entries = <word_t*>(
        (<uintptr_t>table.memory + alignment - 1) & ~<uintptr_t>(alignment - 1)
    )
    if bytes_ >= HUGE_PAGE:
        atomics.prefer_huge_pages(table.entries, bytes_)
    return True


cdef void table_clear(Table* table) noexcept nogil:
    """Empty the table, word by word, so that a running search never reads half an entry."""
    cdef uint64_t index
    for index in range(table.buckets * BUCKET):
        store_word(table.entries + index, 0)


cdef void table_free(Table* table) noexcept nogil:
    free(table.memory)
    table.memory = NULL
    table.entries = NULL


cdef inline word_t* bucket_of(const Table* table, word_t mixed) noexcept nogil:
    return table.entries + BUCKET * (top_bits(mixed) >> table.shift)


cdef inline int lower_code(int score) noexcept nogil:
    """Return the code of "the score is at least this"."""
    return (1 << (CODE_BITS - 1)) + 2 * score


cdef inline int upper_code(int score) noexcept nogil:
    """Return the code of "the score is at most this"."""
    return (1 << (CODE_BITS - 1)) + 2 * score + 1


cdef inline bint code_is_upper(int code) noexcept nogil:
    return code & 1


cdef inline int code_score(int code) noexcept nogil:
    return (code >> 1) - (1 << (CODE_BITS - 2))


cdef inline int table_bound(const word_t* bucket, word_t mixed, int beta) noexcept nogil:
    """Return the stored bound if it decides whether the score is at least ``beta``, else NOT_PROVEN."""
    cdef word_t tag = mixed << (CODE_BITS + WORK_BITS)
    cdef word_t entry
    cdef int index, code, score
    for index in range(BUCKET):
        entry = load_word(bucket + index)
        if (entry ^ tag) >> (CODE_BITS + WORK_BITS) == 0:
            # An empty entry says "at least -32" (wide: -64), which decides nothing.
            code = <int>(entry >> WORK_BITS) & ((1 << CODE_BITS) - 1)
            score = code_score(code)
            if code_is_upper(code) == (score < beta):
                return score
            break
    return NOT_PROVEN


cdef inline uint8_t work_of(uint64_t nodes) noexcept nogil:
    """Return the binary logarithm of a number of nodes, as an entry has it."""
    return <uint8_t>min(63 - __builtin_clzll(nodes | 1), (1 << WORK_BITS) - 1)


cdef inline void table_store(
    word_t* bucket, word_t mixed, int code, uint64_t nodes
) noexcept nogil:
    """Store the bound in the key's entry, or else in place of the bound that cost the least."""
    cdef word_t tag = mixed << (CODE_BITS + WORK_BITS)
    cdef uint64_t work = work_of(nodes)
    cdef int cheapest = 1 << WORK_BITS
    cdef word_t entry
    cdef int index, place = 0
    for index in range(BUCKET):
        entry = load_word(bucket + index)
        if (entry ^ tag) >> (CODE_BITS + WORK_BITS) == 0:
            place = index
            break
        if <int>entry & ((1 << WORK_BITS) - 1) < cheapest:
            cheapest = <int>entry & ((1 << WORK_BITS) - 1)
            place = index
    store_word(bucket + place, tag | (<word_t>code << WORK_BITS) | work)


cdef enum:
    MIRROR_PLIES = 16           # up to here a position and its mirror image share an entry
    LATE_TABLE_EMPTIES = 22     # positions with fewer empty squares are kept in the thread's own table


cdef inline word_t table_key(
    const Board* g, word_t own, word_t mask, int ply
) noexcept nogil:
    """Return the mixed key. Mirror images share it only at low plies, where both are common enough."""
    return mixed_key(
        canonical_key(g, own, mask) if ply <= MIRROR_PLIES else position_key(g, own, mask)
    )


cdef bint table_export(
    const Table* table, int least_work, TableBound** bounds, size_t* count
) noexcept nogil:
    """Copy the bounds that cost at least 2**least_work nodes; False if memory is short.

    The caller frees the array, even after a failure.
    """
    cdef uint64_t place
    cdef word_t entry, key
    cdef size_t room = 0
    cdef int code
    cdef TableBound* larger
    bounds[0] = NULL
    count[0] = 0
    for place in range(table.buckets * BUCKET):
        entry = load_word(table.entries + place)
        code = <int>(entry >> WORK_BITS) & ((1 << CODE_BITS) - 1)
        if code == NO_BOUND or <int>entry & ((1 << WORK_BITS) - 1) < least_work:
            continue
        if count[0] == room:
            room = 2 * room if room else LEAST_ROOM
            larger = <TableBound*>realloc(bounds[0], room * sizeof(TableBound))
            if larger == NULL:
                return False
            bounds[0] = larger
        larger = bounds[0] + count[0]
        key = unmixed_key(
            (<word_t>(place // BUCKET) << (WORD_BITS - 64 + table.shift)) | (entry >> (CODE_BITS + WORK_BITS))
        )
        larger.key[0] = low_half(key)
        larger.key[1] = high_half(key)
        larger.score = <int8_t>code_score(code)
        larger.is_upper = code_is_upper(code)
        larger.log_nodes = <uint8_t>(<int>entry & ((1 << WORK_BITS) - 1))
        count[0] += 1
    return True


cdef void table_import(
    Table* table, const Board* g, const TableBound* bounds, size_t count
) noexcept nogil:
    """Store bounds, except for positions that belong in the threads' own tables."""
    cdef const TableBound* bound
    cdef word_t stones, mask, mixed
    cdef size_t index
    cdef int ply
    for index in range(count):
        bound = bounds + index
        split_key(g, join_halves(bound.key[0], bound.key[1]), &stones, &mask)
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
