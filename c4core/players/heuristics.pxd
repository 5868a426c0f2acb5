"""The C side of the heuristics of fixed-depth players (see heuristics.pyx)."""

from libc.stdint cimport int64_t, uint64_t

from c4core.engine.board cimport Board

cdef enum Heuristic:
    GROUPS
    THREATS
    BOTH
    ISLANDS
    RUNS
    RUNS_FORWARD
    WINDOWS
    FEATURES
    SQUARES

cdef struct Judge:
    const Board* g
    Heuristic heuristic
    int features            # which of the four count: one bit each, the first lowest
    bint own_is_first       # whether the side that is judged is the first player

# The value for the side with the stones ``own``; its opponent has ``opp``.
cdef int64_t judge(const Judge* j, uint64_t own, uint64_t opp) noexcept nogil
cdef int heuristic_named(str name) except -1
cpdef int feature_bits(str features) except -1
