"""Move ordering's hot path; ordering.pyx says what the terms are."""

from libc.stdint cimport int32_t, uint64_t

from c4core.board cimport SQUARES, Geometry, popcount
from c4core.foresight cimport Foresight

cdef enum:
    THREAT_WEIGHT = 40      # for each square that would win for the mover after the move
    HISTORY_LIMIT = 512
    HISTORY_SHIFT = 5       # history counts 0 .. HISTORY_LIMIT >> HISTORY_SHIFT points
    HISTORY_LEAK = 4        # each update goes 1 / 2**HISTORY_LEAK of the way to the limit

# What a square is worth wherever the stones are; one for each board size.
cdef struct Ordering:
    int32_t value[2][SQUARES]       # [side to move][square]
    const Foresight* foresight      # the network that adds to it early in the game; or NULL

cdef const Ordering* ordering_of(const Geometry* g) except NULL


cdef inline int move_value(
    const Ordering* ordering, const int32_t* history, int side, int square, uint64_t wins
) noexcept nogil:
    """How promising a move to the square is; ``wins`` are the mover's winning squares after it."""
    return (
        ordering.value[side][square]
        + THREAT_WEIGHT * popcount(wins)
        + (history[square] >> HISTORY_SHIFT)
    )


cdef inline void history_reward(int32_t* value) noexcept nogil:
    value[0] += (HISTORY_LIMIT - value[0]) >> HISTORY_LEAK


cdef inline void history_decay(int32_t* value) noexcept nogil:
    value[0] -= value[0] >> HISTORY_LEAK
