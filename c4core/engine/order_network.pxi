"""Move ordering by foresight: a small network, trained on what moves cost.

At most nodes that can be cut off, several moves do it, and one of them takes half as many nodes as another,
or a hundredth. Early in the game the choice matters most, and there are few nodes: the network is asked up
to ``last_ply`` stones, and only with ``ASKED_EMPTIES`` empty squares or more. It looks at the whole board
and at what surrounds the move::

    own and other stones, winning squares of both, heights of     4 patterns around the square
    columns, the window, the ply, the column played last          (surroundings.pyx), the square, new threats
                   |                                                   |
                   |  a row of UNITS weights for each                  |  likewise
                   v                                                   v
                  sum, the same for all moves      +                  sum
                                                   |
                                    what is above 0, times the weights of the units
                                                   |
                                    points, added to the move's value (ordering.pyx)

Each side to move has rows of its own. Right of the centre a move is seen in a mirror, so that mirror images
get the same points (in the middle column nearly so), and half of the patterns need no rows. All numbers are whole, so every processor gets the
same points and visits the same nodes.

The file ``data/c4-WIDTHxHEIGHT.c4order`` (docs/engine.md says how it is made)::

    offset  bytes
         0      8   b"C4ORDER1"
         8      4   width, height, UNITS, last_ply
        12      4   rows of a side, little-endian
        16          rows for the first player to move, then for the second: UNITS signed bytes each
                    weights of the units: 16 bits each, little-endian
                    CRC-32 of all before it, 4 bytes, little-endian

A board without a file is searched without foresight.
"""

import zlib
from pathlib import Path

from libc.stdint cimport int8_t, int32_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from c4core.board cimport geometry_of
from c4core.surroundings cimport DIRECTIONS, mirrored_pattern, patterns_of_line, surroundings_of

from c4core.notation import check_board

cdef enum:
    HEADER = 16         # bytes
    CHECKSUM = 4
    ALIGNMENT = 64      # of a row: a cache line

MAGIC = b"C4ORDER1"
_DATA = Path(__file__).with_name("data")

# For each board size its network, or None if it has none; they live as long as the process.
cdef dict _networks = {}


def network_file(int width, int height):
    """Where the network for a board is, if there is one."""
    return _DATA / f"c4-{width}x{height}.c4order"


cdef const Foresight* foresight_of(const Geometry* g) except? NULL:
    """The network for a board size, or NULL if it has none; read once.

    Raises:
        ValueError: the file is damaged.
    """
    cdef Network network
    board = g.width, g.height
    if board not in _networks:
        path = network_file(*board)
        try:
            network = Network(path.read_bytes())
        except FileNotFoundError:
            network = None
        except ValueError as error:
            raise ValueError(f"{path}: {error}; install c4 again") from None
        # Another thread may have read it meanwhile, and searches with what it has found: that one stays.
        _networks.setdefault(board, network)
    network = _networks[board]
    return NULL if network is None else network.foresight


cdef class Network:
    """Network(data)\n--\n
    A network, from the bytes of its file.

    Raises:
        ValueError: they are none, or damaged.
    """

    def __cinit__(self, bytes data not None):
        if (
            len(data) < HEADER + CHECKSUM
            or data[:8] != MAGIC
            or data[10] != UNITS
            or zlib.crc32(data[:-CHECKSUM]) != _unsigned(data[-CHECKSUM:])
        ):
            raise ValueError("no network, or a damaged one")
        self.width, self.height = data[8], data[9]
        check_board(self.width, self.height)
        self.last_ply = data[11]
        self.foresight = _read(geometry_of(self.width, self.height), data)

    def __dealloc__(self):
        free_foresight(self.foresight)


def row_groups(*, int width, int height, int last_ply):
    """How the rows of a network are numbered.

    Args:
        width: columns of the board.
        height: rows of the board.
        last_ply: the network is asked with so many stones at most.

    Returns:
        By the names of the last three groups (``places``, ``threats``, ``patterns``) their first rows, and
        by ``all`` the number of rows of a side. What all moves share comes first.

    Raises:
        BoardError: impossible size.
        ValueError: the board has not so many squares.
    """
    cdef Foresight* f = _numbered(width, height, last_ply)
    groups = {"places": f.places, "threats": f.threats, "patterns": f.patterns, "all": f.count}
    free_foresight(f)
    return groups


def network_bytes(rows not None, weights not None, *, int width, int height, int last_ply):
    """The file of a network.

    Args:
        rows: whole numbers from -128 to 127, (2, rows of a side, UNITS); the side to move comes first.
        weights: of the units, whole numbers of 16 bits, (UNITS,).
        width: columns of the board.
        height: rows of the board.
        last_ply: the network is asked with so many stones at most.

    Raises:
        BoardError: impossible size.
        ValueError: the weights are too many or too few for this board.
    """
    count = row_groups(width=width, height=height, last_ply=last_ply)["all"]
    if rows.shape != (2, count, UNITS) or weights.shape != (UNITS,):
        raise ValueError(
            f"weights of the shapes {rows.shape} and {weights.shape}, not {(2, count, UNITS)} and {(UNITS,)}"
        )
    data = b"".join((
        MAGIC,
        bytes((width, height, UNITS, last_ply)),
        (<int>count).to_bytes(4, "little"),
        rows.astype("i1").tobytes(),
        weights.astype("<i2").tobytes(),
    ))
    return data + zlib.crc32(data).to_bytes(CHECKSUM, "little")


