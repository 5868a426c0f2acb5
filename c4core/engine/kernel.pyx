"""The engine's door: boards, the kernel that suits the processor, and Ctrl-C.

Every kernel is compiled from kernel.pxi; results and node counts are the same:

``portable``
    runs everywhere.
``x86-v3``
    for x86-64 processors with AVX2, BMI2 and POPCNT, all since about 2013.
``x86-v3-pext``
    also uses the instruction ``pext``, for those processors where it is quick: all of Intel's, and AMD's
    since Zen 3.

The environment variable ``C4_KERNEL`` names the last one that may be chosen, in this order.
"""

import os
import threading
from importlib import import_module

from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdlib cimport malloc

from c4core.engine.board cimport HEIGHT_LIMIT, WIDTH_LIMIT, fill_geometry, popcount

include "ordering.pxi"


cdef extern from "processor.h":
    bint has_x86_v3 "c4_has_x86_v3"() noexcept
    bint has_quick_pext "c4_has_quick_pext"() noexcept


cdef Board* _boards[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Board* board_of(int width, int height) except? NULL:
    """The board of a size, or NULL if no bitboard holds it."""
    cdef Board* g
    if not (1 <= width < WIDTH_LIMIT and 1 <= height < HEIGHT_LIMIT):
        return NULL
    if width * (height + 1) > 64:
        return NULL
    g = _boards[width][height]
    if g == NULL:
        g = <Board*>malloc(sizeof(Board))
        if g == NULL:
            raise MemoryError
        fill_geometry(g, width, height)
        fill_values(g)
        _boards[width][height] = g
    return g


def _best_kernel():
    """The name and the module of the fastest kernel that was built, runs here and may be chosen."""
    kernels = [
        ("portable", "c4core.engine.portable", True),
        ("x86-v3", "c4core.engine.x86_v3", has_x86_v3()),
        ("x86-v3-pext", "c4core.engine.x86_v3_pext", has_x86_v3() and has_quick_pext()),
    ]
    last = os.environ.get("C4_KERNEL")
    names = [name for name, _, _ in kernels]
    for name, module, runs in reversed(kernels[: names.index(last) + 1 if last in names else None]):
        if runs:
            try:
                return name, import_module(module)
            except ImportError:
                # It was not built: the compiler's targets were others than x86-64 (a universal binary).
                continue


NAME, _module = _best_kernel()
cdef object _capsule = _module.kernel()


cdef const Kernel* chosen_kernel() except NULL:
    """The functions of the chosen kernel."""
    return <const Kernel*>PyCapsule_GetPointer(_capsule, b"c4core.Kernel")


# The networks that were read, by board size; None for a board without a file. They are never freed.
cdef dict _networks = {}


cdef const void* network_of(const Board* g) except? NULL:
    """The network that orders moves on a board, or NULL if it has none; read once.

    Raises:
        ValueError: the file is damaged.
        MemoryError: no memory for it.
    """
    from c4core.engine.network_file import network_path, read_network_file

    cdef void* network = NULL
    cdef int fault
    cdef const unsigned char[::1] weights
    size = g.width, g.height
    if size not in _networks:
        path = network_path(*size)
        try:
            read = read_network_file(path.read_bytes())
            weights = read.weights
            fault = chosen_kernel().read_network(g, read.last_ply, &weights[0], len(weights), &network)
            if fault == NO_MEMORY_LEFT:
                raise MemoryError("no memory for the network that orders moves")
            if fault:
                raise ValueError("a network for another version of c4")
        except FileNotFoundError:
            pass
        except ValueError as error:
            raise ValueError(f"{path}: {error}; install c4 again") from None
        # Another thread may have read it meanwhile, and searches with what it has found: that one stays.
        _networks.setdefault(size, <size_t>network)
    return <const void*><size_t>_networks[size]


# A search holds no interpreter lock, so no signal is handled while it runs. It calls interrupted() now and
# then, and stops if a handler raised something; the call that began the search raises it again. Only the main
# thread runs signal handlers, so one place is enough.
cdef unsigned long _main_thread = threading.main_thread().ident
cdef list _raised = []


def _after_fork():
    """A forked child has one thread, which is its main thread from now on."""
    global _main_thread
    _main_thread = PyThread_get_thread_ident()
    _raised.clear()


os.register_at_fork(after_in_child=_after_fork)


cdef bint interrupted() noexcept nogil:
    """Let Python handle its signals; whether a handler raised something."""
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            _raised.append(error)
            return True
    return False


cdef object take_raised():
    """What a signal handler raised, for the main thread to raise again; or None."""
    if _raised and PyThread_get_thread_ident() == _main_thread:
        return _raised.pop()
    return None
