# The order network: move ordering by a small network that was trained on the cost of moves.
#
# At most nodes with a cutoff, several moves cause it. One of them takes half as many nodes as another, or a
# hundredth. The choice matters most early in the game, where nodes are few. So the network is used up to
# ``last_ply`` stones, and only with at least ``ASKED_EMPTIES`` empty squares. Its input is the complete board
# and the surroundings of the move::
#
#     own and other stones, winning squares of both, heights of     4 patterns around the square
#     columns, the window, the ply, the column played last          (patterns.pxi), the square, new threats
#                    |                                                   |
#                    |  a row of UNITS weights for each                  |  likewise
#                    v                                                   v
#                   sum, the same for all moves      +                  sum
#                                                    |
#                                     positive sums, times the weights of the units
#                                                    |
#                                     points, added to the move's value (ordering.pxi)
#
# Each side to move has its own rows. For a move right of the centre, the network's input is the mirror image.
# So mirror images get the same points (nearly so in the middle column), and half of the patterns do not need
# rows. All numbers are integers, so every processor gets the same points and visits the same nodes.
#
# A network's file has a header, which kernel.pyx checks, then the rows for the first player to move, then the
# rows for the second, UNITS signed bytes each, and the weights of the units, 16 bits each and little-endian.
# benchmarks/order makes it. A board without a file is searched without a network.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

# Integer arithmetic. A row has UNITS weights of 8 bits; with AVX2, the sums of the units are four vectors of
# 16-bit words. Every square has a row for its stone, or up to two for threats. With the heights of the
# columns, three more rows of the position and five of the move, at most 2 * cells + width + 8 rows are added.
# That is at most 256 on all boards but 4x31, where no position comes near 260. 258 * 127 is less than 2^15,
# so no sum overflows.
cdef extern from * nogil:
    """
    #include <stdint.h>

    #if defined(__AVX2__)
    #include <immintrin.h>
    #endif

    enum { C4_UNITS = 64, C4_LANES = 16, C4_PARTS = C4_UNITS / C4_LANES };

    typedef int8_t c4_bytes __attribute__((vector_size(C4_LANES)));
    typedef int16_t c4_words __attribute__((vector_size(2 * C4_LANES)));

    typedef struct {
        c4_words part[C4_PARTS];
    } c4_units;

    /* Adds the rows with these numbers. */
    static inline void c4_add_rows(c4_units *sums, const int8_t *rows, const int32_t *number, int count) {
        c4_words a = sums->part[0], b = sums->part[1], c = sums->part[2], d = sums->part[3];
        for (int i = 0; i < count; i++) {
            const c4_bytes *row = (const c4_bytes *)(rows + C4_UNITS * (int64_t)number[i]);
            a += __builtin_convertvector(row[0], c4_words);
            b += __builtin_convertvector(row[1], c4_words);
            c += __builtin_convertvector(row[2], c4_words);
            d += __builtin_convertvector(row[3], c4_words);
        }
        sums->part[0] = a, sums->part[1] = b, sums->part[2] = c, sums->part[3] = d;
    }

    /* The sum of unit times weight over all units above 0. */
    static inline int32_t c4_weigh(const c4_units *sums, const int16_t *weights) {
    #if defined(__AVX2__)
        __m256i total = _mm256_setzero_si256();
        for (int i = 0; i < C4_PARTS; i++) {
            const __m256i unit = _mm256_max_epi16((__m256i)sums->part[i], _mm256_setzero_si256());
            total = _mm256_add_epi32(
                total, _mm256_madd_epi16(unit, _mm256_loadu_si256((const __m256i *)weights + i)));
        }
        __m128i half = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
        half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
        half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
        return _mm_cvtsi128_si32(half);
    #else
        uint32_t total = 0; /* modulo 2^32 for weights of any size, as above */
        for (int i = 0; i < C4_UNITS; i++) {
            const int16_t unit = sums->part[i / C4_LANES][i % C4_LANES];
            total += (uint32_t)((unit > 0 ? unit : 0) * weights[i]);
        }
        return (int32_t)total;
    #endif
    }
    """
    enum:
        UNITS "C4_UNITS"
    ctypedef struct Units "c4_units":
        pass
    void add_rows "c4_add_rows"(
        Units* sums, const int8_t* rows, const int32_t* number, int count
    ) noexcept
    int32_t weigh "c4_weigh"(const Units* sums, const int16_t* weights) noexcept

