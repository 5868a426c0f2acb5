"""Declarations of fours.h: lines of four in all four directions at once."""

from libc.stdint cimport uint64_t


cdef extern from "fours.h" nogil:
    ctypedef struct Steps "c4_steps":
        uint64_t step[4]        # bits from a square to the next one, in each direction

    # Squares that make four with three of the stones; they may be occupied or outside the board.
    uint64_t completions "c4_completions"(const Steps* steps, uint64_t stones) noexcept
    bint any_four "c4_any_four"(const Steps* steps, uint64_t stones) noexcept
