"""Bulk copies: whole pieces of memory that one thread asks for, moved by a unit of their own."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.state cimport Sm
from archdef.engine.uop cimport Uop

cdef int bulk_issue(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
cdef int bulk_at_once(Sm *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
cdef int32_t bulk_run(Sm *sm, int64_t cycle) noexcept nogil
cdef void bulk_landed(Sm *sm, int32_t load) noexcept nogil
