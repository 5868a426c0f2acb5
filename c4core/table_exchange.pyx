"""Bounds that leave a transposition table, and enter another one.

Both may happen while searches use the table: an entry is read and written whole (table.pyx). The mixed
key of an entry is put together from its place and its tag; the position's key follows from it, because
multiplication by an odd number has an inverse.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t

from c4core cimport atomics
from c4core.board cimport Geometry, popcount
from c4core.table cimport (
    BUCKET,
    CODE_BITS,
    NO_BOUND,
    Table,
    WORK_BITS,
    bucket_of,
    code_is_upper,
    code_score,
    lower_code,
    table_store,
    upper_code,
)
from c4core.table_keys cimport LATE_TABLE_EMPTIES, table_key

cdef enum:
    MOST_SCORE = 29     # the highest score of any board (table.pyx)
    MOST_WORK = (1 << WORK_BITS) - 1

# The inverse of mixed_key's factor modulo 2**64.
cdef uint64_t UNMIX = pow(0x9E3779B97F4A7C15, -1, 1 << 64)


cdef inline bint _is_wanted(uint64_t entry, int least_work) noexcept nogil:
    return (
        <int>(entry & MOST_WORK) >= least_work
        and (entry >> WORK_BITS) & ((1 << CODE_BITS) - 1) != NO_BOUND
    )


cdef object no_bounds():
    """An empty array of BOUND."""
    import numpy as np

    from c4core.table_bounds import BOUND

    return np.empty(0, dtype=BOUND)


cdef object bounds_of_table(const Table* table, int least_work):
    """The bounds that cost 2**least_work nodes or more, as an array of BOUND."""
    import numpy as np

    from c4core.table_bounds import BOUND

    cdef uint64_t index, entry, count = 0, found = 0
    cdef uint64_t size = table.buckets * BUCKET
    cdef int code
    with nogil:
        for index in range(size):
            if _is_wanted(atomics.load(table.entries + index), least_work):
                count += 1
    bounds = np.empty(count, dtype=BOUND)
    keys, scores = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.int8)
    uppers, works = np.empty(count, dtype=np.uint8), np.empty(count, dtype=np.uint8)
    cdef uint64_t[::1] key_view = keys
    cdef int8_t[::1] score_view = scores
    cdef uint8_t[::1] upper_view = uppers, work_view = works
    with nogil:
        for index in range(size):
            entry = atomics.load(table.entries + index)
            if found == count:      # a search has added some meanwhile: they come the next time
                break
            if _is_wanted(entry, least_work):
                code = <int>(entry >> WORK_BITS) & ((1 << CODE_BITS) - 1)
                key_view[found] = UNMIX * (
                    ((index // BUCKET) << table.shift) | (entry >> (CODE_BITS + WORK_BITS))
                )
                score_view[found] = <int8_t>code_score(code)
                upper_view[found] = code_is_upper(code)
                work_view[found] = <uint8_t>(entry & MOST_WORK)
                found += 1
    bounds["key"], bounds["score"], bounds["is_upper"], bounds["log_nodes"] = (
        keys, scores, uppers, works
    )
    return bounds[:found]


cdef object checked_bounds(object bounds):
    """An array of BOUND, as it was given.

    Raises:
        TypeError: it is none.
        ValueError: a score or a number of nodes is impossible.
    """
    import numpy as np

    from c4core.table_bounds import BOUND

    if not isinstance(bounds, np.ndarray) or bounds.dtype != BOUND or bounds.ndim != 1:
        raise TypeError("bounds must be an array of the type c4core.table_bounds.BOUND")
    wrong = np.flatnonzero(
        (bounds["score"] < -MOST_SCORE)
        | (bounds["score"] > MOST_SCORE)
        | (bounds["log_nodes"] > MOST_WORK)
    )
    if len(wrong):
        bound = bounds[wrong[0]]
        raise ValueError(
            f"bound {wrong[0]}: no position has a score of {bound['score']}, "
            f"which took 2**{bound['log_nodes']} nodes"
        )
    return bounds


cdef int add_to_table(
    Table* table, const Geometry* g, object stones, object masks, object bounds
) except -1:
    """Store bounds, those of positions that the table is for.

    Args:
        stones: of the sides to move, as ``words_of_batch`` gives them; so are ``masks``.
        bounds: as :func:`checked_bounds` returns them.
    """
    import numpy as np

    cdef const uint64_t[::1] stone_view = stones, mask_view = masks
    cdef const int8_t[::1] score_view = np.ascontiguousarray(bounds["score"])
    cdef const uint8_t[::1] upper_view = np.ascontiguousarray(bounds["is_upper"]).view(np.uint8)
    cdef const uint8_t[::1] work_view = np.ascontiguousarray(bounds["log_nodes"])
    cdef Py_ssize_t index
    cdef uint64_t mixed
    cdef int ply, score
    with nogil:
        for index in range(stone_view.shape[0]):
            ply = popcount(mask_view[index])
            if g.cells - ply < LATE_TABLE_EMPTIES:
                continue
            mixed = table_key(g, stone_view[index], mask_view[index], ply)
            score = score_view[index]
            table_store(
                bucket_of(table, mixed),
                mixed,
                upper_code(score) if upper_view[index] else lower_code(score),
                <uint64_t>1 << work_view[index],
            )
    return 0
