"""A table of short keys, numbered in the order in which they come (picture in keys.pxd)."""

import numpy as np

cimport cython
from libc.stdint cimport uint32_t, uint64_t

from c4core.engine.atomics cimport prefetch

# Keys that a new table has room for; it doubles when it is full.
cdef enum:
    FIRST_ROOM = 1 << 10


@cython.final
cdef class KeyTable:
    """KeyTable(stride)\n--\n
    Keys of some words of 32 bits each, numbered from 1.

    Args:
        stride: the words of a key.

    Raises:
        ValueError: there are no keys of so many words.
    """

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
        """The memory that the table takes."""
        return self.words.nbytes + self.slots.nbytes

    def add(self, key):
        """Enter a key.

        Args:
            key: a list of as many numbers as the table's keys have words.

        Returns:
            The key's number.

        Raises:
            ValueError: the key has another number of words.
        """
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

    cdef int answer(self) except -1 nogil:
        """Give all keys that wait their numbers, new ones to those that are not in the table yet."""
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
