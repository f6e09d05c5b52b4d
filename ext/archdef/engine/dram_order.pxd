"""A plugin's order of a DRAM partition's queue."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.dram cimport Dram
from archdef.engine.policy cimport DramView, Hook

cdef struct DramOrder:
    Hook *hook
    DramView view
    int64_t opened           # rows, since data went
    int64_t *numbers         # the allocation that the arrays lie in …
    int64_t *column[8]       # … [window] those of the view, in its order

cdef int dram_order_open(Dram *d, int64_t which) except -1
cdef void dram_order_close(Dram *d) noexcept nogil
cdef int32_t dram_order_decide(Dram *d, int64_t now_fs, int64_t *done_fs, int64_t *again_fs) noexcept nogil
