"""A plugin's dispatch of blocks: what it is asked, and what it wants."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport DispatchView, Hook

cdef struct DispatchPolicy:
    Hook *hook
    DispatchView view
    int64_t again            # what it writes
    int64_t *numbers         # the allocation that the arrays lie in
    int64_t *room            # [multiprocessors] 1: a block fits …
    int64_t *blocks          # … blocks of the launch that have a place …
    int64_t *load            # … share of the warps that is taken …
    int64_t *ended           # … blocks that have ended, and whose places are free …
    int64_t *instructions    # … warp instructions issued by the end of the latest of them
    int64_t *issued_at_end   # [multiprocessor][slot] the same of a block whose place is not free yet
    int64_t slots            # of blocks of a multiprocessor
    int64_t ask_at           # cycle at which it wants to be asked, NEVER: none
    int32_t wishes           # events of such cycles, also of those that it wants no more
    int32_t in_a_row         # times it placed nothing, since it last did or a block ended
    bint declined            # its last answer was not now …
    bint last_chance         # … and nothing else could go on when it had its way the last time

cdef DispatchPolicy *dispatch_policy_open(const MachineTable *m) except? NULL
cdef void dispatch_policy_close(DispatchPolicy *p) noexcept nogil
cdef int64_t dispatch_policy_ask(DispatchPolicy *p, int64_t block, int64_t cycle) noexcept nogil
cdef void dispatch_policy_ended(DispatchPolicy *p, int32_t sm, int32_t slot) noexcept nogil
cdef void dispatch_policy_blame(DispatchPolicy *p, int64_t cycle) noexcept nogil
