"""One ply of an open book: finding a slot's score in the bytes of its section.

docs/book-format.md has the layout. Nothing in a file is trusted: the index is read and checked against its
CRC-32 when the book is opened, every group when it is first used, offsets are checked against the
section's end, and the decoder stops at the end of its block. So wrong bytes are reported as damage, and
have no other effect. The file is never mapped: if another program truncated a mapped file, this process
would end.
"""

from libc.errno cimport EINTR, errno
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from posix.types cimport off_t
from posix.unistd cimport pread

from c4core cimport atomics
from c4core.book.bits cimport (
    LONGEST,
    LOOKUP,
    BitReader,
    open_bits,
    overran,
    refill,
    take_bits,
    take_symbol,
)
from c4core.book.checksum cimport crc32

cdef enum:
    # Bytes of the blocks' heads, and of their scores and gaps: two code words and 64 bits each.
    LARGEST_GROUP = GROUP * (SPARSE_HEAD + 1) + GROUP_SLOTS * (2 * LONGEST + 64) // 8


cdef inline uint32_t _read32(const uint8_t* p) noexcept nogil:
    return <uint32_t>p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef inline uint64_t _read64(const uint8_t* p) noexcept nogil:
    return _read32(p) | <uint64_t>_read32(p + 4) << 32


cdef bint _fill_table(const uint8_t* nibbles, int symbols, uint16_t* table) noexcept nogil:
    """The decoding table of one context from its code lengths; False where no code has them."""
    cdef uint32_t word = 0      # the next code word, as a number of LONGEST bits
    cdef uint32_t step, i
    cdef int length, symbol
    for length in range(1, LONGEST + 1):
        step = 1 << (LONGEST - length)
        for symbol in range(symbols):
            if (nibbles[symbol >> 1] >> (0 if symbol & 1 else 4)) & 15 != length:
                continue
            if word + step > LOOKUP:
                return False
            for i in range(step):
                table[word + i] = <uint16_t>(symbol << 4 | length)
            word += step
    return True


cdef bint _read(const Section* s, uint64_t begin, uint64_t length, uint8_t* data) noexcept nogil:
    """Read bytes of the section; False where the file does not have them, or at an error."""
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
    cdef int context
    s.groups = s.count // GROUP_SLOTS + (s.count % GROUP_SLOTS != 0)
    # 1. The sizes are possible, before any memory is taken: a score has at least one bit.
    if s.index_length > s.length or s.index_length < INDEX_HEAD:
        return DAMAGED
    if s.groups > s.index_length or s.count // 8 > s.length - s.index_length:
        return DAMAGED
    # 2. The index is whole.
    s.index = <uint8_t*>malloc(s.index_length)
    if s.index == NULL:
        return NO_MEMORY
    p = s.index
    if not _read(s, 0, s.index_length, s.index) or crc32(p, s.index_length) != s.index_checksum:
        return DAMAGED
    # 3. Its parts have room in it, and its scores are possible.
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
    # 4. Decoding tables.
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
    """Where a group begins in the section, or the section's end after the last one."""
    if group == s.groups:
        return s.length
    if s.sparse:
        return _read64(s.entries + group * SPARSE_ENTRY + 8)
    return _read64(s.entries + group * COMPLETE_ENTRY)


cdef int _find_group(
    Section* s, uint64_t group, const uint8_t** data, uint64_t* length, uint64_t* fault_offset
) noexcept nogil:
    """Get the bytes of a group, which is read at its first use: 0, DAMAGED or NO_MEMORY.

    They are kept, so that later changes of the file do not matter. Two threads may read the same group
    at once; the bytes of the first one stay.
    """
    cdef uint64_t begin = _group_begin(s, group), end = _group_begin(s, group + 1)
    cdef uint8_t* bytes_ = <uint8_t*>atomics.load_pointer(&s.read[group])
    cdef uint32_t checksum
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
    if not _read(s, begin, length[0], bytes_) or crc32(bytes_, length[0]) != checksum:
        free(bytes_)
        return DAMAGED
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
    """Start reading a block's code; False where it lies outside its group."""
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
    """The score of a slot in a complete book's ply."""
    cdef const uint8_t* data
    cdef uint64_t length, group = slot // GROUP_SLOTS
    cdef int within = <int>(slot % GROUP_SLOTS), symbol = s.start, left, fault
    cdef BitReader r
    if slot >= s.count:
        return NOT_IN_BOOK
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
    """Go on to the next slot of a sparse block; False where the bits are no gap."""
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
    """The score of a slot in a sparse book's ply.

    It is in the last group, and there in the last block, that does not begin after the slot.
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
        return NOT_IN_BOOK
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
            return s.low + symbol if found == slot else NOT_IN_BOOK
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
