"""Copies that threads do not wait for, and barriers in shared memory that count arrivals and bytes."""
from libc.stdint cimport uint64_t

from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Warp
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef int copy_async(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil
cdef bint copies_pending(const Warp *w) noexcept nogil
cdef bint copy_group(Warp *w, const Uop *u) noexcept nogil
cdef int phase_barrier(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
