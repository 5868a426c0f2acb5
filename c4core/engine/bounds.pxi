# Static bounds: "the side to move cannot score more than a", proven by parity, without search.
#
# M is the side to move, F (the follower) its opponent. M has no immediate win. An empty square's
# *offset* is its height above the first empty square of its column: 0 can be played now. On 7x6, with
# two stones in the first column and none in the next two::
#
#     . . .        3 5 5        row 5 (top)
#     . . .        2 4 4
#     . . .        1 3 3
#     . . .        0 2 2        offsets
#     x . .        x 1 1
#     o . .        o 0 0        row 0
#
# Every bound gives F a rule for answering each move of M, and lists a superset of the squares that M can
# ever get under that rule. If M's stones and these squares contain no four, M cannot win: the score is at
# most 0. F's own fours only help F, and an immediate threat of F only leaves M fewer moves.
#
# **Follow-up.** F answers in the same column, on top. Then M gets only squares of even offset, and F only
# squares of odd offset. Let T be the winning squares of F at odd offsets. M can play the square under a T
# only to lose (or to win with it), so M gets nothing at or above the lowest T of a column: the column is
# *sealed*. The rule works if every column without a T has an even number of empty squares; a column with a
# T may have any number. If there is a T, F even wins: when all other squares are full, M must play under a
# T. Then the empty squares are in the sealed columns, from the square under T up, except for the last two
# stones played there. With s squares from the lowest T's upwards and c sealed columns, at least s + c - 2
# squares are empty, and F's win scores at least (2 + s + c - 2) // 2 = (s + c) // 2. If F wins earlier,
# more squares are empty.
#
# **Pairing.** Columns without a T and with an odd number of empty squares are paired. When M takes the
# bottom (offset 0) of one, F takes the bottom of the other; above the bottoms F follows up. M gets one
# bottom of each pair, and odd offsets. F gets even offsets from 2 on, so in these columns F's threats count
# at even offsets. Every move of M still has an answer, so the argument holds. F chooses the pairing, M the
# bottoms.
#
# **Turning a column.** If the number of odd columns is itself odd, F pairs one of them with a column whose
# own parity does not matter: a column with a winning square of F at an even offset >= 2. The pairing turns
# that column, so it is sealed there, and F wins as above. For a draw, F may also choose a column with an
# odd number of empty squares and a T: F gives up the T for the parity.
#
# **Horizon** (a >= 0). To score more than a, M must win with one of its next J moves,
# J = (cells + 1 - n - 2a) // 2 with n stones on the board. An even offset o takes M o / 2 + 1 moves, so
# offsets above 2 (J - 1) do not count. M gains from the top of an odd column (F has no answer there) only
# if a move is left after it. So a top above 2 (J - 2) does not matter either: its column counts as even.
#
# **One odd column z** (a >= 0). F follows up. When M takes the top of z, F opens another column and follows
# up there, too; columns sealed by a T come last. In z M gets only even offsets. M never gets two new
# squares one above the other, and a vertical four needs two, because M has no immediate win. Above a T in
# another column M gets only odd offsets: F must have opened that column, M must have blocked T, and F
# continues from there. Take M's stones, the even offsets of z, and all other empty squares except the even
# offsets above a T. If they contain no flat (not vertical) four, the score is at most 0.
#
# **No flat four** (a >= 0). If M's stones and all empty squares contain no flat four, F answers every
# vertical three on top, and the score is at most 0.
#
# tests/property/test_solver_bounds.py compares every bound with exhaustive values of small boards. The format
# of certificates has a copy of these rules (c4core/proof/rules.pxd). Leave the copy unchanged when you add
# rules here.

cdef enum:
    NOT_PROVEN = 127        # in place of a bound, in rules and table; above every score


# The input of the bounds. M is the side to move, F its opponent.
cdef struct Parity:
    word_t own        # stones of M
    word_t first      # first empty square of every column (the guard bit if it is full)
    word_t even       # empty squares at an even offset above the first
    word_t odd        # empty squares at an odd offset
    word_t wins       # winning squares of F


cdef inline bint _pairs_hold(const Board* g, word_t stones, word_t bottoms) noexcept nogil:
    """Return whether F can pair the bottoms so that M, who gets one of each pair, has no four."""
    cdef word_t a, b, c, d
    cdef bint ab, ac, ad, bc, bd, cd
    # This decides three of four cases: the squares that M gets anyway contain a four.
    if any_four(&g.steps, stones):
        return False
    if bottoms == 0 or not any_four(&g.steps, stones | bottoms):
        return True
    a = bottoms & (~bottoms + 1)
    bottoms ^= a
    b = bottoms & (~bottoms + 1)
    bottoms ^= b
    if bottoms == 0:
        return not any_four(&g.steps, stones | a) and not any_four(&g.steps, stones | b)
    c = bottoms & (~bottoms + 1)
    d = bottoms ^ c
    if d & (d - 1):
        return False
    # Four columns: F chooses one of three pairings, M one bottom of each pair.
    ab = any_four(&g.steps, stones | a | b)
    cd = any_four(&g.steps, stones | c | d)
    ac = any_four(&g.steps, stones | a | c)
    bd = any_four(&g.steps, stones | b | d)
    if not (ab or cd or ac or bd):
        return True
    ad = any_four(&g.steps, stones | a | d)
    bc = any_four(&g.steps, stones | b | c)
    return not (ad or bc or ((ab or cd) and (ac or bd)))


