"""Move ordering by experience: what cut before, in the same surroundings and in reply to the same move.

Nearly nine of ten nodes lie below a move that fails where another one cuts, so what counts is to try
the right move first. What is right changes from one part of the tree to another. Two tables learn it
while the search runs, on any board and without training:

``pattern``
    [side][square][direction][what lies there]: the stones and gaps up to three squares to either side
    along the row and the two diagonals, and up to three stones below. On 7x6 there are 13,808 patterns
    for each side (55 KB together).
``reply``
    [side][square that was played last][square]: the answer to that move.

When a move cuts, its five values go 1/8 of the way to the upper limit, and those of the moves tried
before it 1/8 of the way to the lower one. Where only one move was left there was nothing to choose and
nothing is learned. Chess programs call the two a pattern history and a continuation history.

How much the values count in the order grows with the number of stones (``PATTERN_WEIGHTS``): early
on the nodes are few and their surroundings are alike. The weights were set by the node counts of
random positions, none of which is among those that docs/performance.md reports.

The neighbours of a square along one direction are ``step`` bits apart. To number what stands there,
the n of them are gathered by one multiplication, for which all processors are quick. The factor has one
bit for each neighbour, which lifts that neighbour to its place among the highest n; the other products
fall above the word or below these n bits, and no two of them meet, as long as n is at most ``step``.
Then own stones count as ternary digits 1 and the opponent's as 2.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from c4core.board cimport (
    HEIGHT_LIMIT,
    WIDTH_LIMIT,
    column_mask,
    lowest_bit,
    playable_squares,
)
from c4core.position cimport Position

# The weight of a value, by the number of stones: up to 10, 14, 18, 22, 26, and more.
cdef int[5] LAST_PLIES
LAST_PLIES[:] = [10, 14, 18, 22, 26]
cdef int[6] PATTERN_WEIGHTS
PATTERN_WEIGHTS[:] = [118, 118, 84, 140, 175, 188]
cdef int[6] REPLY_WEIGHTS
REPLY_WEIGHTS[:] = [118, 118, 160, 160, 160, 160]

cdef enum:
    REACH = 3       # squares to either side: as far as a line of four reaches

cdef Surroundings* _surroundings[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Surroundings* surroundings_of(const Geometry* g) except NULL:
    """The surroundings on a board size; they are made once and live as long as the process."""
    cdef Surroundings* around = _surroundings[g.width][g.height]
    if around == NULL:
        around = <Surroundings*>calloc(1, sizeof(Surroundings))
        if around == NULL:
            raise MemoryError
        _fill(around, g)
        _surroundings[g.width][g.height] = around
    return around


cdef Experience* create_experience(const Geometry* g) except NULL:
    """What a search knows that has learned nothing."""
    cdef const Surroundings* around = surroundings_of(g)
    cdef Experience* experience = <Experience*>calloc(
        1, sizeof(Experience) + 2 * <size_t>around.patterns * sizeof(int16_t)
    )
    if experience == NULL:
        raise MemoryError
    experience.around = around
    experience.pattern[0] = <int16_t*>(experience + 1)
    experience.pattern[1] = experience.pattern[0] + around.patterns
    return experience


cdef void clear_experience(Experience* experience) noexcept nogil:
    """Forget everything."""
    memset(experience.reply, 0, sizeof(experience.reply))
    memset(experience.pattern[0], 0, 2 * <size_t>experience.around.patterns * sizeof(int16_t))


cdef Experience* take_experience(Experiences* experiences, const Geometry* g) except NULL:
    """An experience for one thread to search with: the one used last, or a new one."""
    cdef Experience* experience = experiences.idle
    if experience == NULL:
        return create_experience(g)
    experiences.idle = experience.next
    return experience


cdef void return_experience(Experiences* experiences, Experience* experience) noexcept:
    experience.next = experiences.idle
    experiences.idle = experience


cdef void clear_experiences(Experiences* experiences) noexcept:
    """Forget what has been learned; running searches keep theirs."""
    cdef Experience* experience = experiences.idle
    while experience != NULL:
        clear_experience(experience)
        experience = experience.next


cdef void free_experiences(Experiences* experiences) noexcept:
    """Free those that nobody uses."""
    cdef Experience* experience
    while experiences.idle != NULL:
        experience = experiences.idle
        experiences.idle = experience.next
        free(experience)


cdef void _fill(Surroundings* around, const Geometry* g) noexcept:
    cdef int column, row, direction, number, digits
    for number in range(1 << NEIGHBOURS):
        digits = 1
        for direction in range(NEIGHBOURS):
            around.ternary[number] += <int16_t>(digits * (number >> direction & 1))
            digits *= 3
    for number in range(SQUARES):
        direction = 0
        while direction < 5 and number > LAST_PLIES[direction]:
            direction += 1
        around.pattern_weight[number] = PATTERN_WEIGHTS[direction]
        around.reply_weight[number] = REPLY_WEIGHTS[direction]
    for column in range(g.width):
        for row in range(g.height):
            for direction in range(DIRECTIONS):
                _fill_line(around, g, column, row, direction)


cdef void _fill_line(
    Surroundings* around, const Geometry* g, int column, int row, int direction
) noexcept:
    """Find the neighbours of a square along one direction, and how to gather them."""
    cdef int* across = [0, 1, 1, 1]
    cdef int* up = [1, 0, -1, 1]
    cdef int[NEIGHBOURS] neighbours
    cdef int step = across[direction] * g.stride + up[direction]
    cdef int square = column * g.stride + row
    # On low boards a step has fewer bits than a square has neighbours: the farthest are left out.
    cdef int reach = min(REACH, step // 2) if direction else REACH
    cdef Line* line = &around.line[square][direction]
    cdef int distance, x, y, index, count = 0, patterns = 1
    for distance in range(-reach, reach + 1 if direction else 0):
        x = column + distance * across[direction]
        y = row + distance * up[direction]
        if distance and 0 <= x < g.width and 0 <= y < g.height:
            neighbours[count] = square + distance * step
            count += 1
    line.first = around.patterns
    line.low = <int8_t>(neighbours[0] if count else 0)
    line.high = <int8_t>min(64 - count, 63)
    for index in range(count):
        line.near |= <uint64_t>1 << neighbours[index]
        line.gather |= <uint64_t>1 << (64 - count + index - (neighbours[index] - line.low))
        patterns *= 3 if direction else 2
    around.patterns += patterns


def patterns(Position position not None):
    """What surrounds the squares that can be played.

    Returns:
        For every column that is not full, from the left, the numbers of what lies below the square,
        along its row, along the falling and along the rising diagonal. The digits of a number, from the
        lowest on, are the neighbours from the left (below: from the bottom): 1 for a stone of the side
        to move, and 2 for one of its opponent's, which counts 0 below.
    """
    cdef const Geometry* g = position.g
    cdef const Surroundings* around = surroundings_of(g)
    cdef uint64_t opp = position.stones ^ position.mask
    cdef uint64_t move
    cdef int column, direction, square
    cdef list found = []
    for column in range(g.width):
        move = playable_squares(g, position.mask) & column_mask(g, column)
        if move == 0:
            continue
        square = lowest_bit(move)
        found.append(tuple([
            pattern_number(around, position.stones, opp, square, direction)
            - around.line[square][direction].first
            for direction in range(DIRECTIONS)
        ]))
    return found
