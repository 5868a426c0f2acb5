"""Static bounds: "the side to move cannot score more than a", proven by parity, without search.

M is the side to move, F (the follower) its opponent. M has no immediate win. An empty square's
*offset* is its height above the first empty square of its column: 0 can be played now. On 7x6, with
two stones in the first column and none in the next two::

    . . .        3 5 5        row 5 (top)
    . . .        2 4 4
    . . .        1 3 3
    . . .        0 2 2        offsets
    x . .        x 1 1
    o . .        o 0 0        row 0

Every bound gives F a rule for answering each move of M, and lists a superset of the squares that M can
ever get under that rule. If M's stones and those squares hold no four, M cannot win: the score is 0 at
most. F's own fours only help F, and an immediate threat of F only leaves M fewer moves.

**Follow-up.** F answers in the same column, on top. Then M gets squares of even offset only, F those of
odd offset. Let T be the winning squares of F at odd offsets. M can play the square under a T only to
lose (or to win with it), so M gets nothing at or above the lowest T of a column (it is *sealed*). The
rule works while every column without a T has an even number of empty squares; with a T any number.
If there is a T, F even wins: when all else is full, M must play under a T. What is then still empty is
in the sealed columns, from the square under T up, but for the last two stones played there. With s
squares from the lowest T's upwards and c sealed columns that is s + c - 2 squares at least, and F's win
scores at least (2 + s + c - 2) // 2 = (s + c) // 2. If F wins earlier, more squares are empty.

**Pairing.** Columns without a T and with an odd number of empty squares are paired two by two. When M
takes the bottom (offset 0) of one, F takes the bottom of the other; above the bottoms F follows up. M
gets one bottom of each pair, and odd offsets; F gets even offsets from 2 on, so in these columns the
threats that count are there. Every move of M still has an answer, so the argument stands. F chooses
the pairing, M the bottoms.

**Turning a column.** Where the number of odd columns is itself odd, F pairs one of them with a column
whose own number does not matter: one with a winning square of F at an even offset >= 2. Turned by the
pairing, that column is sealed there, and F wins as above. Or, for a draw, with a column of an odd number
of empty squares that has a T: F gives up the T for the parity.

**Horizon** (a >= 0). To score more than a, M must win with one of its next J moves,
J = (cells + 1 - n - 2a) // 2 with n stones on the board. An even offset o takes M o / 2 + 1 moves, so
offsets above 2 (J - 1) do not count. M gains from the top of an odd column (F has no answer there) only
if a move is left after it: a top above 2 (J - 2) does not matter either, and its column counts as even.

**One odd column z** (a >= 0). F follows up; when M takes the top of z, F opens another column, of those
sealed by a T the last, and follows up there too. In z M gets even offsets only. M never gets two new
squares one above the other, and a vertical four needs two, as there is no immediate win. Above a T in
another column M gets odd offsets only: to get there F must have opened that column, M must have blocked
T, and F goes on from there. If M's stones, z's even offsets and all else that is empty, less the even
offsets above a T, hold no flat (not vertical) four, the score is 0 at most.

**No flat four** (a >= 0). If M's stones and all empty squares hold no flat four, F answers every
vertical three on top: 0 at most.

All bounds are held against exhaustive values of small boards in tests/property/test_solver_bounds.py.
"""

from libc.stdint cimport int8_t, uint64_t
from libc.stdlib cimport calloc

from c4core.board cimport (
    WIDTH_LIMIT,
    geometry_of,
    playable_squares,
    popcount,
    split_key,
    winning_squares,
)

from c4core.notation import check_board

cdef Rows* _rows[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Rows* rows_of(const Geometry* g) except NULL:
    """The row patterns of a board size; they are made once and live as long as the process."""
    cdef Rows* rows = _rows[g.width][g.height]
    cdef int row
    if rows == NULL:
        rows = <Rows*>calloc(1, sizeof(Rows))
        if rows == NULL:
            raise MemoryError
        for row in range(g.height + 1):
            if row & 1:
                rows.odd |= g.bottom << row
            else:
                rows.even |= g.bottom << row
            rows.low[row] = g.bottom * ((<uint64_t>1 << row) - 1)
        rows.steps.step = [1, g.stride, g.stride - 1, g.stride + 1]
        rows.flat.step = [g.stride, g.stride, g.stride - 1, g.stride + 1]
        for row in range(g.width * g.stride):
            rows.mirror[row] = (g.width - 1 - row // g.stride) * g.stride + row % g.stride
        rows.guards = g.bottom << g.height
        rows.top = g.bottom << (g.height - 1)
        rows.column = (<uint64_t>1 << g.height) - 1
        _rows[g.width][g.height] = rows
    return rows


def upper_bounds(keys, *, int width, int height, int target):
    """The static upper bounds of many positions, for tests.

    Args:
        keys: uint64 array of position keys.
        width: columns of the board.
        height: rows of the board.
        target: the bound to prove.

    Returns:
        int8 array: an upper bound on the score of the side to move that is not above the target, or
        NOT_PROVEN (127). It is NOT_PROVEN, too, where the side to move wins at once: no bound is
        claimed there.
    """
    import numpy as np  # here, for programs that never call this start faster without it

    check_board(width, height)
    cdef const Geometry* g = geometry_of(width, height)
    cdef const Rows* rows = rows_of(g)
    cdef const uint64_t[::1] keys_view = keys
    cdef int8_t[::1] bounds_view
    cdef uint64_t stones, mask
    cdef Parity parity
    cdef Py_ssize_t index
    bounds = np.empty(len(keys), dtype=np.int8)
    bounds_view = bounds
    with nogil:
        for index in range(keys_view.shape[0]):
            split_key(g, keys_view[index], &stones, &mask)
            if winning_squares(g, stones, mask) & playable_squares(g, mask):
                bounds_view[index] = NOT_PROVEN
            else:
                parity.own = stones
                parity.first = mask + g.bottom
                parity.even = even_offsets(rows, g, mask)
                parity.odd = g.board & ~mask & ~parity.even
                parity.wins = winning_squares(g, stones ^ mask, mask)
                bounds_view[index] = upper_bound(
                    rows, g, &parity, moves_to_beat(g, popcount(mask), target), target
                )
    return bounds
