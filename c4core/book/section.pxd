"""One ply of an open book: finding a slot's score in the bytes of its section."""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    BLOCK = 128                     # scores that are coded one after the other
    GROUP = 64                      # blocks under one checksum
    GROUP_SLOTS = BLOCK * GROUP
    COMPLETE_ENTRY = 12             # bytes of a group's entry in the index: offset, checksum
    SPARSE_ENTRY = 20               # .. first slot before them
    SPARSE_HEAD = 10                # bytes that a block takes at the begin of its group
    INDEX_HEAD = 4                  # bytes of the index before the lengths of the codes
    GAP_SYMBOLS = 65                # bit lengths of gaps

# What ``score_in_section`` answers instead of a score.
cdef enum:
    NOT_THERE = -128
    DAMAGED = -127

cdef struct Section:
    const uint8_t* data             # of the whole section; it begins with the index
    uint64_t length
    uint64_t offset                 # of the section in the file
    uint64_t count                  # slots of a complete book's ply, positions of a sparse one's
    uint64_t groups
    uint32_t index_length
    uint32_t index_checksum
    bint sparse
    bint is_open
    int symbols
    int low                         # score of symbol 0
    int start                       # symbol that a block's first one follows
    const uint8_t* entries          # one for each group
    uint8_t* intact                 # groups whose checksum was found right
    uint16_t* codes                 # decoding table, LOOKUP entries for each context
    uint16_t* gap_code              # the same for gaps

# Check and read the index. 0: done; -1: damaged; -2: no memory.
cdef int open_section(Section* s) noexcept nogil

cdef void close_section(Section* s) noexcept nogil

# The score of a slot, NOT_THERE or DAMAGED; then ``trouble`` is the offset in the file.
cdef int score_in_section(Section* s, uint64_t slot, uint64_t* trouble) noexcept nogil

# Decode a whole group into arrays of GROUP_SLOTS; returns the number of scores, or DAMAGED.
cdef int decode_group(
    Section* s, uint64_t group, uint64_t* slots, int8_t* scores, uint64_t* trouble
) noexcept nogil
