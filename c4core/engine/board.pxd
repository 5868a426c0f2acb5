"""Bitboards: a position as two words, and the operations on them.

A board with width * (height + 1) <= 64 and at most 19 rows is narrow: its words have 64 bits. A board with
width * (height + 1) <= 128 and at most 40 rows is wide: its words have 128 bits. Modules are compiled for one
of the two widths (setup.py), and word.h chooses the type of their words. Wide modules work on narrow boards,
too; narrow modules must not be called with a wide board. Structs of this file have the same layout in both.

A square is bit (height + 1) * column + row; row 0 is the bottom. The top bit of each column is a guard
that holds no stone, so that shifts by the four directions never carry a line from one column into the
next. For 7x6::

     6 13 20 27 34 41 48    guard bits, above the board
     5 12 19 26 33 40 47    top row
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42    bottom row

Directions are steps of bits: 1 vertical, stride horizontal, stride - 1 falling and stride + 1
rising diagonals, with stride = height + 1.

A position is two words: ``stones`` has the stones of the side to move, ``mask`` has all stones.
``mask + bottom`` has exactly one bit in each column, just above its pile (the guard bit when the column
is full). So ``stones | (mask + bottom)`` is a key that determines the position: in each column the
highest bit marks the height, and the bits below it are the mover's stones. On 7x6 it takes 49 bits.

The kernels and all other modules inline these operations.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

cdef enum:
    SQUARES = 128           # bits of the widest word
    MAX_COLUMNS = 61        # columns of the widest board: a character for each (c4core/notation.py)
    NARROW_BITS = 64
    NARROW_COLUMNS = 32
    NARROW_ROWS = 19        # keeps the largest shift of the four-in-a-row tests, 3 * (stride + 1), below 64
    WIDE_ROWS = 40          # the same, below 128

# One more than the largest width and height.
cdef enum:
    WIDTH_LIMIT = MAX_COLUMNS + 1
    HEIGHT_LIMIT = WIDE_ROWS + 1


# Cython treats words as 64-bit numbers; the C compiler uses their actual size.
cdef extern from "word.h" nogil:
    ctypedef unsigned long long word_t "c4_word"        # 64 or 128 bits
    ctypedef unsigned long long whole_t "c4_whole"      # 128 bits: a word of any board
    # A word in a struct for modules of both widths. The next member must be aligned like it, to 16 bytes.
    ctypedef unsigned long long field_t "c4_field"

    enum:
        WORD_BITS "C4_WORD_BITS"
        WORD_COLUMNS "C4_WORD_COLUMNS"      # columns of the widest board of this width

    ctypedef struct Steps "c4_steps":
        uint64_t step[4]        # bits from a square to the next one, in each direction

    uint64_t low_half "c4_low_half"(whole_t word) noexcept
    uint64_t high_half "c4_high_half"(whole_t word) noexcept
    whole_t join_halves "c4_join_halves"(uint64_t low, uint64_t high) noexcept
    # Shifts by 0 to 63 bits.
    word_t shift_up "c4_shift_up"(word_t word, int bits) noexcept
    word_t shift_down "c4_shift_down"(word_t word, int bits) noexcept
    int popcount "c4_popcount"(word_t bits) noexcept
    # The number of the lowest bit that is set; the word must not be 0.
    int lowest_bit "c4_lowest_bit"(word_t bits) noexcept
    # The squares that make four with three of the stones; they may be occupied or off the board.
    word_t completions "c4_completions"(const Steps* steps, word_t stones) noexcept
    bint any_four "c4_any_four"(const Steps* steps, word_t stones) noexcept
    bint any_four_half "c4_any_four_half"(const Steps* steps, uint64_t stones) noexcept


# Everything that is computed once for a board size.
cdef struct Board:
    int width               # columns
    int height              # rows
    int stride              # bits from a column to the next: height + 1 (one guard bit a column)
    int cells               # width * height
    bint narrow             # whether its words have 64 bits
    Steps steps             # the four directions
    Steps flat              # the directions without the vertical; one of them twice
    field_t bottom          # the lowest square of every column
    field_t squares         # every square, no guard bit
    # For the static bounds (bounds.pxi)
    field_t guards          # the guard bit of every column
    field_t even            # rows 0, 2, 4 and so on, with the guard row
    field_t odd             # rows 1, 3, 5 and so on
    field_t top             # the top row
    field_t column          # all squares of column 0
    whole_t[HEIGHT_LIMIT + 1] low           # [n]: the lowest n rows
    uint8_t[SQUARES] mirror                 # the mirror image of each square
    # For the order of moves (ordering.pxi)
    int32_t[2][SQUARES] value               # [side to move][square]: points independent of the stones


cdef inline bint is_narrow(const Board* g) noexcept nogil:
    """Return whether the board's words have 64 bits."""
    return g.narrow


cdef inline word_t column_mask(const Board* g, int column) noexcept nogil:
    """Return the squares of a column, without its guard bit."""
    return ((<word_t>1 << g.height) - 1) << (column * g.stride)


cdef inline word_t top_square(const Board* g, int column) noexcept nogil:
    return <word_t>1 << (column * g.stride + g.height - 1)


cdef inline word_t drop(const Board* g, word_t mask, int column) noexcept nogil:
    """Return the square where a stone lands in the column; 0 if the column is full."""
    # The sum carries through the stones to the square above them, in a full column to the guard.
    return (mask + (<word_t>1 << (column * g.stride))) & column_mask(g, column)


cdef inline word_t playable_squares(const Board* g, word_t mask) noexcept nogil:
    """Return the square where a stone would land, for every column that is not full."""
    return (mask + g.bottom) & g.squares


