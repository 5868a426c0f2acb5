"""A game finished by uniform random moves, inlined into the players that sample games."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport Board, drop, has_four
from c4core.dice cimport DiceState, draw_below


cdef inline uint64_t random_square(
    const Board* g, uint64_t mask, DiceState* dice
) noexcept nogil:
    """The square on top of a random column that is not full, each equally likely; one must be.

    Drawing again after a full column is faster than choosing among the open ones.
    """
    cdef uint64_t square
    while True:
        square = drop(g, mask, draw_below(dice, g.width))
        if square:
            return square


cdef inline int playout(
    const Board* g, uint64_t own, uint64_t mask, DiceState* dice
) noexcept nogil:
    """Play on at random: 1 if the side to move (``own``) wins, -1 if it loses, 0 for a draw.

    The game must not have been won yet; the board may be full.
    """
    cdef int sign = 1
    cdef uint64_t square
    while mask != g.squares:
        square = random_square(g, mask, dice)
        own |= square
        mask |= square
        if has_four(g, own):
            return sign
        own ^= mask
        sign = -sign
    return 0
