"""``Solver``: the engine as Python sees it.

A position crosses this border as two words (layout picture in board.pyx), ``stones`` of the side to
move and ``mask`` of both sides; a batch as two arrays of such words. Behind it there are no Python
objects and no interpreter lock.
"""

import threading
from time import perf_counter

from cpython.object cimport PyObject_GenericSetAttr
from libc.math cimport isnan
from libc.stdint cimport int8_t, uint64_t

from c4core cimport atomics
from c4core.board cimport Geometry, geometry_of, has_four, popcount
from c4core.kernel cimport ABORTED, Bounds, Kernel, Search, chosen_kernel
from c4core.ordering cimport Ordering, ordering_of
from c4core.position cimport Position
from c4core.root cimport (
    UNPLAYABLE,
    Limits,
    analyze_position,
    principal_move,
    solve_position,
    start_search,
)
from c4core.table cimport Table, table_clear, table_create, table_free

from c4core.errors import BoardError
from c4core.evaluation import Analysis, Evaluation
from c4core.notation import check_board
from c4core.position import Position as PositionType

cdef enum:
    MOST_BOARDS = 192   # more than there are board sizes
    MOST_THREADS = 1024
    TAKE = 16           # positions of a batch that a thread takes at a time

cdef struct BoardTable:
    const Geometry* g
    Table table

# One batch, shared by its threads; every entry is written by the thread that took it.
cdef struct Batch:
    const Kernel* kernel
    const Geometry* g
    const Ordering* ordering
    Table* table
    Limits limits
    uint64_t count
    uint64_t taken          # positions handed out so far; atomic
    const uint64_t* stones
    const uint64_t* masks
    bint weak
    int8_t* lower
    int8_t* upper
    uint64_t* nodes
    int8_t* scores          # width entries a position, or NULL: no columns


cdef void _run_batch(Batch* batch) noexcept nogil:
    """Take positions until none is left. Once stopped, the rest keep what their count of stones says."""
    cdef Search s
    cdef Bounds bounds
    cdef uint64_t index, end
    cdef bint over = False
    while True:
        index = atomics.add(&batch.taken, TAKE)
        if index >= batch.count:
            return
        end = min(index + TAKE, batch.count)
        while index < end:
            start_search(&s, batch.g, batch.ordering, batch.table, &batch.limits)
            if over or atomics.load(s.epoch) != s.started:
                s.node_limit = 0
            if batch.scores == NULL:
                solve_position(
                    batch.kernel, &s, batch.stones[index], batch.masks[index], &bounds, batch.weak
                )
            else:
                analyze_position(
                    batch.kernel, &s, batch.stones[index], batch.masks[index], &bounds,
                    batch.scores + index * batch.g.width,
                )
            batch.lower[index] = bounds.lower
            batch.upper[index] = bounds.upper
            batch.nodes[index] = s.nodes
            if batch.limits.timed and not over:
                over = atomics.now() >= batch.limits.deadline
            index += 1


cdef bint _split_key(
    const Geometry* g, uint64_t key, uint64_t* stones, uint64_t* mask
) noexcept nogil:
    """The two words of a key; False where it is no position's key (``Position.from_key`` says why)."""
    cdef uint64_t column_range = (<uint64_t>2 << g.height) - 1
    cdef uint64_t bits, piles = 0
    cdef int column
    for column in range(g.width):
        bits = (key >> (column * g.stride)) & column_range
        if bits == 0:
            return False
        bits |= bits >> 1
        bits |= bits >> 2
        bits |= bits >> 4
        bits |= bits >> 8
        bits |= bits >> 16
        piles |= (bits >> 1) << (column * g.stride)
    mask[0] = piles
    stones[0] = key & piles
    if g.width * g.stride < 64 and key >> (g.width * g.stride):
        return False
    return popcount(stones[0]) == popcount(piles) // 2 and not has_four(g, stones[0])


cdef object _evaluation(const Bounds* bounds, uint64_t nodes, double seconds):
    """An ``Evaluation``, filled in field by field.

    Its constructor, which a frozen dataclass writes in Python, would cost more than the search of an
    easy position.
    """
    cdef object evaluation = Evaluation.__new__(Evaluation)
    PyObject_GenericSetAttr(evaluation, "lower", bounds.lower)
    PyObject_GenericSetAttr(evaluation, "upper", bounds.upper)
    PyObject_GenericSetAttr(evaluation, "nodes", nodes)
    PyObject_GenericSetAttr(evaluation, "seconds", seconds)
    return evaluation


