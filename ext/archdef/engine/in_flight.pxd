"""What a multiprocessor has on its way: loads, their transactions, stores that wait for others."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.cache cimport Line

cdef struct Load:                # a load or atomic whose data are on their way
    int32_t warp
    int32_t op
    int32_t remaining            # fills to come
    int32_t next
    int64_t latest               # cycle of the last piece known so far
    int32_t passes               # over the banks that its data take when all have come, 0: none
    int32_t group                # of an asynchronous copy; bulk copies: modulo COPY_GROUPS, -1: none
    int64_t barrier              # bulk copies: offset of the mbarrier that counts it, -1: none
    uint32_t bytes               # … and what it counts
    uint32_t ranks               # … in several blocks of the cluster; 0: in one

cdef struct Slot:                # an in-flight read of the multiprocessor
    int32_t waiters              # first waiter node, -1: none
    int32_t next
    Line *line
    uint32_t sectors

cdef struct Waiter:
    int32_t load
    int32_t next

cdef struct WriteCombiningLine:  # a line that waits for more stores
    uint64_t line
    uint32_t sectors
    uint32_t words               # mask
    uint32_t covered             # bytes, those that were stored several times counted each time
    int32_t launch
