"""Samples of the search cost of moves, from which the order network learns (engine/order_network.pxi).

Positions are solved with one thread, each with an empty transposition table and empty histories. A few of the
nodes that could be cut off are drawn at random. There the search pauses, and every remaining move is
searched, in random order, with the tables as they are. The results and the numbers of nodes are a sample::

    own, mask       stones of the side to move, and of both sides:    16 bytes each
                    the low half of the word, then the high half
    root            the number of the position that was solved        4
    ply, beta       stones on the board; the bound of the search      1 each
    last            the square that was played last                   1
    count           number of moves; one entry each in the following  1
    square          the square that the move plays to                 1
    result          FAILED, CUT or GIVEN_UP                           1
    value           the move's points without the network             4
    nodes           the nodes of the move's search                    4

A move that takes many times as long as the cheapest cut so far is given up, because its exact cost does not
matter. Samples without a cut are useless and are not kept. Afterwards counts and histories are restored, so
that the search continues as before. The tables keep the new entries, because copying them would take longer
than most samples.

Early nodes are rare and matter most, so they are drawn more often (``CHANCES``).
"""

cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport malloc

from c4core.dice cimport Dice, DiceState, draw_below, draw_word
from c4core.position cimport Position, read_board

import numpy as np

from c4core.engine.kernel import NetworkFile, read_network_file, write_network_file
from c4core.notation import DEFAULT_BOARD, BoardSize, check_narrow

# The structs of the wide kernel, to look inside its searches. It runs the searches themselves, on narrow
# boards, too, where it visits the same nodes as the narrow kernel.
include "../../c4core/engine/kernel.pxi"

ctypedef int (*NodeSearch)(
    Search* s, word_t own, word_t mask, word_t own_wins, word_t opp_wins, int last, int ply, int beta
) noexcept nogil

cdef enum:
    MOST_NODES = 3000000    # limit for one move
    PATIENCE = 4            # a move is given up after this many times the nodes of the cheapest cut,
    PATIENCE_NODES = 20     # and this many nodes more
    FIRST_ROOM = 1 << 10    # samples
    ROOT_NODES = 50000000   # a position is given up after this many nodes, without the nodes of its samples
    TABLE_BYTES = 8 << 20   # of the transposition table

# The result of a move.
cdef enum:
    _FAILED = 0
    _CUT = 1
    _GIVEN_UP = 2

FAILED, CUT, GIVEN_UP = _FAILED, _CUT, _GIVEN_UP

# For 7x6: with fewer stones than the first number, the chance that a node becomes a sample.
CHANCES = ((8, 0.05), (12, 0.03), (16, 0.01), (20, 0.004), (42, 0.0015))

# A sample while it is gathered; sample_type() is narrower.
cdef struct Sample:
    uint64_t[2] own
    uint64_t[2] mask
    int32_t root
    uint8_t ply
    int8_t beta
    uint8_t last
    uint8_t count
    uint8_t square[WORD_COLUMNS]
    uint8_t result[WORD_COLUMNS]
    int32_t value[WORD_COLUMNS]
    uint32_t nodes[WORD_COLUMNS]

# The observer of a search, which makes the samples.
cdef struct SampleCollector:
    NodeSearch search
    DiceState dice
    double chance[WORD_BITS]      # indexed by the number of stones
    int32_t root
    Sample* samples
    size_t count
    size_t room
    bint no_memory
    void* history               # a copy while a sample is made


@cython.final
cdef class Network:
    """An order network, from the bytes of its file; a damaged file is a ValueError."""

    cdef OrderNetwork* network
    cdef readonly int width
    cdef readonly int height
    cdef readonly int last_ply

    def __cinit__(self, bytes data not None):
        file = read_network_file(data)
        cdef const unsigned char[::1] weights = file.weights
        self.width, self.height, self.last_ply = file.width, file.height, file.last_ply
        self.network = create_network(board_of(self.width, self.height), self.last_ply)
        if self.network == NULL:
            raise MemoryError
        if file.rows != self.network.count:
            raise ValueError("the network is for another version of c4")
        if not fill_network(self.network, &weights[0]):
            raise MemoryError

    def __dealloc__(self):
        free_network(self.network)


