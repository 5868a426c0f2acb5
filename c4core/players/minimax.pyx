"""Depth-limited minimax for players: alpha-beta, null windows, killer moves, deepening, a cache.

The players from the literature use this search, each with its own heuristic (heuristics.pyx). The
exact solver uses a different search. A won game counts ``win``, a lost one ``-win`` and a drawn one
0, no matter how soon it ends.

Words of stones: ``own`` for the side to move, ``mask`` for both sides.
"""

from collections import namedtuple

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport (
    MAX_COLUMNS,
    SQUARES,
    Board,
    canonical_key,
    drop,
    has_four,
    high_half,
    low_half,
    lowest_bit,
    playable_squares,
    position_key,
    winning_squares,
    word_t,
)
from c4core.dice cimport Dice, draw_word
from .heuristics cimport Heuristic, Judge, feature_bits, heuristic_named, judge
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of
from c4core.position cimport Position

from c4core.players.errors import StopPlaying
from c4core.players.widths import by_width

cdef enum:
    MAX_PLIES = SQUARES
    POLL_NODES = 1024       # nodes between two polls of the clock and the stop: about 0.2 ms
    NO_COLUMN = -1
    ZOBRIST_SEED = 1970     # a fixed number, so that the words are always the same

cdef enum CacheKey:
    NO_CACHE
    EXACT_KEY
    MIRROR_KEY
    ZOBRIST_KEY

cdef dict _CACHES = {
    "off": NO_CACHE, "exact": EXACT_KEY, "mirror": MIRROR_KEY, "zobrist": ZOBRIST_KEY
}

# Larger than every value, and its negative can be represented.
cdef int64_t INFINITE = <int64_t>1 << 60


# --- the cache ------------------------------------------------------------------------------------

# The cache forgets the least recently used entry (LRU). Its entries are in one array, linked by
# index in two kinds of lists: the order of use, doubly linked (``newer``, ``older``), and the
# entries in each slot of a hash table (``next``).

cdef enum Bound:
    EXACT
    AT_LEAST
    AT_MOST

cdef struct Entry:
    word_t key
    int64_t value
    int32_t newer       # neighbours in the order of use; -1 at the ends
    int32_t older
    int32_t next        # the next entry in the same slot; -1 at the end
    int8_t depth
    int8_t bound

cdef struct Cache:
    int32_t capacity
    int32_t count
    int32_t newest
    int32_t oldest
    uint64_t slot_mask
    int32_t* slots      # the first entry of every slot
    Entry* entries


cdef Cache* _new_cache(int32_t capacity) except NULL:
    """Make an empty cache for ``capacity`` entries."""
    cdef Cache* cache = <Cache*>malloc(sizeof(Cache))
    cdef uint64_t slots = 1
    if cache == NULL:
        raise MemoryError
    while slots < <uint64_t>capacity:
        slots <<= 1
    cache.capacity = capacity
    cache.count = 0
    cache.newest = cache.oldest = -1
    cache.slot_mask = slots - 1
    cache.slots = <int32_t*>malloc(slots * sizeof(int32_t))
    cache.entries = <Entry*>malloc(capacity * sizeof(Entry))
    if cache.slots == NULL or cache.entries == NULL:
        _free_cache(cache)
        raise MemoryError
    memset(cache.slots, 0xFF, slots * sizeof(int32_t))
    return cache


cdef void _free_cache(Cache* cache) noexcept:
    if cache != NULL:
        free(cache.slots)
        free(cache.entries)
        free(cache)


cdef inline int32_t* _slot(Cache* cache, word_t key) noexcept nogil:
    """Return a key's slot. The bits are mixed, because keys of neighbours differ in few bits."""
    cdef uint64_t folded = low_half(key) + high_half(key) * <uint64_t>0xD6E8FEB86659FD93
    return &cache.slots[((folded * <uint64_t>0x9E3779B97F4A7C15) >> 32) & cache.slot_mask]


