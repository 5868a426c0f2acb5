"""The packed scores of a ply: the groups of blocks of docs/book-format.md.

A block holds BLOCK scores (the last one of a ply fewer), coded one after the other, each in the context
of the one before; a group holds GROUP blocks, the lengths of their codes first::

    complete book    length of block 0 | length of block 1 | .. | code of block 0 | code of block 1 | ..
                     (one byte each)
    sparse book      first slot and length of block 0 | .. | code of block 0 | ..
                     (eight bytes and two)
"""

import numpy as np

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint64_t

from c4core.book.bits cimport LONGEST, BitWriter, close_bits, put_bits
from c4core.book.codec cimport BLOCK, GROUP, GROUP_SLOTS, SPARSE_HEAD

GROUP_SCORES = GROUP_SLOTS

cdef enum:
    EMPTY = -128        # a slot without a score to be stored

EMPTY_SLOT = EMPTY


def fill_empty(int8_t[::1] scores, int start):
    """Give every empty slot the score before it, which costs least; ``start`` before a block."""
    cdef Py_ssize_t index
    cdef int8_t before = <int8_t>start
    with nogil:
        for index in range(scores.shape[0]):
            if index % BLOCK == 0:
                before = <int8_t>start
            if scores[index] == EMPTY:
                scores[index] = before
            before = scores[index]


def count_pairs(const int8_t[::1] scores, int low, int symbols, int start):
    """How often each score (column) follows each other (row), as an int64 array."""
    cdef Py_ssize_t index
    cdef int before = start - low
    result = np.zeros((symbols, symbols), dtype=np.int64)
    cdef long long[:, ::1] counts = result
    with nogil:
        for index in range(scores.shape[0]):
            if index % BLOCK == 0:
                before = start - low
            counts[before, scores[index] - low] += 1
            before = scores[index] - low
    return result


cdef inline int _bit_length(uint64_t number) noexcept nogil:
    cdef int length = 0
    while number:
        number >>= 1
        length += 1
    return length


def count_gaps(const uint64_t[::1] slots):
    """How often the numbers of empty slots between neighbours of a block have each bit length."""
    cdef Py_ssize_t index
    result = np.zeros(65, dtype=np.int64)
    cdef long long[::1] counts = result
    with nogil:
        for index in range(1, slots.shape[0]):
            if index % BLOCK:
                counts[_bit_length(slots[index] - slots[index - 1] - 1)] += 1
    return result


def encode_slots(
    const int8_t[::1] scores,
    int low,
    int start,
    const uint8_t[:, ::1] lengths,
    const uint16_t[:, ::1] words,
):
    """The groups of a complete book's ply.

    Args:
        scores: one for each slot, none empty.
        low: the score of symbol 0.
        start: the score that a block's first one follows.
        lengths: of the code words, by context and symbol.
        words: the code words.

    Returns:
        The bytes of each group, as a list.
    """
    cdef Py_ssize_t index, block, first, end, blocks
    cdef int before, symbol
    cdef uint8_t* code
    cdef BitWriter w
    space = np.empty(GROUP + GROUP_SLOTS * LONGEST // 8 + 8, dtype=np.uint8)
    cdef uint8_t[::1] group = space
    groups = []
    for first in range(0, scores.shape[0], GROUP_SLOTS):
        end = min(first + GROUP_SLOTS, scores.shape[0])
        blocks = (end - first + BLOCK - 1) // BLOCK
        with nogil:
            w.next, w.bits, w.count = &group[blocks], 0, 0
            for block in range(blocks):
                code = w.next
                before = start - low
                for index in range(first + block * BLOCK, min(first + (block + 1) * BLOCK, end)):
                    symbol = scores[index] - low
                    put_bits(&w, words[before, symbol], lengths[before, symbol])
                    before = symbol
                close_bits(&w)
                group[block] = <uint8_t>(w.next - code)
        groups.append(space[: w.next - &group[0]].tobytes())
    return groups


def encode_entries(
    const uint64_t[::1] slots,
    const int8_t[::1] scores,
    int low,
    int start,
    const uint8_t[:, ::1] lengths,
    const uint16_t[:, ::1] words,
    const uint8_t[::1] gap_lengths,
    const uint16_t[::1] gap_words,
):
    """The groups of a sparse book's ply: sorted slots and their scores.

    A slot is coded as the number of empty slots since the one before: its bit length by a prefix code,
    then its bits without the top one.

    Returns:
        The bytes of each group, as a list.
    """
    cdef Py_ssize_t index, block, first, end, blocks
    cdef int before, symbol, bits, byte
    cdef uint64_t gap
    cdef uint8_t* code
    cdef uint8_t* head
    cdef BitWriter w
    space = np.empty(GROUP * SPARSE_HEAD + GROUP_SLOTS * (2 * LONGEST + 64) // 8 + 8, dtype=np.uint8)
    cdef uint8_t[::1] group = space
    groups = []
    for first in range(0, scores.shape[0], GROUP_SLOTS):
        end = min(first + GROUP_SLOTS, scores.shape[0])
        blocks = (end - first + BLOCK - 1) // BLOCK
        with nogil:
            w.next, w.bits, w.count = &group[blocks * SPARSE_HEAD], 0, 0
            for block in range(blocks):
                code = w.next
                before = start - low
                for index in range(first + block * BLOCK, min(first + (block + 1) * BLOCK, end)):
                    if index != first + block * BLOCK:
                        gap = slots[index] - slots[index - 1] - 1
                        bits = _bit_length(gap)
                        put_bits(&w, gap_words[bits], gap_lengths[bits])
                        if bits > 33:
                            put_bits(&w, (gap >> 32) & ((<uint64_t>1 << (bits - 33)) - 1), bits - 33)
                            put_bits(&w, gap & (<uint64_t>0xFFFFFFFF), 32)
                        elif bits > 1:
                            put_bits(&w, gap & ((<uint64_t>1 << (bits - 1)) - 1), bits - 1)
                    symbol = scores[index] - low
                    put_bits(&w, words[before, symbol], lengths[before, symbol])
                    before = symbol
                close_bits(&w)
                head = &group[block * SPARSE_HEAD]
                for byte in range(8):
                    head[byte] = <uint8_t>(slots[first + block * BLOCK] >> 8 * byte)
                head[8] = <uint8_t>(w.next - code)
                head[9] = <uint8_t>((w.next - code) >> 8)
        groups.append(space[: w.next - &group[0]].tobytes())
    return groups
