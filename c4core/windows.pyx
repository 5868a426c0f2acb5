"""Lines of four: every line of a board as a mask, and the columns where a side wins at once.

Windows (windows.pxd) are counted for a whole direction at once; masks are for players that choose
among single lines.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc

from c4core.engine.board cimport (
    HEIGHT_LIMIT,
    WIDTH_LIMIT,
    lowest_bit,
    playable_squares,
    winning_squares,
)
from c4core.position cimport Position

cdef enum:
    MAX_LINES = 4 * 64     # at most one line starts on each square in each direction

cdef LineTable* _tables[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const LineTable* lines_of(const Board* g) except NULL:
    """The lines of a board, direction by direction (vertical ones first), by their first squares."""
    cdef LineTable* table = _tables[g.width][g.height]
    if table == NULL:
        table = _new_table(g)
        if table == NULL:
            raise MemoryError
        _tables[g.width][g.height] = table
    return table


cdef LineTable* _new_table(const Board* g) noexcept:
    cdef LineTable* table = <LineTable*>malloc(sizeof(LineTable))
    cdef int direction, step
    cdef uint64_t first, starts
    if table == NULL:
        return NULL
    table.count = 0
    table.lines = <uint64_t*>malloc(MAX_LINES * sizeof(uint64_t))
    if table.lines == NULL:
        free(table)
        return NULL
    for direction in range(4):
        step = step_of(g, direction)
        starts = windows_within(g.squares, step)
        while starts:
            first = starts & (0 - starts)
            table.lines[table.count] = squares_of_windows(first, step)
            table.count += 1
            starts ^= first
    return table


def winning_columns(Position position not None, side):
    """The columns where a stone of a side would complete four now, whoever is to move.

    Args:
        position: any position.
        side: ``"x"`` or ``"o"``.
    """
    cdef uint64_t squares = winning_squares(
        position.g, stones_of(position, side), position.mask
    ) & playable_squares(position.g, position.mask)
    columns = []
    while squares:
        columns.append(lowest_bit(squares) // position.g.stride)
        squares &= squares - 1
    return tuple(columns)


def stones_as_bits(Position position not None):
    """The first and the second player's stones, as two words of the engine's layout."""
    return stones_of(position, "x"), stones_of(position, "o")


cdef uint64_t stones_of(Position position, side) except? 0:
    """The stones of a side."""
    if side not in ("x", "o"):
        raise ValueError(f"no side is called {side!r}: 'x' moves first, 'o' second")
    if (side == "o") == (position.ply & 1):
        return position.stones
    return position.stones ^ position.mask
