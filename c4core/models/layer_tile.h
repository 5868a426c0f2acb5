/* The body of layer.h, for vectors of C4_LANES sums. It is included once for each kind of processor. */

#define lanes C4_NAMED(lanes)
#define shorts C4_NAMED(shorts)
typedef int32_t lanes __attribute__((vector_size(4 * C4_LANES), aligned(4), may_alias));
typedef int16_t shorts __attribute__((vector_size(2 * C4_LANES), aligned(2), may_alias));

/* Compute `rows` rows and `vectors` vectors of sums: at most twelve, which stay in registers. */
C4_ALWAYS C4_TARGET void C4_NAMED(tile)(const int32_t *weights, const int16_t *x, int32_t *sums,
                                        int inputs, int outputs, int stride, int rows, int vectors) {
    lanes found[6][2];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            found[r][v] = (lanes){0};
    for (int i = 0; i < inputs; i += 2) {
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, x + r * stride + i, sizeof pair);
            for (int v = 0; v < vectors; v++) {
                const lanes weight = *(const lanes *)(weights + v * C4_LANES);
                found[r][v] = C4_ADD_PRODUCTS(found[r][v], weight, pair);
            }
        }
        weights += outputs;
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            *(lanes *)(sums + r * outputs + v * C4_LANES) = found[r][v];
}

/* Compute the sums of all outputs for rows that are `stride` numbers apart. */
C4_ALWAYS C4_TARGET void C4_NAMED(rows)(const int32_t *weights, const int16_t *x, int32_t *sums,
                                        int inputs, int outputs, int stride, int rows) {
    for (int first = 0; first < outputs; first += 2 * C4_LANES) {
        const int two = outputs - first > C4_LANES;
        for (int row = 0; row < rows;) {
            const int six = rows - row >= 6;
            const int16_t *from = x + row * stride;
            int32_t *to = sums + row * outputs + first;
            if (six && two)
                C4_NAMED(tile)(weights + first, from, to, inputs, outputs, stride, 6, 2);
            else if (six)
                C4_NAMED(tile)(weights + first, from, to, inputs, outputs, stride, 6, 1);
            else if (two)
                C4_NAMED(tile)(weights + first, from, to, inputs, outputs, stride, 1, 2);
            else
                C4_NAMED(tile)(weights + first, from, to, inputs, outputs, stride, 1, 1);
            row += six ? 6 : 1;
        }
    }
}

/* Round and clip sums. */
C4_ALWAYS C4_TARGET void C4_NAMED(clip)(lanes sum, int16_t *y, int shift) {
    sum = (sum + (1 << (shift - 1))) >> shift;
    sum &= sum > 0;
    const lanes small = sum < C4_MOST;
    sum = (sum & small) | (C4_MOST & ~small);
    *(shorts *)y = __builtin_convertvector(sum, shorts);
}

/* Add the biases and a skip to the sums of the outputs from `first` on; round and clip them. */
C4_ALWAYS C4_TARGET void C4_NAMED(finish)(const c4_layer *layer, lanes sum, int first, int16_t *y,
                                          const int16_t *skip) {
    sum += *(const lanes *)(layer->bias + first);
    if (skip)
        sum += __builtin_convertvector(*(const shorts *)(skip + first), lanes) << layer->shift;
    C4_NAMED(clip)(sum, y + first, layer->shift);
}

C4_TARGET static void C4_NAMED(dense)(const c4_layer *layer, const int16_t *x, int16_t *y,
                                      const int16_t *skip, int rows, int stride, int32_t *sums) {
    const int out = layer->outputs;
    C4_NAMED(rows)(layer->weights, x, sums, layer->inputs, out, stride, rows);
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < out; i += C4_LANES)
            C4_NAMED(finish)(layer, *(const lanes *)(sums + row * out + i), i, y + row * out,
                             skip ? skip + row * out : 0);
}

/* A row of parts or sums has the squares at heights 2 k and 2 k + 1 of all columns of one board. */
C4_TARGET static void C4_NAMED(convolve)(const c4_layer *layer, const int16_t *x, int16_t *y,
                                         const int16_t *skip, int boards, int width, int height,
                                         int16_t *parts, int32_t *sums) {
    const int in = layer->inputs, out = layer->outputs, tiles = (height + 1) / 2;
    const int rows = boards * tiles, stride = width * in, part = rows * stride, many = rows * out;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < width; column++)
            for (int i = 0; i < in; i += C4_LANES) {
                const int low = row % tiles * 2;
                const int16_t *from = x + ((row / tiles * width + column) * height + low) * in + i;
                int16_t *to = parts + row * stride + column * in + i;
                const shorts none = {0};
                const shorts d0 = low ? *(const shorts *)(from - in) : none;
                const shorts d1 = *(const shorts *)from;
                const shorts d2 = low + 1 < height ? *(const shorts *)(from + in) : none;
                const shorts d3 = low + 2 < height ? *(const shorts *)(from + 2 * in) : none;
                *(shorts *)to = d0 - d2;
                *(shorts *)(to + part) = d1 + d2;
                *(shorts *)(to + 2 * part) = d2 - d1;
                *(shorts *)(to + 3 * part) = d1 - d3;
            }
    for (int column = 0; column < width; column++) {
        /* The columns beside the board are empty. */
        const int left = column > 0 ? -1 : 0, right = column + 1 < width ? 1 : 0;
        for (int m = 0; m < C4_PARTS; m++)
            C4_NAMED(rows)(layer->weights + (3 * m + left + 1) * (in / 2) * out,
                           parts + m * part + (column + left) * in, sums + m * many,
                           (right - left + 1) * in, out, stride, rows);
        for (int row = 0; row < rows; row++)
            for (int i = 0; i < out; i += C4_LANES) {
                const int low = row % tiles * 2;
                const int at = ((row / tiles * width + column) * height + low) * out;
                const int16_t *more = skip ? skip + at : 0;
                const int32_t *from = sums + row * out + i;
                const lanes m0 = *(const lanes *)from, m1 = *(const lanes *)(from + many);
                const lanes m2 = *(const lanes *)(from + 2 * many);
                const lanes m3 = *(const lanes *)(from + 3 * many);
                C4_NAMED(finish)(layer, m0 + m1 + m2, i, y + at, more);
                if (low + 1 < height)
                    C4_NAMED(finish)(layer, m1 - m2 - m3, i, y + at + out, more ? more + out : 0);
            }
    }
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

C4_TARGET static void C4_NAMED(settle)(const int32_t *sums, int16_t *y, int n, int shift) {
    for (int i = 0; i < n; i += C4_LANES)
        C4_NAMED(clip)(*(const lanes *)(sums + i), y + i, shift);
}

static const c4_kernel C4_NAMED(kernel) = {C4_NAMED(convolve), C4_NAMED(dense), C4_NAMED(spread),
                                           C4_NAMED(settle)};

#undef lanes
#undef shorts
#undef C4_KIND
#undef C4_LANES
#undef C4_TARGET
#undef C4_ADD_PRODUCTS
