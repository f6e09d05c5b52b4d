"""Barriers of a block: arrivals, counts, reductions, release."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.launch cimport Block, Warp
from archdef.engine.state cimport Sm
from archdef.engine.uop cimport Uop

cdef void check_barriers(Sm *sm, Block *b, int64_t cycle) noexcept nogil
cdef void barrier_settle(Sm *sm, int32_t slot, Warp *w, int64_t cycle) noexcept nogil
cdef void barrier_open(Sm *sm, int32_t slot) noexcept nogil
cdef void cluster_open(Sm *sm, int32_t slot) noexcept nogil
cdef int barrier_arrive(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
