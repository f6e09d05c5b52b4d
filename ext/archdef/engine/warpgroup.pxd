"""Products of matrices that four warps compute together, from shared memory, without waiting for them."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.launch cimport Warp
from archdef.engine.schedule cimport Scheduler
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef enum:
    GROUP_WARPS = 4              # that compute a product together

cdef int group_fence(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil   # 1: the warp waits; -1 after a fault
cdef int group_product(SmCore *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle, int64_t *products_until) noexcept nogil   # -1 likewise
cdef void group_commit(Warp *w) noexcept nogil
cdef void group_hold(Warp *w, const Uop *u, int cause, int64_t until) noexcept nogil
cdef int64_t group_wait(const Warp *w, const Uop *u) noexcept nogil     # cycle from which on the warp may go on