cdef inline bint has_four(const Board* g, word_t stones) noexcept nogil:
    """Return whether the stones contain four in a row in any direction."""
    cdef word_t pairs
    if WORD_BITS > NARROW_BITS and g.narrow:
        return any_four_half(&g.steps, low_half(stones))
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


cdef inline word_t _completions(word_t stones, int step) noexcept nogil:
    """Return the squares, even off the board, that make four with three stones along one direction."""
    cdef word_t up = (stones << step) & (stones << 2 * step)
    cdef word_t down = (stones >> step) & (stones >> 2 * step)
    return (
        (up & (stones << 3 * step))     # xxx_
        | (up & (stones >> step))       # xx_x
        | (down & (stones << step))     # x_xx
        | (down & (stones >> 3 * step))  # _xxx
    )


cdef inline word_t winning_squares(
    const Board* g, word_t stones, word_t mask
) noexcept nogil:
    """Return the empty squares, playable or not, that would complete four in a row for the stones."""
    cdef word_t squares = (stones << 1) & (stones << 2) & (stones << 3)
    squares |= _completions(stones, g.stride)
    squares |= _completions(stones, g.stride - 1)
    squares |= _completions(stones, g.stride + 1)
    return squares & g.squares & ~mask


cdef inline word_t mirror_bits(const Board* g, word_t bits) noexcept nogil:
    """Return the bits with the columns in reverse order, guard bits included."""
    cdef word_t column = (<word_t>2 << g.height) - 1
    cdef word_t mirrored = 0
    cdef int index
    for index in range(g.width):
        mirrored = shift_up(mirrored, g.stride) | (bits & column)
        bits = shift_down(bits, g.stride)
    return mirrored


cdef inline word_t position_key(
    const Board* g, word_t stones, word_t mask
) noexcept nogil:
    """Return the exact key: the mover's stones, and in every column a mark on top of the pile."""
    return stones | (mask + g.bottom)


cdef inline word_t canonical_key(
    const Board* g, word_t stones, word_t mask
) noexcept nogil:
    """Return the smaller of the keys of the position and its mirror image."""
    cdef word_t key = position_key(g, stones, mask)
    cdef word_t mirrored = mirror_bits(g, key)
    return key if key < mirrored else mirrored


cdef inline void split_key(
    const Board* g, word_t key, word_t* stones, word_t* mask
) noexcept nogil:
    """Get the two words of a position from its key; other numbers give meaningless words.

    In each column the key's highest bit marks the height. All bits below it are the pile: the mark is
    smeared downwards and shifted by one.
    """
    cdef word_t column_range = (<word_t>2 << g.height) - 1
    cdef word_t bits
    cdef int column
    mask[0] = 0
    for column in range(g.width):
        bits = (key >> (column * g.stride)) & column_range
        bits |= bits >> 1
        bits |= bits >> 2
        bits |= bits >> 4
        bits |= bits >> 8
        bits |= bits >> 16
        if WORD_BITS > NARROW_BITS:
            bits |= bits >> 32
        mask[0] |= (bits >> 1) << (column * g.stride)
    stones[0] = key & mask[0]


cdef inline word_t upwards(const Board* g, word_t squares) noexcept nogil:
    """Return, for every column, the lowest of the squares and everything above it.

    Subtracting the squares from the guard keeps the lowest bit of each column and inverts every bit
    above it. No column borrows from the next, because its guard is larger than its squares.
    """
    return ((g.guards - squares) | squares) & g.squares


cdef inline word_t whole_columns(const Board* g, word_t tops) noexcept nogil:
    """Return all squares of the columns with these top squares."""
    return (tops << 1) - shift_down(tops, g.height - 1)


cdef inline word_t even_offsets(const Board* g, word_t mask) noexcept nogil:
    """Return the empty squares at an even offset above the first empty one of their column.

    If the first one is in an odd row, these are the odd rows from there up, otherwise the even rows.
    """
    cdef word_t first = mask + g.bottom
    return (
        ((g.guards - (first & g.odd)) & g.odd)
        | ((g.guards - (first & g.even)) & g.even)
    ) & g.squares


cdef inline void fill_geometry(Board* g, int width, int height) noexcept nogil:
    """Fill all fields except the points of the squares."""
    cdef int column, row
    g.width = width
    g.height = height
    g.stride = height + 1
    g.cells = width * height
    g.narrow = width * g.stride <= NARROW_BITS and height <= NARROW_ROWS
    g.bottom = g.even = g.odd = 0
    for column in range(width):
        g.bottom |= <word_t>1 << (column * g.stride)
    g.squares = g.bottom * ((<word_t>1 << height) - 1)
    g.column = (<word_t>1 << height) - 1
    g.guards = g.bottom << height
    g.top = g.bottom << (height - 1)
    for row in range(g.stride):
        if row & 1:
            g.odd |= g.bottom << row
        else:
            g.even |= g.bottom << row
        g.low[row] = g.bottom * ((<word_t>1 << row) - 1)
    g.steps.step = [1, g.stride, g.stride - 1, g.stride + 1]
    g.flat.step = [g.stride, g.stride, g.stride - 1, g.stride + 1]
    for row in range(width * g.stride):
        g.mirror[row] = <uint8_t>((width - 1 - row // g.stride) * g.stride + row % g.stride)


cdef inline int columns_from_centre(const Board* g, int* columns) noexcept nogil:
    """List all columns, the middle one first, then alternating sides: 3, 4, 2, 5, 1, 6, 0. Return their number.

    The players' function of this name (player.py) has the left one of two sides first.
    """
    cdef int index
    for index in range(g.width):
        columns[index] = (g.width - 1) // 2 + (
            (index + 1) // 2 if index & 1 else -(index // 2)
        )
    return g.width
