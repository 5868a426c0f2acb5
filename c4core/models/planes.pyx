"""The input planes of networks.

The input of a network is planes, uint8 (n, planes, height, width); row 0 is the bottom row:

=====  =======================================================================================
plane  squares
=====  =======================================================================================
0      squares with stones of the side to move
1      squares with stones of the opponent
2      squares where the next stone of a column falls
3      empty squares that complete four for the side to move, whether they are playable or not
4      empty squares that complete four for the opponent, whether they are playable or not
5      every other row: the side to move fills these squares if the sides fill columns in turn
6      all squares: they show a convolution where the board ends
=====  =======================================================================================

Plane 5 begins with the bottom row if the number of stones is even, else with the row above. Data
sets have planes 0 and 1 only. A *grid* in the form of Brewer 2017 has one
plane: 1 for the stones of one side, -1 for the stones of the other, and 0 for an empty square. Row
0 is the top row.
"""

import numpy as np

from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.board cimport Board, popcount
from c4core.engine.kernel cimport board_of
from c4core.position cimport Position

from c4core.notation import check_board, check_narrow


def input_planes(
    const uint64_t[::1] own, const uint64_t[::1] mask, board, *, int planes=PLANES
):
    """Return the planes of n positions.

    Args:
        own: (n,), the stones of the side to move, as bitboards.
        mask: (n,), all stones.
        board: the board of all positions.
        planes: the number of planes, from the first.

    Returns:
        uint8 (n, planes, height, width).
    """
    check_narrow(check_board(*board), "input planes")
    cdef const Board* g = board_of(board.width, board.height)
    cdef Py_ssize_t index, n = own.shape[0]
    cdef int plane, row, column
    cdef uint64_t[PLANES] words
    if mask.shape[0] != n:
        raise ValueError(f"there are {n} words of own stones and {mask.shape[0]} of all")
    if not 0 <= planes <= PLANES:
        raise ValueError(f"there are {PLANES} planes, not {planes}")
    found = np.empty((n, planes, g.height, g.width), dtype=np.uint8)
    cdef uint8_t[:, :, :, ::1] squares = found
    with nogil:
        for index in range(n):
            plane_words(g, own[index], mask[index], popcount(mask[index]), words)
            for plane in range(planes):
                for row in range(g.height):
                    for column in range(g.width):
                        squares[index, plane, row, column] = (
                            words[plane] >> (column * g.stride + row)
                        ) & 1
    return found


def planes_of_positions(positions, *, bint moved):
    """Return planes 0 and 1 of one or more positions of the same board.

    If ``moved`` is true, plane 0 has the stones of the side that has just moved, otherwise of the
    side to move.
    """
    owns = np.empty(len(positions), dtype=np.uint64)
    masks = np.empty(len(positions), dtype=np.uint64)
    cdef uint64_t[::1] own = owns, mask = masks
    cdef Py_ssize_t index
    cdef Position position
    for index, position in enumerate(positions):
        own[index] = position.stones ^ position.mask if moved else position.stones
        mask[index] = position.mask
    return input_planes(owns, masks, positions[0].board, planes=2)


def words_of_planes(const uint8_t[:, :, :, ::1] planes):
    """Return the stones of planes as bitboards.

    Args:
        planes: (n, 2 or more, height, width).

    Returns:
        Two arrays (n,), uint64: the stones of plane 0, and the stones of both planes 0 and 1.
    """
    cdef int height = planes.shape[2], width = planes.shape[3], row, column, place
    cdef Py_ssize_t index, n = planes.shape[0]
    cdef uint64_t first, second
    check_narrow(check_board(width, height), "input planes")
    if planes.shape[1] < 2:
        raise ValueError(f"there are {planes.shape[1]} planes, not 2")
    owns, masks = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] own = owns, mask = masks
    with nogil:
        for index in range(n):
            first = second = 0
            for row in range(height):
                for column in range(width):
                    place = column * (height + 1) + row
                    first |= <uint64_t>(planes[index, 0, row, column] != 0) << place
                    second |= <uint64_t>(planes[index, 1, row, column] != 0) << place
            own[index], mask[index] = first, first | second
    return owns, masks


def grids_of_planes(planes):
    """Return planes 0 and 1 as grids, int8 (n, 1, height, width), with 1 for the stones of plane 0."""
    grids = planes[:, :1].astype(np.int8) - planes[:, 1:].astype(np.int8)
    return np.ascontiguousarray(grids[:, :, ::-1])
