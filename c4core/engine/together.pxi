# Several workers search one position together: a young brothers wait search without masters.
#
# All workers run the search of search.pxi from the root, with one transposition table. The registry
# (registry.pxd) tells them which positions they share::
#
#     root                        split: it has cost many nodes
#     +- 1st move                 decided: its bound is in the table
#     +- 2nd move                 split
#     |  +- 1st reply             claimed by worker 1, who searches it alone
#     |  +- 2nd reply             free: worker 2 takes it if it is probably needed
#     +- 3rd move                 free
#
# **Split.** A worker that has spent many nodes on a position splits it at its next poll and goes on: nothing is
# aborted, and no position is split that turns out to be easy. The others can then enter it.
#
# **Choose.** In a split position a worker skips the moves that others have claimed. It takes the next move only
# if this is probably *needed*: none of the skipped moves, here and above, must cut. It begins again at the
# root, less demanding each time, until it finds a move. In every position it tries the free moves before the
# split ones, so it takes the highest, largest piece, and it stays there until that piece is decided.
#
# **Estimate.** Each time a reply fails, the move above it is more likely to cut. At its polls a worker carries
# such news up its path, and notes in the registry how likely it is that a move of each split position cuts.
#
# **Leave.** At its polls a worker looks up the split positions that it is in. If one of them is decided, it
# continues there. It also gives up a move that another process has claimed at the same moment.
#
# A move that no worker may take now is BUSY; so is a position whose remaining moves are busy.

from libc.math cimport pow

cimport c4core.engine.registry as registry
from c4core.engine.registry cimport CLAIM, FIRST_PROCESS, IS_SPLIT, ROOT_BOUNDS, Registry

cdef enum:
    SPLIT_EMPTIES = 24              # with fewer empty squares a position is not split
    LEAST_SPLIT_NODES = 4096        # a position that has cost fewer nodes is not split (threads of a process)
    SPLIT_SHARE = 300               # nor one that has cost less than this part of a worker's nodes so far
    POSTED_SHARE = 60               # bounds that cost this part of a split are for other processes, too,
    MOST_POSTED_NODES = 1 << 20     # and all bounds that cost this
    WAIT_TURNS = 100                # of 50 microseconds each

# Probabilities that a move, or another window of the root, is needed.
cdef double FIRST_LEAST = 0.98      # for a move in a worker's first look from the root,
cdef double LAST_LEAST = 0.015      # and in its last
cdef double NEXT_WINDOW = 0.08
cdef double TRUST = 0.5             # the part that news from further down has in an estimate
cdef double LESS_DEMANDING = 1.15   # each look raises the least probability to this power

# A position between the root and the present node.
cdef struct Frame:
    word_t key              # the mixed key
    word_t child            # of the move that is being searched, or 0
    int beta
    int ply
    uint64_t before         # the worker's nodes when it entered
    bint is_split
    bint has_claim          # whether it has claimed the move that is being searched
    double cuts             # the probability that this move cuts, when its search began,
    double others_fail      # and that none of the other moves cuts

cdef struct Worker:
    Registry* registry
    # Functions of this file. If they were inlined, their lists would be part of every node's stack frame.
    int (*only_move)(
        Search* s, word_t own, word_t mask, word_t move, word_t own_wins, word_t opp_wins, int ply, int beta
    ) noexcept nogil
    int (*moves)(
        Search* s, word_t own, word_t mask, word_t opp_wins, int last, int ply, int beta, int best,
        int count, const word_t* moves, const word_t* wins, int32_t* rank, word_t mixed, uint64_t before
    ) noexcept nogil
    uint64_t number         # the first is 1
    uint64_t decided        # the registry's count at the last look
    uint64_t lost           # the registry's count at the last look
    uint64_t told           # nodes that are included in the registry's
    uint64_t repeats        # the registry's count at the last look
    uint64_t split_nodes    # nodes after which a position is split
    uint64_t posted_nodes   # nodes from which on a bound is for other processes, too
    double least            # a move is taken if the probability that it is needed is at least this,
    double needed           # for the position that is entered next
    double cut              # the probability that one of this position's moves cuts
    int depth               # of path
    int unwind              # the level of path to which the search returns, or -1
    Frame[WORD_BITS] path


