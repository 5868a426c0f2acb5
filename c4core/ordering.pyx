"""Move ordering: static weights of squares, windows, threats, and a bounded history.

A window is four squares in a row. Its first square, the one with the lowest bit, stands for it, so a
set of windows along one direction is a bitboard. The rising windows through the square q on 7x6 start
at q and at the squares marked 1::

     .  .  .  .  .  .  .
     .  .  .  .  .  x  .
     .  .  .  .  x  .  .
     .  .  .  q  .  .  .      a fourth one would start outside the board
     .  .  1  .  .  .  .
     .  1  .  .  .  .  .

What a move to q gains is counted without playing it: by popcounts of the windows through q that hold,
for instance, exactly one own stone and none of the opponent's.

The value of a move is, in points,

    40  for each square that would win for the mover after the move
     8  for each open window with two own stones that it makes (less those it turns into threats)
     2  for each window that it takes from the opponent
     2  for each window of the empty board through the square
    5..14  for the column, rising to the middle
    -4..14  for the row, by side to move: rows of the right parity hold the threats that count
    0..16  history: how often a move to the square has caused a cutoff lately

What experience.pyx learns comes on top of that.

The weights were found by coordinate search on the node counts of hard positions.
"""

from libc.stdlib cimport calloc

from c4core.board cimport HEIGHT_LIMIT, WIDTH_LIMIT, popcount

cdef enum:
    LINE_WEIGHT = 2

# From the edge to the middle, for the first and the second player. Wider boards repeat the last.
cdef int[2][4] COLUMN_WEIGHTS
COLUMN_WEIGHTS[0][:] = [5, 6, 10, 14]
COLUMN_WEIGHTS[1][:] = [6, 6, 10, 14]

# From the bottom up. Higher boards repeat the last two rows, which keeps the parity.
cdef int[2][6] ROW_WEIGHTS
ROW_WEIGHTS[0][:] = [0, -2, -2, 0, -2, 8]
ROW_WEIGHTS[1][:] = [1, 2, 0, 2, -4, 14]

cdef Ordering* _orderings[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Ordering* ordering_of(const Geometry* g) except NULL:
    """The weights for a board size; they are made once and live as long as the process."""
    cdef Ordering* ordering = _orderings[g.width][g.height]
    if ordering == NULL:
        ordering = <Ordering*>calloc(1, sizeof(Ordering))
        if ordering == NULL:
            raise MemoryError
        _fill_windows(ordering, g)
        _fill_values(ordering, g)
        _orderings[g.width][g.height] = ordering
    return ordering


cdef void _fill_windows(Ordering* ordering, const Geometry* g) noexcept:
    cdef int* across = [0, 1, 1, 1]
    cdef int* up = [1, 0, -1, 1]
    cdef int direction, column, row, index, start, step
    for direction in range(4):
        step = across[direction] * g.stride + up[direction]
        for column in range(g.width - 3 * across[direction]):
            for row in range(g.height):
                if not 0 <= row + 3 * up[direction] < g.height:
                    continue
                start = column * g.stride + row
                for index in range(4):
                    ordering.windows[start + index * step][direction] |= <uint64_t>1 << start


cdef void _fill_values(Ordering* ordering, const Geometry* g) noexcept:
    cdef int side, column, row, square, edge, direction, lines
    for column in range(g.width):
        edge = min(column, g.width - 1 - column, 3)
        for row in range(g.height):
            square = column * g.stride + row
            lines = 0
            for direction in range(4):
                lines += popcount(ordering.windows[square][direction])
            for side in range(2):
                ordering.value[side][square] = (
                    LINE_WEIGHT * lines
                    + COLUMN_WEIGHTS[side][edge]
                    + ROW_WEIGHTS[side][row if row < 6 else 4 + row % 2]
                )