cdef void _take_out(Cache* cache, int32_t index) noexcept nogil:
    """Take an entry out of the order of use."""
    cdef Entry* entry = &cache.entries[index]
    if entry.newer < 0:
        cache.newest = entry.older
    else:
        cache.entries[entry.newer].older = entry.older
    if entry.older < 0:
        cache.oldest = entry.newer
    else:
        cache.entries[entry.older].newer = entry.newer


cdef void _put_first(Cache* cache, int32_t index) noexcept nogil:
    """Make an entry the newest."""
    cdef Entry* entry = &cache.entries[index]
    entry.newer = -1
    entry.older = cache.newest
    if cache.newest < 0:
        cache.oldest = index
    else:
        cache.entries[cache.newest].newer = index
    cache.newest = index


cdef Entry* _find_entry(Cache* cache, word_t key) noexcept nogil:
    """Return the entry of a key and make it the newest; NULL if the key has none."""
    cdef int32_t index = _slot(cache, key)[0]
    while index >= 0 and cache.entries[index].key != key:
        index = cache.entries[index].next
    if index < 0:
        return NULL
    _take_out(cache, index)
    _put_first(cache, index)
    return &cache.entries[index]


cdef int32_t _forget_oldest(Cache* cache) noexcept nogil:
    """Take the oldest entry out of its lists, and return its index."""
    cdef int32_t index = cache.oldest
    cdef int32_t* link = _slot(cache, cache.entries[index].key)
    _take_out(cache, index)
    while link[0] != index:
        link = &cache.entries[link[0]].next
    link[0] = cache.entries[index].next
    return index


cdef void _store_entry(
    Cache* cache, word_t key, int depth, Bound bound, int64_t value
) noexcept nogil:
    cdef Entry* entry = _find_entry(cache, key)
    cdef int32_t index
    cdef int32_t* slot
    if entry == NULL:
        if cache.count == cache.capacity:
            index = _forget_oldest(cache)
        else:
            index = cache.count
            cache.count += 1
        entry = &cache.entries[index]
        slot = _slot(cache, key)
        entry.key = key
        entry.next = slot[0]
        slot[0] = index
        _put_first(cache, index)
    entry.depth = depth
    entry.bound = bound
    entry.value = value


# --- the tree -------------------------------------------------------------------------------------

cdef struct Tree:
    Judge judge
    int64_t win                     # value of a won game; with 0, the heuristic values it
    int columns[MAX_COLUMNS]        # in the order of trying
    bint prunes                     # alpha-beta; without it every move is searched
    bint pvs                        # null windows after the first move
    bint killer_moves               # the best move of the last node of a ply is tried first
    int killers[MAX_PLIES]
    Cache* cache
    CacheKey cache_key
    bint timed
    double deadline
    Watch watch
    bint given_up                   # the search was stopped and has no answer
    bint stopped
    uint64_t nodes

# Zobrist hashing: a random word for each square and side. The hash of a position is the XOR of the
# words of the stones placed since the root. The root's own stones are in every position, so they
# can be left out.
cdef uint64_t _zobrist_words[2][SQUARES]


cdef void _fill_zobrist_words() noexcept:
    cdef Dice dice = Dice(ZOBRIST_SEED)
    cdef int side, square
    for square in range(SQUARES):
        for side in range(2):
            _zobrist_words[side][square] = draw_word(&dice.state)


_fill_zobrist_words()

cdef inline int64_t _leaf(const Tree* t, word_t own, word_t mask, int ply) noexcept nogil:
    """Return the heuristic for the side to move, computed for the side that moves at the root."""
    if ply & 1:
        return -judge(&t.judge, own ^ mask, own)
    return judge(&t.judge, own, own ^ mask)


cdef inline word_t _cache_key(
    const Tree* t, word_t own, word_t mask, uint64_t hash_
) noexcept nogil:
    if t.cache_key == ZOBRIST_KEY:
        return hash_
    if t.cache_key == MIRROR_KEY:
        return canonical_key(t.judge.g, own, mask)
    return position_key(t.judge.g, own, mask)


