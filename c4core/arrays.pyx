"""Arrays of positions: facts about each position, and the enumeration of all positions of a board.

A position in an array is its key, or two words (engine/board.pxd draws the layout): ``stones`` of the side
to move, ``mask`` of both sides. numpy is imported inside the functions, so programs that handle one position
at a time start faster.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

from c4core.engine.board cimport (
    Board,
    canonical_key,
    column_mask,
    has_four,
    is_narrow,
    playable_squares,
    popcount,
    position_key,
    split_key,
    winning_squares,
)
from c4core.engine.kernel cimport board_of
from c4core.position cimport Position

from c4core.errors import BoardError, KeyValueError, MoveError
from c4core.notation import BoardSize, check_board, check_narrow
from c4core.position import Position as PositionType

# The result of playing a column, as ``children`` returns it.
cdef enum Move:
    NONE = 0        # the column is full
    GOES_ON = 1     # the game goes on
    WINS = 2
    FILLS = 3       # the move fills the board without a four: a draw

MOVE_NONE = NONE
MOVE_GOES_ON = GOES_ON
MOVE_WINS = WINS
MOVE_FILLS = FILLS


cdef const Board* _geometry(board) except NULL:
    check_narrow(check_board(*board), "arrays of keys")
    return board_of(board.width, board.height)


cdef bint _words_of_key(
    const Board* g, uint64_t key, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    """Split a key into its words; False if it is not a position's key (``Position.from_key`` says why)."""
    split_key(g, key, stones, mask)
    return (
        position_key(g, stones[0], mask[0]) == key
        and popcount(stones[0]) == popcount(mask[0]) // 2
        and not has_four(g, stones[0])
    )


def key_array(keys, board):
    """Return keys as an array: uint64 on a narrow board, Python numbers (dtype object) on a wide one."""
    import numpy as np

    if board.is_narrow:
        return np.fromiter(keys, dtype=np.uint64)
    numbers = list(keys)
    array = np.empty(len(numbers), dtype=object)
    array[:] = numbers
    return array


def split_keys(keys, board):
    """Return the stones of the side to move, and of both sides, as uint64 arrays.

    On a wide board, the shape is (positions, 2): the low half and the high half of each word.
    """
    import numpy as np

    if board.is_narrow:
        keys = np.ascontiguousarray(keys, dtype=np.uint64)
    return _words_of_keys(keys, board_of(board.width, board.height))


def squares_of(words, board):
    """Return the squares as bits: uint8, shape (positions, rows, columns), row 0 at the bottom.

    ``words`` are the stones of one side, or of both.
    """
    import numpy as np

    places = np.add.outer(np.arange(board.height), np.arange(board.width) * (board.height + 1))
    return (words[:, None, None] >> places.astype(np.uint64) & np.uint64(1)).astype(np.uint8)


cdef enum Fact:
    OVER            # the game is won, or the board is full
    WINNING         # the side to move can win at once
    THREATENED      # the opponent could win at once if it were to move


cdef object _are(const uint64_t[::1] keys, const Board* g, Fact fact):
    """Return whether each position has a property, as a boolean array."""
    import numpy as np

    cdef Py_ssize_t index
    cdef uint64_t stones, mask
    result = np.empty(keys.shape[0], dtype=np.bool_)
    cdef uint8_t[::1] flags = result.view(np.uint8)
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            if fact != WINNING:
                stones ^= mask
            if fact == OVER:
                flags[index] = mask == g.squares or has_four(g, stones)
            else:
                flags[index] = (winning_squares(g, stones, mask) & playable_squares(g, mask)) != 0
    return result


def are_over(keys, board):
    """Return whether each game is over, won or with a full board, as a boolean array."""
    return _are(keys, _geometry(board), OVER)


def wins_now(keys, board):
    """Return whether the side to move can win at once, as a boolean array."""
    return _are(keys, _geometry(board), WINNING)


def is_threatened(keys, board):
    """Return whether the opponent could win at once if it were to move, as a boolean array."""
    return _are(keys, _geometry(board), THREATENED)


def canonical_keys(keys, board):
    """Return the canonical keys, as :func:`key_array` does, and the numbers of stones, as a uint8 array.
    """
    import numpy as np

    check_board(*board)
    if board.is_narrow:
        return _canonical_keys(keys, board_of(board.width, board.height))
    positions = _positions_of_keys(keys, board)
    return (
        key_array((position.canonical_key for position in positions), board),
        np.array([position.ply for position in positions], dtype=np.uint8),
    )


cdef tuple _canonical_keys(const uint64_t[::1] keys, const Board* g):
    import numpy as np

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
        PositionType.from_key(keys[bad], board=(g.width, g.height))    # raises the error
    return canonical, plies


def children(const uint64_t[::1] keys, board):
    """Return the result of every column of every position. No position may be over.

    Returns:
        Two arrays of shape (positions, width): the canonical keys of the children (0 if the column is
        full) and MOVE_NONE, MOVE_GOES_ON, MOVE_WINS or MOVE_FILLS.
    """
    import numpy as np

    cdef const Board* g = _geometry(board)
    cdef Py_ssize_t index
    cdef int column
    cdef uint64_t stones, mask, moves, wins, move
    child_keys = np.zeros((keys.shape[0], g.width), dtype=np.uint64)
    child_moves = np.zeros((keys.shape[0], g.width), dtype=np.uint8)
    cdef uint64_t[:, ::1] child_key = child_keys
    cdef uint8_t[:, ::1] child_move = child_moves
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            moves = playable_squares(g, mask)
            wins = winning_squares(g, stones, mask)
            for column in range(g.width):
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


