"""Chooses the search kernel that suits the processor.

Every kernel is compiled from search.pyx; results and node counts are the same:

``portable``
    runs everywhere.
``x86-v3``
    for x86-64 processors with AVX2, BMI2 and POPCNT, all since about 2013.
``x86-v3-pext``
    uses the instruction ``pext`` as well: for those of them where it is quick, all of Intel's and AMD's
    since Zen 3.

The environment variable ``C4_KERNEL`` names the last one that may be chosen, in this order.
"""

import os
from importlib import import_module

from cpython.pycapsule cimport PyCapsule_GetPointer


cdef extern from "processor.h":
    bint has_x86_v3 "c4_has_x86_v3"() noexcept
    bint has_quick_pext "c4_has_quick_pext"() noexcept


def _best_kernel():
    """The name and the module of the fastest kernel that was built, runs here and may be chosen."""
    kernels = [
        ("portable", "c4core.search", True),
        ("x86-v3", "c4core.search_x86_v3", has_x86_v3()),
        ("x86-v3-pext", "c4core.search_x86_v3_pext", has_x86_v3() and has_quick_pext()),
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
