"""Many positions as arrays: what the C side says of every one of them.

A position of an array is its key, or two words (layout picture in board.pyx): ``stones`` of the side to
move, ``mask`` of both sides. numpy is imported where it is used: programs that know one position at a
time start faster without it.
"""

from cpython.number cimport PyNumber_Index
from libc.stdint cimport uint8_t, uint64_t

from c4core.board cimport (
    Geometry,
    canonical_key,
    column_mask,
    geometry_of,
    has_four,
    playable_squares,
    popcount,
    position_key,
    split_key,
    winning_squares,
)
from c4core.position cimport Position

from c4core.errors import BoardError, KeyValueError, MoveError
from c4core.notation import check_board
from c4core.position import Position as PositionType

# What playing a column does; the values of ``children``'s flags.
cdef enum Move:
    NONE = 0        # the column is full
    GOES_ON = 1     # the game is not over after it
    WINS = 2
    FILLS = 3       # the last square of the board, without a four: a draw

MOVE_NONE = NONE
MOVE_GOES_ON = GOES_ON
MOVE_WINS = WINS
MOVE_FILLS = FILLS


cdef const Geometry* _geometry(int width, int height) except NULL:
    check_board(width, height)
    return geometry_of(width, height)


cdef bint _words_of_key(
    const Geometry* g, uint64_t key, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    """Get the two words of a key; False if it is no position's key (``Position.from_key`` says why)."""
    split_key(g, key, stones, mask)
    return (
        position_key(g, stones[0], mask[0]) == key
        and popcount(stones[0]) == popcount(mask[0]) // 2
        and not has_four(g, stones[0])
    )


def split_keys(keys, board):
    """The stones of the side to move, and those of both sides, as two uint64 arrays.

    Args:
        keys: of positions, canonical or not; for other numbers the words are nonsense.
        board: the size of all of them.
    """
    import numpy as np

    cdef const Geometry* g = _geometry(board.width, board.height)
    cdef const uint64_t[::1] keys_view = np.ascontiguousarray(keys, dtype=np.uint64)
    cdef Py_ssize_t index
    stones = np.empty(len(keys), dtype=np.uint64)
    masks = np.empty(len(keys), dtype=np.uint64)
    cdef uint64_t[::1] stones_view = stones, masks_view = masks
    with nogil:
        for index in range(keys_view.shape[0]):
            split_key(g, keys_view[index], &stones_view[index], &masks_view[index])
    return stones, masks


def squares_of(words, board):
    """Which squares have a stone: uint8, shape (positions, rows, columns), row 0 at the bottom.

    Args:
        words: stones of either side, or of both.
        board: the size of all positions.
    """
    import numpy as np

    cdef const Geometry* g = _geometry(board.width, board.height)
    cdef const uint64_t[::1] words_view = np.ascontiguousarray(words, dtype=np.uint64)
    cdef Py_ssize_t index
    cdef int row, column
    squares = np.empty((len(words), board.height, board.width), dtype=np.uint8)
    cdef uint8_t[:, :, ::1] view = squares
    with nogil:
        for index in range(words_view.shape[0]):
            for row in range(g.height):
                for column in range(g.width):
                    view[index, row, column] = words_view[index] >> (column * g.stride + row) & 1
    return squares


def are_over(keys, board):
    """Which positions are won by the last move, or full: a boolean array.

    Args:
        keys: of positions, canonical or not.
        board: the size of all of them.
    """
    import numpy as np

    cdef const Geometry* g = _geometry(board.width, board.height)
    cdef const uint64_t[::1] keys_view = np.ascontiguousarray(keys, dtype=np.uint64)
    cdef Py_ssize_t index
    cdef uint64_t stones, mask
    result = np.empty(len(keys), dtype=np.bool_)
    cdef uint8_t[::1] flags = result.view(np.uint8)
    with nogil:
        for index in range(keys_view.shape[0]):
            split_key(g, keys_view[index], &stones, &mask)
            flags[index] = mask == g.board or has_four(g, stones ^ mask)
    return result


cdef object _with_move(const uint64_t[::1] keys, const Geometry* g, bint own):
    """Which positions have a playable square that completes four for the mover, or for the opponent."""
    import numpy as np

    cdef Py_ssize_t index
    cdef uint64_t stones, mask
    result = np.empty(keys.shape[0], dtype=np.bool_)
    cdef uint8_t[::1] flags = result.view(np.uint8)
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            if not own:
                stones ^= mask
            flags[index] = (winning_squares(g, stones, mask) & playable_squares(g, mask)) != 0
    return result


def wins_now(keys, *, int width=7, int height=6):
    """Which positions have a move that wins at once: a boolean array.

    Raises:
        BoardError: impossible size.
    """
    return _with_move(keys, _geometry(width, height), True)


def is_threatened(keys, *, int width=7, int height=6):
    """In which positions the opponent could win at once if it were to move: a boolean array.

    Raises:
        BoardError: impossible size.
    """
    return _with_move(keys, _geometry(width, height), False)


def canonical_keys(const uint64_t[::1] keys, *, int width=7, int height=6):
    """The canonical keys of positions, and the numbers of stones, as uint64 and uint8 arrays.

    Raises:
        KeyValueError: a number is no position's key.
        BoardError: impossible size.
    """
    import numpy as np

    cdef const Geometry* g = _geometry(width, height)
    cdef Py_ssize_t index, bad = -1
    cdef uint64_t stones, mask
    canonical = np.empty(keys.shape[0], dtype=np.uint64)
    plies = np.empty(keys.shape[0], dtype=np.uint8)
    cdef uint64_t[::1] numbers = canonical
    cdef uint8_t[::1] counts = plies
    with nogil:
        for index in range(keys.shape[0]):
            if not _words_of_key(g, keys[index], &stones, &mask):
                bad = index
                break
            numbers[index] = canonical_key(g, stones, mask)
            counts[index] = <uint8_t>popcount(mask)
    if bad >= 0:
        PositionType.from_key(keys[bad], width=width, height=height)    # says what is wrong
    return canonical, plies


def children(const uint64_t[::1] keys, *, int width=7, int height=6):
    """What every column of every position leads to.

    Args:
        keys: positions that are not over.
        width: columns of their board.
        height: rows of it.

    Returns:
        Two arrays of shape (positions, width): the canonical keys of the children (0 where the
        column is full) and MOVE_NONE, MOVE_GOES_ON, MOVE_WINS or MOVE_FILLS.

    Raises:
        BoardError: impossible size.
    """
    import numpy as np

    cdef const Geometry* g = _geometry(width, height)
    cdef Py_ssize_t index
    cdef int column
    cdef uint64_t stones, mask, moves, wins, move
    child_keys = np.zeros((keys.shape[0], width), dtype=np.uint64)
    child_moves = np.zeros((keys.shape[0], width), dtype=np.uint8)
    cdef uint64_t[:, ::1] child_key = child_keys
    cdef uint8_t[:, ::1] child_move = child_moves
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            moves = playable_squares(g, mask)
            wins = winning_squares(g, stones, mask)
            for column in range(width):
                move = moves & column_mask(g, column)
                if move == 0:
                    continue
                child_key[index, column] = canonical_key(g, stones ^ mask, mask | move)
                if move & wins:
                    child_move[index, column] = WINS
                elif popcount(mask) + 1 == g.cells:
                    child_move[index, column] = FILLS
                else:
                    child_move[index, column] = GOES_ON
    return child_keys, child_moves


cdef tuple words_of_batch(
    object positions, object width, object height, const Geometry** g
):
    """Two uint64 arrays: the stones of the sides to move, and of both sides.

    Args:
        positions: positions, move texts, or an array of keys.
        width: columns of the board that texts and keys are on.
        height: rows of that board.
        g: receives the board of all positions.
    """
    import numpy as np

    cdef list items
    check_board(PyNumber_Index(width), PyNumber_Index(height))
    g[0] = geometry_of(width, height)
    if isinstance(positions, np.ndarray):
        return _words_of_keys(positions, g[0])
    items = _as_positions(positions, width, height)
    if items:
        g[0] = (<Position>items[0]).g
    return _words_of_positions(items, g[0])


cdef list _as_positions(object positions, object width, object height):
    """The batch as ``Position`` objects, texts read on the given board."""
    if isinstance(positions, str):
        raise TypeError("positions must be a sequence of positions or texts, not one text")
    return [
        item if isinstance(item, PositionType) else _read(item, index, width, height)
        for index, item in enumerate(positions)
    ]


cdef object _read(object text, object index, object width, object height):
    try:
        return PositionType(text, width=width, height=height)
    except MoveError as error:
        raise MoveError(
            f"position {index}: {error}", kind=error.kind, column=error.column, index=error.index
        ) from None
    except TypeError as error:
        raise TypeError(f"position {index}: {error}") from None


cdef tuple _words_of_positions(list positions, const Geometry* g):
    import numpy as np

    cdef Position position
    cdef Py_ssize_t index
    cdef uint64_t[::1] stones_view, masks_view
    stones = np.empty(len(positions), dtype=np.uint64)
    masks = np.empty(len(positions), dtype=np.uint64)
    stones_view, masks_view = stones, masks
    for index in range(len(positions)):
        position = positions[index]
        if position.g != g:
            raise BoardError(
                f"a batch has one board: position {index} is on {position.board}, "
                f"the first one on {positions[0].board}",
                size=position.board,
            )
        stones_view[index] = position.stones
        masks_view[index] = position.mask
    return stones, masks


cdef tuple _words_of_keys(object keys, const Geometry* g):
    import numpy as np

    cdef Py_ssize_t index, count, bad = -1
    cdef const uint64_t[::1] keys_view
    cdef uint64_t[::1] stones_view, masks_view
    if keys.dtype != np.uint64 or keys.ndim != 1:
        raise TypeError(f"keys must be a one-dimensional uint64 array, not {keys.dtype} {keys.shape}")
    keys = np.ascontiguousarray(keys)
    count = len(keys)
    stones = np.empty(count, dtype=np.uint64)
    masks = np.empty(count, dtype=np.uint64)
    keys_view = keys
    stones_view, masks_view = stones, masks
    with nogil:
        for index in range(count):
            if not _words_of_key(g, keys_view[index], &stones_view[index], &masks_view[index]):
                bad = index
                break
    if bad >= 0:
        _refuse_key(keys_view[bad], bad, g)
    return stones, masks


cdef int _refuse_key(uint64_t key, object index, const Geometry* g) except -1:
    """Raise the error that says what is wrong with a key, and its index in the batch."""
    try:
        PositionType.from_key(key, width=g.width, height=g.height)
    except KeyValueError as error:
        raise KeyValueError(f"position {index}: {error}", key=error.key) from None
    raise AssertionError(f"position {index}: {key}")
