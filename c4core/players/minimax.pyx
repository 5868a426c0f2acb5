"""Depth-limited minimax for players: alpha-beta, null windows, killer moves, deepening.

The players from the literature use this search, each with its own heuristic (heuristics.pyx). The
exact solver uses a different search. A won game counts ``win``, a lost one ``-win`` and a drawn one
0, no matter how soon it ends.

Words of stones: ``own`` for the side to move, ``mask`` for both sides.
"""

from collections import namedtuple

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport (
    MAX_COLUMNS,
    SQUARES,
    Board,
    drop,
    has_four,
    lowest_bit,
    playable_squares,
    winning_squares,
    word_t,
)
from .heuristics cimport Heuristic, Judge, feature_bits, heuristic_named, judge
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of
from c4core.position cimport Position

from c4core.players.errors import StopPlaying
from c4core.players.widths import by_width

cdef enum:
    MAX_PLIES = SQUARES
    POLL_NODES = 1024       # nodes between two polls of the clock and the stop: about 0.2 ms
    NO_COLUMN = -1

# Larger than every value, and its negative can be represented.
cdef int64_t INFINITE = <int64_t>1 << 60


# --- the tree -------------------------------------------------------------------------------------

cdef struct Tree:
    Judge judge
    int64_t win                     # value of a won game; with 0, the heuristic values it
    int columns[MAX_COLUMNS]        # in the order of trying
    bint prunes                     # alpha-beta; without it every move is searched
    bint pvs                        # null windows after the first move
    bint killer_moves               # the best move of the last node of a ply is tried first
    int killers[MAX_PLIES]
    bint timed
    double deadline
    Watch watch
    bint given_up                   # the search was stopped and has no answer
    bint stopped
    uint64_t nodes


cdef inline int64_t _leaf(const Tree* t, word_t own, word_t mask, int ply) noexcept nogil:
    """Return the heuristic for the side to move, computed for the side that moves at the root."""
    if ply & 1:
        return -judge(&t.judge, own ^ mask, own)
    return judge(&t.judge, own, own ^ mask)


cdef int64_t _child(
    Tree* t, word_t own, word_t mask, word_t square, int ply, int depth,
    int64_t alpha, int64_t beta
) noexcept nogil:
    """Return the value of playing a square, for the side that plays it; bounds as for ``_node``."""
    cdef word_t opp = own ^ mask
    if has_four(t.judge.g, own | square):
        return t.win if t.win else -_leaf(t, opp, mask | square, ply + 1)
    if (mask | square) == t.judge.g.squares:
        return 0
    if depth == 1:
        return -_leaf(t, opp, mask | square, ply + 1)
    return -_node(t, opp, mask | square, ply + 1, depth - 1, -beta, -alpha)


cdef int64_t _scouted(
    Tree* t, word_t own, word_t mask, word_t square, int ply, int depth,
    int64_t alpha, int64_t beta, bint is_first
) noexcept nogil:
    """Search like ``_child``, but moves after the first with a null window first."""
    cdef int64_t value
    if not t.pvs or is_first:
        return _child(t, own, mask, square, ply, depth, alpha, beta)
    value = _child(t, own, mask, square, ply, depth, alpha, alpha + 1)
    if alpha < value < beta:
        value = _child(t, own, mask, square, ply, depth, alpha, beta)
    return value


cdef void _poll(Tree* t) noexcept nogil:
    """Stop the search if its time is up or its stop is set."""
    if is_over(&t.watch):
        t.stopped = t.given_up = True
    elif t.timed and atomics.now() >= t.deadline:
        t.stopped = True


cdef int64_t _node(
    Tree* t, word_t own, word_t mask, int ply, int depth, int64_t alpha, int64_t beta
) noexcept nogil:
    """Return the value of a position that is not over, for the side to move.

    Contract: the result r is exact if alpha < r < beta. If r <= alpha, it is an upper bound of the
    value; if r >= beta, it is a lower bound. It has no meaning once ``stopped`` is set.

    1. Limits.  2. A win at once.  3. The moves, killer first.
    """
    cdef const Board* g = t.judge.g
    cdef int64_t value, best = -INFINITE
    cdef int index, column, killer = NO_COLUMN, move = NO_COLUMN
    cdef word_t square, wins
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
    # 3
    if t.killer_moves:
        killer = t.killers[ply]
    for index in range(-1, g.width):
        column = killer if index < 0 else t.columns[index]
        if column == NO_COLUMN or (index >= 0 and column == killer):
            continue
        square = drop(g, mask, column)
        if square == 0:
            continue
        value = _scouted(t, own, mask, square, ply, depth, alpha, beta, move == NO_COLUMN)
        if t.stopped:
            return 0
        if value > best:
            best = value
            move = column
            if t.prunes:
                alpha = max(alpha, value)
                if alpha >= beta:
                    break
    t.killers[ply] = move
    return best


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
            t, r.own, r.mask, square, 0, depth, alpha, INFINITE, r.column == NO_COLUMN
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
    with nogil:
        if deepens:
            finished = _deepen(&t, &r, depth, keep_answer_if_lost, stop_when_decided)
        else:
            finished = depth
            _search_root(&t, &r, depth)
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
