"""Positions from random games: every column that is not full is equally likely.

Keys are canonical (layout picture in board.pyx). Positions that are over are left out.
"""

import numpy as np

from libc.stdint cimport uint64_t

from c4core.engine.board cimport Board, canonical_key, has_four
from c4core.engine.kernel cimport board_of
from c4core.dice cimport Dice, DiceState, draw_below
from c4core.players.playouts cimport random_square

from c4core.notation import check_board

cdef enum:
    MAX_PLIES = 65      # open positions of a game: no board has more squares than bits
    NOTHING = 0         # no position has this key: even the empty board has markers


cdef int _play(
    const Board* g, int last, uint64_t* keys, DiceState* dice
) noexcept nogil:
    """Play from the empty board until the game is over, or ``last`` stones are on the board.

    Writes the canonical keys of the positions of the game that are not over, from the empty board on.
    Returns their number.
    """
    cdef uint64_t own = 0, mask = 0, square
    cdef int ply = 0
    while True:
        keys[ply] = canonical_key(g, own, mask)
        ply += 1
        if ply > last:
            return ply
        square = random_square(g, mask, dice)
        own |= square
        mask |= square
        if mask == g.squares or has_four(g, own):
            return ply
        own ^= mask


def stop_within(
    Dice dice not None, long games, int first, int last, *, int width=7, int height=6
):
    """One position of each random game, a random one of those with ``first`` to ``last`` stones.

    Args:
        dice: the source of the moves and of the choice.
        games: the number of games.
        first: the smallest number of stones.
        last: the largest number of stones.
        width: columns of the board.
        height: rows of the board.

    Returns:
        Canonical keys in the order of the games, as uint64; a game that was over before it had
        ``first`` stones has none.

    Raises:
        BoardError: impossible size.
    """
    check_board(width, height)
    cdef const Board* g = board_of(width, height)
    cdef uint64_t reached[MAX_PLIES]
    cdef int number
    cdef long game
    keys = np.empty(games, dtype=np.uint64)
    cdef uint64_t[::1] found = keys
    if not 0 <= first <= last < g.cells:
        raise ValueError(f"plies {first} to {last}: there are positions that are not over "
                         f"with 0 to {g.cells - 1} stones on {width}x{height}")
    with nogil:
        for game in range(games):
            number = _play(g, last, reached, &dice.state)
            found[game] = NOTHING
            if number > first:
                # A choice among one position needs no draw.
                number -= first
                found[game] = reached[
                    first + (<int>draw_below(&dice.state, number) if number > 1 else 0)
                ]
    return keys[keys != NOTHING]
