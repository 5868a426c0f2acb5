"""Moves chosen by random games, a tree of random games (UCT), stored games or single lines; random positions.

``dice`` is the source of all random choices. If ``stop`` is set, a function raises ``StopPlaying`` and
has no result. Words of stones: ``own`` for the side to move, ``mask`` for both sides.
"""

from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc

cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport (
    HEIGHT_LIMIT,
    MAX_COLUMNS,
    NARROW_BITS,
    SQUARES,
    WIDTH_LIMIT,
    WORD_BITS,
    Board,
    canonical_key,
    drop,
    has_four,
    high_half,
    is_narrow,
    join_halves,
    low_half,
    lowest_bit,
    playable_squares,
    popcount,
    winning_squares,
    word_t,
)
from c4core.engine.kernel cimport board_of
from c4core.dice cimport Dice, DiceState, draw_below
from .heuristics cimport squares_of_windows, step_of, stones_of, windows_within
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of
from c4core.position cimport Position

from c4core.notation import check_board
from c4core.players.errors import StopPlaying
from c4core.players.widths import by_width

cdef enum:
    MAX_PLIES = SQUARES + 1     # open positions of a game: no board has more squares than bits
    POLL_GAMES = 64             # games between two polls of the clock and the stop: 10 to 50 microseconds


# --- random games ---------------------------------------------------------------------------------


cdef inline word_t random_square(
    const Board* g, word_t mask, DiceState* dice
) noexcept nogil:
    """Return the next square of a random open column, each equally likely. A column must be open.

    Drawing again after a full column is faster than choosing among the open ones.
    """
    cdef word_t square
    while True:
        square = drop(g, mask, draw_below(dice, g.width))
        if square:
            return square


cdef inline int playout(
    const Board* g, word_t own, word_t mask, DiceState* dice
) noexcept nogil:
    """Finish a game at random: 1 if the side to move (``own``) wins, -1 if it loses, 0 for a draw.

    The game must not have been won yet; the board may be full.
    """
    cdef int sign = 1
    cdef word_t square
    while mask != g.squares:
        square = random_square(g, mask, dice)
        own |= square
        mask |= square
        if has_four(g, own):
            return sign
        own ^= mask
        sign = -sign
    return 0


@by_width
def run_playouts(Position position not None, Dice dice not None, long count, *, Stop stop=None):
    """Finish the game ``count`` times by random moves.

    Args:
        position: any position; if it is over, every game has its result.

    Returns:
        The numbers of games that the side to move won, lost and drew.
    """
    cdef long game, wins = 0, losses = 0
    cdef int result
    cdef Watch watch = watch_of(stop)
    cdef bint stopped = False
    if has_four(position.g, position.stones ^ position.mask):
        return 0, count, 0
    with nogil:
        for game in range(count):
            result = playout(position.g, position.stones, position.mask, &dice.state)
            wins += result > 0
            losses += result < 0
            if game % POLL_GAMES == 0 and is_over(&watch):
                stopped = True
                break
    if stopped:
        raise StopPlaying
    return wins, losses, count - wins - losses


# The arguments of a flat search, and its state over all columns.
cdef struct Flat:
    long simulations
    long stop_after     # the index of the last game before a column may be given up
    double stop_gap     # a column is given up if its rate is more than this below the best
    double best         # the best rate of any column so far
    Watch watch
    bint stopped        # the search was stopped: the rates are invalid


cdef double _flat_rate(
    const Board* g, word_t own, word_t mask, Flat* flat, DiceState* dice
) noexcept nogil:
    """Return the share of games won by the side that has just moved, lower if the column was given up.

    ``own`` has the stones of the side to move, which is the opponent.
    """
    cdef long game, wins = 0
    cdef double rate = 0
    for game in range(flat.simulations):
        wins += playout(g, own, mask, dice) < 0
        if game % POLL_GAMES == 0 and is_over(&flat.watch):
            flat.stopped = True
            return 0
        rate = wins / <double>(game + 1)
        if game > flat.stop_after:
            if rate > flat.best:
                flat.best = rate
            elif rate < flat.best - flat.stop_gap:
                return rate * (game + 1) / flat.simulations
    return rate


