"""The interface between the solver and the search kernels.

A kernel that runs on every processor is compiled from search.pyx; search_*.pyx compile the same source
for newer ones. ``kernel.pyx`` chooses at import time. All give the same results and node counts.
"""

from libc.stdint cimport int32_t, uint64_t

from c4core.board cimport SQUARES, Geometry
from c4core.bounds cimport Rows
from c4core.foresight cimport Choice
from c4core.ordering cimport Ordering
from c4core.table cimport Table
from c4core.thread_memory cimport ThreadMemory

# Outside every score; what a search returns when it was told to end.
cdef enum:
    ABORTED = -128

cdef enum:
    SEARCHING_BITS = 10
    LATE_EMPTIES = 28       # with fewer empty squares most windows are cheap

# What threads that search one position together know; every word is atomic.
cdef struct Team:
    uint64_t bounds         # the narrowest bounds that any of them has proven, packed
    uint64_t version        # counts their changes
    # Positions that a thread is searching, by the top bits of their mixed keys.
    uint64_t searching[1 << SEARCHING_BITS]

# One running search: one thread, one position. Plain memory; nobody else writes to it.
cdef struct Search:
    const Geometry* g
    const Ordering* ordering
    const Rows* rows
    Table* table
    bint related                    # the table knows close relatives of the position
    # Limits
    const uint64_t* epoch           # the solver's count of stop() calls ..
    uint64_t started                # .. and what it was when this search began
    bint timed                      # whether there is a ..
    double deadline                 # .. on the clock of atomics.now()
    uint64_t node_limit             # total for this search
    bint stopped                    # a limit was reached: the whole search is over
    Team* team                      # or NULL for a search of one thread
    uint64_t version                # of the team's bounds when the running null window began
    bint (*interrupted)() noexcept nogil    # asked now and then whether to end; or NULL
    # Progress; what the pointers lead to is atomic
    uint64_t* searched              # nodes of all searches of the solver, as of their last polls
    uint64_t told                   # nodes of this search that are counted there
    uint64_t* proven                # the bounds so far, packed; or NULL
    # Bookkeeping
    uint64_t nodes                  # positions visited
    uint64_t budget                 # nodes at which the running null window gives up
    uint64_t poll_at                # nodes at which the limits are polled next
    uint64_t polls                  # how often they have been polled
    int32_t history[2][SQUARES]     # [side to move][square]
    ThreadMemory* memory            # nobody else uses it while the search runs
    int last_foreseen               # the network is asked with so many stones at most; -1: never
    bint thorough                   # it is asked in short windows as well: for samples
    # Asks the network; the kernel's own. Inlined, its lists would be part of every node's stack frame.
    void (*look)(Search* s, const Choice* choice, int32_t* rank) noexcept nogil
    # Called with every choice up to there, before the network is asked (order_samples.pyx); or NULL.
    void (*watch)(Search* s, const Choice* choice, const int32_t* rank) noexcept nogil
    void* watcher                   # its own

# Bounds on a score for the side to move; a kernel narrows them.
cdef struct Bounds:
    int lower
    int upper

cdef enum:
    NO_GUESS = 127      # above every score

cdef struct Kernel:
    # Narrow the bounds until they meet (weak: until win, draw or loss is decided) or until a limit.
    # The game must not be over, and the given bounds must hold. A guess near the score saves windows.
    void (*solve)(
        Search* s, uint64_t stones, uint64_t mask, int ply, Bounds* bounds, bint weak, int guess
    ) noexcept nogil
    # A node of the search (search.pyx has the contract), for who watches it.
    int (*search)(
        Search* s, uint64_t own, uint64_t mask, uint64_t own_wins, uint64_t opp_wins, int last, int ply,
        int beta
    ) noexcept nogil
    # One null window: 1 if the score is at least beta, 0 if not, ABORTED at a limit. Narrows the bounds.
    int (*test)(
        Search* s, uint64_t stones, uint64_t mask, int ply, Bounds* bounds, int beta
    ) noexcept nogil

cdef const Kernel* chosen_kernel() except NULL


cdef inline uint64_t team_bounds(int lower, int upper) noexcept nogil:
    """Two bounds in one word, so that they change together."""
    return (<uint64_t>(lower + 128) << 8) | <uint64_t>(upper + 128)


cdef inline int team_lower(uint64_t bounds) noexcept nogil:
    return <int>(bounds >> 8) - 128


cdef inline int team_upper(uint64_t bounds) noexcept nogil:
    return <int>(bounds & 255) - 128
