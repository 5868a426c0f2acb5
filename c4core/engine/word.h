/* Lines of four in all four directions at once.
 *
 * Each direction is a step of bits (1, stride, stride - 1, stride + 1); with AVX2 the four are the
 * lanes of one vector, without it a loop that the compiler unrolls. Both give the same words, so the
 * search visits the same nodes on every processor.
 */
#ifndef C4_FOURS_H
#define C4_FOURS_H

#include <stdint.h>

typedef struct {
    uint64_t step[4];
} c4_steps;

#if defined(__AVX2__)

#include <immintrin.h>

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
