"""The hot path of what a search learns about moves; experience.pyx says what is learned and why."""

from libc.stdint cimport int16_t, int32_t, uint64_t

from c4core.board cimport SQUARES, Geometry
from c4core.surroundings cimport DIRECTIONS, Surroundings, pattern_number

cdef enum:
    EXPERIENCE_LIMIT = 4096     # what is learned lies between minus this and this
    EXPERIENCE_RATE = 3     # each update goes 1 / 2**EXPERIENCE_RATE of the way to the limit
    EXPERIENCE_SHIFT = 16   # weights are so many bits finer than points
    LEARNED_SHIFT = 16      # of a pattern's two values in one word the learned one is the upper half
    POINTS = (1 << LEARNED_SHIFT) - 1   # .. and its points the lower one

# What searches of one thread have learned on one board. The patterns' words follow the struct.
cdef struct Experience:
    const Surroundings* around
    int32_t pattern_weight[SQUARES]         # by the number of stones
    int32_t reply_weight[SQUARES]
    int16_t reply[2][SQUARES][SQUARES]      # [side to move][square played last][square]
    int32_t* pattern[2]                     # [side to move][number of the pattern]

# free() gives it back.
cdef Experience* create_experience(const Geometry* g) except NULL
cdef void clear_experience(Experience* experience) noexcept nogil


cdef inline int surroundings_value(
    const Experience* experience, uint64_t own, uint64_t opp, int side, int ply, int last, int square
) noexcept nogil:
    """What the surroundings and experience with them add to a move's value, in points."""
    cdef const Surroundings* around = experience.around
    cdef const int32_t* pattern = experience.pattern[side]
    cdef int direction, total = 0
    for direction in range(DIRECTIONS):
        total += pattern[pattern_number(around, own, opp, square, direction)]
    return (total & POINTS) + ((
        (total >> LEARNED_SHIFT) * experience.pattern_weight[ply]
        + experience.reply[side][last][square] * experience.reply_weight[ply]
    ) >> EXPERIENCE_SHIFT)


cdef inline int _change(int value, int limit) noexcept nogil:
    return (limit - value) >> EXPERIENCE_RATE


cdef inline void learn(
    Experience* experience, uint64_t own, uint64_t opp, int side, int last, int square, int limit
) noexcept nogil:
    """Move what is learned of a move towards the limit: positive for one that has cut."""
    cdef int16_t* reply = &experience.reply[side][last][square]
    cdef int32_t* word
    cdef int direction
    for direction in range(DIRECTIONS):
        word = &experience.pattern[side][pattern_number(experience.around, own, opp, square, direction)]
        word[0] += _change(word[0] >> LEARNED_SHIFT, limit) * (1 << LEARNED_SHIFT)
    reply[0] += <int16_t>_change(reply[0], limit)
