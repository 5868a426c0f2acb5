"""Move ordering by experience: what cut before, in the same surroundings and in reply to the same move.

Nearly nine of ten nodes lie below a move that fails where another one cuts, so what counts is to try
the right move first. What is right changes from one part of the tree to another. Two tables learn it
while the search runs, on any board and without training:

``pattern``
    [side][number of the pattern]: the stones and gaps around the square, along the four directions
    (surroundings.pyx).
``reply``
    [side][square that was played last][square]: the answer to that move.

When a move cuts, its five values go 1/8 of the way to the upper limit, and those of the moves tried
before it 1/8 of the way to the lower one. Where only one move was left there was nothing to choose and
nothing is learned. Chess programs call the two a pattern history and a continuation history.

How much the values count in the order grows with the number of stones (``PATTERN_WEIGHTS``): early
on the nodes are few and their surroundings are alike. The weights were set by the node counts of
random positions, none of which is among those that docs/performance.md reports.

A pattern's word holds two values, so that one look-up finds both::

     31                  16 15                   0
    +----------------------+----------------------+
    | learned, signed      | points, from 0 on    |
    +----------------------+----------------------+

The points are what the windows through the square say; they never change. As they are small, the
words of four patterns are added as they are, and the lower half of the sum is the sum of the points.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy, memset

from c4core.surroundings cimport surroundings_of

# The weight of a value, by the number of stones: up to 10, 14, 18, 22, 26, and more.
cdef int[5] LAST_PLIES
LAST_PLIES[:] = [10, 14, 18, 22, 26]
cdef int[6] PATTERN_WEIGHTS
PATTERN_WEIGHTS[:] = [118, 118, 84, 140, 175, 188]
cdef int[6] REPLY_WEIGHTS
REPLY_WEIGHTS[:] = [118, 118, 160, 160, 160, 160]


cdef Experience* create_experience(const Geometry* g) except NULL:
    """What a search knows that has learned nothing."""
    cdef const Surroundings* around = surroundings_of(g)
    cdef Experience* experience = <Experience*>calloc(
        1, sizeof(Experience) + 2 * <size_t>around.patterns * sizeof(int32_t)
    )
    cdef int ply, phase
    if experience == NULL:
        raise MemoryError
    experience.around = around
    experience.pattern[0] = <int32_t*>(experience + 1)
    experience.pattern[1] = experience.pattern[0] + around.patterns
    for ply in range(SQUARES):
        phase = 0
        while phase < 5 and ply > LAST_PLIES[phase]:
            phase += 1
        experience.pattern_weight[ply] = PATTERN_WEIGHTS[phase]
        experience.reply_weight[ply] = REPLY_WEIGHTS[phase]
    clear_experience(experience)
    return experience


cdef void clear_experience(Experience* experience) noexcept nogil:
    """Forget everything but the points."""
    cdef size_t size = experience.around.patterns * sizeof(int32_t)
    memset(experience.reply, 0, sizeof(experience.reply))
    memcpy(experience.pattern[0], experience.around.points, size)
    memcpy(experience.pattern[1], experience.around.points, size)
