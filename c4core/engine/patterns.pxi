# Patterns: the surroundings of a square as four numbers, and the points of a move there by its windows.
#
# Along each of four directions the stones and gaps near a square are a pattern: up to three squares to
# either side along the row and the two diagonals, and up to three stones below. On 7x6 there are 13,367
# patterns of all squares together. Moves are ordered by their four patterns: history.pxi learns a value for
# each pattern, and each pattern has fixed points, which are computed here.
#
# **Windows.** A window is four squares in a row. A window through a square is within three squares of it,
# so the square's patterns determine what a move there gains (the squares above it are empty)::
#
#      8  points for each open window with two own stones that it makes, -8 for each that becomes a threat
#      2  points for each window that it takes from the opponent, empty windows included
#
# ``LEAST_POINTS`` is added to the points of a pattern, so that they are not negative. All moves have four
# patterns, so this is the same for each move. On boards with fewer than six rows the farthest squares of
# some lines are not part of the patterns (see below), and count as empty.
#
# **Numbers.** The neighbours of a square along one direction are ``step`` bits apart. Their n bits are
# gathered into a number: by the instruction ``pext`` if it is fast (x86_v3_pext.pyx), otherwise by one
# multiplication, which is fast on all processors. The factor has one bit for each neighbour, which moves
# that neighbour to its place among the highest n bits. The other products fall above the word or below
# these n bits, and no two of them collide, as long as n is at most ``step``. Then own stones count as
# ternary digits 1 and the opponent's stones as 2.

from libc.stdint cimport int8_t, int16_t, int32_t
from libc.stdlib cimport calloc, free

cdef extern from "word.h" nogil:
    int gather "c4_gather"(
        word_t stones, word_t near, word_t factor, int low, int high
    ) noexcept

cdef enum:
    DIRECTIONS = 4          # below, along the row, falling, rising
    NEIGHBOURS = 6          # of a square along one direction, at most

# The surroundings of a square along one direction.
cdef struct Line:
    word_t near           # the neighbours
    word_t factor         # gathers them in the highest bits
    int8_t low              # shift down before the multiplication
    int8_t high             # shift down after the multiplication
    int32_t first           # the number of the first pattern

# The patterns of all squares; one for each board size.
cdef struct Patterns:
    Line line[WORD_BITS][DIRECTIONS]
    int16_t ternary[1 << NEIGHBOURS]        # binary digits read as ternary ones
    int32_t count                           # number of patterns of all squares
    int32_t* points                         # points of each pattern, from 0 on

cdef enum:
    REACH = 3           # squares to either side: as far as a line of four reaches
    LINE = 7            # squares of the line: three on either side, and the square itself
    TWO_WEIGHT = 8      # for each open window with two own stones after the move
    THEIRS_WEIGHT = 2   # for each window that the move takes from the opponent
    LEAST_POINTS = 4 * TWO_WEIGHT
    OWN = 1
    THEIRS = 2
    OUTSIDE = 3
    FALLING = 2
    RISING = 3

# A line's squares in a pattern: 0 (empty), OWN, THEIRS or OUTSIDE. The middle square is empty.
ctypedef int[LINE] Squares

cdef int[DIRECTIONS] ACROSS
ACROSS[:] = [0, 1, 1, 1]
cdef int[DIRECTIONS] UP
UP[:] = [1, 0, -1, 1]

