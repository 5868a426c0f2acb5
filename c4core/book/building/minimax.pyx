"""Scores of a ply from those of the next one, over whole plies at a time.

Keys are sorted canonical keys (layout picture in board.pyx); a score is for the side to move.
"""

import numpy as np

from libc.stdint cimport int8_t, uint8_t, uint64_t

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
from c4core.book.building.lookup cimport MAX_CHILDREN, children_that_go_on, find_keys

from c4core.book.errors import BookContentError
from c4core.notation import check_board
from c4core.position import Position

# What playing a column does; the values of ``children``'s flags.
cdef enum Move:
    NONE = 0        # the column is full
    GOES_ON = 1     # the game is not over after it
    WINS = 2
    FILLS = 3       # the last square of the board, without a four: a draw

# No position's score.
cdef enum:
    MISSING = -128

MOVE_NONE = NONE
MOVE_GOES_ON = GOES_ON
MOVE_WINS = WINS
MOVE_FILLS = FILLS

UNKNOWN = MISSING


cdef const Geometry* _geometry(int width, int height) except NULL:
    check_board(width, height)
    return geometry_of(width, height)


cdef object _with_move(const uint64_t[::1] keys, const Geometry* g, bint own):
    """Which positions have a playable square that completes four for the mover, or for the opponent."""
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
    """In which positions the opponent could win at once if it were his move: a boolean array.

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
    cdef const Geometry* g = _geometry(width, height)
    cdef Py_ssize_t index, bad = -1
    cdef uint64_t stones, mask
    canonical = np.empty(keys.shape[0], dtype=np.uint64)
    plies = np.empty(keys.shape[0], dtype=np.uint8)
    cdef uint64_t[::1] numbers = canonical
    cdef uint8_t[::1] counts = plies
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &stones, &mask)
            if (
                position_key(g, stones, mask) != keys[index]
                or popcount(stones) != popcount(mask) // 2
                or has_four(g, stones)
            ):
                bad = index
                break
            numbers[index] = canonical_key(g, stones, mask)
            counts[index] = <uint8_t>popcount(mask)
    if bad >= 0:
        Position.from_key(keys[bad], width=width, height=height)     # says what is wrong
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


cdef void _best_of_known(
    const Geometry* g,
    const uint64_t[::1] parents,
    const uint64_t[::1] child_keys,
    const int8_t[::1] child_scores,
    int8_t[::1] scores,
    uint8_t[::1] complete,
) noexcept nogil:
    """Score the parents by those of their children that are there."""
    cdef Py_ssize_t index, count = child_keys.shape[0]
    cdef Py_ssize_t[MAX_CHILDREN] found
    cdef uint64_t[MAX_CHILDREN] keys
    cdef uint64_t stones, mask
    cdef int number, i, ply, best
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        ply = popcount(mask)
        complete[index] = True
        if winning_squares(g, stones, mask) & playable_squares(g, mask):
            scores[index] = <int8_t>((g.cells + 1 - ply) // 2)
            continue
        if ply + 1 == g.cells:
            scores[index] = 0
            continue
        number = children_that_go_on(g, stones, mask, keys)
        find_keys(&child_keys[0] if count else NULL, count, keys, number, found)
        best = MISSING
        for i in range(number):
            if found[i] < 0:
                complete[index] = False
            else:
                best = max(best, -child_scores[found[i]])
        scores[index] = <int8_t>best


def best_of_known(
    const uint64_t[::1] parent_keys,
    const uint64_t[::1] child_keys,
    const int8_t[::1] child_scores,
    *,
    int width=7,
    int height=6,
):
    """The best that positions can reach through those of their children that are known.

    Moves that end the game need no child: a win has the score that its ply says, and the last square
    of the board is a draw.

    Args:
        parent_keys: positions that are not over, any order.
        child_keys: sorted canonical keys.
        child_scores: their scores.
        width: columns of the board.
        height: rows of it.

    Returns:
        Two arrays: an int8 score for each parent, UNKNOWN where it has no known child; and whether
        it is the parent's score, because it wins at once or no child is missing.

    Raises:
        BookContentError: keys and scores differ in number.
        BoardError: impossible size.
    """
    cdef const Geometry* g = _geometry(width, height)
    if child_keys.shape[0] != child_scores.shape[0]:
        raise BookContentError(
            f"{child_keys.shape[0]} keys cannot have {child_scores.shape[0]} scores"
        )
    best = np.empty(parent_keys.shape[0], dtype=np.int8)
    exact = np.empty(parent_keys.shape[0], dtype=np.bool_)
    cdef int8_t[::1] scores = best
    cdef uint8_t[::1] complete = exact.view(np.uint8)
    with nogil:
        _best_of_known(g, parent_keys, child_keys, child_scores, scores, complete)
    return best, exact


def derive(parent_keys, child_keys, child_scores, *, int width=7, int height=6):
    """The scores of positions from those of all their children.

    Args:
        parent_keys: positions that are not over, any order.
        child_keys: sorted canonical keys; every child that is not over, of every parent that has no
            winning move, must be among them.
        child_scores: their scores.
        width: columns of the board.
        height: rows of it.

    Returns:
        An int8 array, one score for each parent.

    Raises:
        BookContentError: a child is missing, or keys and scores differ in number.
        BoardError: impossible size.
    """
    scores, exact = best_of_known(
        parent_keys, child_keys, child_scores, width=width, height=height
    )
    if not exact.all():
        key = int(parent_keys[int(exact.argmin())])
        raise BookContentError(f"a child of position {key} has no score", key=key)
    return scores
