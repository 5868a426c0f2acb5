"""Lines of four as words of bits: the windows of a board, named by their first square.

A direction is a step of bits (board.pyx has the picture). Bit q of a word of windows stands for the
line of squares q, q + step, q + 2 step, q + 3 step. On 7x6 there are 69.
"""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport Board, popcount
from c4core.position cimport Position


# How many windows hold two, three and four of one side's stones and none of the other's.
cdef struct WindowCounts:
    int two
    int three
    int four


cdef struct LineTable:
    int count
    uint64_t* lines     # the squares of every line

# Shared for the life of the process; never freed.
cdef const LineTable* lines_of(const Board* g) except NULL


# The stones of "x" or "o"; ValueError for anything else.
cdef uint64_t stones_of(Position position, side) except? 0


cdef inline int step_of(const Board* g, int direction) noexcept nogil:
    """Bits from a square to the next one: up, right, right and down, right and up."""
    if direction == 0:
        return 1
    if direction == 1:
        return g.stride
    return g.stride - 1 if direction == 2 else g.stride + 1


cdef inline uint64_t windows_within(uint64_t squares, int step) noexcept nogil:
    """The windows of one direction whose four squares are all among these."""
    cdef uint64_t pairs = squares & (squares >> step)
    return pairs & (pairs >> 2 * step)


cdef inline uint64_t squares_of_windows(uint64_t windows, int step) noexcept nogil:
    """Every square of some windows of one direction."""
    cdef uint64_t pairs = windows | (windows << step)
    return pairs | (pairs << 2 * step)


cdef inline void add_counts(
    uint64_t open_windows, uint64_t own, int step, WindowCounts* counts
) noexcept nogil:
    """Count the stones in windows of one direction that hold none of the opponent's."""
    cdef uint64_t above = own >> step
    cdef uint64_t odd = own ^ above             # pairs with one stone
    cdef uint64_t both = own & above            # pairs with two
    cdef uint64_t odd_next = odd >> 2 * step
    cdef uint64_t both_next = both >> 2 * step
    counts.four += popcount(open_windows & both & both_next)
    counts.three += popcount(open_windows & ((both & odd_next) | (odd & both_next)))
    counts.two += popcount(
        open_windows
        & ((odd & odd_next) | (both & ~(odd_next | both_next)) | (both_next & ~(odd | both)))
    )


cdef inline WindowCounts count_windows(
    const Board* g, uint64_t own, uint64_t opp
) noexcept nogil:
    """How many windows hold two, three and four stones of ``own`` and none of ``opp``."""
    cdef WindowCounts counts
    cdef int direction, step
    counts.two = counts.three = counts.four = 0
    for direction in range(4):
        step = step_of(g, direction)
        add_counts(windows_within(g.squares & ~opp, step), own, step, &counts)
    return counts
