"""Playing on where a rule has ended the branch, without any search: what keeps the rule's bound.

A rule ends a branch of a proof because of a strategy. A player of the proof has to follow it, and is
told nothing but the position. So this file has the rules in a *lasting* form: if it holds, and the
other side makes any move, the side of the proof has wins, is safe by the number of stones, or has an
answer after which it holds again. docs/certificate-format.md has the forms and the proof.

Here M is the side to move and F the prover, as in rules.pxd.
"""

from libc.stdint cimport uint64_t

from c4core.board cimport Geometry, drop, playable_squares, popcount, winning_squares
from c4core.bounds cimport Rows, rows_of, upwards
from c4core.proof.rules cimport (
    NO_FLAT_FOUR,
    STONES,
    Facts,
    find_facts,
    offsets_from,
    pairing_holds,
    rule_holds,
)
from c4core.fours cimport any_four
from c4core.position cimport Position

cdef enum:
    # Columns that may be paired or not. Boards of four rows or more have no more columns.
    MOST_CHOICES = 12


cdef bint _one_column_holds(
    const Rows* rows, const Geometry* g, const Facts* facts, uint64_t relevant
) noexcept nogil:
    """Rule 4, but the column may be any that has all relevant tops."""
    cdef uint64_t sealed = upwards(rows, g, facts.wins & facts.odd)
    cdef uint64_t others = facts.empty & ~(facts.even & sealed)
    cdef uint64_t tops = facts.empty & rows.top
    cdef uint64_t top, column
    while tops:
        top = tops & (~tops + 1)
        tops ^= top
        if relevant & ~top:
            continue
        column = (top >> (g.height - 1)) * rows.column
        if not any_four(
            &rows.flat, facts.own | (others & ~column) | (facts.even & column)
        ):
            return True
    return False


cdef bint _some_pairing_holds(
    const Rows* rows, const Geometry* g, const Facts* facts,
    uint64_t relevant, uint64_t far, int target,
) noexcept nogil:
    """Rules 1 to 3, but every set of columns may be paired that leaves none without an answer."""
    cdef uint64_t choices = upwards(rows, g, facts.wins & facts.even & ~facts.first) & rows.top
    cdef uint64_t more
    choices = (choices | facts.odd_tops) & ~relevant
    while popcount(choices) > MOST_CHOICES:
        choices &= choices - 1
    more = choices
    while True:     # every subset of the choices
        if popcount(relevant | more) & 1 == 0 and pairing_holds(
            rows, g, facts, relevant | more, far, target
        ):
            return True
        if more == 0:
            return False
        more = (more - 1) & choices


cdef bint _lasts(
    const Rows* rows, const Geometry* g, uint64_t own, uint64_t mask, int ply, int target
) noexcept nogil:
    """Whether M scores at most ``target`` by a rule that F can keep to."""
    cdef Facts facts
    cdef uint64_t relevant, far = 0
    cdef int moves = (g.cells + 1 - ply - 2 * target) >> 1
    if winning_squares(g, own, mask) & playable_squares(g, mask):
        return False
    find_facts(rows, g, own, mask, &facts)
    relevant = facts.tops
    if target >= 0:
        if rule_holds(rows, g, &facts, STONES, ply, target):
            return True
        if rule_holds(rows, g, &facts, NO_FLAT_FOUR, ply, target):
            return True
        relevant &= ~offsets_from(rows, g, facts.empty, 2 * moves - 3)
        far = offsets_from(rows, g, facts.empty, 2 * moves - 1)
        if _one_column_holds(rows, g, &facts, relevant):
            return True
    return _some_pairing_holds(rows, g, &facts, relevant, far, target)


def lasts(Position position not None, *, int least):
    """Whether a rule in its lasting form keeps the side to move down.

    Args:
        position: its game goes on.
        least: what the side that is not to move shall score at least, from its own view.

    Returns:
        True only if it does score that much. False says nothing.
    """
    return bool(
        _lasts(
            rows_of(position.g), position.g, position.stones, position.mask, position.ply, -least
        )
    )


def answers(Position position not None, *, int least):
    """The moves after which :func:`lasts` holds, from the left.

    Args:
        position: its game goes on.
        least: what the side to move shall score at least, from its own view.

    Returns:
        0-based columns; none where no rule helps.
    """
    cdef const Geometry* g = position.g
    cdef const Rows* rows = rows_of(g)
    cdef uint64_t other = position.stones ^ position.mask
    cdef uint64_t move
    cdef int column
    found = []
    for column in range(g.width):
        move = drop(g, position.mask, column)
        if move and _lasts(rows, g, other, position.mask | move, position.ply + 1, -least):
            found.append(column)
    return tuple(found)
