"""C declarations of :class:`Book`; book.pyx explains them."""

from libc.stdint cimport int8_t, uint64_t

from c4core.engine.board cimport Board
from c4core.book.numbering cimport Ranking
from c4core.book.storage cimport FAULT, Storage
from c4core.position cimport Position

cdef class Book:
    cdef readonly str path
    cdef readonly object info
    cdef Ranking _ranking
    cdef Storage _storage               # None if the book is closed
    cdef int _last

    cdef Storage _held(self)
    cdef Position _read(self, object position)
    cdef int _check_board(self, const Board* g, object board) except -1
    cdef int _probe(
        self, Storage storage, uint64_t stones, uint64_t mask, bint reachable
    ) except FAULT nogil
    cdef int _columns(
        self, Storage storage, uint64_t stones, uint64_t mask, int8_t* scores
    ) except -1 nogil
    cdef object _probe_words(
        self, const uint64_t[::1] stones, const uint64_t[::1] masks, bint reachable
    )
    cdef object _level_scores(self, object keys)
