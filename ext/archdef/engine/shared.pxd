"""Shared memory: how many passes over the banks one warp access takes."""
from libc.stdint cimport int64_t, uint16_t, uint64_t

from archdef.engine.parameters cimport SharedMemoryParameters

# passes in the low half, conflict groups with an active lane in the high half
cdef int64_t bank_passes(const SharedMemoryParameters *table, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, bint load) noexcept nogil
cdef void bank_words(const SharedMemoryParameters *table, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, uint16_t *served) noexcept nogil
cdef int64_t word_passes(const SharedMemoryParameters *table, const uint64_t *address, uint64_t lanes, int n, int bytes) noexcept nogil
