"""The coder of proofs: the adaptive binary range coder of LZMA, with probabilities of 15 bits.

A cell holds the probability of a 0 in 1/32768. docs/certificate-format.md specifies the coder.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport realloc

cdef enum:
    PRECISION = 15
    RATE = 5
    EVEN = 1 << (PRECISION - 1)     # a cell before its first bit: 0 and 1 are equally likely
    LEAST_RANGE = 1 << 24


# A coder either writes or reads; both use the same code (code_bit).
cdef struct Coder:
    bint reading
    bint failed             # it has read beyond the end, or has run out of memory
    uint32_t range_
    uint32_t code           # when reading
    uint64_t low            # when writing: the low end of the interval, with its carry
    uint8_t held            # the last byte before ``low`` that a carry may still change
    uint64_t pending        # the number of bytes not written yet: the held one, then bytes 255
    uint8_t* data
    size_t place
    size_t size


cdef inline int _next_byte(Coder* c) noexcept nogil:
    if c.place >= c.size:
        c.failed = True
        return 0
    c.place += 1
    return c.data[c.place - 1]


cdef inline void _put_byte(Coder* c, uint8_t byte) noexcept nogil:
    cdef uint8_t* larger
    if c.place == c.size:
        larger = <uint8_t*>realloc(c.data, 2 * c.size + 1024)
        if larger == NULL:
            c.failed = True
            return
        c.data = larger
        c.size = 2 * c.size + 1024
    c.data[c.place] = byte
    c.place += 1


cdef inline void _shift_low(Coder* c) noexcept nogil:
    """Write the top byte of ``low``, or hold it back while a carry may still change it."""
    cdef uint8_t carry = c.low >> 32
    cdef uint8_t byte = c.held
    if <uint32_t>c.low < <uint32_t>0xFF000000 or carry:
        while c.pending:
            _put_byte(c, byte + carry)
            byte = 0xFF
            c.pending -= 1
        c.held = (c.low >> 24) & 0xFF
    c.pending += 1
    c.low = (c.low & 0x00FFFFFF) << 8


cdef inline void start_writing(Coder* c) noexcept nogil:
    """Start writing. The struct must be zeroed; the caller frees ``data``."""
    c.range_ = <uint32_t>0xFFFFFFFF
    c.pending = 1


cdef inline void end_writing(Coder* c) noexcept nogil:
    cdef int i
    for i in range(5):
        _shift_low(c)


cdef inline void start_reading(Coder* c, const uint8_t* data, size_t size) noexcept nogil:
    cdef int i
    c.reading = True
    c.range_ = <uint32_t>0xFFFFFFFF
    c.data = <uint8_t*>data
    c.size = size
    if _next_byte(c) != 0:
        c.failed = True
    for i in range(4):
        c.code = (c.code << 8) | _next_byte(c)
    if c.code == c.range_:
        c.failed = True     # no writer produces this; from here on the code is below the range


cdef inline bint all_is_read(const Coder* c) noexcept nogil:
    """Return whether all bytes were read, and a writer would write the same bytes."""
    return not c.failed and c.place == c.size and c.code == 0


cdef inline bint code_bit(Coder* c, uint16_t* cell, bint bit) noexcept nogil:
    """Write the given bit, or read one; return it."""
    cdef uint32_t bound = (c.range_ >> PRECISION) * cell[0]
    if c.reading:
        bit = c.code >= bound
    if bit:
        if c.reading:
            c.code -= bound
        else:
            c.low += bound
        c.range_ -= bound
        cell[0] -= cell[0] >> RATE
    else:
        c.range_ = bound
        cell[0] += ((1 << PRECISION) - cell[0]) >> RATE
    while c.range_ < LEAST_RANGE:
        c.range_ <<= 8
        if c.reading:
            c.code = (c.code << 8) | _next_byte(c)
        else:
            _shift_low(c)
    return bit
