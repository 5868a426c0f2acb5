"""Lines of four as words of bits, and the C side of the heuristics (see heuristics.pyx).

A window is a line of four squares, named by its first square. A direction is a step of bits (engine/board.pxd
has the picture). Bit q of a word of windows stands for the squares q, q + step, q + 2 step, q + 3 step.
There are 69 windows on 7x6.
"""

from libc.stdint cimport int64_t

from c4core.engine.board cimport Board, word_t
from c4core.position cimport Position

cdef enum Heuristic:
    GROUPS
    THREATS
    BOTH
    RUNS
    WINDOWS
    FEATURES
    SQUARES

cdef struct Judge:
    const Board* g
    Heuristic heuristic
    int features            # the features that count: one bit for each of the four, the first lowest
    bint own_is_first       # whether the side that is judged is the first player

# Return the value for the side with the stones ``own``; its opponent has ``opp``.
cdef int64_t judge(const Judge* j, word_t own, word_t opp) noexcept nogil
cdef int heuristic_named(str name) except -1
cdef int feature_bits(str features) except -1

# Return the stones of "x" or "o". Raises ValueError for any other side.
cdef word_t stones_of(Position position, side) except? 0


cdef inline int step_of(const Board* g, int direction) noexcept nogil:
    """Return the bits from a square to the next: up, right, right and down, or right and up."""
    if direction == 0:
        return 1
    if direction == 1:
        return g.stride
    return g.stride - 1 if direction == 2 else g.stride + 1


cdef inline word_t windows_within(word_t squares, int step) noexcept nogil:
    """Return the windows of one direction whose four squares are all among these squares."""
    cdef word_t pairs = squares & (squares >> step)
    return pairs & (pairs >> 2 * step)


cdef inline word_t squares_of_windows(word_t windows, int step) noexcept nogil:
    """Return every square of some windows of one direction."""
    cdef word_t pairs = windows | (windows << step)
    return pairs | (pairs << 2 * step)
