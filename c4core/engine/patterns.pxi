"""What surrounds a square, as four numbers, and what the windows through it say about a move there.

Along each of four directions the stones and gaps near a square are a pattern: up to three squares to
either side along the row and the two diagonals, and up to three stones below. On 7x6 there are 13,367
patterns of all squares together. A move's order follows from its four patterns: experience.pyx learns
what each is worth, and some of it is known beforehand.

**Windows.** A window is four squares in a row. Those through a square lie within three squares of it,
so its patterns tell what a move there gains (the squares above it are empty)::

     8  points for each open window with two own stones that it makes, less those it makes threats
     2  points for each window that it takes from the opponent, empty ones among them

A pattern's points have ``LEAST_POINTS`` added, so that none are negative. All moves have four patterns,
which makes that the same for each. On boards less than six squares high the farthest squares of some
lines are not part of the patterns (below), and count as empty.

**Numbers.** The neighbours of a square along one direction are ``step`` bits apart. To number what
stands there, the n of them are gathered: by the instruction ``pext`` where it is quick (kernel.pyx), or
by one multiplication, for which all processors are quick. The factor has one bit for each neighbour,
which lifts that neighbour to its place among the highest n; the other products fall above the word or
below these n bits, and no two of them meet, as long as n is at most ``step``. Then own stones count as
ternary digits 1 and the opponent's as 2.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libc.stdlib cimport calloc, free

from c4core.board cimport (
    HEIGHT_LIMIT,
    WIDTH_LIMIT,
    column_mask,
    lowest_bit,
    playable_squares,
    popcount,
)
from c4core.position cimport Position

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

# What a pattern says of a line's squares: nothing, or OWN, THEIRS or OUTSIDE; its own square is empty.
ctypedef int[LINE] Squares

cdef int[DIRECTIONS] ACROSS
ACROSS[:] = [0, 1, 1, 1]
cdef int[DIRECTIONS] UP
UP[:] = [1, 0, -1, 1]

cdef Surroundings* _surroundings[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Surroundings* surroundings_of(const Geometry* g) except NULL:
    """The surroundings on a board size; they are made once and live as long as the process."""
    cdef Surroundings* around = _surroundings[g.width][g.height]
    if around == NULL:
        around = <Surroundings*>calloc(1, sizeof(Surroundings))
        if around == NULL:
            raise MemoryError
        _fill_lines(around, g)
        around.points = <int32_t*>calloc(around.patterns, sizeof(int32_t))
        if around.points == NULL:
            free(around)
            raise MemoryError
        _fill_points(around, g)
        _surroundings[g.width][g.height] = around
    return around


cdef void _fill_lines(Surroundings* around, const Geometry* g) noexcept:
    cdef int column, row, direction, number, digits
    for number in range(1 << NEIGHBOURS):
        digits = 1
        for direction in range(NEIGHBOURS):
            around.ternary[number] += <int16_t>(digits * (number >> direction & 1))
            digits *= 3
    for column in range(g.width):
        for row in range(g.height):
            for direction in range(DIRECTIONS):
                _fill_line(around, g, column, row, direction)


cdef inline bint _on_board(const Geometry* g, int column, int row, int direction, int distance) noexcept:
    return (
        0 <= column + distance * ACROSS[direction] < g.width
        and 0 <= row + distance * UP[direction] < g.height
    )


cdef inline int _step(const Geometry* g, int direction) noexcept:
    return ACROSS[direction] * g.stride + UP[direction]


cdef inline int _reach(const Geometry* g, int direction) noexcept:
    """How far a pattern goes: on low boards a step has fewer bits than a square has neighbours."""
    return min(REACH, _step(g, direction) // 2) if direction else REACH


cdef void _fill_line(
    Surroundings* around, const Geometry* g, int column, int row, int direction
) noexcept:
    """Find the neighbours of a square along one direction, and how to gather them."""
    cdef int[NEIGHBOURS] neighbours
    cdef int square = column * g.stride + row
    cdef int reach = _reach(g, direction)
    cdef Line* line = &around.line[square][direction]
    cdef int distance, index, count = 0, patterns = 1
    for distance in range(-reach, reach + 1 if direction else 0):
        if distance and _on_board(g, column, row, direction, distance):
            neighbours[count] = square + distance * _step(g, direction)
            count += 1
    line.first = around.patterns
    line.low = <int8_t>(neighbours[0] if count else 0)
    line.high = <int8_t>min(64 - count, 63)
    for index in range(count):
        line.near |= <uint64_t>1 << neighbours[index]
        line.factor |= <uint64_t>1 << (64 - count + index - (neighbours[index] - line.low))
        patterns *= 3 if direction else 2
    around.patterns += patterns


cdef int patterns_of_line(const Surroundings* around, int square, int direction) noexcept:
    """The number of patterns around a square along one direction."""
    cdef int neighbour, patterns = 1
    for neighbour in range(popcount(around.line[square][direction].near)):
        patterns *= 3 if direction else 2
    return patterns


cdef int mirrored_pattern(
    const Surroundings* around, const Geometry* g, int square, int direction, int pattern
) noexcept:
    """The number, among all patterns, of the mirror image of a pattern of a line.

    On low boards one of the diagonals has fewer neighbours: others count as empty.
    """
    cdef int column = square // g.stride, row = square % g.stride
    cdef int mirrored = (g.width - 1 - column) * g.stride + row
    cdef int opposite = RISING if direction == FALLING else FALLING if direction == RISING else direction
    cdef int here = _reach(g, direction), there = _reach(g, opposite)
    cdef int distance, digit, number = 0
    if direction == 0:
        number = pattern
    else:
        # The neighbours come from the left: in a mirror in reverse.
        for distance in range(-REACH, REACH + 1):
            if distance == 0 or not _on_board(g, column, row, direction, distance):
                continue
            digit = 0
            if -here <= distance <= here:
                digit = pattern % 3
                pattern //= 3
            if -there <= distance <= there:
                number = 3 * number + digit
    return around.line[mirrored][opposite].first + number


cdef void _fill_points(Surroundings* around, const Geometry* g) noexcept:
    cdef int column, row, direction, number
    cdef int32_t* points
    cdef Squares squares
    for column in range(g.width):
        for row in range(g.height):
            for direction in range(DIRECTIONS):
                points = around.points + around.line[column * g.stride + row][direction].first
                number = 0
                while _read(squares, g, column, row, direction, number):
                    points[number] = LEAST_POINTS + _window_points(squares)
                    number += 1


cdef bint _read(
    int* squares, const Geometry* g, int column, int row, int direction, int number
) noexcept:
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


cdef int _window_points(const int* squares) noexcept:
    """What a move to the middle of a line gains in the windows through it."""
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


cdef list _playable(Position position):
    """The squares that can be played, from the left."""
    cdef uint64_t playable = playable_squares(position.g, position.mask)
    cdef int column
    return [
        lowest_bit(playable & column_mask(position.g, column))
        for column in range(position.g.width)
        if playable & column_mask(position.g, column)
    ]


cdef int _number(const Surroundings* around, Position position, int square, int direction):
    cdef uint64_t opp = position.stones ^ position.mask
    return pattern_number(around, position.stones, opp, square, direction)


def patterns(Position position not None):
    """What surrounds the squares that can be played.

    Returns:
        For every column that is not full, from the left, the numbers of what lies below the square,
        along its row, along the falling and along the rising diagonal. The digits of a number, from the
        lowest on, are the neighbours from the left (below: from the bottom): 1 for a stone of the side
        to move, and 2 for one of its opponent's, which counts 0 below.
    """
    cdef const Surroundings* around = surroundings_of(position.g)
    cdef int square, direction
    return [
        tuple([
            _number(around, position, square, direction) - around.line[square][direction].first
            for direction in range(DIRECTIONS)
        ])
        for square in _playable(position)
    ]


def window_points(Position position not None):
    """What the windows through the squares that can be played say about a move there.

    Returns:
        For every column that is not full, from the left, the points of a move's four patterns.
    """
    cdef const Surroundings* around = surroundings_of(position.g)
    cdef int square, direction
    return [
        sum([
            around.points[_number(around, position, square, direction)] - LEAST_POINTS
            for direction in range(DIRECTIONS)
        ])
        for square in _playable(position)
    ]
