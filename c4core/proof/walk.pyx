"""Write and read one half of a proof ply by ply, and play by the rules that ended a branch.

The *prover* is the side whose score is bounded from below: it scores at least ``least``. If the prover is
to move, one move is stored. Otherwise either the rule that ends the branch is stored, or a mark that all
replies follow. No key is stored, because the positions of a ply follow from the ply before. The positions of
a ply are in increasing order of their canonical keys.

Writing and reading share one function, which passes one bit after another to the coder, so they cannot
disagree. docs/certificate-format.md specifies the coder, the walk, and the rules with their proofs.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc

from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    canonical_key,
    drop,
    lowest_bit,
    playable_squares,
    popcount,
    split_key,
    winning_squares,
)
from c4core.engine.kernel cimport board_of
from c4core.engine.board cimport Board, upwards
from c4core.engine.board cimport any_four
from c4core.position cimport Position
from c4core.proof.rules cimport (
    NO_FLAT_FOUR,
    RULES,
    STONES,
    Facts,
    find_facts,
    is_settled,
    offsets_from,
    pairing_holds,
    rule_holds,
    sound_moves,
)

import numpy as np

from c4core.notation import check_board, check_narrow
from c4core.errors import CertificateDamagedError, CertificateWrongError

# The coder: the adaptive binary range coder of LZMA, with probabilities of 15 bits. A cell holds the
# probability of a 0 in 1/32768.

cdef enum:
    PRECISION = 15
    RATE = 5
    EVEN = 1 << (PRECISION - 1)     # a cell before its first bit: 0 and 1 are equally likely
    LEAST_RANGE = 1 << 24

cdef inline int _next_byte(Coder* c) noexcept nogil:
    if c.place >= c.size:
        c.failed = True
        return 0
    c.place += 1
    return c.data[c.place - 1]


cdef inline void _put_byte(Coder* c, uint8_t byte) noexcept nogil:
    cdef uint8_t* larger
    if c.place == c.size:
        larger = <uint8_t*>realloc(c.data, 2 * c.size + 1024)
        if larger == NULL:
            c.failed = True
            return
        c.data = larger
        c.size = 2 * c.size + 1024
    c.data[c.place] = byte
    c.place += 1


cdef inline void _shift_low(Coder* c) noexcept nogil:
    """Write the top byte of ``low``, or hold it back while a carry may still change it."""
    cdef uint8_t carry = c.low >> 32
    cdef uint8_t byte = c.held
    if <uint32_t>c.low < <uint32_t>0xFF000000 or carry:
        while c.pending:
            _put_byte(c, byte + carry)
            byte = 0xFF
            c.pending -= 1
        c.held = (c.low >> 24) & 0xFF
    c.pending += 1
    c.low = (c.low & 0x00FFFFFF) << 8


cdef inline void _start_writing(Coder* c) noexcept nogil:
    """Start writing. The struct must be zeroed; the caller frees ``data``."""
    c.range_ = <uint32_t>0xFFFFFFFF
    c.pending = 1


cdef inline void _end_writing(Coder* c) noexcept nogil:
    cdef int i
    for i in range(5):
        _shift_low(c)


cdef inline void _start_reading(Coder* c, const uint8_t* data, size_t size) noexcept nogil:
    cdef int i
    c.reading = True
    c.range_ = <uint32_t>0xFFFFFFFF
    c.data = <uint8_t*>data
    c.size = size
    if _next_byte(c) != 0:
        c.failed = True
    for i in range(4):
        c.code = (c.code << 8) | _next_byte(c)
    if c.code == c.range_:
        c.failed = True     # no writer produces this; from here on the code is below the range


cdef inline bint _all_is_read(const Coder* c) noexcept nogil:
    """Return whether all bytes were read, and a writer would write the same bytes."""
    return not c.failed and c.place == c.size and c.code == 0


cdef inline bint _code_bit(Coder* c, uint16_t* cell, bint bit) noexcept nogil:
    """Write the given bit, or read one; return it."""
    cdef uint32_t bound = (c.range_ >> PRECISION) * cell[0]
    if c.reading:
        bit = c.code >= bound
    if bit:
        if c.reading:
            c.code -= bound
        else:
            c.low += bound
        c.range_ -= bound
        cell[0] -= cell[0] >> RATE
    else:
        c.range_ = bound
        cell[0] += ((1 << PRECISION) - cell[0]) >> RATE
    while c.range_ < LEAST_RANGE:
        c.range_ <<= 8
        if c.reading:
            c.code = (c.code << 8) | _next_byte(c)
        else:
            _shift_low(c)
    return bit


# A half of a proof.

cdef enum:
    FINE = 0
    NO_MOVE
    LOST
    NO_REPLY
    WRONG_RULE

_FAULTS = {
    NO_MOVE: "the side that claims the bound loses at once, or wins too late",
    LOST: "the other side wins at once",
    NO_REPLY: "the board is full and the bound is not reached",
    WRONG_RULE: "the rule that ends it does not hold",
}


@cython.final
cdef class Half:
    """Half(start, *, upper, bound, rules, code=None)\n--\n
    The proof of one bound of a certificate, while it is written or read.

    Args:
        start: the position of the claim; the game is not over.
        upper: whether the score is at most ``bound``; otherwise it is at least ``bound``.
        bound: the bound for the side to move at the start.
        rules: the rules that may end a branch, as a set of bits.
        code: the code to read; None to write a half.

    Attributes:
        least: the score that the proof guarantees to the prover, from the prover's point of view.
    """

    def __cinit__(
        self, Position start not None, *, bint upper, int bound, int rules,
        const uint8_t[::1] code=None,
    ):
        cdef int index
        check_narrow(start.board, "certificates")
        self.start, self.upper, self.bound, self.rules = start, upper, bound, rules
        self.least = -bound if upper else bound
        self.g = start.g
        for index in range(MOVE_CELLS):
            self.moves[index] = EVEN
        for index in range(END_CELLS):
            self.ends[index] = EVEN
        for index in range(RULE_CELLS):
            self.which[index] = EVEN
        if code is None:
            _start_writing(&self.coder)
        else:
            self.code = code
            _start_reading(&self.coder, &code[0] if len(code) else NULL, len(code))

    def __dealloc__(self):
        if not self.coder.reading:
            free(self.coder.data)

    def moves_at(self, int ply):
        """Return whether the prover is to move when ``ply`` stones are on the board."""
        return _moves_at(self, ply)

    def first(self):
        """Return an array with the canonical key of the start; an empty one if the start is settled."""
        cdef Position start = self.start
        if is_settled(
            self.g, start.stones, start.mask, start.ply, _moves_at(self, start.ply), self.least
        ):
            return np.zeros(0, dtype=np.uint64)
        return np.array([start.canonical_key], dtype=np.uint64)

    def write(self, const uint64_t[::1] keys, const uint8_t[::1] values, *, int ply):
        """Write the values of a ply's positions.

        Args:
            keys: canonical keys in increasing order.
            values: for each position a column, or a rule's number, or ``REPLIES``.
            ply: the number of stones on the board.

        Raises:
            CertificateWrongError: a position cannot be part of a proof.
        """
        cdef Py_ssize_t index
        cdef int value
        for index in range(keys.shape[0]):
            value = _value(self, keys[index], ply, values[index])
            if value < 0:
                raise _wrong(NO_MOVE, keys[index], ply)

    def read(self, const uint64_t[::1] keys, *, int ply):
        """Read the values of a ply's positions, in the form of :meth:`write`, as a uint8 array.

        Raises:
            CertificateDamagedError: the code ends before the proof does.
            CertificateWrongError: a position cannot be part of a proof.
        """
        cdef Py_ssize_t index, bad = -1
        cdef int value
        result = np.empty(keys.shape[0], dtype=np.uint8)
        cdef uint8_t[::1] values = result
        with nogil:
            for index in range(keys.shape[0]):
                value = _value(self, keys[index], ply, 0)
                if value < 0 or self.coder.failed:
                    bad = index
                    break
                values[index] = value
        if self.coder.failed:
            raise CertificateDamagedError(f"the code ends before ply {ply} of the proof does")
        if bad >= 0:
            raise _wrong(NO_MOVE, keys[bad], ply)
        return result

    def follow(self, const uint64_t[::1] keys, const uint8_t[::1] values, *, int ply):
        """Check the values of a ply, and find the positions of the next ply.

        Returns:
            The canonical keys of all positions that follow and are not settled, as a sorted uint64 array
            without duplicates.

        Raises:
            CertificateWrongError: a rule does not hold, or the other side avoids the bound.
        """
        cdef Py_ssize_t index, count = 0
        cdef int fault = FINE
        places = np.empty(keys.shape[0] * (1 if _moves_at(self, ply) else self.g.width), dtype=np.uint64)
        cdef uint64_t[::1] children = places
        cdef uint64_t* out = &children[0] if places.size else NULL
        with nogil:
            for index in range(keys.shape[0]):
                if _moves_at(self, ply):
                    out[count] = _moved(self, keys[index], values[index])
                    count += 1
                else:
                    fault = _replies(self, keys[index], values[index], ply, out, &count)
                    if fault != FINE:
                        break
        if fault != FINE:
            raise _wrong(fault, keys[index], ply)
        return np.unique(places[:count])

    def written(self):
        """Finish writing and return the code. Nothing can be written afterwards."""
        _end_writing(&self.coder)
        if self.coder.failed:
            raise MemoryError
        return (<const char*>self.coder.data)[: self.coder.place]

    def is_read(self):
        """Return whether the complete code was read, and :meth:`written` could have returned it."""
        return _all_is_read(&self.coder)


def _wrong(int fault, uint64_t key, int ply):
    return CertificateWrongError(
        f"not a proof: at the position with key {key} and {ply} stones, {_FAULTS[fault]}", key=key, ply=ply
    )


cdef inline bint _moves_at(Half half, int ply) noexcept nogil:
    return (ply - half.start.ply) % 2 == (1 if half.upper else 0)


cdef int _value(Half half, uint64_t key, int ply, int value) noexcept nogil:
    """Write or read the value of a position; -1 if it cannot have one."""
    cdef uint64_t own, mask
    split_key(half.g, key, &own, &mask)
    if _moves_at(half, ply):
        return _move(half, own, mask, ply, value)
    return _end(half, own, mask, ply, value)


cdef int _move(Half half, uint64_t own, uint64_t mask, int ply, int column) noexcept nogil:
    """Write or read the prover's move. The candidates are the sound moves, from the left."""
    cdef const Board* g = half.g
    cdef uint64_t moves = sound_moves(g, own, mask)
    cdef uint64_t before, move, new
    cdef int candidate, kind
    if moves == 0:
        return -1
    before = winning_squares(g, own, mask)
    if before & playable_squares(g, mask):
        return -1
    while moves & (moves - 1):
        move = moves & (~moves + 1)
        moves ^= move
        candidate = lowest_bit(move) // g.stride
        new = winning_squares(g, own | move, mask | move) & ~before
        kind = 0 if new == 0 else 2 if new & playable_squares(g, mask | move) else 1
        if _code_bit(
            &half.coder,
            &half.moves[(ply * MAX_COLUMNS + candidate) * KINDS + kind],
            candidate == column,
        ):
            return candidate
    return lowest_bit(moves) // g.stride


