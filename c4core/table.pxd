"""The transposition table's hot path; table.pyx has the layout picture."""

from libc.stdint cimport uint64_t

from c4core cimport atomics

cdef struct Table:
    uint64_t* entries   # buckets * BUCKET words, aligned to a cache line
    void* memory        # as calloc returned it
    uint64_t buckets    # a power of two, at least 2**12
    int shift           # 64 - log2(buckets)

cdef enum:
    BUCKET = 2          # entries of a bucket
    WORK_BITS = 5
    CODE_BITS = 7
    NO_BOUND = 0        # the code of an empty entry
    CODE_ZERO = 64      # the code of the lower bound 0
    UNDECIDED = 127     # above all scores

cdef bint table_create(Table* table, size_t most_bytes) noexcept nogil
cdef void table_clear(Table* table) noexcept nogil
cdef void table_free(Table* table) noexcept nogil


cdef inline uint64_t mixed_key(uint64_t key) noexcept nogil:
    """The key spread over the word. Multiplication by an odd number is a bijection: no key is lost."""
    return key * <uint64_t>0x9E3779B97F4A7C15


cdef inline uint64_t* bucket_of(const Table* table, uint64_t mixed) noexcept nogil:
    return table.entries + BUCKET * (mixed >> table.shift)


cdef inline int lower_code(int score) noexcept nogil:
    """The code of "the score is at least this"."""
    return CODE_ZERO + 2 * score


cdef inline int upper_code(int score) noexcept nogil:
    """The code of "the score is at most this"."""
    return CODE_ZERO + 2 * score + 1


cdef inline bint code_is_upper(int code) noexcept nogil:
    return code & 1


cdef inline int code_score(int code) noexcept nogil:
    return (code >> 1) - (CODE_ZERO >> 1)


cdef inline int table_bound(const uint64_t* bucket, uint64_t mixed, int beta) noexcept nogil:
    """The stored bound, if it decides whether the score is at least ``beta``, else UNDECIDED."""
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
    return UNDECIDED


cdef inline void table_store(
    uint64_t* bucket, uint64_t mixed, int code, uint64_t nodes
) noexcept nogil:
    """Store the bound in the key's own entry, or else in that of the bound that cost the least."""
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


cdef extern from *:
    int __builtin_clzll(unsigned long long) noexcept nogil
