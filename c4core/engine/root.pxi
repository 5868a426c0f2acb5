# The root of a search: solve a position with one thread or a team, score its columns, find a best move, or
# solve a batch of positions. Here the game may be over; _solve and _test of search.pxi are called only if it
# is not.

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cdef enum:
    LATE_BUCKETS = 1 << 15         # narrow: half the second-level cache of common processors
    TAKE = 16                      # positions of a batch that a thread takes at a time


cdef ThreadMemory* _create_thread_memory(const Board* g) noexcept nogil:
    """Create an empty memory; NULL if memory is short."""
    cdef ThreadMemory* memory = <ThreadMemory*>calloc(1, sizeof(ThreadMemory))
    if memory == NULL:
        return NULL
    memory.history = create_history(g)
    if memory.history == NULL or not table_create(&memory.late, LATE_BUCKETS * BUCKET * sizeof(word_t)):
        _free_thread_memory(memory)
        return NULL
    return memory


cdef void _clear_thread_memory(ThreadMemory* memory) noexcept nogil:
    clear_history(memory.history)
    table_clear(&memory.late)


cdef void _free_thread_memory(ThreadMemory* memory) noexcept nogil:
    free(memory.history)
    table_free(&memory.late)
    free(memory)


cdef Memory* _new_memory(const Board* g, const void* network, size_t most_bytes) noexcept nogil:
    cdef BoardMemory* memory = <BoardMemory*>calloc(1, sizeof(BoardMemory))
    if memory == NULL:
        return NULL
    memory.g = g
    memory.network = <const OrderNetwork*>network
    if not table_create(&memory.table, most_bytes):
        free(memory)
        return NULL
    return memory


cdef void _clear_table(Memory* memory) noexcept nogil:
    table_clear(&(<BoardMemory*>memory).table)


cdef void _forget(Memory* memory) noexcept nogil:
    cdef ThreadMemory* idle = (<BoardMemory*>memory).idle
    while idle != NULL:
        _clear_thread_memory(idle)
        idle = idle.next


cdef void _free_memory(Memory* memory) noexcept nogil:
    cdef BoardMemory* board = <BoardMemory*>memory
    cdef ThreadMemory* idle
    while board.idle != NULL:
        idle = board.idle
        board.idle = idle.next
        _free_thread_memory(idle)
    table_free(&board.table)
    free(board)


cdef Run* _begin(Memory* memory, const Limits* limits) noexcept nogil:
    cdef BoardMemory* board = <BoardMemory*>memory
    cdef ThreadMemory* thread = board.idle
    if thread == NULL:
        thread = _create_thread_memory(board.g)
        if thread == NULL:
            return NULL
    else:
        board.idle = thread.next
    start_search(&thread.search, board, thread, limits)
    return &thread.search.run


cdef void _end(Run* run) noexcept nogil:
    cdef Search* s = <Search*>run
    _count_nodes(s)
    s.memory.next = s.board.idle
    s.board.idle = s.memory


cdef void start_search(
    Search* s, BoardMemory* board, ThreadMemory* memory, const Limits* limits
) noexcept nogil:
    """Prepare a search that has visited no node yet."""
    memset(s, 0, sizeof(Search))
    s.g = board.g
    s.network = board.network
    s.table = &board.table
    s.board = board
    s.memory = memory
    s.last_asked = -1
    if s.network != NULL:
        s.last_asked = min(s.network.last_ply, s.g.cells - ASKED_EMPTIES)
    s.epoch = limits.epoch
    s.searched = limits.searched
    s.started = limits.started
    s.timed = limits.timed
    s.deadline = limits.deadline
    s.run.node_limit = limits.node_limit
    s.interrupted = limits.interrupted
    s.budget = NO_LIMIT


cdef void _count_nodes(Search* s) noexcept nogil:
    """Count the nodes since the last poll; a short search ends before its first poll."""
    atomics.add(s.searched, s.run.nodes - s.told)
    s.told = s.run.nodes


cdef int _test_position(
    Run* run, whole_t stones, whole_t mask, Bounds* bounds, int beta, uint64_t most_nodes
) noexcept nogil:
    cdef Search* s = <Search*>run
    s.budget = NO_LIMIT if most_nodes == NO_LIMIT else run.nodes + most_nodes
    return _test(s, stones, mask, popcount(mask), bounds, beta)


cdef void _solve_position(
    Run* run, whole_t stones, whole_t mask, Bounds* bounds, bint weak
) noexcept nogil:
    """Find bounds on the score for the side to move; they are equal unless ``weak`` or at a limit."""
    cdef Search* s = <Search*>run
    if not game_bounds(s.g, stones, mask, bounds):
        _solve(s, stones, mask, popcount(mask), bounds, weak, NO_SCORE)


