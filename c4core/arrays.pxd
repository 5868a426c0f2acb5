"""C declarations for arrays of positions."""

from c4core.engine.board cimport Board

# Convert a batch of positions to two arrays of words; ``g`` receives their board.
cdef tuple words_of_batch(
    object positions, object width, object height, const Board** g
)
