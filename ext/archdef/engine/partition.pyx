"""A memory partition: a slice of the L2 and of the texture fetches' second cache, in front of a DRAM controller."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.arena cimport Arena
from archdef.engine.cache cimport cache_close, cache_make
from archdef.engine.dram cimport dram_open
from archdef.engine.dram_order cimport dram_order_close, dram_order_open
from archdef.engine.machine cimport MachineTable
from archdef.engine.tournament cimport Tournament


cdef int partition_open(Partition *p, const MachineTable *m, int64_t which, Tournament *events, int32_t unit, Arena *arena, int32_t *failed,
                        bint at_once) except -1:
    """Make an idle partition; `failed` is set when the host has no memory for what it needs later.

    at_once : make what it needs now, which is to be done where a plugin's policy works on it.
    """
    p.m = m
    p.which = which
    p.events = events
    p.unit = unit
    p.arena = arena
    p.failed = failed
    p.waiting.first = p.waiting.last = -1
    if at_once:
        if partition_fill(p) < 0:
            raise MemoryError("a memory partition")
        dram_order_open(&p.dram, which)
    return 0


cdef int partition_fill(Partition *p) noexcept nogil:
    """Make its queue and its caches, empty, for the first request. Returns -1 if the host has no memory for them."""
    if (dram_open(&p.dram, p.m, p.which, p.arena) < 0 or cache_make(&p.l2, &p.m.caches.l2, p.arena) < 0
            or cache_make(&p.texture_l2, &p.m.caches.texture_l2, p.arena) < 0):
        p.failed[0] = 1
        return -1
    p.filled = True
    return 0


cdef void partition_close(Partition *p) noexcept nogil:
    """Give up what it has beside its arena, complete or not."""
    dram_order_close(&p.dram)
    cache_close(&p.l2)
    cache_close(&p.texture_l2)
