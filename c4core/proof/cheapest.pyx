"""Choose a smaller proof.

In many positions of a proof, several moves lead to positions of the proof. The choice among them decides
which positions the proof needs.
"""

from libc.stdint cimport uint8_t, uint64_t

from c4core.engine.board cimport Board, canonical_key, lowest_bit, playable_squares, split_key
from c4core.proof.rules cimport is_settled, sound_moves
from c4core.proof.walk cimport REPLIES, Half

import numpy as np

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
