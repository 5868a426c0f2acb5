# A batch of positions: threads take some at a time, and share one table.

cdef enum:
    TAKE = 16           # positions that a thread takes at a time

# From one check for signals to the next.
cdef double INTERRUPT_SECONDS = 0.025


cdef void _run_batch(Batch* batch, Run* run) noexcept nogil:
    """Take positions until none is left.

    Related positions begin with an empty late table: costly entries of other positions, which nobody
    asks for any more, would keep their places in it. After a stop, the rest get the bounds that follow
    from their numbers of stones.
    """
    cdef Search* s = <Search*>run
    cdef ThreadMemory* memory = s.memory
    cdef BoardMemory* board = s.board
    cdef Interrupted interrupted = s.interrupted
    cdef double asked = atomics.now()
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
            start_search(s, board, memory, &batch.limits)
            s.interrupted = interrupted
            s.related = batch.related
            if over or atomics.load(s.epoch) != s.started:
                run.node_limit = 0
            if batch.scores == NULL:
                _solve_position(run, batch.stones[index], batch.masks[index], &bounds, batch.weak)
            else:
                _analyze_position(
                    run, batch.stones[index], batch.masks[index], &bounds,
                    batch.scores + index * batch.g.width,
                )
            batch.lower[index] = bounds.lower
            batch.upper[index] = bounds.upper
            batch.nodes[index] = run.nodes
            _count_nodes(s)
            if batch.limits.timed and not over:
                over = atomics.now() >= batch.limits.deadline
            if run.stopped and interrupted != NULL and run.nodes < run.node_limit:
                # A signal, stop() or the clock has ended the search. The next position's search would
                # see the latter two by itself, but not the signal.
                over = True
            index += 1
