"""Chooses the search kernel that suits the processor."""

from cpython.pycapsule cimport PyCapsule_GetPointer

from c4core import search

cdef object _capsule = search.kernel()


cdef const Kernel* chosen_kernel() except NULL:
    """The functions of the fastest kernel that runs here."""
    return <const Kernel*>PyCapsule_GetPointer(_capsule, b"c4core.Kernel")