cdef inline uint64_t _stone_hash(word_t square, int ply) noexcept nogil:
    """Return the Zobrist word of a stone that is placed ``ply`` plies below the root."""
    return _zobrist_words[ply & 1][lowest_bit(square)]


cdef int64_t _child(
    Tree* t, word_t own, word_t mask, word_t square, int ply, int depth,
    int64_t alpha, int64_t beta, uint64_t hash_
) noexcept nogil:
    """Return the value of playing a square, for the side that plays it; bounds as for ``_node``."""
    cdef word_t opp = own ^ mask
    if has_four(t.judge.g, own | square):
        return t.win if t.win else -_leaf(t, opp, mask | square, ply + 1)
    if (mask | square) == t.judge.g.squares:
        return 0
    if depth == 1:
        return -_leaf(t, opp, mask | square, ply + 1)
    if t.cache != NULL:
        hash_ ^= _stone_hash(square, ply)
    return -_node(t, opp, mask | square, ply + 1, depth - 1, -beta, -alpha, hash_)


cdef int64_t _scouted(
    Tree* t, word_t own, word_t mask, word_t square, int ply, int depth,
    int64_t alpha, int64_t beta, uint64_t hash_, bint is_first
) noexcept nogil:
    """Search like ``_child``, but moves after the first with a null window first."""
    cdef int64_t value
    if not t.pvs or is_first:
        return _child(t, own, mask, square, ply, depth, alpha, beta, hash_)
    value = _child(t, own, mask, square, ply, depth, alpha, alpha + 1, hash_)
    if alpha < value < beta:
        value = _child(t, own, mask, square, ply, depth, alpha, beta, hash_)
    return value


cdef void _poll(Tree* t) noexcept nogil:
    """Stop the search if its time is up or its stop is set."""
    if is_over(&t.watch):
        t.stopped = t.given_up = True
    elif t.timed and atomics.now() >= t.deadline:
        t.stopped = True


cdef int64_t _node(
    Tree* t, word_t own, word_t mask, int ply, int depth,
    int64_t alpha, int64_t beta, uint64_t hash_
) noexcept nogil:
    """Return the value of a position that is not over, for the side to move.

    Contract: the result r is exact if alpha < r < beta. If r <= alpha, it is an upper bound of the
    value; if r >= beta, it is a lower bound. It has no meaning once ``stopped`` is set.

    1. Limits.  2. A win at once.  3. The cache.  4. The moves, killer first.  5. Store the value.
    """
    cdef const Board* g = t.judge.g
    cdef int64_t value, best = -INFINITE, floor = alpha
    cdef int index, column, killer = NO_COLUMN, move = NO_COLUMN
    cdef word_t square, key = 0, wins
    cdef Entry* entry
    # 1
    t.nodes += 1
    if t.nodes % POLL_NODES == 0:
        _poll(t)
    if t.stopped:
        return 0
    # 2
    if t.prunes and t.win:
        wins = winning_squares(g, own, mask) & playable_squares(g, mask)
        if wins:
            t.killers[ply] = lowest_bit(wins) // g.stride
            return t.win
    # 3: values depend on the depth, so only entries of the same depth are used.
    if t.cache != NULL:
        key = _cache_key(t, own, mask, hash_)
        entry = _find_entry(t.cache, key)
        if entry != NULL and entry.depth == depth and (
            entry.bound == EXACT
            or (entry.bound == AT_LEAST and entry.value >= beta)
            or (entry.bound == AT_MOST and entry.value <= alpha)
        ):
            return entry.value
    # 4
    if t.killer_moves:
        killer = t.killers[ply]
    for index in range(-1, g.width):
        column = killer if index < 0 else t.columns[index]
        if column == NO_COLUMN or (index >= 0 and column == killer):
            continue
        square = drop(g, mask, column)
        if square == 0:
            continue
        value = _scouted(t, own, mask, square, ply, depth, alpha, beta, hash_, move == NO_COLUMN)
        if t.stopped:
            return 0
        if value > best:
            best = value
            move = column
            if t.prunes:
                alpha = max(alpha, value)
                if alpha >= beta:
                    break
    # 5
    t.killers[ply] = move
    if t.cache != NULL:
        _store_entry(t.cache, key, depth, _bound_of(best, floor, beta), best)
    return best


