"""Reading and writing bits, and symbols of prefix codes, the first bit in the top bit of the first byte.

A reader never reads beyond its end: missing bits are read as zeros, and ``overran`` says afterwards
that there were too few.
"""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

cdef enum:
    LONGEST = 10            # bits of the longest code word
    LOOKUP = 1 << LONGEST   # entries of the table that decodes the symbols of one context

cdef struct BitReader:
    const uint8_t* next
    const uint8_t* end
    uint64_t bits           # the next bits, from the top bit down
    int count               # how many of them are valid
    int missing             # how many zeros were read beyond the end


cdef inline void open_bits(BitReader* r, const uint8_t* data, uint64_t length) noexcept nogil:
    r.next = data
    r.end = data + length
    r.bits = 0
    r.count = 0
    r.missing = 0


cdef inline void refill(BitReader* r) noexcept nogil:
    """Read on, so that at least 56 bits are there."""
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
    """Whether more bits were used than there were."""
    return r.missing > r.count


cdef inline uint64_t take_bits(BitReader* r, int count) noexcept nogil:
    """A number of 1 to 56 bits; ``refill`` must have been called since."""
    cdef uint64_t number = r.bits >> (64 - count)
    r.bits <<= count
    r.count -= count
    return number


cdef inline int take_symbol(BitReader* r, const uint16_t* table) noexcept nogil:
    """The next symbol, or -1 where the bits are no code word. Needs LONGEST bits.

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
    uint64_t bits           # not yet written, from the lowest bit up
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
