/* The body of convolution.h, for vectors of C4_LANES numbers. The names of what it defines end with
   that number; it is included once for each. */

typedef float C4_NAMED(lanes)
    __attribute__((vector_size(4 * C4_LANES), aligned(4), may_alias));

/* `squares` squares in a row and `vectors` vectors of outputs: all sums stay in registers. */
C4_ALWAYS void C4_NAMED(conv_tile)(const float *x, float *y, const float *weights, const float *bias,
                            const float *skip, int pitch, int in, int out, int squares,
                            int vectors) {
    C4_NAMED(lanes) sums[6][2];
    for (int s = 0; s < squares; s++)
        for (int v = 0; v < vectors; v++)
            sums[s][v] = *(const C4_NAMED(lanes) *)(bias + v * C4_LANES);
    for (int column = -1; column <= 1; column++)
        for (int row = -1; row <= 1; row++) {
            const float *near = x + (column * pitch + row) * in;
            for (int i = 0; i < in; i++) {
                for (int v = 0; v < vectors; v++) {
                    C4_NAMED(lanes) weight = *(const C4_NAMED(lanes) *)(weights + v * C4_LANES);
                    for (int s = 0; s < squares; s++)
                        sums[s][v] += weight * near[s * in + i];
                }
                weights += out;
            }
        }
    for (int s = 0; s < squares; s++)
        for (int v = 0; v < vectors; v++) {
            C4_NAMED(lanes) sum = sums[s][v];
            int at = s * out + v * C4_LANES;
            if (skip)
                sum += *(const C4_NAMED(lanes) *)(skip + at);
            for (int lane = 0; lane < C4_LANES; lane++)
                y[at + lane] = sum[lane] > 0 ? sum[lane] : 0;
        }
}

C4_ALWAYS void C4_NAMED(conv_board)(const float *x, float *y, const float *weights, const float *bias,
                             const float *skip, int width, int height, int in, int out) {
    const int pitch = height + 2;
    for (int first = 0; first < out; first += 2 * C4_LANES) {
        const int wide = out - first > C4_LANES;
        for (int column = 1; column <= width; column++)
            for (int row = 1; row <= height;) {
                const int six = height - row >= 5;
                const int square = column * pitch + row, at = square * out + first;
                const float *from = x + square * in, *more = skip ? skip + at : 0;
                const float *w = weights + first, *b = bias + first;
                if (six && wide)
                    C4_NAMED(conv_tile)(from, y + at, w, b, more, pitch, in, out, 6, 2);
                else if (six)
                    C4_NAMED(conv_tile)(from, y + at, w, b, more, pitch, in, out, 6, 1);
                else if (wide)
                    C4_NAMED(conv_tile)(from, y + at, w, b, more, pitch, in, out, 1, 2);
                else
                    C4_NAMED(conv_tile)(from, y + at, w, b, more, pitch, in, out, 1, 1);
                row += six ? 6 : 1;
            }
    }
}
