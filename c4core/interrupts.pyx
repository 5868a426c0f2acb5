"""What a signal handler raises while a search runs (Ctrl-C).

A search holds no interpreter lock, so nobody handles signals meanwhile. It asks :c:func:`interrupted` now and
then, stops if a handler raised something, and the call that began the search raises it again.

Only the main thread runs signal handlers, so one place is enough.
"""

import os
import threading

from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident

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
    """What a handler raised, for the main thread to raise again; or None."""
    if _raised and PyThread_get_thread_ident() == _main_thread:
        return _raised.pop()
    return None
