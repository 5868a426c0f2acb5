"""Reading and writing the section of one ply in a book file (docs/book-format.md).

A section is an index and *groups*. A group has GROUP *blocks* and one checksum. A block has BLOCK
scores, coded one after the other, each in the context of the score before it. The last block and the
last group of a ply may be shorter. A group begins with the lengths of its blocks::

    complete book    length of block 0 | length of block 1 | ... | code of block 0 | code of block 1 | ...
                     (one byte each)
    sparse book      first slot and length of block 0 | ... | code of block 0 | ...
                     (eight bytes and two)

The reader does not trust the file. It checks the index against its CRC-32 when the book is opened, and
every group when it is first used. It checks offsets against the section's end, and the decoder stops at
the end of its block. So wrong bytes are reported as damage, and have no other effect. The file is never
mapped: if another program truncated a mapped file, this process would be killed.

numpy is imported inside the functions, so a program that looks up one position starts faster.
"""

import zlib

from cpython.buffer cimport PyBUF_READ
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.errno cimport EINTR, errno
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset
from posix.types cimport off_t
from posix.unistd cimport pread

cimport c4core.engine.atomics as atomics
from c4core.engine.kernel cimport NO_SCORE

# Visible to Python as well.
cpdef enum:
    LONGEST = 10                    # bits of the longest code word

cdef enum:
    LOOKUP = 1 << LONGEST           # entries of the table that decodes the symbols of one context
    COMPLETE_ENTRY = 12             # bytes of a group's entry in the index: offset, checksum
    SPARSE_ENTRY = 20               # the same, preceded by the first slot
    SPARSE_HEAD = 10                # bytes of a block at the beginning of its group
    INDEX_HEAD = 4                  # bytes of the index before the code lengths
    GAP_SYMBOLS = 65                # bit lengths of gaps
    # Bytes of the blocks' heads, scores and gaps: two code words and 64 bits for each slot.
    LARGEST_GROUP = GROUP * (SPARSE_HEAD + 1) + GROUP_SLOTS * (2 * LONGEST + 64) // 8


# Bits and symbols of prefix codes. The first bit is the top bit of the first byte.

# A reader never reads beyond its end. Missing bits are read as zeros, and ``overran`` detects this.
cdef struct BitReader:
    const uint8_t* next
    const uint8_t* end
    uint64_t bits           # the next bits, from the top bit down
    int count               # how many of these are valid
    int missing             # how many zeros were read beyond the end


cdef inline void open_bits(BitReader* r, const uint8_t* data, uint64_t length) noexcept nogil:
    r.next = data
    r.end = data + length
    r.bits = 0
    r.count = 0
    r.missing = 0


cdef inline void refill(BitReader* r) noexcept nogil:
    """Read until at least 56 bits are available."""
    cdef const uint8_t* p = r.next
    if r.end - p >= 8:
        r.bits |= (
            <uint64_t>p[0] << 56 | <uint64_t>p[1] << 48 | <uint64_t>p[2] << 40 | <uint64_t>p[3] << 32
            | <uint64_t>p[4] << 24 | <uint64_t>p[5] << 16 | <uint64_t>p[6] << 8 | <uint64_t>p[7]
        ) >> r.count
        r.next += (63 - r.count) >> 3
        r.count |= 56
        return
    while r.count <= 56:
        if r.next < r.end:
            r.bits |= <uint64_t>r.next[0] << (56 - r.count)
            r.next += 1
        else:
            r.missing += 8
        r.count += 8


cdef inline bint overran(const BitReader* r) noexcept nogil:
    """Return whether more bits were used than the data has."""
    return r.missing > r.count


cdef inline uint64_t take_bits(BitReader* r, int count) noexcept nogil:
    """Return a number of 1 to 56 bits, which ``refill`` must have made available."""
    cdef uint64_t number = r.bits >> (64 - count)
    r.bits <<= count
    r.count -= count
    return number