cdef inline int _paired_bound(
    const Board* g, const Parity* p, word_t tops, word_t far, int target
) noexcept nogil:
    """Return the bound by pairing the columns with the given tops and by follow-up in all others.

    The number of tops is even. M cannot use the ``far`` squares in time to beat the target. The result is
    NOT_PROVEN if the bound is above the target or does not hold.
    """
    cdef word_t paired = whole_columns(g, tops)
    cdef word_t bottoms = p.first & paired
    cdef word_t ours = (p.even & ~paired) | (p.odd & paired)
    cdef word_t theirs = p.wins & ((p.odd & ~paired) | (p.even & paired & ~bottoms))
    cdef word_t sealed
    cdef int bound = 0
    if theirs:
        # At the end, sealed columns are empty from the square under T up, except for two stones.
        sealed = upwards(g, theirs)
        bound = -((popcount(sealed) + popcount(sealed & g.top)) >> 1)
        ours &= ~sealed
    if bound > target:
        return NOT_PROVEN
    if _pairs_hold(g, p.own | (ours & ~far), bottoms):
        return bound
    return NOT_PROVEN


cdef inline word_t _from_offset(
    const Board* g, word_t empty, int offset
) noexcept nogil:
    """Return the empty squares whose offset is at least ``offset``."""
    if offset >= g.height:
        return 0
    if offset <= 0:
        return empty
    return empty & shift_up(empty & <word_t>g.low[g.height - offset], offset)


cdef inline int _bound_of_no_loss(
    const Board* g, const Parity* p, word_t tops, int moves, int target
) noexcept nogil:
    """Return the bound for a target of 0 or more, which M has to beat with the given number of moves."""
    cdef word_t empty = p.even | p.odd
    cdef word_t far = _from_offset(g, empty, 2 * moves - 1)
    cdef word_t relevant = tops & ~_from_offset(g, empty, 2 * moves - 3)
    cdef word_t column, sealed
    cdef int bound
    if popcount(relevant) & 1 == 0:
        bound = _paired_bound(g, p, relevant, far, target)
        if bound == NOT_PROVEN or (far == 0 and relevant == tops):
            return bound
        return target
    if relevant & (relevant - 1) == 0:
        column = whole_columns(g, relevant)
        sealed = upwards(g, p.wins & p.odd)
        if not any_four(&g.flat, p.own | (empty & ~column & ~(p.even & sealed)) | (p.even & column)):
            return 0 if relevant == tops else target
    elif not any_four(&g.flat, p.own | empty):
        return 0
    return NOT_PROVEN


cdef inline int upper_bound(
    const Board* g, const Parity* p, int moves, int target
) noexcept nogil:
    """Return a proven upper bound on the score of the side to move, or NOT_PROVEN.

    Contract: the result is NOT_PROVEN, or the result is at most ``target`` and the score is at most the
    result. The side to move must have no immediate win; it has ``moves`` left (see ``moves_to_beat``).
    """
    cdef word_t tops, turned, top
    cdef int bound
    # Columns with an odd number of empty squares and no threat at an odd offset.
    cdef word_t odd_tops = p.even & g.top
    if p.wins == 0:
        if target < 0:
            return NOT_PROVEN
        return _bound_of_no_loss(g, p, odd_tops, moves, target)
    tops = odd_tops & ~upwards(g, p.wins & p.odd)
    if target >= 0:
        bound = _bound_of_no_loss(g, p, tops, moves, target)
        if bound != NOT_PROVEN:
            return bound
    elif popcount(tops) & 1 == 0:
        return _paired_bound(g, p, tops, 0, target)
    if popcount(tops) & 1:
        # One more column, in which F wins once its parity is turned, makes their number even.
        turned = upwards(g, p.wins & p.even & ~p.first) & g.top & ~tops
        if target >= 0:
            turned |= odd_tops & ~tops
        while turned:
            top = turned & (~turned + 1)
            turned ^= top
            bound = _paired_bound(g, p, tops | top, 0, target)
            if bound != NOT_PROVEN:
                return bound
    return NOT_PROVEN


cdef inline int moves_to_beat(const Board* g, int ply, int target) noexcept nogil:
    """Return the number of moves that the side to move has left for a score above the target."""
    return (g.cells + 1 - ply - 2 * target) >> 1
