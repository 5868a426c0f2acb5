"""The rules of certificates for Python: which of them hold in a position."""

from libc.stdint cimport uint8_t, uint64_t

from c4core.board cimport geometry_of, playable_squares, popcount, split_key, winning_squares
from c4core.bounds cimport rows_of

from c4core.notation import check_board


def rules_that_hold(keys, *, width, height, target):
    """For each of many positions the rules that bound its score.

    Args:
        keys: uint64 array of position keys; no position may be over.
        width: columns of the board.
        height: rows of the board.
        target: the bound in question.

    Returns:
        uint8 array: bit r is set if rule r proves that the side to move scores at most ``target``. It is
        0 where that side wins at once: no rule speaks of such positions.

    Raises:
        BoardError: no bitboard holds this size.
    """
    import numpy as np

    check_board(width, height)
    cdef const Geometry* g = geometry_of(width, height)
    cdef const Rows* rows = rows_of(g)
    cdef const uint64_t[::1] keys_view = keys
    result = np.zeros(len(keys), dtype=np.uint8)
    cdef uint8_t[::1] sets = result
    cdef uint64_t own, mask
    cdef Facts facts
    cdef Py_ssize_t index
    cdef int rule, bound = target
    with nogil:
        for index in range(keys_view.shape[0]):
            split_key(g, keys_view[index], &own, &mask)
            if winning_squares(g, own, mask) & playable_squares(g, mask):
                continue
            find_facts(rows, g, own, mask, &facts)
            for rule in range(RULES):
                if rule_holds(rows, g, &facts, rule, popcount(mask), bound):
                    sets[index] |= 1 << rule
    return result
