"""Move ordering's hot path; ordering.pyx says what the terms are."""

from libc.stdint cimport int32_t, uint64_t

from c4core.board cimport Geometry, popcount

cdef enum:
    SQUARES = 64
    THREAT_WEIGHT = 40      # for each square that would win for the mover after the move
    TWO_WEIGHT = 8          # for each open window with two own stones after the move
    THEIRS_WEIGHT = 2       # for each window that the move takes from the opponent
    HISTORY_LIMIT = 512
    HISTORY_SHIFT = 5       # history counts 0 .. HISTORY_LIMIT >> HISTORY_SHIFT points
    HISTORY_LEAK = 4        # a move goes 1 / 2**HISTORY_LEAK of the way to its limit at a time

# What a square is worth wherever the stones are; one for each board size.
cdef struct Ordering:
    int32_t value[2][SQUARES]       # [side to move][square]
    uint64_t windows[SQUARES][4]    # [square][direction]: windows through it, by their first square

# The windows of four squares that matter to a node, each told by its first (lowest) square.
cdef struct Windows:
    uint64_t one[4]     # one stone of the mover, none of the opponent
    uint64_t two[4]     # two stones of the mover, none of the opponent
    uint64_t theirs[4]  # no stone of the mover

cdef const Ordering* ordering_of(const Geometry* g) except NULL


cdef inline void _windows_along(
    Windows* windows, int direction, int step, uint64_t own, uint64_t not_own, uint64_t not_opp
) noexcept nogil:
    cdef uint64_t open_ = not_opp & (not_opp >> step)
    cdef uint64_t theirs = not_own & (not_own >> step)
    cdef uint64_t odd = own ^ (own >> step)         # pairs with one own stone
    cdef uint64_t both = own & (own >> step)        # pairs with two
    cdef uint64_t odd_above = odd >> 2 * step
    cdef uint64_t both_above = both >> 2 * step
    open_ &= open_ >> 2 * step
    windows.one[direction] = open_ & (odd ^ odd_above) & ~(both | both_above)
    windows.two[direction] = open_ & ((odd & odd_above) | ((both ^ both_above) & ~(odd | odd_above)))
    windows.theirs[direction] = theirs & (theirs >> 2 * step)


cdef inline void find_windows(
    Windows* windows, const Geometry* g, uint64_t own, uint64_t mask
) noexcept nogil:
    """Sort the windows of a node by the stones in them, for the side ``own`` to move."""
    cdef uint64_t not_own = g.board & ~own
    cdef uint64_t not_opp = g.board & ~(mask ^ own)
    _windows_along(windows, 0, 1, own, not_own, not_opp)
    _windows_along(windows, 1, g.stride, own, not_own, not_opp)
    _windows_along(windows, 2, g.stride - 1, own, not_own, not_opp)
    _windows_along(windows, 3, g.stride + 1, own, not_own, not_opp)


cdef inline int move_value(
    const Ordering* ordering, const Windows* windows, int side, int square, uint64_t wins
) noexcept nogil:
    """How promising a move to the square is; ``wins`` are the mover's winning squares after it."""
    cdef const uint64_t* through = ordering.windows[square]
    cdef int twos = 0, theirs = 0, direction
    for direction in range(4):
        # A window with one own stone becomes one with two; one with two becomes a threat.
        twos += popcount(windows.one[direction] & through[direction])
        twos -= popcount(windows.two[direction] & through[direction])
        theirs += popcount(windows.theirs[direction] & through[direction])
    return (
        ordering.value[side][square]
        + THREAT_WEIGHT * popcount(wins)
        + TWO_WEIGHT * twos
        + THEIRS_WEIGHT * theirs
    )


cdef inline void history_reward(int32_t* value) noexcept nogil:
    value[0] += (HISTORY_LIMIT - value[0]) >> HISTORY_LEAK


cdef inline void history_decay(int32_t* value) noexcept nogil:
    value[0] -= value[0] >> HISTORY_LEAK
