"""Play by a diagram of WeakC4 in many positions at a time.

A position is given by its key: the stones of the side to move, which follows the diagram, and in each column
a 1 above the highest stone. A diagram has a word for every level, with a 1 for each square of that level.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from c4core.engine.board cimport (
    Board,
    canonical_key,
    drop,
    has_four,
    lowest_bit,
    playable_squares,
    position_key,
    split_key,
    winning_squares,
)
from c4core.engine.kernel cimport board_of

from typing import NamedTuple

import numpy as np

from c4core.notation import check_board, check_narrow

cdef enum:
    LOST = 1        # the other side has won
    DRAWN = 2       # the board is full
    NO_REPLY = 255

# Marks instead of a column: the side wins at once, or the diagram names no move.
WINS = 254
NO_MOVE = 255


class Replies(NamedTuple):
    """The positions after all replies."""

    keys: np.ndarray
    parents: np.ndarray
    columns: np.ndarray
    ends: np.ndarray


cdef int _check_lengths(const uint64_t[::1] keys, const uint8_t[::1] columns) except -1:
    if keys.shape[0] != columns.shape[0]:
        raise ValueError(f"{keys.shape[0]} positions and {columns.shape[0]} columns")
    return 0


cdef inline uint64_t _chosen(
    const Board* g, const uint64_t[::1] levels, uint64_t own, uint64_t mask
) noexcept nogil:
    """Return the square that is played if the side cannot win at once; 0 if the diagram names none."""
    cdef uint64_t playable = playable_squares(g, mask)
    cdef uint64_t squares = winning_squares(g, own ^ mask, mask) & playable
    cdef Py_ssize_t level
    if squares:
        return squares & (~squares + 1)
    for level in range(levels.shape[0]):
        squares = levels[level] & playable
        if squares and squares & (squares - 1) == 0:
            return squares
    return 0


def choose(const uint64_t[::1] keys, const uint64_t[::1] levels, *, width, height):
    """Choose the moves of a diagram: a win, else a block, else the square of a level.

    The first level with exactly one playable square decides.

    Args:
        keys: uint64 array of position keys; no game is over.
        levels: uint64 array, the squares of each level.

    Returns:
        uint8 array of columns; ``WINS`` if the side to move wins at once, ``NO_MOVE`` if no level decides.

    Raises:
        BoardError: no bitboard holds this size.
    """
    check_narrow(check_board(width, height), "certificates")
    cdef const Board* g = board_of(width, height)
    cdef Py_ssize_t index
    cdef uint64_t own, mask, square
    result = np.empty(keys.shape[0], dtype=np.uint8)
    cdef uint8_t[::1] columns = result
    cdef uint8_t wins = WINS, no_move = NO_MOVE
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &own, &mask)
            if winning_squares(g, own, mask) & playable_squares(g, mask):
                columns[index] = wins
                continue
            square = _chosen(g, levels, own, mask)
            columns[index] = lowest_bit(square) // g.stride if square else no_move
    return result


def replies(const uint64_t[::1] keys, const uint8_t[::1] columns, *, width, height):
    """Return the positions after a move in each position and every reply to it.

    Args:
        keys: uint64 array of position keys; no game is over.
        columns: uint8 array: in each position a move that does not win, or ``WINS`` to skip the position.

    Returns:
        ``Replies``, four arrays of the same length: the keys (with the same side to move as before), the
        index in ``keys`` of each parent (int64), the column of the reply (uint8), and the state of the game
        (uint8): 0 if it goes on, 1 if the other side has won, 2 if the board is full. If the move itself
        fills the board, its one reply is 255.

    Raises:
        BoardError: no bitboard holds this size.
        ValueError: a column is full or outside the board, or the arrays differ in length.
    """
    check_narrow(check_board(width, height), "certificates")
    _check_lengths(keys, columns)
    cdef const Board* g = board_of(width, height)
    cdef Py_ssize_t index, bad = -1, count = 0
    cdef uint64_t own, mask, other, left, square
    cdef uint8_t wins = WINS
    most = keys.shape[0] * width
    key_array = np.empty(most, dtype=np.uint64)
    parent_array = np.empty(most, dtype=np.int64)
    column_array = np.empty(most, dtype=np.uint8)
    end_array = np.empty(most, dtype=np.uint8)
    cdef uint64_t[::1] out_keys = key_array
    cdef int64_t[::1] parents = parent_array
    cdef uint8_t[::1] out_columns = column_array
    cdef uint8_t[::1] ends = end_array
    with nogil:
        for index in range(keys.shape[0]):
            if columns[index] == wins:
                continue
            split_key(g, keys[index], &own, &mask)
            other = own ^ mask
            square = drop(g, mask, columns[index]) if columns[index] < g.width else 0
            if square == 0:
                bad = index
                break
            mask |= square
            own |= square
            left = playable_squares(g, mask)
            if left == 0:
                out_keys[count] = position_key(g, own, mask)
                parents[count] = index
                out_columns[count] = NO_REPLY
                ends[count] = DRAWN
                count += 1
            while left:
                square = left & (~left + 1)
                left ^= square
                out_keys[count] = position_key(g, own, mask | square)
                parents[count] = index
                out_columns[count] = lowest_bit(square) // g.stride
                ends[count] = 0
                if has_four(g, other | square):
                    ends[count] = LOST
                elif mask | square == g.squares:
                    ends[count] = DRAWN
                count += 1
    if bad >= 0:
        raise ValueError(f"column {columns[bad]} cannot be played at index {bad}")
    return Replies(key_array[:count], parent_array[:count], column_array[:count], end_array[:count])


def canonical(const uint64_t[::1] keys, const uint8_t[::1] columns, *, width, height):
    """Turn positions into their canonical images, and mirror the moves with them.

    Args:
        keys: uint64 array of position keys.
        columns: uint8 array, a column for each.

    Returns:
        The canonical keys and the columns in the canonical positions, as two arrays of the same types.

    Raises:
        BoardError: no bitboard holds this size.
        ValueError: the arrays differ in length.
    """
    check_narrow(check_board(width, height), "certificates")
    _check_lengths(keys, columns)
    cdef const Board* g = board_of(width, height)
    cdef Py_ssize_t index
    cdef uint64_t own, mask
    key_array = np.empty(keys.shape[0], dtype=np.uint64)
    column_array = np.array(columns, dtype=np.uint8)
    cdef uint64_t[::1] out_keys = key_array
    cdef uint8_t[::1] out_columns = column_array
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &own, &mask)
            out_keys[index] = canonical_key(g, own, mask)
            if out_keys[index] != keys[index]:
                out_columns[index] = g.width - 1 - columns[index]
    return key_array, column_array