cdef Patterns* _patterns[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Patterns* patterns_of(const Board* g) noexcept nogil:
    """Return the patterns of a board size, which are made once and kept; NULL if memory is short."""
    cdef Patterns* patterns = _patterns[g.width][g.height]
    if patterns == NULL:
        patterns = <Patterns*>calloc(1, sizeof(Patterns))
        if patterns == NULL:
            return NULL
        _fill_lines(patterns, g)
        patterns.points = <int32_t*>calloc(patterns.count, sizeof(int32_t))
        if patterns.points == NULL:
            free(patterns)
            return NULL
        _fill_points(patterns, g)
        _patterns[g.width][g.height] = patterns
    return patterns


cdef inline int _gathered(const Line* line, word_t stones) noexcept nogil:
    """Return the stones among the neighbours, as binary digits."""
    return gather(stones, line.near, line.factor, line.low, line.high)


cdef inline int pattern_number(
    const Patterns* patterns, word_t own, word_t opp, int square, int direction
) noexcept nogil:
    """Return the number of the pattern around the square along one direction."""
    cdef const Line* line = &patterns.line[square][direction]
    cdef int number = _gathered(line, own)
    # All squares below are occupied, so stones that are not the mover's are the opponent's.
    if direction:
        number = patterns.ternary[number] + 2 * patterns.ternary[_gathered(line, opp)]
    return line.first + number


cdef void _fill_lines(Patterns* patterns, const Board* g) noexcept nogil:
    cdef int column, row, direction, number, digits
    for number in range(1 << NEIGHBOURS):
        digits = 1
        for direction in range(NEIGHBOURS):
            patterns.ternary[number] += <int16_t>(digits * (number >> direction & 1))
            digits *= 3
    for column in range(g.width):
        for row in range(g.height):
            for direction in range(DIRECTIONS):
                _fill_line(patterns, g, column, row, direction)


cdef inline bint _on_board(const Board* g, int column, int row, int direction, int distance) noexcept nogil:
    return (
        0 <= column + distance * ACROSS[direction] < g.width
        and 0 <= row + distance * UP[direction] < g.height
    )


cdef inline int _step(const Board* g, int direction) noexcept nogil:
    return ACROSS[direction] * g.stride + UP[direction]


cdef inline int _reach(const Board* g, int direction) noexcept nogil:
    """Return the reach of a pattern: on low boards a step has fewer bits than a square has neighbours."""
    return min(REACH, _step(g, direction) // 2) if direction else REACH


cdef void _fill_line(
    Patterns* patterns, const Board* g, int column, int row, int direction
) noexcept nogil:
    """Find the neighbours of a square along one direction, and how to gather them."""
    cdef int[NEIGHBOURS] neighbours
    cdef int square = column * g.stride + row
    cdef int reach = _reach(g, direction)
    cdef Line* line = &patterns.line[square][direction]
    cdef int distance, index, count = 0, numbers = 1
    for distance in range(-reach, reach + 1 if direction else 0):
        if distance and _on_board(g, column, row, direction, distance):
            neighbours[count] = square + distance * _step(g, direction)
            count += 1
    line.first = patterns.count
    line.low = <int8_t>(neighbours[0] if count else 0)
    line.high = <int8_t>min(WORD_BITS - count, WORD_BITS - 1)
    for index in range(count):
        line.near |= <word_t>1 << neighbours[index]
        line.factor |= <word_t>1 << (WORD_BITS - count + index - (neighbours[index] - line.low))
        numbers *= 3 if direction else 2
    patterns.count += numbers


cdef int line_patterns(const Patterns* patterns, int square, int direction) noexcept nogil:
    """Return the number of patterns around a square along one direction."""
    cdef int neighbour, numbers = 1
    for neighbour in range(popcount(patterns.line[square][direction].near)):
        numbers *= 3 if direction else 2
    return numbers


cdef int mirrored_pattern(
    const Patterns* patterns, const Board* g, int square, int direction, int pattern
) noexcept nogil:
    """Return the number, among all patterns, of the mirror image of a line's pattern.

    On low boards one of the diagonals has fewer neighbours; missing ones count as empty.
    """
    cdef int column = square // g.stride, row = square % g.stride
    cdef int mirrored = (g.width - 1 - column) * g.stride + row
    cdef int opposite = RISING if direction == FALLING else FALLING if direction == RISING else direction
    cdef int here = _reach(g, direction), there = _reach(g, opposite)
    cdef int distance, digit, number = 0
    if direction == 0:
        number = pattern
    else:
        # The neighbours are listed from the left, so the mirror image has them in reverse.
        for distance in range(-REACH, REACH + 1):
            if distance == 0 or not _on_board(g, column, row, direction, distance):
                continue
            digit = 0
            if -here <= distance <= here:
                digit = pattern % 3
                pattern //= 3
            if -there <= distance <= there:
                number = 3 * number + digit
    return patterns.line[mirrored][opposite].first + number


cdef void _fill_points(Patterns* patterns, const Board* g) noexcept nogil:
    cdef int column, row, direction, number
    cdef int32_t* points
    cdef Squares squares
    for column in range(g.width):
        for row in range(g.height):
            for direction in range(DIRECTIONS):
                points = patterns.points + patterns.line[column * g.stride + row][direction].first
                number = 0
                while _read(squares, g, column, row, direction, number):
                    points[number] = LEAST_POINTS + _window_points(squares)
                    number += 1


cdef bint _read(
    int* squares, const Board* g, int column, int row, int direction, int number
) noexcept nogil:
    """Read a pattern's number; False if the line has fewer patterns."""
    cdef int distance, reach = _reach(g, direction)
    for distance in range(-REACH, REACH + 1):
        squares[REACH + distance] = 0
        if not _on_board(g, column, row, direction, distance):
            squares[REACH + distance] = OUTSIDE
        elif direction == 0 and distance < 0:
            squares[REACH + distance] = OWN if number & 1 else THEIRS
            number >>= 1
        elif direction and distance and -reach <= distance <= reach:
            squares[REACH + distance] = number % 3
            number //= 3
    return number == 0


cdef int _window_points(const int* squares) noexcept nogil:
    """Return the points that a move to the middle of a line gains in the windows through it."""
    cdef int first, index, own, theirs, points = 0
    for first in range(REACH + 1):
        own = theirs = 0
        for index in range(first, first + REACH + 1):
            if squares[index] == OUTSIDE:
                break
            own += squares[index] == OWN
            theirs += squares[index] == THEIRS
        else:
            if theirs == 0:
                points += TWO_WEIGHT * ((own == 1) - (own == 2))
            if own == 0:
                points += THEIRS_WEIGHT
    return points
