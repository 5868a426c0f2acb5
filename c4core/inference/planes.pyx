"""Input planes: what a network and a measure see of a position.

=====  =======================================================================================
plane  squares
=====  =======================================================================================
0      with stones of the side to move
1      with stones of the opponent
2      that the next stone of their column falls to
3      empty ones that complete four for the side to move, whether a stone can fall there or not
4      empty ones that complete four for the opponent
5      of every other row: those that the side to move fills if both sides fill columns in turn
6      all: a convolution sees by it where the board ends
=====  =======================================================================================

Plane 5 begins with the bottom row if the number of stones is even, else with the row above.
"""

import numpy as np

from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.kernel cimport board_of
from c4core.engine.board cimport popcount

from c4core.notation import check_board


def words_of_planes(const uint8_t[:, :, :, ::1] planes):
    """The stones of planes as words of the engine's layout.

    Args:
        planes: (n, 2 or more, height, width); row 0 is the bottom row.

    Returns:
        Two arrays (n,), uint64: the stones of plane 0, and those of planes 0 and 1.

    Raises:
        BoardError: there is no such board.
        ValueError: there are less than two planes.
    """
    cdef int height = planes.shape[2], width = planes.shape[3], row, column
    cdef Py_ssize_t index, n = planes.shape[0]
    cdef uint64_t square
    check_board(width, height)
    if planes.shape[1] < 2:
        raise ValueError(f"there are {planes.shape[1]} planes, not 2")
    owns, masks = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    cdef uint64_t[::1] own = owns, mask = masks
    with nogil:
        for index in range(n):
            for row in range(height):
                for column in range(width):
                    square = <uint64_t>1 << (column * (height + 1) + row)
                    if planes[index, 0, row, column]:
                        own[index] |= square
                        mask[index] |= square
                    elif planes[index, 1, row, column]:
                        mask[index] |= square
    return owns, masks


def input_planes(
    const uint64_t[::1] own, const uint64_t[::1] mask, *, int width=7, int height=6
):
    """The planes of n positions of a board.

    Args:
        own: (n,), the stones of the side to move.
        mask: (n,), all stones.
        width: columns of the board.
        height: rows of it.

    Returns:
        uint8 (n, 7, height, width); row 0 is the bottom row.

    Raises:
        BoardError: there is no such board.
        ValueError: the arrays differ in length.
    """
    check_board(width, height)
    cdef const Board* g = board_of(width, height)
    cdef Py_ssize_t index, n = own.shape[0]
    cdef int plane, row, column
    cdef uint64_t[PLANES] words
    if mask.shape[0] != n:
        raise ValueError(f"there are {n} words of own stones and {mask.shape[0]} of all")
    found = np.empty((n, PLANES, height, width), dtype=np.uint8)
    cdef uint8_t[:, :, :, ::1] planes = found
    with nogil:
        for index in range(n):
            plane_words(g, own[index], mask[index], popcount(mask[index]), words)
            for plane in range(PLANES):
                for row in range(height):
                    for column in range(width):
                        planes[index, plane, row, column] = (
                            words[plane] >> (column * g.stride + row)
                        ) & 1
    return found
