"""An n-tuple network: a sum of table entries, one from each table.

A *tuple* is a list of squares. The states of its squares are the digits of a number in base 4, the
first square being the lowest digit. This number is an index into the tuple's table::

    0 empty, and no stone can fall there now    2 stone of the side to move
    1 empty, and the next stone falls there     3 stone of the opponent

The *sum* of a position adds the entries of all tuples and of their mirror images, which share the
tables. The value is tanh(sum): -1 if the side to move loses, 1 if it wins. There are two sets of
tables, for positions with an even and with an odd number of stones::

    tables[stones & 1][tuple][index]

The worth of a column is minus the sum of the position after it. A winning column has a larger worth
than all others; a column that fills the board has worth 0. Method: Thill, Koch, Konen 2012,
"Reinforcement learning with n-tuples on the game Connect-4"; the labels here are exact.
"""

import numpy as np

cimport cython
from libc.math cimport exp, fabs, log, tanh
from libc.stdint cimport int8_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free

from c4core.engine.board cimport MAX_COLUMNS, Board, drop, has_four, playable_squares, popcount
from c4core.engine.kernel cimport board_of
from c4core.models.evaluator cimport WON, Evaluator

from c4core.models import files
from c4core.notation import check_board, check_narrow

cdef enum:
    SQUARES = 64        # bits of a word

cdef double OUTCOME = 0.7       # the target for a position that is won as late as possible

MAX_ENTRIES = 1 << 26
"""The largest number of entries in all tables together."""


@cython.final
cdef class TupleEngine(Evaluator):
    """TupleEngine(*, width, height, squares, tables)\n--\n
    An n-tuple network that plays and learns.

    Threads may share it to play, but not while it learns.

    Args:
        squares: uint8 (tuples, length), the squares of every tuple: row * width + column.
        tables: float32 (2, tuples, 4**length); they are not copied, and learning changes them.

    Raises:
        BoardError: the board size is not supported.
        ValueError: the arrays do not fit each other or the board.
    """

    cdef int tuples, length
    cdef float[:, :, ::1] tables
    cdef uint8_t* bits      # the bits of the squares of all tuples, then of their mirror images

    def __cinit__(
        self, *, int width, int height, const uint8_t[:, ::1] squares, float[:, :, ::1] tables
    ):
        cdef int number, place, square, row, column
        check_narrow(check_board(width, height), "models")
        self.g = board_of(width, height)
        shape = table_shape(squares.shape[0], squares.shape[1])
        self.tuples, self.length = squares.shape[0], squares.shape[1]
        if (tables.shape[0], tables.shape[1], tables.shape[2]) != shape:
            raise ValueError(f"the tables of these tuples are {shape}")
        self.tables = tables
        self.scratch_bytes = 1
        self.bits = <uint8_t*>calloc(2 * self.tuples * self.length, 1)
        if self.bits == NULL:
            raise MemoryError
        for number in range(self.tuples):
            for place in range(self.length):
                square = squares[number, place]
                if square >= self.g.cells:
                    raise ValueError(f"tuple {number + 1} has square {square}; the board has "
                                     f"{self.g.cells}")
                row, column = square // width, square % width
                self.bits[number * self.length + place] = column * self.g.stride + row
                self.bits[(self.tuples + number) * self.length + place] = (
                    (width - 1 - column) * self.g.stride + row
                )

    def __dealloc__(self):
        free(self.bits)

    cdef void evaluate_words(
        self, uint64_t own, uint64_t mask, double* columns, double* value, void* scratch
    ) noexcept nogil:
        """See evaluator.pxd."""
        cdef int column
        value[0] = tanh(self._sum(own, mask))
        if columns != NULL:
            for column in range(self.g.width):
                columns[column] = self._worth(own, mask, drop(self.g, mask, column))

    cdef double _worth(self, uint64_t own, uint64_t mask, uint64_t square) noexcept nogil:
        """Return the worth of a stone on a square; meaningless if the square is 0."""
        if has_four(self.g, own | square):
            # All wins are equal. This term makes the choice among them the same in the mirror image.
            return WON - tanh(self._sum(own ^ mask, mask | square))
        if mask | square == self.g.squares:
            return 0
        return -self._sum(own ^ mask, mask | square)

    cdef double _sum(self, uint64_t own, uint64_t mask) noexcept nogil:
        cdef uint8_t[SQUARES] states
        cdef int number, place, index, side = popcount(mask) & 1
        cdef const uint8_t* bits = self.bits
        cdef double total = 0
        self._read(own, mask, states)
        for number in range(2 * self.tuples):
            index = 0
            for place in range(self.length):
                index |= states[bits[place]] << (2 * place)
            bits += self.length
            total += self.tables[side, number % self.tuples, index]
        return total

    cdef void _add(self, uint64_t own, uint64_t mask, float step) noexcept nogil:
        """Add a number to every entry of a position's sum."""
        cdef uint8_t[SQUARES] states
        cdef int number, place, index, side = popcount(mask) & 1
        cdef const uint8_t* bits = self.bits
        self._read(own, mask, states)
        for number in range(2 * self.tuples):
            index = 0
            for place in range(self.length):
                index |= states[bits[place]] << (2 * place)
            bits += self.length
            self.tables[side, number % self.tuples, index] += step

    cdef void _read(self, uint64_t own, uint64_t mask, uint8_t* states) noexcept nogil:
        """Write the state of every square, by the bit of the square in a bitboard."""
        cdef uint64_t playable = playable_squares(self.g, mask)
        cdef int bit
        for bit in range(SQUARES):
            states[bit] = ((mask >> bit) & 1) << 1 | (
                ((mask & ~own) >> bit) & 1
            ) | ((playable >> bit) & 1)

    def learn(
        self, const uint64_t[::1] own, const uint64_t[::1] mask, const uint8_t[:, ::1] best,
        const int8_t[:, ::1] scores, const float[::1] weights, *, double rate
    ):
        """Learn from n positions, one after the other.

        For every position, the sums after all open columns learn: each sum learns its column's exact
        value, and all together learn to put a best column on top.

        Args:
            own: (n,), the stones of the side to move; neither side has four.
            mask: (n,), all stones; at least one column is open.
            best: (n, width), 1 for the best columns.
            scores: (n, width), the scores of the columns for the side to move.
            weights: (n,), the weight of each position.
            rate: the share of an error by which the sum changes.

        Returns:
            The mean losses: minus the logarithm of the probability of the best columns, with worths
            as logits; and the squared error of the values.

        Raises:
            ValueError: the arrays differ in length.
        """
        cdef Py_ssize_t index, n = own.shape[0]
        cdef double policy = 0, value = 0
        cdef int width = self.g.width
        if not (mask.shape[0] == best.shape[0] == scores.shape[0] == weights.shape[0] == n):
            raise ValueError("the arrays differ in length")
        if best.shape[1] != width or scores.shape[1] != width:
            raise ValueError(f"there are labels for other columns than {width}")
        with nogil:
            for index in range(n):
                self._learn_one(
                    own[index], mask[index], &best[index, 0], &scores[index, 0],
                    rate * weights[index] / (2 * self.tuples), &policy, &value
                )
        return policy / max(n, 1), value / max(n, 1)

    cdef void _learn_one(
        self, uint64_t own, uint64_t mask, const uint8_t* best, const int8_t* scores,
        double rate, double* policy, double* value
    ) noexcept nogil:
        """Learn from a position, and add its losses to policy and value."""
        cdef const Board* g = self.g
        cdef double[MAX_COLUMNS] worths
        cdef double[MAX_COLUMNS] chances
        cdef uint64_t square
        cdef double top = -WON, total = 0, of_best = 0, error, target, found, step
        cdef int column, learning = 0
        # 1. The worths. If a column wins at once, there is nothing to learn.
        for column in range(g.width):
            square = drop(g, mask, column)
            if not square:
                continue
            if has_four(g, own | square):
                return
            worths[column] = self._worth(own, mask, square)
            top = max(top, worths[column])
        # 2. The probabilities of the columns, with worths as logits.
        for column in range(g.width):
            if drop(g, mask, column):
                chances[column] = exp(worths[column] - top)
                total += chances[column]
                if best[column]:
                    of_best += chances[column]
        if of_best <= 0:
            return
        policy[0] -= log(of_best / total)
        # 3. Every sum moves towards its value, and probability moves to the best columns.
        for column in range(g.width):
            square = drop(g, mask, column)
            if not square or mask | square == g.squares:
                continue
            target = -_target(scores[column], g.cells)
            found = tanh(-worths[column])
            error = target - found
            value[0] += error * error / g.width
            step = error + chances[column] / total
            if best[column]:
                step -= chances[column] / of_best
            self._add(own ^ mask, mask | square, <float>(rate * step))


