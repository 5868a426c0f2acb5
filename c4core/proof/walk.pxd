"""The C side of one half of a proof."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t

from c4core.board cimport MAX_COLUMNS, Geometry
from c4core.bounds cimport Rows
from c4core.proof.coder cimport Coder
from c4core.proof.rules cimport RULES
from c4core.position cimport Position

cdef enum:
    PLIES = 65
    REPLIES = 255       # the value of a position that no rule ends
    KINDS = 3           # a move makes no new threat, one for later, one for now
    MOVE_CELLS = PLIES * MAX_COLUMNS * KINDS
    END_CELLS = PLIES * 2       # by whether the prover has a threat
    RULE_CELLS = PLIES * RULES


@cython.final
cdef class Half:
    cdef readonly Position start
    cdef readonly bint upper
    cdef readonly int bound
    cdef readonly int rules
    cdef readonly int least
    cdef const Geometry* g
    cdef const Rows* rows
    cdef const uint8_t[::1] code
    cdef Coder coder
    cdef uint16_t[MOVE_CELLS] moves
    cdef uint16_t[END_CELLS] ends
    cdef uint16_t[RULE_CELLS] which
