"""One level of an operation on diagrams: from the states before a bit to the states after it.

A *diagram* is a set of words of bits, as an automaton with a level for each bit. A node of a level has
two arcs to nodes of the next level, for the bit 0 and the bit 1. An arc with the value 0 leads to nothing.
A level is an array with a row of two arcs for each node; row 0 stands for nothing::

    level    (nodes + 1, 2)  uint32      row 0: 0 0;  row n: arcs of node n

After the last bit there is one node, 1: "the word is in the set". docs/counting.md has the code of a
position as a word: a column is read from the top down::

    0 ... 0  1  s ... s       empty squares, a guard, stones (1: the first player's)

An operation goes over the levels twice. The ``*_level`` functions go down, with a table of the distinct
states at every level; a state is a key, and the table gives it a number. Then ``reduce_level`` goes up:
states with equal arcs become one node.

The table (``KeyTable``) numbers short keys in the order of their arrival. A *key* is a row of ``stride``
words of 32 bits. The first key gets the number 1, the next different key 2, and so on; 0 means "nothing".
``words`` stores the keys one after the other. ``slots`` is a hash table of them::

    bit 63 ............ 32   31 ............ 0
    32 bits of the hash      the key's number; 0 if the slot is empty

The lowest of the 32 bits also determine where the search for a slot begins. So the table grows without
reading the keys, and a search usually recognizes a different key without reading it.

Keys are looked up in batches, so that memory latencies overlap. A key is written to ``next_key()`` and
submitted with ``ask``. It waits until MAX_WAITING keys wait or ``answer`` is called; then each number is
written to its place. Counting a board of 6x5 took 5.4 s of processor time in this way. It took 10.4 s with
lookups one by one and a table that hashed all keys again when it grew.
"""

import numpy as np

cimport cython
from libc.stdint cimport uint32_t, uint64_t

from c4core.engine.atomics cimport prefetch

cdef enum:
    MAX_STRIDE = 36         # a board has at most 32 columns
    MAX_WAITING = 32
    FIRST_ROOM = 1 << 10    # keys that fit into a new table; a full table doubles
    AHEAD = 16              # a state's nodes are prefetched this many states ahead

# In the second word of a state of ``move_level``, and in the first word of a state of ``lines_level``: the
# guard of this column has not been read yet.
cpdef enum:
    START_OF_COLUMN = 0x7FFFFFFF


cdef inline uint64_t _hash(const uint32_t* key, Py_ssize_t stride) noexcept nogil:
    cdef uint64_t hashed = 0x9E3779B97F4A7C15ULL, pair
    cdef Py_ssize_t word = 0
    while word < stride:
        pair = key[word]
        if word + 1 < stride:
            pair |= <uint64_t> key[word + 1] << 32
        hashed = (hashed ^ pair) * 0xFF51AFD7ED558CCDULL
        hashed ^= hashed >> 32
        word += 2
    return hashed * 0xC4CEB9FE1A85EC53ULL


