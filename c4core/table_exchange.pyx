"""Bounds that leave a transposition table, and enter another one.

Both may happen while searches use the table: an entry is read and written whole (table.pyx). The mixed
key of an entry is put together from its place and its tag; the position's key follows from it, because
multiplication by an odd number has an inverse.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from c4core cimport atomics
from c4core.board cimport Geometry, popcount
from c4core.table cimport (
    BUCKET,
    CODE_BITS,
    CODE_ZERO,
    NO_BOUND,
    Table,
    WORK_BITS,
    bucket_of,
    lower_code,
    table_store,
    upper_code,
)
from c4core.table_keys cimport LATE_TABLE_EMPTIES, table_key

cdef enum:
    MOST_SCORE = 29     # the highest score of any board (table.pyx)
    MOST_WORK = (1 << WORK_BITS) - 1
    LEAST_ROOM = 1024   # entries

# The inverse of mixed_key's factor modulo 2**64.
cdef uint64_t UNMIX = pow(0x9E3779B97F4A7C15, -1, 1 << 64)


cdef struct Found:
    uint64_t* words     # two for each entry: its place in the table, and the entry
    size_t count
    size_t room         # entries that there is memory for


cdef inline bint _is_wanted(uint64_t entry, int least_work) noexcept nogil:
    return (
        <int>(entry & MOST_WORK) >= least_work
        and (entry >> WORK_BITS) & ((1 << CODE_BITS) - 1) != NO_BOUND
    )


cdef int _collect(const Table* table, int least_work, Found* found) except -1 nogil:
    """Copy the entries that cost 2**least_work nodes or more.

    Raises:
        MemoryError: no memory for them; what was found so far has to be freed all the same.
    """
    cdef uint64_t place, entry
    cdef uint64_t* words
    for place in range(table.buckets * BUCKET):
        entry = atomics.load(table.entries + place)
        if not _is_wanted(entry, least_work):
            continue
        if found.count == found.room:
            found.room = 2 * found.room if found.room else LEAST_ROOM
            words = <uint64_t*>realloc(found.words, 2 * sizeof(uint64_t) * found.room)
            if words == NULL:
                raise MemoryError
            found.words = words
        found.words[2 * found.count] = place
        found.words[2 * found.count + 1] = entry
        found.count += 1
    return 0


cdef object bounds_of_table(const Table* table, int least_work):
    """The bounds that cost 2**least_work nodes or more, as an array of BOUND.

    Args:
        table: NULL stands for an empty one.
        least_work: the binary logarithm of the nodes.

    Raises:
        MemoryError: no memory for them.
    """
    import numpy as np

    from c4core.table_bounds import BOUND

    cdef Found found
    memset(&found, 0, sizeof(found))
    try:
        if table != NULL:
            with nogil:
                _collect(table, least_work, &found)
        words = np.frombuffer(
            PyBytes_FromStringAndSize(<char*>found.words, 2 * sizeof(uint64_t) * found.count),
            dtype=np.uint64,
        )
    finally:
        free(found.words)
    places, entries = words[::2], words[1::2]
    codes = (entries >> WORK_BITS) & ((1 << CODE_BITS) - 1)
    bounds = np.empty(len(places), dtype=BOUND)
    if table != NULL:
        mixed = ((places // BUCKET) << table.shift) | (entries >> (CODE_BITS + WORK_BITS))
        bounds["key"] = np.uint64(UNMIX) * mixed
    bounds["score"] = (codes.astype(np.int64) - CODE_ZERO) >> 1
    bounds["is_upper"] = codes & 1
    bounds["log_nodes"] = entries & MOST_WORK
    return bounds


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
