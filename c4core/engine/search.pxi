# The search: null-window negamax over two words of stones.
#
# For 7x6 (board.pxd has the general picture)::
#
#      6 13 20 27 34 41 48    guard bits, always 0 in stones and mask
#      5 12 19 26 33 40 47    top row
#      4 11 18 25 32 39 46
#      3 10 17 24 31 38 45    own        stones of the side to move
#      2  9 16 23 30 37 44    mask       stones of both sides
#      1  8 15 22 29 36 43    own_wins   empty squares that make four for the side to move
#      0  7 14 21 28 35 42    opp_wins   empty squares that make four for its opponent
#
# A child gets both sets of winning squares from its parent. Its own set is the parent's ``opp_wins``
# without the square played. The parent computed the opponent's set to judge the move. So only one of the
# two sets is computed for each child.

from libc.stdint cimport int8_t, int32_t

cdef enum:
    LATE_EMPTIES = 28           # with fewer empty squares most windows are cheap
    POLL_NODES = 2048           # nodes between polls of the limits: about 0.2 ms
    INTERRUPT_POLLS = 128       # polls between checks for signals: about 25 ms
    LEARNING_EMPTIES = 13       # with fewer empty squares patterns cost more than they save
    TABLE_EMPTIES = 6           # with fewer empty squares a search is cheaper than a lookup
    RANKS = WORD_COLUMNS        # a rank is a move's value times this, plus its place from the right
    TRIED = -(1 << 30)          # a rank below all others
    PROBE_BUDGET = 2500         # nodes for each of the first null windows (step 2 of solve)
    LATE_PROBE_BUDGET = 300     # the same, with fewer than LATE_EMPTIES squares empty
    SIGN_BUDGET = 150

cdef struct BoardMemory
cdef struct ThreadMemory
cdef struct Worker

# One search: one thread, one position. Plain memory; no other thread writes to it.
cdef struct Search:
    Run run                         # the part for the caller; first, so that both have one address
    const Board* g
    const OrderNetwork* network     # or NULL
    Table* table
    ThreadMemory* memory            # not shared while the search runs
    BoardMemory* board              # where the memory is returned
    bint related                    # the table has bounds of close relatives of the position
    # Limits
    const uint64_t* epoch           # the solver's count of stop() calls
    uint64_t started                # its value when this search began
    bint timed                      # whether there is a deadline
    double deadline                 # on the clock of atomics.now()
    Interrupted interrupted         # or NULL
    Worker* worker                  # of a search by several (together.pxi), or NULL
    uint64_t version                # of the root's bounds when the running null window began
    # Bookkeeping
    uint64_t* searched              # nodes of all searches of the solver, up to their last polls; atomic
    uint64_t told                   # nodes of this search that are included there
    uint64_t budget                 # nodes at which the running null window gives up
    uint64_t poll_at                # nodes at which the limits are polled next
    uint64_t polls                  # how often they have been polled
    int32_t history[2][WORD_BITS]     # [side to move][square]
    int last_asked                  # the network is used with at most this many stones; -1: never
    bint thorough                   # use the network in short windows, too: for samples
    # Uses the network. If it were inlined, its lists would be part of every node's stack frame.
    void (*look)(Search* s, const Choice* choice, int32_t* rank) noexcept nogil
    # Called with every choice up to last_asked, before the network is used (samples.pyx); or NULL.
    void (*watch)(Search* s, const Choice* choice, const int32_t* rank) noexcept nogil
    void* watcher                   # data of watch

# The memory that a thread keeps between searches of a board. Nine of ten nodes have fewer than
# LATE_TABLE_EMPTIES empty squares, and their bounds are cheap to find again. With a table that fits the
# second-level cache of a core, a node takes a fifth less time than with the large table, which threads share
# (docs/engine-log.md). So these positions never enter the large table, and threads do not share their bounds.
cdef struct ThreadMemory:
    ThreadMemory* next      # the next idle memory
    History* history
    Table late              # bounds of positions with fewer than LATE_TABLE_EMPTIES empty squares
    Search search           # the search that uses it

