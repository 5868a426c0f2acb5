"""Find a proof: one move for every position where the prover is to move.

A proof is made ply by ply, from its start. In a position several moves may prove the bound, and the sizes of
their proofs can differ by a factor of a thousand. So the moves are tried in rounds. The first round allows
each move a few nodes of search, and every further round twice as many. The first move that succeeds is taken.
The last remaining move is taken without a search, because one of the moves proves the bound.

Some moves are taken before any search: a move to a position that is in the proof already, a move that makes
two threats, or a move to a position that a rule ends.

No other file of c4core/proof uses the engine's search. It calls the kernel's functions ``begin``, ``solve``,
``test`` and ``end`` (engine/kernel.pxd) from ``Prover._begin``, ``score``, ``holds`` and ``_searched``.
"""

cimport cython
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport (
    Board,
    canonical_key,
    lowest_bit,
    playable_squares,
    split_key,
    winning_squares,
)
from c4core.engine.kernel cimport (
    ABORTED,
    NO_LIMIT,
    Bounds,
    Kernel,
    Limits,
    Memory,
    Run,
    game_bounds,
    kernel_of,
    network_of,
)
from c4core.position cimport Position
from c4core.proof.rules cimport first_rule, sound_moves
from c4core.proof.walk cimport REPLIES, Half

import numpy as np

from c4core.errors import ClaimError, ProvingStoppedError
from c4core.notation import BoardSize, check_narrow

cdef enum:
    FIRST_BUDGET = 4        # nodes for each move in the first round
    GROWTH = 2              # factor from one round's budget to the next
    LAST_BUDGET = 1 << 26   # the largest budget; after it the rounds have no limit
    FIRST_SLOTS = 1 << 12

# The positions of the next ply that were found so far: a hash table with linear probing, at most half full.
# No key is 0.
cdef struct KeySet:
    uint64_t* keys
    uint64_t slots      # a power of two
    uint64_t count


cdef inline uint64_t* _place_of(const KeySet* found, uint64_t key) noexcept nogil:
    """Return the slot of the key, or the empty slot where it belongs."""
    cdef uint64_t slot = (key * <uint64_t>0x9E3779B97F4A7C15) >> 20
    while True:
        slot &= found.slots - 1
        if found.keys[slot] == key or found.keys[slot] == 0:
            return found.keys + slot
        slot += 1


cdef bint _add(KeySet* found, uint64_t key) noexcept nogil:
    """Add a key; return False if there is no memory."""
    cdef KeySet larger
    cdef uint64_t slot
    cdef uint64_t* place
    if 2 * found.count >= found.slots:
        larger.slots = max(<uint64_t>FIRST_SLOTS, 2 * found.slots)
        larger.count = found.count
        larger.keys = <uint64_t*>calloc(larger.slots, sizeof(uint64_t))
        if larger.keys == NULL:
            return False
        for slot in range(found.slots):
            if found.keys[slot]:
                _place_of(&larger, found.keys[slot])[0] = found.keys[slot]
        free(found.keys)
        found[0] = larger
    place = _place_of(found, key)
    if place[0] == 0:
        place[0] = key
        found.count += 1
    return True


