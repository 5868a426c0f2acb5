"""Chooses the search kernel that suits the processor.

``search`` runs everywhere; ``search_x86_v3`` is the same source compiled for x86-64 processors with
AVX2, BMI2 and POPCNT (all since about 2013). The environment variable ``C4_KERNEL=portable`` forces
the first; results and node counts are the same.
"""

import os

from cpython.pycapsule cimport PyCapsule_GetPointer

from c4core import search


cdef extern from "processor.h":
    bint has_x86_v3 "c4_has_x86_v3"() noexcept


def _best_kernel():
    """The module of the fastest kernel that was built and runs here."""
    if has_x86_v3() and os.environ.get("C4_KERNEL") != "portable":
        try:
            from c4core import search_x86_v3
        except ImportError:
            # It was not built: the compiler's targets were others than x86-64 (a universal binary).
            return search
        return search_x86_v3
    return search


_module = _best_kernel()
NAME = _module.__name__.removeprefix("c4core.")
cdef object _capsule = _module.kernel()


cdef const Kernel* chosen_kernel() except NULL:
    """The functions of the chosen kernel."""
    return <const Kernel*>PyCapsule_GetPointer(_capsule, b"c4core.Kernel")
