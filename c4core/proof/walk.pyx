"""Write and read one half of a proof ply by ply.

The *prover* is the side whose score is bounded from below: it scores at least ``least``. If the prover is
to move, one move is stored. Otherwise either the rule that ends the branch is stored, or a mark that all
replies follow. No key is stored, because the positions of a ply follow from the ply before. The positions of
a ply are in increasing order of their canonical keys.

Writing and reading share one function, which passes one bit after another to the coder, so they cannot
disagree. docs/certificate-format.md specifies the walk.
"""

cimport cython
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free

from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    canonical_key,
    lowest_bit,
    playable_squares,
    split_key,
    winning_squares,
)
from c4core.position cimport Position
from c4core.proof.coder cimport (
    EVEN,
    all_is_read,
    code_bit,
    end_writing,
    start_reading,
    start_writing,
)
from c4core.proof.rules cimport RULES, Facts, find_facts, is_settled, rule_holds, sound_moves

import numpy as np

from c4core.notation import check_narrow
from c4core.errors import CertificateDamagedError, CertificateWrongError

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
            start_writing(&self.coder)
        else:
            self.code = code
            start_reading(&self.coder, &code[0] if len(code) else NULL, len(code))

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
        """
        cdef Py_ssize_t index
        cdef int value
        for index in range(keys.shape[0]):
            value = _value(self, keys[index], ply, values[index])
            if value < 0:
                raise _wrong(NO_MOVE, keys[index], ply)

    def read(self, const uint64_t[::1] keys, *, int ply):
        """Read the values of a ply's positions, in the form of :meth:`write`, as a uint8 array."""
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
        end_writing(&self.coder)
        if self.coder.failed:
            raise MemoryError
        return (<const char*>self.coder.data)[: self.coder.place]

    def is_read(self):
        """Return whether the complete code was read, and :meth:`written` could have returned it."""
        return all_is_read(&self.coder)


def _wrong(int fault, uint64_t key, int ply):
    return CertificateWrongError(
        f"not a proof: at the position with key {key} and {ply} stones, {_FAULTS[fault]}"
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
        if code_bit(
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