cdef inline uint64_t _name(word_t mixed, int beta) noexcept nogil:
    """Return the name of a question; never 0."""
    return (
        top_bits(mixed) ^ low_half(mixed) * <uint64_t>0xC2B2AE3D27D4EB4F
        ^ <uint64_t>(beta + 128) * <uint64_t>0x165667B19E3779F9
    ) | 1


cdef inline double _cut_chance(int failed) noexcept nogil:
    """Return the probability that the next move cuts if one of the remaining moves does."""
    return 0.65 if failed == 0 else 0.55 if failed == 1 else 0.5


cdef inline double _after_failure(double cut, int failed) noexcept nogil:
    """Return the probability that a later move cuts, if the next one does not."""
    cdef double step = cut * _cut_chance(failed)
    return (cut - step) / (1 - step)


cdef inline int _decided_bound(Search* s, const Frame* f) noexcept nogil:
    return table_bound(bucket_of(_table_at(s, f.ply), f.key), f.key, f.beta)


cdef inline Frame* _enter(Search* s, word_t mixed, int beta, int ply, uint64_t before) noexcept nogil:
    cdef Worker* w = s.worker
    cdef Frame* f = &w.path[w.depth]
    w.depth += 1
    f.key = mixed
    f.child = 0
    f.beta = beta
    f.ply = ply
    f.before = before
    # Where the position above is not split, the next poll is early enough. Most lookups would miss the cache.
    f.is_split = (w.depth == 1 or (f - 1).is_split) and registry.is_split(w.registry, _name(mixed, beta))
    f.has_claim = False
    f.others_fail = 1
    return f


cdef void _keep(Search* s, word_t mixed, int beta, int ply, int value, uint64_t nodes, bint is_split) noexcept nogil:
    """Store a bound. If the position is split, tell the others."""
    cdef TableBound bound
    if is_split:
        nodes = max(nodes, s.worker.split_nodes)    # this worker may have done a small part of it
    table_store(
        bucket_of(_table_at(s, ply), mixed), mixed,
        lower_code(value) if value >= beta else upper_code(value), nodes,
    )
    if s.worker.registry.outbox != NULL and nodes >= s.worker.posted_nodes:
        bound.key[0] = low_half(unmixed_key(mixed))
        bound.key[1] = high_half(unmixed_key(mixed))
        bound.score = <int8_t>value
        bound.is_upper = value < beta
        bound.log_nodes = work_of(nodes)
        registry.post_bound(s.worker.registry, &bound)
    if is_split:
        registry.forget(s.worker.registry, _name(mixed, beta))


cdef int _leave(Search* s, const Frame* f, int level, int value) noexcept nogil:
    """End the search of a position. After an abort that was meant to end here, return its bound."""
    cdef Worker* w = s.worker
    w.depth = level
    if value == ABORTED and w.unwind == level:
        w.unwind = -1
        value = _decided_bound(s, f)
        return ABORTED if value == NOT_PROVEN else value
    return value


cdef inline bint _has_lost(Search* s, const Frame* f, uint64_t name) noexcept nogil:
    """Return whether another process has the claim of a move, which has the name."""
    cdef uint64_t state = registry.question_state(s.worker.registry, name)
    return f.has_claim and state >= FIRST_PROCESS * CLAIM and not state & IS_SPLIT


cdef int _search_move(
    Search* s, Frame* f, word_t opp, word_t move, word_t child_mask, word_t own_wins, word_t opp_wins,
    word_t child, double needed, double cut
) noexcept nogil:
    """Search a move of a position, with a claim if the position is split. The value is the child's."""
    cdef Worker* w = s.worker
    cdef uint64_t before = s.run.nodes, name = _name(child, 1 - f.beta)
    cdef bint is_split = False
    cdef int value
    if f.is_split:
        is_split = registry.is_split(w.registry, name)
        if not is_split:
            if not registry.claim(w.registry, name, w.number):
                return BUSY
            f.has_claim = True
    f.child = child
    f.cuts = 1 - cut
    w.needed = needed
    w.cut = cut
    value = _search(s, opp, child_mask, own_wins, opp_wins, lowest_bit(move), f.ply + 1, 1 - f.beta)
    f.child = 0
    if value == ABORTED and f - &w.path[0] == w.unwind and _has_lost(s, f, name):
        w.unwind = -1
        value = BUSY
    # A search can end without storing the bound of its position, which other workers inside look up.
    if value > BUSY and (f.is_split or is_split):
        _keep(s, child, 1 - f.beta, f.ply + 1, value, s.run.nodes - before, True)
    elif f.has_claim:
        registry.release(w.registry, name, w.number)
    f.has_claim = False
    return value


