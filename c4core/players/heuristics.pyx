"""Lines of four, and the heuristics of players that search to a fixed depth.

A heuristic depends only on the stones of two sides, ``own`` and ``opp``. It depends neither on the side
to move nor on whether the game is over. All except ``windows`` are differences: the value for one side
is minus the value for the other.

=================  ================================================================================
groups             stones in every line that holds stones of one side only
threats            odd and even squares that complete a line, unless a square below makes them useless
both               groups and threats together
runs               twice the stones of every run that can still become four
windows            lines with two, three or four own stones and no others, and the middle column
features           connected fours, threes, twos and single stones
squares            the lines through every stone's square
=================  ================================================================================
"""

from libc.stdint cimport int64_t

from c4core.engine.board cimport (
    WORD_BITS,
    Board,
    column_mask,
    has_four,
    lowest_bit,
    playable_squares,
    popcount,
    winning_squares,
    word_t,
)
from c4core.position cimport Position

from c4core.players.widths import by_width

cdef enum:
    FEATURES_WIN = 1_000_000_000    # four connected: more than everything else together
    THREAT_VALUE = 100
    # windows
    CENTRE_STONE = 3
    OWN_FOUR = 100
    OWN_THREE = 5
    OWN_TWO = 2
    THEIR_THREE = 4
    # features
    SINGLE_THREE = 900_000      # three, or two and one, with one square that completes them
    OPEN_TWO = 50_000
    FREE_SQUARE = 10_000        # each free square after the first, in a row beside two stones
    SINGLE_CENTRE = 200
    SINGLE_NEXT = 120
    SINGLE_FURTHER = 70
    SINGLE_EDGE = 40

FEATURES_LIMIT = FEATURES_WIN
"""The value of ``features`` if a side has four; every other value is smaller."""

cdef dict _NAMES = {
    "groups": GROUPS,
    "threats": THREATS,
    "both": BOTH,
    "runs": RUNS,
    "windows": WINDOWS,
    "features": FEATURES,
    "squares": SQUARES,
}


