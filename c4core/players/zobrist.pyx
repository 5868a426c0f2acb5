"""Zobrist hashing: one random word for each square and colour; a position is the XOR of its stones.

A stone that is placed or taken back changes the hash by its own word, in and out alike.
"""

from libc.stdint cimport uint64_t

from c4core.dice cimport Dice, draw_word
from c4core.position cimport Position
from c4core.windows cimport lowest_bit, stones_of

cdef enum:
    SEED = 1970     # any number: that the words never change is all that matters


cdef uint64_t zobrist_hash(uint64_t first, uint64_t second) noexcept nogil:
    """The hash of all stones, from the beginning."""
    cdef uint64_t result = 0
    while first:
        result ^= words[0][lowest_bit(first)]
        first &= first - 1
    while second:
        result ^= words[1][lowest_bit(second)]
        second &= second - 1
    return result


def zobrist_key(Position position not None):
    """The hash of a position, from the beginning."""
    return zobrist_hash(stones_of(position, "x"), stones_of(position, "o"))


def zobrist_step(key, Position position not None, int column):
    """The hash after a move, from the hash before it; the same call takes the move back.

    Raises:
        MoveError: the column cannot be played.
    """
    cdef Position after = position.play(column)
    return key ^ words[position.ply & 1][lowest_bit(after.mask ^ position.mask)]


cdef void _fill() noexcept:
    cdef Dice dice = Dice(SEED)
    cdef int side, square
    for side in range(2):
        for square in range(64):
            words[side][square] = draw_word(&dice.state)


_fill()
