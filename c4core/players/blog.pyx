"""The counting search of the blog players, which adds up weighted wins and backs up no values.

Rounds alternate between the player and its opponent; the player moves in round 1. Round 1 plays
every candidate column, and each later round every open column on every board that the round before
kept. A four in round r adds the round's weight to the column of round 1 and drops the board. An
opponent's four subtracts the weight. With ``keep_wins``, a board won in round 1 stays for round 2.
Each board counts only for its own first column. The order of the boards therefore does not matter,
and they are walked depth first.

Words of stones: ``own`` for the side that moves in the round, ``mask`` for both sides.
"""

from libc.stdint cimport int64_t, uint64_t

from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    has_four,
    is_narrow,
    lowest_bit,
    playable_squares,
    popcount,
    word_t,
)
from c4core.position cimport Position
from c4core.players.stopping cimport Stop, Watch, is_over, watch_of
from .heuristics cimport step_of, windows_within

from c4core.players.errors import StopPlaying
from c4core.players.widths import by_width

cdef enum:
    POLL_BOARDS = 1024      # boards between two polls of the stop: about 0.1 ms
    # 12 rounds of 7 columns are 14,000 million boards. The weights n^12 fit for up to 32 columns, and
    # n^10 for all boards.
    MAX_ROUNDS = 12
    MAX_WIDE_ROUNDS = 10

# The rule for the weights of rounds 1, 2, 3 and so on, with n open columns and depth d.
cdef enum Scale:
    EVEN        # 1, 1, 1 and so on
    FALLING     # n^d, n^(d-1), n^(d-2) and so on
    HELD        # n^d, n^d, n^(d-1) and so on

# The missed fours: they count against the column of round 1, which could have completed them.
cdef enum Missed:
    NO_MISSED
    ROUND_3         # the player's fours of round 3
    FROM_ROUND_3    # both sides' fours from round 3 on

cdef dict _SCALES = {"even": EVEN, "falling": FALLING, "held": HELD}
cdef dict _MISSED = {"none": NO_MISSED, "round3": ROUND_3, "round3+": FROM_ROUND_3}

cdef struct Count:
    const Board* g
    int depth
    Missed missed
    int missed_extra    # the cost of a missed win beside its round's weight
    bint flat_later     # vertical fours of round 3 and later do not count
    bint keep_wins      # a board that round 1 wins is kept until after round 2
    int first           # column of round 1
    int second          # column of round 2
    int64_t weight[MAX_ROUNDS + 1]
    int64_t total[MAX_COLUMNS]
    uint64_t boards     # boards whose next round has begun
    Watch watch
    bint stopped        # the search was stopped: the totals are invalid


cdef inline bint _has_flat_four(const Board* g, word_t stones) noexcept nogil:
    """Return whether the stones contain a four that is not vertical."""
    cdef int direction
    for direction in range(1, 4):
        if windows_within(stones, step_of(g, direction)):
            return True
    return False


cdef inline void _reward(Count* c, int round_, bint is_missed) noexcept nogil:
    """Count a four of a round for, or against, the column of round 1."""
    cdef int64_t weight = c.weight[round_]
    if is_missed and (c.missed == FROM_ROUND_3 or (c.missed == ROUND_3 and round_ == 3)):
        c.total[c.first] -= weight + c.missed_extra
    elif round_ & 1:
        c.total[c.first] += weight
    else:
        c.total[c.first] -= weight


cdef void _round(
    Count* c, word_t own, word_t mask, int round_, int last, bint is_missed
) noexcept nogil:
    """Play a round (2 or later) and those after it, up to the round ``last``."""
    cdef const Board* g = c.g
    cdef word_t square, squares = playable_squares(g, mask)
    cdef int column
    cdef bint is_four
    c.boards += 1
    if c.boards % POLL_BOARDS == 0 and is_over(&c.watch):
        c.stopped = True
    if c.stopped:
        return
    while squares:
        square = squares & (0 - squares)
        squares ^= square
        if round_ <= 3:
            column = lowest_bit(square) // g.stride
            if round_ == 2:
                c.second = column
            else:
                is_missed = column == c.first and c.second != c.first
        if c.flat_later and round_ >= 3:
            is_four = _has_flat_four(g, own | square)
        else:
            is_four = has_four(g, own | square)
        if is_four:
            _reward(c, round_, is_missed)
        elif round_ < last:
            _round(c, own ^ mask, mask | square, round_ + 1, last, is_missed)