cdef inline Bound _bound_of(int64_t value, int64_t alpha, int64_t beta) noexcept nogil:
    if value <= alpha:
        return AT_MOST
    return AT_LEAST if value >= beta else EXACT


# --- the root -------------------------------------------------------------------------------------

# The arguments and the result of a search from the root.
cdef struct Root:
    word_t own
    word_t mask
    int columns[MAX_COLUMNS]
    bint all_scores             # whether to search every move exactly, not only the best one
    int64_t scores[MAX_COLUMNS]
    int column                  # the first of the best moves
    int64_t value


cdef void _search_root(Tree* t, Root* r, int depth) noexcept nogil:
    """Search every move. Only a better move replaces the best one; ties go to the first."""
    cdef const Board* g = t.judge.g
    cdef int index, column, killer = t.killers[0] if t.killer_moves else NO_COLUMN
    cdef int64_t value, alpha
    cdef word_t square
    r.value = -INFINITE
    r.column = NO_COLUMN
    for index in range(-1, g.width):
        column = killer if index < 0 else r.columns[index]
        if column == NO_COLUMN or (index >= 0 and column == killer):
            continue
        square = drop(g, r.mask, column)
        if square == 0:
            continue
        alpha = r.value if t.prunes and not r.all_scores else -INFINITE
        value = _scouted(
            t, r.own, r.mask, square, 0, depth, alpha, INFINITE, 0, r.column == NO_COLUMN
        )
        if t.stopped:
            return
        r.scores[column] = value
        if value > r.value:
            r.value = value
            r.column = column
    t.killers[0] = r.column


cdef int _winning_column(const Tree* t, const Root* r) noexcept nogil:
    """Return the first column in order that wins at once."""
    cdef int index
    cdef word_t square
    for index in range(t.judge.g.width):
        square = drop(t.judge.g, r.mask, r.columns[index])
        if square and has_four(t.judge.g, r.own | square):
            return r.columns[index]
    return NO_COLUMN


cdef int _deepen(
    Tree* t, Root* r, int depth, bint keep_answer_if_lost, bint stop_when_decided
) noexcept nogil:
    """Search by iterative deepening until the time is up, the result is final, or at ``depth``.

    Depth 1 is searched without a time limit, so that there always is an answer. Returns the depth
    of the last finished search; the root holds its answer. ``minimax`` explains the options.
    """
    cdef int reached, finished = 0
    cdef Root trial
    cdef bint timed = t.timed
    for reached in range(1, depth + 1):
        trial = r[0]
        t.timed = timed and reached > 1
        _search_root(t, &trial, reached)
        if t.stopped:
            break
        finished = reached
        if t.win and trial.value == -t.win and keep_answer_if_lost and reached > 1:
            r.value = trial.value
            break
        r[0] = trial
        if stop_when_decided and t.win and (trial.value == t.win or trial.value == -t.win):
            break
    return finished


Found = namedtuple("Found", ["column", "value", "depth", "nodes", "scores"])
Found.__doc__ = """The result of a search.

Attributes:
    column: the move, 0-based.
    value: the move's value for the side to move.
    depth: plies of the last finished search.
    nodes: positions that were searched.
    scores: with ``all_scores`` the value of every column, None for a full one; else None.
"""


