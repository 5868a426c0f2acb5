"""``Stop``: a stop signal that ends a player's search, set by another thread or by the clock.

Any thread may set its flag. Searches poll the flag regularly, without the interpreter lock.
"""

from contextlib import contextmanager

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

cimport c4core.engine.atomics as atomics

from c4core.players.errors import StopPlaying

# The flag of searches that are never stopped.
cdef uint64_t _never = 0


cdef class Stop:
    """A stop signal for the searches of players. Any thread may set it, and it stays set.

    Attributes:
        origin: the stop that :meth:`within` made this one from, or None.
    """

    def __cinit__(self):
        self.word = 0
        self.deadline = INFINITY
        self.callbacks = []

    def set(self):
        """Stop all searches that poll this stop, and call the callbacks of :meth:`calling`.

        Set it again to call the callbacks of searches that have just begun.
        """
        if self.origin is not None:
            self.origin.set()
            return
        atomics.store(&self.word, 1)
        for callback in tuple(self.callbacks):
            callback()

    def within(self, double seconds):
        """Return a stop that is over when this one is, or when this many seconds have passed."""
        cdef Stop limited = Stop()
        limited.origin = self if self.origin is None else self.origin
        limited.deadline = min(self.deadline, atomics.now() + seconds)
        return limited

    @property
    def is_set(self):
        """Whether the stop was set, regardless of the deadline."""
        cdef Watch watch = watch_of(self)
        return atomics.load(watch.word) != 0

    @property
    def is_over(self):
        """Whether the stop was set or its deadline has passed."""
        cdef Watch watch = watch_of(self)
        return bool(is_over(&watch))

    def check(self):
        """Raise :class:`StopPlaying` if the stop is over."""
        if self.is_over:
            raise StopPlaying

    @contextmanager
    def calling(self, callback):
        """Call a function at every :meth:`set` within the context, in the thread that sets it."""
        cdef Stop origin = self if self.origin is None else self.origin
        origin.callbacks.append(callback)
        try:
            yield
        finally:
            origin.callbacks.remove(callback)


cdef Watch watch_of(Stop stop) noexcept:
    """Return the part of a stop that a search polls; for None, a flag that is never set."""
    if stop is None:
        return Watch(&_never, INFINITY)
    if stop.origin is None:
        return Watch(&stop.word, stop.deadline)
    return Watch(&stop.origin.word, stop.deadline)