def row_groups(*, board, int last_ply):
    """Return the numbering of the rows of a network that is used with at most ``last_ply`` stones.

    The first rows are shared by all moves of a position. Three groups follow.

    Returns:
        The first row of each group (``places``, ``threats``, ``patterns``), and the number of rows of a side
        (``all``).
    """
    cdef const Board* g = read_board(board)
    if not 0 <= last_ply < g.cells:
        raise ValueError(f"last_ply must be between 0 and {g.cells - 1}, not {last_ply}")
    cdef OrderNetwork* f = create_network(g, last_ply)
    if f == NULL:
        raise MemoryError
    groups = {
        "places": f.places, "threats": f.threats, "patterns": f.pattern_group, "all": f.count
    }
    free_network(f)
    return groups


def network_bytes(rows not None, weights not None, *, board, int last_ply):
    """Return the bytes of a network's file.

    Args:
        rows: (2, rows of a side, UNITS), whole numbers from -128 to 127; first with the first player to move.
        weights: (UNITS,), the weights of the units, whole numbers of 16 bits.
        last_ply: the largest number of stones at which the network is used.
    """
    cdef const Board* g = read_board(board)
    count = row_groups(board=board, last_ply=last_ply)["all"]
    if rows.shape != (2, count, UNITS) or weights.shape != (UNITS,):
        raise ValueError(
            f"weights of the shapes {rows.shape} and {weights.shape}, not {(2, count, UNITS)} and {(UNITS,)}"
        )
    return write_network_file(
        NetworkFile(
            g.width, g.height, last_ply, count, rows.astype("i1").tobytes() + weights.astype("<i2").tobytes()
        )
    )


# The fields with an entry for each move.
BY_MOVE = ("square", "result", "value", "nodes")


def sample_type(int width):
    """Return the numpy type of samples on boards of this width; the module describes the fields."""
    return np.dtype([
        ("own", "<u8", (2,)),
        ("mask", "<u8", (2,)),
        ("root", "<i4"),
        ("ply", "u1"),
        ("beta", "i1"),
        ("last", "u1"),
        ("count", "u1"),
        ("square", "u1", (width,)),
        ("result", "u1", (width,)),
        ("value", "<i4", (width,)),
        ("nodes", "<u4", (width,)),
    ])


def sample_choices(
    roots, *, board=DEFAULT_BOARD, seed, int last_ply, network=None, density=1.0, int first=0
):
    """Solve positions and record the cost of every move at randomly drawn nodes.

    Args:
        seed: the seed of all draws, 0 to 2^64 - 1; the same arguments give the same samples.
        last_ply: the largest number of stones in a sample.
        network: the bytes of the network file that orders moves in the search, or None.
        density: a factor for all chances.
        first: the number of the first position in the samples.
    """
    sampler = Sampler(board=board, seed=seed, last_ply=last_ply, network=network, density=density)
    for index, position in enumerate(roots, first):
        sampler.solve(position, root=index)
    return sampler.samples()


