"""Declarations of atomics.h: atomic words, a prefetch, a monotonic clock."""

from libc.stdint cimport uint64_t


cdef extern from "atomics.h" nogil:
    uint64_t load "c4_load"(const uint64_t* word) noexcept
    void store "c4_store"(uint64_t* word, uint64_t value) noexcept
    uint64_t add "c4_add"(uint64_t* word, uint64_t value) noexcept
    bint exchange_if "c4_exchange_if"(
        uint64_t* word, uint64_t expected, uint64_t value
    ) noexcept
    void* load_pointer "c4_load_pointer"(void* const* place) noexcept
    bint publish "c4_publish"(void** place, void* pointer) noexcept
    void prefetch "c4_prefetch"(const void* address) noexcept
    void prefer_huge_pages "c4_prefer_huge_pages"(void* start, size_t size) noexcept
    double now "c4_now"() noexcept
