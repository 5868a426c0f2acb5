"""What a trained network foresees of moves, in the hot path; foresight.pyx says what that is."""

cimport cython
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from c4core cimport atomics
from c4core.board cimport MAX_COLUMNS, SQUARES, Geometry, lowest_bit, popcount
from c4core.surroundings cimport DIRECTIONS, Surroundings, pattern_number

cdef extern from "foresight.h" nogil:
    enum:
        UNITS "C4_UNITS"
    ctypedef struct Units "c4_units":
        pass
    void add_rows "c4_add_rows"(
        Units* sums, const int8_t* rows, const int32_t* number, int count
    ) noexcept
    int32_t weigh "c4_weigh"(const Units* sums, const int16_t* weights) noexcept

cdef enum:
    LEAST_BETA = -3         # windows below share the row of this one ..
    MAX_BETA = 4            # .. and windows above that of this one
    POINTS_FACTOR = 33      # the network's sum times this, ..
    POINTS_SHIFT = 19       # .. over 2**19, are points
    ASKED_EMPTIES = 22      # with fewer empty squares a look costs more than it saves
    WHOLE_ROWS = 2 * SQUARES + MAX_COLUMNS + 3      # at most, for what all moves share
    MOVE_ROWS = DIRECTIONS + 1 + SQUARES            # at most, for one move, with those of its patterns

# A network for one board size. Its rows are numbered in groups, one after the other; each number below
# is that of a group's first row.
cdef struct Foresight:
    const Surroundings* around
    int count               # rows of a side
    int last_ply            # it is not asked with more stones on the board
    int stride
    int width
    int cells
    int heights             # after the squares of own stones, of others, of own threats, of others
    int betas
    int plies
    int lasts
    int places
    int threats
    int patterns
    const int8_t* rows[2]   # [side to move]: UNITS weights for each row; in ..
    void* memory            # .. this
    int16_t weights[UNITS]  # of the units
    int32_t* row            # [number of a pattern]: its row
    uint8_t number[2][SQUARES]      # a square's number from 0 on: on the board, and seen in a mirror

# A position with several moves left, and what the search knows of them.
cdef struct Choice:
    uint64_t own            # stones of the side to move
    uint64_t mask           # stones of both
    uint64_t own_wins       # winning squares of the side to move ..
    uint64_t opp_wins       # .. and of its opponent
    int last                # square that was played last
    int ply
    int beta
    int count               # of the moves that are left
    const uint64_t* moves   # one bit each
    const uint64_t* wins    # the mover's winning squares after each

cdef const Foresight* foresight_of(const Geometry* g) except? NULL

# A network without weights: it only numbers rows. free_foresight() gives it back.
cdef Foresight* create_foresight(const Geometry* g, int last_ply) except NULL
cdef void free_foresight(Foresight* f) noexcept


@cython.final
cdef class Network:
    cdef Foresight* foresight
    cdef readonly int width
    cdef readonly int height
    cdef readonly int last_ply


cdef inline int _squares(
    const Foresight* f, int32_t* seen, int32_t* mirrored, int first, uint64_t squares
) noexcept nogil:
    """List the rows of some squares, for both views; their number."""
    cdef int count = 0, square
    while squares:
        square = lowest_bit(squares)
        squares &= squares - 1
        seen[count] = first + f.number[0][square]
        mirrored[count] = first + f.number[1][square]
        count += 1
    return count


cdef inline int whole_rows(
    const Foresight* f, const Choice* choice, int32_t* seen, int32_t* mirrored
) noexcept nogil:
    """List the rows of what all moves share, for both views; their number."""
    cdef uint64_t column = (<uint64_t>1 << f.stride) - 1
    cdef int count, square, side, height, played
    cdef uint64_t stones = choice.mask
    count = 0
    while stones:
        square = lowest_bit(stones)
        stones &= stones - 1
        side = 0 if choice.own >> square & 1 else f.cells
        seen[count] = side + f.number[0][square]
        mirrored[count] = side + f.number[1][square]
        count += 1
    count += _squares(f, seen + count, mirrored + count, 2 * f.cells, choice.own_wins)
    count += _squares(f, seen + count, mirrored + count, 3 * f.cells, choice.opp_wins)
    for played in range(f.width):
        height = popcount(choice.mask >> (played * f.stride) & column)
        seen[count] = f.heights + played * f.stride + height
        mirrored[count] = f.heights + (f.width - 1 - played) * f.stride + height
        count += 1
    seen[count] = f.betas + min(max(choice.beta, LEAST_BETA), MAX_BETA) - LEAST_BETA
    mirrored[count] = seen[count]
    seen[count + 1] = mirrored[count + 1] = f.plies + choice.ply
    played = choice.last // f.stride
    if choice.last % f.stride == f.stride - 1:
        seen[count + 2] = mirrored[count + 2] = f.lasts + f.width      # which move was last is not known
    else:
        seen[count + 2] = f.lasts + played
        mirrored[count + 2] = f.lasts + f.width - 1 - played
    return count + 3


cdef inline bint view_of(const Foresight* f, int square) noexcept nogil:
    """In which view a move to the square is seen: 1, the mirror, right of the centre."""
    return 2 * (square // f.stride) > f.width - 1


cdef inline void pattern_rows(
    const Foresight* f, const Choice* choice, int square, int32_t* listed
) noexcept nogil:
    """List the rows of the patterns around a square."""
    cdef uint64_t opp = choice.own ^ choice.mask
    cdef int direction
    for direction in range(DIRECTIONS):
        listed[direction] = f.row[pattern_number(f.around, choice.own, opp, square, direction)]


cdef inline int move_rows(
    const Foresight* f, const Choice* choice, int i, int view, int32_t* listed
) noexcept nogil:
    """List the rows of a move's square and new threats in one view; their number."""
    cdef uint64_t threats = choice.wins[i] & ~choice.own_wins
    cdef int count = 1
    listed[0] = f.places + f.number[view][lowest_bit(choice.moves[i])]
    while threats:
        listed[count] = f.threats + f.number[view][lowest_bit(threats)]
        threats &= threats - 1
        count += 1
    return count


cdef inline void foresee(
    const Foresight* f, const Choice* choice, int32_t* rank, int scale
) noexcept nogil:
    """Add to each move's rank the points that the network gives it, times the scale."""
    cdef int32_t[WHOLE_ROWS] seen
    cdef int32_t[WHOLE_ROWS] mirrored
    cdef int32_t[MAX_COLUMNS][DIRECTIONS] patterns
    cdef int32_t[MOVE_ROWS] others
    cdef Units[2] whole
    cdef Units sums
    cdef int i, direction, view, count
    cdef const int8_t* rows = f.rows[choice.ply & 1]
    # The rows of patterns are many: they are fetched while the others are added.
    for i in range(choice.count):
        pattern_rows(f, choice, lowest_bit(choice.moves[i]), patterns[i])
        for direction in range(DIRECTIONS):
            atomics.prefetch(rows + UNITS * patterns[i][direction])
    count = whole_rows(f, choice, seen, mirrored)
    memset(whole, 0, sizeof(whole))
    add_rows(&whole[0], rows, seen, count)
    add_rows(&whole[1], rows, mirrored, count)
    for i in range(choice.count):
        view = view_of(f, lowest_bit(choice.moves[i]))
        sums = whole[view]
        add_rows(&sums, rows, patterns[i], DIRECTIONS)
        add_rows(&sums, rows, others, move_rows(f, choice, i, view, others))
        rank[i] += <int32_t>(
            <int64_t>weigh(&sums, f.weights) * POINTS_FACTOR >> POINTS_SHIFT
        ) * scale
