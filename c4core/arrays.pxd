"""C declarations for arrays of positions."""

from c4core.engine.board cimport Board

# Convert a batch of positions to two arrays of words. ``g`` is the board of texts and keys; it receives theirs.
cdef tuple words_of_batch(object positions, const Board** g)
