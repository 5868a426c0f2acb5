"""The registry of a search by several workers: which positions they share, and who searches what.

A *question* is a position and a null window: does the side to move score at least beta? Its name is a hash of
both. A worker that has spent many nodes on a question *splits* it: from then on other workers may enter the
position, too. Inside a split position a worker *claims* a move before it searches it, and the others skip
claimed moves (together.pxi). So most questions are in neither state, and the registry knows nothing of them.
With a question it keeps the chance that one of the position's moves cuts, as the workers inside see it.

The registry holds only hints. Without an entry two workers search the same move, which costs time and nothing
else. So a group that is full drops its oldest entry, and colliding names do no harm. All results pass through
the transposition table.

The threads of a process share one registry and one table. Readers take no lock. Writers take the lock of a
group, which has one cache line. Every other process that works on the position has a registry of its own. A
process appends its changes to its *outbox*, with the costly bounds, and another process repeats them soon after.
"""

from libc.stdint cimport int8_t, uint8_t, uint64_t

cimport c4core.engine.atomics as atomics
from c4core.engine.kernel cimport TableBound, team_bounds, team_lower, team_upper

cdef enum:
    LOG_GROUPS = 15
    GROUP_ENTRIES = 3       # the newest first
    # The state of a question: IS_SPLIT, or the worker that has claimed it, or both, or neither.
    IS_SPLIT = 1
    CLAIM = 2               # the number of the worker, which is at least 1, is multiplied by this
    # The highest bits of its word: the chance that a move cuts, from 1 to CHANCES; 0 if it is not known.
    CHANCE_SHIFT = 48
    CHANCES = (1 << 16) - 1
    # Other notices.
    RELEASE = 4
    DECIDED = 8
    ROOT_BOUNDS = 16        # the name is the packed bounds
    OUTBOX = 8192           # entries; more are lost
    FIRST_PROCESS = 1 << 20 # from here on the owner of a claim is another process

cdef struct Group:
    uint64_t lock
    uint64_t name[GROUP_ENTRIES]    # 0: no entry
    uint64_t word[GROUP_ENTRIES]    # the state and the chance
    uint64_t unused                 # fills the cache line

# Something that the other processes should know.
cdef struct Notice:
    uint64_t name
    uint64_t kind

# What has to be carried to the other processes.
cdef struct Outbox:
    uint64_t lock
    uint64_t notice_count
    uint64_t bound_count
    Notice[OUTBOX] notices
    TableBound[OUTBOX] bounds

# Every word is atomic.
cdef struct Registry:
    uint64_t bounds         # the narrowest bounds of the root that any worker has proven, packed
    uint64_t version        # counts the changes of these bounds
    uint64_t decided        # counts the split questions that were decided
    uint64_t changes        # counts everything that may help a worker that finds no move
    uint64_t nodes          # of all workers, up to their last polls
    uint64_t joined         # the number of workers that have joined so far
    uint64_t workers        # the number of workers that search now
    uint64_t lost           # counts the claims of workers that another process has, too
    uint64_t process        # the number of this process as the owner of a claim
    uint64_t other_nodes    # of the workers of other processes
    uint64_t other_workers
    uint64_t repeats        # counts the requests to repeat the splits and claims of running searches
    uint64_t least_split    # a position that has cost fewer nodes is not split
    uint64_t least_posted   # a bound that has cost fewer nodes is not for other processes
    Outbox* outbox          # or NULL
    # Called by every worker at each of its polls, and instead of waiting; or NULL. For simulations.
    void (*pause)(int worker, uint64_t nodes, bint is_idle) noexcept nogil
    Group groups[1 << LOG_GROUPS]


cdef inline Group* _group(Registry* r, uint64_t name) noexcept nogil:
    return &r.groups[(name * <uint64_t>0x9E3779B97F4A7C15) >> (64 - LOG_GROUPS)]


cdef inline uint64_t _word(Registry* r, uint64_t name) noexcept nogil:
    """Return the state and the chance of a question; 0 if the registry does not know it."""
    cdef Group* group = _group(r, name)
    cdef int index
    for index in range(GROUP_ENTRIES):
        if atomics.load(&group.name[index]) == name:
            return atomics.load(&group.word[index])
    return 0


