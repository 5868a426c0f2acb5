"""The residual network of c4core.models.torch.networks, without PyTorch.

::

    planes 7 x H x W -> star convolution -> blocks: x + convolution(convolution(x))
        -> column by column: its squares -> units -> + layer(units, their mean over the columns)
             -> worth of the column

The *worth* of a column is a number for the side to move: the larger, the better. Worths are only compared with
each other; a column that wins has the largest, and one that blocks a win the next largest. A network also
predicts the result in training, which helps it to learn; the engine does not compute it. With two *sides*, player 1 and player 2 have weights of their own; an evaluation uses the weights of the
side to move.

The star convolution sees three squares in each of the eight directions, and the other convolutions 3 x 3
squares. A relu follows every layer; additions to a layer's output come before the relu.

An activation a is stored as the integer 128 a, and a weight w as 2^s w. The shift s is as large as possible
without an overflow in the layer (layer.h). So every processor gets the same bits. Worths differ from
PyTorch's by a few hundredths, while good and bad columns differ by about ten.

Memory of an evaluation; a *field* has ``channels`` activations for each square::

    sums: 32 bits | field a | field b | parts | units | units and means | units: 16 bits
"""

import numpy as np

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from c4core.engine.board cimport (
    MAX_COLUMNS, Board, drop, lowest_bit, mirror_bits, popcount, winning_squares
)
from c4core.models.planes cimport PLANES, plane_words
from c4core.position cimport Position, read_board

from c4core.engine import kernel as engine_kernel
from c4core.models import files
from c4core.notation import BoardSize, check_narrow


cdef extern from "models/layer.h":
    cdef enum:
        C4_MOST         # the largest activation
        C4_STAR         # taps of the first layer
        C4_PARTS        # products of two squares and a column of a kernel
    ctypedef struct c4_layer:
        const int32_t* weights
        const int32_t* bias
        int inputs, outputs, shift
    ctypedef struct c4_reach:
        int count
        unsigned char* squares
        unsigned char* taps
    ctypedef void c4_convolution(
        const c4_layer* layer, const int16_t* x, int16_t* y, const int16_t* skip,
        int boards, int width, int height, int16_t* parts, int32_t* sums
    ) noexcept nogil
    ctypedef void c4_dense(
        const c4_layer* layer, const int16_t* x, int16_t* y, const int16_t* skip,
        int rows, int stride, int32_t* sums
    ) noexcept nogil
    ctypedef void c4_spread(
        const int32_t* weights, const c4_reach* reach, int32_t* sums, int channels
    ) noexcept nogil
    ctypedef void c4_settle(
        const int32_t* sums, int16_t* y, int n, int shift
    ) noexcept nogil
    ctypedef struct c4_kernel:
        c4_convolution* convolve
        c4_dense* apply
        c4_spread* spread
        c4_settle* settle
    const c4_kernel c4_kernel_portable, c4_kernel_avx2, c4_kernel_vnni
    int c4_has_avx2() noexcept nogil
    int c4_has_vnni() noexcept nogil

cdef enum:
    LANES = 8           # channels and units are multiples of this
    SIDE = 3            # rows and columns of a convolution
    LINE = 16           # 32-bit integers of a cache line
    SQUARES = 64        # the largest number of squares of a board
    DEPTH = 2 * 16      # the largest number of convolutions after the first
    MEAN_BITS = 16      # 1 / width is stored as an integer with this many fractional bits
    MOST_SIDES = 2
    IMAGES = 2          # a position and its mirror image
    BITBOARDS = 5       # planes that depend on more than the number of stones
    ACTIVATION_BITS = 7
    HEAD_BITS = 16      # fractional bits of the weights of worths
    MOST_BITS = 14      # the largest shift s
    # Additions to the worths of columns that win, and that block a win; other worths are smaller.
    WON = 1000
    BLOCKED = 500

WINNING_WORTH = float(WON)
"""The addition to the worth of a column that wins."""

BLOCKING_WORTH = float(BLOCKED)
"""The addition to the worth of a column in which the opponent would win."""


STAR = [(0, 0)] + [
    (away * column, away * row)
    for column, row in ((0, 1), (1, 0), (1, 1), (1, -1)) for away in (-3, -2, -1, 1, 2, 3)
]
"""The taps of the first layer, in order: offsets (columns, rows) from a square."""


