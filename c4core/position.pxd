"""C declarations of ``Position``: the fields that compiled modules read directly.

Narrow modules read only the low halves of ``stones`` and ``mask``: they must refuse positions on wide boards
(``narrow_position``) or call a wide module.
"""

cimport cython
from libc.stdint cimport uint8_t

from c4core.engine.board cimport SQUARES, Board, field_t, whole_t


@cython.final
cdef class Position:
    cdef const Board* g         # shared, never freed
    cdef bint _is_made          # complete, so it must not change
    cdef readonly int ply       # stones on the board
    cdef bint _has_moves        # whether _moves is filled
    cdef uint8_t[SQUARES] _moves    # the column of each move
    cdef field_t stones         # of the side to move
    cdef field_t mask           # of both sides

cdef Position make_position(const Board* g, whole_t stones, whole_t mask, int ply)

# Return the board of an argument ``board``: a BoardSize, another pair of numbers, or text such as "8x7".
cdef const Board* read_board(object board) except NULL

cdef Position read_position(object moves, const Board* g)


cdef inline Position as_position(object position, const Board* g):
    """Return a position as it is, or read a text of moves on a board."""
    if type(position) is Position:
        return <Position>position
    return read_position(position, g)
