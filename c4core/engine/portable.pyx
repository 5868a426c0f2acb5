"""The kernel that runs on every processor."""

from cpython.pycapsule cimport PyCapsule_New

include "kernel.pxi"


cdef int _read_network(
    const Board* g, int last_ply, const uint8_t* data, size_t size, void** network
) noexcept nogil:
    cdef OrderNetwork* f = create_network(g, last_ply)
    network[0] = f
    if f == NULL:
        return NO_MEMORY_LEFT
    if size != weight_bytes(f):
        free_network(f)
        return NOT_A_NETWORK
    if not fill_network(f, data):
        free_network(f)
        return NO_MEMORY_LEFT
    return 0


cdef bint _export_bounds(
    Memory* memory, int least_work, TableBound** bounds, size_t* count
) noexcept nogil:
    return table_export(&(<BoardMemory*>memory).table, least_work, bounds, count)


cdef void _import_bounds(Memory* memory, const TableBound* bounds, size_t count) noexcept nogil:
    table_import(&(<BoardMemory*>memory).table, (<BoardMemory*>memory).g, bounds, count)


cdef Kernel KERNEL
KERNEL.new_memory = _new_memory
KERNEL.clear_table = _clear_table
KERNEL.forget = _forget
KERNEL.free_memory = _free_memory
KERNEL.read_network = _read_network
KERNEL.begin = _begin
KERNEL.end = _end
KERNEL.solve = _solve_position
KERNEL.start_columns = _start_columns
KERNEL.analyze = _analyze_position
KERNEL.test = _test_position
KERNEL.principal_move = _principal_move
KERNEL.assemble = _assemble
KERNEL.join = _join
KERNEL.disband = _disband
KERNEL.run_batch = _run_batch
KERNEL.export_bounds = _export_bounds
KERNEL.import_bounds = _import_bounds
KERNEL.search = <void*>_search


def kernel():
    """Return the kernel's functions, for kernel.pyx."""
    return PyCapsule_New(&KERNEL, b"c4core.Kernel", NULL)
