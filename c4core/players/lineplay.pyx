"""Play by single lines: complete an own one, block one of the opponent's, else take some line."""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport Board, lowest_bit, playable_squares, popcount, winning_squares
from c4core.dice cimport Dice, DiceState, draw_below
from c4core.players.playouts cimport random_square
from c4core.position cimport Position
from c4core.windows cimport LineTable, lines_of

cdef enum:
    MAX_LINES = 256


cdef uint64_t _completing_square(
    const LineTable* table, uint64_t stones, uint64_t playable, DiceState* dice
) noexcept nogil:
    """The empty square of a random line with three of the stones and one playable square.

    Chosen among lines, not squares: one that completes two lines is twice as likely. There must be
    such a line.
    """
    cdef int chosen[MAX_LINES]
    cdef int index, count = 0
    cdef uint64_t line
    for index in range(table.count):
        line = table.lines[index]
        if popcount(line & stones) == 3 and line & playable:
            chosen[count] = index
            count += 1
    return table.lines[chosen[draw_below(dice, count)]] & playable


cdef uint64_t _reachable_line_square(
    const LineTable* table, uint64_t playable, DiceState* dice
) noexcept nogil:
    """The leftmost playable square of a random line among those that have one."""
    cdef int chosen[MAX_LINES]
    cdef int index, count = 0
    cdef uint64_t squares
    for index in range(table.count):
        if table.lines[index] & playable:
            chosen[count] = index
            count += 1
    squares = table.lines[chosen[draw_below(dice, count)]] & playable
    return squares & (0 - squares)


def line_choice(Position position not None, Dice dice not None, *, bint by_lines):
    """A column by the rules of a player that looks at single lines.

    Args:
        position: not over.
        dice: the source of the choices.
        by_lines: where no line can be completed or blocked, take a random line with a playable
            square rather than a random column.

    Returns:
        The 0-based column.
    """
    cdef const Board* g = position.g
    cdef const LineTable* table = lines_of(g)
    cdef uint64_t own = position.stones, opp = own ^ position.mask
    cdef uint64_t playable = playable_squares(g, position.mask), square
    if playable == 0:
        raise ValueError("no column is open")
    if winning_squares(g, own, position.mask) & playable:
        square = _completing_square(table, own, playable, &dice.state)
    elif winning_squares(g, opp, position.mask) & playable:
        square = _completing_square(table, opp, playable, &dice.state)
    elif by_lines and table.count:
        square = _reachable_line_square(table, playable, &dice.state)
    else:
        square = random_square(g, position.mask, &dice.state)
    return lowest_bit(square) // g.stride
