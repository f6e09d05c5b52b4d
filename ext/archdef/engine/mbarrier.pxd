"""The word of a barrier in shared memory that counts arrivals and bytes."""
from libc.stdint cimport uint32_t, uint64_t

cdef uint64_t phase_complete(uint64_t word, uint32_t bytes) noexcept nogil
cdef int phase_apply(uint64_t *word, int fn, uint64_t count) noexcept nogil