cdef inline uint64_t _state_of(uint64_t word) noexcept nogil:
    return word & ((<uint64_t>1 << CHANCE_SHIFT) - 1)


cdef inline uint64_t question_state(Registry* r, uint64_t name) noexcept nogil:
    """Return the state of a question; 0 if the registry does not know it."""
    return _state_of(_word(r, name))


cdef inline bint is_split(Registry* r, uint64_t name) noexcept nogil:
    return _word(r, name) & IS_SPLIT


cdef inline double cut_chance(Registry* r, uint64_t name, double unknown) noexcept nogil:
    """Return the chance that a move of a question's position cuts; ``unknown`` if nobody has set it."""
    cdef uint64_t chance = _word(r, name) >> CHANCE_SHIFT
    return <double>chance / CHANCES if chance else unknown


cdef inline uint64_t _change(
    Registry* r, uint64_t name, uint64_t kept, uint64_t added, uint64_t owner
) noexcept nogil:
    """Keep some bits of a question's word and set others, unless it is claimed by another worker.

    ``owner`` is 0 if the claim does not matter. Without a state a question has no entry. Return the word before.
    """
    cdef Group* group = _group(r, name)
    cdef uint64_t old, word
    cdef int index = 0
    atomics.lock(&group.lock)
    while index < GROUP_ENTRIES and atomics.load(&group.name[index]) != name:
        index += 1
    old = atomics.load(&group.word[index]) if index < GROUP_ENTRIES else 0
    if owner == 0 or _state_of(old) < CLAIM or _state_of(old) // CLAIM == owner:
        word = (old & kept) | added
        if not _state_of(word):
            word = 0
        if index == GROUP_ENTRIES and word:
            index = 0
            while index < GROUP_ENTRIES - 1 and atomics.load(&group.name[index]) != 0:
                index += 1
            while index > 0:
                atomics.store(&group.word[index], atomics.load(&group.word[index - 1]))
                atomics.store(&group.name[index], atomics.load(&group.name[index - 1]))
                index -= 1
        if index < GROUP_ENTRIES:
            atomics.store(&group.word[index], word)
            atomics.store(&group.name[index], name if word else 0)
    atomics.unlock(&group.lock)
    return old


cdef inline uint64_t _set_claim(Registry* r, uint64_t name, uint64_t worker, uint64_t owner) noexcept nogil:
    """Give a question to a worker, or to nobody (0), as _change does. Return the worker that had it, or 0."""
    return _state_of(_change(r, name, ~_state_of(~<uint64_t>IS_SPLIT), worker * CLAIM, owner)) // CLAIM


cdef inline void post(Registry* r, uint64_t name, uint64_t kind) noexcept nogil:
    """Append a notice to the outbox, if there is one."""
    cdef Outbox* outbox = r.outbox
    if outbox != NULL:
        atomics.lock(&outbox.lock)
        if outbox.notice_count < OUTBOX:
            outbox.notices[outbox.notice_count].name = name
            outbox.notices[outbox.notice_count].kind = kind
            outbox.notice_count += 1
        atomics.unlock(&outbox.lock)


cdef inline void post_bound(Registry* r, const TableBound* bound) noexcept nogil:
    """Append a bound to the outbox, which must exist."""
    cdef Outbox* outbox = r.outbox
    atomics.lock(&outbox.lock)
    if outbox.bound_count < OUTBOX:
        outbox.bounds[outbox.bound_count] = bound[0]
        outbox.bound_count += 1
    atomics.unlock(&outbox.lock)


cdef inline bint claim(Registry* r, uint64_t name, uint64_t worker) noexcept nogil:
    """Claim a question for a worker. Return False if another worker has claimed it."""
    cdef uint64_t owner = _set_claim(r, name, worker, worker)
    if owner and owner != worker:
        return False
    post(r, name, CLAIM)
    return True


