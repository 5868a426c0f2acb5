"""The C side of ``Position``: what the solver reads without touching Python."""

cimport cython
from libc.stdint cimport uint64_t

from c4core.board cimport Geometry


@cython.final
cdef class Position:
    cdef const Geometry* g      # shared, never freed
    cdef bint _is_made          # it does not change any more
    cdef readonly int ply       # stones on the board
    cdef uint64_t stones        # of the side to move
    cdef uint64_t mask          # of both sides

cdef Position make_position(const Geometry* g, uint64_t stones, uint64_t mask, int ply)
