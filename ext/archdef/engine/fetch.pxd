"""Instruction fetch: which lines of code the caches of a multiprocessor hold, and when a warp's next instruction is there."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.launch cimport Launch, Warp
from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm

cdef uint64_t fetch_base(const Launch *launch) noexcept nogil
cdef int64_t fetch(Sm *sm, Warp *w, const Uop *u) noexcept nogil
cdef void fetch_preload(Sm *sm, const Launch *launch) noexcept nogil
cdef void fetch_close(Sm *sm) noexcept nogil
