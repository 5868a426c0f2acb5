"""The C side of ``Stop``: searches poll it without the interpreter lock."""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

cimport c4core.engine.atomics as atomics

cdef class Stop:
    cdef readonly Stop origin       # the stop whose flag this stop uses; None for its own flag
    cdef uint64_t word              # 0 until it is set; atomic
    cdef double deadline            # on the clock of atomics.now(); infinite for no deadline
    cdef list callbacks

# The part of a stop that a search polls. It must not outlive its ``Stop``.
cdef struct Watch:
    const uint64_t* word
    double deadline

cdef Watch watch_of(Stop stop) noexcept


cdef inline bint is_over(const Watch* watch) noexcept nogil:
    """Return whether the search must end. A poll takes a few nanoseconds, about 25 with a deadline."""
    return atomics.load(watch.word) != 0 or (
        watch.deadline < INFINITY and atomics.now() >= watch.deadline
    )