cdef inline int take_symbol(BitReader* r, const uint16_t* table) noexcept nogil:
    """Return the next symbol, or -1 if the bits are not a code word. LONGEST bits must be available.

    An entry of the table holds the symbol times 16 plus the length of its code word.
    """
    cdef uint16_t entry = table[r.bits >> (64 - LONGEST)]
    cdef int length = entry & 15
    if length == 0:
        return -1
    r.bits <<= length
    r.count -= length
    return entry >> 4


cdef struct BitWriter:
    uint8_t* next
    uint64_t bits           # not yet written, in the lowest bits
    int count               # how many


cdef inline void put_bits(BitWriter* w, uint64_t number, int count) noexcept nogil:
    """Write the lowest bits of a number, at most 56 of them."""
    w.bits = w.bits << count | number
    w.count += count
    while w.count >= 8:
        w.count -= 8
        w.next[0] = <uint8_t>(w.bits >> w.count)
        w.next += 1


cdef inline void close_bits(BitWriter* w) noexcept nogil:
    """Fill the last byte with zeros."""
    if w.count:
        w.next[0] = <uint8_t>(w.bits << (8 - w.count))
        w.next += 1
    w.bits = 0
    w.count = 0


# Reading.

cdef inline uint32_t _read32(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef inline uint64_t _read64(const uint8_t* p) noexcept nogil:
    return _read32(p) | <uint64_t>_read32(p + 4) << 32


cdef int _check(const uint8_t* data, uint64_t length, uint32_t checksum) noexcept with gil:
    """Compare bytes with their CRC-32. Return 0, DAMAGED or NO_MEMORY."""
    try:
        found = zlib.crc32(PyMemoryView_FromMemory(<char*>data, <Py_ssize_t>length, PyBUF_READ))
    except MemoryError:
        return NO_MEMORY
    return 0 if found == checksum else DAMAGED


cdef inline int _code_length(const uint8_t* nibbles, int symbol) noexcept nogil:
    """Return the length of a symbol's code word; 0 if it has none."""
    cdef int length = (nibbles[symbol >> 1] >> (0 if symbol & 1 else 4)) & 15
    return length if length <= LONGEST else 0


cdef bint _fill_table(const uint8_t* nibbles, int symbols, uint16_t* table) noexcept nogil:
    """Fill the decoding table of one context from its code lengths; False if they are impossible."""
    cdef uint32_t[LONGEST + 1] word     # the next code word of a length, as a number of LONGEST bits
    cdef uint32_t begin, end = 0, i
    cdef int length, symbol
    memset(word, 0, sizeof(word))
    for symbol in range(symbols):
        length = _code_length(nibbles, symbol)
        word[length] += 1 << (LONGEST - length)
    for length in range(1, LONGEST + 1):
        begin, end = end, end + word[length]
        word[length] = begin
    if end > LOOKUP:
        return False
    for symbol in range(symbols):
        length = _code_length(nibbles, symbol)
        if length:
            begin = word[length]
            word[length] += 1 << (LONGEST - length)
            for i in range(begin, word[length]):
                table[i] = <uint16_t>(symbol << 4 | length)
    return True


cdef bint _read(const Section* s, uint64_t begin, uint64_t length, uint8_t* data) noexcept nogil:
    """Read bytes of the section; False if the file is too short or cannot be read."""
    cdef uint64_t done = 0
    cdef ssize_t count
    while done < length:
        count = pread(s.file, data + done, length - done, <off_t>(s.offset + begin + done))
        if count > 0:
            done += count
        elif count == 0 or errno != EINTR:
            return False
    return True


cdef int open_section(Section* s) noexcept nogil:
    cdef uint64_t row, need
    cdef const uint8_t* p
    cdef int context, fault
    s.groups = s.count // GROUP_SLOTS + (s.count % GROUP_SLOTS != 0)
    # 1. Check the sizes before any memory is allocated: a score has at least one bit.
    if s.index_length > s.length or s.index_length < INDEX_HEAD:
        return DAMAGED
    if s.groups > s.index_length or s.count // 8 > s.length - s.index_length:
        return DAMAGED
    # 2. Read the index and check it.
    s.index = <uint8_t*>malloc(s.index_length)
    if s.index == NULL:
        return NO_MEMORY
    p = s.index
    if not _read(s, 0, s.index_length, s.index):
        return DAMAGED
    fault = _check(p, s.index_length, s.index_checksum)
    if fault:
        return fault
    # 3. Check that the parts fit into the index, and that the scores are possible.
    s.symbols = p[0]
    s.low = <int8_t>p[1]
    s.start = p[2]
    row = (s.symbols + 1) >> 1
    need = INDEX_HEAD + row * s.symbols
    if s.sparse:
        need += (GAP_SYMBOLS + 1) >> 1
    if s.low < s.least or s.low + s.symbols - 1 > s.most or (s.groups and s.start >= s.symbols):
        return DAMAGED
    if s.index_length != need + s.groups * (SPARSE_ENTRY if s.sparse else COMPLETE_ENTRY):
        return DAMAGED
    s.entries = p + need
    # 4. Make the decoding tables.
    s.read = <void**>calloc(s.groups + 1, sizeof(void*))
    s.codes = <uint16_t*>calloc(s.symbols * LOOKUP + 1, sizeof(uint16_t))
    s.gap_code = <uint16_t*>calloc(LOOKUP if s.sparse else 1, sizeof(uint16_t))
    if s.read == NULL or s.codes == NULL or s.gap_code == NULL:
        return NO_MEMORY
    p += INDEX_HEAD
    for context in range(s.symbols):
        if not _fill_table(p, s.symbols, s.codes + context * LOOKUP):
            return DAMAGED
        p += row
    if s.sparse and not _fill_table(p, GAP_SYMBOLS, s.gap_code):
        return DAMAGED
    return 0


cdef void close_section(Section* s) noexcept nogil:
    cdef uint64_t group
    if s.read != NULL:
        for group in range(s.groups):
            free(s.read[group])
    free(s.read)
    free(s.index)
    free(s.codes)
    free(s.gap_code)


cdef inline uint64_t _group_begin(const Section* s, uint64_t group) noexcept nogil:
    """Return the offset of a group in the section; for the number after the last group, the section's end."""
    if group == s.groups:
        return s.length
    if s.sparse:
        return _read64(s.entries + group * SPARSE_ENTRY + 8)
    return _read64(s.entries + group * COMPLETE_ENTRY)


cdef int _find_group(
    Section* s, uint64_t group, const uint8_t** data, uint64_t* length, uint64_t* fault_offset
) noexcept nogil:
    """Get the bytes of a group, which is read at its first use. Return 0, DAMAGED or NO_MEMORY.

    The bytes are kept, so later changes of the file do not matter. If two threads read the same group
    at once, the bytes of the first thread are kept.
    """
    cdef uint64_t begin = _group_begin(s, group), end = _group_begin(s, group + 1)
    cdef uint8_t* bytes_ = <uint8_t*>atomics.load_pointer(&s.read[group])
    cdef uint32_t checksum
    cdef int fault
    fault_offset[0] = s.offset + min(begin, s.length - 1)
    if begin > end or end > s.length or end - begin > LARGEST_GROUP:
        return DAMAGED
    data[0] = bytes_
    length[0] = end - begin
    if bytes_ != NULL:
        return 0
    if s.sparse:
        checksum = _read32(s.entries + group * SPARSE_ENTRY + 16)
    else:
        checksum = _read32(s.entries + group * COMPLETE_ENTRY + 8)
    bytes_ = <uint8_t*>malloc(length[0] + 1)
    if bytes_ == NULL:
        return NO_MEMORY
    fault = _check(bytes_, length[0], checksum) if _read(s, begin, length[0], bytes_) else DAMAGED
    if fault:
        free(bytes_)
        return fault
    if not atomics.publish(&s.read[group], bytes_):
        free(bytes_)
    data[0] = <const uint8_t*>atomics.load_pointer(&s.read[group])
    return 0


cdef inline int _block_count(const Section* s, uint64_t group) noexcept nogil:
    cdef uint64_t scores = min(s.count - group * GROUP_SLOTS, <uint64_t>GROUP_SLOTS)
    return <int>((scores + BLOCK - 1) // BLOCK)


cdef bint _open_block(
    const Section* s, const uint8_t* data, uint64_t length, int blocks, int block, BitReader* r
) noexcept nogil:
    """Start reading a block's code; False if it is outside its group."""
    cdef uint64_t head = SPARSE_HEAD if s.sparse else 1, begin = blocks * head, size
    cdef const uint8_t* p = data + (8 if s.sparse else 0)
    cdef int index
    if begin > length:
        return False
    if s.sparse:
        for index in range(block):
            begin += p[index * head] | <uint64_t>p[index * head + 1] << 8
        size = p[block * head] | <uint64_t>p[block * head + 1] << 8
    else:
        for index in range(block):
            begin += p[index]
        size = p[block]
    if begin > length or size > length - begin:
        return False
    open_bits(r, data + begin, size)
    return True


cdef int _score_of_slot(Section* s, uint64_t slot, uint64_t* fault_offset) noexcept nogil:
    """Return the score of a slot in a complete book's ply."""
    cdef const uint8_t* data
    cdef uint64_t length, group = slot // GROUP_SLOTS
    cdef int within = <int>(slot % GROUP_SLOTS), symbol = s.start, left, fault
    cdef BitReader r
    if slot >= s.count:
        return NO_SCORE
    fault = _find_group(s, group, &data, &length, fault_offset)
    if fault:
        return fault
    if not _open_block(s, data, length, _block_count(s, group), within // BLOCK, &r):
        return DAMAGED
    left = within % BLOCK + 1
    while left >= 5:
        refill(&r)      # 56 bits: five code words
        symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol >= 0:
            symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol >= 0:
            symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol >= 0:
            symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol >= 0:
            symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol < 0:
            return DAMAGED
        left -= 5
    refill(&r)
    while left:
        symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol < 0:
            return DAMAGED
        left -= 1
    return DAMAGED if overran(&r) else s.low + symbol


cdef inline bint _next_slot(const Section* s, BitReader* r, uint64_t* slot) noexcept nogil:
    """Go on to the next slot of a sparse block; False if the bits are not a gap."""
    cdef int bits
    cdef uint64_t gap = 0
    refill(r)
    bits = take_symbol(r, s.gap_code)
    if bits < 0:
        return False
    if bits:
        gap = 1
    if bits > 33:
        gap = gap << (bits - 33) | take_bits(r, bits - 33)
        refill(r)
        gap = gap << 32 | take_bits(r, 32)
    elif bits > 1:
        gap = gap << (bits - 1) | take_bits(r, bits - 1)
    refill(r)
    slot[0] += gap + 1
    return slot[0] > gap


cdef int _score_of_entry(Section* s, uint64_t slot, uint64_t* fault_offset) noexcept nogil:
    """Return the score of a slot in a sparse book's ply.

    A stored slot is in the last group that does not begin after it, and there in the last such block.
    """
    cdef const uint8_t* data
    cdef uint64_t length, found, low = 0, high = s.groups, middle
    cdef int blocks, symbol = s.start, left, first = 0, end, fault
    cdef BitReader r
    while low < high:
        middle = (low + high) >> 1
        if _read64(s.entries + middle * SPARSE_ENTRY) <= slot:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return NO_SCORE
    low -= 1
    fault = _find_group(s, low, &data, &length, fault_offset)
    if fault:
        return fault
    blocks = _block_count(s, low)
    if <uint64_t>(blocks * SPARSE_HEAD) > length:
        return DAMAGED
    end = blocks
    while first < end:
        middle = (first + end) >> 1
        if _read64(data + middle * SPARSE_HEAD) <= slot:
            first = <int>middle + 1
        else:
            end = <int>middle
    if first == 0 or not _open_block(s, data, length, blocks, first - 1, &r):
        return DAMAGED
    found = _read64(data + (first - 1) * SPARSE_HEAD)
    left = <int>min(s.count - low * GROUP_SLOTS - (first - 1) * BLOCK, <uint64_t>BLOCK)
    refill(&r)
    while True:
        symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
        if symbol < 0 or overran(&r):
            return DAMAGED
        left -= 1
        if found >= slot or left == 0:
            return s.low + symbol if found == slot else NO_SCORE
        if not _next_slot(s, &r, &found):
            return DAMAGED


cdef int score_in_section(Section* s, uint64_t slot, uint64_t* fault_offset) noexcept nogil:
    if s.sparse:
        return _score_of_entry(s, slot, fault_offset)
    return _score_of_slot(s, slot, fault_offset)


cdef int decode_group(
    Section* s, uint64_t group, uint64_t* slots, int8_t* scores, uint64_t* fault_offset
) noexcept nogil:
    cdef const uint8_t* data
    cdef uint64_t length, slot = group * GROUP_SLOTS
    cdef int blocks, block, symbol, index, fault, count = 0
    cdef int total = <int>min(s.count - slot, <uint64_t>GROUP_SLOTS)
    cdef BitReader r
    fault = _find_group(s, group, &data, &length, fault_offset)
    if fault:
        return fault
    blocks = _block_count(s, group)
    for block in range(blocks):
        if not _open_block(s, data, length, blocks, block, &r):
            return DAMAGED
        symbol = s.start
        refill(&r)
        for index in range(min(BLOCK, total - count)):
            if s.sparse:
                if index == 0:
                    slot = _read64(data + block * SPARSE_HEAD)
                elif not _next_slot(s, &r, &slot):
                    return DAMAGED
            else:
                refill(&r)
            symbol = take_symbol(&r, s.codes + symbol * LOOKUP)
            if symbol < 0 or overran(&r):
                return DAMAGED
            slots[count] = slot
            scores[count] = <int8_t>(s.low + symbol)
            count += 1
            if not s.sparse:
                slot += 1
    return count


# Writing.

def fill_empty(int8_t[::1] scores, int start):
    """Fill every empty slot with the score before it, which costs the fewest bits.

    ``start`` is the score that precedes the first one of a block.
    """
    cdef Py_ssize_t index
    cdef int8_t before = <int8_t>start
    with nogil:
        for index in range(scores.shape[0]):
            if index % BLOCK == 0:
                before = <int8_t>start
            if scores[index] == NO_SCORE:
                scores[index] = before
            before = scores[index]


def count_pairs(const int8_t[::1] scores, int low, int symbols, int start):
    """Count how often each score (column) follows each score (row), as an int64 array."""
    import numpy as np

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
    """Count the bit lengths of the gaps (numbers of empty slots) between neighbours in a block."""
    import numpy as np

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
    """Return the bytes of each group of a complete book's ply.

    Args:
        scores: one for each slot, none empty.
        low: the score of symbol 0.
        start: the score that precedes the first one of a block.
        lengths, words: lengths of the code words, and the code words, by context and symbol.
    """
    import numpy as np

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
    """Return the bytes of each group of a sparse book's ply, from sorted slots and their scores.

    A slot is coded as its gap, the number of empty slots since the previous slot: a prefix code gives the
    gap's bit length, and the gap's bits without the top one follow.
    """
    import numpy as np

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
