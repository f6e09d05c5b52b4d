"""Divergence with convergence barriers: lanes that diverged progress independently of each other."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.launch cimport Warp

cdef void converge_start(Warp *w) noexcept nogil
cdef void converge_arrive(Warp *w) noexcept nogil
cdef int converge_branch(Warp *w, int32_t target, int32_t reconverge, uint64_t taken, bint first) noexcept nogil
cdef int converge_branch_many(Warp *w, const int32_t *target_of_lane, int lanes, int32_t reconverge) noexcept nogil
cdef void converge_yield(Warp *w) noexcept nogil
cdef int converge_call(Warp *w, int32_t target, uint64_t lanes) noexcept nogil
cdef int converge_call_one(Warp *w, int32_t target, uint64_t same, uint64_t lanes) noexcept nogil
cdef void converge_return(Warp *w, uint64_t lanes) noexcept nogil
cdef void converge_exit(Warp *w, uint64_t lanes) noexcept nogil
cdef uint64_t converge_gather(Warp *w, uint64_t named) noexcept nogil
cdef void converge_stay(Warp *w, uint64_t lanes) noexcept nogil
cdef uint64_t converge_block(Warp *w, uint64_t lanes, int32_t number) noexcept nogil
cdef uint64_t converge_blocked(const Warp *w, int32_t number) noexcept nogil
cdef bint converge_unblock(Warp *w, int32_t number) noexcept nogil
