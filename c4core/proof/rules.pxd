"""The rules that end a branch of a proof; docs/certificate-format.md states and proves them.

The rules belong to the version of the file format and never change within it. The search has static bounds
of its own (c4core/engine/bounds.pxi). They began as the same rules and may improve at any time. So the
duplication is deliberate: a rule here must not be replaced by its counterpart there.
"""

from libc.stdint cimport uint64_t

from c4core.engine.board cimport (
    Board,
    any_four,
    even_offsets,
    playable_squares,
    popcount,
    upwards,
    winning_squares,
)

# The numbers of the rules in the file. The rules are tried in this order.
cdef enum:
    STONES = 0
    FOLLOW_UP = 1
    TURN = 2
    HORIZON = 3
    ODD_COLUMN = 4
    NO_FLAT_FOUR = 5
    RULES = 6

# Facts about a position for the rules. M is the side to move and cannot win at once; F is its opponent.
cdef struct Facts:
    uint64_t own        # stones of M
    uint64_t first      # first empty square of every column (the guard bit if it is full)
    uint64_t empty      # all empty squares
    uint64_t even       # empty squares at an even offset above the first of their column
    uint64_t odd        # empty squares at an odd offset
    uint64_t wins       # winning squares of F
    uint64_t odd_tops   # tops of the columns with an odd number of empty squares
    uint64_t tops       # odd_tops of the columns without a winning square of F at an odd offset


cdef inline void find_facts(
    const Board* g, uint64_t own, uint64_t mask, Facts* facts
) noexcept nogil:
    facts.own = own
    facts.first = mask + g.bottom
    facts.empty = g.squares & ~mask
    facts.even = even_offsets(g, mask)
    facts.odd = facts.empty & ~facts.even
    facts.wins = winning_squares(g, own ^ mask, mask)
    facts.odd_tops = facts.even & g.top
    facts.tops = facts.odd_tops & ~upwards(g, facts.wins & facts.odd)


cdef inline uint64_t offsets_from(
    const Board* g, uint64_t empty, int offset
) noexcept nogil:
    """Return the empty squares whose offset is at least ``offset``."""
    if offset >= g.height:
        return 0
    if offset <= 0:
        return empty
    return empty & ((empty & g.low[g.height - offset]) << offset)


cdef inline bint pairs_hold(const Board* g, uint64_t stones, uint64_t bottoms) noexcept nogil:
    """Return whether F can pair the bottom squares so that M gets no four from one square of each pair."""
    cdef uint64_t a, b, c, d
    cdef bint ab, ac, ad, bc, bd, cd
    if not any_four(&g.steps, stones | bottoms):
        return True
    if bottoms == 0:
        return False
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
    # Four columns: F chooses one of three pairings, then M one bottom square of each pair.
    ab = any_four(&g.steps, stones | a | b)
    cd = any_four(&g.steps, stones | c | d)
    ac = any_four(&g.steps, stones | a | c)
    bd = any_four(&g.steps, stones | b | d)
    if not (ab or cd or ac or bd):
        return True
    ad = any_four(&g.steps, stones | a | d)
    bc = any_four(&g.steps, stones | b | c)
    return not (ad or bc or ((ab or cd) and (ac or bd)))


cdef inline bint pairing_holds(
    const Board* g, const Facts* facts, uint64_t tops, uint64_t far, int target
) noexcept nogil:
    """Return whether follow-up works with the columns of these tops paired; their number is even.

    M cannot use the ``far`` squares in time.
    """
    cdef uint64_t paired = (tops >> (g.height - 1)) * g.column
    cdef uint64_t bottoms = facts.first & paired
    cdef uint64_t ours = (facts.even & ~paired) | (facts.odd & paired)
    cdef uint64_t sealed = upwards(
        g, facts.wins & ((facts.odd & ~paired) | (facts.even & paired & ~bottoms))
    )
    if -((popcount(sealed) + popcount(sealed & g.top)) >> 1) > target:
        return False
    return pairs_hold(g, facts.own | (ours & ~sealed & ~far), bottoms)


cdef inline bint turn_holds(
    const Board* g, const Facts* facts, int target
) noexcept nogil:
    cdef uint64_t top, turned
    if popcount(facts.tops) & 1 == 0:
        return False
    turned = upwards(g, facts.wins & facts.even & ~facts.first) & g.top & ~facts.tops
    if target >= 0:
        turned |= facts.odd_tops & ~facts.tops
    while turned:
        top = turned & (~turned + 1)
        turned ^= top
        if pairing_holds(g, facts, facts.tops | top, 0, target):
            return True
    return False


cdef inline bint rule_holds(
    const Board* g, const Facts* facts, int rule, int ply, int target
) noexcept nogil:
    """Return whether the rule proves that M, with ``ply`` stones on the board, scores at most ``target``."""
    cdef int moves = (g.cells + 1 - ply - 2 * target) >> 1
    cdef uint64_t relevant, column, sealed
    if rule == STONES:
        return target >= 0 and (g.cells - 1 - ply) >> 1 <= target
    if rule == FOLLOW_UP:
        return popcount(facts.tops) & 1 == 0 and pairing_holds(g, facts, facts.tops, 0, target)
    if rule == TURN:
        return turn_holds(g, facts, target)
    if target < 0:
        return False
    if rule == NO_FLAT_FOUR:
        return not any_four(&g.flat, facts.own | facts.empty)
    relevant = facts.tops & ~offsets_from(g, facts.empty, 2 * moves - 3)
    if rule == HORIZON:
        return popcount(relevant) & 1 == 0 and pairing_holds(
            g, facts, relevant, offsets_from(g, facts.empty, 2 * moves - 1), target
        )
    if rule == ODD_COLUMN and relevant != 0 and relevant & (relevant - 1) == 0:
        column = (relevant >> (g.height - 1)) * g.column
        sealed = upwards(g, facts.wins & facts.odd)
        return not any_four(
            &g.flat,
            facts.own
            | (facts.empty & ~column & ~(facts.even & sealed))
            | (facts.even & column),
        )
    return False


cdef inline int first_rule(
    const Board* g, uint64_t own, uint64_t mask, int ply, int target, int allowed
) noexcept nogil:
    """Return the first of the allowed rules (a set of bits) that holds, or -1."""
    cdef Facts facts
    cdef int rule
    find_facts(g, own, mask, &facts)
    for rule in range(RULES):
        if (allowed >> rule) & 1 and rule_holds(g, &facts, rule, ply, target):
            return rule
    return -1


cdef inline bint is_settled(
    const Board* g, uint64_t own, uint64_t mask, int ply, bint provers_move, int least
) noexcept nogil:
    """Return whether the position is settled: the prover scores at least ``least`` without further proof.

    The game must not be over. The position is settled if the prover wins at once and early enough, or if
    every loss comes too late to matter.
    """
    if -((g.cells + (0 if provers_move else 1) - ply) >> 1) >= least:
        return True
    return (
        provers_move
        and (g.cells + 1 - ply) >> 1 >= least
        and winning_squares(g, own, mask) & playable_squares(g, mask) != 0
    )


cdef inline uint64_t sound_moves(const Board* g, uint64_t own, uint64_t mask) noexcept nogil:
    """Return the squares where the side to move does not lose at once. It must have no win at once."""
    cdef uint64_t theirs = winning_squares(g, own ^ mask, mask)
    cdef uint64_t playable = playable_squares(g, mask)
    cdef uint64_t threats = playable & theirs
    playable &= ~(theirs >> 1)
    if threats == 0:
        return playable
    return playable & threats if threats & (threats - 1) == 0 else 0
