/* The stones among a square's neighbours, as binary digits. */
#ifndef C4_GATHER_H
#define C4_GATHER_H

#include <stdint.h>

#if defined(C4_PEXT)

#include <immintrin.h>

static inline int c4_gather(uint64_t stones, uint64_t near, uint64_t factor, int low, int high) {
    (void)factor, (void)low, (void)high;
    return (int)_pext_u64(stones, near);
}

#else

/* surroundings.pyx says why this gives the same number. */
static inline int c4_gather(uint64_t stones, uint64_t near, uint64_t factor, int low, int high) {
    return (int)((((stones & near) >> low) * factor) >> high);
}

#endif

#endif
