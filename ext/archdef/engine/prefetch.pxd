"""A stride prefetcher of L1, and how prefetchers fetch."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.in_flight cimport InFlight
from archdef.engine.l1_policies cimport L1Policies
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory_port cimport MemoryPort
from archdef.engine.observers cimport Observer
from archdef.engine.schedule cimport Scheduler

cdef struct PrefetchPath:        # what a prefetcher of L1 fetches with
    const MachineTable *m
    Cache *l1
    InFlight *flight
    MemoryPort *port
    L1Policies *policies         # that hear of what takes the place of a line, NULL: none do

cdef Observer prefetch_open(const PrefetchPath *path, const Scheduler *schedulers) except *
cdef Line *prefetch_line(const PrefetchPath *path, uint64_t number, int64_t time, uint64_t *evicted) noexcept nogil
