"""The residual network of c4core.learning.residual, without PyTorch.

::

    planes 6 x H x W -> convolution -> blocks: x + convolution(convolution(x))
        -> column by column: its squares -> hidden units -> worth of the column
                                                         -> their mean -> loss, draw, win

All convolutions are 3 x 3 and followed by relu, the second of a block after the sum. Numbers are
floats, and the order of additions is fixed (convolution.h): every processor gets the same bits.

Memory of a look, in floats; a *field* is a board with its rim::

    field of planes | field a | field b | hidden units of all columns
"""

cimport cython
from libc.math cimport exp
from libc.stddef cimport size_t
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from c4core.board cimport MAX_COLUMNS, Geometry, geometry_of, mirror_bits, popcount
from c4core.inference.evaluator cimport Evaluator
from c4core.inference.planes cimport PLANES, plane_words

from c4core import kernel
from c4core.notation import check_board


cdef extern from "inference/convolution.h":
    ctypedef void c4_conv_function(
        const float* x, float* y, const float* weights, const float* bias, const float* skip,
        int width, int height, int channels_in, int channels_out
    ) noexcept nogil
    c4_conv_function c4_conv_portable
    c4_conv_function c4_conv_avx2
    void c4_dense(
        const float* x, float* y, const float* weights, const float* bias,
        int stride, int inputs, int outputs, int rows
    ) noexcept nogil

cdef enum:
    LANES = 8           # channels and hidden units are multiples of this
    TAPS = 9
    VALUES = 3          # loss, draw, win

LARGEST = {"channels": 128, "blocks": 16, "hidden": 256}
"""The limits of the numbers that describe a network; ``channels`` and ``hidden`` are multiples of 8."""