@cython.final
cdef class Sampler:
    """Solves positions and gathers samples; :func:`sample_choices` describes the arguments."""

    cdef BoardMemory memory
    cdef ThreadMemory* thread
    cdef Network network        # the network of the search, or None
    cdef const Kernel* kernel
    cdef SampleCollector watcher
    cdef int last_ply
    cdef uint64_t epoch
    cdef uint64_t searched

    def __cinit__(
        self, *, board=DEFAULT_BOARD, seed, int last_ply, bytes network=None, double density=1.0
    ):
        cdef SampleCollector* w = &self.watcher
        cdef Dice dice = Dice(seed)
        cdef const Board* g = read_board(board)
        cdef int ply
        if not 0 <= last_ply < g.cells:
            raise ValueError(f"last_ply must be between 0 and {g.cells - 1}, not {last_ply}")
        if not density >= 0:
            raise ValueError(f"density must be at least 0, not {density}")
        self.memory.g = g
        self.last_ply = last_ply
        if network is not None:
            self.network = Network(network)
            if (self.network.width, self.network.height) != (g.width, g.height):
                own = BoardSize(self.network.width, self.network.height)
                raise ValueError(f"the network is for {own}, not for {g.width}x{g.height}")
            if self.network.last_ply < last_ply:
                raise ValueError(
                    f"last_ply {last_ply} is more than that of the network, {self.network.last_ply}"
                )
            self.memory.network = self.network.network
        self.thread = _create_thread_memory(self.memory.g)
        if self.thread == NULL or not table_create(&self.memory.table, TABLE_BYTES):
            raise MemoryError("no memory for the transposition table")
        self.kernel = wide_kernel()
        w.search = <NodeSearch>self.kernel.search
        w.dice = dice.state
        for ply in range(WORD_BITS):
            w.chance[ply] = density * _chance(ply * 42 // self.memory.g.cells)
        w.history = malloc(history_bytes(self.thread.history.patterns))
        if w.history == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.watcher.samples)
        free(self.watcher.history)
        table_free(&self.memory.table)
        if self.thread != NULL:
            _free_thread_memory(self.thread)

    def solve(self, Position position not None, *, int root=0, bint sampled=True):
        """Solve a position, with an empty transposition table and empty histories.

        Args:
            root: the number of the position in the samples.
            sampled: whether samples are made.

        Returns:
            The score for the side to move, or a lower bound if the position was given up, and the number of
            nodes without the nodes of samples.
        """
        cdef Search* s = &self.thread.search
        cdef Limits limits
        cdef Bounds bounds
        if position.g != self.memory.g:
            raise ValueError(
                f"the position is on {position.board}, "
                f"not on {BoardSize(self.memory.g.width, self.memory.g.height)}"
            )
        table_clear(&self.memory.table)
        _clear_thread_memory(self.thread)
        memset(&limits, 0, sizeof(Limits))
        limits.epoch = &self.epoch
        limits.searched = &self.searched
        limits.node_limit = ROOT_NODES
        limits.interrupted = interrupted
        start_search(s, &self.memory, self.thread, &limits)
        s.last_asked = self.last_ply
        s.thorough = True
        if sampled:
            s.watch = _watch
            s.watcher = &self.watcher
        self.watcher.root = root
        with nogil:
            self.kernel.solve(&s.run, position.stones, position.mask, &bounds, False)
        if self.watcher.no_memory:
            raise MemoryError("no memory for samples")
        raised = take_signal_error()
        if raised is not None:
            raise raised
        return bounds.lower, s.run.nodes

    def samples(self):
        """Return all samples so far, as an array of :func:`sample_type`."""
        cdef size_t size = self.watcher.count * sizeof(Sample)
        wide = np.dtype(sample_type(WORD_COLUMNS).descr, align=True)
        assert wide.itemsize == sizeof(Sample)
        gathered = np.empty(self.watcher.count, dtype=wide)
        cdef uint8_t[::1] target = gathered.view(np.uint8)
        if size:
            memcpy(&target[0], self.watcher.samples, size)
        samples = np.empty(len(gathered), dtype=sample_type(self.memory.g.width))
        for name in samples.dtype.names:
            field = gathered[name]
            samples[name] = field[:, :self.memory.g.width] if name in BY_MOVE else field
        return samples


cdef double _chance(int ply) except -1:
    """Return the chance that a node of 7x6 becomes a sample."""
    for plies, chance in CHANCES:
        if ply < plies:
            return chance
    return 0


