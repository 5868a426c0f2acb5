"""One level of an operation on diagrams: from the states before a bit to those after it.

A *diagram* is a set of words of bits, as an automaton with a level for each bit: a node of a level has
two arcs to nodes of the next one, for the bit 0 and the bit 1. Arc 0 leads to nothing. A level is an
array of rows, one a node, of the two arcs; row 0 is nothing itself:

    level    (nodes + 1, 2)  uint32      row 0: 0 0;  row n: arcs of node n

After the last bit there is one node, 1, "the word is in the set". docs/counting.md has the code of a
position as a word: a column is read from the top down,

    0 .. 0  1  s .. s         squares that are empty, a guard, stones (1: the first player's)

An operation goes twice over the levels: down, with a table of the different states at every level
(``*_level`` functions; a state is a key of keys.pxd, its number stands for it), then up, where states
with equal arcs become one node (``reduce_level``).
"""

import numpy as np

from libc.stdint cimport uint32_t, uint64_t

from c4core.engine.atomics cimport prefetch
from c4core.counting.keys cimport MAX_STRIDE, KeyTable

# The second word of a state of ``move_level`` and the first of one of ``lines_level``: no guard has
# been read in this column yet.
cdef enum:
    ABOVE_GUARD = 0x7FFFFFFF

START_OF_COLUMN = ABOVE_GUARD

# The nodes of so many states ahead are fetched from memory.
cdef enum:
    AHEAD = 16


cdef object _arcs(KeyTable states):
    arcs = np.empty((states.count + 1, 2), dtype=np.uint32)
    arcs[0] = 0
    return arcs


cdef inline void _fetch(
    const uint32_t[:, ::1] level, const uint32_t* state, Py_ssize_t stride
) noexcept nogil:
    """Begin to fetch the nodes of a state of ``move_level``."""
    cdef Py_ssize_t word
    prefetch(&level[state[0], 0])
    for word in range(2, stride):
        if state[word] == 0:
            break
        prefetch(&level[state[word], 0])


cdef inline Py_ssize_t _insert(uint32_t* nodes, Py_ssize_t count, uint32_t node) noexcept nogil:
    """Put a node into a falling list without repeats; returns the list's new length."""
    cdef Py_ssize_t place = count, index
    if node == 0:
        return count
    while place > 0 and nodes[place - 1] < node:
        place -= 1
    if place > 0 and nodes[place - 1] == node:
        return count
    for index in range(count, place, -1):
        nodes[index] = nodes[index - 1]
    nodes[place] = node
    return count + 1


def move_level(
    KeyTable states not None,
    const uint32_t[:, ::1] level not None,
    const uint32_t[:, ::1] below,
    KeyTable following,
    *,
    int bit,
    bint mover,
    bint last_column,
):
    """Read a bit of the positions after a move.

    A state is ``rest, top, moved ..``: the node of the set before the move that the word has led to if no
    column has been moved in so far; the node that it leads to if the mover's stone comes next, the
    top one of this column; and the nodes that it may have led to with a move in some column before.

    Args:
        states: the states before the bit.
        level: the set's level of this bit.
        below: its next level; None in the last one.
        following: gets the states after the bit; None after the last bit.
        bit: the bit's number in its column, 0 for the last one.
        mover: whether the first player moves.
        last_column: whether no column comes after this one.

    Returns:
        The arcs of the states, an array like a level.
    """
    cdef uint32_t[MAX_STRIDE] end_key
    cdef uint32_t* key = end_key
    cdef Py_ssize_t stride = states.stride, index, word, count, wide
    cdef uint32_t rest, top
    cdef const uint32_t* state
    cdef int value
    cdef bint above
    arcs = _arcs(states)
    cdef uint32_t[:, ::1] arcs_view = arcs
    wide = following.stride if following is not None else MAX_STRIDE
    with nogil:
        for index in range(states.count):
            state = states.words_at + index * stride
            if index + AHEAD < states.count:
                _fetch(level, state + AHEAD * stride, stride)
            above = state[1] == ABOVE_GUARD
            for value in range(2):
                arcs_view[index + 1, value] = 0
                if above and value == 0 and bit == 0:
                    continue
                rest, top = level[state[0], value], 0
                if above and value == 0:
                    top = ABOVE_GUARD
                elif above and bit > 0:
                    top = below[level[state[0], 0], 1]
                if last_column and top != ABOVE_GUARD:
                    rest = 0
                if following is not None:
                    key = following.next_key()
                count = 0
                if not above and value == mover:
                    count = _insert(key + 2, count, state[1])
                for word in range(2, stride):
                    if state[word] == 0:
                        break
                    count = _insert(key + 2, count, level[state[word], value])
                if rest == 0 and count == 0 and (top == 0 or top == ABOVE_GUARD):
                    continue
                if following is None:
                    arcs_view[index + 1, value] = count > 0
                    continue
                key[0] = rest
                key[1] = ABOVE_GUARD if bit == 0 else top
                for word in range(2 + count, wide):
                    key[word] = 0
                following.ask(&arcs_view[index + 1, value])
        if following is not None:
            following.answer()
    return arcs


