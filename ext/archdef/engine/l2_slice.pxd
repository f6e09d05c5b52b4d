"""The L2, a slice at each partition: lookups, reads that wait for DRAM, answers."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.atomic_unit cimport AtomicUnit
from archdef.engine.crossbar cimport Crossbar
from archdef.engine.l2_coalescer cimport L2Coalescers
from archdef.engine.machine cimport MachineTable
from archdef.engine.partition cimport Partition
from archdef.engine.port cimport Request
from archdef.engine.route cimport Routing
from archdef.engine.shared_texture cimport SharedTextures

cdef struct L2:
    const MachineTable *m
    const Routing *routing
    Crossbar *crossbar       # by which answers go back
    L2Coalescers *gathering
    SharedTextures *textures
    Partition *partitions
    AtomicUnit *atomics      # [partition or slice]
    int64_t *remaining       # [sm * slots + slot]: fills that the read waits for, from bit 4 on the atomic unit's work, from bit 36 on its bytes
    int32_t *waiter_next     # [(sm * slots + slot) * SECTORS + sector]: next request that waits for the same fill

cdef int l2_open(L2 *l2, Arena *arena) except -1
cdef void l2_arrive(L2 *l2, int32_t which, int32_t through, int32_t sm, const Request *r, uint64_t local, int64_t time_fs) noexcept nogil
cdef void l2_served(L2 *l2, int32_t which, int32_t index, int64_t done_fs) noexcept nogil
