"""Many positions at a time: from Python objects to arrays of words, and through the kernel.

A position is two words (layout picture in board.pyx): ``stones`` of the side to move, ``mask`` of both
sides. Threads take a few positions at a time from the batch; all share one table. numpy is imported
where it is used: programs that solve no batches start faster without it.
"""

from cpython.number cimport PyNumber_Index
from libc.stdint cimport uint64_t

from c4core cimport atomics
from c4core.board cimport (
    Geometry,
    geometry_of,
    has_four,
    popcount,
    position_key,
    split_key,
)
from c4core.kernel cimport Bounds, Search
from c4core.position cimport Position
from c4core.root cimport analyze_position, solve_position, start_search, tell_nodes

from c4core.errors import BoardError, KeyValueError, MoveError
from c4core.notation import check_board
from c4core.position import Position as PositionType

# Between two looks for signals.
cdef double INTERRUPT_SECONDS = 0.025


cdef void run_batch(Batch* batch, bint (*interrupted)() noexcept nogil) noexcept nogil:
    """Take positions until none is left. Once stopped, the rest keep what their count of stones says."""
    cdef double asked = atomics.now()
    cdef Search s
    cdef Bounds bounds
    cdef uint64_t index, end
    cdef bint over = False
    while True:
        index = atomics.add(&batch.taken, TAKE)
        if index >= batch.count:
            return
        end = min(index + TAKE, batch.count)
        if interrupted != NULL and atomics.now() - asked > INTERRUPT_SECONDS:
            over = over or interrupted()
            asked = atomics.now()
        while index < end:
            start_search(&s, batch.g, batch.ordering, batch.rows, batch.table, &batch.limits)
            s.interrupted = interrupted
            if over or atomics.load(s.epoch) != s.started:
                s.node_limit = 0
            if batch.scores == NULL:
                solve_position(
                    batch.kernel, &s, batch.stones[index], batch.masks[index], &bounds, batch.weak
                )
            else:
                analyze_position(
                    batch.kernel, &s, batch.stones[index], batch.masks[index], &bounds,
                    batch.scores + index * batch.g.width,
                )
            batch.lower[index] = bounds.lower
            batch.upper[index] = bounds.upper
            batch.nodes[index] = s.nodes
            tell_nodes(&s)
            if batch.limits.timed and not over:
                over = atomics.now() >= batch.limits.deadline
            if s.stopped and interrupted != NULL and s.nodes < s.node_limit:
                # By a signal, or by stop() or the clock, which the next position would see itself.
                over = True
            index += 1


cdef tuple words_of_batch(
    object positions, object width, object height, const Geometry** g
):
    """Two uint64 arrays: the stones of the sides to move, and of both sides.

    Args:
        positions: positions, move texts, or an array of keys.
        width: columns of the board that texts and keys are on.
        height: rows of that board.
        g: where the board that they all are on is put.
    """
    import numpy as np

    cdef list items
    check_board(PyNumber_Index(width), PyNumber_Index(height))
    g[0] = geometry_of(width, height)
    if isinstance(positions, np.ndarray):
        return _words_of_keys(positions, g[0])
    items = _as_positions(positions, width, height)
    if items:
        g[0] = (<Position>items[0]).g
    return _words_of_positions(items, g[0])


cdef bint _words_of_key(
    const Geometry* g, uint64_t key, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    """The two words of a key; False where it is no position's key (``Position.from_key`` says why)."""
    split_key(g, key, stones, mask)
    return (
        position_key(g, stones[0], mask[0]) == key
        and popcount(stones[0]) == popcount(mask[0]) // 2
        and not has_four(g, stones[0])
    )


cdef list _as_positions(object positions, object width, object height):
    """The batch as ``Position`` objects, texts read on the given board."""
    if isinstance(positions, str):
        raise TypeError("positions must be a sequence of positions or texts, not one text")
    return [
        item if isinstance(item, PositionType) else _read(item, index, width, height)
        for index, item in enumerate(positions)
    ]


cdef object _read(object text, object index, object width, object height):
    try:
        return PositionType(text, width=width, height=height)
    except MoveError as error:
        raise MoveError(
            f"position {index}: {error}", kind=error.kind, column=error.column, index=error.index
        ) from None
    except TypeError as error:
        raise TypeError(f"position {index}: {error}") from None


cdef tuple _words_of_positions(list positions, const Geometry* g):
    import numpy as np

    cdef Position position
    cdef Py_ssize_t index
    cdef uint64_t[::1] stones_view, masks_view
    stones = np.empty(len(positions), dtype=np.uint64)
    masks = np.empty(len(positions), dtype=np.uint64)
    stones_view, masks_view = stones, masks
    for index in range(len(positions)):
        position = positions[index]
        if position.g != g:
            raise BoardError(
                f"a batch has one board: position {index} is on {position.board}, "
                f"the first one on {positions[0].board}",
                size=position.board,
            )
        stones_view[index] = position.stones
        masks_view[index] = position.mask
    return stones, masks


cdef tuple _words_of_keys(object keys, const Geometry* g):
    import numpy as np

    cdef Py_ssize_t index, count, bad = -1
    cdef const uint64_t[::1] keys_view
    cdef uint64_t[::1] stones_view, masks_view
    if keys.dtype != np.uint64 or keys.ndim != 1:
        raise TypeError(f"keys must be a one-dimensional uint64 array, not {keys.dtype} {keys.shape}")
    keys = np.ascontiguousarray(keys)
    count = len(keys)
    stones = np.empty(count, dtype=np.uint64)
    masks = np.empty(count, dtype=np.uint64)
    keys_view = keys
    stones_view, masks_view = stones, masks
    with nogil:
        for index in range(count):
            if not _words_of_key(g, keys_view[index], &stones_view[index], &masks_view[index]):
                bad = index
                break
    if bad >= 0:
        _refuse_key(keys_view[bad], bad, g)
    return stones, masks


cdef int _refuse_key(uint64_t key, object index, const Geometry* g) except -1:
    """Say what is wrong with a key, and which of the batch it is."""
    try:
        PositionType.from_key(key, width=g.width, height=g.height)
    except KeyValueError as error:
        raise KeyValueError(f"position {index}: {error}", key=error.key) from None
    raise AssertionError(f"position {index}: {key}")
