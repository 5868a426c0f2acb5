"""The declarations of a half of a proof, for walk.pyx and prover.pyx."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t

from c4core.engine.board cimport MAX_COLUMNS, Board
from c4core.position cimport Position
from c4core.proof.coder cimport Coder
from c4core.proof.rules cimport RULES

cdef enum:
    PLIES = 65
    REPLIES = 255       # the stored value of a position that no rule ends
    KINDS = 3           # a move makes no new threat, a later one, or an immediate one
    MOVE_CELLS = PLIES * MAX_COLUMNS * KINDS
    END_CELLS = PLIES * 2       # the prover has no threat, or one
    RULE_CELLS = PLIES * RULES


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
