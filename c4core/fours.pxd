"""Declarations of fours.h: lines of four in all four directions at once."""

from libc.stdint cimport uint64_t


cdef extern from "fours.h" nogil:
    ctypedef struct Steps "c4_steps":
        uint64_t step[4]        # bits from a square to the next one, in each direction

    ctypedef struct Windows "c4_windows":
        uint64_t one[4]
        uint64_t two[4]
        uint64_t theirs[4]

    # Squares that make four with three of the stones; they may be occupied or outside the board.
    uint64_t completions "c4_completions"(const Steps* steps, uint64_t stones) noexcept
    bint any_four "c4_any_four"(const Steps* steps, uint64_t stones) noexcept
    void find_windows "c4_find_windows"(
        const Steps* steps, uint64_t not_own, uint64_t not_opp, Windows* windows
    ) noexcept
    int window_gain "c4_window_gain"(
        const Windows* windows, const uint64_t* through, int two_weight, int theirs_weight
    ) noexcept