@cython.final
cdef class Prover:
    """Prover(*, table_mb=64)\n--\n
    A search for proofs. It uses one thread, so that the same claim gives the same proof.

    Attributes:
        searched: the number of nodes of all searches so far.
    """

    cdef readonly int table_mb
    cdef int held_mb            # megabytes of the table now
    cdef Memory* memory
    cdef const Board* g         # the board that the memory is for
    cdef const Kernel* kernel
    cdef uint64_t epoch
    cdef uint64_t nodes

    def __cinit__(self, *, int table_mb=64):
        if not 1 <= table_mb <= 1 << 20:
            raise ValueError(f"table_mb must be between 1 and {1 << 20}, not {table_mb}")
        self.table_mb = self.held_mb = table_mb

    def __dealloc__(self):
        if self.memory != NULL:
            self.kernel.free_memory(self.memory)

    @property
    def searched(self):
        return atomics.load(&self.nodes)

    def stop(self):
        """Stop the running search from another thread: it raises ProvingStoppedError."""
        atomics.add(&self.epoch, 1)

    def forget(self, *, int most_mb=0):
        """Empty the table and the history, so that the next proof does not depend on earlier searches.
        """
        cdef int wanted = min(most_mb, self.table_mb) if most_mb > 0 else self.table_mb
        if wanted != self.held_mb:
            self.g = NULL
            self.held_mb = wanted
        elif self.g != NULL:
            self.kernel.clear_table(self.memory)
            self.kernel.forget(self.memory)

    cdef Run* _begin(self, const Board* g) except NULL:
        """Begin a search; the caller ends it."""
        cdef Limits limits
        cdef Run* run
        if self.g != g:
            check_narrow(BoardSize(g.width, g.height), "certificates")
            if self.memory != NULL:
                self.kernel.free_memory(self.memory)
            self.memory = NULL
            self.g = NULL
            self.kernel = kernel_of(g)
            self.memory = self.kernel.new_memory(g, network_of(g), <size_t>self.held_mb << 20)
            if self.memory == NULL:
                raise MemoryError(f"no memory for a table of {self.held_mb} MB")
            self.g = g
        limits.epoch = &self.epoch
        limits.searched = &self.nodes
        limits.started = atomics.load(&self.epoch)
        limits.timed = False
        limits.deadline = 0
        limits.node_limit = NO_LIMIT
        limits.interrupted = NULL
        run = self.kernel.begin(self.memory, &limits)
        if run == NULL:
            raise MemoryError("no memory for a search")
        return run

    def score(self, Position position not None):
        """Return the exact score of a position for its side to move."""
        cdef Bounds bounds
        cdef Run* run = self._begin(position.g)
        cdef bint stopped
        with nogil:
            self.kernel.solve(run, position.stones, position.mask, &bounds, False)
        stopped = run.stopped
        self.kernel.end(run)
        if stopped:
            raise ProvingStoppedError("the search was stopped")
        return bounds.lower

    def holds(self, Half half not None):
        """Return whether a half's claim is true."""
        cdef Bounds bounds
        cdef Position start = half.start
        cdef int beta = half.bound + 1 if half.upper else half.bound
        cdef Run* run
        cdef bint stopped
        game_bounds(start.g, start.stones, start.mask, &bounds)
        if bounds.lower >= beta:
            return not half.upper
        if bounds.upper < beta:
            return bool(half.upper)
        run = self._begin(start.g)
        with nogil:
            self.kernel.test(run, start.stones, start.mask, &bounds, beta, NO_LIMIT)
        stopped = run.stopped
        self.kernel.end(run)
        if stopped:
            raise ProvingStoppedError("the search was stopped")
        return bounds.upper < beta if half.upper else bounds.lower >= beta

    def moves(self, Half half not None, const uint64_t[::1] keys, *, int ply):
        """Return a move that proves the bound, for each position of a ply where the prover is to move.

        Args:
            half: the claim.
            keys: the canonical keys of the positions; the bound must hold there.
            ply: the number of stones on the board.

        Returns:
            A uint8 array of columns.
        """
        cdef KeySet found
        cdef Py_ssize_t index = 0
        cdef int column = 0
        result = np.empty(keys.shape[0], dtype=np.uint8)
        cdef uint8_t[::1] columns = result
        cdef Run* run = self._begin(half.g)
        memset(&found, 0, sizeof(found))
        try:
            with nogil:
                for index in range(keys.shape[0]):
                    column = _choose(self.kernel, run, half, &found, keys[index], ply)
                    if column < 0:
                        break
                    columns[index] = column
        finally:
            free(found.keys)
            self.kernel.end(run)
        if column == NO_MEMORY:
            raise MemoryError
        if column == STOPPED:
            raise ProvingStoppedError("the search was stopped")
        if column < 0:
            raise ClaimError(f"the bound does not hold at the position with key {keys[index]}")
        return result

    def ends(self, Half half not None, const uint64_t[::1] keys, *, int ply):
        """Return the rule that ends the branch, for each position of a ply where the other side is to move.

        Returns:
            A uint8 array of rules' numbers; ``REPLIES`` if no rule holds.
        """
        cdef Py_ssize_t index
        cdef uint64_t own, mask
        cdef int rule
        result = np.empty(keys.shape[0], dtype=np.uint8)
        cdef uint8_t[::1] rules = result
        with nogil:
            for index in range(keys.shape[0]):
                split_key(half.g, keys[index], &own, &mask)
                rule = -1
                if not _two_threats(half.g, own, mask):
                    rule = first_rule(half.g, own, mask, ply, -half.least, half.rules)
                rules[index] = REPLIES if rule < 0 else rule
        return result


