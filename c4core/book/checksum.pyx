"""CRC-32 (the reflected polynomial 0xEDB88320) without the interpreter lock, eight bytes at a time.

``_tables[k][byte]`` is what a byte contributes when k more bytes follow it in the group of eight.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef enum:
    GROUP = 8

cdef uint32_t[GROUP][256] _tables


cdef void _fill_tables() noexcept:
    cdef uint32_t word, byte
    cdef int bit, k
    for byte in range(256):
        word = byte
        for bit in range(8):
            word = (word >> 1) ^ (<uint32_t>0xEDB88320 if word & 1 else 0)
        _tables[0][byte] = word
    for k in range(1, GROUP):
        for byte in range(256):
            word = _tables[k - 1][byte]
            _tables[k][byte] = (word >> 8) ^ _tables[0][word & 255]


_fill_tables()


cdef uint32_t crc32(const uint8_t* data, uint64_t length) noexcept nogil:
    cdef uint32_t crc = 0xFFFFFFFF
    while length >= GROUP:
        crc = (
            _tables[7][(crc ^ data[0]) & 255]
            ^ _tables[6][((crc >> 8) ^ data[1]) & 255]
            ^ _tables[5][((crc >> 16) ^ data[2]) & 255]
            ^ _tables[4][(crc >> 24) ^ data[3]]
            ^ _tables[3][data[4]]
            ^ _tables[2][data[5]]
            ^ _tables[1][data[6]]
            ^ _tables[0][data[7]]
        )
        data += GROUP
        length -= GROUP
    while length:
        crc = (crc >> 8) ^ _tables[0][(crc ^ data[0]) & 255]
        data += 1
        length -= 1
    return ~crc