cdef Foresight* _numbered(int width, int height, int last_ply) except NULL:
    """A network without weights.

    Raises:
        BoardError: impossible size.
        ValueError: the board has not so many squares.
    """
    check_board(width, height)
    if not 0 <= last_ply < width * height:
        raise ValueError(f"last_ply must be between 0 and {width * height - 1}, not {last_ply}")
    return create_foresight(geometry_of(width, height), last_ply)


cdef int _groups(Foresight* f, const Geometry* g, int last_ply) except -1:
    """Number the first row of every group; returns the number of all rows of a side."""
    cdef const Surroundings* around = surroundings_of(g)
    f.around = around
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
    f.patterns = f.threats + g.cells
    return f.patterns + _left_patterns(g)


cdef int _left_patterns(const Geometry* g) except -1:
    """The patterns around squares that are not right of the centre; they have the lowest numbers."""
    cdef const Surroundings* around = surroundings_of(g)
    cdef int right = (g.width + 1) // 2     # the first column right of the centre
    return around.line[right * g.stride][0].first if right < g.width else around.patterns


cdef Foresight* create_foresight(const Geometry* g, int last_ply) except NULL:
    """A network without weights; :func:`free_foresight` gives it back."""
    cdef Foresight* f = <Foresight*>calloc(1, sizeof(Foresight))
    cdef int square, view
    if f == NULL:
        raise MemoryError
    try:
        f.count = _groups(f, g, last_ply)
        f.row = <int32_t*>calloc(f.around.patterns, sizeof(int32_t))
        if f.row == NULL:
            raise MemoryError
    except MemoryError:
        free_foresight(f)
        raise
    for square in range(g.width * g.stride):
        for view in range(2):
            f.number[view][square] = (
                (g.width - 1 - square // g.stride if view else square // g.stride) * g.height
                + square % g.stride
            )
    _fill_pattern_rows(f, g)
    return f


cdef void free_foresight(Foresight* f) noexcept:
    if f != NULL:
        free(f.memory)
        free(f.row)
        free(f)


cdef Foresight* _read(const Geometry* g, bytes data) except NULL:
    """The network in a file whose checksum is right."""
    cdef Foresight* f
    cdef char* rows
    cdef int count, unit
    if data[11] >= g.cells:
        raise ValueError("a network for another version of c4")
    f = create_foresight(g, data[11])
    count = f.count
    if (
        _unsigned(data[12:HEADER]) != count
        or len(data) != HEADER + 2 * count * UNITS + 2 * UNITS + CHECKSUM
    ):
        free_foresight(f)
        raise ValueError("a network for another version of c4")
    f.memory = calloc(1, 2 * <size_t>count * UNITS + ALIGNMENT)
    if f.memory == NULL:
        free_foresight(f)
        raise MemoryError
    rows = <char*>f.memory + ALIGNMENT - <uintptr_t>f.memory % ALIGNMENT
    memcpy(rows, <const char*>data + HEADER, 2 * <size_t>count * UNITS)
    f.rows[0] = <const int8_t*>rows
    f.rows[1] = f.rows[0] + count * UNITS
    weights = data[HEADER + 2 * count * UNITS:-CHECKSUM]
    for unit in range(UNITS):
        f.weights[unit] = int.from_bytes(weights[2 * unit:2 * unit + 2], "little", signed=True)
    return f


cdef object _unsigned(bytes data):
    return int.from_bytes(data, "little")


cdef void _fill_pattern_rows(Foresight* f, const Geometry* g) noexcept:
    """Find the row of every pattern: right of the centre that of its mirror image.

    Elsewhere it is that of the mirror image's mirror image. On low boards (surroundings.pyx) the two
    differ if the pattern has squares that the mirror image has not: these are left out on both sides.
    """
    cdef const Surroundings* around = f.around
    cdef int square, mirrored, direction, opposite, number, image, first
    for square in range(g.width * g.stride):
        if square % g.stride == g.height:
            continue
        mirrored = (g.width - 1 - square // g.stride) * g.stride + square % g.stride
        for direction in range(DIRECTIONS):
            opposite = direction if direction < 2 else 5 - direction
            first = around.line[square][direction].first
            for number in range(patterns_of_line(around, square, direction)):
                image = mirrored_pattern(around, g, square, direction, number)
                if not view_of(f, square):
                    image = mirrored_pattern(
                        around, g, mirrored, opposite, image - around.line[mirrored][opposite].first
                    )
                f.row[first + number] = f.patterns + image
