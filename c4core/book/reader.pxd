"""A :class:`Book` as the engine's other modules see it; reader.pyx explains it."""

from libc.stdint cimport int8_t, uint64_t

from c4core.board cimport Geometry
from c4core.book.rank cimport Ranking
from c4core.book.section cimport Section

# What a probe can answer besides a score, NOT_THERE and DAMAGED, which are less.
cdef enum:
    NO_MEMORY = -126


cdef class Book:
    cdef readonly str path
    cdef readonly object info
    cdef Ranking _ranking
    cdef object _view                   # of the mapped file; None when closed
    cdef int _first, _last
    cdef bint _complete
    cdef Section* _sections

    cdef int _open(self, object view) except -1
    cdef int _raise_damaged(self, str what, uint64_t offset) except -1
    cdef int _raise_fault(self, int fault, int ply, uint64_t offset) except -1
    cdef int _check_open(self) except -1
    cdef object _mapped(self)
    cdef int _check_board(self, const Geometry* g, object board) except -1
    cdef int _probe(
        self, uint64_t stones, uint64_t mask, bint reachable, uint64_t* trouble
    ) noexcept nogil
    cdef int _columns(
        self, uint64_t stones, uint64_t mask, int8_t* scores, uint64_t* trouble
    ) noexcept nogil
    cdef object _probe_words(
        self, const uint64_t[::1] stones, const uint64_t[::1] masks, bint reachable
    )
    cdef object _complete_scores(self, object keys)
    cdef object _sparse_level(self, int ply)
