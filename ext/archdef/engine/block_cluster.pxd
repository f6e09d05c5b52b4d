"""Clusters of blocks: who is in them, where their shared memory is, their barrier, and what one block posts to another's mbarrier."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.launch cimport Block, BlockCluster, Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport CLUSTER_FIRST
from archdef.engine.messages cimport Messages
from archdef.engine.sm_core cimport SmCore

cdef enum:
    OFFSET_BITS = 24             # of an address in shared memory; the rest says whose, see CLUSTER_FIRST
    OFFSET_MASK = 0xffffff
    CLUSTER_END = 0xff000000     # where generic addresses of device memory begin, less a window

cdef struct RemotePath:          # of a multiprocessor: the way between its blocks' shared memory and others'
    int64_t free                 # cycle from which it is free …
    int64_t taken_bytes          # … and bytes of it that are taken already

cdef BlockCluster *cluster_take(Messages *messages, const Launch *launch) noexcept nogil
cdef void cluster_leave(Messages *messages, BlockCluster *cluster) noexcept nogil
cdef int messages_open(Messages *messages, int64_t multiprocessors) except -1
cdef void messages_close(Messages *messages) noexcept nogil
cdef int64_t cluster_number(const Launch *launch, int64_t seat) noexcept nogil
cdef void cluster_begin(SmCore *sm, Block *b) noexcept nogil
cdef void cluster_end(SmCore *sm, Block *b, int64_t cycle) noexcept nogil
cdef void cluster_arrive(SmCore *sm, Block *b, int64_t cycle) noexcept nogil
cdef Block *cluster_reach(SmCore *sm, const Warp *w, int lane, uint64_t address, int64_t bytes) noexcept nogil
cdef int cluster_post(SmCore *sm, const Warp *w, int32_t op, int lane, uint32_t address, int fn, uint32_t count, int64_t cycle) noexcept nogil
cdef int64_t remote_pass(RemotePath *path, const MachineTable *m, int64_t cycle, int64_t bytes) noexcept nogil
cdef int cluster_receive(SmCore *sm, int32_t sender, int32_t number) noexcept nogil


cdef inline bint is_remote(const Launch *launch, const Block *b, uint64_t address) noexcept nogil:
    """Whether an address in shared memory names a block of the cluster by rank, and not the block itself."""
    return (launch.cluster_blocks > 1 and <uint64_t>CLUSTER_FIRST <= address < <uint64_t>CLUSTER_END
            and (address - <uint64_t>CLUSTER_FIRST) >> OFFSET_BITS != <uint64_t>b.cluster_rank)


cdef inline uint64_t own_address(const Launch *launch, const Block *b, uint64_t address) noexcept nogil:
    """The offset in the block's own shared memory, where an address names the block by its rank; else the address as it is."""
    if (launch.cluster_blocks > 1 and <uint64_t>CLUSTER_FIRST <= address < <uint64_t>CLUSTER_END
            and (address - <uint64_t>CLUSTER_FIRST) >> OFFSET_BITS == <uint64_t>b.cluster_rank):
        return address & OFFSET_MASK
    return address
