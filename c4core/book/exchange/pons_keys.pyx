"""The keys of Pascal Pons's opening books: a position as a number in base 3.

The columns are written one after the other, each from the bottom up, a digit a stone: 1 for the side to
move, 2 for the other; a 0 ends a column. Read as a number, the first digit most significant, without the
0 that ends the last column; of the two ways to go through the columns, from the left and from the right,
the one with the smaller number counts. n stones on w columns take n + w - 1 digits.
"""

import numpy as np

from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.board cimport Board, canonical_key, has_four, popcount, split_key
from c4core.engine.kernel cimport board_of

from c4core.book.errors import BookContentError
from c4core.notation import check_board

# Base-3 digits that 64 bits hold.
cdef enum:
    DIGITS = 40

MAX_DIGITS = DIGITS


cdef uint64_t _number(const Board* g, uint64_t stones, uint64_t mask, bint from_right) noexcept nogil:
    """The number with the columns in one order, the last 0 included."""
    cdef uint64_t number = 0, square
    cdef int index, column
    for index in range(g.width):
        column = g.width - 1 - index if from_right else index
        square = <uint64_t>1 << (column * g.stride)
        while square & mask:
            number = 3 * number + (1 if square & stones else 2)
            square <<= 1
        number *= 3
    return number


cdef uint64_t _pons_key(const Board* g, uint64_t stones, uint64_t mask) noexcept nogil:
    return min(_number(g, stones, mask, False), _number(g, stones, mask, True)) // 3


cdef bint _read(const Board* g, uint64_t number, uint64_t* stones, uint64_t* mask) noexcept nogil:
    """The position with the number; False where no position of the board has it."""
    cdef uint64_t digit, own, pile
    cdef int column
    stones[0] = mask[0] = 0
    for column in range(g.width - 1, -1, -1):
        own = pile = 0
        while number % 3 or (column == 0 and number):
            digit = number % 3
            if digit == 0 or pile >> (g.height - 1):
                return False
            # Read from the top down, a column grows below its stones.
            pile = pile << 1 | 1
            own = own << 1 | (digit == 1)
            number //= 3
        number //= 3
        mask[0] |= pile << (column * g.stride)
        stones[0] |= own << (column * g.stride)
    return number == 0 and popcount(stones[0]) == popcount(mask[0]) // 2 and not has_four(g, stones[0])


def pons_keys(const uint64_t[::1] keys, *, int width=7, int height=6):
    """The base-3 keys of positions, as a uint64 array.

    Raises:
        BookContentError: a position has too many stones for 64 bits.
        BoardError: impossible size.
    """
    check_board(width, height)
    cdef const Board* g = board_of(width, height)
    cdef Py_ssize_t index, bad = -1
    cdef uint64_t stones, mask
    result = np.empty(keys.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] numbers = result
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            if popcount(mask) + width - 1 >= DIGITS:
                bad = index
                break
            numbers[index] = _pons_key(g, stones, mask)
    if bad >= 0:
        raise BookContentError(
            f"position {keys[bad]} has more stones than a base-3 key of 64 bits holds", key=keys[bad]
        )
    return result


def read_pons_keys(const uint64_t[::1] numbers, *, int width=7, int height=6):
    """The canonical keys of the positions with some base-3 keys.

    Returns:
        A uint64 array; 0, which is no key, where no position has the number.

    Raises:
        BoardError: impossible size.
    """
    check_board(width, height)
    cdef const Board* g = board_of(width, height)
    cdef Py_ssize_t index
    cdef uint64_t stones, mask
    result = np.zeros(numbers.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] keys = result
    with nogil:
        for index in range(numbers.shape[0]):
            if _read(g, numbers[index], &stones, &mask):
                keys[index] = canonical_key(g, stones, mask)
    return result
