"""Operations that Cython lacks: atomic words, prefetching, a monotonic clock.

Every access to a word is relaxed. A table entry is one self-contained word, and each counter is
independent, so no reader relies on the order of two accesses. Pointers and locks are different: a
thread that sees a pointer also sees the data behind it, and one that takes a lock sees what was
written under it.
"""

from libc.stdint cimport uint64_t


cdef extern from * nogil:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <sched.h>
    #include <time.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    static inline uint64_t c4_load(const uint64_t *word) {
        return __atomic_load_n(word, __ATOMIC_RELAXED);
    }

    static inline void c4_store(uint64_t *word, uint64_t value) {
        __atomic_store_n(word, value, __ATOMIC_RELAXED);
    }

    /* Returns the value before the addition. */
    static inline uint64_t c4_add(uint64_t *word, uint64_t value) {
        return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
    }

    /* Writes the value if the word has the expected one; returns whether it had. */
    static inline int c4_exchange_if(uint64_t *word, uint64_t expected, uint64_t value) {
        return __atomic_compare_exchange_n(
            word, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED
        );
    }

    /* For a few instructions at a time; a thread that is not running may hold the lock. */
    static inline void c4_lock(uint64_t *word) {
        while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE)) {
            sched_yield();
        }
    }

    static inline void c4_unlock(uint64_t *word) {
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    }

    static inline void *c4_load_pointer(void *const *place) {
        return __atomic_load_n(place, __ATOMIC_ACQUIRE);
    }

    /* Writes a pointer if the place has none yet; returns whether it had none. */
    static inline int c4_publish(void **place, void *pointer) {
        void *none = NULL;
        return __atomic_compare_exchange_n(
            place, &none, pointer, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED
        );
    }

    static inline void c4_prefetch(const void *address) {
        __builtin_prefetch(address);
    }

    /* Asks for huge pages: with small pages nearly every lookup waits for an address translation. */
    static inline void c4_prefer_huge_pages(void *start, size_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        madvise(start, size, MADV_HUGEPAGE);
    #else
        (void)start;
        (void)size;
    #endif
    }

    /* Seconds on a clock that never goes back. */
    static inline double c4_now(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }

    /* Lets other threads run for a moment. */
    static inline void c4_rest(void) {
        const struct timespec moment = {0, 50000};
        nanosleep(&moment, NULL);
    }
    """
    uint64_t load "c4_load"(const uint64_t* word) noexcept
    void store "c4_store"(uint64_t* word, uint64_t value) noexcept
    uint64_t add "c4_add"(uint64_t* word, uint64_t value) noexcept
    bint exchange_if "c4_exchange_if"(
        uint64_t* word, uint64_t expected, uint64_t value
    ) noexcept
    void lock "c4_lock"(uint64_t* word) noexcept
    void unlock "c4_unlock"(uint64_t* word) noexcept
    void* load_pointer "c4_load_pointer"(void* const* place) noexcept
    bint publish "c4_publish"(void** place, void* pointer) noexcept
    void prefetch "c4_prefetch"(const void* address) noexcept
    void prefer_huge_pages "c4_prefer_huge_pages"(void* start, size_t size) noexcept
    double now "c4_now"() noexcept
    void rest "c4_rest"() noexcept
