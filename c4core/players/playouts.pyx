"""Monte Carlo without a tree: moves are judged by random games after them.

Words of stones: ``own`` those of the side to move, ``mask`` those of both.
"""

from libc.stdint cimport int64_t, uint64_t

from c4core.engine cimport atomics
from c4core.engine.board cimport MAX_COLUMNS, Board, has_four, lowest_bit, playable_squares
from c4core.dice cimport Dice, DiceState, draw_below
from c4core.position cimport Position
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of

from c4core.players.errors import StopPlaying

cdef enum:
    POLL_PLAYOUTS = 64      # playouts from one poll of the clock and the stop to the next: some 10 us


def run_playouts(Position position not None, Dice dice not None, long count, *, Stop stop=None):
    """Finish the game ``count`` times by random moves.

    Args:
        position: any position; one that is over gives its own result every time.
        dice: the source of the moves.
        count: the number of games.
        stop: ends them without a result; None for never.

    Returns:
        Games won by the side to move, lost by it, and drawn.

    Raises:
        StopPlaying: the stop came first.
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
            if game % POLL_PLAYOUTS == 0 and is_over(&watch):
                stopped = True
                break
    if stopped:
        raise StopPlaying
    return wins, losses, count - wins - losses


# The arguments of a flat search, and its state over all columns.
cdef struct Flat:
    long simulations
    long stop_after     # from the game after this index on, a column may be given up
    double stop_gap     # .. if its rate is so much below
    double best         # the best rate of any column so far
    Watch watch
    bint stopped        # the rates mean nothing


cdef double _flat_rate(
    const Board* g, uint64_t own, uint64_t mask, Flat* flat, DiceState* dice
) noexcept nogil:
    """The share of games won by the side that has just moved, less if the column was given up.

    Args:
        own: the stones of the side to move, which is the opponent.
    """
    cdef long game, wins = 0
    cdef double rate = 0
    for game in range(flat.simulations):
        wins += playout(g, own, mask, dice) < 0
        if game % POLL_PLAYOUTS == 0 and is_over(&flat.watch):
            flat.stopped = True
            return 0
        rate = wins / <double>(game + 1)
        if game > flat.stop_after:
            if rate > flat.best:
                flat.best = rate
            elif rate < flat.best - flat.stop_gap:
                return rate * (game + 1) / flat.simulations
    return rate


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
        position: not over, and without a move that wins at once.
        dice: the source of the moves.
        simulations: games for each column.
        center_weight: factor of the middle column's score.
        stop_gap: a column whose rate is so much below the best one's is given up, its score
            lowered by the share of its games that were not played.
        stop_after: the index (from 0) of the game before which no column is given up.
        stop: ends the games without a result; None for never.

    Returns:
        One score for each column; None where it is full.

    Raises:
        StopPlaying: the stop came first.
    """
    cdef const Board* g = position.g
    cdef uint64_t square, squares = playable_squares(g, position.mask)
    cdef uint64_t opp = position.stones ^ position.mask
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
    """The column with the largest total, the present answer if none is larger than its own."""
    cdef int column
    for column in range(width):
        if (open_columns >> column) & 1 and totals[column] > totals[answer]:
            answer = column
    return answer


def timed_choice(
    Position position not None,
    Dice dice not None,
    *,
    long playouts,
    double seconds,
    Stop stop=None,
):
    """Play random games after random moves, until there are enough or the time is up.

    Each game adds 1 (won), -1 (lost) or 0 to its move's total. After a decisive game a move with a
    larger total than the answer's becomes the answer, which starts as the leftmost open column.

    Args:
        position: not over.
        dice: the source of all moves.
        playouts: games at most; negative for no limit.
        seconds: of search at most; negative for no limit. At least one game is played.
        stop: ends the games without an answer; None for never.

    Returns:
        The answer, and the totals by column (None where it is full).

    Raises:
        ValueError: nothing is limited.
        StopPlaying: the stop came first.
    """
    cdef const Board* g = position.g
    cdef uint64_t own = position.stones, mask = position.mask, opp = own ^ mask
    cdef uint64_t square, open_columns = 0, squares = playable_squares(g, mask)
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
            if game % POLL_PLAYOUTS == 0:
                stopped = is_over(&watch)
                if stopped or (seconds >= 0 and atomics.now() >= deadline):
                    break
    if stopped:
        raise StopPlaying
    return answer, tuple([
        totals[column] if (open_columns >> column) & 1 else None for column in range(g.width)
    ])
