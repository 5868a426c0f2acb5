"""C declarations of ``Position``: the fields that compiled modules read directly."""

cimport cython
from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.board cimport Board


@cython.final
cdef class Position:
    cdef const Board* g         # shared, never freed
    cdef bint _is_made          # complete, so it must not change
    cdef readonly int ply       # stones on the board
    cdef uint64_t stones        # of the side to move
    cdef uint64_t mask          # of both sides
    cdef bint _has_moves        # whether _moves is filled
    cdef uint8_t[64] _moves     # the column of each move

cdef Position make_position(const Board* g, uint64_t stones, uint64_t mask, int ply)

cdef Position read_position(object moves, object width, object height)


cdef inline Position as_position(object position, object width, object height):
    """Return a position as it is, or read a text of moves on a board."""
    if type(position) is Position:
        return <Position>position
    return read_position(position, width, height)
