"""A memory partition: a slice of the L2 and of the texture fetches' second cache, in front of a DRAM controller."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.cache cimport Cache
from archdef.engine.dram cimport Dram, dram_enqueue
from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport PortQueue
from archdef.engine.tournament cimport Tournament, tournament_decrease_key, tournament_when

cdef struct Partition:
    const MachineTable *m
    Dram dram
    Cache l2
    Cache texture_l2
    PortQueue waiting        # ports whose head request finds the controller's queue full
    Tournament *events       # in which its event is that it lets a DRAM command go …
    int32_t unit             # … as this unit

cdef inline int32_t partition_enqueue(Partition *p, int64_t arrival_fs, uint64_t local, int64_t bytes, int32_t direction) noexcept nogil:
    """Put a transaction into the controller's queue, and let it decide no later than it can serve it. Gives the queue's entry."""
    cdef int64_t when = max(arrival_fs, p.dram.command_fs)
    if when < tournament_when(p.events, p.unit):
        tournament_decrease_key(p.events, p.unit, when)
    return dram_enqueue(&p.dram, arrival_fs, local, <int32_t>bytes, direction)

cdef int partition_open(Partition *p, const MachineTable *m, int64_t which, Tournament *events, int32_t unit) except -1
cdef void partition_close(Partition *p) noexcept nogil