cdef inline double _target(int score, int cells) noexcept nogil:
    """Return the target value for a score: mostly its sign, more extreme the sooner the game ends."""
    cdef double share = fabs(<double>score) / ((cells + 1) // 2)
    if score == 0:
        return 0
    share = OUTCOME + (1 - OUTCOME) * min(share, 1.0)
    return share if score > 0 else -share


def table_shape(int tuples, int length):
    """Return the shape of the tables of this many tuples, each of this many squares.

    Raises:
        ValueError: a number is out of range, or the tables are too large.
    """
    for name, number in (("tuples", tuples), ("length", length)):
        if not 1 <= number <= files.LARGEST["tuples"][name]:
            raise ValueError(f"{name} cannot be {number}: it is 1 to {files.LARGEST['tuples'][name]}")
    shape = (2, tuples, 1 << 2 * length)
    if 2 * tuples * shape[2] > MAX_ENTRIES:
        raise ValueError(f"{tuples} tuples of {length} squares have more than "
                         f"{MAX_ENTRIES:,} entries")
    return shape


def random_tuples(dice, *, int tuples, int length, int width=7, int height=6):
    """Draw random tuples of connected squares. No two are equal or mirror images of each other.

    Returns:
        uint8 (tuples, length): row * width + column of each square.

    Raises:
        ValueError: a number is out of range, or too few different tuples were found.
    """
    table_shape(tuples, length)
    check_narrow(check_board(width, height), "models")
    if length > width * height:
        raise ValueError(f"a board of {width * height} squares has no tuples of {length}")
    found, known = [], set()
    for _ in range(100 * tuples):
        row, column = dice.below(height), dice.below(width)
        chosen = [(row, column)]
        while len(chosen) < length:
            near = sorted({
                (row + down, column + aside)
                for row, column in chosen for down in (-1, 0, 1) for aside in (-1, 0, 1)
                if 0 <= row + down < height and 0 <= column + aside < width
            } - set(chosen))
            chosen.append(dice.pick(near))
        images = (
            frozenset(chosen), frozenset((row, width - 1 - column) for row, column in chosen)
        )
        if known.isdisjoint(images):
            known.update(images)
            found.append([row * width + column for row, column in chosen])
            if len(found) == tuples:
                return np.array(found, dtype=np.uint8)
    raise ValueError(f"{tuples} different tuples of {length} squares were not found on "
                     f"{width}x{height}")