def meet_level(
    KeyTable states not None,
    const uint32_t[:, ::1] one not None,
    const uint32_t[:, ::1] other not None,
    KeyTable following,
):
    """Read a bit of the words that are in two sets: a state is a node of each.

    Args:
        states: the states before the bit.
        one: the level of one set.
        other: that of the other one.
        following: gets the states after the bit; None after the last bit.

    Returns:
        The arcs of the states, an array like a level.
    """
    cdef uint32_t* key
    cdef uint32_t node, other_node
    cdef Py_ssize_t index
    cdef const uint32_t* state
    cdef int value
    arcs = _arcs(states)
    cdef uint32_t[:, ::1] arcs_view = arcs
    with nogil:
        for index in range(states.count):
            state = states.words_at + 2 * index
            if index + AHEAD < states.count:
                prefetch(&one[state[2 * AHEAD], 0])
                prefetch(&other[state[2 * AHEAD + 1], 0])
            for value in range(2):
                node, other_node = one[state[0], value], other[state[1], value]
                arcs_view[index + 1, value] = node != 0 and other_node != 0
                if node and other_node and following is not None:
                    key = following.next_key()
                    key[0], key[1] = node, other_node
                    following.ask(&arcs_view[index + 1, value])
        if following is not None:
            following.answer()
    return arcs


def lines_level(
    KeyTable states not None,
    KeyTable following,
    const uint32_t[::1] through not None,
    const uint32_t[::1] first not None,
    const uint32_t[::1] last not None,
    *,
    int bit,
    bint side,
):
    """Read a bit of the positions where a side has no four.

    A state is ``top, lines ..``: ``START_OF_COLUMN`` above the guard and 0 below it, then a bit for
    each line that has squares before and after this point: 1 if all those before hold the side's stones.

    Args:
        states: the states before the bit.
        following: gets the states after the bit; None after the last bit.
        through: the lines through the bit's square, as bits; none for a column's first bit.
        first: those of them that have no square before it.
        last: those that have none after it.
        bit: the bit's number in its column, 0 for the last one.
        side: whether the lines are those of the first player.

    Returns:
        The arcs of the states, an array like a level.
    """
    cdef uint32_t[MAX_STRIDE] end_key
    cdef uint32_t* key = end_key
    cdef Py_ssize_t stride = states.stride, index, word
    cdef uint32_t four
    cdef const uint32_t* state
    cdef int value
    cdef bint above
    arcs = _arcs(states)
    cdef uint32_t[:, ::1] arcs_view = arcs
    with nogil:
        for index in range(states.count):
            state = states.words_at + index * stride
            above = state[0] == ABOVE_GUARD
            for value in range(2):
                arcs_view[index + 1, value] = 0
                if above and value == 0 and bit == 0:
                    continue
                if following is not None:
                    key = following.next_key()
                key[0] = ABOVE_GUARD if bit == 0 or (above and value == 0) else 0
                four = 0
                for word in range(1, stride):
                    if not above and value == side:
                        key[word] = state[word] | first[word - 1]
                        four |= key[word] & last[word - 1]
                    else:
                        key[word] = state[word] & ~through[word - 1]
                arcs_view[index + 1, value] = four == 0
                if four == 0 and following is not None:
                    following.ask(&arcs_view[index + 1, value])
        if following is not None:
            following.answer()
    return arcs


def reduce_level(const uint32_t[:, ::1] arcs not None, const uint32_t[::1] nodes_after not None):
    """Make one node of all states that the same words lead on from.

    Args:
        arcs: of the states, to states of the next level.
        nodes_after: the node of each state of the next level, 0 for those that lead to nothing.

    Returns:
        The level, and the node of each state.
    """
    cdef KeyTable nodes = KeyTable(2)
    cdef uint32_t* key
    cdef uint32_t node, other_node
    cdef Py_ssize_t index
    of_state = np.zeros(arcs.shape[0], dtype=np.uint32)
    cdef uint32_t[::1] of_state_view = of_state
    with nogil:
        for index in range(1, arcs.shape[0]):
            if index + AHEAD < arcs.shape[0]:
                prefetch(&nodes_after[arcs[index + AHEAD, 0]])
                prefetch(&nodes_after[arcs[index + AHEAD, 1]])
            node, other_node = nodes_after[arcs[index, 0]], nodes_after[arcs[index, 1]]
            if node or other_node:
                key = nodes.next_key()
                key[0], key[1] = node, other_node
                nodes.ask(&of_state_view[index])
        nodes.answer()
    level = np.zeros((nodes.count + 1, 2), dtype=np.uint32)
    level[1:] = nodes.words[: 2 * nodes.count].reshape(-1, 2)
    return level, of_state


def count_level(const uint32_t[:, ::1] level not None, const uint64_t[::1] counts_after not None):
    """The number of words that lead on from each node of a level.

    Args:
        level: the level.
        counts_after: that number for the nodes of the next level; ``[0, 1]`` after the last one.

    Returns:
        A uint64 array, 0 for row 0. A board's words fit in 64 bits, so no number is larger.
    """
    cdef Py_ssize_t index
    counts = np.empty(level.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] counts_view = counts
    with nogil:
        for index in range(level.shape[0]):
            counts_view[index] = counts_after[level[index, 0]] + counts_after[level[index, 1]]
    return counts
