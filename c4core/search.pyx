"""The search: null-window negamax over two words of stones.

For 7x6 (board.pyx has the general picture)::

     6 13 20 27 34 41 48    guard bits, always 0 in stones and mask
     5 12 19 26 33 40 47    top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45    own        stones of the side to move
     2  9 16 23 30 37 44    mask       stones of both sides
     1  8 15 22 29 36 43    own_wins   empty squares that make four for the side to move
     0  7 14 21 28 35 42    opp_wins   empty squares that make four for its opponent

Both maps of winning squares are handed down: a child's are its parent's, less the square played, and
those that the parent computed to judge the move. Each is so computed once for each child.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, uint64_t

from c4core cimport atomics
from c4core.board cimport (
    Geometry,
    canonical_key,
    playable_squares,
    position_key,
    winning_squares,
)
from c4core.kernel cimport ABORTED, Bounds, Kernel, Search
from c4core.ordering cimport (
    HISTORY_SHIFT,
    Windows,
    find_windows,
    history_decay,
    history_reward,
    move_value,
)
from c4core.table cimport (
    NO_BOUND,
    bucket_of,
    code_is_upper,
    code_score,
    lower_code,
    mixed_key,
    table_probe,
    table_store,
    upper_code,
)

cdef enum:
    POLL_NODES = 2048           # between two looks at the clock and the stop count: some 0.2 ms
    MIRROR_PLIES = 16           # up to here a position and its mirror image share an entry
    TABLE_EMPTIES = 8           # with fewer empty squares searching is cheaper than looking up
    MOST_COLUMNS = 32
    PROBE_BUDGET = 5000         # nodes for each of the first null windows (step 2 of solve) ..
    LATE_PROBE_BUDGET = 300     # .. and when fewer squares are empty than
    LATE_EMPTIES = 28


cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil


cdef inline void _schedule(Search* s) noexcept nogil:
    """Say when the limits are to be looked at next."""
    s.poll_at = min(s.nodes + POLL_NODES, s.node_limit, s.budget)


cdef bint _poll(Search* s) noexcept nogil:
    """Whether the search must end now."""
    if s.nodes >= s.node_limit or atomics.load(s.epoch) != s.started:
        s.stopped = True
    elif s.timed and atomics.now() >= s.deadline:
        s.stopped = True
    if s.stopped or s.nodes >= s.budget:
        return True
    _schedule(s)
    return False


cdef inline uint64_t _table_key(const Geometry* g, uint64_t own, uint64_t mask, int ply) noexcept nogil:
    """The mixed key; mirror images are one only where they meet often enough to pay for it."""
    return mixed_key(
        canonical_key(g, own, mask) if ply <= MIRROR_PLIES else position_key(g, own, mask)
    )


cdef int _search(
    Search* s, uint64_t own, uint64_t mask, uint64_t own_wins, uint64_t opp_wins, int ply, int beta
) noexcept nogil:
    """Whether the side to move scores at least ``beta``.

    Contract: returns r with r >= beta and score >= r, or r < beta and score <= r; or ABORTED, which
    is neither. The side to move must have no immediate win (no playable square in ``own_wins``), and
    somebody must be able to move.
    """
    cdef const Geometry* g = s.g
    cdef uint64_t playable, moves, forced, move, child_mask, wins, opp, mixed, mixed_child
    cdef uint64_t* bucket
    cdef uint64_t[MOST_COLUMNS] child_move
    cdef uint64_t[MOST_COLUMNS] child_wins
    cdef int32_t[MOST_COLUMNS] child_value
    cdef int32_t* history
    cdef Windows windows
    cdef uint64_t before = s.nodes
    cdef int count = 0, i, k, code, value, best, bound
    cdef bint use_table

    # Step 1. Count the node, look at the limits.
    s.nodes += 1
    if s.nodes >= s.poll_at and _poll(s):
        return ABORTED

    # Step 2. Moves that do not lose at once: block a threat, do not play under one.
    playable = playable_squares(g, mask)
    moves = playable & ~(opp_wins >> 1)
    forced = playable & opp_wins
    if forced:
        moves = moves & forced if forced & (forced - 1) == 0 else 0
    if moves == 0:
        return -((g.cells - ply) >> 1)

    # Step 3. Nobody wins with the last two stones: the mover has no win, its move allows none.
    if ply >= g.cells - 2:
        return 0

    # Step 4. Bounds from the number of stones: a win in three plies, a loss in four.
    bound = (g.cells - 1 - ply) >> 1
    if bound < beta:
        return bound
    bound = -((g.cells - 2 - ply) >> 1)
    if bound >= beta:
        return bound

    # Step 5. A single reply is played at once; the table would hold its child's bound twice.
    opp = own ^ mask
    if moves & (moves - 1) == 0:
        child_mask = mask | moves
        value = _search(
            s, opp, child_mask, opp_wins & ~moves,
            winning_squares(g, own | moves, child_mask), ply + 1, 1 - beta,
        )
        return value if value == ABORTED else -value

    # Step 6. Every child's threats. Where they leave the opponent no sound reply, the game is won.
    while moves:
        move = moves & (~moves + 1)
        moves ^= move
        child_mask = mask | move
        wins = winning_squares(g, own | move, child_mask)
        playable = playable_squares(g, child_mask)
        forced = playable & wins
        if (
            forced & (forced - 1) != 0
            or (forced if forced else playable) & ~(wins >> 1) == 0
        ):
            return (g.cells - 1 - ply) >> 1
        child_move[count] = move
        child_wins[count] = wins
        count += 1

    # Step 7. No win in three plies, so five at best.
    bound = (g.cells - 3 - ply) >> 1
    if bound < beta:
        return bound

    # Step 8. The table: this position's bound, then every child's. A child that cannot reach the
    # window is dropped, one that is known to be good ends the search here.
    use_table = g.cells - ply > TABLE_EMPTIES
    best = -g.cells
    mixed = 0
    bucket = NULL
    if use_table:
        mixed = _table_key(g, own, mask, ply)
        bucket = bucket_of(s.table, mixed)
        code = table_probe(bucket, mixed)
        if code != NO_BOUND:
            value = code_score(code)
            if code_is_upper(code):
                if value < beta:
                    return value
            elif value >= beta:
                return value
        k = 0
        for i in range(count):
            move = child_move[i]
            mixed_child = _table_key(g, opp, mask | move, ply + 1)
            code = table_probe(bucket_of(s.table, mixed_child), mixed_child)
            if code != NO_BOUND:
                value = -code_score(code)
                if code_is_upper(code):
                    if value >= beta:
                        return value
                elif value < beta:
                    if value > best:
                        best = value
                    continue
            child_move[k] = move
            child_wins[k] = child_wins[i]
            k += 1
        count = k

    # Step 9. Order the moves that are left (insertion sort: they are few).
    history = s.history[ply & 1]
    if count > 1:
        find_windows(&windows, g, own, mask)
        for i in range(count):
            move = child_move[i]
            wins = child_wins[i]
            k = __builtin_ctzll(move)
            value = move_value(s.ordering, &windows, ply & 1, k, wins) + (history[k] >> HISTORY_SHIFT)
            k = i
            while k > 0 and child_value[k - 1] < value:
                child_value[k] = child_value[k - 1]
                child_move[k] = child_move[k - 1]
                child_wins[k] = child_wins[k - 1]
                k -= 1
            child_value[k] = value
            child_move[k] = move
            child_wins[k] = wins

    # Step 10. Search them.
    for i in range(count):
        move = child_move[i]
        value = _search(
            s, opp, mask | move, opp_wins & ~move, child_wins[i], ply + 1, 1 - beta
        )
        if value == ABORTED:
            return ABORTED
        value = -value
        if value > best:
            best = value
            if value >= beta:
                history_reward(&history[__builtin_ctzll(move)])
                for k in range(i):
                    history_decay(&history[__builtin_ctzll(child_move[k])])
                break

    # Step 11. Remember what it came to.
    if use_table:
        table_store(
            bucket, mixed, lower_code(best) if best >= beta else upper_code(best), s.nodes - before
        )
    return best


cdef int _test(
    Search* s, uint64_t stones, uint64_t mask, int ply, Bounds* bounds, int beta
) noexcept nogil:
    """Whether the score is at least ``beta``; narrows the bounds. 1, 0 or ABORTED."""
    cdef const Geometry* g = s.g
    cdef uint64_t wins = winning_squares(g, stones, mask)
    cdef int value
    if wins & playable_squares(g, mask):
        bounds.lower = bounds.upper = (g.cells + 1 - ply) >> 1
        return bounds.lower >= beta
    _schedule(s)
    value = _search(s, stones, mask, wins, winning_squares(g, stones ^ mask, mask), ply, beta)
    if value == ABORTED:
        return ABORTED
    if value >= beta:
        bounds.lower = max(bounds.lower, value)
        return 1
    bounds.upper = min(bounds.upper, value)
    return 0


cdef void _solve(
    Search* s, uint64_t stones, uint64_t mask, int ply, Bounds* bounds, bint weak
) noexcept nogil:
    """Narrow the bounds until they meet, or until win, draw or loss is decided (weak), or a limit.

    Step 1. No immediate win, and the bounds that the number of stones gives.
    Step 2. From the outside in, with small budgets: a quick win or loss is found at the cost of its
            own short tree, as by deepening one ply at a time. Whatever is hard runs out of budget.
    Step 3. Win, draw or loss.
    Step 4. Steps of 1, 2, 4, .. away from the draw.
    """
    cdef const Geometry* g = s.g
    cdef uint64_t probe_budget = PROBE_BUDGET if g.cells - ply >= LATE_EMPTIES else LATE_PROBE_BUDGET
    cdef uint64_t unlimited = <uint64_t>-1
    cdef bint above = True, below = True
    cdef int step, beta, value

    # Step 1.
    if winning_squares(g, stones, mask) & playable_squares(g, mask):
        bounds.lower = bounds.upper = (g.cells + 1 - ply) >> 1
        return
    bounds.upper = min(bounds.upper, (g.cells - 1 - ply) >> 1)
    bounds.lower = max(bounds.lower, -((g.cells - ply) >> 1))

    # Step 2.
    if not weak:
        while bounds.lower < bounds.upper and (above or below):
            if above:
                above = bounds.upper > 0
            if above:
                s.budget = s.nodes + probe_budget
                above = _test(s, stones, mask, ply, bounds, bounds.upper) != ABORTED
            if below:
                below = bounds.lower < 0 and bounds.lower < bounds.upper
            if below:
                s.budget = s.nodes + probe_budget
                below = _test(s, stones, mask, ply, bounds, bounds.lower + 1) != ABORTED
            if s.stopped:
                return
    s.budget = unlimited

    # Step 3.
    if bounds.lower <= 0 < bounds.upper and _test(s, stones, mask, ply, bounds, 1) == ABORTED:
        return
    if bounds.lower < 0 <= bounds.upper and _test(s, stones, mask, ply, bounds, 0) == ABORTED:
        return
    if weak:
        return

    # Step 4.
    step = 1
    while bounds.lower < bounds.upper:
        if bounds.lower > 0:
            beta = min(bounds.lower + step, bounds.upper)
        else:
            beta = max(bounds.upper - step, bounds.lower) + 1
        step = 2 * step
        value = _test(s, stones, mask, ply, bounds, beta)
        if value == ABORTED:
            return
        if (value == 0) == (bounds.lower > 0):
            step = 1


cdef Kernel KERNEL
KERNEL.solve = _solve
KERNEL.test = _test


def kernel():
    """The kernel's functions, for kernel.pyx."""
    return PyCapsule_New(&KERNEL, b"c4core.Kernel", NULL)
