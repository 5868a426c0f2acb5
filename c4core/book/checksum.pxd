"""CRC-32 without the interpreter lock; the same as ``zlib.crc32``."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef uint32_t crc32(const uint8_t* data, uint64_t length) noexcept nogil
