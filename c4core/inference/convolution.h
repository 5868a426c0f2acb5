/* A convolution of 3 x 3 over a board, in single precision.

   Squares lie in memory as on a board with a rim of one square: column after column, each from the
   bottom up, `pitch` = height + 2 squares a column. A square has `in` or `out` numbers. The rim of
   the input is 0. The rim of the output is not written.

   weights[tap][in][out]: tap 3 * (column + 1) + (row + 1) is the neighbour at that offset.

   An output is its bias, and then the products are added one by one, tap after tap, input after
   input. Lanes of a vector are different outputs. So the order of additions is the same for every
   width of vectors: with -ffp-contract=off (no fused products) every processor gets the same bits. */
#ifndef C4_CONVOLUTION_H
#define C4_CONVOLUTION_H

#define C4_ALWAYS static inline __attribute__((always_inline))
#define C4_JOINED(name, lanes) c4_##name##_##lanes
#define C4_EXPANDED(name, lanes) C4_JOINED(name, lanes)
#define C4_NAMED(name) C4_EXPANDED(name, C4_LANES)

/* Twelve sums and what they are made of fill the registers: sixteen of 4 numbers, or of 8 with AVX2. */
#define C4_LANES 4
#include "convolution_tile.h"
#undef C4_LANES
#define C4_LANES 8
#include "convolution_tile.h"
#undef C4_LANES

/* y = relu(bias + weights * x + skip), for every square of the board; skip may be NULL. `out` is a
   multiple of 8. */
typedef void c4_conv_function(const float *x, float *y, const float *weights, const float *bias,
                              const float *skip, int width, int height, int in, int out);

static void c4_conv_portable(const float *x, float *y, const float *weights, const float *bias,
                             const float *skip, int width, int height, int in, int out) {
    c4_conv_board_4(x, y, weights, bias, skip, width, height, in, out);
}

#if defined(__x86_64__)
__attribute__((target("avx2")))
static void c4_conv_avx2(const float *x, float *y, const float *weights, const float *bias,
                         const float *skip, int width, int height, int in, int out) {
    c4_conv_board_8(x, y, weights, bias, skip, width, height, in, out);
}
#else
#define c4_conv_avx2 c4_conv_portable
#endif

/* Four rows, 8 outputs: eight sums that do not wait for each other. */
C4_ALWAYS void c4_dense_tile(const float *x, float *y, const float *weights, const float *bias,
                             int stride, int in, int out, int rows) {
    c4_lanes_4 sums[4][2];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < 2; v++)
            sums[r][v] = *(const c4_lanes_4 *)(bias + 4 * v);
    for (int i = 0; i < in; i++)
        for (int v = 0; v < 2; v++) {
            c4_lanes_4 weight = *(const c4_lanes_4 *)(weights + i * out + 4 * v);
            for (int r = 0; r < rows; r++)
                sums[r][v] += weight * x[r * stride + i];
        }
    for (int r = 0; r < rows; r++)
        for (int o = 0; o < 8; o++) {
            float sum = sums[r][o / 4][o % 4];
            y[r * out + o] = sum > 0 ? sum : 0;
        }
}

/* y = relu(bias + weights * x) for rows of x that are `stride` apart, with weights[in][out]; `out` is
   a multiple of 8. The order of additions is that of the inputs. */
static void c4_dense(const float *x, float *y, const float *weights, const float *bias, int stride,
                     int in, int out, int rows) {
    for (int first = 0; first < out; first += 8)
        for (int row = 0; row < rows;) {
            const int four = rows - row >= 4;
            const float *from = x + row * stride;
            float *to = y + row * out + first;
            if (four)
                c4_dense_tile(from, to, weights + first, bias + first, stride, in, out, 4);
            else
                c4_dense_tile(from, to, weights + first, bias + first, stride, in, out, 1);
            row += four ? 4 : 1;
        }
}

#endif
