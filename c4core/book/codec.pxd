"""C declarations of the section of one ply of an open book; codec.pyx explains them."""

from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    BLOCK = 128                     # scores that are coded one after the other
    GROUP = 64                      # blocks that share a checksum

# Visible to Python as well.
cpdef enum:
    GROUP_SLOTS = BLOCK * GROUP

# Results that are not scores; NO_SCORE is another.
cdef enum:
    DAMAGED = -127
    NO_MEMORY = -126

cdef struct Section:
    int file                        # descriptor of the book's file
    uint64_t offset                 # of the section in the file; it begins with the index
    uint64_t length
    uint64_t count                  # complete book: slots of the ply; sparse book: positions
    uint64_t groups
    uint32_t index_length
    uint32_t index_checksum
    bint sparse
    int least                       # the lowest score that the ply can have
    int most                        # the highest one
    int symbols
    int low                         # score of symbol 0
    int start                       # symbol that precedes the first one of a block
    uint8_t* index                  # the index's bytes
    const uint8_t* entries          # one for each group, within the index
    void** read                     # bytes of each group that was read and checked, or NULL
    uint16_t* codes                 # decoding table, LOOKUP entries for each context
    uint16_t* gap_code              # the same for gaps

# Read and check the index. Return 0, DAMAGED or NO_MEMORY.
cdef int open_section(Section* s) noexcept nogil

cdef void close_section(Section* s) noexcept nogil

# Return the score of a slot, NO_SCORE, DAMAGED or NO_MEMORY. If the group is damaged, ``fault_offset``
# receives its offset in the file.
cdef int score_in_section(Section* s, uint64_t slot, uint64_t* fault_offset) noexcept nogil

# Decode a complete group into arrays of GROUP_SLOTS. Return the number of scores, DAMAGED or NO_MEMORY.
cdef int decode_group(
    Section* s, uint64_t group, uint64_t* slots, int8_t* scores, uint64_t* fault_offset
) noexcept nogil
