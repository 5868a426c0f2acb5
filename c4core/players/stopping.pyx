"""Telling a player that nobody waits for its move any more, from another thread or by the clock.

A flag that is written by whoever wants to stop and read by searches without the interpreter lock,
every so many nodes.
"""

from contextlib import contextmanager

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

from c4core cimport atomics

from c4core.players.errors import StopPlaying

# The word of those whom nobody stops.
cdef uint64_t _never = 0


cdef class Stop:
    """Ends what players think about. It may be set from any thread, and stays set.

    Attributes:
        origin: the stop that this one was made of by :meth:`within`, or None.
    """

    def __cinit__(self):
        self.word = 0
        self.deadline = INFINITY
        self.callbacks = []

    def set(self):
        """Let everybody stop who looks, and call what :meth:`calling` was given.

        It may be set again, for those who had been about to begin.
        """
        if self.origin is not None:
            self.origin.set()
            return
        atomics.store(&self.word, 1)
        for callback in tuple(self.callbacks):
            callback()

    def within(self, double seconds):
        """The same stop, which is over by itself after so many seconds, wherever it was not before."""
        cdef Stop limited = Stop()
        limited.origin = self if self.origin is None else self.origin
        limited.deadline = min(self.deadline, atomics.now() + seconds)
        return limited

    @property
    def is_set(self):
        """Whether somebody has set it, whatever the time."""
        cdef Watch watch = watch_of(self)
        return atomics.load(watch.word) != 0

    @property
    def is_over(self):
        """Whether it was set, or its time is up."""
        cdef Watch watch = watch_of(self)
        return bool(is_over(&watch))

    def check(self):
        """Stop here if it is over.

        Raises:
            StopPlaying: it is.
        """
        if self.is_over:
            raise StopPlaying

    @contextmanager
    def calling(self, callback):
        """Within the context, call something with every :meth:`set`, in the thread that sets it."""
        cdef Stop origin = self if self.origin is None else self.origin
        origin.callbacks.append(callback)
        try:
            yield
        finally:
            origin.callbacks.remove(callback)


cdef Watch watch_of(Stop stop) noexcept:
    """What a search has to look at; for None a word that is never set."""
    if stop is None:
        return Watch(&_never, INFINITY)
    if stop.origin is None:
        return Watch(&stop.word, stop.deadline)
    return Watch(&stop.origin.word, stop.deadline)
