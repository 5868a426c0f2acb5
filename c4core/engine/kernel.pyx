"""The entry to the engine: boards, the choice of the kernel, order networks, and Ctrl-C.

Every kernel is compiled from kernel.pxi. Results and node counts are the same:

``portable``
    runs everywhere.
``x86-v3``
    for x86-64 processors with AVX2, BMI2 and POPCNT, all since about 2013.
``x86-v3-pext``
    also uses the instruction ``pext``, for processors with a fast one: all of Intel's, and AMD's since
    Zen 3.

Each of them has a wide counterpart for boards of more than 64 bits, which is loaded when the first such board
is searched.

The environment variable ``C4_KERNEL`` names the last kernel of this list that may be chosen. ``wide``, alone
or before a name (``wide-portable``), uses the wide kernel for all boards, for comparisons.
"""

import os
import threading
import zlib
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdlib cimport malloc

from c4core.engine.board cimport (
    HEIGHT_LIMIT,
    WIDTH_LIMIT,
    WORD_BITS,
    fill_geometry,
    is_narrow,
    popcount,
    word_t,
)

from c4core.errors import C4Error
from c4core.notation import check_board

include "ordering.pxi"


# The capabilities of the processor.
cdef extern from *:
    """
    /* Whether a kernel compiled for AVX2, BMI1, BMI2 and POPCNT runs here. */
    static inline int c4_has_x86_v3(void) {
    #if defined(__x86_64__)
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    #else
        return 0;
    #endif
    }

    /* Whether pext, which is part of BMI2, takes a few cycles here: AMD's processors before Zen 3 take up to
     * hundreds. */
    static inline int c4_has_quick_pext(void) {
    #if defined(__x86_64__)
        __builtin_cpu_init();
        return __builtin_cpu_supports("bmi2") &&
               (__builtin_cpu_is("intel") ||
                (__builtin_cpu_is("amd") && !__builtin_cpu_is("amdfam15h") &&
                 !__builtin_cpu_is("amdfam17h")));
    #else
        return 0;
    #endif
    }
    """
    bint has_x86_v3 "c4_has_x86_v3"() noexcept
    bint has_quick_pext "c4_has_quick_pext"() noexcept


cdef Board* _boards[WIDTH_LIMIT][HEIGHT_LIMIT]


cdef const Board* board_of(int width, int height) except? NULL:
    """Return the board of a size, or NULL if it does not fit a bitboard."""
    cdef Board* g
    if not (1 <= width < WIDTH_LIMIT and 1 <= height < HEIGHT_LIMIT):
        return NULL
    if width * (height + 1) > WORD_BITS:
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


_wanted = os.environ.get("C4_KERNEL", "")
ALWAYS_WIDE = _wanted.startswith("wide")
_LAST = _wanted.removeprefix("wide").removeprefix("-")


def _best_kernel(bint wide):
    """Return name and module of the fastest kernel that was built, runs here and may be chosen."""
    kernels = [
        ("portable", "wide" if wide else "portable", True),
        ("x86-v3", "wide_x86_v3" if wide else "x86_v3", has_x86_v3()),
        (
            "x86-v3-pext",
            "wide_x86_v3_pext" if wide else "x86_v3_pext",
            has_x86_v3() and has_quick_pext(),
        ),
    ]
    names = [name for name, _, _ in kernels]
    if _LAST and _LAST not in names:
        raise C4Error(f"C4_KERNEL cannot be {_wanted!r}: it is {', '.join(names)}, or wide-NAME")
    for name, module, runs in reversed(kernels[: names.index(_LAST) + 1 if _LAST in names else None]):
        if runs:
            try:
                return name, import_module(f"c4core.engine.{module}")
            except ImportError:
                # It was not built, because the compiler had other targets than x86-64 (a universal binary).
                continue


NAME, _module = _best_kernel(ALWAYS_WIDE)
cdef object _capsule = _module.kernel()
cdef object _wide_capsule = None


cdef const Kernel* kernel_of(const Board* g) except NULL:
    if is_narrow(g):
        return <const Kernel*>PyCapsule_GetPointer(_capsule, b"c4core.Kernel")
    return wide_kernel()


cdef const Kernel* wide_kernel() except NULL:
    global _wide_capsule
    if _wide_capsule is None:
        _wide_capsule = _best_kernel(True)[1].kernel()
    return <const Kernel*>PyCapsule_GetPointer(_wide_capsule, b"c4core.Kernel")


