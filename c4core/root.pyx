"""Whole positions on the C side: solve one, score its columns, find a best move.

Here a position may be over, and what the kernel asks of its input is made sure. Words of stones as in
search.pyx: ``stones`` those of the side to move, ``mask`` those of both.
"""

from libc.string cimport memset

from c4core.board cimport (
    canonical_key,
    column_mask,
    has_four,
    playable_squares,
    popcount,
    winning_squares,
)
from c4core.kernel cimport ABORTED

cdef enum:
    MOST_COLUMNS = 32


cdef void start_search(
    Search* s, const Geometry* g, const Ordering* ordering, Table* table, const Limits* limits
) noexcept nogil:
    """A search that has visited nothing yet."""
    memset(s, 0, sizeof(Search))
    s.g = g
    s.ordering = ordering
    s.table = table
    s.epoch = limits.epoch
    s.started = limits.started
    s.timed = limits.timed
    s.deadline = limits.deadline
    s.node_limit = limits.node_limit
    s.budget = <uint64_t>-1


cdef bint _final(const Geometry* g, uint64_t stones, uint64_t mask, Bounds* bounds) noexcept nogil:
    """Whether the game is over; then the bounds are its result, else what the count allows."""
    cdef int ply = popcount(mask)
    if has_four(g, stones ^ mask):
        # The last stone won, when ply - 1 stones were on the board.
        bounds.lower = bounds.upper = -((g.cells + 2 - ply) >> 1)
        return True
    bounds.lower = -((g.cells - ply) >> 1)
    bounds.upper = (g.cells + 1 - ply) >> 1
    return ply == g.cells


cdef void solve_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, bint weak
) noexcept nogil:
    """Bounds on the score for the side to move; equal unless a limit was hit, or weak."""
    if not _final(s.g, stones, mask, bounds):
        kernel.solve(s, stones, mask, popcount(mask), bounds, weak)


cdef int _columns_from_centre(const Geometry* g, int* columns) noexcept nogil:
    """All columns, the middle one first, then alternating to its left and right."""
    cdef int index
    for index in range(g.width):
        columns[index] = (g.width - 1) // 2 + (
            (index + 1) // 2 if index & 1 else -(index // 2)
        )
    return g.width


cdef void analyze_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, int8_t* scores
) noexcept nogil:
    """The score of every column, or UNPLAYABLE, and the bounds on the position's own score.

    Columns whose moves lead to the same position or its mirror image are searched once.
    """
    cdef const Geometry* g = s.g
    cdef int[MOST_COLUMNS] columns
    cdef uint64_t[MOST_COLUMNS] keys
    cdef uint64_t playable, move, key
    cdef Bounds child
    cdef int index, twin, column, lower, upper
    memset(scores, UNPLAYABLE, g.width)
    if _final(g, stones, mask, bounds):
        return
    playable = playable_squares(g, mask)
    lower = upper = -g.cells
    for index in range(_columns_from_centre(g, columns)):
        column = columns[index]
        keys[index] = 0
        move = playable & column_mask(g, column)
        if move == 0:
            continue
        key = canonical_key(g, stones ^ mask, mask | move)
        keys[index] = key
        twin = 0
        while keys[twin] != key:
            twin += 1
        if twin < index:
            scores[column] = scores[columns[twin]]
            continue
        if not _final(g, stones ^ mask, mask | move, &child):
            if s.stopped:
                upper = max(upper, -child.lower)
                lower = max(lower, -child.upper)
                continue
            kernel.solve(s, stones ^ mask, mask | move, popcount(mask) + 1, &child, False)
        upper = max(upper, -child.lower)
        lower = max(lower, -child.upper)
        if child.lower == child.upper:
            scores[column] = -child.lower
    bounds.lower = max(bounds.lower, lower)
    bounds.upper = min(bounds.upper, upper)


cdef int principal_move(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, int score
) noexcept nogil:
    """The column nearest to the centre that reaches the position's score; ABORTED at a limit."""
    cdef const Geometry* g = s.g
    cdef int[MOST_COLUMNS] columns
    cdef uint64_t playable = playable_squares(g, mask)
    cdef uint64_t move
    cdef Bounds child
    cdef int index, reached
    for index in range(_columns_from_centre(g, columns)):
        move = playable & column_mask(g, columns[index])
        if move == 0:
            continue
        if not _final(g, stones ^ mask, mask | move, &child):
            reached = kernel.test(
                s, stones ^ mask, mask | move, popcount(mask) + 1, &child, 1 - score
            )
            if reached == ABORTED:
                return ABORTED
        if -child.upper >= score:
            return columns[index]
    return ABORTED
