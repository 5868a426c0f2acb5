"""Static bounds: what parity proves about a position without any search; proofs in bounds.pyx."""

from libc.stdint cimport uint8_t, uint64_t

from c4core.board cimport HEIGHT_LIMIT, Geometry, popcount
from c4core.fours cimport Steps, any_four

cdef enum:
    NOT_PROVEN = 127        # above every score

# Row patterns of a board; one for each board size.
cdef struct Rows:
    Steps steps                         # the four directions
    Steps flat                          # .. without the vertical (one of the others twice)
    uint64_t guards                     # the guard bit of every column
    uint64_t even                       # rows 0, 2, 4, .. with the guard row
    uint64_t odd                        # rows 1, 3, 5, ..
    uint64_t top                        # the top row
    uint64_t column                     # all squares of column 0
    uint8_t[64] mirror                  # a square's bit seen in a mirror
    uint64_t[HEIGHT_LIMIT + 1] low      # the lowest 0, 1, 2, .. rows

cdef const Rows* rows_of(const Geometry* g) except NULL


cdef inline uint64_t upwards(const Rows* rows, const Geometry* g, uint64_t squares) noexcept nogil:
    """In every column the lowest of the squares and all that lie above it.

    The guard less the squares, column by column, is their lowest bit with every bit above it
    inverted; no column borrows from the next, for its guard exceeds what is taken away.
    """
    return ((rows.guards - squares) | squares) & g.board


cdef inline uint64_t even_offsets(
    const Rows* rows, const Geometry* g, uint64_t mask
) noexcept nogil:
    """The empty squares at an even offset above the first empty one of their column.

    Where that one lies in an odd row, they are the odd rows from there up; else the even ones.
    """
    cdef uint64_t first = mask + g.bottom
    return (
        ((rows.guards - (first & rows.odd)) & rows.odd)
        | ((rows.guards - (first & rows.even)) & rows.even)
    ) & g.board


# A position as the bounds see it. M is the side to move, F its opponent.
cdef struct Parity:
    uint64_t own        # stones of M
    uint64_t first      # first empty square of every column (the guard bit where it is full)
    uint64_t even       # empty squares at an even offset above the first
    uint64_t odd        # .. at an odd offset
    uint64_t wins       # winning squares of F


cdef inline bint _pairs_hold(const Rows* rows, uint64_t stones, uint64_t bottoms) noexcept nogil:
    """Whether F can pair the bottoms so that M, who gets one of each pair, has no four."""
    cdef uint64_t a, b, c, d
    cdef bint ab, ac, ad, bc, bd, cd
    # Three of four times this ends it: what M gets anyway contains a four.
    if any_four(&rows.steps, stones):
        return False
    if bottoms == 0 or not any_four(&rows.steps, stones | bottoms):
        return True
    a = bottoms & (~bottoms + 1)
    bottoms ^= a
    b = bottoms & (~bottoms + 1)
    bottoms ^= b
    if bottoms == 0:
        return not any_four(&rows.steps, stones | a) and not any_four(&rows.steps, stones | b)
    c = bottoms & (~bottoms + 1)
    d = bottoms ^ c
    if d & (d - 1):
        return False
    # Four columns: F chooses one of three pairings, M one bottom of each pair.
    ab = any_four(&rows.steps, stones | a | b)
    cd = any_four(&rows.steps, stones | c | d)
    ac = any_four(&rows.steps, stones | a | c)
    bd = any_four(&rows.steps, stones | b | d)
    if not (ab or cd or ac or bd):
        return True
    ad = any_four(&rows.steps, stones | a | d)
    bc = any_four(&rows.steps, stones | b | c)
    return not (ad or bc or ((ab or cd) and (ac or bd)))


