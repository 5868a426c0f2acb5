"""Many workers that search one position together, on one processor and a virtual clock.

The searches and the registries are the engine's own. Each worker is a coroutine, and its clock counts the
nodes that it has visited. At each poll the worker whose clock is furthest behind goes on, so that every run
gives the same result. Workers of one host share a table and a registry. At intervals every host sends its
outbox to all others.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from c4core.engine.board cimport Board
from c4core.engine.kernel cimport (
    NO_LIMIT,
    Bounds,
    Kernel,
    Limits,
    Memory,
    Run,
    Team,
    game_bounds,
    kernel_of,
    network_of,
)
from c4core.engine.registry cimport FIRST_PROCESS, Outbox, Registry, take_notices
from c4core.position cimport Position

cdef extern from *:
    """
    #include <stdlib.h>
    #include <ucontext.h>

    typedef struct {
        ucontext_t context;
        void *stack;
    } c4_coroutine;

    static int c4_prepare(c4_coroutine *c, size_t stack_size, void (*body)(void)) {
        c->stack = malloc(stack_size);
        if (c->stack == NULL || getcontext(&c->context)) {
            return 0;
        }
        c->context.uc_stack.ss_sp = c->stack;
        c->context.uc_stack.ss_size = stack_size;
        c->context.uc_link = NULL;
        makecontext(&c->context, body, 0);
        return 1;
    }

    static void c4_switch(c4_coroutine *from, c4_coroutine *to) {
        swapcontext(&from->context, &to->context);
    }
    """
    ctypedef struct Coroutine "c4_coroutine":
        void* stack
    bint prepare "c4_prepare"(Coroutine* coroutine, size_t stack_size, void (*body)() noexcept nogil) nogil
    void switch_to "c4_switch"(Coroutine* old, Coroutine* new) nogil

cdef enum:
    STACK_BYTES = 1 << 20
    IDLE_NODES = 512        # the time of one wait, in nodes
    SOLO_NODES = 50000      # as in c4core/solver.pyx

cdef struct SimulatedWorker:
    Coroutine coroutine
    Run* run
    int host
    uint64_t idle           # nodes that it could have visited while it waited
    uint64_t clock
    bint is_over

cdef struct Host:
    Memory* memory
    Team* team

cdef struct Simulation:
    const Kernel* kernel
    SimulatedWorker* workers
    int worker_count
    Host* hosts
    int host_count
    int running             # the worker that runs now
    uint64_t horizon        # the clock at which another worker is behind it
    uint64_t exchange_at
    uint64_t exchange_nodes
    Coroutine scheduler

cdef Simulation simulation


cdef inline Registry* _registry(int host) noexcept nogil:
    return <Registry*>simulation.hosts[host].team


cdef void _pause(int number, uint64_t nodes, bint is_idle) noexcept nogil:
    """Let the worker wait that runs now, if another one is behind it."""
    cdef SimulatedWorker* w = &simulation.workers[simulation.running]
    if is_idle:
        w.idle += IDLE_NODES
    w.clock = nodes + w.idle
    if w.clock >= simulation.horizon:
        switch_to(&w.coroutine, &simulation.scheduler)


cdef void _work() noexcept nogil:
    cdef SimulatedWorker* w = &simulation.workers[simulation.running]
    simulation.kernel.join(simulation.hosts[w.host].team, w.run)
    w.is_over = True
    switch_to(&w.coroutine, &simulation.scheduler)


cdef void _exchange() noexcept nogil:
    """Carry the outbox of every host to all others."""
    cdef int sender, receiver
    cdef Outbox* outbox
    for sender in range(simulation.host_count):
        outbox = _registry(sender).outbox
        for receiver in range(simulation.host_count):
            if receiver != sender:
                simulation.kernel.import_bounds(
                    simulation.hosts[receiver].memory, outbox.bounds, outbox.bound_count
                )
                take_notices(
                    _registry(receiver), outbox.notices, outbox.notice_count, FIRST_PROCESS + sender
                )
        outbox.notice_count = outbox.bound_count = 0


cdef uint64_t _run(uint64_t most_nodes) noexcept nogil:
    """Let the workers search until one has the answer; return its clock."""
    cdef uint64_t least, second, nodes
    cdef int index
    cdef SimulatedWorker* w
    while True:
        least = second = NO_LIMIT
        nodes = 0
        for index in range(simulation.worker_count):
            w = &simulation.workers[index]
            nodes += w.clock - w.idle
            if w.clock < least:
                second = least
                least = w.clock
                simulation.running = index
            elif w.clock < second:
                second = w.clock
        if simulation.host_count > 1 and least >= simulation.exchange_at:
            _exchange()
            for index in range(simulation.host_count):
                _registry(index).other_nodes = nodes
            simulation.exchange_at = least + simulation.exchange_nodes
        w = &simulation.workers[simulation.running]
        simulation.horizon = second
        switch_to(&simulation.scheduler, &w.coroutine)
        if w.is_over or nodes > most_nodes:
            return w.clock


def simulate(
    Position start,
    *,
    int workers,
    int hosts=1,
    int table_mb=64,
    uint64_t exchange_nodes=0,
    most_nodes=None,
):
    """Solve a position with simulated workers, which are spread evenly over hosts.

    Args:
        start: the position; its game must not be over.
        workers: the number of workers.
        hosts: the number of hosts, each with a table and a registry.
        table_mb: megabytes of each host's table.
        exchange_nodes: nodes that a worker visits between two exchanges of the hosts.
        most_nodes: give up after this number of nodes of all workers.

    Returns:
        A dictionary: ``lower`` and ``upper`` bounds of the score, ``nodes`` of all workers, the ``clock`` of the
        worker that has the answer, and the ``idle`` time of all workers.
    """
    cdef const Board* g = start.g
    cdef Limits limits
    cdef uint64_t epoch = 0, searched = 0, clock, limit = NO_LIMIT if most_nodes is None else most_nodes
    cdef Bounds bounds
    cdef int index
    cdef const void* network = network_of(g)
    cdef SimulatedWorker* w
    if game_bounds(g, start.stones, start.mask, &bounds):
        raise ValueError("the game is over")
    limits.epoch, limits.searched, limits.started = &epoch, &searched, 0
    limits.timed, limits.node_limit, limits.interrupted = False, NO_LIMIT, NULL
    simulation.kernel = kernel_of(g)
    simulation.workers = <SimulatedWorker*>calloc(workers, sizeof(SimulatedWorker))
    simulation.hosts = <Host*>calloc(hosts, sizeof(Host))
    simulation.worker_count, simulation.host_count = workers, hosts
    simulation.exchange_nodes = simulation.exchange_at = exchange_nodes
    if simulation.workers == NULL or simulation.hosts == NULL:
        raise MemoryError
    for index in range(hosts):
        simulation.hosts[index].memory = simulation.kernel.new_memory(g, network, <size_t>table_mb << 20)
        if simulation.hosts[index].memory == NULL:
            raise MemoryError
    for index in range(workers):
        w = &simulation.workers[index]
        w.host = index % hosts
        w.run = simulation.kernel.begin(simulation.hosts[w.host].memory, &limits)
        if w.run == NULL or not prepare(&w.coroutine, STACK_BYTES, _work):
            raise MemoryError
    # As a solver does, one worker searches alone first; all begin with its history of moves.
    simulation.workers[0].run.node_limit = SOLO_NODES
    simulation.kernel.solve(simulation.workers[0].run, start.stones, start.mask, &bounds, False)
    simulation.workers[0].run.node_limit = NO_LIMIT
    for index in range(hosts):
        simulation.hosts[index].team = simulation.kernel.assemble(
            simulation.workers[0].run, start.stones, start.mask, &bounds, False, NO_LIMIT
        )
        if simulation.hosts[index].team == NULL:
            raise MemoryError
        _registry(index).pause = _pause
        if hosts > 1:
            _registry(index).process = FIRST_PROCESS + index
            _registry(index).outbox = <Outbox*>calloc(1, sizeof(Outbox))
            _registry(index).other_workers = workers - (workers - index + hosts - 1) // hosts
    with nogil:
        clock = _run(limit)
    nodes = sum([simulation.workers[i].clock - simulation.workers[i].idle for i in range(workers)])
    idle = sum([simulation.workers[i].idle for i in range(workers)])
    lower, upper = bounds.lower, bounds.upper
    for index in range(hosts):
        free(_registry(index).outbox)
        simulation.kernel.disband(simulation.hosts[index].team, simulation.workers[index].run, &bounds)
        lower, upper = max(lower, bounds.lower), min(upper, bounds.upper)
    for index in range(workers):
        w = &simulation.workers[index]
        simulation.kernel.end(w.run)
        free(w.coroutine.stack)
    for index in range(hosts):
        simulation.kernel.free_memory(simulation.hosts[index].memory)
    free(simulation.workers)
    free(simulation.hosts)
    return {"lower": lower, "upper": upper, "nodes": nodes, "clock": clock, "idle": idle}
