/* Operations on one word of squares that Cython cannot express: counting bits, gathering bits, and lines
 * of four in all four directions at once. Each has a portable version and one for newer processors; both
 * give the same words, so the search visits the same nodes on every processor.
 */
#ifndef C4_WORD_H
#define C4_WORD_H

#include <stdint.h>

#if defined(__AVX2__) || defined(C4_PEXT)
#include <immintrin.h>
#endif

/* The portable build has no popcnt instruction; without this code, gcc would call a function. */
static inline int c4_popcount(uint64_t bits) {
#if defined(__POPCNT__)
    return __builtin_popcountll(bits);
#else
    bits -= (bits >> 1) & 0x5555555555555555ULL;
    bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (int)((bits * 0x0101010101010101ULL) >> 56);
#endif
}

/* The number of the lowest bit that is set; the word must not be 0. */
static inline int c4_lowest_bit(uint64_t bits) {
    return __builtin_ctzll(bits);
}

/* The stones among a square's neighbours, as binary digits; patterns.pxi explains the multiplication. */
static inline int c4_gather(uint64_t stones, uint64_t near, uint64_t factor, int low, int high) {
#if defined(C4_PEXT)
    (void)factor, (void)low, (void)high;
    return (int)_pext_u64(stones, near);
#else
    return (int)((((stones & near) >> low) * factor) >> high);
#endif
}

/* Each direction is a step of bits: 1, stride, stride - 1 and stride + 1. With AVX2 the four are the lanes
 * of one vector; otherwise the compiler unrolls a loop.
 */

typedef struct {
    uint64_t step[4];
} c4_steps;

#if defined(__AVX2__)

static inline __m256i c4_lanes(const uint64_t *words) {
    return _mm256_loadu_si256((const __m256i *)words);
}

static inline uint64_t c4_or_lanes(__m256i v) {
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) | (uint64_t)_mm_extract_epi64(half, 1);
}

static inline uint64_t c4_completions(const c4_steps *steps, uint64_t stones) {
    const __m256i one = c4_lanes(steps->step);
    const __m256i two = _mm256_add_epi64(one, one);
    const __m256i three = _mm256_add_epi64(two, one);
    const __m256i v = _mm256_set1_epi64x((long long)stones);
    const __m256i up1 = _mm256_sllv_epi64(v, one);
    const __m256i down1 = _mm256_srlv_epi64(v, one);
    const __m256i up = _mm256_and_si256(up1, _mm256_sllv_epi64(v, two));
    const __m256i down = _mm256_and_si256(down1, _mm256_srlv_epi64(v, two));
    const __m256i a = _mm256_or_si256(_mm256_sllv_epi64(v, three), down1);
    const __m256i b = _mm256_or_si256(_mm256_srlv_epi64(v, three), up1);
    return c4_or_lanes(_mm256_or_si256(_mm256_and_si256(up, a), _mm256_and_si256(down, b)));
}

static inline int c4_any_four(const c4_steps *steps, uint64_t stones) {
    const __m256i step = c4_lanes(steps->step);
    const __m256i v = _mm256_set1_epi64x((long long)stones);
    const __m256i pairs = _mm256_and_si256(v, _mm256_srlv_epi64(v, step));
    const __m256i fours = _mm256_srlv_epi64(pairs, _mm256_add_epi64(step, step));
    return !_mm256_testz_si256(pairs, fours);
}

#else

static inline uint64_t c4_completions(const c4_steps *steps, uint64_t stones) {
    uint64_t squares = 0;
    for (int i = 0; i < 4; i++) {
        const int step = (int)steps->step[i];
        const uint64_t up = (stones << step) & (stones << 2 * step);
        const uint64_t down = (stones >> step) & (stones >> 2 * step);
        squares |= up & ((stones << 3 * step) | (stones >> step));
        squares |= down & ((stones >> 3 * step) | (stones << step));
    }
    return squares;
}

static inline int c4_any_four(const c4_steps *steps, uint64_t stones) {
    uint64_t fours = 0;
    for (int i = 0; i < 4; i++) {
        const int step = (int)steps->step[i];
        const uint64_t pairs = stones & (stones >> step);
        fours |= pairs & (pairs >> 2 * step);
    }
    return fours != 0;
}

#endif

#endif