@by_width
def flat_scores(
    Position position not None,
    Dice dice not None,
    *,
    long simulations,
    double center_weight,
    double stop_gap,
    long stop_after,
    Stop stop=None,
):
    """Score every column by the share of random games that are won after it.

    Args:
        position: a position that is not over, without a move that wins at once.
        simulations: games for each column.
        center_weight: the factor of the middle column's score.
        stop_gap: give up a column whose rate is more than this below the best. Its score is lowered
            by the share of its games that were not played.
        stop_after: the index (from 0) of the last game before a column may be given up.

    Returns:
        One score for each column; None for a full one.
    """
    cdef const Board* g = position.g
    cdef word_t square, squares = playable_squares(g, position.mask)
    cdef word_t opp = position.stones ^ position.mask
    cdef Flat flat = Flat(
        simulations, stop_after, stop_gap, 0.0, watch_of(stop), False
    )
    cdef double rate
    cdef int column
    scores = [None] * g.width
    while squares:
        square = squares & (0 - squares)
        squares ^= square
        with nogil:
            rate = _flat_rate(g, opp, position.mask | square, &flat, &dice.state)
        if flat.stopped:
            raise StopPlaying
        column = lowest_bit(square) // g.stride
        scores[column] = rate * center_weight if column == g.width // 2 else rate
    return tuple(scores)


cdef int _leading(const int64_t* totals, uint64_t open_columns, int width, int answer) noexcept nogil:
    """Return the column with the largest total, or the current answer if no total exceeds its own."""
    cdef int column
    for column in range(width):
        if (open_columns >> column) & 1 and totals[column] > totals[answer]:
            answer = column
    return answer


