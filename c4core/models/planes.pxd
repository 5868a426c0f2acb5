"""The input planes as words."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport Board, playable_squares, winning_squares

cdef enum:
    PLANES = 7


cdef inline void plane_words(
    const Board* g, uint64_t own, uint64_t mask, int ply, uint64_t* words
) noexcept nogil:
    """Write the squares of every plane as bitboards; planes.pyx lists the planes."""
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
