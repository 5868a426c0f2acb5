"""The C side of what signal handlers raise during a search."""

cdef bint interrupted() noexcept nogil
cdef object take_raised()
