/* The body of layer.h, for vectors of C4_LANES sums. It is included once for each kind of processor. */

#define lanes C4_NAMED(lanes)
typedef int32_t lanes __attribute__((vector_size(4 * C4_LANES), aligned(4), may_alias));

/* Compute `rows` rows and `vectors` vectors of outputs: at most twelve sums, which stay in registers.
   If the pitch is 0, the layer is dense; otherwise it is a convolution. */
C4_ALWAYS C4_TARGET void C4_NAMED(tile)(const c4_layer *layer, const int16_t *x, int16_t *y,
                                        const int16_t *skip, int first, int pitch, int stride,
                                        int rows, int vectors) {
    const int in = layer->inputs, out = layer->outputs, reach = pitch ? 1 : 0;
    const int32_t *weights = layer->weights + first;
    lanes sums[6][2];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            sums[r][v] = *(const lanes *)(layer->bias + first + v * C4_LANES);
    for (int column = -reach; column <= reach; column++)
        for (int row = -reach; row <= reach; row++) {
            const int16_t *near = x + (column * pitch + row) * in;
            for (int i = 0; i < in; i += 2) {
                for (int r = 0; r < rows; r++) {
                    int32_t pair;
                    memcpy(&pair, near + r * stride + i, sizeof pair);
                    for (int v = 0; v < vectors; v++) {
                        const lanes weight = *(const lanes *)(weights + v * C4_LANES);
                        sums[r][v] = C4_ADD_PRODUCTS(sums[r][v], weight, pair);
                    }
                }
                weights += out;
            }
        }
    const int shift = layer->shift, half = 1 << (shift - 1);
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) {
            const int at = first + v * C4_LANES;
            for (int lane = 0; lane < C4_LANES; lane++) {
                int32_t sum = sums[r][v][lane];
                if (skip)
                    sum += skip[r * out + at + lane] << shift;
                sum = (sum + half) >> shift;
                sum = sum > 0 ? sum : 0;
                y[r * out + at + lane] = (int16_t)(sum < C4_MOST ? sum : C4_MOST);
            }
        }
}

/* Compute six rows at once, then the remaining ones one by one. */
C4_ALWAYS C4_TARGET void C4_NAMED(rows)(const c4_layer *layer, const int16_t *x, int16_t *y,
                                        const int16_t *skip, int pitch, int stride, int rows) {
    const int out = layer->outputs;
    for (int first = 0; first < out; first += 2 * C4_LANES) {
        const int wide = out - first > C4_LANES;
        for (int row = 0; row < rows;) {
            const int six = rows - row >= 6;
            const int16_t *from = x + row * stride, *more = skip ? skip + row * out : 0;
            int16_t *to = y + row * out;
            if (six && wide)
                C4_NAMED(tile)(layer, from, to, more, first, pitch, stride, 6, 2);
            else if (six)
                C4_NAMED(tile)(layer, from, to, more, first, pitch, stride, 6, 1);
            else if (wide)
                C4_NAMED(tile)(layer, from, to, more, first, pitch, stride, 1, 2);
            else
                C4_NAMED(tile)(layer, from, to, more, first, pitch, stride, 1, 1);
            row += six ? 6 : 1;
        }
    }
}

C4_TARGET static void C4_NAMED(convolve)(const c4_layer *layer, const int16_t *x, int16_t *y,
                                         const int16_t *skip, int width, int height) {
    const int pitch = height + 2, in = layer->inputs, out = layer->outputs;
    for (int column = 1; column <= width; column++) {
        const int square = column * pitch + 1;
        C4_NAMED(rows)(layer, x + square * in, y + square * out, skip ? skip + square * out : 0, pitch,
                       in, height);
    }
}

C4_TARGET static void C4_NAMED(dense)(const c4_layer *layer, const int16_t *x, int16_t *y,
                                      const int16_t *skip, int rows, int stride) {
    C4_NAMED(rows)(layer, x, y, skip, 0, stride, rows);
}

C4_TARGET static void C4_NAMED(spread)(const int32_t *weights, const c4_reach *reach, int32_t *sums,
                                       int channels) {
    for (int i = 0; i < reach->count; i++) {
        const int32_t *from = weights + reach->taps[i] * channels;
        int32_t *to = sums + reach->squares[i] * channels;
        for (int c = 0; c < channels; c += C4_LANES)
            *(lanes *)(to + c) += *(const lanes *)(from + c);
    }
}

#undef lanes
#undef C4_KIND
#undef C4_LANES
#undef C4_TARGET
#undef C4_ADD_PRODUCTS
