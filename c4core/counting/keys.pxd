"""A table of short keys, numbered in the order in which they come.

A *key* is a row of ``stride`` words of 32 bits. The table gives the first key the number 1, the next
one that differs from it 2, and so on; 0 is left for "nothing". The keys stand one after the other in
``words``. ``slots`` is a hash table over them:

    bit 63 ............ 32   31 ............ 0
    32 bits of the hash      the key's number; 0 if the slot is empty

The lowest of the 32 bits also say where the search for a slot begins. So the table grows without a
look at the keys, and a search that meets another key mostly sees it without reading that key.

Keys are not looked up one by one: memory would be waited for at each of them. They are handed in with
``ask`` after they were written to ``next_key()``, and wait until there are MAX_WAITING or ``answer`` is
called; then each number is written to where it is wanted. Counting a board of 6x5 took 5.4 s of processor
time in this way. Key by key, with a table that hashed all keys again when it grew, it took 10.4 s.
"""

cimport cython
from libc.stdint cimport uint32_t, uint64_t

from c4core.engine.atomics cimport prefetch

cdef enum:
    MAX_STRIDE = 36         # a board has at most 32 columns
    MAX_WAITING = 32


cdef inline uint64_t hash_of(const uint32_t* key, Py_ssize_t stride) noexcept nogil:
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

    cdef int enlarge(self) except -1 with gil
    cdef int answer(self) except -1 nogil

    cdef inline uint32_t* next_key(self) noexcept nogil:
        """Where the words of the next key are to be written."""
        return self.waiting_words + self.waiting * self.stride

    cdef inline int ask(self, uint32_t* number) except -1 nogil:
        """Hand in the key at ``next_key()``; its number comes to ``number``, later."""
        cdef uint32_t tag = <uint32_t> (hash_of(self.next_key(), self.stride) >> 32)
        prefetch(self.slots_at + (tag & self.slot_mask))
        self.waiting_tags[self.waiting] = tag
        self.waiting_for[self.waiting] = number
        self.waiting += 1
        if self.waiting == MAX_WAITING:
            self.answer()
        return 0
