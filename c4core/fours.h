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

/* The windows (four squares in a row, told by the first) that matter to a node, by direction. */
typedef struct {
    uint64_t one[4];    /* one stone of the mover, none of the opponent */
    uint64_t two[4];    /* two stones of the mover, none of the opponent */
    uint64_t theirs[4]; /* no stone of the mover */
} c4_windows;

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

static inline void c4_find_windows(
    const c4_steps *steps, uint64_t not_own, uint64_t not_opp, c4_windows *windows
) {
    const __m256i step = c4_lanes(steps->step);
    const __m256i twice = _mm256_add_epi64(step, step);
    const __m256i open1 = _mm256_set1_epi64x((long long)not_opp);
    const __m256i free1 = _mm256_set1_epi64x((long long)not_own);
    const __m256i own1 = _mm256_andnot_si256(free1, open1);
    const __m256i own2 = _mm256_srlv_epi64(own1, step);
    const __m256i odd = _mm256_xor_si256(own1, own2);
    const __m256i both = _mm256_and_si256(own1, own2);
    const __m256i odd_above = _mm256_srlv_epi64(odd, twice);
    const __m256i both_above = _mm256_srlv_epi64(both, twice);
    const __m256i open2 = _mm256_and_si256(open1, _mm256_srlv_epi64(open1, step));
    const __m256i free2 = _mm256_and_si256(free1, _mm256_srlv_epi64(free1, step));
    const __m256i open4 = _mm256_and_si256(open2, _mm256_srlv_epi64(open2, twice));
    const __m256i one = _mm256_andnot_si256(
        _mm256_or_si256(both, both_above), _mm256_xor_si256(odd, odd_above)
    );
    const __m256i two = _mm256_or_si256(
        _mm256_and_si256(odd, odd_above),
        _mm256_andnot_si256(_mm256_or_si256(odd, odd_above), _mm256_xor_si256(both, both_above))
    );
    _mm256_storeu_si256((__m256i *)windows->one, _mm256_and_si256(open4, one));
    _mm256_storeu_si256((__m256i *)windows->two, _mm256_and_si256(open4, two));
    _mm256_storeu_si256(
        (__m256i *)windows->theirs, _mm256_and_si256(free2, _mm256_srlv_epi64(free2, twice))
    );
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

static inline void c4_find_windows(
    const c4_steps *steps, uint64_t not_own, uint64_t not_opp, c4_windows *windows
) {
    const uint64_t own = not_opp & ~not_own;
    for (int i = 0; i < 4; i++) {
        const int step = (int)steps->step[i];
        const uint64_t odd = own ^ (own >> step);  /* pairs with one own stone */
        const uint64_t both = own & (own >> step); /* pairs with two */
        const uint64_t odd_above = odd >> 2 * step;
        const uint64_t both_above = both >> 2 * step;
        const uint64_t open2 = not_opp & (not_opp >> step);
        const uint64_t free2 = not_own & (not_own >> step);
        const uint64_t open4 = open2 & (open2 >> 2 * step);
        windows->one[i] = open4 & (odd ^ odd_above) & ~(both | both_above);
        windows->two[i] =
            open4 & ((odd & odd_above) | ((both ^ both_above) & ~(odd | odd_above)));
        windows->theirs[i] = free2 & (free2 >> 2 * step);
    }
}

#endif

/* two_weight * (windows that get their second own stone, less those that get their third)
 * + theirs_weight * windows that the opponent loses, for a move that lies in the windows `through`. */
#if defined(__AVX512VL__) && defined(__AVX512VPOPCNTDQ__)

static inline int c4_window_gain(
    const c4_windows *windows, const uint64_t *through, int two_weight, int theirs_weight
) {
    const __m256i t = c4_lanes(through);
    const __m256i one = _mm256_popcnt_epi64(_mm256_and_si256(t, c4_lanes(windows->one)));
    const __m256i two = _mm256_popcnt_epi64(_mm256_and_si256(t, c4_lanes(windows->two)));
    const __m256i theirs = _mm256_popcnt_epi64(_mm256_and_si256(t, c4_lanes(windows->theirs)));
    const __m256i gain = _mm256_add_epi64(
        _mm256_mullo_epi32(_mm256_sub_epi64(one, two), _mm256_set1_epi32(two_weight)),
        _mm256_mullo_epi32(theirs, _mm256_set1_epi32(theirs_weight))
    );
    __m128i half =
        _mm_add_epi32(_mm256_castsi256_si128(gain), _mm256_extracti128_si256(gain, 1));
    half = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
    return _mm_cvtsi128_si32(half);
}

#else

static inline int c4_window_gain(
    const c4_windows *windows, const uint64_t *through, int two_weight, int theirs_weight
) {
    int twos = 0, theirs = 0;
    for (int i = 0; i < 4; i++) {
        twos += __builtin_popcountll(windows->one[i] & through[i]);
        twos -= __builtin_popcountll(windows->two[i] & through[i]);
        theirs += __builtin_popcountll(windows->theirs[i] & through[i]);
    }
    return two_weight * twos + theirs_weight * theirs;
}

#endif

#endif