cdef enum:
    REFUTED = -1
    STOPPED = -2
    NO_MEMORY = -3


cdef inline bint _two_threats(const Board* g, uint64_t own, uint64_t mask) noexcept nogil:
    """Return whether the side to move faces two threats at once."""
    cdef uint64_t threats = winning_squares(g, own ^ mask, mask) & playable_squares(g, mask)
    return threats & (threats - 1) != 0


cdef int _choose(
    const Kernel* kernel, Run* run, Half half, KeySet* found, uint64_t key, int ply
) noexcept nogil:
    """Return a column that proves the bound, or a fault. The position after it is added to ``found``."""
    cdef const Board* g = half.g
    cdef uint64_t own, mask, opp, moves, left, move, chosen = 0
    split_key(g, key, &own, &mask)
    opp = own ^ mask
    moves = sound_moves(g, own, mask)
    if moves == 0:
        return REFUTED
    if found.count:
        left = moves
        while left and chosen == 0:
            move = left & (~left + 1)
            left ^= move
            if _place_of(found, canonical_key(g, opp, mask | move))[0]:
                chosen = move
    left = moves
    while left and chosen == 0:
        move = left & (~left + 1)
        left ^= move
        if (g.cells - 1 - ply) >> 1 >= half.least and _two_threats(g, opp, mask | move):
            chosen = move
    left = moves
    while left and chosen == 0:
        move = left & (~left + 1)
        left ^= move
        if (
            winning_squares(g, opp, mask | move) & playable_squares(g, mask | move) == 0
            and first_rule(half.g, opp, mask | move, ply + 1, -half.least, half.rules) >= 0
        ):
            chosen = move
    if chosen == 0:
        chosen = _searched(kernel, run, half, opp, mask, moves, ply)
        if chosen == 0:
            return STOPPED if run.stopped else REFUTED
    if not _add(found, canonical_key(g, opp, mask | chosen)):
        return NO_MEMORY
    return lowest_bit(chosen) // g.stride


cdef uint64_t _searched(
    const Kernel* kernel, Run* run, Half half, uint64_t opp, uint64_t mask, uint64_t moves, int ply
) noexcept nogil:
    """Return a move that a search of few nodes proves; 0 if no move is proven or the search was stopped."""
    cdef uint64_t left, move, budget = FIRST_BUDGET
    cdef Bounds bounds
    cdef int found
    while moves & (moves - 1):
        left = moves
        while left and moves & (moves - 1):
            move = left & (~left + 1)
            left ^= move
            game_bounds(half.g, opp, mask | move, &bounds)
            found = kernel.test(
                run, opp, mask | move, &bounds, 1 - half.least,
                NO_LIMIT if budget > LAST_BUDGET else budget,
            )
            if run.stopped:
                return 0
            if found == 0:
                return move
            if found != ABORTED:
                moves ^= move
        budget *= GROWTH
    return moves