cdef void _start_columns(
    const Board* g, whole_t stones, whole_t mask, bint in_turns, Columns* columns
) noexcept nogil:
    """Set the bounds that follow from the rules, and plan the first round."""
    cdef word_t[WORD_COLUMNS] keys
    cdef int[WORD_COLUMNS] order
    cdef word_t move
    cdef Bounds child
    cdef int index, earlier, column
    # Two moves lead to mirror images only if the piles differ from their mirror image by these moves at most.
    cdef bint has_twins = popcount(mask ^ mirror_bits(g, mask)) <= 2
    columns.width = g.width
    columns.related = g.cells - popcount(mask) <= LATE_EMPTIES
    columns.in_turns = in_turns
    columns.budget = FIRST_BUDGET if in_turns else NO_LIMIT
    columns.is_first_round = True
    columns.place = columns.count = 0
    for column in range(g.width):
        columns.lower[column] = columns.upper[column] = NO_SCORE
    if game_bounds(g, stones, mask, &columns.position):
        return
    if in_turns:
        columns.order[columns.count] = WHOLE_POSITION
        columns.count += 1
    columns_from_centre(g, order)
    for index in range(g.width):
        column = order[index]
        move = playable_squares(g, mask) & column_mask(g, column)
        if move == 0:
            continue
        columns.twin[column] = column
        if has_twins:
            keys[column] = canonical_key(g, stones ^ mask, mask | move)
        for earlier in range(index if has_twins else 0):
            if columns.lower[order[earlier]] != NO_SCORE and keys[order[earlier]] == keys[column]:
                columns.twin[column] = columns.twin[order[earlier]]
                break
        if columns.twin[column] == column:
            columns.order[columns.count] = column
            columns.count += 1
        game_bounds(g, stones ^ mask, mask | move, &child)
        columns.lower[column] = -child.upper
        columns.upper[column] = -child.lower
    if in_turns:
        combine_bounds(columns)


cdef int _guess(const Columns* columns, int column) noexcept nogil:
    """Return a column's likely score: one less than its neighbour's towards the centre.

    It is NO_SCORE if that neighbour is clearly won or lost, because this says little about the column.
    """
    cdef int neighbour = column + (1 if 2 * column < columns.width - 1 else -1)
    if columns.in_turns or 2 * column == columns.width - 1 or not 0 <= neighbour < columns.width:
        return NO_SCORE
    if columns.lower[neighbour] != columns.upper[neighbour]:
        return NO_SCORE
    return columns.lower[neighbour] - 1 if -2 <= columns.lower[neighbour] <= 2 else NO_SCORE


cdef bint _is_over(const Search* s) noexcept nogil:
    """Return whether the search must end, apart from its number of nodes."""
    return atomics.load(s.epoch) != s.started or (s.timed and atomics.now() >= s.deadline)


cdef void _analyze_position(
    Run* run, whole_t stones, whole_t mask, Columns* columns
) noexcept nogil:
    """Narrow the bounds of the position and of its columns, turn by turn.

    Without limits there is one round, from the centre outwards, which searches each column to its end. The
    first window of each column is at the score that its neighbour suggests.

    With limits the turns have budgets, and each round has larger ones (next_turn in kernel.pxd). A turn
    resumes an earlier one, because the table has most of its bounds.

    A position that several columns lead to is searched once. The columns are close relatives, so late in the
    game the probe for quick wins is skipped, and in later rounds as well.
    """
    cdef Search* s = <Search*>run
    cdef const Board* g = s.g
    cdef uint64_t* proven = run.proven
    cdef uint64_t limit = run.node_limit, budget
    cdef word_t move
    cdef Bounds bounds, earlier = columns.position
    cdef int column, guess
    while not run.stopped:
        earlier = columns.position
        column = next_turn(columns)
        if column == NO_TURN:
            break
        budget = turn_budget(columns, column)
        if budget < limit - min(limit, run.nodes):
            run.node_limit = run.nodes + budget
        bounds = turn_bounds(columns, column)
        s.related = columns.related or not columns.is_first_round
        if column == WHOLE_POSITION:
            s.related = not columns.is_first_round
            _solve(s, stones, mask, popcount(mask), &bounds, False, NO_SCORE)
        else:
            move = playable_squares(g, mask) & column_mask(g, column)
            guess = _guess(columns, column)
            run.proven = NULL     # the bounds of the columns' positions are not published
            _solve(
                s, stones ^ mask, mask | move, popcount(mask) + 1, &bounds, False,
                NO_SCORE if guess == NO_SCORE else -guess,
            )
            run.proven = proven
        take_bounds(columns, column, &bounds)
        if run.stopped and run.nodes >= run.node_limit and run.node_limit < limit:
            run.stopped = _is_over(s)     # otherwise only the turn is over
        run.node_limit = limit
        if run.stopped:
            columns.place -= 1            # another thread may resume the turn
        publish_bounds(columns, &earlier, proven)
    combine_bounds(columns)
    publish_bounds(columns, &earlier, proven)


