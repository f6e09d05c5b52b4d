"""What a multiprocessor has on its way: loads, and the registers of misses (MSHRs) that their transactions wait for."""
from libc.stdint cimport int32_t, int64_t, uint32_t

from archdef.engine.cache cimport Line

cdef struct Load:                # a load or atomic whose data are on their way
    int32_t warp
    int32_t op
    int32_t remaining            # fills to come
    int32_t next
    int64_t latest               # cycle of the last piece known so far
    int64_t begun                # cycle at which the load/store unit began it
    int32_t passes               # over the banks that its data take when all have come, 0: none
    int32_t group                # of an asynchronous copy; bulk copies: modulo COPY_GROUPS, -1: none
    int64_t barrier              # bulk copies: offset of the mbarrier that counts it, -1: none
    uint32_t bytes               # … and what it counts
    uint32_t ranks               # … in several blocks of the cluster; 0: in one

cdef struct Mshr:                # a read that is on its way
    int32_t waiters              # first waiter node, -1: none
    int32_t next
    Line *line
    uint32_t sectors

cdef struct Waiter:
    int32_t load
    int32_t next

cdef struct InFlight:            # with what is free of each kind, -1: none
    Load *loads
    Mshr *mshrs
    Waiter *waiters
    int32_t free_load            # of loads and waiters, those behind all that were ever taken are free in order, and nothing has been written there
    int32_t free_mshr
    int32_t free_waiter
    int32_t fresh_load           # the first of these …
    int32_t fresh_waiter         # … of each kind
    int32_t waiters_left
    int32_t free_texture         # like `free_mshr`, of a pool for the cluster's texture cache
