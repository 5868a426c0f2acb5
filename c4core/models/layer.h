/* A layer of a network in integers: activations and weights have 16 bits, sums have 32 bits.

   Sums of integers do not depend on their order. So every processor gets the same bits, with any width
   of vectors.

   A *row* is the input of one sum. Two inputs are multiplied at once, so their weights are side by side,

       weights[input / 2][output][input & 1]

   and the products of both are added to the same sum. The result is rounded and clipped:

       y = min(max(0, (bias + weights * x + (skip << shift)) >> shift, rounded), C4_MOST)

   A convolution of 3 x 3 computes two squares of a column at once by Winograd's algorithm F(2, 3): four
   products instead of six for each column of its kernel (Winograd 1980; Lavin and Gray 2016). From the
   squares d0 to d3 of a column, of which d1 and d2 are the two, and the weights g0 to g2:

       m0 = (d0 - d2) g0                           y(d1) = m0 + m1 + m2
       m1 = (d1 + d2) (g0 + g1 + g2) / 2           y(d2) = m1 - m2 - m3
       m2 = (d2 - d1) (g0 - g1 + g2) / 2
       m3 = (d1 - d3) g2

   residual.pyx quantizes the weights so that no sum overflows. */
#ifndef C4_LAYER_H
#define C4_LAYER_H

#include <stdint.h>
#include <string.h>

#define C4_MOST 16383 /* the largest activation: d1 + d2 has 16 bits, too */
#define C4_STAR 25    /* taps of the first layer */
#define C4_PARTS 4    /* m0 to m3 */

typedef struct {
    const int32_t *weights; /* pairs of 16 bits; a convolution has inputs for m0, then m1, m2, m3 */
    const int32_t *bias;
    int inputs;  /* inputs of a row, even; of a square in a convolution, a multiple of 8 */
    int outputs; /* a multiple of 8 */
    int shift;   /* 1 or more */
} c4_layer;

/* The squares that an input bit reaches in the first layer, and the tap for each. */
typedef struct {
    int count;
    uint8_t squares[C4_STAR], taps[C4_STAR];
} c4_reach;

/* A 3 x 3 convolution over boards. Squares are stored board after board and column after column, each from
   the bottom up. A part has the inputs of three neighbouring columns, from the left. `parts` has room for
   all parts of x, `sums` for C4_PARTS sums of every two squares of a column in all boards. y may be skip. */
typedef void c4_convolution(const c4_layer *layer, const int16_t *x, int16_t *y, const int16_t *skip,
                            int boards, int width, int height, int16_t *parts, int32_t *sums);

/* A dense layer for `rows` rows of x that are `stride` numbers apart; rows of y are `outputs` apart.
   `sums` has room for the sums of all rows. */
typedef void c4_dense(const c4_layer *layer, const int16_t *x, int16_t *y, const int16_t *skip,
                      int rows, int stride, int32_t *sums);

/* Add a bit's weights[tap][channel] to the sums[square][channel] that it reaches. */
typedef void c4_spread(const int32_t *weights, const c4_reach *reach, int32_t *sums, int channels);

/* y = min(max(0, sum >> shift, rounded), C4_MOST) for n sums; n is a multiple of 8. */
typedef void c4_settle(const int32_t *sums, int16_t *y, int n, int shift);

typedef struct {
    c4_convolution *convolve;
    c4_dense *apply;
    c4_spread *spread;
    c4_settle *settle;
} c4_kernel;

#define C4_ALWAYS static inline __attribute__((always_inline))
#define C4_JOINED(name, kind) c4_##name##_##kind
#define C4_EXPANDED(name, kind) C4_JOINED(name, kind)
#define C4_NAMED(name) C4_EXPANDED(name, C4_KIND)

#if defined(__x86_64__)
#include <immintrin.h>

/* SSE2, which every x86-64 has. */
#define C4_KIND portable
#define C4_LANES 4
#define C4_TARGET
#define C4_ADD_PRODUCTS(sum, weights, pair) \
    ((sum) + (lanes)_mm_madd_epi16((__m128i)(weights), (__m128i)((lanes){0} + (pair))))
#include "layer_tile.h"

#define C4_KIND avx2
#define C4_LANES 8
#define C4_TARGET __attribute__((target("avx2")))
#define C4_ADD_PRODUCTS(sum, weights, pair) \
    ((sum) + (lanes)_mm256_madd_epi16((__m256i)(weights), (__m256i)((lanes){0} + (pair))))
#include "layer_tile.h"

/* One instruction computes the products and both additions. */
#define C4_KIND vnni
#define C4_LANES 8
#define C4_TARGET __attribute__((target("avx2,avx512f,avx512vl,avx512vnni")))
#define C4_ADD_PRODUCTS(sum, weights, pair) \
    ((lanes)_mm256_dpwssd_epi32((__m256i)(sum), (__m256i)(weights), (__m256i)((lanes){0} + (pair))))
#include "layer_tile.h"

static int c4_has_avx2(void) { return __builtin_cpu_supports("avx2"); }
static int c4_has_vnni(void) {
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

#else

/* Shifts separate the halves of a pair; every compiler vectorizes them. */
#define C4_KIND portable
#define C4_LANES 4
#define C4_TARGET
#define C4_ADD_PRODUCTS(sum, weights, pair) \
    ((sum) + (((weights) << 16) >> 16) * (int32_t)(int16_t)(pair) + ((weights) >> 16) * ((pair) >> 16))
#include "layer_tile.h"

#define c4_kernel_avx2 c4_kernel_portable
#define c4_kernel_vnni c4_kernel_portable
static int c4_has_avx2(void) { return 0; }
static int c4_has_vnni(void) { return 0; }

#endif

#endif
