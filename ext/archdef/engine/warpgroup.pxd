"""Products of matrices that four warps compute together, from shared memory, without waiting for them."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Sm

cdef int group_fence(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil   # 1: the warp waits; -1 after a fault
cdef int group_product(Sm *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil   # -1 after a fault
cdef void group_commit(Warp *w) noexcept nogil
cdef void group_hold(Warp *w, const Uop *u, int cause, int64_t until) noexcept nogil
cdef int64_t group_wait(const Warp *w, const Uop *u) noexcept nogil     # cycle from which on the warp may go on