@by_width
def timed_choice(
    Position position not None,
    Dice dice not None,
    *,
    long playouts,
    double seconds,
    Stop stop=None,
):
    """Play random games after random moves, up to a number of games or a time limit.

    Each game adds 1 (won), -1 (lost) or 0 to its move's total. The answer starts as the leftmost
    open column. After a decisive game, a move with a larger total than the answer's becomes the answer.

    Args:
        position: a position that is not over.
        playouts: the maximum number of games; negative for no limit.
        seconds: the time limit; negative for no limit. At least one game is played.

    Returns:
        The answer, and the totals by column (None for a full one).
    """
    cdef const Board* g = position.g
    cdef word_t own = position.stones, mask = position.mask, opp = own ^ mask
    cdef word_t square, squares = playable_squares(g, mask)
    cdef uint64_t open_columns = 0
    cdef int64_t totals[MAX_COLUMNS]
    cdef int column, result, answer
    cdef long game = 0
    cdef double deadline = atomics.now() + seconds
    cdef Watch watch = watch_of(stop)
    cdef bint stopped = False
    if playouts < 0 and seconds < 0:
        raise ValueError("neither games nor seconds are limited")
    for column in range(g.width):
        totals[column] = 0
    answer = lowest_bit(squares) // g.stride
    while squares:
        open_columns |= <uint64_t>1 << (lowest_bit(squares) // g.stride)
        squares &= squares - 1
    with nogil:
        while playouts < 0 or game < playouts:
            square = random_square(g, mask, &dice.state)
            if has_four(g, own | square):
                result = 1
            else:
                result = -playout(g, opp, mask | square, &dice.state)
            totals[lowest_bit(square) // g.stride] += result
            if result:
                answer = _leading(totals, open_columns, g.width, answer)
            game += 1
            if game % POLL_GAMES == 0:
                stopped = is_over(&watch)
                if stopped or (seconds >= 0 and atomics.now() >= deadline):
                    break
    if stopped:
        raise StopPlaying
    return answer, tuple([
        totals[column] if (open_columns >> column) & 1 else None for column in range(g.width)
    ])


cdef int _game_keys(
    const Board* g, int last, word_t* keys, DiceState* dice
) noexcept nogil:
    """Play from the empty board until the game is over, or ``last`` stones are on the board.

    Writes the canonical keys of the game's positions that are not over, from the empty board on.
    Returns the number of keys.
    """
    cdef word_t own = 0, mask = 0, square
    cdef int ply = 0
    while True:
        keys[ply] = canonical_key(g, own, mask)
        ply += 1
        if ply > last:
            return ply
        square = random_square(g, mask, dice)
        own |= square
        mask |= square
        if mask == g.squares or has_four(g, own):
            return ply
        own ^= mask


def draw_positions(Dice dice not None, long games, int first, int last, board):
    """Draw one position from each random game, among its positions with ``first`` to ``last`` stones.

    Args:
        first: the smallest number of stones.
        last: the largest number of stones.

    Returns:
        Canonical keys in the order of the games, as uint64; on a wide board their low and high
        halves, of the shape (positions, 2). A game that was over before it had ``first`` stones
        gives no key.
    """
    import numpy as np  # imported here: players that never call this start faster

    check_board(*board)
    cdef const Board* g = board_of(board.width, board.height)
    if WORD_BITS == NARROW_BITS and not is_narrow(g):
        from c4core.players.wide import playouts

        return playouts.draw_positions(dice, games, first, last, board)
    cdef word_t reached[MAX_PLIES]
    cdef word_t key
    cdef int number, halves = 1 if is_narrow(g) else 2
    cdef long game, count = 0
    keys = np.empty((games, halves), dtype=np.uint64)
    cdef uint64_t[:, ::1] found = keys
    if not 0 <= first <= last < g.cells:
        raise ValueError(
            f"plies {first} to {last}: the first must not exceed the last, and both must be "
            f"from 0 to {g.cells - 1} on a {board} board"
        )
    with nogil:
        for game in range(games):
            number = _game_keys(g, last, reached, &dice.state)
            if number <= first:
                continue
            # A single position is taken without a draw.
            number -= first
            key = reached[first + (<int>draw_below(&dice.state, number) if number > 1 else 0)]
            found[count, 0] = low_half(key)
            if halves == 2:
                found[count, 1] = high_half(key)
            count += 1
    return keys[:count] if halves == 2 else keys[:count, 0]


# --- a tree of games (UCT) ------------------------------------------------------------------------

# One iteration walks down by the upper confidence bounds while all moves of a node have been tried.
# It then tries a random new move, finishes the game at random, and adds the result to every node on
# the way. Results are for the side that moved into the node: 1 won, 1/2 drawn, 0 lost.
#
# In a tree of *sensible* games, both sides complete a four at once, block the opponent's, and never play
# below a square that the opponent needs, in the tree and in the games. A node whose result is proven by
# its children is not played again (MCTS-Solver; Winands, Bjornsson and Saito, 2008).

cdef enum:
    NO_NODE = -1
    OPEN = -2           # the game goes on at this node

cdef struct Node:
    word_t own
    word_t mask
    word_t untried    # squares of moves that have no node yet
    double wins         # of the side that moved into the node
    int32_t visits
    int32_t parent
    int32_t child       # the child that was tried last
    int32_t sibling     # the node that was tried before this one
    int32_t outcome     # OPEN, or the result for the side to move: 1 won, 0 drawn, -1 lost


cdef inline word_t _sensible_squares(
    const Board* g, word_t own, word_t mask, bint* wins
) noexcept nogil:
    """Return the moves after which the opponent cannot win at once; 0 if there are none.

    ``wins`` is set to whether the side to move (``own``) wins at once; the squares are then undefined.
    """
    cdef word_t squares = playable_squares(g, mask), needed = winning_squares(g, own ^ mask, mask)
    wins[0] = (winning_squares(g, own, mask) & squares) != 0
    if needed & squares:
        squares &= needed
        if squares & (squares - 1):
            return 0
    return squares & ~(needed >> 1)


cdef int _sensible_playout(const Board* g, word_t own, word_t mask, DiceState* dice) noexcept nogil:
    """Finish a game by random sensible moves: 1 if the side to move (``own``) wins, -1 or 0."""
    cdef int sign = 1
    cdef bint wins
    cdef word_t squares, square
    while mask != g.squares:
        squares = _sensible_squares(g, own, mask, &wins)
        if wins:
            return sign
        if not squares:
            return -sign
        # A single move is taken without a draw.
        square = _random_bit(squares, dice) if squares & (squares - 1) else squares
        own = (own | square) ^ (mask | square)
        mask |= square
        sign = -sign
    return 0


cdef inline word_t _random_bit(word_t squares, DiceState* dice) noexcept nogil:
    cdef int skipped
    for skipped in range(<int>draw_below(dice, popcount(squares))):
        squares &= squares - 1
    return squares & (0 - squares)


cdef void _set_node(
    const Board* g, Node* node, word_t own, word_t mask, int32_t parent, bint sensible
) noexcept nogil:
    cdef bint wins = False
    node.own = own
    node.mask = mask
    node.wins = 0
    node.visits = 0
    node.parent = parent
    node.child = node.sibling = NO_NODE
    node.outcome = OPEN
    node.untried = _sensible_squares(g, own, mask, &wins) if sensible else playable_squares(g, mask)
    if not sensible and has_four(g, own ^ mask):
        node.outcome = -1
    elif mask == g.squares:
        node.outcome = 0
    elif wins:
        node.outcome = 1
    elif not node.untried:
        node.outcome = -1
    if node.outcome != OPEN:
        node.untried = 0


cdef int32_t _select(const Node* nodes, int32_t parent, double exploration) noexcept nogil:
    """Return the child with the highest bound, and among equals the one tried last.

    A child that is proven to lose is never selected; an open node has another one.
    """
    cdef double bound, best = -1, log_visits = log(<double>nodes[parent].visits)
    cdef int32_t child = nodes[parent].child, selected = NO_NODE
    while child != NO_NODE:
        if nodes[child].outcome != 1:
            bound = (
                nodes[child].wins / nodes[child].visits
                + exploration * sqrt(log_visits / nodes[child].visits)
            )
            if bound > best:
                best = bound
                selected = child
        child = nodes[child].sibling
    return selected


cdef void _prove(Node* nodes, int32_t index) noexcept nogil:
    """Decide the nodes above a decided node that its result decides."""
    cdef int32_t parent = nodes[index].parent, child
    cdef int best
    while parent != NO_NODE and nodes[parent].outcome == OPEN:
        best = -nodes[index].outcome
        if best < 1:
            if nodes[parent].untried:
                return
            child = nodes[parent].child
            while child != NO_NODE:
                if nodes[child].outcome == OPEN:
                    return
                best = max(best, -nodes[child].outcome)
                child = nodes[child].sibling
        nodes[parent].outcome = best
        index = parent
        parent = nodes[index].parent


cdef void _back_up(Node* nodes, int32_t index, int result) noexcept nogil:
    """Add a result for the side to move at a node to this node and all nodes above."""
    while index != NO_NODE:
        nodes[index].visits += 1
        nodes[index].wins += (1 - result) * 0.5
        result = -result
        index = nodes[index].parent


cdef bint _iterate(
    const Board* g,
    Node* nodes,
    long iterations,
    double exploration,
    bint sensible,
    DiceState* dice,
    const Watch* watch,
    double deadline,
) noexcept nogil:
    """Grow the tree until its root is decided or the deadline has passed. Returns whether it was stopped."""
    cdef long iteration
    cdef int32_t parent, index, count = 1
    cdef word_t square
    cdef int result
    for iteration in range(iterations):
        if nodes[0].outcome != OPEN:
            return False
        index = 0
        while nodes[index].untried == 0 and nodes[index].outcome == OPEN:
            index = _select(nodes, index, exploration)
        if nodes[index].outcome == OPEN:
            parent, index = index, count
            count += 1
            square = _random_bit(nodes[parent].untried, dice)
            nodes[parent].untried ^= square
            _set_node(
                g,
                &nodes[index],
                nodes[parent].own ^ nodes[parent].mask,
                nodes[parent].mask | square,
                parent,
                sensible,
            )
            nodes[index].sibling = nodes[parent].child
            nodes[parent].child = index
            if sensible and nodes[index].outcome != OPEN:
                _prove(nodes, index)
        result = nodes[index].outcome
        if result == OPEN:
            if sensible:
                result = _sensible_playout(g, nodes[index].own, nodes[index].mask, dice)
            else:
                result = playout(g, nodes[index].own, nodes[index].mask, dice)
        _back_up(nodes, index, result)
        if iteration % POLL_GAMES == 0:
            if is_over(watch):
                return True
            if atomics.now() >= deadline:
                break
    return False


@by_width
def uct_statistics(
    Position position not None,
    Dice dice not None,
    *,
    int iterations,
    double exploration,
    Stop stop=None,
):
    """Return the results of a tree search for every column.

    Args:
        position: a position that is not over.
        iterations: the number of games, at least 1. Each adds at most one node to the tree.
        exploration: the factor of the term that favours rarely tried moves.

    Returns:
        For every column ``(visits, wins)``, with half a win for a draw; None for a full one.
    """
    cdef const Board* g = position.g
    cdef Node* nodes
    cdef int32_t child
    cdef Watch watch = watch_of(stop)
    cdef bint stopped
    if iterations < 1:
        raise ValueError(f"{iterations} iterations: at least one is needed")
    nodes = <Node*>malloc((<size_t>iterations + 1) * sizeof(Node))
    if nodes == NULL:
        raise MemoryError
    try:
        _set_node(g, &nodes[0], position.stones, position.mask, NO_NODE, False)
        if nodes[0].outcome != OPEN:
            raise ValueError("the game is over")
        with nogil:
            stopped = _iterate(g, nodes, iterations, exploration, False, &dice.state, &watch, INFINITY)
        if stopped:
            raise StopPlaying
        found = [
            (0, 0.0) if position.is_legal(column) else None for column in range(g.width)
        ]
        child = nodes[0].child
        while child != NO_NODE:
            column = lowest_bit(nodes[child].mask ^ position.mask) // g.stride
            found[column] = nodes[child].visits, nodes[child].wins
            child = nodes[child].sibling
    finally:
        free(nodes)
    return tuple(found)


@by_width
def favoured_column(
    Position position not None,
    Dice dice not None,
    columns,
    *,
    int iterations,
    double exploration,
    double seconds=INFINITY,
    Stop stop=None,
):
    """Choose among columns by a tree search with sensible games.

    Args:
        position: a position that is not over.
        columns: the 0-based columns to choose from, at least one; all must be open.
        iterations: the maximum number of games, at least 1.
        exploration: the factor of the term that favours rarely tried moves.
        seconds: the time limit. At least one game is played.

    Returns:
        A column that wins if the tree proves one; else the most visited column that is not proven
        to lose; else any of them.

    Raises:
        ValueError: ``iterations`` is below 1, or the game is over.
        MemoryError: there is not enough memory for the tree.
    """
    cdef const Board* g = position.g
    cdef Node* nodes
    cdef int32_t child
    cdef double deadline = atomics.now() + seconds
    cdef Watch watch = watch_of(stop)
    cdef bint stopped
    cdef word_t square, allowed = 0
    if iterations < 1:
        raise ValueError(f"{iterations} iterations: at least one is needed")
    for column in columns:
        allowed |= drop(g, position.mask, column)
    nodes = <Node*>malloc((<size_t>iterations + 1) * sizeof(Node))
    if nodes == NULL:
        raise MemoryError
    try:
        _set_node(g, &nodes[0], position.stones, position.mask, NO_NODE, False)
        if nodes[0].outcome != OPEN or not allowed:
            raise ValueError("the game is over, or no column is given")
        square = allowed & winning_squares(g, position.stones, position.mask)
        if square:
            return lowest_bit(square) // g.stride
        nodes[0].untried = allowed
        with nogil:
            stopped = _iterate(g, nodes, iterations, exploration, True, &dice.state, &watch, deadline)
        if stopped:
            raise StopPlaying
        best, favoured = None, next(iter(columns))
        child = nodes[0].child
        while child != NO_NODE:
            rating = -nodes[child].outcome if nodes[child].outcome != OPEN else 0, nodes[child].visits
            if best is None or rating > best:
                best, favoured = rating, lowest_bit(nodes[child].mask ^ position.mask) // g.stride
            child = nodes[child].sibling
    finally:
        free(nodes)
    return favoured


# --- stored games ---------------------------------------------------------------------------------


cdef inline word_t _word_at(const uint64_t[::1] words, Py_ssize_t index, int halves) noexcept nogil:
    """Return a word of an array with one or two halves for each word."""
    if halves == 1:
        return words[index]
    return join_halves(words[2 * index], words[2 * index + 1])


@by_width
def tally_columns(
    Position position not None,
    first not None,
    second not None,
    const int8_t[::1] winner not None,
):
    """Count, for each column, the games whose final grid holds the position after that move.

    Stones are never removed, so a game can have passed through a position only if its final grid
    holds all stones of the position.

    Args:
        position: a position that is not over.
        first: the first player's stones on the final grid of every game, as uint64; on a wide board
            their low and high halves, of the shape (games, 2).
        second: the second player's stones.
        winner: 1 if the first player won, -1 if the second player won, 0 for a draw.

    Returns:
        For every column ``(games, wins of the side to move, draws)``; None for a full one.
    """
    cdef word_t own1 = stones_of(position, "x"), own2 = own1 ^ position.mask
    cdef word_t playable = playable_squares(position.g, position.mask), squares
    cdef int sign = -1 if position.ply & 1 else 1
    cdef int64_t games[MAX_COLUMNS]
    cdef int64_t wins[MAX_COLUMNS]
    cdef int64_t draws[MAX_COLUMNS]
    cdef Py_ssize_t index
    cdef int column, halves = 1 if is_narrow(position.g) else 2
    cdef const uint64_t[::1] firsts = first.reshape(-1), seconds = second.reshape(-1)
    cdef word_t word1, word2
    cdef Py_ssize_t stored = winner.shape[0]
    shape = (stored, 2)[:halves]
    if not first.shape == second.shape == shape:
        raise ValueError("first, second and winner must have the same length")
    for column in range(position.g.width):
        games[column] = wins[column] = draws[column] = 0
    with nogil:
        for index in range(stored):
            word1 = _word_at(firsts, index, halves)
            word2 = _word_at(seconds, index, halves)
            if (own1 & ~word1) | (own2 & ~word2):
                continue
            squares = playable & (word1 if sign > 0 else word2)
            while squares:
                column = lowest_bit(squares) // position.g.stride
                squares &= squares - 1
                games[column] += 1
                wins[column] += winner[index] == sign
                draws[column] += winner[index] == 0
    return tuple([
        (games[column], wins[column], draws[column]) if position.is_legal(column) else None
        for column in range(position.g.width)
    ])


# --- play by single lines -------------------------------------------------------------------------

# A player completes a line of its own, blocks a line of the opponent, or else takes a random line.

cdef enum:
    MAX_LINES = 4 * SQUARES     # at most one line starts on each square in each direction

cdef struct LineTable:
    int count
    word_t* lines     # the squares of every line

# One table for each board, shared for the life of the process; never freed.
cdef LineTable* _tables[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const LineTable* _lines_of(const Board* g) except NULL:
    """Return a board's lines by direction (vertical lines first), then by their first squares."""
    cdef LineTable* table = _tables[g.width][g.height]
    if table == NULL:
        table = _new_table(g)
        if table == NULL:
            raise MemoryError
        _tables[g.width][g.height] = table
    return table


cdef LineTable* _new_table(const Board* g) noexcept:
    cdef LineTable* table = <LineTable*>malloc(sizeof(LineTable))
    cdef int direction, step
    cdef word_t first, starts
    if table == NULL:
        return NULL
    table.count = 0
    table.lines = <word_t*>malloc(MAX_LINES * sizeof(word_t))
    if table.lines == NULL:
        free(table)
        return NULL
    for direction in range(4):
        step = step_of(g, direction)
        starts = windows_within(g.squares, step)
        while starts:
            first = starts & (0 - starts)
            table.lines[table.count] = squares_of_windows(first, step)
            table.count += 1
            starts ^= first
    return table


cdef word_t _completing_square(
    const LineTable* table, word_t stones, word_t playable, DiceState* dice
) noexcept nogil:
    """Return the empty square of a random line with three of the stones and one playable square.

    The choice is among lines, so a square that completes two lines is twice as likely. There must be
    such a line.
    """
    cdef int chosen[MAX_LINES]
    cdef int index, count = 0
    cdef word_t line
    for index in range(table.count):
        line = table.lines[index]
        if popcount(line & stones) == 3 and line & playable:
            chosen[count] = index
            count += 1
    return table.lines[chosen[draw_below(dice, count)]] & playable


cdef word_t _reachable_line_square(
    const LineTable* table, word_t playable, DiceState* dice
) noexcept nogil:
    """Return the leftmost playable square of a random line that has a playable square."""
    cdef int chosen[MAX_LINES]
    cdef int index, count = 0
    cdef word_t squares
    for index in range(table.count):
        if table.lines[index] & playable:
            chosen[count] = index
            count += 1
    squares = table.lines[chosen[draw_below(dice, count)]] & playable
    return squares & (0 - squares)


@by_width
def line_choice(Position position not None, Dice dice not None, *, bint by_lines):
    """Choose the 0-based column of a player that considers single lines.

    Args:
        position: a position that is not over.
        by_lines: if no line can be completed or blocked, take a random line with a playable square
            instead of a random column.
    """
    cdef const Board* g = position.g
    cdef const LineTable* table = _lines_of(g)
    cdef word_t own = position.stones, opp = own ^ position.mask
    cdef word_t playable = playable_squares(g, position.mask), square
    if playable == 0:
        raise ValueError("no column is open")
    if winning_squares(g, own, position.mask) & playable:
        square = _completing_square(table, own, playable, &dice.state)
    elif winning_squares(g, opp, position.mask) & playable:
        square = _completing_square(table, opp, playable, &dice.state)
    elif by_lines and table.count:
        square = _reachable_line_square(table, playable, &dice.state)
    else:
        square = random_square(g, position.mask, &dice.state)
    return lowest_bit(square) // g.stride
