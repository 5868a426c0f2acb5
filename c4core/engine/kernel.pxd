"""The interface between the kernels and all other modules.

A kernel is one translation unit, compiled from kernel.pxi for narrow or wide boards and one kind of
processor. It uses no Python objects, and its structs are private: a caller holds a ``Memory`` for each board
size, and a ``Run`` for each search. All kernels give the same results and visit the same nodes.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t

from c4core.engine.board cimport Board, has_four, popcount, whole_t, word_t

cdef enum:
    ABORTED = -128      # the result of a test that a limit has ended; not a possible score
    NO_SCORE = -128     # in place of a score: no move, unknown, or no guess (c4core/evaluation.py)
    NOT_A_NETWORK = -1
    NO_MEMORY_LEFT = -2

cdef extern from *:
    """
    #define C4_NO_LIMIT UINT64_MAX
    """
    uint64_t NO_LIMIT "C4_NO_LIMIT"     # of nodes

# Bounds on a score for the side to move; a kernel narrows them.
cdef struct Bounds:
    int lower
    int upper

# Called at intervals; returns whether a search must end.
ctypedef bint (*Interrupted)() noexcept nogil

# The limits of a call, common to all its searches.
cdef struct Limits:
    const uint64_t* epoch   # the solver's count of stop() calls
    uint64_t* searched      # its count of nodes
    uint64_t started        # the value of epoch when the call began
    bint timed              # whether there is a deadline
    double deadline         # on the clock of atomics.now()
    uint64_t node_limit     # for each position
    Interrupted interrupted # or NULL

# Shared by all searches of one board: the transposition table, and memories of threads.
ctypedef void Memory

# One search by one thread.
cdef struct Run:
    uint64_t nodes          # positions visited
    uint64_t node_limit     # nodes at which the search stops
    bint stopped            # a limit was reached, so the complete search is over
    uint64_t* proven        # the bounds so far, packed (team_bounds); or NULL; atomic

# One position that several threads solve.
ctypedef void Team

# A batch of positions, shared by its threads; every entry is written by the thread that took it.
cdef struct Batch:
    const Board* g
    Limits limits
    uint64_t count
    uint64_t taken          # positions handed out so far; atomic
    const uint64_t* stones  # a word each, on a wide board the low half and the high half
    const uint64_t* masks
    bint weak
    bint related            # most of the positions are close relatives
    int8_t* lower
    int8_t* upper
    uint64_t* nodes
    int8_t* scores          # width entries a position, or NULL: no columns

# A bound that leaves a transposition table, or enters one.
cdef struct TableBound:
    uint64_t[2] key         # low half, high half
    int8_t score
    uint8_t is_upper
    uint8_t log_nodes

cdef struct Kernel:
    # Create a memory with a table of at most ``most_bytes``; NULL if memory is short. network may be NULL.
    Memory* (*new_memory)(const Board* g, const void* network, size_t most_bytes) noexcept nogil
    # Empty the table. Running searches continue.
    void (*clear_table)(Memory* memory) noexcept nogil
    # Clear the memories of idle threads; with the interpreter lock held.
    void (*forget)(Memory* memory) noexcept nogil
    void (*free_memory)(Memory* memory) noexcept nogil
    # Create a network from its file's bytes after the header: 0, NOT_A_NETWORK or NO_MEMORY_LEFT.
    int (*read_network)(
        const Board* g, int last_ply, const uint8_t* data, size_t size, void** network
    ) noexcept nogil
    # Begin and end a search; with the interpreter lock held. NULL if memory is short.
    Run* (*begin)(Memory* memory, const Limits* limits) noexcept nogil
    void (*end)(Run* run) noexcept nogil
    # Narrow the bounds until they meet (weak: until win, draw or loss is decided) or until a limit.
    void (*solve)(Run* run, whole_t stones, whole_t mask, Bounds* bounds, bint weak) noexcept nogil
    # Find the score of every column, or NO_SCORE, and bounds on the position's own score.
    void (*analyze)(
        Run* run, whole_t stones, whole_t mask, Bounds* bounds, int8_t* scores
    ) noexcept nogil
    # Search one null window and narrow the bounds: 1 if the score is at least beta, 0 if not, ABORTED at a
    # limit or after ``most_nodes``. The game must not be over.
    int (*test)(
        Run* run, whole_t stones, whole_t mask, Bounds* bounds, int beta, uint64_t most_nodes
    ) noexcept nogil
    # Find the column nearest to the centre that reaches the position's score; ABORTED at a limit.
    int (*principal_move)(Run* run, whole_t stones, whole_t mask, int score) noexcept nogil
    # Solve one position with several threads. assemble() returns NULL if memory is short. Each thread joins
    # with its own run, the caller's thread with the run that it passed to assemble(). disband() adds the
    # nodes of all threads to that run and frees the team.
    Team* (*assemble)(
        Run* run, whole_t stones, whole_t mask, const Bounds* bounds, bint weak, uint64_t node_limit
    ) noexcept nogil
    void (*join)(Team* team, Run* run) noexcept nogil
    void (*disband)(Team* team, Run* run, Bounds* bounds) noexcept nogil
    # Do one thread's part of a batch.
    void (*run_batch)(Batch* batch, Run* run) noexcept nogil
    # Copy bounds that cost at least 2**least_work nodes; the caller frees the array. False if memory is
    # short.
    bint (*export_bounds)(
        Memory* memory, int least_work, TableBound** bounds, size_t* count
    ) noexcept nogil
    void (*import_bounds)(Memory* memory, const TableBound* bounds, size_t count) noexcept nogil
    # Copy the score of another column whose move leads to the same position or its mirror image, if any.
    bint (*copy_twin_score)(
        const Board* g, whole_t stones, whole_t mask, int column, int8_t* scores
    ) noexcept nogil
    # Narrow the bounds by the columns' scores.
    void (*position_bounds)(
        const Board* g, whole_t stones, whole_t mask, const int8_t* scores, Bounds* bounds
    ) noexcept nogil
    # The function for one node, for samples.pyx, which is compiled with the kernel's structs.
    void* search


# The boards' structs are shared and never freed. NULL if the size does not fit a bitboard.
cdef const Board* board_of(int width, int height) except? NULL

# The functions of the kernel for a board and this processor.
cdef const Kernel* kernel_of(const Board* g) except NULL

# The functions of the wide kernel for this processor; they work on narrow boards, too.
cdef const Kernel* wide_kernel() except NULL

# The network that orders moves on a board, or NULL if it has none.
cdef const void* network_of(const Board* g) except? NULL

# Let Python handle its signals, during a search in the main thread. interrupted() returns whether a handler
# raised an exception; take_signal_error() returns that exception, or None.
cdef bint interrupted() noexcept nogil
cdef object take_signal_error()


cdef inline uint64_t team_bounds(int lower, int upper) noexcept nogil:
    """Pack two bounds into one word, so that they change together."""
    return (<uint64_t>(lower + 128) << 8) | <uint64_t>(upper + 128)


cdef inline int team_lower(uint64_t bounds) noexcept nogil:
    return <int>(bounds >> 8) - 128


cdef inline int team_upper(uint64_t bounds) noexcept nogil:
    return <int>(bounds & 255) - 128


cdef inline bint decided(const Bounds* bounds, bint weak) noexcept nogil:
    """Return whether the bounds determine the score, or (weak) win, draw or loss."""
    return bounds.lower >= bounds.upper or (weak and (bounds.lower > 0 or bounds.upper < 0))


cdef inline bint game_bounds(
    const Board* g, word_t stones, word_t mask, Bounds* bounds
) noexcept nogil:
    """Return whether the game is over. Set the bounds to its result, or to the limits by number of stones."""
    cdef int ply = popcount(mask)
    if has_four(g, stones ^ mask):
        # The winner's last stone was played when ply - 1 stones were on the board.
        bounds.lower = bounds.upper = -((g.cells + 2 - ply) >> 1)
        return True
    bounds.lower = -((g.cells - ply) >> 1)
    bounds.upper = (g.cells + 1 - ply) >> 1
    return ply == g.cells