cdef class Solver:
    """An exact solver with a memory of what it has found.

    One solver may be used from any number of threads at a time: they share its table, and none holds
    the interpreter lock while it searches. Exact scores never depend on the number of threads or on
    what was solved before; node counts and the bounds of a search that was cut short do.

    Args:
        table_mb: megabytes of memory for each board size that is solved, rounded down to a power of
            two. What fits the processor's cache is best for single positions.
        threads: threads to search with, for one position or for a batch.

    Raises:
        ValueError: ``table_mb`` or ``threads`` is not positive.
    """

    cdef readonly int table_mb
    cdef readonly int threads
    cdef const Kernel* _kernel
    cdef uint64_t _epoch                    # counts stop() calls; atomic
    cdef int _board_count
    cdef BoardTable[MOST_BOARDS] _boards

    def __cinit__(self, *, int table_mb=8, int threads=1):
        if table_mb < 1:
            raise ValueError(f"table_mb must be at least 1, not {table_mb}")
        if not 1 <= threads <= MOST_THREADS:
            raise ValueError(f"threads must be between 1 and {MOST_THREADS}, not {threads}")
        self.table_mb = table_mb
        self.threads = threads
        self._kernel = chosen_kernel()

    def __dealloc__(self):
        cdef int index
        for index in range(self._board_count):
            table_free(&self._boards[index].table)

    def __repr__(self):
        return f"Solver(table_mb={self.table_mb}, threads={self.threads})"

    cdef Table* _table(self, const Geometry* g) except NULL:
        """The table for a board size: keys of different boards must not meet in one."""
        cdef int index
        cdef BoardTable* board
        for index in range(self._board_count):
            board = &self._boards[index]
            if board.g == g:
                return &board.table
        board = &self._boards[self._board_count]
        if not table_create(&board.table, self.table_mb):
            raise MemoryError(f"no memory for a table of {self.table_mb} MB")
        board.g = g
        self._board_count += 1
        return &board.table

    cdef int _set_limits(self, Limits* limits, object time_limit, object node_limit) except -1:
        cdef double seconds
        limits.epoch = &self._epoch
        limits.started = atomics.load(&self._epoch)
        limits.timed = False
        limits.node_limit = <uint64_t>-1
        if time_limit is not None:
            seconds = time_limit
            if isnan(seconds) or seconds < 0:
                raise ValueError(f"time_limit must be seconds from 0 on, not {time_limit!r}")
            limits.timed = True
            limits.deadline = atomics.now() + seconds
        if node_limit is not None:
            if node_limit < 0:
                raise ValueError(f"node_limit must be a number from 0 on, not {node_limit!r}")
            limits.node_limit = min(node_limit, 2**64 - 1)
        return 0

    def solve(self, Position position not None, *, bint weak=False, time_limit=None, node_limit=None):
        """The score of a position for its side to move.

        Args:
            position: any position, also one that is over.
            weak: only decide between win, draw and loss; the bounds may stay apart.
            time_limit: seconds after which the search ends with the bounds that it has proven.
            node_limit: positions to visit at most, likewise.

        Returns:
            An :class:`~c4core.evaluation.Evaluation`; its ``score`` is None where the bounds differ.

        Raises:
            ValueError: a limit is negative.
            MemoryError: no memory for the table.
        """
        cdef Limits limits
        cdef Search s
        cdef Bounds bounds
        cdef const Geometry* g = position.g
        cdef const Ordering* ordering = ordering_of(g)
        cdef Table* table = self._table(g)
        cdef double start
        self._set_limits(&limits, time_limit, node_limit)
        start = atomics.now()
        with nogil:
            start_search(&s, g, ordering, table, &limits)
            solve_position(self._kernel, &s, position.stones, position.mask, &bounds, weak)
        return _evaluation(&bounds, s.nodes, atomics.now() - start)

    def analyze(self, Position position not None, *, time_limit=None, node_limit=None):
        """The score of every column of a position for its side to move.

        Args:
            position: any position; one that is over has no columns to play.
            time_limit: seconds after which the search ends; columns not solved by then are None.
            node_limit: positions to visit at most, likewise.

        Returns:
            An :class:`~c4core.evaluation.Analysis`.

        Raises:
            ValueError: a limit is negative.
            MemoryError: no memory for the table.
        """
        cdef Limits limits
        cdef Search s
        cdef Bounds bounds
        cdef int8_t[64] scores
        cdef const Geometry* g = position.g
        cdef const Ordering* ordering = ordering_of(g)
        cdef Table* table = self._table(g)
        cdef double start
        cdef int column
        self._set_limits(&limits, time_limit, node_limit)
        start = atomics.now()
        with nogil:
            start_search(&s, g, ordering, table, &limits)
            analyze_position(self._kernel, &s, position.stones, position.mask, &bounds, scores)
        return Analysis(
            tuple(
                [None if scores[column] == UNPLAYABLE else scores[column] for column in range(g.width)]
            ),
            bounds.lower,
            bounds.upper,
            s.nodes,
            atomics.now() - start,
        )

    def principal_variation(self, Position position not None):
        """A line of best play to the end of the game, as 0-based columns.

        Of several best moves it takes the one nearest to the centre. Empty when the game is over;
        cut short when :meth:`stop` is called.
        """
        cdef Limits limits
        cdef Search s
        cdef Bounds bounds
        cdef const Geometry* g = position.g
        cdef const Ordering* ordering = ordering_of(g)
        cdef Table* table = self._table(g)
        cdef uint64_t stones = position.stones, mask = position.mask
        cdef int score, column
        self._set_limits(&limits, None, None)
        with nogil:
            start_search(&s, g, ordering, table, &limits)
            solve_position(self._kernel, &s, stones, mask, &bounds, False)
        score = bounds.lower
        line = []
        while not s.stopped and popcount(mask) < g.cells and not has_four(g, stones ^ mask):
            with nogil:
                column = principal_move(self._kernel, &s, stones, mask, score)
            if column == ABORTED:
                break
            line.append(column)
            stones, mask = stones ^ mask, mask | (mask + (<uint64_t>1 << (column * g.stride)))
            score = -score
        return tuple(line)

    def solve_many(
        self,
        positions,
        *,
        int width=7,
        int height=6,
        bint weak=False,
        threads=None,
        node_limit=None,
        time_limit=None,
    ):
        """The scores of many positions, without any Python work for each of them.

        Args:
            positions: positions, or texts of moves, or an array of keys (uint64, ``Position.key``).
            width: columns of the board that texts and keys are on; positions know their own.
            height: rows of that board.
            weak: as in :meth:`solve`.
            threads: threads that share the work; default the solver's own number.
            node_limit: positions to visit at most for each of them.
            time_limit: seconds for the whole batch.

        Returns:
            A :class:`~c4core.batch.BatchEvaluation`, entries in the order of the positions.

        Raises:
            MoveError, KeyValueError, BoardError: an entry is no position of the board.
            ValueError: a limit is negative.
        """
        from c4core.batch import BatchEvaluation

        start = perf_counter()
        lower, upper, nodes, _ = self._many(
            positions, width, height, weak, threads, node_limit, time_limit, False
        )
        return BatchEvaluation(lower, upper, nodes, perf_counter() - start)

    def analyze_many(
        self,
        positions,
        *,
        int width=7,
        int height=6,
        threads=None,
        node_limit=None,
        time_limit=None,
    ):
        """The scores of all columns of many positions; arguments as in :meth:`solve_many`.

        Returns:
            A :class:`~c4core.batch.BatchAnalysis`, entries in the order of the positions.
        """
        from c4core.batch import BatchAnalysis

        start = perf_counter()
        lower, upper, nodes, scores = self._many(
            positions, width, height, False, threads, node_limit, time_limit, True
        )
        return BatchAnalysis(lower, upper, nodes, perf_counter() - start, scores)

    cdef tuple _many(
        self,
        object positions,
        int width,
        int height,
        bint weak,
        object threads,
        object node_limit,
        object time_limit,
        bint columns,
    ):
        """Solve or analyze a batch; arrays of lower bounds, upper bounds, nodes, column scores."""
        import numpy as np

        cdef Batch batch
        cdef int workers = self.threads if threads is None else threads
        cdef const uint64_t[::1] stones_view, masks_view
        cdef int8_t[::1] lower_view, upper_view
        cdef int8_t[:, ::1] scores_view
        cdef uint64_t[::1] nodes_view
        if not 1 <= workers <= MOST_THREADS:
            raise ValueError(f"threads must be between 1 and {MOST_THREADS}, not {threads}")
        self._set_limits(&batch.limits, time_limit, node_limit)
        if isinstance(positions, np.ndarray):
            batch.g = _geometry(width, height)
            stones, masks = _words_of_keys(positions, batch.g)
        else:
            positions = _as_positions(positions, width, height)
            batch.g = (<Position>positions[0]).g if positions else _geometry(width, height)
            stones, masks = _words_of_positions(positions, batch.g)
        count = len(stones)
        lower = np.empty(count, dtype=np.int8)
        upper = np.empty(count, dtype=np.int8)
        nodes = np.empty(count, dtype=np.uint64)
        scores = np.empty((count, batch.g.width), dtype=np.int8) if columns else None
        if count == 0:
            return lower, upper, nodes, scores
        stones_view, masks_view = stones, masks
        lower_view, upper_view, nodes_view = lower, upper, nodes
        batch.kernel = self._kernel
        batch.ordering = ordering_of(batch.g)
        batch.table = self._table(batch.g)
        batch.count = count
        batch.taken = 0
        batch.stones = &stones_view[0]
        batch.masks = &masks_view[0]
        batch.weak = weak
        batch.lower = &lower_view[0]
        batch.upper = &upper_view[0]
        batch.nodes = &nodes_view[0]
        batch.scores = NULL
        if columns:
            scores_view = scores
            batch.scores = &scores_view[0, 0]
        self._share(&batch, min(workers, (count + TAKE - 1) // TAKE))
        return lower, upper, nodes, scores

    cdef int _share(self, Batch* batch, int workers) except -1:
        """Run the batch in this thread and in ``workers - 1`` more."""
        helpers = [
            threading.Thread(target=_help, args=(<size_t>batch,), daemon=True)
            for _ in range(workers - 1)
        ]
        for helper in helpers:
            helper.start()
        try:
            with nogil:
                _run_batch(batch)
        finally:
            # The batch lies on this thread's stack: nothing may end before the helpers have.
            for helper in helpers:
                helper.join()
        return 0

    def stop(self):
        """End every running call at once, from any thread. Calls made later start afresh."""
        atomics.add(&self._epoch, 1)

    def clear(self):
        """Forget everything that was found. Running searches go on, and find it again."""
        cdef int index
        for index in range(self._board_count):
            with nogil:
                table_clear(&self._boards[index].table)


def _help(size_t batch):
    """The body of a batch's helper thread."""
    with nogil:
        _run_batch(<Batch*>batch)


cdef const Geometry* _geometry(int width, int height) except NULL:
    check_board(width, height)
    return geometry_of(width, height)


cdef list _as_positions(object positions, int width, int height):
    """The batch as ``Position`` objects, texts read on the given board."""
    if isinstance(positions, str):
        raise TypeError("positions must be a sequence of positions or texts, not one text")
    return [
        item if isinstance(item, PositionType) else PositionType(item, width=width, height=height)
        for item in positions
    ]


cdef tuple _words_of_positions(list positions, const Geometry* g):
    import numpy as np

    cdef Position position
    cdef Py_ssize_t index
    cdef uint64_t[::1] stones_view, masks_view
    stones = np.empty(len(positions), dtype=np.uint64)
    masks = np.empty(len(positions), dtype=np.uint64)
    stones_view, masks_view = stones, masks
    for index in range(len(positions)):
        position = positions[index]
        if position.g != g:
            raise BoardError(
                f"a batch has one board: position {index} is on {position.board}, "
                f"the first one on {positions[0].board}",
                size=position.board,
            )
        stones_view[index] = position.stones
        masks_view[index] = position.mask
    return stones, masks


cdef tuple _words_of_keys(object keys, const Geometry* g):
    import numpy as np

    cdef Py_ssize_t index, count
    cdef const uint64_t[::1] keys_view
    cdef uint64_t[::1] stones_view, masks_view
    if keys.dtype != np.uint64 or keys.ndim != 1:
        raise TypeError(f"keys must be a one-dimensional uint64 array, not {keys.dtype} {keys.shape}")
    keys = np.ascontiguousarray(keys)
    count = len(keys)
    stones = np.empty(count, dtype=np.uint64)
    masks = np.empty(count, dtype=np.uint64)
    keys_view = keys
    stones_view, masks_view = stones, masks
    for index in range(count):
        if not _split_key(g, keys_view[index], &stones_view[index], &masks_view[index]):
            PositionType.from_key(keys_view[index], width=g.width, height=g.height)
    return stones, masks