def kernels():
    """Return the names of the kernels that this processor runs, the slowest first.

    All compute the same bits.
    """
    found = ["portable"]
    if engine_kernel.NAME != "portable" and c4_has_avx2():
        found.append("avx2")
        if c4_has_vnni():
            found.append("vnni")
    return found


cdef struct Network:
    c4_layer[DEPTH] convolutions
    c4_layer column, mixing
    int first_shift
    const int32_t* first                # [plane][tap][channel]
    const int32_t* base                 # [stones & 1][square][channel]: bias and planes 5 and 6
    const int32_t* policy               # [unit], then the bias


@cython.final
cdef class ResidualEngine:
    """ResidualEngine(*, board, channels, blocks, hidden, weights, sides=1, kernel=None)\n--\n
    Evaluates positions of one board with given weights. Threads may share it.

    Args:
        channels: activations of a square between convolutions.
        blocks: pairs of convolutions after the first.
        hidden: units of a column.
        sides: 2 if each side has its own weights, otherwise 1.
        weights: float32 arrays; :func:`weight_shapes` has their names and shapes.
        kernel: one of :func:`kernels`; None for the fastest.
    """

    cdef const Board* g
    cdef size_t scratch_bytes               # bytes of memory that one evaluation needs
    cdef int channels, blocks, hidden, sides
    cdef const c4_kernel* kernel
    cdef c4_reach[SQUARES] reach            # for every square of the board
    cdef Network[MOST_SIDES] networks       # of one or two sides
    cdef int parts                          # the number of parts of a convolution's inputs
    cdef int most_sums                      # the largest number of sums of a layer
    cdef list kept                          # the arrays that all these pointers point into

    def __cinit__(
        self, *, board, int channels, int blocks, int hidden, weights, int sides=1, kernel=None
    ):
        self.g = read_board(board)
        cdef int width = self.g.width, height = self.g.height
        check_narrow(BoardSize(width, height), "models")
        arrays = _checked(weights, weight_shapes(height, channels, blocks, hidden, sides))
        self.channels, self.blocks, self.hidden, self.sides = channels, blocks, hidden, sides
        self.kept = []
        self._choose(kernels().pop() if kernel is None else kernel)
        self._reach_out()
        for side in range(sides):
            self._keep_network(&self.networks[side], arrays, side_prefix(side, sides))
        cdef int field = IMAGES * width * height * channels, tiles = IMAGES * ((height + 1) // 2)
        self.parts = C4_PARTS * tiles * width * channels
        self.most_sums = max(field, C4_PARTS * tiles * channels, IMAGES * width * hidden)
        self.scratch_bytes = (
            4 * self.most_sums + 2 * (2 * field + self.parts + (IMAGES + 3) * width * hidden)
        )

    cdef int _choose(self, str name) except -1:
        """Set the kernel."""
        if name not in kernels():
            raise ValueError(f"kernel {name!r} does not run here; choose one of {', '.join(kernels())}")
        if name == "vnni":
            self.kernel = &c4_kernel_vnni
        else:
            self.kernel = &c4_kernel_avx2 if name == "avx2" else &c4_kernel_portable
        return 0

    cdef int _reach_out(self) except -1:
        """Fill ``reach``: the squares that see each square, and by which tap."""
        cdef int width = self.g.width, height = self.g.height, column, row, tap, count
        cdef c4_reach* reach
        for column in range(width):
            for row in range(height):
                reach = &self.reach[column * height + row]
                count = 0
                for tap, (right, up) in enumerate(STAR):
                    if 0 <= column - right < width and 0 <= row - up < height:
                        reach.squares[count] = (column - right) * height + row - up
                        reach.taps[count] = tap
                        count += 1
                reach.count = count
        return 0

    cdef int _keep_network(self, Network* network, arrays, str prefix) except -1:
        """Store the layers of a side."""
        self._keep_first(network, arrays[f"{prefix}first.weight"], arrays[f"{prefix}first.bias"])
        for block in range(self.blocks):
            for place, half in enumerate(("inner", "outer")):
                name = f"{prefix}blocks.{block}.{half}"
                network.convolutions[2 * block + place] = self._convolution(
                    arrays[f"{name}.weight"], arrays[f"{name}.bias"]
                )
        network.column = self._layer(arrays[f"{prefix}column.weight"], arrays[f"{prefix}column.bias"])
        network.mixing = self._layer(arrays[f"{prefix}mixing.weight"], arrays[f"{prefix}mixing.bias"])
        network.policy = self._head(arrays[f"{prefix}policy.weight"], arrays[f"{prefix}policy.bias"])
        return 0

    cdef const int32_t* _keep(self, array) except NULL:
        """Copy an array to 32-bit integers that begin at a cache line: vectors that cross one load slowly."""
        padded = np.empty(array.size + LINE - 1, dtype=np.int32)
        aligned = padded[-(padded.ctypes.data // 4) % LINE :][: array.size]
        aligned[:] = array.reshape(-1)
        cdef int32_t[::1] numbers = aligned
        self.kept.append(numbers)
        return &numbers[0]

    cdef c4_layer _convolution(self, weight, bias) except *:
        """Return a convolution from weights (3 * 3 * inputs, outputs)."""
        cdef c4_layer layer
        layer.inputs, layer.outputs = weight.shape[0] // (SIDE * SIDE), weight.shape[1]
        kernel = weight.astype(np.float64).reshape(SIDE, SIDE, layer.inputs, layer.outputs)
        below, here, above = kernel[:, 0], kernel[:, 1], kernel[:, 2]
        sides = below + above
        parts = np.array([below, (sides + here) / 2, (sides - here) / 2, above])
        # An input of the second part is at most two activations, of another part one.
        reach = np.abs(parts) * np.array([1, 2, 1, 1]).reshape(-1, 1, 1, 1)
        layer.shift = _shift(
            parts, bias, max(reach[:3].sum(axis=(0, 1, 2)).max(), reach[1:].sum(axis=(0, 1, 2)).max()),
            2 * weight.shape[0]
        )
        layer.weights = self._keep(
            _pairs(_whole(parts.reshape(-1, layer.outputs), layer.shift))
        )
        layer.bias = self._keep(_whole(bias, layer.shift + ACTIVATION_BITS))
        return layer

    cdef c4_layer _layer(self, weight, bias) except *:
        """Return a dense layer from weights (inputs, outputs)."""
        cdef c4_layer layer
        layer.inputs, layer.outputs = weight.shape
        layer.shift = _dense_shift(weight, bias)
        layer.weights = self._keep(_pairs(_whole(weight, layer.shift)))
        layer.bias = self._keep(_whole(bias, layer.shift + ACTIVATION_BITS))
        return layer

    cdef int _keep_first(self, Network* network, weight, bias) except -1:
        """Store the first layer, whose inputs are bits."""
        cdef int width = self.g.width, height = self.g.height, channels = self.channels
        cdef int square, place, parity
        cdef c4_reach* reach
        network.first_shift = _dense_shift(weight, bias)
        taps = _whole(weight, network.first_shift + ACTIVATION_BITS).reshape(C4_STAR, PLANES, channels)
        base = np.empty((2, width * height, channels), dtype=np.int64)
        base[:] = _whole(bias, network.first_shift + ACTIVATION_BITS)
        for square in range(width * height):
            reach = &self.reach[square]
            for place in range(reach.count):
                seen = taps[reach.taps[place]]
                base[:, reach.squares[place]] += seen[BITBOARDS + 1]
                base[square % height & 1, reach.squares[place]] += seen[BITBOARDS]
        network.first = self._keep(taps[:, :BITBOARDS].transpose(1, 0, 2))
        network.base = self._keep(base)
        return 0

    cdef const int32_t* _head(self, weight, bias) except NULL:
        """Store the weights and biases of outputs that are not clipped."""
        scale = np.rint(np.concatenate([weight.reshape(-1), bias]).astype(np.float64) * 2**HEAD_BITS)
        return self._keep(np.clip(scale, -(2.0**31) + 1, 2.0**31 - 1))

    @property
    def board(self):
        """The board size of the model."""
        return BoardSize(self.g.width, self.g.height)

    def evaluate(self, Position position not None):
        """Return the worth of every column, None if it is full; the game must not be over."""
        cdef double[MAX_COLUMNS] columns
        cdef int column
        self._judge(position, columns)
        return [
            columns[column] if drop(self.g, position.mask, column) else None
            for column in range(self.g.width)
        ]

    def choose(self, Position position not None):
        """Return the open column with the largest worth; if several are equal, the leftmost."""
        cdef double[MAX_COLUMNS] columns
        cdef int column, best = -1
        self._judge(position, columns)
        for column in range(self.g.width):
            if drop(self.g, position.mask, column) and (best < 0 or columns[column] > columns[best]):
                best = column
        if best < 0 or position.is_over:
            raise ValueError("no column can be chosen: the game is over")
        return best

    cdef int _judge(self, Position position, double* columns) except -1:
        """Write the worth of every column; the numbers of full columns mean nothing."""
        cdef const Board* g = self.g
        cdef double[IMAGES][MAX_COLUMNS] worths
        cdef uint64_t own = position.stones, mask = position.mask, wins, blocks
        cdef int column
        if position.g != g:
            raise ValueError(
                f"a model of {g.width}x{g.height} cannot judge a position of "
                f"{position.g.width}x{position.g.height}"
            )
        cdef void* scratch = malloc(self.scratch_bytes)
        if scratch == NULL:
            raise MemoryError
        with nogil:
            self._forward(own, mask, worths, <int32_t*>scratch)
        free(scratch)
        wins, blocks = winning_squares(g, own, mask), winning_squares(g, own ^ mask, mask)
        for column in range(g.width):
            # The sum of two numbers does not depend on their order, so both images get the same worths.
            columns[column] = (worths[0][column] + worths[1][g.width - 1 - column]) / 2
            if wins & drop(g, mask, column):
                columns[column] += WON
            if blocks & drop(g, mask, column):
                columns[column] += BLOCKED
        return 0

    cdef void _forward(
        self, uint64_t own, uint64_t mask, double[MAX_COLUMNS]* columns, int32_t* sums
    ) noexcept nogil:
        """Evaluate a position and its mirror image. The memory of the sums must have scratch_bytes."""
        cdef const Board* g = self.g
        cdef int width = g.width, height = g.height
        cdef int channels = self.channels, hidden = self.hidden
        cdef int board = width * height * channels, field = IMAGES * board
        cdef int stones = popcount(mask)
        cdef const Network* network = &self.networks[stones % self.sides]
        cdef int16_t* a = <int16_t*>(sums + self.most_sums)
        cdef int16_t* b = a + field
        cdef int16_t* parts = b + field
        cdef int16_t* units = parts + self.parts
        cdef int16_t* joined = units + IMAGES * width * hidden
        cdef int16_t* mixed = joined + 2 * width * hidden
        cdef uint64_t[PLANES] words
        cdef uint64_t word
        cdef int image, plane, square, column, block, unit
        cdef int64_t total, mean
        # 1. The first layer. Every bit of a plane adds its weights to the squares that see it.
        for image in range(IMAGES):
            memcpy(
                sums + image * board, network.base + (stones & 1) * board, board * sizeof(int32_t)
            )
            plane_words(g, own, mask, stones, words)
            for plane in range(BITBOARDS):
                word = words[plane]
                while word:
                    square = lowest_bit(word)
                    word &= word - 1
                    square -= square // g.stride        # the index without guard rows
                    self.kernel.spread(
                        network.first + plane * C4_STAR * channels, &self.reach[square],
                        sums + image * board, channels
                    )
            own, mask = mirror_bits(g, own), mirror_bits(g, mask)
        self.kernel.settle(sums, a, field, network.first_shift)
        # 2. The blocks: the second convolution adds the field that it overwrites.
        for block in range(self.blocks):
            self.kernel.convolve(
                &network.convolutions[2 * block], a, b, NULL, IMAGES, width, height, parts, sums
            )
            self.kernel.convolve(
                &network.convolutions[2 * block + 1], b, a, a, IMAGES, width, height, parts, sums
            )
        # 3. The units of every column, whose squares are side by side in memory.
        self.kernel.apply(&network.column, a, units, NULL, IMAGES * width, height * channels, sums)
        # 4. The mixing layer: every column's units, and their mean over the columns.
        for image in range(IMAGES):
            for unit in range(hidden):
                total = 0
                for column in range(width):
                    total += units[column * hidden + unit]
                mean = (total * ((1 << MEAN_BITS) // width) + (1 << MEAN_BITS - 1)) >> MEAN_BITS
                for column in range(width):
                    joined[2 * column * hidden + unit] = units[column * hidden + unit]
                    joined[(2 * column + 1) * hidden + unit] = <int16_t>mean
            self.kernel.apply(&network.mixing, joined, mixed, units, width, 2 * hidden, sums)
            # 5. The worth of every column.
            for column in range(width):
                total = 0
                for unit in range(hidden):
                    total += <int64_t>mixed[column * hidden + unit] * network.policy[unit]
                columns[image][column] = _number(total) + <double>network.policy[hidden] / (1 << HEAD_BITS)
            units += width * hidden


cdef inline double _number(int64_t total) noexcept nogil:
    """Return the real number for an integer sum of activations times head weights."""
    return <double>total / (<int64_t>1 << HEAD_BITS + ACTIVATION_BITS)


def _whole(array, int bits):
    """Multiply numbers by 2^bits, and round them."""
    return np.rint(array.astype(np.float64) * 2.0**bits).astype(np.int64)


def _pairs(weight):
    """Return weights (inputs, outputs) in the order of layer.h: two inputs of an output side by side."""
    inputs, outputs = weight.shape
    pairs = weight.astype(np.int16).reshape(inputs // 2, 2, outputs).transpose(0, 2, 1)
    return np.ascontiguousarray(pairs).view(np.int32)


def _dense_shift(weight, bias):
    """Return the shift of a layer with weights (inputs, outputs)."""
    return _shift(weight, bias, np.abs(weight.astype(np.float64)).sum(axis=0).max(), weight.shape[0])


def _shift(weight, bias, double reach, int inputs):
    """Return the largest s so that weights times 2^s fit into 16 bits, and no sum overflows.

    Args:
        reach: the largest sum if all activations are 1, without the bias. One activation is added.
        inputs: the number of activations in a sum. Rounding may add half a unit to each weight.
    """
    largest = max(np.abs(weight).max(), 1e-9)
    for shift in range(MOST_BITS, 0, -1):
        sums = ((reach + 1) * 2.0**shift + inputs) * C4_MOST
        sums += np.abs(bias.astype(np.float64)).max() * 2.0 ** (shift + ACTIVATION_BITS)
        if sums < 2.0**31 and largest * 2.0**shift < 2.0**15:
            return shift
    raise ValueError(f"weights up to {largest:.3g} are too large")


def _checked(weights, shapes):
    """Return the float32 arrays with these names and shapes, checked to be finite."""
    found = {}
    for name, shape in shapes.items():
        array = weights[name]
        if array.shape != shape or array.dtype != np.float32:
            raise ValueError(f"{name} is {array.dtype} {array.shape}, not float32 {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} has numbers that are not finite")
        found[name] = array
    return found


def weight_shapes(int height, int channels, int blocks, int hidden, int sides=1):
    """Return the shapes of the weights, by name. With two sides, the names begin with the side.

    Matrices are (inputs, outputs). The order of the inputs is:

    - in the first layer, by tap (:data:`STAR`) and plane;
    - in a convolution, by the neighbour's column, its row, and the channel;
    - in the column layer, by row and channel;
    - in the mixing layer, a column's units and then the means.
    """
    for name, number, step in (
        ("channels", channels, LANES), ("blocks", blocks, 1), ("hidden", hidden, LANES), ("sides", sides, 1)
    ):
        most = files.LARGEST[name]
        if not step <= number <= most or number % step:
            multiple = f", a multiple of {step}" if step > 1 else ""
            raise ValueError(f"{name} cannot be {number}: it is {step} to {most}{multiple}")
    shapes = {"first.weight": (C4_STAR * PLANES, channels), "first.bias": (channels,)}
    for block in range(blocks):
        for half in ("inner", "outer"):
            shapes[f"blocks.{block}.{half}.weight"] = (SIDE * SIDE * channels, channels)
            shapes[f"blocks.{block}.{half}.bias"] = (channels,)
    shapes["column.weight"] = (height * channels, hidden)
    shapes["column.bias"] = (hidden,)
    shapes["mixing.weight"] = (2 * hidden, hidden)
    shapes["mixing.bias"] = (hidden,)
    shapes["policy.weight"] = (hidden, 1)
    shapes["policy.bias"] = (1,)
    shapes["value.weight"] = (hidden, 3)
    shapes["value.bias"] = (3,)
    return {
        side_prefix(side, sides) + name: shape for side in range(sides) for name, shape in shapes.items()
    }


def side_prefix(side, sides):
    """Return the beginning of the names of a side's weights, ``""`` if all sides share them."""
    return f"sides.{side}." if sides > 1 else ""
