"""A plugin's topology: hops between partitions and multiprocessors, and the links that answers take."""
from libc.stdint cimport int16_t, int64_t

from archdef.engine.arena cimport Arena
from archdef.engine.link cimport Link
from archdef.engine.machine cimport MachineTable

cdef struct Topology:
    const MachineTable *m
    int64_t *first           # [multiprocessor][partition]: its first hop among all hops, and behind the last pair how many there are …
    int16_t *hops            # … and the link of each, -1: one that nobody else waits for
    Link *links              # NULL: nobody waits for any

cdef Topology *topology_open(const MachineTable *m, Arena *arena) except? NULL
cdef void topology_close(Topology *t) noexcept nogil
cdef int64_t topology_travel(Topology *t, int64_t sm, int64_t partition, int64_t bytes, int64_t time_fs) noexcept nogil