cdef int _search_only_move(
    Search* s, word_t own, word_t mask, word_t move, word_t own_wins, word_t opp_wins, int ply, int beta
) noexcept nogil:
    """Do step 5 of a search where positions may be split."""
    cdef word_t mixed = table_key(s.g, own, mask, ply)
    cdef word_t child = table_key(s.g, own ^ mask, mask | move, ply + 1)
    cdef int level = s.worker.depth
    cdef Frame* f = _enter(s, mixed, beta, ply, s.run.nodes)
    cdef int value = _decided_bound(s, f) if f.is_split else NOT_PROVEN
    cdef uint64_t state
    if value == NOT_PROVEN:
        state = registry.question_state(s.worker.registry, _name(child, 1 - beta)) if f.is_split else 0
        if state >= CLAIM and not state & IS_SPLIT:
            value = BUSY
        else:
            value = _search_move(
                s, f, own ^ mask, move, mask | move, own_wins, opp_wins, child, s.worker.needed,
                1 - s.worker.cut
            )
        if value > BUSY:
            value = -value
            if f.is_split:
                _keep(s, mixed, beta, ply, value, s.run.nodes - f.before, True)
    return _leave(s, f, level, value)


cdef double _fail_chance(
    Search* s, word_t opp, word_t mask, int count, const word_t* moves, const int* order, int left_out,
    double cut, int failed, const Frame* f
) noexcept nogil:
    """Return the probability that none of a split position's moves cuts, apart from ``left_out``."""
    cdef Registry* r = s.worker.registry
    cdef double none = 1, step
    cdef uint64_t name
    cdef int i, k
    for i in range(count):
        k = order[i]
        if k < 0:
            continue
        name = _name(table_key(s.g, opp, mask | moves[k], f.ply + 1), 1 - f.beta)
        if k == left_out or registry.question_state(r, name):
            step = cut * _cut_chance(failed)
            cut = _after_failure(cut, failed)
            if k != left_out:
                none *= registry.cut_chance(r, name, 1 - step)
        failed += 1
    return none * (1 - cut)


cdef int _search_together(
    Search* s, word_t own, word_t mask, word_t opp_wins, int last, int ply, int beta, int best,
    int count, const word_t* moves, const word_t* wins, int32_t* rank, word_t mixed, uint64_t before
) noexcept nogil:
    """Do steps 10 and 11 where positions may be split.

    Args:
        best: the largest bound of the moves that step 8 has dropped.
        count: the number of remaining moves; it may be 0.
        moves, wins: these moves, and the winning squares after each.
        rank: the ranks of the moves; the highest is tried first.
        mixed: this position's key in the table.
        before: the number of nodes when the search entered this position.
    """
    cdef Worker* w = s.worker
    cdef Registry* r = w.registry
    cdef word_t opp = own ^ mask
    cdef word_t child
    cdef int level = w.depth
    cdef double needed = w.needed, cut = w.cut, likely, chance, step
    cdef int8_t[WORD_COLUMNS] tried
    cdef int[WORD_COLUMNS] order
    cdef int turn, i, k, value, done = 0
    cdef int dropped = popcount(playable_squares(s.g, mask) & ~(opp_wins >> 1)) - count
    cdef int failed = 0, earlier
    cdef uint64_t name, state
    cdef Frame* f = _enter(s, mixed, beta, ply, before)
    while failed < dropped:
        cut = _after_failure(cut, failed)
        failed += 1
    for i in range(count):
        order[i] = _best_left(rank, count)
    # In a split position the first turn is for the moves that nobody has begun.
    for turn in range(0 if f.is_split else 1, 2):
        likely = needed
        chance = cut
        earlier = failed
        for i in range(count):
            k = order[i]
            if k < 0:
                continue
            if f.is_split:
                value = _decided_bound(s, f)
                if value != NOT_PROVEN:
                    return _leave(s, f, level, value)
            child = table_key(s.g, opp, mask | moves[k], ply + 1)
            name = _name(child, 1 - beta)
            step = chance * _cut_chance(earlier)
            chance = _after_failure(chance, earlier)
            value = table_bound(bucket_of(_table_at(s, ply + 1), child), child, 1 - beta)
            if value == NOT_PROVEN:
                if likely < w.least:
                    break
                state = registry.question_state(r, name) if f.is_split else 0
                if (turn == 0 and state) or (state >= CLAIM and not state & IS_SPLIT):
                    value = BUSY
                else:
                    f.others_fail = 1 - chance
                    if f.is_split:
                        f.others_fail = _fail_chance(s, opp, mask, count, moves, order, k, cut, failed, f)
                    value = _search_move(
                        s, f, opp, moves[k], mask | moves[k], opp_wins & ~moves[k], wins[k], child,
                        likely, 1 - step
                    )
            if value == ABORTED:
                return _leave(s, f, level, ABORTED)
            earlier += 1
            if value == BUSY:
                likely *= TRUST * registry.cut_chance(r, name, 1 - step) + (1 - TRUST) * (1 - step)
                continue
            tried[done] = <int8_t>lowest_bit(moves[k])
            best = max(best, -value)
            if best >= beta:
                if count > 1:
                    _remember(s, own, opp, last, ply, tried, done)
                _keep(s, mixed, beta, ply, best, s.run.nodes - before, f.is_split)
                return _leave(s, f, level, best)
            done += 1
            order[i] = -1
            cut = _after_failure(cut, failed)
            failed += 1
        if done == count:
            _keep(s, mixed, beta, ply, best, s.run.nodes - before, f.is_split)
            return _leave(s, f, level, best)
    if f.is_split:
        chance = _fail_chance(s, opp, mask, count, moves, order, -1, cut, failed, f)
        registry.set_cut_chance(r, _name(mixed, beta), 1 - chance)
    return _leave(s, f, level, BUSY)


