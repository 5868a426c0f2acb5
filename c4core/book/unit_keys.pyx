"""The keys of a unit of work, packed into few bytes.

The first key, then the differences of neighbours minus one, each as a variable-length number of seven
bits a byte, lowest first, the top bit set on all but the last byte.
"""

import numpy as np

from libc.stdint cimport uint8_t, uint64_t

from c4core.book.errors import BookContentError

# Bytes of the longest variable-length number.
cdef enum:
    MAX_DIGITS = 10


def pack_keys(const uint64_t[::1] keys):
    """Sorted keys as bytes; :func:`unpack_keys` reads them.

    Raises:
        BookContentError: the keys are not sorted, or one occurs twice.
    """
    cdef Py_ssize_t index, length = 0
    cdef uint64_t number, after = 0
    cdef int bits
    space = np.empty(keys.shape[0] * MAX_DIGITS, dtype=np.uint8)
    cdef uint8_t[::1] packed = space
    for index in range(keys.shape[0]):
        # ``after`` is one more than the key before: equal keys are refused as well as smaller ones.
        if keys[index] < after or (index and after == 0):
            raise BookContentError(
                f"keys are not sorted at index {index}: {keys[index]}", key=keys[index]
            )
        number = keys[index] - after
        after = keys[index] + 1
        while number >= 128:
            packed[length] = <uint8_t>(number | 128)
            number >>= 7
            length += 1
        packed[length] = <uint8_t>number
        length += 1
    return space[:length].tobytes()


def unpack_keys(const uint8_t[::1] packed):
    """The sorted keys that :func:`pack_keys` wrote as an array.

    Raises:
        BookContentError: the bytes are no packed keys.
    """
    cdef Py_ssize_t index, count = 0
    cdef uint64_t number = 0, digit, after = 0
    cdef int shift = 0
    space = np.empty(packed.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] keys = space
    for index in range(packed.shape[0]):
        digit = packed[index] & 127
        if shift > 63 or (digit << shift) >> shift != digit:
            raise BookContentError(f"packed keys have a number of more than 64 bits at byte {index}")
        number |= digit << shift
        shift += 7
        if packed[index] & 128:
            continue
        number += after
        if number < after or (count and after == 0):
            raise BookContentError(f"packed keys exceed 64 bits at byte {index}")
        keys[count] = number
        count += 1
        after = number + 1
        number = 0
        shift = 0
    if shift:
        raise BookContentError("packed keys end within a number")
    return space[:count].copy()
