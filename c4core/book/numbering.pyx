"""Numbers for positions: slots of a book's ply, and the base-3 keys of Pascal Pons's books.

**Slots** number the positions of a ply without gaps, so that scores can be stored without keys. A
position of n stones is a *shape*, the number of stones in every column, and a *colouring* of the occupied
squares. All shapes and all colourings with the right count of either side are numbered, whether play can
reach them or not::

    slot = number of the shape * C(n, k) + number of the colouring

k is the number of stones that belong to the side to move.

*Shape.* The columns are taken in pairs from the edges inwards: 0, W-1, 1, W-2, and so on. If the width is
odd, the middle column is the last one. Shapes are numbered in the lexicographic order of their counts in
this sequence. Only one of two mirrored shapes has a number: the shape with the larger count in the left
column of the first pair whose counts differ.

*Colouring.* The occupied squares in the same sequence of columns, each from the bottom up, are the bits of a
word, from bit 0 on. A bit is set if the stone belongs to the side to move. Words with k bits are numbered
in increasing order: bits at p1 < p2 < ... < pk give C(p1, 1) + C(p2, 2) + ... + C(pk, k).

*Mirror images.* A position and its mirror image share a slot: that of the image whose shape has a number. If
both have one, the image with the smaller key has the slot.

Different slots stand for different words of width * (height + 1) bits, so slots never exceed 64 bits.

**Base-3 keys** write the columns one after the other, each from the bottom up, with a digit for each
stone: 1 for the side to move, 2 for the other side. A 0 ends a column. The digits are read as a number,
the first one most significant, without the 0 that ends the last column. The columns are written from the
left and from the right, and the smaller number is the key. n stones on w columns take n + w - 1 digits.

numpy is imported inside the functions, so a program that looks up one position does not load it.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    lowest_bit,
    mirror_bits,
    popcount,
    position_key,
    split_key,
)
from c4core.engine.kernel cimport board_of

from c4core.errors import BookContentError
from c4core.notation import check_board, check_narrow

cdef enum:
    MAX_CELLS = 64
    SMALL = 512     # bytes on the stack, with one bit for each combination of counts

# The largest number of base-3 digits in 64 bits.
cpdef enum:
    MAX_DIGITS = 40

# C(n, k) for n < 65; the largest one, C(64, 32), has 61 bits.
cdef uint64_t[MAX_CELLS + 1][MAX_CELLS + 2] _choose


cdef void _fill_choose() noexcept:
    cdef int n, k
    for n in range(MAX_CELLS + 1):
        _choose[n][0] = 1
        for k in range(1, MAX_CELLS + 2):
            _choose[n][k] = _choose[n - 1][k - 1] + _choose[n - 1][k] if n and k <= n else 0


_fill_choose()


cdef inline Py_ssize_t _row(const Rank* r, int tied, int pair, int left) noexcept nogil:
    """Return an index into ``shapes``."""
    return (<Py_ssize_t>tied * (r.pairs + 1) + pair) * (r.last + 1) + left


cdef inline const uint64_t* _before(const Rank* r, int tied, int pair, int left) noexcept nogil:
    """Return the entries [a][b] of ``before``."""
    return r.before + _row(r, tied, pair, left) * r.g.stride * r.g.stride


cdef void _count_shapes(Rank* r) noexcept nogil:
    """Fill ``shapes`` and ``before`` from the innermost pair outwards.

    "Tied" means that all outer pairs had equal counts, so that the choice of the image is still open.
    """
    cdef int stride = r.g.stride
    cdef int tied, pair, left, a, b, right, after
    cdef uint64_t total
    cdef uint64_t* before
    for tied in range(2):
        r.shapes[_row(r, tied, r.pairs, 0)] = 1
    for pair in range(r.pairs - 1, -1, -1):
        right = r.g.width - 1 - pair
        for tied in range(2):
            for left in range(r.last + 1):
                total = 0
                before = r.before + _row(r, tied, pair, left) * stride * stride
                for a in range(min(left, r.g.height) + 1):
                    for b in range(min(left - a, r.g.height if right != pair else 0) + 1):
                        before[a * stride + b] = total
                        if tied and right != pair and b > a:
                            continue
                        after = tied and (right == pair or a == b)
                        total += r.shapes[_row(r, after, pair + 1, left - a - b)]
                r.shapes[_row(r, tied, pair, left)] = total


cdef uint64_t _slot_count(const Rank* r, int ply) noexcept nogil:
    """Return the number of slots of a ply."""
    return r.shapes[_row(r, True, 0, ply)] * _choose[ply][ply // 2]


cdef inline int _height(const Board* g, uint64_t mask, int column) noexcept nogil:
    """Return the number of stones of a column."""
    return lowest_bit(~(mask >> (column * g.stride)))


cdef void orient(const Rank* r, uint64_t* stones, uint64_t* mask) noexcept nogil:
    cdef const Board* g = r.g
    cdef int pair, difference
    for pair in range(g.width // 2):
        difference = _height(g, mask[0], pair) - _height(g, mask[0], g.width - 1 - pair)
        if difference > 0:
            return
        if difference < 0:
            stones[0] = mirror_bits(g, stones[0])
            mask[0] = mirror_bits(g, mask[0])
            return
    # With symmetric heights, the stones decide, as in the keys.
    stones[0] = min(stones[0], mirror_bits(g, stones[0]))


cdef uint64_t slot_of(const Rank* r, uint64_t stones, uint64_t mask, int ply) noexcept nogil:
    cdef const Board* g = r.g
    cdef int tied = True, left = ply, bits = 0, pair, right, a, b, number
    cdef uint64_t shape = 0, colouring = 0, word = 0
    for pair in range(r.pairs):
        right = g.width - 1 - pair
        a = _height(g, mask, pair)
        b = _height(g, mask, right) if right != pair else 0
        shape += _before(r, tied, pair, left)[a * g.stride + b]
        tied = tied and (right == pair or a == b)
        left -= a + b
        word |= ((stones >> (pair * g.stride)) & ((<uint64_t>1 << a) - 1)) << bits
        bits += a
        if b:
            word |= ((stones >> (right * g.stride)) & ((<uint64_t>1 << b) - 1)) << bits
            bits += b
    number = 0
    while word:
        number += 1
        colouring += _choose[lowest_bit(word)][number]
        word &= word - 1
    return shape * _choose[bits][number] + colouring


# Reachability. Many slots stand for positions that play cannot reach.

cdef struct Merge:
    int columns                         # number of columns with stones
    uint64_t[MAX_COLUMNS] stones        # bit i: the first player owns the i-th stone
    int[MAX_COLUMNS] left               # stones not yet played
    uint64_t[MAX_COLUMNS] weight        # factor of a column's count in the number of a combination
    uint8_t* dead                       # combinations that are dead ends


cdef bint _can_finish(Merge* m, int left, int mover, uint64_t combination) noexcept nogil:
    """Return whether the remaining stones can be played, ``mover`` (1: the first player) first."""
    cdef int column
    if left == 0:
        return True
    if m.dead[combination >> 3] >> (combination & 7) & 1:
        return False
    for column in range(m.columns):
        if m.left[column] and <int>(m.stones[column] & 1) == mover:
            m.stones[column] >>= 1
            m.left[column] -= 1
            if _can_finish(m, left - 1, 1 - mover, combination + m.weight[column]):
                return True
            m.stones[column] = m.stones[column] << 1 | <uint64_t>mover
            m.left[column] += 1
    m.dead[combination >> 3] |= 1 << (combination & 7)
    return False


cdef bint is_reachable(const Rank* r, uint64_t stones, uint64_t mask) except -1 nogil:
    """Return whether the stones can be played in alternating colours.

    The columns, read from the bottom up, must merge into one sequence. The position has no four, so no
    earlier position had one. The search plays the stones in every possible order, and remembers the counts
    of played stones that are dead ends. On 7x6 at ply 12 it takes 0.2 us on average, because the first
    order that is tried is usually possible.
    """
    cdef uint8_t[SMALL] small
    cdef uint64_t combinations = 1, pile
    cdef int column, ply = popcount(mask), reachable, shift
    cdef Merge m
    if ply & 1:
        stones ^= mask      # the first player's stones
    m.columns = 0
    for column in range(r.g.width):
        shift = column * r.g.stride
        pile = (mask >> shift) & ((<uint64_t>1 << r.g.height) - 1)
        if pile:
            m.stones[m.columns] = (stones >> shift) & pile
            m.left[m.columns] = popcount(pile)
            m.weight[m.columns] = combinations
            combinations *= m.left[m.columns] + 1
            m.columns += 1
    if combinations <= SMALL * 8:
        memset(small, 0, (combinations + 7) >> 3)
        m.dead = small
        return _can_finish(&m, ply, 1, 0)
    m.dead = <uint8_t*>calloc((combinations + 7) >> 3, 1)
    if m.dead == NULL:
        with gil:
            raise MemoryError
    reachable = _can_finish(&m, ply, 1, 0)
    free(m.dead)
    return reachable


cdef class Ranking:
    """Ranking(board, last)\n--\n
    The slots of all positions with up to ``last`` stones.
    """

    def __cinit__(self, board, int last):
        cdef Rank* r = &self.r
        cdef Py_ssize_t rows
        check_narrow(check_board(*board), "books")
        r.g = board_of(board.width, board.height)
        if not 0 <= last <= r.g.cells:
            raise ValueError(f"{board} has no positions of {last} stones")
        r.last = last
        r.pairs = (r.g.width + 1) // 2
        rows = 2 * (r.pairs + 1) * (last + 1)
        r.shapes = <uint64_t*>calloc(rows, sizeof(uint64_t))
        r.before = <uint64_t*>calloc(rows * r.g.stride * r.g.stride, sizeof(uint64_t))
        if r.shapes == NULL or r.before == NULL:
            raise MemoryError
        _count_shapes(r)

    def __dealloc__(self):
        free(self.r.shapes)
        free(self.r.before)

    def count(self, int ply):
        """Return the number of slots of a ply, used or not; ValueError if the ply has none."""
        self._check_ply(ply)
        return _slot_count(&self.r, ply)

    def slots(self, const uint64_t[::1] keys, *, int ply):
        """Return the slots of positions with ``ply`` stones, as a uint64 array.

        Keys of either image are accepted.
        """
        import numpy as np

        cdef Py_ssize_t index, bad = -1
        cdef uint64_t stones, mask
        self._check_ply(ply)
        result = np.empty(keys.shape[0], dtype=np.uint64)
        cdef uint64_t[::1] slots = result
        with nogil:
            for index in range(keys.shape[0]):
                split_key(self.r.g, keys[index], &stones, &mask)
                if (
                    position_key(self.r.g, stones, mask) != keys[index]
                    or popcount(mask) != ply
                    or popcount(stones) != ply // 2
                ):
                    bad = index
                    break
                orient(&self.r, &stones, &mask)
                slots[index] = slot_of(&self.r, stones, mask, ply)
        if bad >= 0:
            raise BookContentError(
                f"{keys[bad]} is not a key of a {self.r.g.width}x{self.r.g.height} position "
                f"with {ply} stones"
            )
        return result

    def _check_ply(self, int ply):
        if not 0 <= ply <= self.r.last:
            raise ValueError(f"ply {ply} has no slots: they run from 0 to {self.r.last}")


# Base-3 keys.

cdef uint64_t _number(const Board* g, uint64_t stones, uint64_t mask, bint from_right) noexcept nogil:
    """Return the base-3 number with the columns in one order, including the final 0."""
    cdef uint64_t number = 0, square
    cdef int index, column
    for index in range(g.width):
        column = g.width - 1 - index if from_right else index
        square = <uint64_t>1 << (column * g.stride)
        while square & mask:
            number = 3 * number + (1 if square & stones else 2)
            square <<= 1
        number *= 3
    return number


cdef uint64_t _pons_key(const Board* g, uint64_t stones, uint64_t mask) noexcept nogil:
    return min(_number(g, stones, mask, False), _number(g, stones, mask, True)) // 3


def pons_keys(const uint64_t[::1] keys, board):
    """Return the base-3 keys of positions, as a uint64 array."""
    import numpy as np

    check_narrow(check_board(*board), "books")
    cdef const Board* g = board_of(board.width, board.height)
    cdef Py_ssize_t index, bad = -1
    cdef uint64_t stones, mask
    result = np.empty(keys.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] numbers = result
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            if popcount(mask) + g.width - 1 >= MAX_DIGITS:
                bad = index
                break
            numbers[index] = _pons_key(g, stones, mask)
    if bad >= 0:
        raise BookContentError(
            f"position {keys[bad]} has more stones than a base-3 key of 64 bits holds"
        )
    return result
