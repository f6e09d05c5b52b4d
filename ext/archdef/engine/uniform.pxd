"""Constants that a warp reads as a whole: which lines the schedulers' caches hold, and when a warp's next load finds its own there."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.program cimport Uop
from archdef.engine.state cimport Sm

cdef int uniform_open(Sm *sm) except -1
cdef void uniform_close(Sm *sm) noexcept nogil
cdef int64_t uniform_wait(Sm *sm, Warp *w, const Uop *u, int64_t cycle) noexcept nogil
cdef int uniform_issue(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil
