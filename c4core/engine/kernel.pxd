"""The interface between the kernels and all other modules.

A kernel is one translation unit, compiled from kernel.pxi for narrow or wide boards and one kind of
processor. It uses no Python objects, and its structs are private: a caller holds a ``Memory`` for each board
size, and a ``Run`` for each search. All kernels give the same results and visit the same nodes.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t

cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport MAX_COLUMNS, Board, has_four, popcount, whole_t, word_t

cdef enum:
    ABORTED = -128      # the result of a test that a limit has ended; not a possible score
    BUSY = -127         # the result of a test in which all moves are for other workers (together.pxi)
    NO_SCORE = -128     # in place of a score: no move, unknown, or no guess (c4core/evaluation.py)
    NOT_A_NETWORK = -1
    NO_MEMORY_LEFT = -2
    # Instead of a column (next_turn)
    WHOLE_POSITION = -1
    NO_TURN = -2
    FIRST_BUDGET = 10000    # nodes of a column's first turn: enough for the probe of search.pxi
    MORE_BUDGET = 4         # a turn has this many times the nodes of the turn before

cdef extern from *:
    """
    #define C4_NO_LIMIT UINT64_MAX
    """
    uint64_t NO_LIMIT "C4_NO_LIMIT"     # of nodes

# Bounds on a score for the side to move; a kernel narrows them.
cdef struct Bounds:
    int lower
    int upper

# An analysis: proven bounds of a position and its columns, for the side to move, and the plan of the search.
# The bounds never contradict each other (combine_bounds). A full column has NO_SCORE.
cdef struct Columns:
    Bounds position
    int8_t[MAX_COLUMNS] lower
    int8_t[MAX_COLUMNS] upper
    int8_t[MAX_COLUMNS] twin    # the column that is searched for this one: their positions are the same
    int width
    bint related                # the columns are close relatives, so that probing them does not pay
    # The plan
    bint in_turns               # whether turns have budgets
    bint is_first_round
    uint64_t budget             # nodes of a column's turn in this round
    int count                   # turns in this round
    int place                   # turns taken
    int8_t[MAX_COLUMNS + 1] order

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

# One position that several threads solve; begins with its registry (registry.pxd).
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
    # The bounds of columns, width entries a position; or NULL: no columns
    int8_t* column_lower
    int8_t* column_upper

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
    # Start an analysis: the bounds follow from the rules.
    void (*start_columns)(
        const Board* g, whole_t stones, whole_t mask, bint in_turns, Columns* columns
    ) noexcept nogil
    # Narrow the bounds of the position and of every column until they meet or until a limit.
    void (*analyze)(Run* run, whole_t stones, whole_t mask, Columns* columns) noexcept nogil
    # Search one null window and narrow the bounds: 1 if the score is at least beta, 0 if not, ABORTED at a
    # limit or after ``most_nodes``. The game must not be over.
    int (*test)(
        Run* run, whole_t stones, whole_t mask, Bounds* bounds, int beta, uint64_t most_nodes
    ) noexcept nogil
    # Find the column nearest to the centre that reaches the position's score; ABORTED at a limit.
    int (*principal_move)(Run* run, whole_t stones, whole_t mask, int score) noexcept nogil
    # Solve one position with several threads. assemble() returns NULL if memory is short; the run has begun to
    # search the position. Each thread joins with its own run, and join() returns the nodes that it has visited.
    # At the end the caller frees the team, or disband() does, and adds the nodes of all threads to a run.
    Team* (*assemble)(
        const Run* run, whole_t stones, whole_t mask, const Bounds* bounds, bint weak, uint64_t node_limit
    ) noexcept nogil
    uint64_t (*join)(Team* team, const Run* run) noexcept nogil
    void (*disband)(Team* team, Run* run, Bounds* bounds) noexcept nogil
    # Do one thread's part of a batch.
    void (*run_batch)(Batch* batch, Run* run) noexcept nogil
    # Copy bounds that cost at least 2**least_work nodes; the caller frees the array. False if memory is
    # short.
    bint (*export_bounds)(
        Memory* memory, int least_work, TableBound** bounds, size_t* count
    ) noexcept nogil
    void (*import_bounds)(Memory* memory, const TableBound* bounds, size_t count) noexcept nogil
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


cdef inline bint is_limited(const Limits* limits) noexcept nogil:
    return limits.timed or limits.node_limit != NO_LIMIT


cdef inline void combine_bounds(Columns* c) noexcept nogil:
    """Let the bounds of the position and of its columns narrow each other.

    The position's score is the best one of its columns. So no column exceeds the position's upper bound; and if
    only one column can reach the position's lower bound, it does.
    """
    cdef int column, lower = NO_SCORE, upper = NO_SCORE, reaching = 0
    for column in range(c.width):
        if c.lower[column] == NO_SCORE:
            continue
        if c.twin[column] != column:
            c.lower[column] = c.lower[c.twin[column]]
            c.upper[column] = c.upper[c.twin[column]]
        lower = max(lower, <int>c.lower[column])
        upper = max(upper, <int>c.upper[column])
    if lower == NO_SCORE:
        return
    c.position.lower = max(c.position.lower, lower)
    c.position.upper = min(c.position.upper, upper)
    for column in range(c.width):
        if c.lower[column] != NO_SCORE:
            c.upper[column] = <int8_t>min(<int>c.upper[column], c.position.upper)
            reaching += c.twin[column] == column and c.upper[column] >= c.position.lower
    if reaching == 1:
        for column in range(c.width):
            if c.lower[column] != NO_SCORE and c.upper[column] >= c.position.lower:
                c.lower[column] = <int8_t>max(<int>c.lower[column], c.position.lower)


cdef inline bint _is_open(const Columns* c, int column) noexcept nogil:
    if column == WHOLE_POSITION:
        return c.position.lower < c.position.upper
    return c.lower[column] < c.upper[column]


cdef inline bint _is_sooner(const Columns* c, int column, int other) noexcept nogil:
    """Return whether a column that is later in the order is more promising than the other one."""
    if other == WHOLE_POSITION or c.upper[column] < c.upper[other]:
        return False
    return c.upper[column] > c.upper[other] or c.lower[column] > c.lower[other]


cdef inline int next_turn(Columns* c) noexcept nogil:
    """Return the column to search next, WHOLE_POSITION, or NO_TURN if all bounds meet.

    The first round goes from the centre outwards. In later rounds the most promising columns come first.
    With budgets, each round begins with the position itself, because its bounds limit every column.
    """
    cdef int index, place, column, left
    while True:
        while c.place < c.count:
            c.place += 1
            if _is_open(c, c.order[c.place - 1]):
                return c.order[c.place - 1]
        left = 0
        for index in range(c.count):
            column = c.order[index]
            if not _is_open(c, column):
                continue
            place = left
            while place > 0 and _is_sooner(c, column, c.order[place - 1]):
                c.order[place] = c.order[place - 1]
                place -= 1
            c.order[place] = <int8_t>column
            left += 1
        c.count = left
        c.place = 0
        c.is_first_round = False
        if left == 0:
            return NO_TURN
        if c.budget < NO_LIMIT // MORE_BUDGET:
            c.budget *= MORE_BUDGET


cdef inline uint64_t turn_budget(const Columns* c, int column) noexcept nogil:
    """Return the nodes of a turn. The position has as many as all columns of the round together."""
    return c.budget * max(c.count - 1, 1) if column == WHOLE_POSITION else c.budget


cdef inline Bounds turn_bounds(const Columns* c, int column) noexcept nogil:
    """Return the bounds of the position that a turn searches, for its side to move."""
    cdef Bounds bounds = c.position
    if column != WHOLE_POSITION:
        bounds.lower = -c.upper[column]
        bounds.upper = -c.lower[column]
    return bounds


cdef inline void take_bounds(Columns* c, int column, const Bounds* bounds) noexcept nogil:
    """Take over the bounds that a turn has found. Without budgets, bounds are combined only at the end."""
    if column == WHOLE_POSITION:
        c.position = bounds[0]
    else:
        c.lower[column] = <int8_t>-bounds.upper
        c.upper[column] = <int8_t>-bounds.lower
        c.position.lower = max(c.position.lower, -bounds.upper)
    if c.in_turns:
        combine_bounds(c)


cdef inline void publish_bounds(
    const Columns* c, const Bounds* earlier, uint64_t* proven
) noexcept nogil:
    """Publish the position's bounds if they are narrower than before, or exact. ``proven`` may be NULL."""
    cdef bint is_news = c.position.lower != earlier.lower or c.position.upper != earlier.upper
    if proven != NULL and (is_news or c.position.lower == c.position.upper):
        atomics.store(proven, team_bounds(c.position.lower, c.position.upper))