cdef int _principal_move(Run* run, whole_t stones, whole_t mask, int score) noexcept nogil:
    """Return the column nearest to the centre that reaches the position's score; ABORTED at a limit."""
    cdef const Board* g = (<Search*>run).g
    cdef int[WORD_COLUMNS] columns
    cdef word_t playable = playable_squares(g, mask)
    cdef word_t move
    cdef Bounds child
    cdef int index, reached
    for index in range(columns_from_centre(g, columns)):
        move = playable & column_mask(g, columns[index])
        if move == 0:
            continue
        if not game_bounds(g, stones ^ mask, mask | move, &child):
            reached = _test_position(run, stones ^ mask, mask | move, &child, 1 - score, NO_LIMIT)
            if reached == ABORTED:
                return ABORTED
        if -child.upper >= score:
            return columns[index]
    return ABORTED


# One position, solved by several threads.
cdef struct Together:
    Registry registry       # first, so that both have one address
    word_t stones
    word_t mask
    Bounds bounds           # bounds known at the start
    bint weak
    uint64_t node_limit     # of every thread
    uint64_t nodes          # of all threads that have ended; atomic
    int32_t history[2][WORD_BITS]   # every thread begins with it, so that they rank the first moves alike


cdef Team* _assemble(
    const Run* run, whole_t stones, whole_t mask, const Bounds* bounds, bint weak, uint64_t node_limit
) noexcept nogil:
    cdef Together* together = <Together*>calloc(1, sizeof(Together))
    if together == NULL:
        return NULL
    together.registry.bounds = team_bounds(bounds.lower, bounds.upper)
    together.registry.least_split = LEAST_SPLIT_NODES
    together.stones = stones
    together.mask = mask
    together.bounds = bounds[0]
    together.weak = weak
    together.node_limit = node_limit
    memcpy(together.history, (<const Search*>run).history, sizeof(together.history))
    return together


cdef uint64_t _join(Team* team, const Run* run) noexcept nogil:
    cdef Together* together = <Together*>team
    cdef Search s = (<const Search*>run)[0]
    cdef Bounds bounds = together.bounds
    cdef Worker worker
    s.run.nodes = s.told = 0
    s.run.stopped = False
    s.run.node_limit = together.node_limit
    memcpy(s.history, together.history, sizeof(s.history))
    _join_registry(&s, &worker, &together.registry)
    _solve_together(
        &s, together.stones, together.mask, popcount(together.mask), &bounds, together.weak
    )
    _leave_registry(&s)
    _count_nodes(&s)
    atomics.add(&together.nodes, s.run.nodes)
    return s.run.nodes


cdef void _disband(Team* team, Run* run, Bounds* bounds) noexcept nogil:
    cdef Together* together = <Together*>team
    bounds.lower = team_lower(together.registry.bounds)
    bounds.upper = team_upper(together.registry.bounds)
    run.nodes += together.nodes
    (<Search*>run).told += together.nodes       # every thread has counted its own
    run.stopped = not decided(bounds, together.weak)
    free(together)


# --- a batch of positions: threads take some at a time, and share one table -----------------------

# Seconds between checks for signals.
cdef double INTERRUPT_SECONDS = 0.025


cdef inline word_t _batch_word(const Board* g, const uint64_t* words, uint64_t index) noexcept nogil:
    if WORD_BITS == NARROW_BITS or is_narrow(g):
        return <word_t>words[index]
    return <word_t>join_halves(words[2 * index], words[2 * index + 1])


cdef void _run_batch(Batch* batch, Run* run) noexcept nogil:
    """Take positions until none is left.

    Related positions begin with an empty late table, because costly entries of earlier positions would
    keep their places in it without use. After a stop, the remaining positions get the bounds that follow
    from their numbers of stones.
    """
    cdef Search* s = <Search*>run
    cdef ThreadMemory* memory = s.memory
    cdef BoardMemory* board = s.board
    cdef Interrupted interrupted = s.interrupted
    cdef double asked = atomics.now()
    cdef Bounds bounds
    cdef Columns columns
    cdef uint64_t index, end
    cdef word_t stones, mask
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
            stones = _batch_word(batch.g, batch.stones, index)
            mask = _batch_word(batch.g, batch.masks, index)
            if over or atomics.load(s.epoch) != s.started:
                run.node_limit = 0
            if batch.column_lower == NULL:
                _solve_position(run, stones, mask, &bounds, batch.weak)
            else:
                _start_columns(batch.g, stones, mask, is_limited(&batch.limits), &columns)
                _analyze_position(run, stones, mask, &columns)
                bounds = columns.position
                memcpy(batch.column_lower + index * columns.width, columns.lower, columns.width)
                memcpy(batch.column_upper + index * columns.width, columns.upper, columns.width)
            batch.lower[index] = bounds.lower
            batch.upper[index] = bounds.upper
            batch.nodes[index] = run.nodes
            _count_nodes(s)
            if batch.limits.timed and not over:
                over = atomics.now() >= batch.limits.deadline
            if run.stopped and interrupted != NULL and run.nodes < run.node_limit:
                # A signal, stop() or the clock has ended the search. The next search would notice stop()
                # and the clock, but not the signal.
                over = True
            index += 1
