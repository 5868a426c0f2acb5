"""Move ordering: what a square is worth, threats, and a bounded history.

The value of a move is, in points,

    40  for each square that would win for the mover after the move
     2  for each window (four squares in a row) of the empty board through the square
    5..14  for the column, rising to the middle
    -4..14  for the row, by side to move: rows of the right parity hold the threats that count
    0..16  history: how often a move to the square has caused a cutoff lately

As long as the subtrees are worth it, the square's surroundings come on top of that: the windows through
it (surroundings.pyx), and what experience with them says (experience.pyx).

The weights were found by coordinate search on the node counts of hard positions.
"""

from libc.stdlib cimport calloc

from c4core.board cimport HEIGHT_LIMIT, WIDTH_LIMIT
from c4core.foresight cimport foresight_of

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
    cdef const Foresight* foresight
    if ordering == NULL:
        foresight = foresight_of(g)
        ordering = _orderings[g.width][g.height]    # of another thread, while this one read a file
    if ordering == NULL:
        ordering = <Ordering*>calloc(1, sizeof(Ordering))
        if ordering == NULL:
            raise MemoryError
        _fill_values(ordering, g)
        ordering.foresight = foresight
        _orderings[g.width][g.height] = ordering
    return ordering


cdef int _windows_through(const Geometry* g, int column, int row) noexcept:
    """The windows of the empty board that hold a square."""
    cdef int* across = [0, 1, 1, 1]
    cdef int* up = [1, 0, -1, 1]
    cdef int direction, distance, run, count = 0
    for direction in range(4):
        run = 0
        for distance in range(-3, 4):
            if (
                0 <= column + distance * across[direction] < g.width
                and 0 <= row + distance * up[direction] < g.height
            ):
                run += 1
        count += max(run - 3, 0)
    return count


cdef void _fill_values(Ordering* ordering, const Geometry* g) noexcept:
    cdef int side, column, row, square, edge
    for column in range(g.width):
        edge = min(column, g.width - 1 - column, 3)
        for row in range(g.height):
            square = column * g.stride + row
            for side in range(2):
                ordering.value[side][square] = (
                    LINE_WEIGHT * _windows_through(g, column, row)
                    + COLUMN_WEIGHTS[side][edge]
                    + ROW_WEIGHTS[side][row if row < 6 else 4 + row % 2]
                )
