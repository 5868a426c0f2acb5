"""One half of a proof, ply by ply: which positions it has, what is stored of them, what follows.

The *prover* is the side whose score is bounded from below: it scores at least ``least``. Of a position
where it is to move one move is stored; of any other the rule that ends the branch, or that all replies
follow. The positions of a ply are known from the ply before, so no key is stored: they are taken in
increasing order of their canonical keys.

Writing and reading are the same code. It asks the coder for one bit after the other.
docs/certificate-format.md describes what this file does.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.stdlib cimport free

from c4core.board cimport (
    MAX_COLUMNS,
    Geometry,
    canonical_key,
    lowest_bit,
    playable_squares,
    split_key,
    winning_squares,
)
from c4core.bounds cimport rows_of
from c4core.proof.coder cimport (
    HALF,
    Coder,
    code_bit,
    end_writing,
    is_read,
    start_reading,
    start_writing,
)
from c4core.proof.rules cimport RULES, Facts, find_facts, is_settled, rule_holds, sound_moves
from c4core.position cimport Position

import numpy as np

from c4core.proof.errors import CertificateDamagedError, CertificateWrongError

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
    One bound of a certificate, while it is written or read.

    Args:
        start: the position that the claim is about; its game goes on.
        upper: the score is at most ``bound``, else at least.
        bound: for the side to move at the start.
        rules: the rules that may end a branch, as a set of bits.
        code: what was written; without it this half writes.

    Attributes:
        least: what the prover claims to score, from its own side.
    """

    def __cinit__(
        self, Position start not None, *, bint upper, int bound, int rules,
        const uint8_t[::1] code=None,
    ):
        cdef int index
        self.start, self.upper, self.bound, self.rules = start, upper, bound, rules
        self.least = -bound if upper else bound
        self.g = start.g
        self.rows = rows_of(start.g)
        for index in range(MOVE_CELLS):
            self.moves[index] = HALF
        for index in range(END_CELLS):
            self.ends[index] = HALF
        for index in range(RULE_CELLS):
            self.which[index] = HALF
        if code is None:
            start_writing(&self.coder)
        else:
            self.code = code
            start_reading(&self.coder, &code[0] if len(code) else NULL, len(code))

    def __dealloc__(self):
        if not self.coder.reading:
            free(self.coder.data)

    def moves_at(self, int ply):
        """Whether the prover is to move with so many stones on the board."""
        return _moves_at(self, ply)

    def first(self):
        """The key of the start, as an array; empty where one look at it is enough."""
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
            values: for each a column, or a rule's number, or ``REPLIES``.
            ply: stones on the board.

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
        """The values of a ply's positions, as :meth:`write` takes them, in a uint8 array.

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
        """Check the values of a ply, and find the positions of the next.

        Args:
            keys: canonical keys of the ply's positions.
            values: what is stored of them.
            ply: stones on the board.

        Returns:
            The canonical keys of all positions that follow and are not settled by one look, as a sorted
            uint64 array without duplicates.

        Raises:
            CertificateWrongError: a rule does not hold, or the other side escapes.
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
        """What was written, as bytes. Nothing can be written afterwards."""
        end_writing(&self.coder)
        if self.coder.failed:
            raise MemoryError
        return (<const char*>self.coder.data)[: self.coder.place]

    def is_read(self):
        """Whether everything was read, and is what :meth:`written` returns."""
        return is_read(&self.coder)


def _wrong(int fault, uint64_t key, int ply):
    return CertificateWrongError(
        f"no proof: at the position with key {key} and {ply} stones {_FAULTS[fault]}", key=key, ply=ply
    )


cdef inline bint _moves_at(Half half, int ply) noexcept nogil:
    return (ply - half.start.ply) % 2 == (1 if half.upper else 0)


cdef int _value(Half half, uint64_t key, int ply, int value) noexcept nogil:
    """Write or read what is stored of a position; -1 where nothing can be."""
    cdef uint64_t own, mask
    split_key(half.g, key, &own, &mask)
    if _moves_at(half, ply):
        return _move(half, own, mask, ply, value)
    return _end(half, own, mask, ply, value)


cdef int _move(Half half, uint64_t own, uint64_t mask, int ply, int column) noexcept nogil:
    """Write or read the prover's move, of those that do not lose at once, from the left."""
    cdef const Geometry* g = half.g
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
        if code_bit(
            &half.coder,
            &half.moves[(ply * MAX_COLUMNS + candidate) * KINDS + kind],
            candidate == column,
        ):
            return candidate
    return lowest_bit(moves) // g.stride


cdef int _end(Half half, uint64_t own, uint64_t mask, int ply, int value) noexcept nogil:
    """Write or read which rule ends the branch. None does where the prover has two threats."""
    cdef const Geometry* g = half.g
    cdef uint64_t threats = winning_squares(g, own ^ mask, mask) & playable_squares(g, mask)
    cdef int rule, last = -1
    if half.rules == 0 or threats & (threats - 1):
        return REPLIES
    if not code_bit(&half.coder, &half.ends[2 * ply + (threats != 0)], value != REPLIES):
        return REPLIES
    for rule in range(RULES):
        if (half.rules >> rule) & 1:
            last = rule
    for rule in range(last):
        if (half.rules >> rule) & 1 and code_bit(
            &half.coder, &half.which[ply * RULES + rule], rule == value
        ):
            return rule
    return last


cdef inline uint64_t _moved(Half half, uint64_t key, int column) noexcept nogil:
    """The position after the prover's move. It never settles anything: no loss becomes later by it."""
    cdef const Geometry* g = half.g
    cdef uint64_t own, mask
    split_key(g, key, &own, &mask)
    return canonical_key(g, own ^ mask, mask | (mask + (<uint64_t>1 << (column * g.stride))))


cdef int _replies(
    Half half, uint64_t key, int value, int ply, uint64_t* out, Py_ssize_t* count
) noexcept nogil:
    """Check the rule, or put the positions after all replies to the others."""
    cdef const Geometry* g = half.g
    cdef uint64_t own, mask, moves, move
    cdef Facts facts
    split_key(g, key, &own, &mask)
    moves = playable_squares(g, mask)
    if winning_squares(g, own, mask) & moves:
        return LOST
    if value != REPLIES:
        find_facts(half.rows, g, own, mask, &facts)
        return FINE if rule_holds(half.rows, g, &facts, value, ply, -half.least) else WRONG_RULE
    if moves == 0:
        return NO_REPLY
    while moves:
        move = moves & (~moves + 1)
        moves ^= move
        if not is_settled(g, own ^ mask, mask | move, ply + 1, True, half.least):
            out[count[0]] = canonical_key(g, own ^ mask, mask | move)
            count[0] += 1
    return FINE
