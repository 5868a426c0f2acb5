"""What one call of the solver does on the C side."""

from libc.stdint cimport int8_t, uint64_t

from c4core.board cimport Geometry
from c4core.bounds cimport Rows
from c4core.kernel cimport Bounds, Kernel, Search, Team
from c4core.ordering cimport Ordering
from c4core.table cimport Table
from c4core.thread_memory cimport ThreadMemories, ThreadMemory

cdef enum:
    UNPLAYABLE = -128   # in an array of column scores: no move, or not solved

cdef uint64_t NO_LIMIT

# The limits of a call, common to all its searches.
cdef struct Limits:
    const uint64_t* epoch   # the solver's count of stop() calls
    uint64_t* searched      # its count of nodes
    uint64_t started        # the value of epoch when the call began
    bint timed              # whether there is a ..
    double deadline         # .. on the clock of atomics.now()
    uint64_t node_limit     # for each position
    bint (*interrupted)() noexcept nogil    # asked now and then whether to end; or NULL

# One position, solved by several threads.
cdef struct Together:
    const Kernel* kernel
    uint64_t stones
    uint64_t mask
    const Bounds* bounds    # what is known at the start
    bint weak
    Team team
    Search s                # what every thread's search starts as
    ThreadMemories* memories    # where helper threads get theirs
    uint64_t nodes          # of all threads that have ended; atomic

cdef void run_together(Together* together, int index, ThreadMemory* memory) noexcept nogil

cdef void start_search(
    Search* s, const Geometry* g, const Ordering* ordering, const Rows* rows, Table* table,
    ThreadMemory* memory, const Limits* limits
) noexcept nogil

cdef void tell_nodes(Search* s) noexcept nogil

cdef void solve_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, bint weak
) noexcept nogil

cdef void analyze_position(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, Bounds* bounds, int8_t* scores
) noexcept nogil

cdef bint game_bounds(
    const Geometry* g, uint64_t stones, uint64_t mask, Bounds* bounds
) noexcept nogil

cdef int columns_from_centre(const Geometry* g, int* columns) noexcept nogil

cdef bint from_twin(
    const Geometry* g, uint64_t stones, uint64_t mask, int column, int8_t* scores
) noexcept nogil

cdef void position_bounds(
    const Geometry* g, uint64_t stones, uint64_t mask, const int8_t* scores, Bounds* bounds
) noexcept nogil

cdef int principal_move(
    const Kernel* kernel, Search* s, uint64_t stones, uint64_t mask, int score
) noexcept nogil


cdef inline bint decided(const Bounds* bounds, bint weak) noexcept nogil:
    """Whether the bounds answer the question: the score, or (weak) win, draw or loss."""
    return bounds.lower >= bounds.upper or (weak and (bounds.lower > 0 or bounds.upper < 0))
