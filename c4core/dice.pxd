"""C declarations of ``Dice``: inline draws without the interpreter lock."""

cimport cython
from libc.stdint cimport uint32_t, uint64_t

cdef struct DiceState:
    uint64_t word[4]


cdef inline uint64_t _rotated(uint64_t word, int places) noexcept nogil:
    return (word << places) | (word >> (64 - places))


cdef inline uint64_t draw_word(DiceState* dice) noexcept nogil:
    """Return 64 random bits (xoshiro256**)."""
    cdef uint64_t* word = dice.word
    cdef uint64_t result = _rotated(word[1] * 5, 7) * 9
    cdef uint64_t shifted = word[1] << 17
    word[2] ^= word[0]
    word[3] ^= word[1]
    word[1] ^= word[2]
    word[0] ^= word[3]
    word[2] ^= shifted
    word[3] = _rotated(word[3], 45)
    return result


cdef inline uint32_t draw_below(DiceState* dice, uint32_t limit) noexcept nogil:
    """Return a number from 0 to limit - 1, each equally likely (Lemire's multiplication); limit > 0."""
    cdef uint64_t product = (draw_word(dice) >> 32) * limit
    cdef uint32_t least
    if <uint32_t>product < limit:
        # If 2^32 is not a multiple of limit, a draw in the surplus is repeated.
        least = (0 - limit) % limit
        while <uint32_t>product < least:
            product = (draw_word(dice) >> 32) * limit
    return <uint32_t>(product >> 32)


@cython.final
cdef class Dice:
    cdef DiceState state
