"""What surrounds a square, as four numbers; surroundings.pyx says what they are and how they are found."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint64_t

from c4core.board cimport SQUARES, Geometry

cdef enum:
    DIRECTIONS = 4          # below, along the row, falling, rising
    NEIGHBOURS = 6          # of a square along one direction, at most

# What surrounds a square along one direction.
cdef struct Line:
    uint64_t near           # the neighbours
    uint64_t factor         # times this, they are the highest bits, ..
    int8_t low              # .. if they have been moved down by so many,
    int8_t high             # and moved down by so many they are a number
    int32_t first           # the number of the first pattern

# The surroundings of all squares; one for each board size.
cdef struct Surroundings:
    Line line[SQUARES][DIRECTIONS]
    int16_t ternary[1 << NEIGHBOURS]        # binary digits read as ternary ones
    int32_t patterns                        # of all squares together
    int32_t* points                         # what each says about a move, from 0 on

cdef const Surroundings* surroundings_of(const Geometry* g) except NULL
cdef int patterns_of_line(const Surroundings* around, int square, int direction) noexcept
cdef int mirrored_pattern(
    const Surroundings* around, const Geometry* g, int square, int direction, int pattern
) noexcept

cdef extern from "gather.h" nogil:
    int gather "c4_gather"(
        uint64_t stones, uint64_t near, uint64_t factor, int low, int high
    ) noexcept


cdef inline int _gathered(const Line* line, uint64_t stones) noexcept nogil:
    """The stones among the neighbours, as binary digits."""
    return gather(stones, line.near, line.factor, line.low, line.high)


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
