"""The C side of ``Evaluator``: what a small search reads without touching Python."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport MAX_COLUMNS, Board
from c4core.position cimport Position


cdef class Evaluator:
    cdef const Board* g
    cdef readonly size_t scratch_bytes      # memory that look needs for itself

    # The worth of columns and of the position, for the side to move. Columns that are full are
    # written, too, and mean nothing. With NULL for columns only the value is made.
    cdef void look(
        self, uint64_t own, uint64_t mask, double* columns, double* value, void* scratch
    ) noexcept nogil

    cdef int check(self, Position position) except -1