cdef enum:
    ALIGNMENT = 64          # of a row: a cache line
    LEAST_BETA = -3         # smaller betas share the row of this one
    MAX_BETA = 4            # larger betas share the row of this one
    POINTS_FACTOR = 33      # the network's sum times this and
    POINTS_SHIFT = 19       # divided by 2**19 are the points
    ASKED_EMPTIES = 22      # with fewer empty squares the network costs more than it saves
    WHOLE_ROWS = 2 * WORD_BITS + WORD_COLUMNS + 3      # the most rows that all moves share
    MOVE_ROWS = DIRECTIONS + 1 + WORD_BITS            # the most rows of one move, patterns included

# A network for one board size. Its rows are numbered in groups, one after the other; ``heights`` to
# ``pattern_group`` are the numbers of the groups' first rows.
cdef struct OrderNetwork:
    const Patterns* patterns
    int count               # rows of a side
    int last_ply            # the network is not used with more stones
    int stride
    int width
    int cells
    int heights             # after the squares of own and other stones, own and other threats
    int betas
    int plies
    int lasts
    int places
    int threats
    int pattern_group
    const int8_t* rows[2]   # [side to move]: UNITS weights for each row
    void* memory            # the allocation of the rows
    int16_t weights[UNITS]  # of the units
    int32_t* row            # [number of a pattern]: its row
    uint8_t number[2][WORD_BITS]      # [view][square]: its number from 0 on, as it is or mirrored

# A position with several remaining moves, and the search's data about them.
cdef struct Choice:
    word_t own            # stones of the side to move
    word_t mask           # stones of both
    word_t own_wins       # winning squares of the side to move
    word_t opp_wins       # winning squares of its opponent
    int last                # square that was played last
    int ply
    int beta
    int count               # number of remaining moves
    const word_t* moves   # one bit each
    const word_t* wins    # the mover's winning squares after each


