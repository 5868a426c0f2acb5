"""A batch of positions and the threads that search it, on the C side."""

from libc.stdint cimport int8_t, uint64_t

from c4core.board cimport Geometry
from c4core.bounds cimport Rows
from c4core.kernel cimport Kernel
from c4core.ordering cimport Ordering
from c4core.root cimport Limits
from c4core.table cimport Table
from c4core.thread_memory cimport ThreadMemories, ThreadMemory

cdef enum:
    TAKE = 16           # positions of a batch that a thread takes at a time

# One batch, shared by its threads; every entry is written by the thread that took it.
cdef struct Batch:
    const Kernel* kernel
    const Geometry* g
    const Ordering* ordering
    const Rows* rows
    Table* table
    ThreadMemories* memories    # where threads get theirs
    Limits limits
    uint64_t count
    uint64_t taken          # positions handed out so far; atomic
    const uint64_t* stones
    const uint64_t* masks
    bint weak
    bint related            # most of the positions are close relatives
    int8_t* lower
    int8_t* upper
    uint64_t* nodes
    int8_t* scores          # width entries a position, or NULL: no columns

cdef void run_batch(
    Batch* batch, ThreadMemory* memory, bint (*interrupted)() noexcept nogil
) noexcept nogil