cdef int _end(Half half, uint64_t own, uint64_t mask, int ply, int value) noexcept nogil:
    """Write or read the rule that ends the branch. No rule ends it if the prover has two threats."""
    cdef const Board* g = half.g
    cdef uint64_t threats = winning_squares(g, own ^ mask, mask) & playable_squares(g, mask)
    cdef int rule, last = -1
    if half.rules == 0 or threats & (threats - 1):
        return REPLIES
    if not _code_bit(&half.coder, &half.ends[2 * ply + (threats != 0)], value != REPLIES):
        return REPLIES
    for rule in range(RULES):
        if (half.rules >> rule) & 1:
            last = rule
    for rule in range(last):
        if (half.rules >> rule) & 1 and _code_bit(
            &half.coder, &half.which[ply * RULES + rule], rule == value
        ):
            return rule
    return last


cdef inline uint64_t _moved(Half half, uint64_t key, int column) noexcept nogil:
    """Return the key after the prover's move. The position is not settled: the move does not delay a loss."""
    cdef const Board* g = half.g
    cdef uint64_t own, mask
    split_key(g, key, &own, &mask)
    return canonical_key(g, own ^ mask, mask | (mask + (<uint64_t>1 << (column * g.stride))))


cdef int _replies(
    Half half, uint64_t key, int value, int ply, uint64_t* out, Py_ssize_t* count
) noexcept nogil:
    """Check the rule, or append the positions after all replies to ``out``; return the fault."""
    cdef const Board* g = half.g
    cdef uint64_t own, mask, moves, move
    cdef Facts facts
    split_key(g, key, &own, &mask)
    moves = playable_squares(g, mask)
    if winning_squares(g, own, mask) & moves:
        return LOST
    if value != REPLIES:
        find_facts(half.g, own, mask, &facts)
        return FINE if rule_holds(half.g, &facts, value, ply, -half.least) else WRONG_RULE
    if moves == 0:
        return NO_REPLY
    while moves:
        move = moves & (~moves + 1)
        moves ^= move
        if not is_settled(g, own ^ mask, mask | move, ply + 1, True, half.least):
            out[count[0]] = canonical_key(g, own ^ mask, mask | move)
            count[0] += 1
    return FINE

