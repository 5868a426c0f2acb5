# Move ordering: the value of a move before the search has learned anything.
#
# The value of a move is, in points,
#
#     40        for each square that would win for the mover after the move
#     2         for each window (four squares in a row) of the empty board through the square
#     5 to 14   for the column, rising to the middle
#     -4 to 14  for the row, by side to move: threats count in rows of the right parity
#
# The plain history adds 0 to 15 points (history.pxi). If the subtrees are large enough, three more parts are
# added: the windows through the square with their stones (patterns.pxi), the learned values of the patterns
# (history.pxi) and, early in the game, the network (order_network.pxi).
#
# The weights were found by coordinate search on the node counts of hard positions.

cdef enum:
    LINE_WEIGHT = 2
    THREAT_WEIGHT = 40      # for each square that would win for the mover after the move

# From the edge to the middle, for the first and the second player. Wider boards repeat the last.
cdef int[2][4] COLUMN_WEIGHTS
COLUMN_WEIGHTS[0][:] = [5, 6, 10, 14]
COLUMN_WEIGHTS[1][:] = [6, 6, 10, 14]

# From the bottom up. Higher boards repeat the last two rows, which keeps the parity.
cdef int[2][6] ROW_WEIGHTS
ROW_WEIGHTS[0][:] = [0, -2, -2, 0, -2, 8]
ROW_WEIGHTS[1][:] = [1, 2, 0, 2, -4, 14]


cdef int _windows_through(const Board* g, int column, int row) noexcept nogil:
    """Return the number of windows of the empty board that contain a square."""
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


cdef void fill_values(Board* g) noexcept nogil:
    """Fill the points of the squares of a board."""
    cdef int side, column, row, edge
    for column in range(g.width):
        edge = min(column, g.width - 1 - column, 3)
        for row in range(g.height):
            for side in range(2):
                g.value[side][column * g.stride + row] = (
                    LINE_WEIGHT * _windows_through(g, column, row)
                    + COLUMN_WEIGHTS[side][edge]
                    + ROW_WEIGHTS[side][row if row < 6 else 4 + row % 2]
                )


cdef inline int move_value(const Board* g, int side, int square, word_t wins) noexcept nogil:
    """Return the value of a move to the square; ``wins`` are the mover's winning squares after it."""
    return g.value[side][square] + THREAT_WEIGHT * popcount(wins)