# Shared by the searches of one board.
cdef struct BoardMemory:
    const Board* g
    const OrderNetwork* network     # or NULL
    Table table                     # positions with LATE_TABLE_EMPTIES empty squares or more
    ThreadMemory* idle              # memories without a search; the interpreter lock guards them


cdef inline void _schedule(Search* s) noexcept nogil:
    """Set the number of nodes at which the limits are polled next."""
    s.poll_at = min(s.run.nodes + POLL_NODES, s.run.node_limit, s.budget)


cdef bint _poll(Search* s) noexcept nogil:
    """Poll the limits. Return whether the search must end now."""
    atomics.add(s.searched, s.run.nodes - s.told)
    s.told = s.run.nodes
    if s.run.nodes >= s.run.node_limit or atomics.load(s.epoch) != s.started:
        s.run.stopped = True
    elif s.timed and atomics.now() >= s.deadline:
        s.run.stopped = True
    elif s.interrupted != NULL and s.polls % INTERRUPT_POLLS == INTERRUPT_POLLS - 1:
        s.run.stopped = s.interrupted()
    s.polls += 1
    if s.run.stopped or s.run.nodes >= s.budget:
        return True
    _schedule(s)
    return s.worker != NULL and _look_around(s)


cdef inline word_t _wins(const Search* s, word_t stones, word_t mask) noexcept nogil:
    """Return the empty squares, playable or not, that would complete four in a row for the stones."""
    return completions(&s.g.steps, stones) & s.g.squares & ~mask


cdef inline Table* _table_at(const Search* s, int ply) noexcept nogil:
    """Return the table for positions with ``ply`` stones."""
    return &s.memory.late if s.g.cells - ply < LATE_TABLE_EMPTIES else s.table


cdef inline int _best_left(int32_t* rank, int count) noexcept nogil:
    """Return the index of the move with the highest rank, the leftmost of equals; mark it as tried."""
    cdef int32_t best = rank[0]
    cdef int i
    for i in range(1, count):
        best = max(best, rank[i])
    i = RANKS - 1 - (best & (RANKS - 1))
    rank[i] = TRIED
    return i


cdef inline void _remember(
    Search* s, word_t own, word_t opp, int last, int ply, const int8_t* tried, int cut
) noexcept nogil:
    """Update the histories after a cutoff.

    ``tried`` are the squares of the moves tried, in order; the move with the index ``cut`` has cut.
    """
    cdef int side = ply & 1
    cdef int32_t* history = s.history[side]
    cdef int i
    history_reward(&history[tried[cut]])
    for i in range(cut):
        history_decay(&history[tried[i]])
    if s.g.cells - ply < LEARNING_EMPTIES:
        return
    learn(s.memory.history, own, opp, side, last, tried[cut], LEARNED_LIMIT)
    for i in range(cut):
        learn(s.memory.history, own, opp, side, last, tried[i], -LEARNED_LIMIT)


cdef void _look_ahead(Search* s, const Choice* choice, int32_t* rank) noexcept nogil:
    """Add the network's points to the ranks."""
    if s.watch != NULL:
        s.watch(s, choice, rank)
    if s.network != NULL:
        add_network_points(s.network, choice, rank, RANKS)


