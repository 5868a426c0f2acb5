"""Whole positions on the C side: solve one, score its columns, find a best move.

Here the game may be over; the kernel is called only where it is not. Positions are words as in
search.pyx: ``stones`` has those of the side to move, ``mask`` those of both sides.
"""

from libc.string cimport memset

from c4core cimport atomics
from c4core.board cimport (
    MAX_COLUMNS,
    canonical_key,
    column_mask,
    has_four,
    playable_squares,
    popcount,
    winning_squares,
)
from c4core.foresight cimport ASKED_EMPTIES
from c4core.kernel cimport ABORTED, LATE_EMPTIES, NO_GUESS, team_bounds

cdef uint64_t NO_LIMIT = <uint64_t>-1

cdef void start_search(
    Search* s, const Geometry* g, const Ordering* ordering, const Rows* rows, Table* table,
    ThreadMemory* memory, const Limits* limits
) noexcept nogil:
    """Prepare a search that has visited no node yet."""
    memset(s, 0, sizeof(Search))
    s.g = g
    s.ordering = ordering
    s.rows = rows
    s.table = table
    s.memory = memory
    s.last_foreseen = -1
    if ordering.foresight != NULL:
        s.last_foreseen = min(ordering.foresight.last_ply, g.cells - ASKED_EMPTIES)
    s.epoch = limits.epoch
    s.searched = limits.searched
    s.started = limits.started
    s.timed = limits.timed
    s.deadline = limits.deadline
    s.node_limit = limits.node_limit
    s.interrupted = limits.interrupted
    s.budget = NO_LIMIT


cdef void tell_nodes(Search* s) noexcept nogil:
    """Count the nodes since the last poll; a short search ends before its first one."""
    atomics.add(s.searched, s.nodes - s.told)
    s.told = s.nodes


cdef bint game_bounds(const Geometry* g, uint64_t stones, uint64_t mask, Bounds* bounds) noexcept nogil:
    """Whether the game is over. The bounds become its result, else what the number of stones allows."""
    cdef int ply = popcount(mask)
    if has_four(g, stones ^ mask):
        # The winner's last stone was played when ply - 1 stones were on the board.
        bounds.lower = bounds.upper = -((g.cells + 2 - ply) >> 1)
        return True
    bounds.lower = -((g.cells - ply) >> 1)
    bounds.upper = (g.cells + 1 - ply) >> 1
    return ply == g.cells


cdef void solve_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, bint weak
) noexcept nogil:
    """Bounds on the score for the side to move; equal unless a limit was hit, or weak."""
    if not game_bounds(s.g, stones, mask, bounds):
        kernel.solve(s, stones, mask, popcount(mask), bounds, weak, NO_GUESS)


cdef int columns_from_centre(const Geometry* g, int* columns) noexcept nogil:
    """All columns, the middle one first, then alternating to its left and right; their number."""
    cdef int index
    for index in range(g.width):
        columns[index] = (g.width - 1) // 2 + (
            (index + 1) // 2 if index & 1 else -(index // 2)
        )
    return g.width


cdef int _guess(const Geometry* g, const int8_t* scores, int column) noexcept nogil:
    """A column's likely score: one less than that of its neighbour towards the centre.

    NO_GUESS where that neighbour is clearly won or lost: it then says little about this column.
    """
    cdef int neighbour = column + (1 if 2 * column < g.width - 1 else -1)
    if 2 * column == g.width - 1 or not 0 <= neighbour < g.width:
        return NO_GUESS
    return scores[neighbour] - 1 if -2 <= scores[neighbour] <= 2 else NO_GUESS


cdef bint from_twin(
    const Geometry* g, uint64_t stones, uint64_t mask, int column, int8_t* scores
) noexcept nogil:
    """Copy the score of another column whose move leads to the same position or its mirror image."""
    cdef uint64_t playable = playable_squares(g, mask)
    cdef uint64_t key = canonical_key(g, stones ^ mask, mask | (playable & column_mask(g, column)))
    cdef uint64_t move
    cdef int twin
    for twin in range(g.width):
        move = playable & column_mask(g, twin)
        if scores[twin] == UNPLAYABLE or move == 0:
            continue
        if canonical_key(g, stones ^ mask, mask | move) == key:
            scores[column] = scores[twin]
            return True
    return False


