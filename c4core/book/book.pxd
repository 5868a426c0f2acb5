"""C declarations of :class:`Book`; book.pyx explains them."""

from libc.stdint cimport int8_t, uint64_t

from c4core.engine.board cimport Board
from c4core.book.codec cimport Section
from c4core.book.numbering cimport Ranking
from c4core.position cimport Position

cdef class Book:
    cdef readonly str path
    cdef readonly object info
    cdef Ranking _ranking
    cdef object _file                   # open; None if the book is closed
    cdef int _first, _last
    cdef bint _complete
    cdef Section* _sections

    cdef int _open(self, int descriptor) except -1
    cdef int _raise_damaged(self, str what, uint64_t offset) except -1
    cdef int _raise_fault(self, int fault, uint64_t offset) except -1
    cdef object _held(self)
    cdef Position _read(self, object position)
    cdef int _check_board(self, const Board* g, object board) except -1
    cdef int _probe(
        self, uint64_t stones, uint64_t mask, bint reachable, uint64_t* fault_offset
    ) noexcept nogil
    cdef int _columns(
        self, uint64_t stones, uint64_t mask, int8_t* scores, uint64_t* fault_offset
    ) noexcept nogil
    cdef object _probe_words(
        self, const uint64_t[::1] stones, const uint64_t[::1] masks, bint reachable
    )
    cdef object _complete_scores(self, object keys)
    cdef object _sparse_level(self, int ply)
