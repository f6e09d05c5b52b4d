"""Shared memory: how many passes over the banks one warp access takes."""
from libc.stdint cimport int64_t, uint64_t

cdef struct BankTable:
    int64_t banks
    int64_t bank_width_bytes
    int64_t row_words            # words of a bank that one pass serves, if they lie in one row
    int64_t conflict_lanes       # lanes served together
    int64_t single_word_broadcast
    int64_t word_at_a_time
    int64_t hook                 # address of the Hook of a plugin's bank map, 0: none

# passes in the low half, conflict groups with an active lane in the high half
cdef int64_t bank_passes(const BankTable *table, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, bint load) noexcept nogil
