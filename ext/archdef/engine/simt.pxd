"""Divergence: one program counter a warp, and a stack of lanes that wait at reconvergence points."""
from libc.stdint cimport int32_t, uint64_t

from archdef.engine.launch cimport Warp

cdef int simt_branch(Warp *w, int32_t target, int32_t reconverge, uint64_t taken) noexcept nogil
cdef int simt_branch_many(Warp *w, const int32_t *target_of_lane, int lanes, int32_t reconverge) noexcept nogil
cdef void simt_reconverge(Warp *w) noexcept nogil
cdef void simt_exit(Warp *w, uint64_t lanes) noexcept nogil
cdef int simt_call(Warp *w, int32_t target, uint64_t lanes) noexcept nogil
cdef int simt_call_one(Warp *w, int32_t target, uint64_t same, uint64_t lanes) noexcept nogil
cdef void simt_return(Warp *w, uint64_t lanes) noexcept nogil

cdef inline void simt_arrive(Warp *w) noexcept nogil:
    """The warp has moved to `pc`: if its lanes are to wait there, go on with the others."""
    if w.pc == w.reconverge and w.depth:
        simt_reconverge(w)