@cython.final
cdef class ResidualEngine(Evaluator):
    """ResidualEngine(*, width, height, channels, blocks, hidden, weights, averages=True, portable=False)\n--\n
    Evaluates positions with given weights.

    Args:
        width: columns of the board.
        height: rows of it.
        channels: numbers of a square between convolutions.
        blocks: pairs of convolutions after the first.
        hidden: units of a column.
        weights: float32 (n,), all weights after each other; :func:`weight_shapes` has the order.
        averages: whether the mean is taken with the mirrored position.
        portable: whether to do without AVX2; the results are the same.

    Raises:
        BoardError: there is no such board.
        ValueError: a number is out of range, or there are more or less weights.
    """

    cdef int channels, blocks, hidden
    cdef bint averages
    cdef float* weights
    cdef c4_conv_function* convolve

    def __cinit__(
        self, *, int width, int height, int channels, int blocks, int hidden,
        const float[::1] weights, bint averages=True, bint portable=False
    ):
        cdef Py_ssize_t index, wanted = 0
        check_board(width, height)
        for shape in weight_shapes(height, channels, blocks, hidden).values():
            wanted += shape[0] * (shape[1] if len(shape) > 1 else 1)
        if weights.shape[0] != wanted:
            raise ValueError(f"a network of this size has {wanted:,} weights, not "
                             f"{weights.shape[0]:,}")
        self.g = geometry_of(width, height)
        self.channels, self.blocks, self.hidden = channels, blocks, hidden
        self.averages = averages
        fast = kernel.NAME == "search_x86_v3" and not portable
        self.convolve = c4_conv_avx2 if fast else c4_conv_portable
        self.scratch_bytes = sizeof(float) * (
            (width + 2) * (height + 2) * (PLANES + 2 * channels) + width * hidden
        )
        self.weights = <float*>calloc(wanted, sizeof(float))
        if self.weights == NULL:
            raise MemoryError
        for index in range(wanted):
            self.weights[index] = weights[index]

    def __dealloc__(self):
        free(self.weights)

    cdef void look(
        self, uint64_t own, uint64_t mask, double* columns, double* value, void* scratch
    ) noexcept nogil:
        """See evaluator.pxd. The scratch memory has scratch_bytes."""
        cdef const Geometry* g = self.g
        cdef double[MAX_COLUMNS] worths
        cdef double[MAX_COLUMNS] mirrored
        cdef double other
        cdef int column
        self._forward(own, mask, worths, value, <float*>scratch)
        if self.averages:
            # A sum of two does not depend on their order: both images get the same worths.
            self._forward(
                mirror_bits(g, own), mirror_bits(g, mask), mirrored, &other, <float*>scratch
            )
            value[0] = (value[0] + other) / 2
            for column in range(g.width):
                worths[column] = (worths[column] + mirrored[g.width - 1 - column]) / 2
        if columns != NULL:
            for column in range(g.width):
                columns[column] = worths[column]

    cdef void _forward(
        self, uint64_t own, uint64_t mask, double* columns, double* value, float* scratch
    ) noexcept nogil:
        """One pass through the network."""
        cdef const Geometry* g = self.g
        cdef int pitch = g.height + 2, channels = self.channels, hidden = self.hidden
        cdef int squares = (g.width + 2) * pitch
        cdef float* planes = scratch
        cdef float* a = planes + squares * PLANES
        cdef float* b = a + squares * channels
        cdef float* units = b + squares * channels
        cdef const float* weights = self.weights
        cdef uint64_t[PLANES] words
        cdef int plane, column, row, block, unit
        cdef float total
        cdef float[VALUES] results
        cdef double sure = 0
        # 1. The planes. Fields begin with zeros, because nothing else writes their rims.
        memset(scratch, 0, squares * (PLANES + 2 * channels) * sizeof(float))
        plane_words(g, own, mask, popcount(mask), words)
        for column in range(g.width):
            for row in range(g.height):
                for plane in range(PLANES):
                    planes[((column + 1) * pitch + row + 1) * PLANES + plane] = (
                        words[plane] >> (column * g.stride + row)
                    ) & 1
        # 2. The first convolution, then the blocks; the second of a block adds to what it replaces.
        self.convolve(
            planes, a, weights, weights + TAPS * PLANES * channels, NULL,
            g.width, g.height, PLANES, channels
        )
        weights += (TAPS * PLANES + 1) * channels
        for block in range(self.blocks):
            self.convolve(
                a, b, weights, weights + TAPS * channels * channels, NULL,
                g.width, g.height, channels, channels
            )
            weights += (TAPS * channels + 1) * channels
            self.convolve(
                b, a, weights, weights + TAPS * channels * channels, a,
                g.width, g.height, channels, channels
            )
            weights += (TAPS * channels + 1) * channels
        # 3. The units of every column: its squares lie side by side.
        c4_dense(
            a + (pitch + 1) * channels, units, weights,
            weights + g.height * channels * hidden,
            pitch * channels, g.height * channels, hidden, g.width
        )
        weights += (g.height * channels + 1) * hidden
        # 4. The worth of every column.
        for column in range(g.width):
            total = weights[hidden]
            for unit in range(hidden):
                total += weights[unit] * units[column * hidden + unit]
            columns[column] = total
        weights += hidden + 1
        # 5. The results, from the mean of the units, and the value: sure to win less sure to lose.
        for row in range(VALUES):
            results[row] = weights[hidden * VALUES + row]
        for unit in range(hidden):
            total = 0
            for column in range(g.width):
                total += units[column * hidden + unit]
            total /= g.width
            for row in range(VALUES):
                results[row] += weights[unit * VALUES + row] * total
        for row in range(VALUES):
            sure += exp(results[row] - results[2])
        value[0] = (1 - exp(results[0] - results[2])) / sure


def weight_shapes(int height, int channels, int blocks, int hidden):
    """The arrays of weights, by name, in the order in which they follow each other.

    Matrices are (inputs, outputs). The inputs of a convolution are ordered by the neighbour's
    column, its row, and the channel; those of a column by row and channel.

    Raises:
        ValueError: a number is out of range.
    """
    for name, number in (("channels", channels), ("blocks", blocks), ("hidden", hidden)):
        least = 1 if name == "blocks" else LANES
        if not least <= number <= LARGEST[name] or (name != "blocks" and number % LANES):
            of_lanes = "" if name == "blocks" else f", a multiple of {LANES}"
            raise ValueError(f"{name} cannot be {number}: it is {least} to {LARGEST[name]}{of_lanes}")
    shapes = {"first.weight": (TAPS * PLANES, channels), "first.bias": (channels,)}
    for block in range(blocks):
        for half in ("inner", "outer"):
            shapes[f"blocks.{block}.{half}.weight"] = (TAPS * channels, channels)
            shapes[f"blocks.{block}.{half}.bias"] = (channels,)
    shapes["column.weight"] = (height * channels, hidden)
    shapes["column.bias"] = (hidden,)
    shapes["policy.weight"] = (hidden, 1)
    shapes["policy.bias"] = (1,)
    shapes["value.weight"] = (hidden, VALUES)
    shapes["value.bias"] = (VALUES,)
    return shapes
