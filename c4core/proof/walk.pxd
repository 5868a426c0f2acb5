"""The declarations of a half of a proof, for walk.pyx and prover.pyx."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from c4core.engine.board cimport MAX_COLUMNS, Board
from c4core.engine.board cimport Board
from c4core.position cimport Position
from c4core.proof.rules cimport RULES

cdef enum:
    PLIES = 65
    REPLIES = 255       # the stored value of a position that no rule ends
    KINDS = 3           # a move makes no new threat, a later one, or an immediate one
    MOVE_CELLS = PLIES * MAX_COLUMNS * KINDS
    END_CELLS = PLIES * 2       # the prover has no threat, or one
    RULE_CELLS = PLIES * RULES


# A coder either writes or reads; both use the same code (_code_bit).
cdef struct Coder:
    bint reading
    bint failed             # it has read beyond the end, or has run out of memory
    uint32_t range_
    uint32_t code           # when reading
    uint64_t low            # when writing: the low end of the interval, with its carry
    uint8_t held            # the last byte before ``low`` that a carry may still change
    uint64_t pending        # the number of bytes not written yet: the held one, then bytes 255
    uint8_t* data
    size_t place
    size_t size


@cython.final
cdef class Half:
    cdef readonly Position start
    cdef readonly bint upper
    cdef readonly int bound
    cdef readonly int rules
    cdef readonly int least
    cdef const Board* g
    cdef const uint8_t[::1] code
    cdef Coder coder
    cdef uint16_t[MOVE_CELLS] moves
    cdef uint16_t[END_CELLS] ends
    cdef uint16_t[RULE_CELLS] which