cdef tuple words_of_batch(object positions, const Board** g):
    """Return two uint64 arrays: the stones of the sides to move, and of both sides.

    Their shape is (positions,), on wide boards (positions, 2): the low half and the high half of each word.

    Args:
        positions: positions, move texts, or an array of keys.
        g: the board of texts and keys; it becomes the board of all positions.
    """
    import numpy as np

    cdef list items
    if isinstance(positions, np.ndarray):
        return _words_of_keys(positions, g[0])
    items = _as_positions(positions, (g[0].width, g[0].height))
    if items:
        g[0] = (<Position>items[0]).g
    return _words_of_positions(items, g[0])


cdef list _as_positions(object positions, object board):
    """Return the batch as ``Position`` objects; texts are read on the given board."""
    if isinstance(positions, str):
        raise TypeError("positions must be a sequence of positions or texts, not one text")
    return [
        item if isinstance(item, PositionType) else _read(item, index, board)
        for index, item in enumerate(positions)
    ]


cdef object _read(object text, object index, object board):
    try:
        return PositionType(text, board=board)
    except MoveError as error:
        raise MoveError(
            f"positions[{index}]: {error}", kind=error.kind, column=error.column, index=error.index
        ) from None
    except TypeError as error:
        raise TypeError(f"positions[{index}]: {error}") from None


cdef tuple _words_of_positions(list positions, const Board* g):
    import numpy as np

    cdef Position position
    cdef Py_ssize_t index, halves = 1 if is_narrow(g) else 2
    cdef uint64_t[:, ::1] stones_view, masks_view
    shape = len(positions), halves
    stones = np.empty(shape, dtype=np.uint64)
    masks = np.empty(shape, dtype=np.uint64)
    stones_view, masks_view = stones, masks
    for index in range(len(positions)):
        position = positions[index]
        if position.g != g:
            raise BoardError(
                f"a batch has one board: positions[{index}] is on {position.board}, "
                f"the first one on {positions[0].board}",
                size=position.board,
            )
        # This module is narrow: it reads the halves of the fields one by one.
        memcpy(&stones_view[index, 0], &position.stones, halves * sizeof(uint64_t))
        memcpy(&masks_view[index, 0], &position.mask, halves * sizeof(uint64_t))
    if halves == 1:
        return stones.reshape(-1), masks.reshape(-1)
    return stones, masks


cdef tuple _words_of_keys(object keys, const Board* g):
    import numpy as np

    cdef Py_ssize_t index, count, bad = -1
    cdef const uint64_t[::1] keys_view
    cdef uint64_t[::1] stones_view, masks_view
    if not is_narrow(g):
        return _words_of_positions(_positions_of_keys(keys, BoardSize(g.width, g.height)), g)
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


cdef list _positions_of_keys(object keys, object board):
    """Return the positions of keys on a wide board: Python numbers, or pairs of uint64, low half first."""
    import numpy as np

    if keys.dtype == object and keys.ndim == 1:
        numbers = keys.tolist()
    elif keys.dtype == np.uint64 and keys.ndim == 2 and keys.shape[1] == 2:
        numbers = [low | high << 64 for low, high in keys.tolist()]
    else:
        raise TypeError(
            f"keys on a {board} board must be Python numbers (dtype object) or a uint64 array of shape "
            f"(positions, 2), low half first, not {keys.dtype} {keys.shape}"
        )
    positions = []
    for index, key in enumerate(numbers):
        try:
            positions.append(PositionType.from_key(key, board=board))
        except KeyValueError as error:
            raise KeyValueError(f"positions[{index}]: {error}", key=error.key) from None
    return positions


cdef int _refuse_key(uint64_t key, object index, const Board* g) except -1:
    """Raise an error with the fault of a key and its index in the batch."""
    try:
        PositionType.from_key(key, board=(g.width, g.height))
    except KeyValueError as error:
        raise KeyValueError(f"positions[{index}]: {error}", key=error.key) from None
    raise AssertionError(f"positions[{index}]: {key}")


# The number of parents whose children are sorted together: about 50 MB of children on 7x6.
cdef enum:
    PIECE_PARENTS = 1 << 20


def open_plies(Position start not None):
    """Iterate over the plies from ``start`` on: all reachable positions that are not over.

    Yields:
        For each ply, beginning with the start's, a sorted uint64 array of canonical keys without
        duplicates. No array is empty.
    """
    import numpy as np

    board = start.board
    _geometry(board)
    level = np.array([] if start.is_over else [start.canonical_key], dtype=np.uint64)
    while level.size:
        yield level
        pieces = []
        for begin in range(0, len(level), PIECE_PARENTS):
            after, moves = children(level[begin : begin + PIECE_PARENTS], board)
            pieces.append(_distinct(after[moves == GOES_ON]))
        level = _distinct(np.concatenate(pieces))


cdef object _distinct(object keys):
    """Sort keys and drop repeated ones. In numpy 2.3, np.unique() takes ten times as long."""
    keys.sort()
    import numpy as np

    return np.concatenate([keys[:1], keys[1:][keys[1:] != keys[:-1]]])