cdef Sample* _next_sample(SampleCollector* w) noexcept nogil:
    """Return an empty sample after the others, not counted yet; NULL if memory runs out."""
    cdef size_t room
    cdef Sample* larger
    if w.count == w.room:
        room = max(<size_t>FIRST_ROOM, 2 * w.room)
        larger = <Sample*>realloc(w.samples, room * sizeof(Sample))
        if larger == NULL:
            return NULL
        w.samples = larger
        w.room = room
    memset(w.samples + w.count, 0, sizeof(Sample))
    return w.samples + w.count


cdef void _watch(Search* s, const Choice* choice, const int32_t* rank) noexcept nogil:
    """Make a sample of a node, if the random draw selects it."""
    cdef SampleCollector* w = <SampleCollector*>s.watcher
    cdef Sample* sample
    cdef Search before
    cdef int i
    if (draw_word(&w.dice) >> 11) * (1.0 / (<uint64_t>1 << 53)) >= w.chance[choice.ply]:
        return
    sample = _next_sample(w)
    if sample == NULL:
        w.no_memory = True
        s.run.stopped = True
        s.poll_at = s.run.nodes
        return
    sample.own[0], sample.own[1] = low_half(choice.own), high_half(choice.own)
    sample.mask[0], sample.mask[1] = low_half(choice.mask), high_half(choice.mask)
    sample.root = w.root
    sample.ply = <uint8_t>choice.ply
    sample.beta = <int8_t>choice.beta
    sample.last = <uint8_t>choice.last
    sample.count = <uint8_t>choice.count
    for i in range(choice.count):
        sample.square[i] = <uint8_t>lowest_bit(choice.moves[i])
        sample.value[i] = (rank[i] & -RANKS) // RANKS    # rounded down
    before = s[0]
    memcpy(w.history, s.memory.history, history_bytes(s.memory.history.patterns))
    s.watch = NULL
    s.run.node_limit = NO_LIMIT
    w.count += _search_moves(w, s, choice, sample)
    memcpy(s.memory.history, w.history, history_bytes(s.memory.history.patterns))
    before.run.stopped = s.run.stopped
    if s.run.stopped:
        before.poll_at = before.run.nodes
    s[0] = before


cdef bint _search_moves(
    SampleCollector* w, Search* s, const Choice* choice, Sample* sample
) noexcept nogil:
    """Search every move of a choice, in random order. Return whether a move cut, so the sample is kept."""
    cdef int[WORD_COLUMNS] order
    cdef uint64_t before = s.run.nodes, cheapest = MOST_NODES
    cdef word_t move
    cdef int i, k, other, value
    cdef bint found = False
    for i in range(choice.count):
        other = <int>draw_below(&w.dice, <uint32_t>(i + 1))
        order[i] = order[other]
        order[other] = i
    for i in range(choice.count):
        k = order[i]
        move = choice.moves[k]
        s.run.nodes = s.told = before
        s.budget = before + min(<uint64_t>MOST_NODES, PATIENCE * cheapest + PATIENCE_NODES)
        s.poll_at = s.budget
        value = w.search(
            s, choice.own ^ choice.mask, choice.mask | move, choice.opp_wins & ~move, choice.wins[k],
            lowest_bit(move), choice.ply + 1, 1 - choice.beta,
        )
        if s.run.stopped:
            return False
        sample.nodes[k] = <uint32_t>(s.run.nodes - before)
        sample.result[k] = _FAILED
        if value == ABORTED:
            sample.result[k] = _GIVEN_UP
        elif -value >= choice.beta:
            sample.result[k] = _CUT
            cheapest = min(cheapest, s.run.nodes - before)
            found = True
    return found


