"""``Solver``: the engine's interface to Python.

A position is passed to the engine as two words (engine/board.pxd draws the layout): ``stones`` of the side
to move, ``mask`` of both sides. A batch is passed as two arrays of such words. Narrow and wide boards have
separate kernels; this module works with both. The engine uses no Python objects and runs without the
interpreter lock.
"""

from _thread import allocate_lock, start_new_thread
from os import urandom
from struct import Struct
from time import monotonic, perf_counter

from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject, PyObject_GenericSetAttr, PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_New, PyTuple_SET_ITEM
from libc.math cimport INFINITY, isnan
from libc.stdint cimport int8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from c4core.arrays cimport words_of_batch
from c4core.book.book cimport Book
from c4core.book.storage cimport Storage
cimport c4core.engine.atomics as atomics
from c4core.engine.board cimport (
    MAX_COLUMNS,
    Board,
    column_mask,
    columns_from_centre,
    has_four,
    is_narrow,
    playable_squares,
    popcount,
    word_t,
)
from c4core.engine.kernel cimport (
    ABORTED,
    FIRST_BUDGET,
    NO_LIMIT,
    NO_SCORE,
    Batch,
    NO_TURN,
    WHOLE_POSITION,
    Bounds,
    Columns,
    Kernel,
    Limits,
    Memory,
    Run,
    TableBound,
    Team,
    combine_bounds,
    game_bounds,
    interrupted,
    is_limited,
    kernel_of,
    network_of,
    next_turn,
    publish_bounds,
    take_bounds,
    take_signal_error,
    team_bounds,
    team_lower,
    team_upper,
    turn_bounds,
    turn_budget,
)
from c4core.engine.registry cimport (
    CHANCE_SHIFT,
    FIRST_PROCESS,
    Notice,
    Outbox,
    Registry,
    drop_claims,
    narrow,
    take_notices,
)
from c4core.position cimport Position, as_position, read_board

from c4core.evaluation import Analysis, Evaluation
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.version import ENGINE_VERSION as _ENGINE_VERSION

cdef object _NO_ARGUMENTS = ()

# The board of a text of moves.
cdef const Board* _DEFAULT = read_board(DEFAULT_BOARD)


cdef inline object _new_object(type cls):
    """``object.__new__(cls)``."""
    return (<PyTypeObject*>cls).tp_new(cls, <PyObject*>_NO_ARGUMENTS, NULL)


cdef enum:
    MAX_BOARDS = 448    # more than the number of board sizes
    MAX_THREADS = 1024
    MAX_TABLE_MB = 1 << 30
    MAX_ASKED = 100     # above every score
    MAX_SCORE = 59      # the highest score of any board (engine/table.pxi)
    NARROW_SCORE = 29   # the highest score of a narrow board
    MAX_LOG_NODES = 31  # binary logarithm of the nodes of a bound in a table
    TAKE = 16           # positions of a batch that justify one thread
    PROBES = 64         # lookups in a book between polls of the limits (about 0.05 ms)
    SOLO_NODES = 50000  # nodes before a call starts threads for its position (about 5 ms)
    SHARED_NODES = 200000   # nodes of all threads for a column, in the first round that they share
    REMOTE_SPLIT_NODES = 1 << 20    # a position that has cost fewer nodes is not shared with other processes
    REMOTE_BOUND_NODES = 1 << 14    # nor is a bound that has cost fewer
    PROCESS_BYTES = 5               # of the random number of a process


cdef int _number(str name, object value, int least, int most) except -1:
    """Return an argument as a whole number; TypeError if it is not one, ValueError if out of range."""
    number = PyNumber_Index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be between {least} and {most}, not {number}")
    return number


# The engine's memory for one board size. An empty entry has g == NULL. A table in use is not freed.
cdef struct BoardTable:
    const Board* g
    const Kernel* kernel
    Memory* memory
    int users               # calls that use it; guarded by the interpreter lock

# One call for one position.
cdef struct Call:
    Limits limits
    Run* run
    BoardTable* board       # this call is one of its users
    double start            # on the clock of atomics.now()

# One position that helper threads solve with the caller.
cdef struct Together:
    const Kernel* kernel
    Memory* memory
    const Limits* limits
    Team* team

# One batch that helper threads search with the caller.
cdef struct SharedBatch:
    const Kernel* kernel
    Memory* memory
    Batch* batch

# Seconds between a batch's checks for signals; each check may have to wait for the interpreter lock.
cdef double INTERRUPT_SECONDS = 0.025


cdef bint _is_stopped(const Limits* limits, double* asked) noexcept nogil:
    """Return whether a batch must end. Check for signals if INTERRUPT_SECONDS have passed since ``asked``."""
    cdef double now = atomics.now()
    if atomics.load(limits.epoch) != limits.started or (limits.timed and now >= limits.deadline):
        return True
    if now - asked[0] <= INTERRUPT_SECONDS:
        return False
    asked[0] = now
    return limits.interrupted()


# The Python constructor of a frozen dataclass takes longer than the search of an easy position. So these two
# functions set the fields directly.

cdef object _evaluation(const Bounds* bounds, uint64_t nodes, double seconds):
    cdef object evaluation = _new_object(Evaluation)
    PyObject_GenericSetAttr(evaluation, "lower", bounds.lower)
    PyObject_GenericSetAttr(evaluation, "upper", bounds.upper)
    PyObject_GenericSetAttr(evaluation, "nodes", nodes)
    PyObject_GenericSetAttr(evaluation, "seconds", seconds)
    return evaluation


# Equal bounds as Python objects, because most analyses have only these.
cdef tuple _EXACT = tuple([(score, score) for score in range(-MAX_SCORE, MAX_SCORE + 1)])


cdef inline void _put(tuple values, int index, object value):
    """Set an item of a new tuple."""
    Py_INCREF(value)
    PyTuple_SET_ITEM(values, index, value)


