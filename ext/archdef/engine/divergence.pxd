"""Diverged lanes of a warp: what a stack, or convergence barriers, remember of them."""
from libc.stdint cimport int32_t, uint64_t

cdef enum SplitState:
    SPLIT_RUNNABLE = 0
    SPLIT_YIELDED = 1    # lets others go first
    SPLIT_NAMED = 2      # at an instruction that names lanes which are not there yet
    SPLIT_BARRIER = 3    # at a barrier of the block

cdef struct Frame:               # one entry of the divergence stack, or a join of convergence barriers
    int32_t pc
    int32_t reconverge           # op at which the lanes of this entry wait for the others; -1: the function's end
    uint64_t mask                # a join's: all that take part
    uint64_t waiting             # a join's: those that are there
    int32_t call                 # 1: a call's return point; `caller` is the frame index before
    int32_t caller               # a join's: the join above it, -1: none; if free: 1 + index of the next that is free
    int32_t branch               # op at which the lanes diverged
    int32_t path                 # LanePart of the lanes when they go on from here

cdef struct Split:               # lanes that go on together, while they do not run
    int32_t pc
    int32_t join                 # -1: none
    uint64_t mask                # 0: the place is free
    uint64_t named               # SPLIT_NAMED: lanes waited for; SPLIT_BARRIER: the barrier's number
    int32_t state                # SplitState
    int32_t passed               # the lanes that the next instruction names have come
    int32_t path                 # LanePart of the lanes when they run
