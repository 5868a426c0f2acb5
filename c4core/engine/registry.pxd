"""The registry of a search by several workers: which positions they share, and who searches what.

A *question* is a position and a null window: does the side to move score at least beta? Its name is a hash of
both. A worker that has spent many nodes on a question *splits* it: from then on other workers may enter the
position, too. Inside a split position a worker *claims* a move before it searches it, and the others skip
claimed moves (together.pxi). So most questions are in neither state, and the registry knows nothing of them.

The registry holds only hints. Without an entry two workers search the same move, which costs time and nothing
else. So a group that is full drops its oldest entry, and colliding names do no harm. All results pass through
the transposition table.

Readers take no lock. Writers take the lock of a group, which has one cache line.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

cimport c4core.engine.atomics as atomics

cdef enum:
    LOG_GROUPS = 15
    GROUP_ENTRIES = 3       # the newest first
    # The state of a question: IS_SPLIT, or the worker that has claimed it, or both, or neither.
    IS_SPLIT = 1
    CLAIM = 2               # the number of the worker, which is at least 1, is multiplied by this

cdef struct Group:
    uint64_t lock
    uint64_t name[GROUP_ENTRIES]    # 0: no entry
    uint64_t state[GROUP_ENTRIES]
    uint64_t unused                 # fills the cache line

# Every word is atomic.
cdef struct Registry:
    uint64_t bounds         # the narrowest bounds of the root that any worker has proven, packed
    uint64_t version        # counts the changes of these bounds
    uint64_t decided        # counts the split questions that were decided
    uint64_t changes        # counts everything that may help a worker that finds no move
    uint64_t nodes          # of all workers, up to their last polls
    uint64_t workers        # the number of workers that have joined
    # Called by every worker at each of its polls, and instead of waiting; or NULL. For simulations.
    void (*pause)(int worker, uint64_t nodes, bint is_idle) noexcept nogil
    Group groups[1 << LOG_GROUPS]


cdef inline Group* _group(Registry* r, uint64_t name) noexcept nogil:
    return &r.groups[(name * <uint64_t>0x9E3779B97F4A7C15) >> (64 - LOG_GROUPS)]


cdef inline uint64_t question_state(Registry* r, uint64_t name) noexcept nogil:
    """Return the state of a question; 0 if the registry does not know it."""
    cdef Group* group = _group(r, name)
    cdef int index
    for index in range(GROUP_ENTRIES):
        if atomics.load(&group.name[index]) == name:
            return atomics.load(&group.state[index])
    return 0


cdef inline bint _change(
    Registry* r, uint64_t name, uint64_t kept, uint64_t state, uint64_t owner
) noexcept nogil:
    """Keep some bits of a question's state and set others, unless it is claimed by another worker.

    ``owner`` is 0 if the claim does not matter. Return whether the state was set.
    """
    cdef Group* group = _group(r, name)
    cdef uint64_t old
    cdef int index = 0
    cdef bint is_mine = True
    atomics.lock(&group.lock)
    while index < GROUP_ENTRIES and atomics.load(&group.name[index]) != name:
        index += 1
    old = atomics.load(&group.state[index]) if index < GROUP_ENTRIES else 0
    if owner and old >= CLAIM and old // CLAIM != owner:
        is_mine = False
    else:
        state |= old & kept
        if index == GROUP_ENTRIES and state:
            index = 0
            while index < GROUP_ENTRIES - 1 and atomics.load(&group.name[index]) != 0:
                index += 1
            while index > 0:
                atomics.store(&group.state[index], atomics.load(&group.state[index - 1]))
                atomics.store(&group.name[index], atomics.load(&group.name[index - 1]))
                index -= 1
        if index < GROUP_ENTRIES:
            atomics.store(&group.state[index], state)
            atomics.store(&group.name[index], name if state else 0)
    atomics.unlock(&group.lock)
    return is_mine


cdef inline bint claim(Registry* r, uint64_t name, uint64_t worker) noexcept nogil:
    """Claim a question for a worker; False if another worker has claimed it."""
    return _change(r, name, IS_SPLIT, worker * CLAIM, worker)


cdef inline void release(Registry* r, uint64_t name, uint64_t worker) noexcept nogil:
    """Give up a worker's claim."""
    _change(r, name, IS_SPLIT, 0, worker)
    atomics.add(&r.changes, 1)


cdef inline void split(Registry* r, uint64_t name) noexcept nogil:
    """Let other workers enter the position of a question."""
    _change(r, name, ~<uint64_t>0, IS_SPLIT, 0)
    atomics.add(&r.changes, 1)


cdef inline void forget(Registry* r, uint64_t name) noexcept nogil:
    """Remove a question that is decided, after its bound was stored."""
    _change(r, name, 0, 0, 0)
    atomics.add(&r.decided, 1)
    atomics.add(&r.changes, 1)
