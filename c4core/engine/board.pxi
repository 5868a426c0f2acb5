"""Bitboards for every board with width * (height + 1) <= 64 and at most 19 rows.

A square is bit (height + 1) * column + row; row 0 is the bottom. The top bit of each column is a guard
that holds no stone, so that shifts by the four directions never carry a line from one column into the
next. For 7x6::

     6 13 20 27 34 41 48    guard bits, above the board
     5 12 19 26 33 40 47    top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42    bottom row

Directions are steps of bits: 1 vertical, stride horizontal, stride - 1 falling and stride + 1
rising diagonals, with stride = height + 1.

A position is two words: ``stones``, those of the side to move, and ``mask``, all stones.
``mask + bottom`` has exactly one bit in each column, just above its pile (the guard bit when the column
is full). So ``stones | (mask + bottom)`` is a key that determines the position: in each column the
highest bit marks the height, and the bits below it are the mover's stones. On 7x6 it takes 49 bits.
"""

from libc.stdlib cimport malloc

cdef Geometry* _geometries[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Geometry* geometry_of(int width, int height) except? NULL:
    """The geometry of a board size, or NULL where no bitboard holds it."""
    cdef Geometry* g
    cdef int column
    if not (1 <= width < WIDTH_LIMIT and 1 <= height < HEIGHT_LIMIT):
        return NULL
    if width * (height + 1) > 64:
        return NULL
    g = _geometries[width][height]
    if g == NULL:
        g = <Geometry*>malloc(sizeof(Geometry))
        if g == NULL:
            raise MemoryError
        g.width = width
        g.height = height
        g.stride = height + 1
        g.cells = width * height
        g.bottom = 0
        for column in range(width):
            g.bottom |= <uint64_t>1 << (column * g.stride)
        g.board = g.bottom * ((<uint64_t>1 << height) - 1)
        _geometries[width][height] = g
    return g
