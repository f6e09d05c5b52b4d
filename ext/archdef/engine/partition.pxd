"""A memory partition: a slice of the L2 and of the texture fetches' second cache, in front of a DRAM controller."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.arena cimport Arena
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
    int64_t which
    Arena *arena             # of its state
    int32_t *failed          # set where the host has no memory for it
    bint filled              # it has its queue and its caches

cdef inline int32_t partition_enqueue(Partition *p, int64_t arrival_fs, uint64_t local, int64_t bytes, int32_t direction) noexcept nogil:
    """Put a transaction into the controller's queue, and let it decide no later than it can serve it. Gives the queue's entry."""
    cdef int64_t when = max(arrival_fs, p.dram.command_fs)
    if when < tournament_when(p.events, p.unit):
        tournament_decrease_key(p.events, p.unit, when)
    return dram_enqueue(&p.dram, arrival_fs, local, <int32_t>bytes, direction)

cdef int partition_open(Partition *p, const MachineTable *m, int64_t which, Tournament *events, int32_t unit, Arena *arena, int32_t *failed,
                        bint at_once) except -1
cdef int partition_fill(Partition *p) noexcept nogil
cdef void partition_close(Partition *p) noexcept nogil

cdef inline bint partition_ready(Partition *p) noexcept nogil:
    """Let it have a queue and caches: only few partitions of a big chip hear of a small launch. False: the host has no memory for them."""
    return p.filled or partition_fill(p) == 0
