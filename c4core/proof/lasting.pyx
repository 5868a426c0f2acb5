"""Play by the rules that end the branches of a proof.

A rule ends a branch because of a strategy. A player of the proof has to follow that strategy, but is given
only the position. So the rules are used here in a *lasting* form, which the prover can keep: after any move
of the other side the prover wins, or is safe by the number of stones, or has an answer after which the form
holds again. As in rules.pxd, M is the side to move and F is the prover. docs/certificate-format.md has the
rules with their proofs.
"""

from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.board cimport (
    Board,
    any_four,
    drop,
    playable_squares,
    popcount,
    split_key,
    upwards,
    winning_squares,
)
from c4core.position cimport Position, read_board
from c4core.proof.rules cimport (
    NO_FLAT_FOUR,
    RULES,
    STONES,
    Facts,
    find_facts,
    offsets_from,
    pairing_holds,
    rule_holds,
)

import numpy as np

from c4core.notation import BoardSize, check_narrow

cdef enum:
    # The largest number of columns for which both choices, paired or not, are tried. A board with four or
    # more rows has no more columns.
    MOST_CHOICES = 12


cdef bint _one_column_holds(
    const Board* g, const Facts* facts, uint64_t relevant
) noexcept nogil:
    """Return whether ODD_COLUMN holds for any column that has all relevant tops."""
    cdef uint64_t sealed = upwards(g, facts.wins & facts.odd)
    cdef uint64_t others = facts.empty & ~(facts.even & sealed)
    cdef uint64_t tops = facts.empty & g.top
    cdef uint64_t top, column
    while tops:
        top = tops & (~tops + 1)
        tops ^= top
        if relevant & ~top:
            continue
        column = (top >> (g.height - 1)) * g.column
        if not any_four(
            &g.flat, facts.own | (others & ~column) | (facts.even & column)
        ):
            return True
    return False


cdef bint _some_pairing_holds(
    const Board* g, const Facts* facts,
    uint64_t relevant, uint64_t far, int target,
) noexcept nogil:
    """Return whether FOLLOW_UP, TURN or HORIZON holds for some paired columns, all relevant ones included."""
    cdef uint64_t choices = upwards(g, facts.wins & facts.even & ~facts.first) & g.top
    cdef uint64_t more
    choices = (choices | facts.odd_tops) & ~relevant
    while popcount(choices) > MOST_CHOICES:
        choices &= choices - 1
    more = choices
    while True:     # every subset of the choices
        if popcount(relevant | more) & 1 == 0 and pairing_holds(
            g, facts, relevant | more, far, target
        ):
            return True
        if more == 0:
            return False
        more = (more - 1) & choices


cdef bint _lasts(
    const Board* g, uint64_t own, uint64_t mask, int ply, int target
) noexcept nogil:
    """Return whether a rule in its lasting form proves that M scores at most ``target``."""
    cdef Facts facts
    cdef uint64_t relevant, far = 0
    cdef int moves = (g.cells + 1 - ply - 2 * target) >> 1
    if winning_squares(g, own, mask) & playable_squares(g, mask):
        return False
    find_facts(g, own, mask, &facts)
    relevant = facts.tops
    if target >= 0:
        if rule_holds(g, &facts, STONES, ply, target):
            return True
        if rule_holds(g, &facts, NO_FLAT_FOUR, ply, target):
            return True
        relevant &= ~offsets_from(g, facts.empty, 2 * moves - 3)
        far = offsets_from(g, facts.empty, 2 * moves - 1)
        if _one_column_holds(g, &facts, relevant):
            return True
    return _some_pairing_holds(g, &facts, relevant, far, target)


def lasts(Position position not None, *, int least):
    """Return whether a rule in its lasting form proves that the side not to move scores at least ``least``.

    The game must not be over. The score is from that side's point of view. False proves nothing.
    """
    check_narrow(position.board, "certificates")
    return bool(
        _lasts(
            position.g, position.stones, position.mask, position.ply, -least
        )
    )


def answers(Position position not None, *, int least):
    """Return the 0-based columns after which :func:`lasts` holds, from the left; none if no rule helps.

    The game must not be over. ``least`` is the least score of the side to move, from its point of view.
    """
    cdef const Board* g = position.g
    cdef uint64_t other = position.stones ^ position.mask
    cdef uint64_t move
    cdef int column
    check_narrow(position.board, "certificates")
    found = []
    for column in range(g.width):
        move = drop(g, position.mask, column)
        if move and _lasts(g, other, position.mask | move, position.ply + 1, -least):
            found.append(column)
    return tuple(found)


def rules_that_hold(keys, *, board, target):
    """Return the rules that bound the scores of many positions; tests compare them with exact scores.

    Args:
        keys: uint64 array of position keys; no game is over.
        target: the bound.

    Returns:
        uint8 array: bit r is set if rule r proves that the side to move scores at most ``target``. If that
        side wins at once, the entry is 0, because no rule applies.
    """
    cdef const Board* g = read_board(board)
    check_narrow(BoardSize(g.width, g.height), "certificates")
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
            find_facts(g, own, mask, &facts)
            for rule in range(RULES):
                if rule_holds(g, &facts, rule, popcount(mask), bound):
                    sets[index] |= 1 << rule
    return result