cdef inline void release(Registry* r, uint64_t name, uint64_t worker) noexcept nogil:
    """Give up a worker's claim."""
    _set_claim(r, name, 0, worker)
    atomics.add(&r.changes, 1)
    post(r, name, RELEASE)


cdef inline void set_cut_chance(Registry* r, uint64_t name, double chance) noexcept nogil:
    """Set the chance that a move of a question's position cuts, if the registry knows the question."""
    _change(r, name, _state_of(~<uint64_t>0), <uint64_t>(1 + chance * (CHANCES - 1)) << CHANCE_SHIFT, 0)


cdef inline void _set_split(Registry* r, uint64_t name) noexcept nogil:
    _change(r, name, ~<uint64_t>0, IS_SPLIT, 0)
    atomics.add(&r.changes, 1)


cdef inline void split(Registry* r, uint64_t name) noexcept nogil:
    """Let other workers enter the position of a question."""
    _set_split(r, name)
    post(r, name, IS_SPLIT)


cdef inline void _forget(Registry* r, uint64_t name) noexcept nogil:
    _change(r, name, 0, 0, 0)
    atomics.add(&r.decided, 1)
    atomics.add(&r.changes, 1)


cdef inline void forget(Registry* r, uint64_t name) noexcept nogil:
    """Remove a question that is decided, after its bound was stored."""
    _forget(r, name)
    post(r, name, DECIDED)


cdef inline bint narrow(Registry* r, int* lower, int* upper) noexcept nogil:
    """Narrow the root's bounds and the given ones to their intersection; return whether the root's changed."""
    cdef uint64_t known, merged
    while True:
        known = atomics.load(&r.bounds)
        lower[0] = max(lower[0], team_lower(known))
        upper[0] = min(upper[0], team_upper(known))
        merged = team_bounds(lower[0], upper[0])
        if merged == known:
            return False
        if atomics.exchange_if(&r.bounds, known, merged):
            atomics.add(&r.version, 1)
            atomics.add(&r.changes, 1)
            return True


cdef inline void _take_claim(Registry* r, uint64_t name, uint64_t process) noexcept nogil:
    """Note a claim of another process. If two processes have claimed a question, the lower number keeps it.

    Otherwise they would stay side by side: they find the same move free next, at the same moment.
    """
    cdef uint64_t owner = question_state(r, name) // CLAIM
    if owner == 0 or process < (owner if owner >= FIRST_PROCESS else r.process):
        _set_claim(r, name, process, 0)
        if 0 < owner < FIRST_PROCESS:
            atomics.add(&r.lost, 1)


cdef inline void take_notices(
    Registry* r, const Notice* notices, uint64_t count, uint64_t process
) noexcept nogil:
    """Repeat what another process has done, after its bounds were added to the table."""
    cdef uint64_t index, kind
    cdef int lower, upper
    for index in range(count):
        kind = notices[index].kind
        if kind == IS_SPLIT:
            _set_split(r, notices[index].name)
        elif kind == CLAIM:
            _take_claim(r, notices[index].name, process)
        elif kind == RELEASE:
            _set_claim(r, notices[index].name, 0, process)
            atomics.add(&r.changes, 1)
        elif kind == DECIDED:
            _forget(r, notices[index].name)
        elif kind == ROOT_BOUNDS:
            lower = team_lower(notices[index].name)
            upper = team_upper(notices[index].name)
            # The sender is another program: bounds that contradict the known ones are not used.
            if (
                lower <= upper
                and lower <= team_upper(atomics.load(&r.bounds))
                and upper >= team_lower(atomics.load(&r.bounds))
            ):
                narrow(r, &lower, &upper)


cdef inline void drop_claims(Registry* r, uint64_t process) noexcept nogil:
    """Drop the claims of another process that is silent."""
    cdef uint64_t group, name
    cdef int index
    for group in range(<uint64_t>1 << LOG_GROUPS):
        for index in range(GROUP_ENTRIES):
            name = atomics.load(&r.groups[group].name[index])
            if name:
                _set_claim(r, name, 0, process)
    atomics.add(&r.changes, 1)
