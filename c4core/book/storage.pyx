"""``Storage``, the scores of an open book by ply and slot (docs/book-format.md).

A group of scores is read from the file, checked and unpacked at its first use, and then kept. So a lookup is
an index into an array.

The reader does not trust the file. It checks the index of every ply against its CRC-32 when the book is
opened, and every group when it is first used. A group never takes more memory than its scores, and wrong
bytes are reported as damage. The file is never mapped: if another program truncated a mapped file, this
process would be killed.

"""

import os
import zlib

from libc.stdint cimport int8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from posix.unistd cimport close

cimport c4core.engine.atomics as atomics
from c4core.book.layout import ENTRY
from c4core.errors import BookDamagedError

# Visible to Python as well.
cpdef enum:
    GROUP = 1 << 15         # scores; deflate finds no repetition that is further away


cdef inline uint64_t _entries(const Section* s, uint64_t number) noexcept nogil:
    """Return the number of scores of a group."""
    return min(s.count - number * GROUP, <uint64_t>GROUP)


cdef class Storage:
    """Storage(info, ranking, path, source)\n--\n
    The scores of an open book. ``source`` is the descriptor of its file, which is closed with the last
    reference to this object, or the content of the file.
    """

    def __cinit__(self, object info, object ranking, str path, object source):
        cdef Section* s
        cdef int index
        cdef int cells = info.board.cells
        self._path, self._descriptor = path, -1
        if isinstance(source, bytes):
            self._content = source
        else:
            self._descriptor = source
        self._last = info.last_ply
        self._sections = <Section*>calloc(len(info.plies), sizeof(Section))
        if self._sections == NULL:
            raise MemoryError
        for index, ply in enumerate(info.plies):
            s = &self._sections[index]
            s.ply, s.offset, s.count = ply.ply, ply.offset, ply.count
            s.least, s.most = -((cells - s.ply) >> 1), (cells + 1 - s.ply) >> 1
            if s.count != ranking.count(ply.ply):
                self._refuse(f"ply {s.ply} has a wrong number of slots", s.offset)
            self._open(s, ply)

    def __dealloc__(self):
        cdef int index
        cdef uint64_t number
        if self._descriptor >= 0:
            close(self._descriptor)
        if self._sections == NULL:
            return
        for index in range(self._last + 1):
            for number in range(self._sections[index].groups):
                free(self._sections[index].group[number].scores)
            free(self._sections[index].group)
        free(self._sections)

    cdef int _open(self, Section* s, object ply) except -1:
        """Read the index of a ply and check it."""
        cdef uint64_t groups = (s.count + GROUP - 1) // GROUP, number, offset
        wrong = f"the index of ply {s.ply} is wrong or cannot be read"
        length = groups * ENTRY.size
        if length > ply.length:
            self._refuse(wrong, s.offset)
        index = self._read(s.offset, length)
        if zlib.crc32(index) != ply.index_checksum or len(index) != length:
            self._refuse(wrong, s.offset)
        s.group = <Group*>calloc(groups + 1, sizeof(Group))
        if s.group == NULL:
            raise MemoryError
        s.groups = groups
        offset = s.offset + length
        for number, (size, checksum) in enumerate(ENTRY.iter_unpack(index)):
            s.group[number].offset, s.group[number].length = offset, size
            s.group[number].checksum = checksum
            offset += s.group[number].length
        if offset != s.offset + ply.length:
            self._refuse(wrong, s.offset)
        return 0

    cdef object _read(self, uint64_t offset, uint64_t length):
        """Return bytes of the file; fewer if it has ended or cannot be read."""
        if self._content is not None:
            return self._content[offset : offset + length]
        try:
            return os.pread(self._descriptor, length, offset)
        except OSError:
            return b""

    cdef int _refuse(self, str what, uint64_t offset) except -1:
        raise BookDamagedError(f"{self._path}: the book is damaged: {what} (byte {offset})")

    cdef int8_t* _load(self, Section* s, Group* group) except NULL with gil:
        """Read a group, and keep its scores. If two threads do this at once, the first one's are kept."""
        cdef uint64_t entries = _entries(s, group - s.group)
        cdef int8_t* room
        data = self._read(group.offset, group.length)
        unpacking = zlib.decompressobj()
        plain = b""
        if zlib.crc32(data) == group.checksum:
            try:
                plain = unpacking.decompress(data, entries + 1)
            except zlib.error:
                pass
        if <uint64_t>len(plain) != entries or not unpacking.eof:
            self._refuse(
                f"a group of ply {s.ply} cannot be read, does not match its checksum, "
                "or was changed meanwhile",
                group.offset,
            )
        room = <int8_t*>malloc(entries)
        if room == NULL:
            raise MemoryError
        try:
            self._unpack(s, group, plain, room)
        except BaseException:
            free(room)
            raise
        if not atomics.publish(&group.scores, room):
            free(room)
        return <int8_t*>atomics.load_pointer(&group.scores)

    cdef int _unpack(
        self, Section* s, Group* group, const unsigned char* plain, int8_t* room
    ) except -1:
        """Write the scores of a group, and check them."""
        cdef uint64_t entries = _entries(s, group - s.group), i
        memcpy(room, plain, entries)
        for i in range(entries):
            if not s.least <= room[i] <= s.most:
                self._refuse(f"ply {s.ply} has impossible scores", group.offset)
        return 0

    cdef int score(self, int ply, uint64_t slot) except FAULT nogil:
        """Return the score of a slot."""
        cdef Section* s = &self._sections[ply]
        cdef Group* group = &s.group[slot // GROUP]
        cdef int8_t* scores = <int8_t*>atomics.load_pointer(&group.scores)
        if scores == NULL:
            scores = self._load(s, group)
        return scores[slot % GROUP]