@by_width
def winning_columns(Position position not None, side):
    """Return the columns in which a stone of ``"x"`` or ``"o"`` would complete four on any turn."""
    cdef word_t squares = winning_squares(
        position.g, stones_of(position, side), position.mask
    ) & playable_squares(position.g, position.mask)
    columns = []
    while squares:
        columns.append(lowest_bit(squares) // position.g.stride)
        squares &= squares - 1
    return tuple(columns)


cdef word_t stones_of(Position position, side) except? 0:
    if side not in ("x", "o"):
        raise ValueError(f"no side is called {side!r}: 'x' moves first, 'o' second")
    if (side == "o") == (position.ply & 1):
        return position.stones
    return position.stones ^ position.mask


cdef int heuristic_named(str name) except -1:
    if name not in _NAMES:
        raise ValueError(f"no heuristic is called {name!r}: {', '.join(_NAMES)}")
    return _NAMES[name]


@by_width
def heuristic_value(Position position not None, side, str name, *, str features="1234"):
    """Return a position's value by a heuristic, for ``"x"`` or ``"o"``. Players call ``judge`` instead.

    ``features`` has the numbers of the features that count, for the heuristic ``features``.
    """
    cdef word_t own = stones_of(position, side)
    cdef Judge j
    j.g = position.g
    j.heuristic = <Heuristic>heuristic_named(name)
    j.features = feature_bits(features)
    j.own_is_first = side == "x"
    return judge(&j, own, own ^ position.mask)


cdef int feature_bits(str features) except -1:
    """Return the bits of features that are named by number, as in ``"134"``."""
    cdef int bits = 0
    for number in features:
        if number not in "1234":
            raise ValueError(f"no feature is called {number!r}: '1', '2', '3', '4'")
        bits |= 1 << (int(number) - 1)
    return bits


cdef int64_t judge(const Judge* j, word_t own, word_t opp) noexcept nogil:
    if j.heuristic == WINDOWS:
        return _windows(j.g, own, opp)
    if j.heuristic == BOTH:
        return _groups(j.g, own, opp) - _groups(j.g, opp, own) + _signed_threats(j, own, opp)
    if j.heuristic == GROUPS:
        return _groups(j.g, own, opp) - _groups(j.g, opp, own)
    if j.heuristic == THREATS:
        return _signed_threats(j, own, opp)
    if j.heuristic == RUNS:
        return _runs(j.g, own, opp) - _runs(j.g, opp, own)
    if j.heuristic == SQUARES:
        return _squares(j.g, own) - _squares(j.g, opp)
    return _features(j, own, opp)


# --- groups, threats ------------------------------------------------------------------------------


cdef int _groups(const Board* g, word_t own, word_t opp) noexcept nogil:
    """Count the own stones in lines without the opponent's, each stone once for each of its lines."""
    cdef int direction, index, step, stones = 0
    cdef word_t windows
    for direction in range(4):
        step = step_of(g, direction)
        windows = windows_within(g.squares & ~opp, step)
        for index in range(4):
            stones += popcount(windows & (own >> index * step))
    return stones


cdef inline word_t _above_lowest(const Board* g, word_t squares) noexcept nogil:
    """Return, for every column, the squares above the lowest of the given squares.

    Subtracting 1 from a column inverts its bits up to its lowest one. The guard bit, which is set
    first, stops the borrow in a column without such squares.
    """
    cdef word_t marked = squares | (g.bottom << g.height)
    return g.squares & ~(marked ^ (marked - g.bottom))


cdef inline word_t _odd_rows(const Board* g) noexcept nogil:
    """Return the squares of the odd rows; the bottom row is row 1."""
    return g.even & g.squares


cdef int _threats(const Board* g, word_t first, word_t second) noexcept nogil:
    """Return 100 if the threats favour the first player, -100 if they favour the second, else 0.

    A threat is useless if the other player has a threat of the other parity below it, useful or not.
    Even threats of the first player never count.
    """
    cdef word_t odd_rows = _odd_rows(g)
    cdef word_t mask = first | second
    cdef word_t threats1 = winning_squares(g, first, mask)
    cdef word_t threats2 = winning_squares(g, second, mask)
    cdef int odd1 = popcount(threats1 & odd_rows & ~_above_lowest(g, threats2 & ~odd_rows))
    cdef int odd2 = popcount(threats2 & odd_rows & ~_above_lowest(g, threats1 & ~odd_rows))
    if odd1 > odd2:
        return THREAT_VALUE
    if odd2 > odd1 + 1:
        return -THREAT_VALUE
    if odd1 == odd2 and threats2 & ~odd_rows & ~_above_lowest(g, threats1 & odd_rows):
        return -THREAT_VALUE
    return 0


cdef inline int _signed_threats(const Judge* j, word_t own, word_t opp) noexcept nogil:
    return _threats(j.g, own, opp) if j.own_is_first else -_threats(j.g, opp, own)


# --- runs -----------------------------------------------------------------------------------------


cdef int _runs(const Board* g, word_t own, word_t opp) noexcept nogil:
    """Return twice the own stones in lines without the opponent's stones, summed over directions."""
    cdef int direction, step, stones = 0
    cdef word_t windows
    for direction in range(4):
        step = step_of(g, direction)
        windows = windows_within(g.squares & ~opp, step)
        stones += popcount(own & squares_of_windows(windows, step))
    return 2 * stones


# --- windows --------------------------------------------------------------------------------------


# The number of windows with two, three and four stones of one side and none of the other.
cdef struct WindowCounts:
    int two
    int three
    int four


cdef inline void _add_counts(
    word_t open_windows, word_t own, int step, WindowCounts* counts
) noexcept nogil:
    """Count the windows of one direction by own stones; ``open_windows`` hold none of the opponent's."""
    cdef word_t above = own >> step
    cdef word_t odd = own ^ above             # pairs with one stone
    cdef word_t both = own & above            # pairs with two
    cdef word_t odd_next = odd >> 2 * step
    cdef word_t both_next = both >> 2 * step
    counts.four += popcount(open_windows & both & both_next)
    counts.three += popcount(open_windows & ((both & odd_next) | (odd & both_next)))
    counts.two += popcount(
        open_windows
        & ((odd & odd_next) | (both & ~(odd_next | both_next)) | (both_next & ~(odd | both)))
    )


cdef inline WindowCounts _count_windows(
    const Board* g, word_t own, word_t opp
) noexcept nogil:
    """Count the windows with two, three and four stones of ``own`` and none of ``opp``."""
    cdef WindowCounts counts
    cdef int direction, step
    counts.two = counts.three = counts.four = 0
    for direction in range(4):
        step = step_of(g, direction)
        _add_counts(windows_within(g.squares & ~opp, step), own, step, &counts)
    return counts


cdef int _windows(const Board* g, word_t own, word_t opp) noexcept nogil:
    """Return the score of one side. Only threes count among the opponent's lines."""
    cdef WindowCounts mine = _count_windows(g, own, opp)
    cdef WindowCounts theirs = _count_windows(g, opp, own)
    return (
        CENTRE_STONE * popcount(own & column_mask(g, g.width // 2))
        + OWN_FOUR * mine.four
        + OWN_THREE * mine.three
        + OWN_TWO * mine.two
        - THEIR_THREE * theirs.three
    )


# --- squares --------------------------------------------------------------------------------------


cdef int _squares(const Board* g, word_t stones) noexcept nogil:
    """Count the lines through every stone's square, regardless of other stones."""
    cdef int direction, index, step, lines = 0
    cdef word_t windows
    for direction in range(4):
        step = step_of(g, direction)
        windows = windows_within(g.squares, step)
        for index in range(4):
            lines += popcount(windows & (stones >> index * step))
    return lines


# --- features -------------------------------------------------------------------------------------


cdef int64_t _features(const Judge* j, word_t own, word_t opp) noexcept nogil:
    """Return the features of one side minus the features of the other.

    A side with four has won; all other values stay below that.
    """
    cdef int64_t value
    if j.features & 1:
        if has_four(j.g, own):
            return FEATURES_WIN
        if has_four(j.g, opp):
            return -FEATURES_WIN
    value = _side_features(j, own, opp) - _side_features(j, opp, own)
    return max(-FEATURES_WIN + 1, min(FEATURES_WIN - 1, value))


cdef int64_t _side_features(const Judge* j, word_t own, word_t opp) noexcept nogil:
    cdef const Board* g = j.g
    cdef word_t empty = g.squares & ~(own | opp)
    cdef word_t playable = playable_squares(g, own | opp)
    cdef int64_t value = 0
    cdef int direction, step
    for direction in range(4):
        step = step_of(g, direction)
        if j.features & 2:
            value += _threes(own, playable, step)
        if j.features & 4:
            value += _twos(own, playable, empty, step)
    if j.features & 8:
        value += _singles(g, own)
    return value


cdef inline word_t _back(word_t squares, int bits) noexcept nogil:
    """Shift squares back by some bits. A shift by all bits of a word or more is undefined in C."""
    return squares >> bits if bits < WORD_BITS else 0


cdef inline word_t _runs_of_two(word_t own, int step) noexcept nogil:
    """Return the first squares of maximal runs of two stones."""
    return own & ~(own << step) & (own >> step) & ~(own >> 2 * step)


cdef int64_t _threes(word_t own, word_t playable, int step) noexcept nogil:
    """Value feature 2 in one direction: three connected, or two and one with a playable gap."""
    cdef word_t twos = _runs_of_two(own, step)
    cdef word_t threes = (
        own & ~(own << step) & (own >> step) & (own >> 2 * step) & ~(own >> 3 * step)
    )
    cdef word_t before = threes & (playable << step)
    cdef word_t after = threes & (playable >> 3 * step)
    cdef int gaps = popcount(twos & (playable >> 2 * step) & (own >> 3 * step))
    gaps += popcount(twos & (playable << step) & (own << 2 * step))
    return (
        FEATURES_WIN * popcount(before & after)
        + <int64_t>SINGLE_THREE * (popcount(before ^ after) + gaps)
    )


cdef int64_t _twos(word_t own, word_t playable, word_t empty, int step) noexcept nogil:
    """Value feature 3 in one direction: two connected that are not part of a gap pattern."""
    cdef word_t twos = _runs_of_two(own, step)
    cdef word_t before = twos & (playable << step)
    cdef word_t after = twos & (playable >> 2 * step)
    cdef word_t gaps = (after & (own >> 3 * step)) | (before & (own << 2 * step))
    cdef word_t forward, backward
    cdef int index, free = 0
    before &= ~gaps
    after &= ~gaps
    forward = after & ~before
    backward = before & ~after
    for index in range(1, 5):
        # The square next to the run is free; each further free square in a row counts.
        forward &= _back(empty, (2 + index) * step)
        backward &= empty << (1 + index) * step if (1 + index) * step < WORD_BITS else 0
        free += popcount(forward) + popcount(backward)
    return <int64_t>OPEN_TWO * popcount(before & after) + <int64_t>FREE_SQUARE * free


cdef int64_t _singles(const Board* g, word_t own) noexcept nogil:
    """Value feature 4: stones that touch no other of their side, by their distance from the middle."""
    cdef word_t lonely = _lonely(g, own)
    cdef int64_t value = 0
    cdef int distance
    while lonely:
        distance = abs(2 * (lowest_bit(lonely) // g.stride) - (g.width - 1)) // 2
        lonely &= lonely - 1
        if distance == 0:
            value += SINGLE_CENTRE
        elif distance == 1:
            value += SINGLE_NEXT
        elif distance == 2:
            value += SINGLE_FURTHER
        else:
            value += SINGLE_EDGE
    return value


cdef inline word_t _lonely(const Board* g, word_t own) noexcept nogil:
    """Return the stones without a neighbour of their side."""
    cdef int direction, step
    cdef word_t touched = 0
    for direction in range(4):
        step = step_of(g, direction)
        touched |= (own << step) | (own >> step)
    return own & ~touched