cdef void _choice_of(
    const Board* g, Choice* choice, word_t* moves, word_t* wins, word_t own, word_t mask,
    const uint8_t* square, bint mirrored
) noexcept nogil:
    """Fill the fields that follow from the stones and squares of a sample; the caller has set the others."""
    cdef int i, at
    choice.moves = moves
    choice.wins = wins
    if mirrored:
        own = mirror_bits(g, own)
        mask = mirror_bits(g, mask)
        choice.last = _mirrored_square(g, choice.last)
    choice.own = own
    choice.mask = mask
    choice.own_wins = winning_squares(g, own, mask)
    choice.opp_wins = winning_squares(g, own ^ mask, mask)
    for i in range(choice.count):
        at = _mirrored_square(g, square[i]) if mirrored else square[i]
        moves[i] = <word_t>1 << at
        wins[i] = winning_squares(g, own | moves[i], mask | moves[i])


cdef inline int _mirrored_square(const Board* g, int square) noexcept nogil:
    """Return the mirror image of a square. The guard bit of an unknown move becomes another guard bit."""
    return (g.width - 1 - square // g.stride) * g.stride + square % g.stride


cdef object _checked(object samples, const Board* g):
    """Check that samples are of this board, and return them."""
    if samples.dtype != sample_type(g.width):
        raise ValueError(f"not samples of a board with {g.width} columns: {samples.dtype}")
    inside = (samples["count"] <= g.width).all() and (samples["square"] < g.width * g.stride).all()
    if not inside or not (samples["last"] < g.width * g.stride).all():
        raise ValueError(f"the samples are of another board than {g.width}x{g.height}")
    return samples


def rows_of_choices(samples not None, *, board=DEFAULT_BOARD, int last_ply, mirrored=None):
    """Return the rows of the network that the engine adds for every move of some samples.

    Args:
        samples: an array of :func:`sample_type`.
        last_ply: the network's number, which decides the numbering of rows.
        mirrored: for each sample, whether it is mirrored; None for no sample. Mirroring changes only moves in
            the middle column.

    Returns:
        Two arrays. ``rows``, int32, has the rows for all moves of the first sample, then of the second, and
        so on. Rows of the second player are numbered after all rows of the first. ``starts``, int64,
        (moves + 1,), has the index where each move's rows begin, and the end.
    """
    cdef const Board* g = read_board(board)
    samples = _checked(samples, g)
    if not 0 <= last_ply < g.cells or (samples["ply"] > last_ply).any():
        raise ValueError(f"last_ply {last_ply} is not on the board, or is less than the samples' plies")
    if mirrored is None:
        mirrored = np.zeros(len(samples), dtype=bool)
    cdef Py_ssize_t moves = samples["count"].sum(dtype=np.int64)
    listed = np.empty(moves * (WHOLE_ROWS + MOVE_ROWS), dtype=np.int32)
    starts = np.zeros(moves + 1, dtype=np.int64)
    cdef OrderNetwork* f
    # Copies, because the words of a sample are not aligned: its size is not a multiple of 8 bytes.
    cdef const uint64_t[:, ::1] own = np.ascontiguousarray(samples["own"])
    cdef const uint64_t[:, ::1] mask = np.ascontiguousarray(samples["mask"])
    cdef const uint8_t[:] ply = samples["ply"]
    cdef const int8_t[:] beta = samples["beta"]
    cdef const uint8_t[:] last = samples["last"]
    cdef const uint8_t[:] count = samples["count"]
    cdef const uint8_t[:, ::1] square = np.ascontiguousarray(samples["square"])
    cdef const uint8_t[:] turned = np.asarray(mirrored, dtype=bool).view(np.uint8)
    cdef int32_t[::1] rows = listed
    cdef int64_t[::1] start = starts
    cdef Choice choice
    cdef word_t[WORD_COLUMNS] move
    cdef word_t[WORD_COLUMNS] wins
    cdef int32_t[2][WHOLE_ROWS] whole
    cdef int32_t[MOVE_ROWS] its
    cdef Py_ssize_t n, used = 0, done = 0
    cdef int i, k, view, shared, side
    if turned.shape[0] != own.shape[0]:
        raise ValueError(f"{own.shape[0]} samples, but mirrored has the length {turned.shape[0]}")
    f = create_network(g, last_ply)
    if f == NULL:
        raise MemoryError
    with nogil:
        for n in range(own.shape[0]):
            choice.ply = ply[n]
            choice.beta = beta[n]
            choice.last = last[n]
            choice.count = count[n]
            _choice_of(
                g, &choice, move, wins, join_halves(own[n, 0], own[n, 1]),
                join_halves(mask[n, 0], mask[n, 1]), &square[n, 0], turned[n],
            )
            shared = whole_rows(f, &choice, whole[0], whole[1])
            side = f.count * (choice.ply & 1)
            for i in range(choice.count):
                view = view_of(f, lowest_bit(move[i]))
                for k in range(shared):
                    rows[used + k] = side + whole[view][k]
                used += shared
                pattern_rows(f, &choice, lowest_bit(move[i]), its)
                for k in range(DIRECTIONS + move_rows(f, &choice, i, view, its + DIRECTIONS)):
                    rows[used] = side + its[k]
                    used += 1
                done += 1
                start[done] = used
    free_network(f)
    return listed[:used].copy(), starts


def points_of_choices(samples not None, bytes network not None):
    """Return the points that a network gives every move of some samples, as the search adds them.

    Returns:
        int32, (moves,): the points for all moves of the first sample, then of the second, and so on.
    """
    cdef Network orders = Network(network)
    cdef const Board* g = board_of(orders.width, orders.height)
    samples = _checked(samples, g)
    if (samples["ply"] > orders.last_ply).any():
        raise ValueError(f"the network is used with at most {orders.last_ply} stones; a sample has more")
    points = np.zeros(samples["count"].sum(dtype=np.int64), dtype=np.int32)
    cdef int32_t[::1] point = points
    cdef int32_t[WORD_COLUMNS] rank
    cdef Choice choice
    cdef word_t[WORD_COLUMNS] move
    cdef word_t[WORD_COLUMNS] wins
    cdef const uint8_t[:, ::1] square = np.ascontiguousarray(samples["square"])
    cdef Py_ssize_t n, done = 0
    cdef int i
    for n in range(len(samples)):
        sample = samples[n]
        choice.ply = sample["ply"]
        choice.beta = sample["beta"]
        choice.last = sample["last"]
        choice.count = sample["count"]
        _choice_of(
            g, &choice, move, wins, join_halves(sample["own"][0], sample["own"][1]),
            join_halves(sample["mask"][0], sample["mask"][1]), &square[n, 0], False,
        )
        memset(rank, 0, sizeof(rank))
        add_network_points(orders.network, &choice, rank, 1)
        for i in range(choice.count):
            point[done] = rank[i]
            done += 1
    return points


def upper_bounds(keys, *, board, int target):
    """Return the static upper bounds of many positions, for tests.

    Returns:
        int8 array: an upper bound on the score of the side to move that is not above the target, or
        NOT_PROVEN (127). It is also NOT_PROVEN if the side to move wins at once.
    """
    cdef const Board* g = read_board(board)
    check_narrow(BoardSize(g.width, g.height), "arrays of keys of 64 bits")
    cdef const uint64_t[::1] keys_view = keys
    cdef int8_t[::1] bounds_view
    cdef word_t stones, mask
    cdef Parity parity
    cdef Py_ssize_t index
    bounds = np.empty(len(keys), dtype=np.int8)
    bounds_view = bounds
    for index in range(keys_view.shape[0]):
        split_key(g, keys_view[index], &stones, &mask)
        if winning_squares(g, stones, mask) & playable_squares(g, mask):
            bounds_view[index] = NOT_PROVEN
        else:
            parity.own = stones
            parity.first = mask + g.bottom
            parity.even = even_offsets(g, mask)
            parity.odd = g.squares & ~mask & ~parity.even
            parity.wins = winning_squares(g, stones ^ mask, mask)
            bounds_view[index] = upper_bound(
                g, &parity, moves_to_beat(g, popcount(mask), target), target
            )
    return bounds