cdef bint _first_round(Count* c, word_t own, word_t mask, word_t candidates) noexcept nogil:
    """Play round 1. Returns whether a candidate wins."""
    cdef bint has_win = False
    cdef word_t square
    while candidates:
        square = candidates & (0 - candidates)
        candidates ^= square
        if has_four(c.g, own | square):
            c.total[lowest_bit(square) // c.g.stride] += c.weight[1]
            has_win = True
    return has_win


cdef void _later_rounds(
    Count* c, word_t own, word_t mask, word_t candidates, int last
) noexcept nogil:
    """Play rounds 2 to ``last`` for every candidate that does not win, or whose board is kept."""
    cdef word_t square
    while candidates:
        square = candidates & (0 - candidates)
        candidates ^= square
        c.first = lowest_bit(square) // c.g.stride
        if not has_four(c.g, own | square):
            _round(c, own ^ mask, mask | square, 2, last, False)
        elif c.keep_wins:
            # The four stays after every reply, and counts again.
            c.total[c.first] += c.weight[2] * popcount(playable_squares(c.g, mask | square))


cdef bint _has_single_best(const Count* c, word_t candidates) noexcept nogil:
    """Return whether one candidate has a larger total than every other."""
    cdef int column, number = 0
    cdef int64_t best = 0
    while candidates:
        column = lowest_bit(candidates) // c.g.stride
        candidates &= candidates - 1
        if number == 0 or c.total[column] > best:
            best = c.total[column]
            number = 1
        elif c.total[column] == best:
            number += 1
    return number == 1


cdef void _clear(Count* c) noexcept nogil:
    cdef int column
    for column in range(c.g.width):
        c.total[column] = 0


cdef void _set_weights(Count* c, Scale scale, int open_columns) noexcept nogil:
    """Set the weight of every round; all weights are whole numbers."""
    cdef int round_
    c.weight[c.depth] = 1 if scale == EVEN else open_columns
    if scale == HELD and c.depth > 1:
        c.weight[c.depth] *= open_columns
    for round_ in range(c.depth - 1, 0, -1):
        c.weight[round_] = c.weight[round_ + 1]
        if scale == FALLING or (scale == HELD and round_ > 1):
            c.weight[round_] *= open_columns


@by_width
def blog_weights(
    Position position not None,
    *,
    int depth,
    str scale,
    str missed="none",
    int missed_extra=0,
    bint stops_early=False,
    bint flat_later=False,
    bint keep_wins=False,
    candidates=None,
    Stop stop=None,
):
    """Return the weight of every column; None for a column that is not a candidate.

    Args:
        position: a position that is not over.
        depth: rounds, 0 to 12, on wide boards 0 to 10; each round multiplies the time by the number of
            columns.
        scale: the weights of the rounds: ``"even"``, ``"falling"`` (from n^depth down to n, for n
            open columns) or ``"held"`` (the same after one more round at n^depth).
        missed: the fours that count against a column because it could have completed them in round
            1: ``"none"``, ``"round3"`` (the player's fours of round 3) or ``"round3+"`` (both
            sides' fours from round 3 on).
        missed_extra: the cost of such a four in addition to the weight of its round.
        stops_early: end after round 1 if it has a win, and after round 2 if one column is best.
        flat_later: vertical fours do not count from round 3 on.
        keep_wins: keep a board that round 1 wins until round 2 has been played on it. Every reply
            then counts the win again.
        candidates: columns of round 1 (default: every open column).
        stop: ends the search without an answer; None if it is never set.
    """
    cdef const Board* g = position.g
    cdef word_t own = position.stones, mask = position.mask
    cdef word_t chosen = playable_squares(g, mask), square
    cdef Count c
    cdef int column, open_columns = popcount(chosen)
    cdef int most = MAX_ROUNDS if is_narrow(g) else MAX_WIDE_ROUNDS
    if not 0 <= depth <= most:
        raise ValueError(f"depth must be from 0 to {most}, not {depth}")
    c.g = g
    c.depth = depth
    c.missed = _MISSED[missed]
    c.missed_extra = missed_extra
    c.flat_later = flat_later
    c.keep_wins = keep_wins
    c.boards = 0
    c.watch = watch_of(stop)
    c.stopped = False
    if candidates is not None:
        chosen &= _columns_mask(g, candidates)
    _clear(&c)
    if depth:
        _set_weights(&c, _SCALES[scale], open_columns)
        with nogil:
            _run(&c, own, mask, chosen, stops_early)
        if c.stopped:
            raise StopPlaying
    weights = [None] * g.width
    while chosen:
        column = lowest_bit(chosen) // g.stride
        chosen &= chosen - 1
        weights[column] = c.total[column]
    return tuple(weights)


cdef void _run(
    Count* c, word_t own, word_t mask, word_t candidates, bint stops_early
) noexcept nogil:
    cdef bint has_win = _first_round(c, own, mask, candidates)
    if c.depth == 1 or (stops_early and has_win):
        return
    if stops_early:
        # Without a win in round 1 all weights are still 0.
        _later_rounds(c, own, mask, candidates, 2)
        if _has_single_best(c, candidates) or c.depth == 2:
            return
        _clear(c)
    _later_rounds(c, own, mask, candidates, c.depth)


cdef word_t _columns_mask(const Board* g, columns) except? 0:
    """Return every square of some columns."""
    cdef word_t squares = 0
    for column in columns:
        if not 0 <= column < g.width:
            raise ValueError(f"column {column} is outside the board")
        squares |= ((<word_t>1 << g.height) - 1) << (<int>column * g.stride)
    return squares
