"""Finished games as pairs of words: which of them may have passed through a position.

``first`` and ``second`` are the stones of the two players on the final grid. Stones are never taken
away, so a game can have passed through a position only if its final grid holds all the position's
stones.
"""

from libc.stdint cimport int8_t, int64_t, uint64_t

from c4core.engine.board cimport MAX_COLUMNS, lowest_bit, playable_squares
from c4core.position cimport Position
from c4core.windows cimport stones_of


def tally_columns(
    Position position not None,
    const uint64_t[::1] first not None,
    const uint64_t[::1] second not None,
    const int8_t[::1] winner not None,
):
    """For each column, the games whose final grid holds the position with that move.

    Args:
        position: not over.
        first: the first player's stones of every game.
        second: the second player's.
        winner: 1 where the first player won, -1 where the second did, 0 for a draw.

    Returns:
        For every column ``(games, wins of the side to move, draws)``; None where it is full.
    """
    cdef uint64_t own1 = stones_of(position, "x"), own2 = own1 ^ position.mask
    cdef uint64_t playable = playable_squares(position.g, position.mask), squares
    cdef int sign = -1 if position.ply & 1 else 1
    cdef int64_t games[MAX_COLUMNS]
    cdef int64_t wins[MAX_COLUMNS]
    cdef int64_t draws[MAX_COLUMNS]
    cdef Py_ssize_t index
    cdef int column
    if not first.shape[0] == second.shape[0] == winner.shape[0]:
        raise ValueError("as many first words as second ones and winners are needed")
    for column in range(position.g.width):
        games[column] = wins[column] = draws[column] = 0
    with nogil:
        for index in range(first.shape[0]):
            if (own1 & ~first[index]) | (own2 & ~second[index]):
                continue
            squares = playable & (first[index] if sign > 0 else second[index])
            while squares:
                column = lowest_bit(squares) // position.g.stride
                squares &= squares - 1
                games[column] += 1
                wins[column] += winner[index] == sign
                draws[column] += winner[index] == 0
    return tuple([
        (games[column], wins[column], draws[column]) if position.is_legal(column) else None
        for column in range(position.g.width)
    ])
