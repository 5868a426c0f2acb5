"""Numbering the positions of a ply without gaps in the numbers: scores can be stored without keys.

A position that extends the start (the empty board, or any other) by n stones is a *shape*, the
number of added stones in every column, and a *colouring* of the added squares. All shapes and all
colourings with the right count of either side are numbered, whether play can reach them or not::

    slot = number of the shape * C(n, k) + number of the colouring

k is the number of added stones that belong to the side to move.

*Shape.* The columns are taken two by two from the edges inwards: 0, W-1, 1, W-2, .., on an odd width
the middle one last. Shapes are numbered in the lexicographic order of their counts in that sequence.
If the start is its own mirror image, only one of two mirrored shapes has a number: the one that has
more in the left column of the first pair whose counts differ.

*Colouring.* The added squares in the same sequence of columns, each from the bottom up, are the bits 0,
1, 2, .. of a word; a bit is set where the stone belongs to the side to move. Words with k bits are
numbered in increasing order: bits at p1 < p2 < .. < pk give C(p1, 1) + C(p2, 2) + .. + C(pk, k).

*Mirror images.* Of the two images of a position, that one has a slot which extends the start and whose
shape has a number; if both do, the one with the smaller key.

Every slot stands for another word of width * (height + 1) bits, so slots never exceed 64 bits.

numpy is imported where it is used: a program that looks up one position does without it.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from c4core.board cimport (
    Geometry,
    canonical_key,
    has_four,
    lowest_bit,
    mirror_bits,
    popcount,
    position_key,
    split_key,
)
from c4core.position cimport Position

from c4core.book.errors import BookContentError

cdef enum:
    MAX_CELLS = 64

# C(n, k) for n < 65; the largest one, C(64, 32), has 61 bits.
cdef uint64_t[MAX_CELLS + 1][MAX_CELLS + 2] _choose


cdef void _fill_choose() noexcept:
    cdef int n, k
    for n in range(MAX_CELLS + 1):
        _choose[n][0] = 1
        for k in range(1, MAX_CELLS + 2):
            _choose[n][k] = _choose[n - 1][k - 1] + _choose[n - 1][k] if n and k <= n else 0


_fill_choose()


cdef inline int _own_added(const Rank* r, int ply) noexcept nogil:
    """How many of the added stones belong to the side to move."""
    cdef int own = r.first // 2 if (ply - r.first) % 2 == 0 else r.first - r.first // 2
    return ply // 2 - own


cdef inline Py_ssize_t _row(const Rank* r, int tied, int pair, int left) noexcept nogil:
    """Index into ``shapes``."""
    return (<Py_ssize_t>tied * (r.pairs + 1) + pair) * (r.last - r.first + 1) + left


cdef inline const uint64_t* _before(const Rank* r, int tied, int pair, int left) noexcept nogil:
    """The entries [a][b] of ``before``."""
    return r.before + _row(r, tied, pair, left) * r.g.stride * r.g.stride


cdef inline int _room(const Rank* r, int column) noexcept nogil:
    """Squares above the start's stones."""
    return r.g.height - r.base_height[column]


cdef void _count_shapes(Rank* r) noexcept nogil:
    """Fill ``shapes`` and ``before`` from the innermost pair outwards.

    "Tied" says that all pairs outside had equal counts, so that the mirror image is still undecided.
    """
    cdef int added = r.last - r.first, stride = r.g.stride
    cdef int tied, pair, left, a, b, right, after
    cdef uint64_t total
    cdef uint64_t* before
    for tied in range(2):
        r.shapes[_row(r, tied, r.pairs, 0)] = 1
    for pair in range(r.pairs - 1, -1, -1):
        right = r.g.width - 1 - pair
        for tied in range(2):
            for left in range(added + 1):
                total = 0
                before = r.before + _row(r, tied, pair, left) * stride * stride
                for a in range(min(left, _room(r, pair)) + 1):
                    for b in range(min(left - a, _room(r, right) if right != pair else 0) + 1):
                        before[a * stride + b] = total
                        if tied and right != pair and b > a:
                            continue
                        after = tied and (right == pair or a == b)
                        total += r.shapes[_row(r, after, pair + 1, left - a - b)]
                r.shapes[_row(r, tied, pair, left)] = total


cdef uint64_t slot_count(const Rank* r, int ply) noexcept nogil:
    cdef int added = ply - r.first
    return r.shapes[_row(r, r.symmetric, 0, added)] * _choose[added][_own_added(r, ply)]