@cython.final
cdef class KeyTable:
    """KeyTable(stride)\n--\n
    A table that numbers keys from 1. A key has ``stride`` words of 32 bits, 1 to 36.
    """

    cdef readonly Py_ssize_t count
    cdef Py_ssize_t stride
    cdef object words                   # numpy: uint32, room * stride
    cdef object slots                   # numpy: uint64, a power of two of them
    cdef uint32_t* words_at
    cdef uint64_t* slots_at
    cdef uint64_t slot_mask
    cdef Py_ssize_t room
    cdef Py_ssize_t waiting
    cdef uint32_t[MAX_WAITING * MAX_STRIDE] waiting_words
    cdef uint32_t[MAX_WAITING] waiting_tags
    cdef uint32_t* waiting_for[MAX_WAITING]

    def __cinit__(self, int stride):
        if not 1 <= stride <= MAX_STRIDE:
            raise ValueError(f"a key has 1 to {MAX_STRIDE} words, not {stride}")
        self.stride = stride
        self.count = 0
        self.room = 0
        self.waiting = 0
        self.enlarge()

    @property
    def nbytes(self):
        """Number of bytes that the table takes."""
        return self.words.nbytes + self.slots.nbytes

    def add(self, key):
        """Add a key, a list of ``stride`` numbers. Return the key's number."""
        cdef uint32_t number = 0
        cdef Py_ssize_t word
        if len(key) != self.stride:
            raise ValueError(f"a key of this table has {self.stride} words, not {len(key)}")
        self.answer()
        for word in range(self.stride):
            self.next_key()[word] = key[word]
        self.ask(&number)
        self.answer()
        return number

    cdef inline uint32_t* next_key(self) noexcept nogil:
        """Return the place for the words of the next key."""
        return self.waiting_words + self.waiting * self.stride

    cdef inline int ask(self, uint32_t* number) except -1 nogil:
        """Submit the key at ``next_key()``; ``number`` receives its number later."""
        cdef uint32_t tag = <uint32_t> (_hash(self.next_key(), self.stride) >> 32)
        prefetch(self.slots_at + (tag & self.slot_mask))
        self.waiting_tags[self.waiting] = tag
        self.waiting_for[self.waiting] = number
        self.waiting += 1
        if self.waiting == MAX_WAITING:
            self.answer()
        return 0

    cdef int answer(self) except -1 nogil:
        """Number all waiting keys; keys that are not in the table get new numbers."""
        cdef uint64_t slot, place
        cdef uint32_t number
        cdef Py_ssize_t index, word, stride = self.stride
        cdef const uint32_t* key
        cdef const uint32_t* other
        if self.count + self.waiting > self.room:
            self.enlarge()
        for index in range(self.waiting):
            slot = self.slots_at[self.waiting_tags[index] & self.slot_mask]
            prefetch(self.words_at + <Py_ssize_t> <uint32_t> slot * stride)
        for index in range(self.waiting):
            key = self.waiting_words + index * stride
            place = self.waiting_tags[index] & self.slot_mask
            number = 0
            while number == 0:
                slot = self.slots_at[place]
                if slot == 0:
                    for word in range(stride):
                        self.words_at[self.count * stride + word] = key[word]
                    self.count += 1
                    number = <uint32_t> self.count
                    self.slots_at[place] = <uint64_t> self.waiting_tags[index] << 32 | number
                elif slot >> 32 == self.waiting_tags[index]:
                    other = self.words_at + (<Py_ssize_t> <uint32_t> slot - 1) * stride
                    for word in range(stride):
                        if other[word] != key[word]:
                            break
                    else:
                        number = <uint32_t> slot
                place = (place + 1) & self.slot_mask
            self.waiting_for[index][0] = number
        self.waiting = 0
        return 0

    cdef int enlarge(self) except -1 with gil:
        """Double the room. At least half of the slots stay empty."""
        cdef Py_ssize_t room = max(<Py_ssize_t> FIRST_ROOM, 2 * self.room)
        cdef Py_ssize_t old_slots = 0 if self.slots is None else 2 * self.room, index
        cdef uint32_t[::1] words_view
        cdef uint64_t[::1] slots_view
        cdef const uint64_t* old = self.slots_at
        cdef uint64_t place
        if room >> 31:
            raise MemoryError("a level has more than 1,073,741,824 nodes")
        words = np.empty(room * self.stride, dtype=np.uint32)
        if self.count:
            words[: self.count * self.stride] = self.words[: self.count * self.stride]
        words_view = words
        self.words = words
        self.words_at = &words_view[0]
        slots = np.zeros(2 * room, dtype=np.uint64)
        slots_view = slots
        self.slots_at = &slots_view[0]
        self.slot_mask = 2 * room - 1
        self.room = room
        for index in range(old_slots):
            if old[index]:
                place = (old[index] >> 32) & self.slot_mask
                while self.slots_at[place]:
                    place = (place + 1) & self.slot_mask
                self.slots_at[place] = old[index]
        self.slots = slots
        return 0


