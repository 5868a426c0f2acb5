"""Zobrist hashing (see zobrist.pyx)."""

from libc.stdint cimport uint64_t

# One random word for each square of each side; filled when the module is loaded.
cdef uint64_t words[2][64]

cdef uint64_t zobrist_hash(uint64_t first, uint64_t second) noexcept nogil