cdef bint extends(const Rank* r, int ply, uint64_t stones, uint64_t mask) noexcept nogil:
    cdef uint64_t own = r.base_own
    if (ply - r.first) & 1:
        own ^= r.base
    return (mask & r.base) == r.base and (stones & r.base) == own


cdef inline int _height(const Geometry* g, uint64_t mask, int column) noexcept nogil:
    """The stones of a column."""
    return lowest_bit(~(mask >> (column * g.stride)))


cdef bint orient(const Rank* r, int ply, uint64_t* stones, uint64_t* mask) noexcept nogil:
    cdef const Geometry* g = r.g
    cdef bint here = extends(r, ply, stones[0], mask[0]), there
    cdef uint64_t other_stones, other_mask
    cdef int pair, difference
    if r.symmetric:
        if not here:
            return False
        for pair in range(g.width // 2):
            difference = _height(g, mask[0], pair) - _height(g, mask[0], g.width - 1 - pair)
            if difference > 0:
                return True
            if difference < 0:
                stones[0] = mirror_bits(g, stones[0])
                mask[0] = mirror_bits(g, mask[0])
                return True
        # Symmetric heights: the stones decide, as they do in the keys.
        other_stones = mirror_bits(g, stones[0])
        stones[0] = min(stones[0], other_stones)
        return True
    other_stones, other_mask = mirror_bits(g, stones[0]), mirror_bits(g, mask[0])
    there = extends(r, ply, other_stones, other_mask)
    if there and not (
        here and position_key(g, stones[0], mask[0]) < position_key(g, other_stones, other_mask)
    ):
        stones[0], mask[0] = other_stones, other_mask
    return here or there


cdef uint64_t slot_of(const Rank* r, uint64_t stones, uint64_t mask, int ply) noexcept nogil:
    cdef const Geometry* g = r.g
    cdef int tied = r.symmetric, left = ply - r.first, bits = 0, pair, right, a, b, number
    cdef uint64_t shape = 0, colouring = 0, word = 0
    for pair in range(r.pairs):
        right = g.width - 1 - pair
        a = _height(g, mask, pair) - r.base_height[pair]
        b = _height(g, mask, right) - r.base_height[right] if right != pair else 0
        shape += _before(r, tied, pair, left)[a * g.stride + b]
        tied = tied and (right == pair or a == b)
        left -= a + b
        word |= (
            (stones >> (pair * g.stride + r.base_height[pair])) & ((<uint64_t>1 << a) - 1)
        ) << bits
        bits += a
        if b:
            word |= (
                (stones >> (right * g.stride + r.base_height[right])) & ((<uint64_t>1 << b) - 1)
            ) << bits
            bits += b
    number = 0
    while word:
        number += 1
        colouring += _choose[lowest_bit(word)][number]
        word &= word - 1
    return shape * _choose[bits][number] + colouring


cdef void position_of(
    const Rank* r, uint64_t slot, int ply, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    cdef const Geometry* g = r.g
    cdef int added = ply - r.first, left = added, own = _own_added(r, ply), tied = r.symmetric
    cdef int pair, right, a, b, bit, bits = 0
    cdef uint64_t shape = slot // _choose[added][own], colouring = slot % _choose[added][own]
    cdef uint64_t word = 0
    cdef const uint64_t* before
    # 1. The colouring's word, from its highest bit down.
    bit = added
    while own:
        bit -= 1
        if _choose[bit][own] <= colouring:
            colouring -= _choose[bit][own]
            word |= <uint64_t>1 << bit
            own -= 1
    # 2. For each pair find the largest counts that not too many shapes precede, and their stones.
    mask[0] = r.base
    stones[0] = r.base_own if added % 2 == 0 else r.base ^ r.base_own
    for pair in range(r.pairs):
        right = g.width - 1 - pair
        before = _before(r, tied, pair, left)
        a = min(left, _room(r, pair))
        while a and before[a * g.stride] > shape:
            a -= 1
        b = 0 if right == pair else min(left - a, _room(r, right))
        if tied:
            b = min(a, b)
        while b and before[a * g.stride + b] > shape:
            b -= 1
        # Counts that no inner pairs can complete precede as many shapes as their successors do.
        shape -= before[a * g.stride + b]
        tied = tied and (right == pair or a == b)
        left -= a + b
        _put(r, pair, a, word >> bits, stones, mask)
        bits += a
        if right != pair:
            _put(r, right, b, word >> bits, stones, mask)
            bits += b


cdef inline void _put(
    const Rank* r, int column, int count, uint64_t word, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    """Put stones onto a column, coloured by the lowest bits of the word."""
    cdef int shift = column * r.g.stride + r.base_height[column]
    cdef uint64_t pile = (<uint64_t>1 << count) - 1
    mask[0] |= pile << shift
    stones[0] |= (word & pile) << shift


cdef class Ranking:
    """Ranking(start, *, last)\n--\n
    The slots of all positions that extend a start, up to a number of stones.

    Args:
        start: what all positions extend.
        last: most stones on the board; no more than the board holds, no fewer than the start has.

    Attributes:
        start: what all positions extend.
    """

    def __cinit__(self, Position start not None, *, int last):
        cdef const Geometry* g = start.g
        cdef Rank* r = &self.r
        cdef Py_ssize_t rows
        cdef int column
        if not start.ply <= last <= g.cells:
            raise ValueError(
                f"positions of {last} stones do not extend one of {start.ply} on {start.board}"
            )
        self.start = start
        r.g = g
        r.first, r.last = start.ply, last
        r.pairs = (g.width + 1) // 2
        r.base, r.base_own = start.mask, start.stones
        r.symmetric = (
            mirror_bits(g, start.mask) == start.mask and mirror_bits(g, start.stones) == start.stones
        )
        for column in range(g.width):
            r.base_height[column] = _height(g, start.mask, column)
        rows = 2 * (r.pairs + 1) * (last - start.ply + 1)
        r.shapes = <uint64_t*>calloc(rows, sizeof(uint64_t))
        r.before = <uint64_t*>calloc(rows * g.stride * g.stride, sizeof(uint64_t))
        if r.shapes == NULL or r.before == NULL:
            raise MemoryError
        _count_shapes(r)

    def __dealloc__(self):
        free(self.r.shapes)
        free(self.r.before)

    def count(self, int ply):
        """Number of slots of a ply, used or not.

        Raises:
            ValueError: the ply has no slots.
        """
        self._check_ply(ply)
        return slot_count(&self.r, ply)

    def slots(self, const uint64_t[::1] keys, *, int ply, bint goes_on=False):
        """The slots of positions with ``ply`` stones.

        Args:
            keys: their keys, of either image.
            ply: stones on the board, the same for all.
            goes_on: refuse positions whose game is over; they have slots like all others.

        Returns:
            A uint64 array.

        Raises:
            BookContentError: a key is no position of the ply, a position does not extend the start, or
                its game is over although ``goes_on``.
            ValueError: the ply has no slots.
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
                    or (goes_on and has_four(self.r.g, stones))
                    or (goes_on and has_four(self.r.g, stones ^ mask))
                    or not orient(&self.r, ply, &stones, &mask)
                ):
                    bad = index
                    break
                slots[index] = slot_of(&self.r, stones, mask, ply)
        if bad >= 0:
            raise BookContentError(
                f"{keys[bad]} is no key of a {self.start.board} position with {ply} stones"
                + (" whose game goes on" if goes_on else "")
                + (f" that extends position {self.start.key}" if self.r.first else ""),
                key=keys[bad],
            )
        return result

    def keys(self, const uint64_t[::1] slots, *, int ply):
        """The canonical keys of the positions that slots of a ply stand for, as a uint64 array.

        Raises:
            ValueError: a slot or the ply is outside its range.
        """
        import numpy as np

        cdef Py_ssize_t index
        cdef uint64_t stones, mask, count
        self._check_ply(ply)
        count = slot_count(&self.r, ply)
        result = np.empty(slots.shape[0], dtype=np.uint64)
        cdef uint64_t[::1] keys = result
        for index in range(slots.shape[0]):
            if slots[index] >= count:
                raise ValueError(f"ply {ply} has {count} slots, there is no slot {slots[index]}")
        with nogil:
            for index in range(slots.shape[0]):
                position_of(&self.r, slots[index], ply, &stones, &mask)
                keys[index] = canonical_key(self.r.g, stones, mask)
        return result

    def _check_ply(self, int ply):
        if not self.r.first <= ply <= self.r.last:
            raise ValueError(f"ply {ply} has no slots: they run from {self.r.first} to {self.r.last}")