cdef object _arcs(KeyTable states):
    arcs = np.empty((states.count + 1, 2), dtype=np.uint32)
    arcs[0] = 0
    return arcs


cdef inline void _fetch(
    const uint32_t[:, ::1] level, const uint32_t* state, Py_ssize_t stride
) noexcept nogil:
    """Prefetch the nodes of a state of ``move_level``."""
    cdef Py_ssize_t word
    prefetch(&level[state[0], 0])
    for word in range(2, stride):
        if state[word] == 0:
            break
        prefetch(&level[state[word], 0])


cdef inline Py_ssize_t _insert(uint32_t* nodes, Py_ssize_t count, uint32_t node) noexcept nogil:
    """Insert a node into a descending list without repeats. Return the list's new length."""
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

    A state is ``rest, top, *moved``, nodes of the set before the move. The word has led to ``rest`` if the
    move is not in an earlier column. It leads to ``top`` if the next bit is the mover's stone, the top one
    of this column. It may have led to each node of ``moved`` with a move in an earlier column.

    Args:
        states: the states before the bit.
        level: the set's level for this bit.
        below: the next level; None for the last bit.
        following: receives the states after the bit; None for the last bit.
        bit: the bit's number in its column, 0 for the last one.
        mover: whether the first player moves.
        last_column: whether this is the last column.

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
            above = state[1] == START_OF_COLUMN
            for value in range(2):
                arcs_view[index + 1, value] = 0
                if above and value == 0 and bit == 0:
                    continue
                rest, top = level[state[0], value], 0
                if above and value == 0:
                    top = START_OF_COLUMN
                elif above and bit > 0:
                    top = below[level[state[0], 0], 1]
                if last_column and top != START_OF_COLUMN:
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
                if rest == 0 and count == 0 and (top == 0 or top == START_OF_COLUMN):
                    continue
                if following is None:
                    arcs_view[index + 1, value] = count > 0
                    continue
                key[0] = rest
                key[1] = START_OF_COLUMN if bit == 0 else top
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
    """Read a bit of the words that are in two sets; return the arcs of the states, an array like a level.

    A state is a node of each set. ``one`` and ``other`` are the levels of the sets. ``following`` receives
    the states after the bit; it is ``None`` for the last bit.
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
    """Read a bit of the positions in which a side has no four.

    A state is ``top, *lines``. ``top`` is ``START_OF_COLUMN`` above the guard and 0 below it. ``lines`` has
    a bit for each line with squares before and after this point: 1 if the side has all squares before it.

    Args:
        states: the states before the bit.
        following: receives the states after the bit; None for the last bit.
        through: the lines through the bit's square, as bits; none for a column's first bit.
        first: the lines of ``through`` that begin with the square.
        last: the lines of ``through`` that end with the square.
        bit: the bit's number in its column, 0 for the last one.
        side: whether the side is the first player.

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
            above = state[0] == START_OF_COLUMN
            for value in range(2):
                arcs_view[index + 1, value] = 0
                if above and value == 0 and bit == 0:
                    continue
                if following is not None:
                    key = following.next_key()
                key[0] = START_OF_COLUMN if bit == 0 or (above and value == 0) else 0
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
    """Merge states with equal arcs into one node. Return the level, and the node of each state.

    ``nodes_after`` has the node of each state of the next level; 0 if the state leads to nothing.
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
    """Count the words that begin at each node of a level, as a uint64 array; 0 for row 0.

    ``counts_after`` has the counts of the next level; ``[0, 1]`` after the last level. A word has at most
    64 bits, so the counts fit into 64 bits.
    """
    cdef Py_ssize_t index
    counts = np.empty(level.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] counts_view = counts
    with nogil:
        for index in range(level.shape[0]):
            counts_view[index] = counts_after[level[index, 0]] + counts_after[level[index, 1]]
    return counts