cdef OrderNetwork* create_network(const Board* g, int last_ply) noexcept nogil:
    """Create a network without weights, which only numbers rows; NULL if memory is short."""
    cdef OrderNetwork* f = <OrderNetwork*>calloc(1, sizeof(OrderNetwork))
    cdef int square, view
    if f == NULL:
        return NULL
    f.patterns = patterns_of(g)
    if f.patterns != NULL:
        f.count = _number_groups(f, g, last_ply)
        f.row = <int32_t*>calloc(f.patterns.count, sizeof(int32_t))
    if f.row == NULL:
        free_network(f)
        return NULL
    for square in range(g.width * g.stride):
        for view in range(2):
            f.number[view][square] = <uint8_t>(
                (g.width - 1 - square // g.stride if view else square // g.stride) * g.height
                + square % g.stride
            )
    _fill_pattern_rows(f, g)
    return f


cdef void free_network(OrderNetwork* f) noexcept nogil:
    if f != NULL:
        free(f.memory)
        free(f.row)
        free(f)


cdef inline size_t weight_bytes(const OrderNetwork* f) noexcept nogil:
    """Return the number of bytes of rows and weights in a file."""
    return 2 * <size_t>f.count * UNITS + 2 * UNITS


cdef bint fill_network(OrderNetwork* f, const uint8_t* data) noexcept nogil:
    """Copy rows and weights from ``weight_bytes`` bytes of a file; False if memory is short."""
    cdef size_t row_bytes = 2 * <size_t>f.count * UNITS
    cdef char* rows
    cdef int unit
    f.memory = calloc(1, row_bytes + ALIGNMENT)
    if f.memory == NULL:
        return False
    rows = <char*>f.memory + ALIGNMENT - <uintptr_t>f.memory % ALIGNMENT
    memcpy(rows, data, row_bytes)
    f.rows[0] = <const int8_t*>rows
    f.rows[1] = f.rows[0] + f.count * UNITS
    data += row_bytes
    for unit in range(UNITS):
        f.weights[unit] = <int16_t>(data[2 * unit] | (<int>data[2 * unit + 1] << 8))
    return True


cdef int _number_groups(OrderNetwork* f, const Board* g, int last_ply) noexcept nogil:
    """Number the first row of every group. Return the number of rows of a side."""
    cdef int right = (g.width + 1) // 2     # the first column right of the centre
    f.last_ply = last_ply
    f.stride = g.stride
    f.width = g.width
    f.cells = g.cells
    f.heights = 4 * g.cells
    f.betas = f.heights + g.width * g.stride
    f.plies = f.betas + MAX_BETA - LEAST_BETA + 1
    f.lasts = f.plies + last_ply + 1
    f.places = f.lasts + g.width + 1
    f.threats = f.places + g.cells
    f.pattern_group = f.threats + g.cells
    # Patterns around squares that are not right of the centre have the lowest numbers; only they have rows.
    if right < g.width:
        return f.pattern_group + f.patterns.line[right * g.stride][0].first
    return f.pattern_group + f.patterns.count


cdef void _fill_pattern_rows(OrderNetwork* f, const Board* g) noexcept nogil:
    """Find the row of every pattern.

    A pattern right of the centre has the row of its mirror image; any other pattern has the row of its
    mirror image's mirror image. On low boards (patterns.pxi) the latter may be a different pattern: squares
    that the mirror image lacks are left out on both sides.
    """
    cdef const Patterns* patterns = f.patterns
    cdef int square, mirrored, direction, opposite, number, image, first
    for square in range(g.width * g.stride):
        if square % g.stride == g.height:
            continue
        mirrored = (g.width - 1 - square // g.stride) * g.stride + square % g.stride
        for direction in range(DIRECTIONS):
            opposite = direction if direction < 2 else 5 - direction
            first = patterns.line[square][direction].first
            for number in range(line_patterns(patterns, square, direction)):
                image = mirrored_pattern(patterns, g, square, direction, number)
                if not view_of(f, square):
                    image = mirrored_pattern(
                        patterns, g, mirrored, opposite, image - patterns.line[mirrored][opposite].first
                    )
                f.row[first + number] = f.pattern_group + image


cdef inline int _squares(
    const OrderNetwork* f, int32_t* seen, int32_t* mirrored, int first, word_t squares
) noexcept nogil:
    """List the rows of some squares, for both views. Return their number."""
    cdef int count = 0, square
    while squares:
        square = lowest_bit(squares)
        squares &= squares - 1
        seen[count] = first + f.number[0][square]
        mirrored[count] = first + f.number[1][square]
        count += 1
    return count


cdef inline int whole_rows(
    const OrderNetwork* f, const Choice* choice, int32_t* seen, int32_t* mirrored
) noexcept nogil:
    """List the rows that all moves share, for both views. Return their number."""
    cdef word_t column = (<word_t>1 << f.stride) - 1
    cdef int count, square, side, height, played
    cdef word_t stones = choice.mask
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
        seen[count + 2] = mirrored[count + 2] = f.lasts + f.width      # the last move is unknown
    else:
        seen[count + 2] = f.lasts + played
        mirrored[count + 2] = f.lasts + f.width - 1 - played
    return count + 3


cdef inline bint view_of(const OrderNetwork* f, int square) noexcept nogil:
    """Return the view of a move to the square: 1, the mirror, right of the centre; else 0."""
    return 2 * (square // f.stride) > f.width - 1


cdef inline void pattern_rows(
    const OrderNetwork* f, const Choice* choice, int square, int32_t* listed
) noexcept nogil:
    """List the rows of the patterns around a square."""
    cdef word_t opp = choice.own ^ choice.mask
    cdef int direction
    for direction in range(DIRECTIONS):
        listed[direction] = f.row[pattern_number(f.patterns, choice.own, opp, square, direction)]


cdef inline int move_rows(
    const OrderNetwork* f, const Choice* choice, int i, int view, int32_t* listed
) noexcept nogil:
    """List the rows of a move's square and new threats in one view. Return their number."""
    cdef word_t threats = choice.wins[i] & ~choice.own_wins
    cdef int count = 1
    listed[0] = f.places + f.number[view][lowest_bit(choice.moves[i])]
    while threats:
        listed[count] = f.threats + f.number[view][lowest_bit(threats)]
        threats &= threats - 1
        count += 1
    return count


cdef inline void add_network_points(
    const OrderNetwork* f, const Choice* choice, int32_t* rank, int scale
) noexcept nogil:
    """Add to each move's rank the points that the network gives it, times the scale."""
    cdef int32_t[WHOLE_ROWS] seen
    cdef int32_t[WHOLE_ROWS] mirrored
    cdef int32_t[WORD_COLUMNS][DIRECTIONS] patterns
    cdef int32_t[MOVE_ROWS] others
    cdef Units[2] whole
    cdef Units sums
    cdef int i, direction, view, count
    cdef const int8_t* rows = f.rows[choice.ply & 1]
    # There are many pattern rows, so they are prefetched while the other rows are added.
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
