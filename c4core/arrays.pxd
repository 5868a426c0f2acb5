"""The C side of arrays of positions."""

from c4core.engine.board cimport Board

# The words of a batch's positions as two arrays, and the board that they are on.
cdef tuple words_of_batch(
    object positions, object width, object height, const Board** g
)
