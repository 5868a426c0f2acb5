"""The C side of bounds that leave a table, and enter another one."""

from c4core.board cimport Geometry
from c4core.table cimport Table

cdef object bounds_of_table(const Table* table, int least_work)
cdef object checked_bounds(object bounds)
cdef int add_to_table(
    Table* table, const Geometry* g, object stones, object masks, object bounds
) except -1