# Choose a smaller proof. In many positions of a proof, several moves lead to positions of the proof. The
# choice among them decides which positions the proof needs.

cdef enum:
    NOWHERE = -1


cdef Py_ssize_t _find(const uint64_t* keys, Py_ssize_t count, uint64_t key) noexcept nogil:
    """Return the index of a key in a sorted array, or NOWHERE."""
    cdef Py_ssize_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < count and keys[low] == key else NOWHERE


def cheapest(
    Half half not None, const uint64_t[::1] keys, const uint8_t[::1] values,
    const uint64_t[::1] after, const double[::1] costs, *, int ply,
):
    """Return the costs of a ply's positions, with the cheapest moves if the prover is to move.

    A position costs 1, plus the costs of the positions that it needs.

    Args:
        half: the claim.
        keys: the canonical keys of the ply.
        values: the stored values of these positions.
        after: the sorted canonical keys of the next ply.
        costs: the costs of the next ply's positions.
        ply: the number of stones on the board.

    Returns:
        Two arrays: the costs, and the new values.
    """
    cdef const Board* g = half.g
    cdef const uint64_t* next_keys = &after[0] if after.shape[0] else NULL
    cdef bint choosing = half.moves_at(ply)
    cdef Py_ssize_t index, place
    cdef uint64_t own, mask, moves, move
    cdef double cost, least
    cdef int column
    cost_array = np.empty(keys.shape[0], dtype=np.float64)
    value_array = np.array(values, dtype=np.uint8)
    cdef double[::1] out = cost_array
    cdef uint8_t[::1] chosen = value_array
    with nogil:
        for index in range(keys.shape[0]):
            split_key(g, keys[index], &own, &mask)
            cost, least, column = 1, -1, values[index]
            moves = sound_moves(g, own, mask) if choosing else playable_squares(g, mask)
            if not choosing and values[index] != REPLIES:
                moves = 0
            while moves:
                move = moves & (~moves + 1)
                moves ^= move
                if not choosing and is_settled(g, own ^ mask, mask | move, ply + 1, True, half.least):
                    continue
                place = _find(
                    next_keys, after.shape[0], canonical_key(g, own ^ mask, mask | move)
                )
                if place == NOWHERE:
                    continue
                if not choosing:
                    cost += costs[place]
                elif least < 0 or costs[place] < least:
                    least = costs[place]
                    column = lowest_bit(move) // g.stride
            if choosing:
                cost += least
                chosen[index] = column
            out[index] = cost
    return cost_array, value_array

# Play by a rule. A rule ends a branch of a proof because of a strategy. A player of the proof has to follow
# that strategy, but is given only the position. So the rules are used here in a *lasting* form, which the
# prover can keep: after any move of the other side the prover wins, or is safe by the number of stones, or
# has an answer after which the form holds again. As in rules.pxd, M is the side to move and F is the prover.

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

def rules_that_hold(keys, *, width, height, target):
    """Return the rules that bound the scores of many positions; tests compare them with exact scores.

    Args:
        keys: uint64 array of position keys; no game is over.
        target: the bound.

    Returns:
        uint8 array: bit r is set if rule r proves that the side to move scores at most ``target``. If that
        side wins at once, the entry is 0, because no rule applies.

    Raises:
        BoardError: no bitboard holds this size.
    """
    check_narrow(check_board(width, height), "certificates")
    cdef const Board* g = board_of(width, height)
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
