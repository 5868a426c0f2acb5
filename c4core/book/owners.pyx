"""Which ancestor the positions of a ply belong to, handed down from ply to ply.

Keys are sorted canonical keys (layout picture in board.pyx).
"""

import numpy as np

from libc.stdint cimport int32_t, uint64_t

from c4core.board cimport MAX_COLUMNS, Geometry, geometry_of, split_key
from c4core.book.lookup cimport children_that_go_on, find_keys

from c4core.notation import check_board

cdef int32_t _NOBODY = 0x7FFFFFFF

NOBODY = _NOBODY


cdef void _inherit(
    const Geometry* g,
    const uint64_t[::1] parents,
    const int32_t[::1] parent_owners,
    const uint64_t[::1] children,
    int32_t[::1] owners,
) noexcept nogil:
    """Give every child the least owner of its parents."""
    cdef Py_ssize_t index, count = children.shape[0]
    cdef Py_ssize_t[MAX_COLUMNS] found
    cdef uint64_t[MAX_COLUMNS] keys
    cdef uint64_t stones, mask
    cdef int number, i
    for index in range(count):
        owners[index] = _NOBODY
    if count == 0:
        return
    for index in range(parents.shape[0]):
        split_key(g, parents[index], &stones, &mask)
        number = children_that_go_on(g, stones, mask, keys)
        find_keys(&children[0], count, keys, number, found)
        for i in range(number):
            if found[i] >= 0:
                owners[found[i]] = min(owners[found[i]], parent_owners[index])


def inherit(
    const uint64_t[::1] parent_keys,
    const int32_t[::1] parent_owners,
    const uint64_t[::1] child_keys,
    *,
    int width=7,
    int height=6,
):
    """Give every child the least owner of its parents.

    Args:
        parent_keys: positions that are not over.
        parent_owners: a number from 0 on for each of them.
        child_keys: sorted keys of positions of the next ply.
        width: columns of the board.
        height: rows of it.

    Returns:
        An int32 array, one owner for each child; NOBODY where none of the parents leads to it.

    Raises:
        BoardError: impossible size.
    """
    check_board(width, height)
    cdef const Geometry* g = geometry_of(width, height)
    result = np.empty(child_keys.shape[0], dtype=np.int32)
    cdef int32_t[::1] owners = result
    with nogil:
        _inherit(g, parent_keys, parent_owners, child_keys, owners)
    return result
