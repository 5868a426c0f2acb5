# History: move ordering by earlier cutoffs on the same square, in the same pattern, and in reply to the same
# move.
#
# Nearly nine of ten nodes are below a move that fails although another move cuts, so it is important to try
# the right move first. The right move differs from one part of the tree to another. Three tables learn it
# during the search, on any board and without training:
#
# ``history``
#     [side][square]: the plain history heuristic; it is part of Search and lasts for one search.
# ``pattern``
#     [side][number of the pattern]: the stones and gaps around the square, along the four directions
#     (patterns.pxi).
# ``reply``
#     [side][square that was played last][square]: the answer to that move, a continuation history.
#
# When a move cuts, its value in the plain history moves 1/16 of the way to the upper limit, and the values
# of the moves tried before it 1/16 of the way to 0. Its five values in the other two tables move 1/8 of the
# way to the upper limit, and the values of the moves tried before it 1/8 of the way to the lower limit. If
# only one move was left, there was no choice and nothing is learned.
#
# The weight of the values grows with the number of stones (``PATTERN_WEIGHTS``): early on, there are few
# nodes and their patterns are similar. The weights were tuned on the node counts of random positions, which
# are not among the positions in docs/performance.md.
#
# A pattern's word has two values, so that one lookup finds both::
#
#      31                  16 15                   0
#     +----------------------+----------------------+
#     | learned, signed      | points, from 0 on    |
#     +----------------------+----------------------+
#
# The points come from the windows through the square and never change. They are small, so the words of
# four patterns can be added, and the lower half of the sum is the sum of the points.

from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy, memset

cdef enum:
    HISTORY_LIMIT = 512
    HISTORY_SHIFT = 5       # the plain history counts 0 to 15 points: its value stops below the limit
    HISTORY_LEAK = 4        # each update moves 1 / 2**HISTORY_LEAK of the way to the limit
    LEARNED_LIMIT = 4096    # learned values are between -LEARNED_LIMIT and 4089
    LEARNED_RATE = 3        # each update moves 1 / 2**LEARNED_RATE of the way to the limit
    WEIGHT_SHIFT = 16       # weights are finer than points by this many bits
    LEARNED_SHIFT = 16      # the learned value is the upper half of a pattern's word
    POINTS = (1 << LEARNED_SHIFT) - 1   # the points are the lower half

# The history of one thread on one board. The patterns' words follow the struct.
cdef struct History:
    const Patterns* patterns
    int32_t pattern_weight[WORD_BITS]         # by the number of stones
    int32_t reply_weight[WORD_BITS]
    int16_t reply[2][WORD_BITS][WORD_BITS]      # [side to move][square played last][square]
    int32_t* pattern[2]                     # [side to move][number of the pattern]

# The weights by the number of stones: up to 10, 14, 18, 22, 26, and more.
cdef int[5] LAST_PLIES
LAST_PLIES[:] = [10, 14, 18, 22, 26]
cdef int[6] PATTERN_WEIGHTS
PATTERN_WEIGHTS[:] = [118, 118, 84, 140, 175, 188]
cdef int[6] REPLY_WEIGHTS
REPLY_WEIGHTS[:] = [118, 118, 160, 160, 160, 160]


cdef History* create_history(const Board* g) noexcept nogil:
    """Create an empty history; free() releases it. Return NULL if memory is short."""
    cdef const Patterns* patterns = patterns_of(g)
    cdef History* history
    cdef int ply, phase
    if patterns == NULL:
        return NULL
    history = <History*>calloc(1, history_bytes(patterns))
    if history == NULL:
        return NULL
    history.patterns = patterns
    history.pattern[0] = <int32_t*>(history + 1)
    history.pattern[1] = history.pattern[0] + patterns.count
    for ply in range(WORD_BITS):
        phase = 0
        while phase < 5 and ply > LAST_PLIES[phase]:
            phase += 1
        history.pattern_weight[ply] = PATTERN_WEIGHTS[phase]
        history.reply_weight[ply] = REPLY_WEIGHTS[phase]
    clear_history(history)
    return history


cdef inline size_t history_bytes(const Patterns* patterns) noexcept nogil:
    return sizeof(History) + 2 * <size_t>patterns.count * sizeof(int32_t)


cdef void clear_history(History* history) noexcept nogil:
    """Forget everything except the points."""
    cdef size_t size = history.patterns.count * sizeof(int32_t)
    memset(history.reply, 0, sizeof(history.reply))
    memcpy(history.pattern[0], history.patterns.points, size)
    memcpy(history.pattern[1], history.patterns.points, size)


cdef inline void history_reward(int32_t* value) noexcept nogil:
    value[0] += (HISTORY_LIMIT - value[0]) >> HISTORY_LEAK


cdef inline void history_decay(int32_t* value) noexcept nogil:
    value[0] -= value[0] >> HISTORY_LEAK


cdef inline int pattern_value(
    const History* history, word_t own, word_t opp, int side, int ply, int last, int square
) noexcept nogil:
    """Return the points that a square's patterns and the reply table add to a move's value."""
    cdef const Patterns* patterns = history.patterns
    cdef const int32_t* pattern = history.pattern[side]
    cdef int direction, total = 0
    for direction in range(DIRECTIONS):
        total += pattern[pattern_number(patterns, own, opp, square, direction)]
    return (total & POINTS) + ((
        (total >> LEARNED_SHIFT) * history.pattern_weight[ply]
        + history.reply[side][last][square] * history.reply_weight[ply]
    ) >> WEIGHT_SHIFT)


cdef inline int _change(int value, int limit) noexcept nogil:
    return (limit - value) >> LEARNED_RATE


cdef inline void learn(
    History* history, word_t own, word_t opp, int side, int last, int square, int limit
) noexcept nogil:
    """Move the learned values of a move towards the limit, which is positive for a move that cut."""
    cdef int16_t* reply = &history.reply[side][last][square]
    cdef int32_t* word
    cdef int direction
    for direction in range(DIRECTIONS):
        word = &history.pattern[side][pattern_number(history.patterns, own, opp, square, direction)]
        word[0] += _change(word[0] >> LEARNED_SHIFT, limit) * (1 << LEARNED_SHIFT)
    reply[0] += <int16_t>_change(reply[0], limit)