cdef inline int _paired_bound(
    const Rows* rows, const Geometry* g, const Parity* p, uint64_t tops, uint64_t far, int target
) noexcept nogil:
    """The bound by pairing the columns with the given tops and by follow-up in all others.

    The number of those columns is even. M cannot use the ``far`` squares in time to beat the target.
    The result is NOT_PROVEN where the bound is above the target.
    """
    cdef uint64_t paired = (tops >> (g.height - 1)) * rows.column
    cdef uint64_t bottoms = p.first & paired
    cdef uint64_t ours = (p.even & ~paired) | (p.odd & paired)
    cdef uint64_t theirs = p.wins & ((p.odd & ~paired) | (p.even & paired & ~bottoms))
    cdef uint64_t sealed
    cdef int bound = 0
    if theirs:
        # At the end sealed columns are empty from under T up, but for the two stones of F's win.
        sealed = upwards(rows, g, theirs)
        bound = -((popcount(sealed) + popcount(sealed & rows.top)) >> 1)
        ours &= ~sealed
    if bound > target:
        return NOT_PROVEN
    if _pairs_hold(rows, p.own | (ours & ~far), bottoms):
        return bound
    return NOT_PROVEN


cdef inline uint64_t _from_offset(
    const Rows* rows, const Geometry* g, uint64_t empty, int offset
) noexcept nogil:
    """The empty squares whose offset is at least this."""
    if offset >= g.height:
        return 0
    if offset <= 0:
        return empty
    return empty & ((empty & rows.low[g.height - offset]) << offset)


cdef inline int _bound_of_no_loss(
    const Rows* rows, const Geometry* g, const Parity* p, uint64_t tops, int moves, int target
) noexcept nogil:
    """The bound for a target that is no loss: M has only so many moves left to beat it."""
    cdef uint64_t empty = p.even | p.odd
    cdef uint64_t far = _from_offset(rows, g, empty, 2 * moves - 1)
    cdef uint64_t relevant = tops & ~_from_offset(rows, g, empty, 2 * moves - 3)
    cdef uint64_t column, sealed, top, turned, doubles
    cdef int bound
    if popcount(relevant) & 1 == 0:
        bound = _paired_bound(rows, g, p, relevant, far, target)
        if bound == NOT_PROVEN or (far == 0 and relevant == tops):
            return bound
        return target
    if relevant & (relevant - 1) == 0:
        column = (relevant >> (g.height - 1)) * rows.column
        sealed = upwards(rows, g, p.wins & p.odd)
        if not any_four(&rows.flat, p.own | (empty & ~column & ~(p.even & sealed)) | (p.even & column)):
            return 0 if relevant == tops else target
    elif not any_four(&rows.flat, p.own | empty):
        return 0
    return NOT_PROVEN


cdef inline int upper_bound(
    const Rows* rows, const Geometry* g, const Parity* p, int moves, int target
) noexcept nogil:
    """A proven upper bound on the score of the side to move, or NOT_PROVEN.

    Contract: the result is NOT_PROVEN, or at most ``target`` and the score is at most the result.
    The side to move must have no immediate win, and ``moves`` (see ``moves_to_beat``) left.
    """
    cdef uint64_t tops, turned, top
    cdef int bound
    # Columns with an odd number of empty squares and no threat at an odd offset.
    cdef uint64_t odd_tops = p.even & rows.top
    if p.wins == 0:
        if target < 0:
            return NOT_PROVEN
        return _bound_of_no_loss(rows, g, p, odd_tops, moves, target)
    tops = odd_tops & ~upwards(rows, g, p.wins & p.odd)
    if target >= 0:
        bound = _bound_of_no_loss(rows, g, p, tops, moves, target)
        if bound != NOT_PROVEN:
            return bound
    elif popcount(tops) & 1 == 0:
        return _paired_bound(rows, g, p, tops, 0, target)
    if popcount(tops) & 1:
        # With one more column, which F wins once its parity is turned, their number is even.
        turned = upwards(rows, g, p.wins & p.even & ~p.first) & rows.top & ~tops
        if target >= 0:
            turned |= odd_tops & ~tops
        while turned:
            top = turned & (~turned + 1)
            turned ^= top
            bound = _paired_bound(rows, g, p, tops | top, 0, target)
            if bound != NOT_PROVEN:
                return bound
    return NOT_PROVEN


cdef inline int moves_to_beat(const Geometry* g, int ply, int target) noexcept nogil:
    """The moves that the side to move has left for a score above the target."""
    return (g.cells + 1 - ply - 2 * target) >> 1
