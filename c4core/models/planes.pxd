"""The declarations of ``Evaluator``, and the input planes as words."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport MAX_COLUMNS, Board, playable_squares, winning_squares
from c4core.position cimport Position

cdef enum:
    PLANES = 7
    # Additions to the worths of columns that win, and that block a win; other worths are smaller.
    WON = 1000
    BLOCKED = 500


cdef class Evaluator:
    cdef const Board* g
    cdef readonly size_t scratch_bytes      # bytes of memory that one evaluation needs

    # Write the worth of every column, and the value of the position, for the side to move. The
    # numbers of full columns mean nothing. If columns is NULL, only the value is computed.
    cdef void evaluate_words(
        self, uint64_t own, uint64_t mask, double* columns, double* value, void* scratch
    ) noexcept nogil

    cdef int check(self, Position position) except -1
    cdef double judge(self, Position position, double* columns) except *


cdef inline void plane_words(
    const Board* g, uint64_t own, uint64_t mask, int ply, uint64_t* words
) noexcept nogil:
    """Write the squares of every plane as bitboards; evaluator.pyx lists the planes."""
    cdef uint64_t parity = 0
    cdef int row
    for row in range(ply & 1, g.height, 2):
        parity |= g.bottom << row
    words[0] = own
    words[1] = own ^ mask
    words[2] = playable_squares(g, mask)
    words[3] = winning_squares(g, own, mask)
    words[4] = winning_squares(g, own ^ mask, mask)
    words[5] = parity
    words[6] = g.squares
