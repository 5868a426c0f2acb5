"""What one thread remembers from one search of a board to the next; thread_memory.pyx says why."""

from c4core.board cimport Geometry
from c4core.experience cimport Experience
from c4core.table cimport Table

# Searches of one thread on one board use it; nobody else does while they run.
cdef struct ThreadMemory:
    ThreadMemory* next      # among those that nobody uses
    Experience* experience
    Table late              # bounds of positions with fewer than LATE_TABLE_EMPTIES empty squares

# The memories of a board that no search uses just now. The interpreter lock guards them.
cdef struct ThreadMemories:
    ThreadMemory* idle

cdef ThreadMemory* create_memory(const Geometry* g) except NULL
cdef void clear_memory(ThreadMemory* memory) noexcept nogil
cdef void free_memory(ThreadMemory* memory) noexcept

cdef ThreadMemory* take_memory(ThreadMemories* memories, const Geometry* g) except NULL
cdef void return_memory(ThreadMemories* memories, ThreadMemory* memory) noexcept
cdef void clear_memories(ThreadMemories* memories) noexcept
cdef void free_memories(ThreadMemories* memories) noexcept
