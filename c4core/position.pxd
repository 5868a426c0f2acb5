"""The C side of ``Position``: what the solver reads without touching Python."""

cimport cython
from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.board cimport Board


@cython.final
cdef class Position:
    cdef const Board* g      # shared, never freed
    cdef bint _is_made          # it does not change any more
    cdef readonly int ply       # stones on the board
    cdef uint64_t stones        # of the side to move
    cdef uint64_t mask          # of both sides
    cdef bint _has_moves        # whether it knows how it came about ..
    cdef uint8_t[64] _moves     # .. by these columns, as many as there are stones

cdef Position make_position(const Board* g, uint64_t stones, uint64_t mask, int ply)

cdef Position read_position(object moves, object width, object height)


cdef inline Position as_position(object position, object width, object height):
    """A position as it is, or from a text of moves on a board."""
    if type(position) is Position:
        return <Position>position
    return read_position(position, width, height)
