"""A batch of positions through the kernel: threads take some at a time, and share one table."""

from libc.stdint cimport uint64_t

from c4core cimport atomics
from c4core.kernel cimport Bounds, Search
from c4core.root cimport analyze_position, solve_position, start_search, tell_nodes
from c4core.table cimport table_clear

# From one check for signals to the next.
cdef double INTERRUPT_SECONDS = 0.025


cdef void run_batch(
    Batch* batch, ThreadMemory* memory, bint (*interrupted)() noexcept nogil
) noexcept nogil:
    """Take positions until none is left.

    Related positions begin with an empty late table: costly entries of other positions, which nobody
    asks for any more, would keep their places in it. After a stop, the rest get the bounds that follow
    from their numbers of stones.
    """
    cdef double asked = atomics.now()
    cdef Search s
    cdef Bounds bounds
    cdef uint64_t index, end
    cdef bint over = False
    if batch.related:
        table_clear(&memory.late)
    while True:
        index = atomics.add(&batch.taken, TAKE)
        if index >= batch.count:
            return
        end = min(index + TAKE, batch.count)
        if interrupted != NULL and atomics.now() - asked > INTERRUPT_SECONDS:
            over = over or interrupted()
            asked = atomics.now()
        while index < end:
            start_search(
                &s, batch.g, batch.ordering, batch.rows, batch.table, memory, &batch.limits
            )
            s.interrupted = interrupted
            s.related = batch.related
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
                # A signal, stop() or the clock has ended the search. The next position's search would
                # see the latter two by itself, but not the signal.
                over = True
            index += 1
