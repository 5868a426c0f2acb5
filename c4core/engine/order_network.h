/* The arithmetic of order_network.pxi, in whole numbers: the same points on every processor.
 *
 * A row has C4_UNITS weights of 8 bits; with AVX2, the sums of so many units are four vectors of 16-bit
 * words. At most 256 rows are added, and 256 * 127 is less than 2^15: no sum overflows.
 */
#ifndef C4_ORDER_NETWORK_H
#define C4_ORDER_NETWORK_H

#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { C4_UNITS = 64, C4_LANES = 16, C4_PARTS = C4_UNITS / C4_LANES };

typedef int8_t c4_bytes __attribute__((vector_size(C4_LANES)));
typedef int16_t c4_words __attribute__((vector_size(2 * C4_LANES)));

typedef struct {
    c4_words part[C4_PARTS];
} c4_units;

/* Adds the rows with these numbers. */
static inline void c4_add_rows(c4_units *sums, const int8_t *rows, const int32_t *number, int count) {
    c4_words a = sums->part[0], b = sums->part[1], c = sums->part[2], d = sums->part[3];
    for (int i = 0; i < count; i++) {
        const c4_bytes *row = (const c4_bytes *)(rows + C4_UNITS * (int64_t)number[i]);
        a += __builtin_convertvector(row[0], c4_words);
        b += __builtin_convertvector(row[1], c4_words);
        c += __builtin_convertvector(row[2], c4_words);
        d += __builtin_convertvector(row[3], c4_words);
    }
    sums->part[0] = a, sums->part[1] = b, sums->part[2] = c, sums->part[3] = d;
}

/* The sum over all units above 0 of unit times weight. */
static inline int32_t c4_weigh(const c4_units *sums, const int16_t *weights) {
#if defined(__AVX2__)
    __m256i total = _mm256_setzero_si256();
    for (int i = 0; i < C4_PARTS; i++) {
        const __m256i unit = _mm256_max_epi16((__m256i)sums->part[i], _mm256_setzero_si256());
        total = _mm256_add_epi32(
            total, _mm256_madd_epi16(unit, _mm256_loadu_si256((const __m256i *)weights + i)));
    }
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    return _mm_cvtsi128_si32(half);
#else
    uint32_t total = 0; /* modulo 2^32 for weights of any size, as above */
    for (int i = 0; i < C4_UNITS; i++) {
        const int16_t unit = sums->part[i / C4_LANES][i % C4_LANES];
        total += (uint32_t)((unit > 0 ? unit : 0) * weights[i]);
    }
    return (int32_t)total;
#endif
}

#endif