# The file of an order network, ``data/c4-WIDTHxHEIGHT.c4order``:
#
#     offset  bytes
#          0      8   b"C4ORDER1"
#          8      4   width, height, UNITS, last_ply
#         12      4   rows of a side, little-endian
#         16          rows for the first player to move, then for the second: UNITS signed bytes each
#                     weights of the units: 16 bits each, little-endian
#                     CRC-32 of everything before it, 4 bytes, little-endian
#
# order_network.pxi explains rows and units; docs/engine.md describes how the included files are made.

UNITS = 64      # as in order_network.pxi

_MAGIC = b"C4ORDER1"
_HEADER = 16
_CHECKSUM = 4
_DATA = Path(__file__).parents[1] / "data"


class NetworkFile(NamedTuple):
    """The content of a network's file, with the rows and weights as bytes."""

    width: int
    height: int
    last_ply: int
    rows: int
    weights: bytes


def network_path(width: int, height: int) -> Path:
    """Return the path of the network's file for a board; it may not exist."""
    return _DATA / f"c4-{width}x{height}.c4order"


def read_network_file(data: bytes) -> NetworkFile:
    """Read a network's file.

    Raises:
        ValueError: the bytes are not a network, or are damaged.
        BoardError: the network is for an impossible size.
    """
    if (
        len(data) < _HEADER + _CHECKSUM
        or data[:8] != _MAGIC
        or data[10] != UNITS
        or zlib.crc32(data[:-_CHECKSUM]) != int.from_bytes(data[-_CHECKSUM:], "little")
    ):
        raise ValueError("not an order network, or a damaged one")
    board = check_board(data[8], data[9])
    rows = int.from_bytes(data[12:_HEADER], "little")
    weights = data[_HEADER:-_CHECKSUM]
    if data[11] >= board.cells or len(weights) != 2 * rows * UNITS + 2 * UNITS:
        raise ValueError("a network for another version of c4")
    return NetworkFile(board.width, board.height, data[11], rows, weights)


def write_network_file(network: NetworkFile) -> bytes:
    """Return the bytes of a network's file."""
    data = b"".join(
        (
            _MAGIC,
            bytes((network.width, network.height, UNITS, network.last_ply)),
            network.rows.to_bytes(4, "little"),
            network.weights,
        )
    )
    return data + zlib.crc32(data).to_bytes(_CHECKSUM, "little")


# The networks that were read, by board size; 0 for a board without a file. They are never freed.
cdef dict _networks = {}


cdef const void* network_of(const Board* g) except? NULL:
    """Return the network that orders moves on a board, or NULL if it has none. The file is read once.

    Raises:
        ValueError: the file is damaged.
        MemoryError: no memory for the network.
    """
    cdef void* network = NULL
    cdef int fault
    cdef const unsigned char[::1] weights
    size = g.width, g.height
    if size not in _networks:
        path = network_path(*size)
        try:
            read = read_network_file(path.read_bytes())
            weights = read.weights
            fault = kernel_of(g).read_network(g, read.last_ply, &weights[0], len(weights), &network)
            if fault == NO_MEMORY_LEFT:
                raise MemoryError("no memory for the network that orders moves")
            if fault:
                raise ValueError("a network for another version of c4")
        except FileNotFoundError:
            pass
        except ValueError as error:
            raise ValueError(f"{path}: {error}; install c4 again") from None
        # Another thread may have read the file meanwhile. Its network is kept, because searches may use it.
        _networks.setdefault(size, <size_t>network)
    return <const void*><size_t>_networks[size]


# A search does not hold the interpreter lock, so no signal is handled while it runs. It calls interrupted()
# at intervals, and stops if a handler raised an exception. The call that began the search raises it again.
# Only the main thread runs signal handlers, so one list is enough.
cdef unsigned long _main_thread = threading.main_thread().ident
cdef list _raised = []


def _after_fork():
    """Make the only thread of a forked child its main thread."""
    global _main_thread
    _main_thread = PyThread_get_thread_ident()
    _raised.clear()


os.register_at_fork(after_in_child=_after_fork)


cdef bint interrupted() noexcept nogil:
    """Let Python handle its signals. Return whether a handler raised an exception."""
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            _raised.append(error)
            return True
    return False


cdef object take_signal_error():
    """Return the exception of a signal handler, for the main thread to raise again; or None."""
    if _raised and PyThread_get_thread_ident() == _main_thread:
        return _raised.pop()
    return None
