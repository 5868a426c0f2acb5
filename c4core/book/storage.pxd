"""C declarations of the scores of an open book; storage.pyx explains them."""

from libc.stdint cimport int8_t, uint32_t, uint64_t

cdef enum:
    FAULT = -127                    # in place of a score: an exception is set

cdef struct Group:
    uint64_t offset                 # in the file
    uint32_t length                 # bytes in the file
    uint32_t checksum               # CRC-32 of these bytes
    void* scores                    # NULL before the first use

cdef struct Section:
    int ply
    uint64_t offset                 # in the file
    uint64_t count                  # slots of the ply
    int least                       # the lowest score that the ply can have
    int most                        # the highest one
    uint64_t groups
    Group* group

cdef class Storage:
    cdef str _path
    cdef bytes _content             # None for a file
    cdef int _descriptor            # of the file
    cdef int _last                  # ply
    cdef Section* _sections

    cdef int _open(self, Section* s, object ply) except -1
    cdef int8_t* _load(self, Section* s, Group* group) except NULL with gil
    cdef int _unpack(self, Section* s, Group* group, const unsigned char* plain, int8_t* room) except -1
    cdef int score(self, int ply, uint64_t slot) except FAULT nogil
    cdef object _read(self, uint64_t offset, uint64_t length)
    cdef int _refuse(self, str what, uint64_t offset) except -1