@by_width
def minimax(
    Position position not None,
    *,
    str heuristic,
    int depth,
    order,
    root_order=None,
    win,
    bint prunes=True,
    bint pvs=False,
    bint killer_moves=False,
    bint wins_at_once=False,
    bint all_scores=False,
    bint deepens=False,
    bint keep_answer_if_lost=False,
    bint stop_when_decided=True,
    seconds=None,
    str cache="off",
    int cache_size=0,
    str features="1234",
    Stop stop=None,
):
    """Search for the best move a number of plies ahead.

    Args:
        position: a position that is not over.
        heuristic: the name of the heuristic for positions where the search ends.
        depth: plies to search; fewer if the board has fewer empty squares.
        order: all columns in the order of trying; the first of several equal ones is best.
        root_order: another order for the moves of the position itself.
        win: the value of a won game, greater than every value of the heuristic. With 0, the
            heuristic also values finished games.
        prunes: use alpha-beta pruning; the result is the same without it.
        pvs: use principal variation search: null windows after the first move, and a second search
            of better moves.
        killer_moves: try the best move of the last node of a ply first.
        wins_at_once: take a move that wins at once before other moves that win.
        all_scores: find the value of every move, not only of the best one.
        deepens: search by iterative deepening until the time is up; else once, without a limit.
        keep_answer_if_lost: in a deepening search, keep the last answer if all moves lose.
        stop_when_decided: end a deepening search when a win or a loss is found. (A deeper search
            may find a slower win that comes earlier in order.)
        seconds: the time limit of a deepening search; None for no limit.
        cache: the key of a cache of values: ``"off"``, ``"exact"``, ``"mirror"``, ``"zobrist"``.
        cache_size: the number of entries in the cache.
        features: the numbers of the features that count, for the heuristic ``features``.
        stop: ends the search without an answer; None if it is never set.
    """
    cdef const Board* g = position.g
    cdef Tree t
    cdef Root r
    cdef int finished, column
    if depth < 1:
        raise ValueError(f"depth {depth} is below 1")
    if position.is_over:
        raise ValueError("the game is over")
    memset(&t, 0, sizeof(t))
    memset(&r, 0, sizeof(r))
    t.judge.g = g
    t.judge.heuristic = <Heuristic>heuristic_named(heuristic)
    t.judge.features = feature_bits(features)
    t.judge.own_is_first = not position.ply & 1
    t.win = win
    t.prunes = prunes
    t.pvs = pvs
    t.killer_moves = killer_moves
    for column in range(MAX_PLIES):
        t.killers[column] = NO_COLUMN
    _read_order(g, order, t.columns)
    _read_order(g, order if root_order is None else root_order, r.columns)
    r.own = position.stones
    r.mask = position.mask
    r.all_scores = all_scores
    t.watch = watch_of(stop)
    depth = min(depth, g.cells - position.ply)
    if wins_at_once:
        column = _winning_column(&t, &r)
        if column != NO_COLUMN and not all_scores:
            return Found(column, win, 1, 0, None)
    if seconds is not None and deepens:
        t.timed = True
        t.deadline = atomics.now() + <double>seconds
    if cache not in _CACHES:
        raise ValueError(f"no cache is called {cache!r}: {', '.join(_CACHES)}")
    t.cache_key = _CACHES[cache]
    if t.cache_key != NO_CACHE:
        if cache_size < 1:
            raise ValueError(f"a cache has at least one entry, not {cache_size}")
        t.cache = _new_cache(cache_size)
    with nogil:
        if deepens:
            finished = _deepen(&t, &r, depth, keep_answer_if_lost, stop_when_decided)
        else:
            finished = depth
            _search_root(&t, &r, depth)
    _free_cache(t.cache)
    if t.given_up:
        raise StopPlaying
    scores = None
    if all_scores:
        scores = tuple([
            r.scores[column] if drop(g, r.mask, column) else None for column in range(g.width)
        ])
    return Found(r.column, r.value, finished, t.nodes, scores)


cdef int _read_order(const Board* g, order, int* columns) except -1:
    if sorted(order) != list(range(g.width)):
        raise ValueError(f"{order!r} is not an order of {g.width} columns")
    for index, column in enumerate(order):
        columns[index] = column
    return 0