cdef inline void _set_shares(Worker* w, uint64_t split_nodes) noexcept nogil:
    w.split_nodes = max(split_nodes, w.registry.least_split)
    w.posted_nodes = max(min(w.split_nodes // POSTED_SHARE, <uint64_t>MOST_POSTED_NODES), w.registry.least_posted)


cdef void _repeat(const Worker* w) noexcept nogil:
    """Repeat the splits and the claims of this worker, for processes that have missed them."""
    cdef const Frame* f
    cdef int level
    for level in range(w.depth):
        f = &w.path[level]
        if f.is_split:
            registry.post(w.registry, _name(f.key, f.beta), IS_SPLIT)
        if f.has_claim:
            registry.post(w.registry, _name(f.child, 1 - f.beta), CLAIM)


cdef void _note_chances(Worker* w) noexcept nogil:
    """Note how likely it is that a move of each position on the path cuts, from the last position up."""
    cdef const Frame* f
    cdef double fails, cut = -1
    cdef int level
    for level in range(w.depth - 1, -1, -1):
        f = &w.path[level]
        if f.child == 0:
            continue            # the last one, between two moves
        fails = 1 - f.cuts if cut < 0 else cut
        cut = 1 - fails * f.others_fail
        if f.is_split or (level > 0 and w.path[level - 1].has_claim):
            registry.set_cut_chance(w.registry, _name(f.key, f.beta), cut)


cdef bint _look_around(Search* s) noexcept nogil:
    """Split positions, and look for decided ones. Return whether the worker must leave its position."""
    cdef Worker* w = s.worker
    cdef Registry* r = w.registry
    cdef Frame* f
    cdef uint64_t nodes, workers, name
    cdef int level
    if r.pause != NULL:
        r.pause(<int>w.number, s.run.nodes, False)
    nodes = atomics.add(&r.nodes, s.run.nodes - w.told)
    w.told = s.run.nodes
    if atomics.load(&r.version) != s.version:
        return True
    if atomics.load(&r.decided) != w.decided:
        w.decided = atomics.load(&r.decided)
        for level in range(w.depth):
            if w.path[level].is_split and _decided_bound(s, &w.path[level]) != NOT_PROVEN:
                w.unwind = level
                return True
    if atomics.load(&r.lost) != w.lost:
        w.lost = atomics.load(&r.lost)
        for level in range(w.depth):
            f = &w.path[level]
            if f.child and _has_lost(s, f, _name(f.child, 1 - f.beta)):
                w.unwind = level
                return True
    _note_chances(w)
    nodes += atomics.load(&r.other_nodes)
    workers = atomics.load(&r.workers) + atomics.load(&r.other_workers)
    _set_shares(w, nodes // (SPLIT_SHARE * workers))
    if atomics.load(&r.repeats) != w.repeats:
        w.repeats = atomics.load(&r.repeats)
        _repeat(w)
    for level in range(w.depth):
        f = &w.path[level]
        if f.is_split:
            continue
        name = _name(f.key, f.beta)
        if s.run.nodes - f.before >= w.split_nodes:
            registry.split(r, name)
        elif not registry.is_split(r, name):
            continue
        f.is_split = True
        f.has_claim = f.child != 0 and registry.claim(r, _name(f.child, 1 - f.beta), w.number)
    return False


cdef void _share(Search* s, Bounds* bounds) noexcept nogil:
    """Narrow the bounds of this worker and of all others to the intersection of both."""
    cdef Registry* r = s.worker.registry
    s.version = atomics.load(&r.version)
    if registry.narrow(r, &bounds.lower, &bounds.upper):
        registry.post(r, team_bounds(bounds.lower, bounds.upper), ROOT_BOUNDS)
        s.version = atomics.load(&r.version)
    if s.run.proven != NULL:
        atomics.store(s.run.proven, team_bounds(bounds.lower, bounds.upper))


cdef void _join_registry(Search* s, Worker* w, Registry* r) noexcept nogil:
    """Make a search one of several workers."""
    memset(w, 0, sizeof(Worker))
    w.registry = r
    w.number = atomics.add(&r.joined, 1) + 1
    atomics.add(&r.workers, 1)
    _set_shares(w, 0)
    w.only_move = _search_only_move
    w.moves = _search_together
    s.worker = w


cdef void _leave_registry(Search* s) noexcept nogil:
    """Count the last nodes of a worker that has ended."""
    cdef Registry* r = s.worker.registry
    atomics.add(&r.nodes, s.run.nodes - s.worker.told)
    atomics.add(&r.workers, -1)


cdef int _test_together(
    Search* s, word_t stones, word_t mask, int ply, Bounds* bounds, int beta, double needed
) noexcept nogil:
    """Search a null window as one of several workers; return as _test does."""
    cdef Worker* w = s.worker
    w.depth = 0
    w.unwind = -1
    w.needed = needed
    w.cut = 0.5
    return _test(s, stones, mask, ply, bounds, beta)


cdef void _wait(Search* s) noexcept nogil:
    """Wait until something changes, because no move is free."""
    cdef Registry* r = s.worker.registry
    cdef uint64_t changes = atomics.load(&r.changes)
    cdef int turn
    s.worker.depth = 0
    for turn in range(WAIT_TURNS):
        if _poll(s) or atomics.load(&r.changes) != changes:
            return
        if r.pause != NULL:
            r.pause(<int>s.worker.number, s.run.nodes, True)
        else:
            atomics.rest()


cdef void _solve_together(
    Search* s, word_t stones, word_t mask, int ply, Bounds* bounds, bint weak
) noexcept nogil:
    """Do what _solve does, as one of several workers.

    A score needs two proofs, of its lower and of its upper bound. So a worker that finds no move for the
    present window tries the windows that may follow. The caller has probed for quick wins before.
    """
    cdef Worker* w = s.worker
    cdef int beta, turn, found
    cdef Bounds open_bounds
    s.budget = <uint64_t>-1
    if _start(s, stones, mask, ply, bounds):
        _share(s, bounds)
        return
    while not s.run.stopped:
        _share(s, bounds)
        if decided(bounds, weak):
            return
        open_bounds.lower = max(bounds.lower, -1) if weak else bounds.lower
        open_bounds.upper = min(bounds.upper, 1) if weak else bounds.upper
        found = BUSY
        w.least = FIRST_LEAST
        while found == BUSY and w.least > LAST_LEAST:
            for turn in range(3 if w.least <= NEXT_WINDOW else 1):
                beta = _next_window(bounds) + (0 if turn == 0 else 1 if turn == 1 else -1)
                if found == BUSY and open_bounds.lower < beta <= open_bounds.upper:
                    found = _test_together(s, stones, mask, ply, bounds, beta, 1 if turn == 0 else NEXT_WINDOW)
            w.least = pow(w.least, LESS_DEMANDING)
        if found == BUSY:
            _wait(s)