cdef int _search(
    Search* s, word_t own, word_t mask, word_t own_wins, word_t opp_wins, int last, int ply,
    int beta
) noexcept nogil:
    """Search a null window: does the side to move score at least ``beta``?

    Contract: returns r with r >= beta and score >= r, or r < beta and score <= r; or ABORTED, which
    is neither. The side to move must have no immediate win (no playable square in ``own_wins``), and
    the board must not be full. ``last`` is the square played last.
    """
    cdef const Board* g = s.g
    cdef word_t playable, moves, forced, move, child_mask, wins, opp, mixed, mixed_child
    cdef word_t* bucket
    cdef word_t[WORD_COLUMNS] child_move
    cdef word_t[WORD_COLUMNS] child_wins
    cdef word_t[WORD_COLUMNS] child_key
    cdef int32_t[WORD_COLUMNS] child_rank
    cdef int8_t[WORD_COLUMNS] tried
    cdef Table* table
    cdef Table* child_table
    cdef uint64_t before = s.run.nodes
    cdef int count = 0, i, k, value, best, bound
    cdef word_t key, mirrored, mirrored_opp = 0, mirrored_mask = 0
    cdef bint use_table, mirroring
    cdef Parity parity
    cdef word_t even, odd, column
    cdef int left
    cdef Choice choice

    # Step 1. Poll the limits and count the node.
    if s.run.nodes >= s.poll_at and _poll(s):
        return ABORTED
    s.run.nodes += 1

    # Step 2. Find the moves that do not lose at once: block a threat, do not play under one.
    playable = playable_squares(g, mask)
    moves = playable & ~(opp_wins >> 1)
    forced = playable & opp_wins
    if forced:
        moves = moves & forced if forced & (forced - 1) == 0 else 0
    if moves == 0:
        return -((g.cells - ply) >> 1)

    # Step 3. Nobody wins with the last two stones: the mover has no win, and its move allows none.
    if ply >= g.cells - 2:
        return 0

    # Step 4. Bounds from the number of stones: at best a win in three plies, at worst a loss in four.
    bound = (g.cells - 1 - ply) >> 1
    if bound < beta:
        return bound
    bound = -((g.cells - 2 - ply) >> 1)
    if bound >= beta:
        return bound

    # Step 5. Play a single move at once. Its own table entry would repeat the child's.
    opp = own ^ mask
    if moves & (moves - 1) == 0:
        child_mask = mask | moves
        wins = _wins(s, own | moves, child_mask)
        parity.own = opp
        parity.first = child_mask + g.bottom
        parity.even = even_offsets(s.g, child_mask)
        parity.odd = g.squares & ~child_mask & ~parity.even
        parity.wins = wins
        bound = upper_bound(s.g, &parity, moves_to_beat(g, ply + 1, -beta), -beta)
        if bound != NOT_PROVEN:
            return -bound
        if s.worker != NULL and g.cells - ply >= SPLIT_EMPTIES:
            return s.worker.only_move(s, own, mask, moves, opp_wins & ~moves, wins, ply, beta)
        value = _search(
            s, opp, child_mask, opp_wins & ~moves, wins, lowest_bit(moves), ply + 1, 1 - beta
        )
        return value if value == ABORTED else -value

    use_table = g.cells - ply > TABLE_EMPTIES
    table = _table_at(s, ply)
    child_table = _table_at(s, ply + 1)

    mirroring = use_table and ply < MIRROR_PLIES
    if mirroring:
        mirrored_opp = mirror_bits(g, opp)
        mirrored_mask = mirror_bits(g, mask)

    # Step 6. Compute every child's threats. If they leave the opponent no sound reply, the game is won.
    while moves:
        move = moves & (~moves + 1)
        moves ^= move
        child_mask = mask | move
        wins = _wins(s, own | move, child_mask)
        playable = playable_squares(g, child_mask)
        forced = playable & wins
        if (
            forced & (forced - 1) != 0
            or (forced if forced else playable) & ~(wins >> 1) == 0
        ):
            return (g.cells - 1 - ply) >> 1
        if use_table:
            key = position_key(g, opp, child_mask)
            if mirroring:
                mirrored = <word_t>1 << g.mirror[lowest_bit(move)]
                key = min(key, position_key(g, mirrored_opp, mirrored_mask | mirrored))
            mixed = mixed_key(key)
            child_key[count] = mixed
            atomics.prefetch(bucket_of(child_table, mixed))
        child_move[count] = move
        child_wins[count] = wins
        count += 1

    # Step 7. A win in three plies is impossible, so a win takes at least five. Then try static bounds on
    # every child. A child differs from this position in one column, where even and odd offsets are swapped.
    bound = (g.cells - 3 - ply) >> 1
    if bound < beta:
        return bound

    even = even_offsets(s.g, mask)
    odd = g.squares & ~mask & ~even
    left = moves_to_beat(g, ply + 1, -beta)
    parity.own = opp
    for i in range(count):
        move = child_move[i]
        column = upwards(s.g, move)
        parity.first = (mask | move) + g.bottom
        parity.even = (even & ~column) | (odd & column)
        parity.odd = (odd & ~column) | (even & column & ~move)
        parity.wins = child_wins[i]
        bound = upper_bound(s.g, &parity, left, -beta)
        if bound != NOT_PROVEN:
            return -bound

    # Step 8. Probe the table for this position, then for every child. A move that is known to stay below
    # beta is dropped; one that is known to reach it ends the search here.
    best = -g.cells
    mixed = 0
    bucket = NULL
    if use_table:
        mixed = table_key(g, own, mask, ply)
        bucket = bucket_of(table, mixed)
        value = table_bound(bucket, mixed, beta)
        if value != NOT_PROVEN:
            return value
        k = 0
        for i in range(count):
            move = child_move[i]
            mixed_child = child_key[i]
            value = table_bound(bucket_of(child_table, mixed_child), mixed_child, 1 - beta)
            if value != NOT_PROVEN:
                value = -value
                if value >= beta:
                    return value
                if value > best:
                    best = value
                continue
            child_move[k] = move
            child_wins[k] = child_wins[i]
            k += 1
        count = k

    # Step 9. Rate the remaining moves.
    child_rank[0] = RANKS - 1
    if count > 1:
        for i in range(count):
            k = lowest_bit(child_move[i])
            value = move_value(g, ply & 1, k, child_wins[i]) + (s.history[ply & 1][k] >> HISTORY_SHIFT)
            if g.cells - ply >= LEARNING_EMPTIES:
                value += pattern_value(s.memory.history, own, opp, ply & 1, ply, last, k)
            child_rank[i] = value * RANKS + (RANKS - 1 - i)
        if ply <= s.last_asked:
            choice.own = own
            choice.mask = mask
            choice.own_wins = own_wins
            choice.opp_wins = opp_wins
            choice.last = last
            choice.ply = ply
            choice.beta = beta
            choice.count = count
            choice.moves = child_move
            choice.wins = child_wins
            s.look(s, &choice, child_rank)

    # Step 10. Search them, the best one first. It usually cuts, so sorting all of them would not pay.
    if s.worker != NULL and g.cells - ply >= SPLIT_EMPTIES:
        return s.worker.moves(
            s, own, mask, opp_wins, last, ply, beta, best, count, child_move, child_wins, child_rank,
            mixed, before
        )
    for i in range(count):
        k = _best_left(child_rank, count)
        move = child_move[k]
        tried[i] = <int8_t>lowest_bit(move)
        value = _search(
            s, opp, mask | move, opp_wins & ~move, child_wins[k], tried[i], ply + 1, 1 - beta
        )
        if value == ABORTED:
            return ABORTED
        value = -value
        if value > best:
            best = value
            if value >= beta:
                if count > 1:
                    _remember(s, own, opp, last, ply, tried, i)
                break

    # Step 11. Store the bound.
    if use_table:
        table_store(
            bucket, mixed, lower_code(best) if best >= beta else upper_code(best), s.run.nodes - before
        )
    return best