cdef object _analysis(const Columns* columns, uint64_t nodes, double seconds):
    cdef object analysis = _new_object(Analysis)
    cdef tuple scores = PyTuple_New(columns.width), bounds = PyTuple_New(columns.width), pair
    cdef int column, lower, upper
    for column in range(columns.width):
        lower = columns.lower[column]
        upper = columns.upper[column]
        if lower < upper:
            _put(scores, column, None)
            _put(bounds, column, (lower, upper))
        elif lower == NO_SCORE:
            _put(scores, column, None)
            _put(bounds, column, None)
        else:
            pair = <tuple>PyTuple_GET_ITEM(_EXACT, lower + MAX_SCORE)
            _put(scores, column, <object>PyTuple_GET_ITEM(pair, 0))
            _put(bounds, column, pair)
    PyObject_GenericSetAttr(analysis, "scores", scores)
    PyObject_GenericSetAttr(analysis, "bounds", bounds)
    PyObject_GenericSetAttr(analysis, "lower", columns.position.lower)
    PyObject_GenericSetAttr(analysis, "upper", columns.position.upper)
    PyObject_GenericSetAttr(analysis, "nodes", nodes)
    PyObject_GenericSetAttr(analysis, "seconds", seconds)
    return analysis


cdef class Solver:
    """Solver(*, table_mb=8, threads=1, book=None)\n--\n
    An exact solver with a transposition table.

    Any number of threads may use one solver at the same time. They share its table, and none holds the
    interpreter lock while it searches. Exact scores do not depend on the number of threads or on earlier
    searches. Node counts do, and so do the bounds of a stopped search.

    Args:
        table_mb: megabytes of the transposition table, rounded down to a power of two. A table
            that fits the processor's cache is best for single positions. Each board size has its
            own table. A table for a new board size replaces all tables that no call is using.
        threads: number of threads that search one position or a batch.
        book: the book to query first; a position found there takes 0 nodes.

    Raises:
        ValueError: ``table_mb`` or ``threads`` is less than 1, or unrealistically large.
    """

    cdef readonly int table_mb
    cdef readonly int threads
    cdef readonly Book book
    cdef uint64_t _epoch                    # counts stop() calls; atomic
    cdef uint64_t _searched                 # counts nodes; running searches add theirs with a delay; atomic
    cdef uint64_t _proven                   # packed bounds of the current position, or 0; atomic
    cdef int _board_count
    cdef BoardTable[MAX_BOARDS] _boards

    def __cinit__(self, *, table_mb=8, threads=1, Book book=None):
        self.table_mb = _number("table_mb", table_mb, 1, MAX_TABLE_MB)
        self.threads = _number("threads", threads, 1, MAX_THREADS)
        self.book = book

    def __dealloc__(self):
        cdef int index
        for index in range(self._board_count):
            if self._boards[index].g != NULL:
                self._boards[index].kernel.free_memory(self._boards[index].memory)

    def __repr__(self):
        book = "" if self.book is None else f", book={self.book!r}"
        return f"Solver(table_mb={self.table_mb}, threads={self.threads}{book})"

    cdef BoardTable* _find(self, const Board* g) noexcept:
        """Return the table for a board size, or NULL."""
        cdef int index
        for index in range(self._board_count):
            if self._boards[index].g == g:
                return &self._boards[index]
        return NULL

    cdef BoardTable* _take(self, const Board* g) except NULL:
        """Return the table for a board size. The caller becomes its user until :meth:`_end`.

        Each board size has its own table, because keys of different boards may be equal. A new table
        replaces all unused tables, so that idle tables take no memory.
        """
        cdef int index
        cdef BoardTable* place = NULL
        cdef const void* network = network_of(g)     # other threads may run while it reads the file
        cdef BoardTable* board = self._find(g)
        if board != NULL:
            board.users += 1
            return board
        for index in range(self._board_count):
            board = &self._boards[index]
            if board.users == 0:
                if board.g != NULL:
                    board.kernel.free_memory(board.memory)
                board.g = NULL
                place = board
        if place == NULL:
            place = &self._boards[self._board_count]
            self._board_count += 1
        place.kernel = kernel_of(g)
        place.memory = place.kernel.new_memory(g, network, <size_t>self.table_mb << 20)
        if place.memory == NULL:
            raise MemoryError(f"no memory for a table of {self.table_mb} MB")
        place.g = g
        place.users = 1
        return place

    cdef int _set_limits(self, Limits* limits, object time_limit, object node_limit) except -1:
        cdef double seconds
        limits.epoch = &self._epoch
        limits.searched = &self._searched
        limits.started = atomics.load(&self._epoch)
        limits.timed = False
        limits.node_limit = NO_LIMIT
        limits.interrupted = interrupted
        if time_limit is not None:
            seconds = time_limit
            if isnan(seconds) or seconds < 0:
                raise ValueError(f"time_limit must be at least 0 seconds, not {time_limit!r}")
            limits.timed = True
            limits.deadline = atomics.now() + seconds
        if node_limit is not None:
            nodes = PyNumber_Index(node_limit)
            if nodes < 0:
                raise ValueError(f"node_limit must be at least 0, not {nodes}")
            limits.node_limit = min(nodes, NO_LIMIT)
        return 0

    def solve(self, position, *, bint weak=False, time_limit=None, node_limit=None):
        """Return the score of a position for its side to move.

        Args:
            position: any position, even a finished game; or its moves on 7x6 as text.
            weak: only decide between win, draw and loss; the bounds may still differ.
            time_limit: seconds after which the search ends with the bounds proven so far.
            node_limit: positions to visit at most; then the search ends as at the time limit.

        Returns:
            An :class:`~c4core.evaluation.Evaluation`; its ``score`` is ``None`` if the bounds differ.

        Raises:
            MoveError: the text is not a line of moves.
            ValueError: a limit is negative.
            MemoryError: no memory for the table.
            BookDamagedError: the book's data about the position is damaged.
        """
        cdef Call call
        cdef Bounds bounds
        cdef Position asked = as_position(position, _DEFAULT)
        self._begin(&call, asked, time_limit, node_limit)
        try:
            if not self._has_answer(asked.g, asked.stones, asked.mask, &bounds, NULL):
                self._solve(&call, asked.stones, asked.mask, &bounds, weak)
        finally:
            self._end(&call)
        return _evaluation(&bounds, call.run.nodes, atomics.now() - call.start)

    def test(self, position, beta, *, time_limit=None, node_limit=None):
        """Search one null window: does the position score at least ``beta`` for its side to move?

        Args:
            position: any position, even a finished game; or its moves on 7x6 as text.
            beta: the score in question; it may be outside the possible scores.
            time_limit: seconds after which the search ends with the bounds proven so far.
            node_limit: positions to visit at most; then the search ends as at the time limit.

        Returns:
            An :class:`~c4core.evaluation.Evaluation` whose lower bound is at least ``beta``, or whose
            upper bound is less. Neither holds if a limit or :meth:`stop` ended the search.

        Raises:
            MoveError: the text is not a line of moves.
            ValueError: a limit is negative.
            MemoryError: no memory for the table.
            BookDamagedError: the book's data about the position is damaged.
        """
        cdef Call call
        cdef Bounds bounds
        cdef Position asked = as_position(position, _DEFAULT)
        cdef word_t stones = asked.stones, mask = asked.mask
        cdef int least = max(-MAX_ASKED, min(MAX_ASKED, PyNumber_Index(beta)))
        self._begin(&call, asked, time_limit, node_limit)
        try:
            if (
                not self._has_answer(asked.g, stones, mask, &bounds, NULL)
                and not game_bounds(asked.g, stones, mask, &bounds)
                and bounds.lower < least <= bounds.upper
            ):
                self._test(&call, stones, mask, &bounds, least)
        finally:
            self._end(&call)
        return _evaluation(&bounds, call.run.nodes, atomics.now() - call.start)

    def analyze(self, position, *, time_limit=None, node_limit=None):
        """Return the score of every column of a position for its side to move.

        With a limit, the position and its columns are searched in turns of growing length. Without a limit,
        one column is solved after the other, which takes less time in total.

        Args:
            position: any position, or its moves on 7x6 as text; a finished game has no columns to play.
            time_limit: seconds after which the search ends with the bounds of every column proven so far.
            node_limit: positions to visit at most; then the search ends as at the time limit.

        Returns:
            An :class:`~c4core.evaluation.Analysis`.

        Raises:
            MoveError: the text is not a line of moves.
            ValueError: a limit is negative.
            MemoryError: no memory for the table.
            BookDamagedError: the book's data about the position or its columns is damaged.
        """
        cdef Call call
        cdef Columns columns
        cdef Position asked = as_position(position, _DEFAULT)
        self._begin(&call, asked, time_limit, node_limit)
        try:
            if self._has_answer(asked.g, asked.stones, asked.mask, &columns.position, columns.lower):
                columns.width = asked.g.width
                memcpy(columns.upper, columns.lower, columns.width)
            else:
                self._analyze(&call, asked.stones, asked.mask, &columns)
        finally:
            self._end(&call)
        return _analysis(&columns, call.run.nodes, atomics.now() - call.start)

    def principal_variation(self, position):
        """Return a line of best play to the end of the game, as 0-based columns.

        If several moves are best, it takes the one nearest to the centre. The line is empty if the
        game is over, and ends early if :meth:`stop` is called.

        Args:
            position: any position, or its moves on 7x6 as text.

        Raises:
            MoveError: the text is not a line of moves.
            MemoryError: no memory for the table.
            BookDamagedError: the book's data about a position of the line is damaged.
        """
        cdef Call call
        cdef Position asked = as_position(position, _DEFAULT)
        self._begin(&call, asked, None, None)
        try:
            return tuple(self._line(&call, asked.g, asked.stones, asked.mask))
        finally:
            self._end(&call)

    cdef list _line(self, Call* call, const Board* g, word_t stones, word_t mask):
        """Return the columns of best play. They come from the book as long as it has the positions."""
        cdef Bounds bounds
        cdef int score, column
        cdef list line = []
        call.run.proven = NULL    # progress shows no bounds of the line's positions
        while self._has_move(g, stones, mask, &column):
            line.append(column)
            stones, mask = stones ^ mask, mask | (mask + (<word_t>1 << (column * g.stride)))
        self._solve(call, stones, mask, &bounds, False)
        score = bounds.lower
        while not call.run.stopped and popcount(mask) < g.cells and not has_four(g, stones ^ mask):
            with nogil:
                column = call.board.kernel.principal_move(call.run, stones, mask, score)
            self._reraise()
            if column == ABORTED:
                break
            line.append(column)
            stones, mask = stones ^ mask, mask | (mask + (<word_t>1 << (column * g.stride)))
            score = -score
        return line

    cdef Storage _book_scores(self, const Board* g):
        """Return the book's scores, or None if the book is for another board.

        The file stays open while the caller holds them.
        """
        if self.book is None or self.book._ranking.r.g != g:
            return None
        return self.book._held()

    cdef bint _known(
        self, Storage storage, word_t stones, word_t mask, int8_t* score, int8_t* scores
    ) except -1 nogil:
        """Look a position up in the book. Return whether its score is found.

        If ``scores`` is not NULL, the scores of all columns must be found, too.
        """
        # After the book's last ply, the book has neither the position nor all of its columns.
        cdef int found = self.book._probe(storage, stones, mask, False)
        if found == NO_SCORE:
            return False
        score[0] = <int8_t>found
        return scores == NULL or self.book._columns(storage, stones, mask, scores) == 0

    cdef bint _has_answer(
        self, const Board* g, word_t stones, word_t mask, Bounds* bounds, int8_t* scores
    ) except -1:
        """Return whether the book has the score, and the columns' scores if ``scores`` is not NULL."""
        cdef Storage storage = self._book_scores(g)
        cdef int8_t score
        if storage is None or not self._known(storage, stones, mask, &score, scores):
            return False
        bounds.lower = bounds.upper = score
        return True

    cdef bint _has_move(
        self, const Board* g, word_t stones, word_t mask, int* column
    ) except -1:
        """Return whether the book has the best moves; ``column`` receives the one nearest to the centre."""
        cdef Bounds bounds
        cdef int8_t[MAX_COLUMNS] scores
        cdef int[MAX_COLUMNS] columns
        cdef int index
        if not self._has_answer(g, stones, mask, &bounds, scores):
            return False
        for index in range(columns_from_centre(g, columns)):
            column[0] = columns[index]
            if scores[column[0]] == bounds.lower:
                return True
        return False

    cdef int _begin(
        self, Call* call, Position position, object time_limit, object node_limit
    ) except -1:
        """Prepare a call for one position; the caller ends it with :meth:`_end`."""
        self._set_limits(&call.limits, time_limit, node_limit)
        call.board = self._take(position.g)
        call.run = call.board.kernel.begin(call.board.memory, &call.limits)
        if call.run == NULL:
            call.board.users -= 1
            raise MemoryError("no memory for a search")
        call.run.proven = &self._proven
        atomics.store(&self._proven, 0)
        call.start = atomics.now()
        return 0

    cdef void _end(self, Call* call) noexcept:
        """Count the last nodes of a call and release its table."""
        call.board.kernel.end(call.run)
        call.board.users -= 1

    cdef int _solve(
        self, Call* call, word_t stones, word_t mask, Bounds* bounds, bint weak
    ) except -1:
        """Solve with this thread alone; after SOLO_NODES nodes continue with all threads."""
        cdef uint64_t limit = call.limits.node_limit
        if self.threads > 1:
            call.run.node_limit = min(limit, call.run.nodes + SOLO_NODES)
        with nogil:
            call.board.kernel.solve(call.run, stones, mask, bounds, weak)
        call.run.node_limit = limit
        self._reraise()
        if call.run.stopped and self._may_go_on(call):
            self._solve_together(call, stones, mask, bounds, weak, NO_LIMIT)
        return 0

    cdef int _test(
        self, Call* call, word_t stones, word_t mask, Bounds* bounds, int beta
    ) except -1:
        """Search a null window with this thread alone; after SOLO_NODES nodes continue with all threads."""
        cdef uint64_t limit = call.limits.node_limit
        cdef Bounds window
        if self.threads > 1:
            call.run.node_limit = min(limit, <uint64_t>SOLO_NODES)
        with nogil:
            call.board.kernel.test(call.run, stones, mask, bounds, beta, NO_LIMIT)
        call.run.node_limit = limit
        self._reraise()
        if not call.run.stopped or not self._may_go_on(call):
            return 0
        # For the threads, the score is beta - 1 or beta; progress must not show these as proven.
        window.lower, window.upper = beta - 1, beta
        call.run.proven = NULL
        self._solve_together(call, stones, mask, &window, False, NO_LIMIT)
        if window.lower >= beta:
            bounds.lower = max(bounds.lower, window.lower)
        elif window.upper < beta:
            bounds.upper = min(bounds.upper, window.upper)
        atomics.store(&self._proven, team_bounds(bounds.lower, bounds.upper))
        return 0

    cdef int _analyze(self, Call* call, word_t stones, word_t mask, Columns* columns) except -1:
        """Analyze with this thread alone; later all threads share every turn.

        Threads do not probe for quick wins. So if turns have budgets, this thread does the first round.
        """
        cdef const Board* g = call.board.g
        cdef const Kernel* kernel = call.board.kernel
        cdef word_t move
        cdef Bounds bounds, earlier
        cdef int column
        cdef bint in_turns = is_limited(&call.limits)
        cdef uint64_t solo = 2 * FIRST_BUDGET * g.width if in_turns else SOLO_NODES
        if self.threads > 1:
            call.run.node_limit = min(call.limits.node_limit, solo)
        with nogil:
            kernel.start_columns(g, stones, mask, in_turns, columns)
            kernel.analyze(call.run, stones, mask, columns)
        call.run.node_limit = call.limits.node_limit
        self._reraise()
        if not call.run.stopped:
            return 0
        earlier = columns.position
        columns.budget = max(columns.budget, <uint64_t>SHARED_NODES)
        while self._may_go_on(call):
            column = next_turn(columns)
            if column == NO_TURN:
                break
            earlier = columns.position
            bounds = turn_bounds(columns, column)
            if column == WHOLE_POSITION:
                self._solve_together(call, stones, mask, &bounds, False, turn_budget(columns, column))
            else:
                move = playable_squares(g, mask) & column_mask(g, column)
                self._solve_together(
                    call, stones ^ mask, mask | move, &bounds, False, turn_budget(columns, column)
                )
            take_bounds(columns, column, &bounds)
            publish_bounds(columns, &earlier, &self._proven)
        combine_bounds(columns)
        publish_bounds(columns, &earlier, &self._proven)
        return 0

    cdef bint _may_go_on(self, Call* call):
        """Return whether a search stopped only at SOLO_NODES, so that all threads may continue it."""
        return (
            self.threads > 1
            and call.limits.node_limit - call.run.nodes >= <uint64_t>self.threads
            and atomics.load(&self._epoch) == call.limits.started
            and not (call.limits.timed and atomics.now() >= call.limits.deadline)
        )

    cdef int _solve_together(
        self, Call* call, word_t stones, word_t mask, Bounds* bounds, bint weak, uint64_t budget
    ) except -1:
        """Solve with all threads, starting from the given bounds, with at most ``budget`` nodes.

        The nodes of all threads are added to the call's.

        The threads share the table and a registry of the positions that they search (engine/together.pxi).
        """
        cdef Together together
        cdef list helpers = []
        cdef uint64_t limit = call.limits.node_limit
        if limit != NO_LIMIT:
            limit -= call.run.nodes
        limit = min(limit, budget)
        if limit != NO_LIMIT:
            limit //= self.threads
        together.kernel = call.board.kernel
        together.memory = call.board.memory
        together.limits = &call.limits
        together.team = together.kernel.assemble(call.run, stones, mask, bounds, weak, limit)
        if together.team == NULL:
            raise MemoryError("no memory for a search")
        try:
            _call_helpers(helpers, self.threads - 1, _help_position, <size_t>&together)
            with nogil:
                together.kernel.join(together.team, call.run)
            self._reraise()
        finally:
            try:
                self._wait_for(helpers)
            finally:
                together.kernel.disband(together.team, call.run, bounds)
        return 0

    def solve_many(
        self,
        positions,
        *,
        board=DEFAULT_BOARD,
        bint weak=False,
        bint related=False,
        threads=None,
        node_limit=None,
        time_limit=None,
    ):
        """Return the scores of many positions, without Python code for each of them.

        Args:
            positions: positions, or texts of moves, or an array of keys (uint64, ``Position.key``).
            board: the board of texts and keys, a :class:`~c4core.notation.BoardSize` or text
                (``"8x7"``); 7x6 by default.
            weak: as in :meth:`solve`.
            related: whether the positions have common ancestors a few plies up and are ordered by
                them, as in a unit of a book. The search then skips its probe for quick wins, which
                would cost more than it saves. The scores are the same.
            threads: number of threads; None for the solver's own number.
            node_limit: positions to visit at most for each entry.
            time_limit: seconds for the complete batch.

        Returns:
            A :class:`~c4core.batch.BatchEvaluation` in the order of the positions.

        Raises:
            MoveError, KeyValueError, BoardError: an entry is not a position of the board.
            ValueError: a limit is negative.
        """
        from c4core.batch import BatchEvaluation

        start = perf_counter()
        lower, upper, nodes, _, _ = self._many(
            positions, board, weak, related, threads, node_limit, time_limit, False
        )
        return BatchEvaluation(lower, upper, nodes, perf_counter() - start)

    def analyze_many(
        self, positions, *, board=DEFAULT_BOARD, threads=None, node_limit=None, time_limit=None
    ):
        """Return the scores of all columns of many positions; arguments as in :meth:`solve_many`.

        Returns:
            A :class:`~c4core.batch.BatchAnalysis` in the order of the positions.
        """
        from c4core.batch import BatchAnalysis

        start = perf_counter()
        lower, upper, nodes, column_lower, column_upper = self._many(
            positions, board, False, False, threads, node_limit, time_limit, True
        )
        return BatchAnalysis(
            lower, upper, nodes, perf_counter() - start, column_lower, column_upper
        )

    cdef tuple _many(
        self,
        object positions,
        object board,
        bint weak,
        bint related,
        object threads,
        object node_limit,
        object time_limit,
        bint columns,
    ):
        """Solve or analyze a batch.

        Return arrays of lower bounds, upper bounds and nodes, and of lower and upper bounds of the columns.
        """
        import numpy as np

        cdef Batch batch
        cdef int workers = self.threads
        if threads is not None:
            workers = _number("threads", threads, 1, MAX_THREADS)
        self._set_limits(&batch.limits, time_limit, node_limit)
        atomics.store(&self._proven, 0)
        batch.g = read_board(board)
        stones, masks = words_of_batch(positions, &batch.g)
        batch.weak = weak
        batch.related = related
        storage = self._book_scores(batch.g)
        if storage is None:
            return self._search_many(&batch, stones, masks, workers, columns)
        known, scores = self._book_many(&batch, storage, stones, masks, columns)
        rest = np.flatnonzero(known == NO_SCORE)
        found = self._search_many(&batch, stones[rest], masks[rest], workers, columns)
        arrays = (
            known, known.copy(), np.zeros(len(known), dtype=np.uint64),
            scores, None if scores is None else scores.copy(),
        )
        for whole, part in zip(arrays, found):
            if whole is not None:
                whole[rest] = part
        return arrays

    cdef tuple _book_many(
        self,
        const Batch* batch,
        Storage storage,
        const uint64_t[::1] stones,
        const uint64_t[::1] masks,
        bint columns,
    ):
        """Return the scores in the book (NO_SCORE if a position is not in it) and the column scores.

        After a stop the rest of the batch is not looked up.
        """
        import numpy as np

        cdef Py_ssize_t index
        cdef int8_t score
        cdef int8_t* row = NULL
        cdef double asked = atomics.now()
        cdef int8_t[::1] known_view
        cdef int8_t[:, ::1] scores_view
        known = np.full(stones.shape[0], NO_SCORE, dtype=np.int8)
        scores = np.empty((stones.shape[0], batch.g.width), dtype=np.int8) if columns else None
        known_view = known
        if columns:
            scores_view = scores
        with nogil:
            for index in range(stones.shape[0]):
                if index % PROBES == 0 and _is_stopped(&batch.limits, &asked):
                    break
                if columns:
                    row = &scores_view[index, 0]
                if self._known(storage, stones[index], masks[index], &score, row):
                    known_view[index] = score
        self._reraise()
        return known, scores

    cdef tuple _search_many(
        self, Batch* batch, object stones, object masks, int workers, bint columns
    ):
        """Search a batch whose board, limits and kind are set. Return the same arrays as :meth:`_many`."""
        import numpy as np

        cdef const uint64_t[::1] stones_view, masks_view
        cdef int8_t[::1] lower_view, upper_view
        cdef int8_t[:, ::1] column_lower_view, column_upper_view
        cdef uint64_t[::1] nodes_view
        cdef BoardTable* board
        count = len(stones)
        lower = np.empty(count, dtype=np.int8)
        upper = np.empty(count, dtype=np.int8)
        nodes = np.empty(count, dtype=np.uint64)
        column_lower = np.empty((count, batch.g.width), dtype=np.int8) if columns else None
        column_upper = np.empty((count, batch.g.width), dtype=np.int8) if columns else None
        if count == 0:
            return lower, upper, nodes, column_lower, column_upper
        stones_view, masks_view = stones.reshape(-1), masks.reshape(-1)
        lower_view, upper_view, nodes_view = lower, upper, nodes
        batch.count = count
        batch.taken = 0
        batch.stones = &stones_view[0]
        batch.masks = &masks_view[0]
        batch.lower = &lower_view[0]
        batch.upper = &upper_view[0]
        batch.nodes = &nodes_view[0]
        batch.column_lower = batch.column_upper = NULL
        if columns:
            column_lower_view, column_upper_view = column_lower, column_upper
            batch.column_lower = &column_lower_view[0, 0]
            batch.column_upper = &column_upper_view[0, 0]
        board = self._take(batch.g)
        try:
            self._share(batch, board, min(workers, (count + TAKE - 1) // TAKE))
        finally:
            board.users -= 1
        return lower, upper, nodes, column_lower, column_upper

    cdef int _share(self, Batch* batch, BoardTable* board, int workers) except -1:
        """Run the batch in this thread and ``workers - 1`` helper threads."""
        cdef SharedBatch shared
        cdef list helpers = []
        cdef Run* run = board.kernel.begin(board.memory, &batch.limits)
        if run == NULL:
            raise MemoryError("no memory for a search")
        shared.kernel = board.kernel
        shared.memory = board.memory
        shared.batch = batch
        try:
            _call_helpers(helpers, workers - 1, _help, <size_t>&shared)
            with nogil:
                board.kernel.run_batch(batch, run)
            self._reraise()
        finally:
            try:
                self._wait_for(helpers)
            finally:
                board.kernel.end(run)
        return 0

    cdef int _wait_for(self, list helpers) except -1:
        """Wait until the helper threads have ended, even if signal handlers raise exceptions.

        The threads use this thread's stack, so the caller must not return before they have ended.
        """
        cdef object raised = None
        for ended in helpers:
            while True:
                try:
                    ended.acquire()
                    break
                except BaseException as error:
                    atomics.add(&self._epoch, 1)
                    raised = error
        if raised is not None:
            raise raised
        return 0

    cdef int _reraise(self) except -1:
        """Raise the exception of a signal handler that ran during the search, if any."""
        raised = take_signal_error()
        if raised is not None:
            self.stop()
            raise raised
        return 0

    @property
    def progress(self):
        """The progress of searches: nodes, lower bound and upper bound. Any thread may read it.

        The nodes are counted over all searches since the solver was created; each running thread lags
        behind by up to some thousands. The bounds belong to the position that :meth:`solve` or
        :meth:`analyze` was last called with, for its side to move. They are ``None`` while nothing
        is proven, and in batches.
        """
        cdef uint64_t proven = atomics.load(&self._proven)
        nodes = atomics.load(&self._searched)
        if proven == 0:
            return nodes, None, None
        return nodes, team_lower(proven), team_upper(proven)

    def stop(self):
        """End every running call at once, from any thread. Later calls are not affected."""
        atomics.add(&self._epoch, 1)

    def table_bounds(self, *, board=DEFAULT_BOARD, least_nodes=8192):
        """Export the bounds of the transposition table, for the table of another solver.

        Searches may continue meanwhile. Positions near the end of the game, which cost little, are in
        separate tables of the threads and are not exported.

        Args:
            board: the size of the board.
            least_nodes: export only bounds that took at least this many nodes, rounded up to a power of two.

        Returns:
            An unordered array of the type that :func:`c4core.batch.bound_type` returns for the board. With
            few stones, a position and its mirror image share an entry, under the smaller key.

        Raises:
            BoardError: impossible size.
        """
        import numpy as np

        from c4core.batch import TABLE_BOUND, bound_type

        cdef const Board* g = read_board(board)
        cdef BoardTable* table = self._find(g)
        cdef int least_work = max(PyNumber_Index(least_nodes) - 1, 0).bit_length()
        cdef TableBound* found = NULL
        cdef size_t count = 0
        cdef bint has_memory = True
        cdef unsigned char[::1] view
        if table != NULL:
            table.users += 1
            with nogil:
                has_memory = table.kernel.export_bounds(table.memory, least_work, &found, &count)
            table.users -= 1
        try:
            if not has_memory:
                raise MemoryError("no memory for the bounds of the table")
            copied = np.empty(count, dtype=TABLE_BOUND)
            assert copied.itemsize == sizeof(TableBound)
            if count:
                view = copied.view(np.uint8)
                memcpy(&view[0], found, count * sizeof(TableBound))
        finally:
            free(found)
        return _convert(copied, bound_type(BoardSize(g.width, g.height)))

    def add_bounds(self, bounds, *, board=DEFAULT_BOARD):
        """Add bounds to the transposition table, as if this solver had found them.

        Running searches use them at once. False bounds make scores wrong.

        Args:
            bounds: an array from :meth:`table_bounds` for the same board. A bound replaces the old bound of
                its position, or else the bound of another position that took few nodes.
            board: the size of the board.

        Raises:
            TypeError: ``bounds`` is not such an array.
            ValueError: a score or a number of nodes is impossible.
            KeyValueError: a key does not belong to a position.
            BoardError: impossible size.
            MemoryError: no memory for the table.
        """
        import numpy as np

        from c4core.batch import TABLE_BOUND

        cdef const Board* g = read_board(board)
        cdef BoardTable* table
        cdef const unsigned char[::1] view
        _check_bounds(bounds, BoardSize(g.width, g.height))
        keys = bounds["key"]
        if "key_high" in bounds.dtype.names:
            keys = np.stack((keys, bounds["key_high"]), axis=1)
        words_of_batch(keys, &g)
        if len(bounds) == 0:
            return
        view = _convert(bounds, TABLE_BOUND).view(np.uint8)
        table = self._take(g)
        with nogil:
            table.kernel.import_bounds(
                table.memory, <const TableBound*>&view[0], view.shape[0] // sizeof(TableBound)
            )
        table.users -= 1

    def clear(self):
        """Empty the transposition table and reset the history of moves.

        Running searches continue, and keep their own history.
        """
        cdef int index
        cdef BoardTable* board
        for index in range(self._board_count):
            board = &self._boards[index]
            if board.g == NULL:
                continue
            board.users += 1
            with nogil:
                board.kernel.clear_table(board.memory)
            board.kernel.forget(board.memory)
            board.users -= 1


# A message: the version of the engine, the board, whether only win, draw or loss is asked, the number of
# workers, the two halves of the position's key, the sender, its nodes, and the numbers of notices and bounds,
# which follow.
_HEADER = Struct("<HBBHHQQQQII")

cdef double SILENT_SECONDS = 10.0   # the claims of a process that is silent for this long are dropped


cdef class SharedSearch:
    """SharedSearch(solver, position, *, weak=False, is_remote=False)\n--\n
    A search of one position by several threads and processes (c4core/engine/together.pxi).

    Its first nodes are searched by the caller, at once. Then any number of threads may call :meth:`work`. Each
    process has its own object and its own transposition table. The caller carries messages between the
    processes: the result of :meth:`take` in one of them goes to :meth:`add` in all others, soon and in order.
    Messages may be lost, doubled or late. The scores stay right, and the processes then repeat some of each
    other's work.

    Args:
        solver: searches with its table.
        position: the position; its game must not be over.
        weak: only decide between win, draw and loss.
        is_remote: whether other processes take part. Then only costly positions are shared.

    Raises:
        ValueError: the game is over.
        MemoryError: no memory for the search.
    """

    cdef readonly Solver solver
    cdef readonly Position position
    cdef readonly bint weak
    cdef Registry* _registry
    cdef dict _others                       # the nodes, the workers and the last sign of life of processes

    def __cinit__(self, Solver solver, Position position, *, bint weak=False, bint is_remote=False):
        cdef Bounds bounds
        cdef Call call
        cdef Solver quick
        if game_bounds(position.g, position.stones, position.mask, &bounds):
            raise ValueError("the game is over: there is nothing to search")
        self.solver = solver
        self.position = position
        self.weak = weak
        self._others = {}
        quick = Solver(table_mb=1)  # its table is empty, so all processes rank the first moves alike
        quick._begin(&call, position, None, SOLO_NODES)
        try:
            call.board.kernel.solve(call.run, position.stones, position.mask, &bounds, weak)
            quick._reraise()
            self._registry = <Registry*>call.board.kernel.assemble(
                call.run, position.stones, position.mask, &bounds, weak, NO_LIMIT
            )
            if self._registry == NULL:
                raise MemoryError("no memory for a search")
            self._registry.nodes = call.run.nodes
        finally:
            quick._end(&call)
        self._registry.process = FIRST_PROCESS + <uint64_t>int.from_bytes(urandom(PROCESS_BYTES), "little")
        self._registry.least_posted = REMOTE_BOUND_NODES
        if is_remote:
            self._registry.least_split = REMOTE_SPLIT_NODES
        self._registry.outbox = <Outbox*>calloc(1, sizeof(Outbox))
        if self._registry.outbox == NULL:
            raise MemoryError("no memory for a search")

    def __dealloc__(self):
        if self._registry != NULL:
            free(self._registry.outbox)
            free(self._registry)

    @property
    def bounds(self):
        """The proven lower and upper bound of the score for the side to move."""
        cdef uint64_t bounds = atomics.load(&self._registry.bounds)
        return team_lower(bounds), team_upper(bounds)

    @property
    def is_decided(self):
        """Whether the bounds determine the score, or (weak) win, draw or loss."""
        lower, upper = self.bounds
        return lower >= upper or (self.weak and (lower > 0 or upper < 0))

    @property
    def nodes(self):
        """Positions visited by all processes, as far as they have reported them."""
        return atomics.load(&self._registry.nodes) + atomics.load(&self._registry.other_nodes)

    def narrow(self, int lower, int upper):
        """Add proven bounds of the position.

        Raises:
            ValueError: they contradict the known bounds.
        """
        known = self.bounds
        if max(lower, known[0]) > min(upper, known[1]):
            raise ValueError(
                f"the score is proven to be {known[0]} to {known[1]}, but also {lower} to {upper}"
            )
        narrow(self._registry, &lower, &upper)

    def work(self, *, time_limit=None):
        """Search with the calling thread until the score is decided.

        Args:
            time_limit: seconds after which this thread stops; ``Solver.stop`` also stops it.

        Returns:
            An :class:`~c4core.evaluation.Evaluation`: the bounds that any process has proven, and the nodes
            that this call has visited.

        Raises:
            ValueError: the limit is negative.
            MemoryError: no memory for the table.
        """
        cdef Call call
        cdef uint64_t nodes = 0
        self.solver._begin(&call, self.position, time_limit, None)
        try:
            with nogil:
                nodes = call.board.kernel.join(self._registry, call.run)
            self.solver._reraise()
        finally:
            self.solver._end(&call)
        lower, upper = self.bounds
        return Evaluation(lower, upper, nodes, atomics.now() - call.start)

    def take(self, *, is_heartbeat=False):
        """Return what this process has done and proven since the last call, for the other processes.

        Args:
            is_heartbeat: return a message even if there is no news. The threads repeat what they search
                soon after, for processes that have missed it. Every process must do this every few seconds:
                one that is silent for 10 s loses its claims.

        Returns:
            The message, which is empty if there is no news; and the costly bounds in it, as an array of the type
            :func:`c4core.batch.bound_type` of the board.
        """
        import numpy as np

        from c4core.batch import TABLE_BOUND, bound_type

        cdef Outbox* outbox = self._registry.outbox
        cdef size_t notice_count, bound_count
        cdef bytes notices, costly
        board = self.position.board
        atomics.lock(&outbox.lock)
        notice_count, bound_count = outbox.notice_count, outbox.bound_count
        notices = (<char*>outbox.notices)[: notice_count * sizeof(Notice)]
        costly = (<char*>outbox.bounds)[: bound_count * sizeof(TableBound)]
        outbox.notice_count = outbox.bound_count = 0
        atomics.unlock(&outbox.lock)
        bounds = _convert(np.frombuffer(costly, TABLE_BOUND), bound_type(board))
        if not (is_heartbeat or notice_count or bound_count):
            return b"", bounds
        if is_heartbeat:
            atomics.add(&self._registry.repeats, 1)
            self._forget_silent()
        header = _HEADER.pack(
            _ENGINE_VERSION, board.width, board.height, self.weak,
            atomics.load(&self._registry.workers), *_halves(self.position.key),
            self._registry.process, atomics.load(&self._registry.nodes), notice_count, bound_count,
        )
        return header + notices + bounds.tobytes(), bounds

    def add(self, const unsigned char[::1] message not None):
        """Use a message of another process; ignore one of this process.

        Raises:
            ValueError: it is not a message about this position, by a program of this version. Nothing is used
                then. False bounds would make scores wrong.
            KeyValueError: a bound is not about a position of the board. Nothing is used then, either.
        """
        import numpy as np

        from c4core.batch import bound_type

        cdef uint64_t process
        cdef size_t notice_count
        cdef const uint64_t[::1] notices
        board = self.position.board
        asked = (_ENGINE_VERSION, board.width, board.height, self.weak, *_halves(self.position.key))
        if message.shape[0] < _HEADER.size:
            raise ValueError("not a message of a search: it is too short")
        *found, workers, low, high, process, nodes, notice_count, bound_count = _HEADER.unpack_from(message)
        if (*found, low, high) != asked:
            raise ValueError("not a message about this position")
        kind = bound_type(board)
        first = _HEADER.size + notice_count * sizeof(Notice)
        if process < FIRST_PROCESS or process.bit_length() >= CHANCE_SHIFT:
            raise ValueError("not a message of a search: it has no sender")
        if message.shape[0] != first + bound_count * kind.itemsize:
            raise ValueError("not a message of a search: it has the wrong length")
        if process == self._registry.process:
            return
        self.solver.add_bounds(np.frombuffer(message, kind, bound_count, first), board=board)
        if notice_count:
            notices = np.frombuffer(message, np.uint64, 2 * notice_count, _HEADER.size).copy()
            take_notices(self._registry, <const Notice*>&notices[0], notice_count, process)
        self._others[process] = nodes, workers, monotonic()
        self._count_others()

    def _forget_silent(self):
        """Drop the claims of silent processes, and no longer count their workers."""
        for process, (nodes, workers, seen) in self._others.items():
            if monotonic() > seen + SILENT_SECONDS:
                self._others[process] = nodes, 0, INFINITY
                drop_claims(self._registry, process)
        self._count_others()

    def _count_others(self):
        others = self._others.values()
        atomics.store(&self._registry.other_nodes, sum([nodes for nodes, _, _ in others]) % (1 << 63))
        atomics.store(&self._registry.other_workers, sum([workers for _, workers, _ in others]))


def _halves(key):
    """Return the low and the high half of a key."""
    return key & ((1 << 64) - 1), key >> 64


def _convert(bounds, dtype):
    """Return bounds as another type: fields that it lacks are left out, new fields are 0."""
    import numpy as np

    converted = np.zeros(len(bounds), dtype=dtype)
    for name in dtype.names:
        if name in bounds.dtype.names:
            converted[name] = bounds[name]
    return converted


def _check_bounds(bounds, board):
    """Check bounds for a table; raise TypeError or ValueError."""
    import numpy as np

    from c4core.batch import bound_type

    if not isinstance(bounds, np.ndarray) or bounds.dtype != bound_type(board) or bounds.ndim != 1:
        raise TypeError(f"bounds must be an array of the type c4core.batch.bound_type({board})")
    most = NARROW_SCORE if board.is_narrow else MAX_SCORE
    wrong = np.flatnonzero(
        (bounds["score"] < -most)
        | (bounds["score"] > most)
        | (bounds["log_nodes"] > MAX_LOG_NODES)
    )
    if len(wrong):
        bound = bounds[wrong[0]]
        raise ValueError(
            f"bound {wrong[0]} is impossible: a score of {bound['score']} "
            f"after 2**{bound['log_nodes']} nodes"
        )


cdef int _call_helpers(list helpers, int number, object body, size_t work) except -1:
    """Start up to ``number`` threads, as the system allows. Append a lock for each, released when it ends.

    This is compiled code, so no signal handler runs between here and the caller's search.
    """
    cdef int index
    for index in range(1, number + 1):
        ended = allocate_lock()
        ended.acquire()
        try:
            start_new_thread(body, (work, index, ended))
        except RuntimeError:
            break
        helpers.append(ended)
    return 0


def _help_position(size_t together, int index, ended):
    """The body of a helper thread for one position. If it cannot get memory, it does nothing."""
    cdef Together* work = <Together*>together
    cdef Run* run
    cdef Limits limits = work.limits[0]
    limits.interrupted = NULL
    try:
        run = work.kernel.begin(work.memory, &limits)
        if run != NULL:
            with nogil:
                work.kernel.join(work.team, run)
            work.kernel.end(run)
    finally:
        ended.release()


def _help(size_t shared, int index, ended):
    """The body of a helper thread for a batch. If it cannot get memory, it does nothing."""
    cdef SharedBatch* work = <SharedBatch*>shared
    cdef Run* run
    cdef Limits limits = work.batch.limits
    limits.interrupted = NULL
    try:
        run = work.kernel.begin(work.memory, &limits)
        if run != NULL:
            with nogil:
                work.kernel.run_batch(work.batch, run)
            work.kernel.end(run)
    finally:
        ended.release()
