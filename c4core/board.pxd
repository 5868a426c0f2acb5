"""Board geometry and the bit operations that everything else is made of.

The functions are inlined into every module that cimports them; board.pyx has the layout picture.
"""

from libc.stdint cimport uint64_t

cdef struct Geometry:
    int width           # columns
    int height          # rows
    int stride          # bits from a column to the next: height + 1 (one guard bit a column)
    int cells           # width * height
    uint64_t bottom     # lowest square of every column
    uint64_t board      # every square, no guard bit

# Shared for the life of the process; never freed. NULL for a size that has no bitboard.
cdef const Geometry* geometry_of(int width, int height) except? NULL

cdef enum:
    SQUARES = 64        # bits of a word
    MAX_COLUMNS = 32    # columns of the widest board

# One past the widest and the highest board. The limit on the height keeps the largest shift of the
# four-in-a-row tests, 3 * (stride + 1), below 64.
cdef enum:
    WIDTH_LIMIT = MAX_COLUMNS + 1
    HEIGHT_LIMIT = 20


cdef extern from *:
    """
    /* The portable build has no popcnt instruction, and gcc then calls a function. */
    static inline int c4_popcount(unsigned long long bits) {
    #if defined(__POPCNT__)
        return __builtin_popcountll(bits);
    #else
        bits -= (bits >> 1) & 0x5555555555555555ULL;
        bits = (bits & 0x3333333333333333ULL) + ((bits >> 2) & 0x3333333333333333ULL);
        bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
        return (int)((bits * 0x0101010101010101ULL) >> 56);
    #endif
    }
    """
    int popcount "c4_popcount"(unsigned long long bits) noexcept nogil
    # The number of the lowest bit that is set; the word must not be 0.
    int lowest_bit "__builtin_ctzll"(unsigned long long bits) noexcept nogil


cdef inline uint64_t column_mask(const Geometry* g, int column) noexcept nogil:
    """The squares of a column, without its guard bit."""
    return ((<uint64_t>1 << g.height) - 1) << (column * g.stride)


cdef inline uint64_t top_square(const Geometry* g, int column) noexcept nogil:
    return <uint64_t>1 << (column * g.stride + g.height - 1)


cdef inline uint64_t drop(const Geometry* g, uint64_t mask, int column) noexcept nogil:
    """The square that a stone in the column falls to; 0 where the column is full."""
    # The sum carries through the stones to the square above them; in a full column to the guard.
    return (mask + (<uint64_t>1 << (column * g.stride))) & column_mask(g, column)


cdef inline uint64_t playable_squares(const Geometry* g, uint64_t mask) noexcept nogil:
    """The square that a stone would fall to, in every column that is not full."""
    return (mask + g.bottom) & g.board


cdef inline bint has_four(const Geometry* g, uint64_t stones) noexcept nogil:
    """Whether the stones contain four in a row in any direction."""
    cdef uint64_t pairs
    pairs = stones & (stones >> 1)
    if pairs & (pairs >> 2):
        return True
    pairs = stones & (stones >> g.stride)
    if pairs & (pairs >> 2 * g.stride):
        return True
    pairs = stones & (stones >> (g.stride - 1))
    if pairs & (pairs >> 2 * (g.stride - 1)):
        return True
    pairs = stones & (stones >> (g.stride + 1))
    return (pairs & (pairs >> 2 * (g.stride + 1))) != 0


cdef inline uint64_t _completions(uint64_t stones, int step) noexcept nogil:
    """Squares that make four with three of the stones along one direction; may leave the board."""
    cdef uint64_t up = (stones << step) & (stones << 2 * step)
    cdef uint64_t down = (stones >> step) & (stones >> 2 * step)
    return (
        (up & (stones << 3 * step))     # xxx_
        | (up & (stones >> step))       # xx_x
        | (down & (stones << step))     # x_xx
        | (down & (stones >> 3 * step))  # _xxx
    )


cdef inline uint64_t winning_squares(
    const Geometry* g, uint64_t stones, uint64_t mask
) noexcept nogil:
    """The empty squares, playable or not, that would complete four in a row for the stones."""
    cdef uint64_t squares = (stones << 1) & (stones << 2) & (stones << 3)
    squares |= _completions(stones, g.stride)
    squares |= _completions(stones, g.stride - 1)
    squares |= _completions(stones, g.stride + 1)
    return squares & g.board & ~mask


cdef inline uint64_t mirror_bits(const Geometry* g, uint64_t bits) noexcept nogil:
    """The bits with the columns in reverse order, guard bits included."""
    cdef uint64_t column = (<uint64_t>2 << g.height) - 1
    cdef uint64_t mirrored = 0
    cdef int index
    for index in range(g.width):
        mirrored = (mirrored << g.stride) | (bits & column)
        bits >>= g.stride
    return mirrored


cdef inline uint64_t position_key(
    const Geometry* g, uint64_t stones, uint64_t mask
) noexcept nogil:
    """The exact key: the mover's stones, and in every column a marker on top of the pile."""
    return stones | (mask + g.bottom)


cdef inline uint64_t canonical_key(
    const Geometry* g, uint64_t stones, uint64_t mask
) noexcept nogil:
    """The smaller of the keys of the position and of its left-right mirror image."""
    cdef uint64_t key = position_key(g, stones, mask)
    cdef uint64_t mirrored = mirror_bits(g, key)
    return key if key < mirrored else mirrored


cdef inline void split_key(
    const Geometry* g, uint64_t key, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    """Get the two words of a position from its key; they mean nothing if it is no position's key.

    In each column the key's highest bit marks the height. All bits below it are the pile: the mark is
    smeared downwards and shifted by one.
    """
    cdef uint64_t column_range = (<uint64_t>2 << g.height) - 1
    cdef uint64_t bits
    cdef int column
    mask[0] = 0
    for column in range(g.width):
        bits = (key >> (column * g.stride)) & column_range
        bits |= bits >> 1
        bits |= bits >> 2
        bits |= bits >> 4
        bits |= bits >> 8
        bits |= bits >> 16
        mask[0] |= (bits >> 1) << (column * g.stride)
    stones[0] = key & mask[0]