cdef int _test(
    Search* s, word_t stones, word_t mask, int ply, Bounds* bounds, int beta
) noexcept nogil:
    """Return whether the score is at least ``beta`` (1 or 0), or ABORTED or BUSY. Narrow the bounds."""
    cdef const Board* g = s.g
    cdef word_t wins = _wins(s, stones, mask)
    cdef int value
    if wins & playable_squares(g, mask):
        bounds.lower = bounds.upper = (g.cells + 1 - ply) >> 1
        return bounds.lower >= beta
    _schedule(s)
    s.look = _look_ahead
    # The last move is unknown. The lowest guard bit, which never has a stone, stands for it.
    value = _search(s, stones, mask, wins, _wins(s, stones ^ mask, mask), g.height, ply, beta)
    if value <= BUSY:
        return value
    if value >= beta:
        bounds.lower = max(bounds.lower, value)
    else:
        bounds.upper = min(bounds.upper, value)
    if s.run.proven != NULL:
        atomics.store(s.run.proven, team_bounds(bounds.lower, bounds.upper))
    return value >= beta


cdef void _probe(Search* s, word_t stones, word_t mask, int ply, Bounds* bounds) noexcept nogil:
    """Try null windows with small budgets, from the outside in.

    A quick win or loss costs only its own short tree, as with iterative deepening; a hard window runs
    out of budget. Late in the game the sign of the score is cheap to find, and makes the windows on the
    wrong side of 0 unnecessary. If the sign is not cheap, quick wins and losses do not exist either.
    """
    cdef int empties = s.g.cells - ply, last_asked = s.last_asked
    cdef uint64_t budget = PROBE_BUDGET if empties >= LATE_EMPTIES else LATE_PROBE_BUDGET
    cdef bint above = True, below = True
    # In such small trees the network takes more time than it saves.
    if not s.thorough:
        s.last_asked = -1
    if empties < LATE_EMPTIES:
        if bounds.lower <= 0 < bounds.upper:
            s.budget = s.run.nodes + SIGN_BUDGET
            _test(s, stones, mask, ply, bounds, 1)
        if bounds.lower < 0 <= bounds.upper and not s.run.stopped:
            s.budget = s.run.nodes + SIGN_BUDGET
            _test(s, stones, mask, ply, bounds, 0)
        above = below = decided(bounds, True)
    while (above or below) and not s.run.stopped:
        above = above and bounds.upper > max(bounds.lower, 0)
        if above:
            s.budget = s.run.nodes + budget
            above = _test(s, stones, mask, ply, bounds, bounds.upper) != ABORTED
        below = below and bounds.lower < min(bounds.upper, 0) and not s.run.stopped
        if below:
            s.budget = s.run.nodes + budget
            below = _test(s, stones, mask, ply, bounds, bounds.lower + 1) != ABORTED
    s.last_asked = last_asked


