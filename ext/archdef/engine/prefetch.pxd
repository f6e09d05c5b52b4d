"""A stride prefetcher of L1, and how prefetchers fetch."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.cache cimport Line
from archdef.engine.observers cimport Observer
from archdef.engine.state cimport Sm

cdef Observer prefetch_open(Sm *sm) except *
cdef Line *prefetch_line(Sm *sm, uint64_t number, int64_t time, uint64_t *evicted) noexcept nogil
