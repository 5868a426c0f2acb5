"""What one thread remembers from one search of a board to the next.

Its experience (experience.pyx), and a transposition table of its own for positions late in the game.
Nine of ten nodes are such positions, their bounds are cheap to find again, and with a table that fits
the second-level cache of one core a node takes a fifth less time than with the large one, which threads
share (docs/engine.md). So positions with fewer than ``LATE_TABLE_EMPTIES`` empty squares (table_keys.pxd) never
enter the large table, and threads do not share their bounds.
"""

from libc.stdlib cimport calloc, free

from c4core.experience cimport clear_experience, create_experience
from c4core.table cimport table_clear, table_create, table_free

cdef enum:
    LATE_TABLE_BYTES = 1 << 19     # half the second-level cache of common processors


cdef ThreadMemory* create_memory(const Geometry* g) except NULL:
    """An empty one; :func:`free_memory` gives it back."""
    cdef ThreadMemory* memory = <ThreadMemory*>calloc(1, sizeof(ThreadMemory))
    if memory == NULL:
        raise MemoryError
    try:
        memory.experience = create_experience(g)
        if not table_create(&memory.late, LATE_TABLE_BYTES):
            raise MemoryError
    except MemoryError:
        free_memory(memory)
        raise
    return memory


cdef void clear_memory(ThreadMemory* memory) noexcept nogil:
    """Forget everything."""
    clear_experience(memory.experience)
    table_clear(&memory.late)


cdef void free_memory(ThreadMemory* memory) noexcept:
    if memory != NULL:
        free(memory.experience)
        table_free(&memory.late)
        free(memory)


cdef ThreadMemory* take_memory(ThreadMemories* memories, const Geometry* g) except NULL:
    """A memory for one thread to search with: the one used last, or a new one."""
    cdef ThreadMemory* memory = memories.idle
    if memory == NULL:
        return create_memory(g)
    memories.idle = memory.next
    return memory


cdef void return_memory(ThreadMemories* memories, ThreadMemory* memory) noexcept:
    memory.next = memories.idle
    memories.idle = memory


cdef void clear_memories(ThreadMemories* memories) noexcept:
    """Forget everything; running searches keep theirs."""
    cdef ThreadMemory* memory = memories.idle
    while memory != NULL:
        clear_memory(memory)
        memory = memory.next


cdef void free_memories(ThreadMemories* memories) noexcept:
    """Free those that nobody uses."""
    cdef ThreadMemory* memory
    while memories.idle != NULL:
        memory = memories.idle
        memories.idle = memory.next
        free_memory(memory)