cdef bint _start(Search* s, word_t stones, word_t mask, int ply, Bounds* bounds) noexcept nogil:
    """Take an immediate win and return True, or else the bounds that follow from the number of stones."""
    if _wins(s, stones, mask) & playable_squares(s.g, mask):
        bounds.lower = bounds.upper = (s.g.cells + 1 - ply) >> 1
        return True
    bounds.upper = min(bounds.upper, (s.g.cells - 1 - ply) >> 1)
    bounds.lower = max(bounds.lower, -((s.g.cells - ply) >> 1))
    return False


cdef inline int _next_window(const Bounds* bounds) noexcept nogil:
    """Return the next beta: win, draw or loss, then one score at a time away from the draw."""
    if bounds.lower <= 0 < bounds.upper:
        return 1
    if bounds.lower < 0 <= bounds.upper:
        return 0
    return bounds.lower + 1 if bounds.lower > 0 else bounds.upper


cdef void _solve(
    Search* s, word_t stones, word_t mask, int ply, Bounds* bounds, bint weak, int guess
) noexcept nogil:
    """Narrow the bounds until they meet, until win, draw or loss is decided (weak), or until a limit.

    Step 1. Take an immediate win, or else the bounds that follow from the number of stones.
    Step 2. Probe for a quick win or loss with small budgets. Skip this if relatives of the position are in
        the table: it decides easy windows quickly anyway, and hard windows would waste the budgets.
    Step 3. Put the first window at the guess; without a guess, decide between win, draw and loss.
    Step 4. Move the window by one score at a time, because step 2 has found far scores.
    """
    cdef int beta, found

    # Step 1.
    if _start(s, stones, mask, ply, bounds):
        return

    # Step 2.
    if not weak and not s.related:
        _probe(s, stones, mask, ply, bounds)
    s.budget = <uint64_t>-1

    while not s.run.stopped and not decided(bounds, weak):
        # Steps 3 and 4.
        if guess != NO_SCORE:
            beta = min(max(guess, bounds.lower + 1), bounds.upper)
        else:
            beta = _next_window(bounds)
        found = _test(s, stones, mask, ply, bounds, beta)
        if found != ABORTED and guess != NO_SCORE:
            # Move on by one score, in the direction of the result.
            guess = bounds.lower + 1 if found else bounds.upper
