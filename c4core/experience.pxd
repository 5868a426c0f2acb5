"""The hot path of what a search learns about moves; experience.pyx says what is learned and why."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t

from c4core.board cimport Geometry
from c4core.ordering cimport SQUARES

cdef enum:
    DIRECTIONS = 4          # below, along the row, falling, rising
    NEIGHBOURS = 6          # of a square along one direction, at most
    EXPERIENCE_LIMIT = 4096     # values lie between minus this and this
    EXPERIENCE_RATE = 3     # each update goes 1 / 2**EXPERIENCE_RATE of the way to the limit
    EXPERIENCE_SHIFT = 16   # weights are so many bits finer than points

# What surrounds a square along one direction.
cdef struct Line:
    uint64_t near           # the neighbours
    uint64_t gather         # times this, they are the highest bits, ..
    int8_t low              # .. if they have been moved down by so many,
    int8_t high             # and moved down by so many they are a number
    int32_t first           # the number of the first pattern

# The surroundings of all squares; one for each board size.
cdef struct Surroundings:
    Line line[SQUARES][DIRECTIONS]
    int32_t patterns                        # of all squares together
    int16_t ternary[1 << NEIGHBOURS]        # binary digits read as ternary ones
    int32_t pattern_weight[SQUARES]         # by the number of stones
    int32_t reply_weight[SQUARES]

# What searches of one thread have learned on one board. The patterns' values follow the struct.
cdef struct Experience:
    Experience* next                        # among those that nobody uses
    const Surroundings* around
    int16_t reply[2][SQUARES][SQUARES]      # [side to move][square played last][square]
    int16_t* pattern[2]                     # [side to move][number of the pattern]

cdef const Surroundings* surroundings_of(const Geometry* g) except NULL
# The experiences of a board that no search uses just now. The interpreter lock guards them.
cdef struct Experiences:
    Experience* idle

# free() gives it back.
cdef Experience* create_experience(const Geometry* g) except NULL
cdef void clear_experience(Experience* experience) noexcept nogil

cdef Experience* take_experience(Experiences* experiences, const Geometry* g) except NULL
cdef void return_experience(Experiences* experiences, Experience* experience) noexcept
cdef void clear_experiences(Experiences* experiences) noexcept
cdef void free_experiences(Experiences* experiences) noexcept


cdef inline int _gathered(const Line* line, uint64_t stones) noexcept nogil:
    """The stones among the neighbours, as binary digits."""
    return <int>((((stones & line.near) >> line.low) * line.gather) >> line.high)


cdef inline int pattern_number(
    const Surroundings* around, uint64_t own, uint64_t opp, int square, int direction
) noexcept nogil:
    """The number of what surrounds the square along one direction."""
    cdef const Line* line = &around.line[square][direction]
    cdef int number = _gathered(line, own)
    # All squares below are taken: what is not the mover's is the opponent's.
    if direction:
        number = around.ternary[number] + 2 * around.ternary[_gathered(line, opp)]
    return line.first + number


cdef inline int learned_value(
    const Experience* experience, uint64_t own, uint64_t opp, int side, int ply, int last, int square
) noexcept nogil:
    """What experience adds to a move's value, in points."""
    cdef const Surroundings* around = experience.around
    cdef const int16_t* pattern = experience.pattern[side]
    cdef int direction, total = 0
    for direction in range(DIRECTIONS):
        total += pattern[pattern_number(around, own, opp, square, direction)]
    return (
        total * around.pattern_weight[ply]
        + experience.reply[side][last][square] * around.reply_weight[ply]
    ) >> EXPERIENCE_SHIFT


cdef inline void _towards(int16_t* value, int limit) noexcept nogil:
    value[0] += <int16_t>((limit - value[0]) >> EXPERIENCE_RATE)


cdef inline void learn(
    Experience* experience, uint64_t own, uint64_t opp, int side, int last, int square, int limit
) noexcept nogil:
    """Move the values of a move towards the limit: positive for one that has cut."""
    cdef int direction
    for direction in range(DIRECTIONS):
        _towards(
            &experience.pattern[side][pattern_number(experience.around, own, opp, square, direction)], limit
        )
    _towards(&experience.reply[side][last][square], limit)