cdef void analyze_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, int8_t* scores
) noexcept nogil:
    """The score of every column, or UNPLAYABLE, and the bounds on the position's own score.

    The columns are searched from the centre outwards; the first window of each is at the score that its
    neighbour suggests. A position that several columns lead to is searched once. The columns are
    relatives; late in the game that makes it needless to look for a quick win in each.
    """
    cdef const Geometry* g = s.g
    cdef int[MAX_COLUMNS] columns
    cdef uint64_t move
    cdef Bounds child
    cdef Bounds so_far
    cdef uint64_t* proven = s.proven
    cdef int index, column, guess
    s.proven = NULL     # from here on the search is about other positions
    s.related = s.g.cells - popcount(mask) <= LATE_EMPTIES
    memset(scores, UNPLAYABLE, g.width)
    if game_bounds(g, stones, mask, bounds):
        return
    for index in range(columns_from_centre(g, columns)):
        column = columns[index]
        move = playable_squares(g, mask) & column_mask(g, column)
        if move == 0 or from_twin(g, stones, mask, column, scores):
            continue
        if s.stopped:
            continue
        if not game_bounds(g, stones ^ mask, mask | move, &child):
            guess = _guess(g, scores, column)
            kernel.solve(
                s, stones ^ mask, mask | move, popcount(mask) + 1, &child, False,
                NO_GUESS if guess == NO_GUESS else -guess,
            )
        if child.lower == child.upper:
            scores[column] = -child.lower
            if proven != NULL:
                so_far = bounds[0]
                position_bounds(g, stones, mask, scores, &so_far)
                atomics.store(proven, team_bounds(so_far.lower, so_far.upper))
    position_bounds(g, stones, mask, scores, bounds)


cdef void position_bounds(
    const Geometry* g, uint64_t stones, uint64_t mask, const int8_t* scores, Bounds* bounds
) noexcept nogil:
    """Narrow the bounds by the columns' scores; of unsolved columns the number of stones bounds them."""
    cdef Bounds child
    cdef uint64_t move
    cdef int column, lower = -g.cells, upper = -g.cells
    for column in range(g.width):
        move = playable_squares(g, mask) & column_mask(g, column)
        if move == 0:
            continue
        if scores[column] == UNPLAYABLE:
            game_bounds(g, stones ^ mask, mask | move, &child)
        else:
            child.lower = child.upper = -scores[column]
        lower = max(lower, -child.upper)
        upper = max(upper, -child.lower)
    bounds.lower = max(bounds.lower, lower)
    bounds.upper = min(bounds.upper, upper)


cdef void run_together(Together* together, int index, ThreadMemory* memory) noexcept nogil:
    """One thread's part of the search. Only the first thread may check for signals."""
    cdef Search s = together.s
    cdef Bounds bounds = together.bounds[0]
    if index:
        s.interrupted = NULL
    s.team = &together.team
    s.memory = memory
    together.kernel.solve(
        &s, together.stones, together.mask, popcount(together.mask), &bounds, together.weak, NO_GUESS
    )
    atomics.add(&together.nodes, s.nodes)
    tell_nodes(&s)


cdef int principal_move(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, int score
) noexcept nogil:
    """The column nearest to the centre that reaches the position's score; ABORTED at a limit."""
    cdef const Geometry* g = s.g
    cdef int[MAX_COLUMNS] columns
    cdef uint64_t playable = playable_squares(g, mask)
    cdef uint64_t move
    cdef Bounds child
    cdef int index, reached
    for index in range(columns_from_centre(g, columns)):
        move = playable & column_mask(g, columns[index])
        if move == 0:
            continue
        if not game_bounds(g, stones ^ mask, mask | move, &child):
            reached = kernel.test(
                s, stones ^ mask, mask | move, popcount(mask) + 1, &child, 1 - score
            )
            if reached == ABORTED:
                return ABORTED
        if -child.upper >= score:
            return columns[index]
    return ABORTED
