"""What one call of the solver does on the C side."""

from libc.stdint cimport int8_t, uint64_t

from c4core.board cimport Geometry
from c4core.kernel cimport Bounds, Kernel, Search
from c4core.ordering cimport Ordering
from c4core.table cimport Table

cdef enum:
    UNPLAYABLE = -128   # in an array of column scores: no move, or not solved

# The limits of a call, common to all its searches.
cdef struct Limits:
    const uint64_t* epoch   # the solver's count of stop() calls
    uint64_t started        # its value when the call began
    bint timed              # whether there is a ..
    double deadline         # .. on the clock of atomics.now()
    uint64_t node_limit     # for each position

cdef void start_search(
    Search* s, const Geometry* g, const Ordering* ordering, Table* table, const Limits* limits
) noexcept nogil

cdef void solve_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, bint weak
) noexcept nogil

cdef void analyze_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, int8_t* scores
) noexcept nogil

cdef int principal_move(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, int score
) noexcept nogil
