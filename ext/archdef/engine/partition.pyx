"""A memory partition: a slice of the L2 and of the texture fetches' second cache, in front of a DRAM controller."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.cache cimport cache_close, cache_open
from archdef.engine.dram cimport dram_close, dram_open
from archdef.engine.dram_order cimport dram_order_close, dram_order_open
from archdef.engine.machine cimport MachineTable
from archdef.engine.tournament cimport Tournament


cdef int partition_open(Partition *p, const MachineTable *m, int64_t which, Tournament *events, int32_t unit) except -1:
    """Make an idle partition with empty caches."""
    p.m = m
    p.events = events
    p.unit = unit
    p.waiting.first = p.waiting.last = -1
    dram_open(&p.dram, m, which)
    dram_order_open(&p.dram, which)
    cache_open(&p.l2, &m.caches.l2)
    cache_open(&p.texture_l2, &m.caches.texture_l2)
    return 0


cdef void partition_close(Partition *p) noexcept nogil:
    """Free what `partition_open` took, complete or not."""
    dram_order_close(&p.dram)
    dram_close(&p.dram)
    cache_close(&p.l2)
    cache_close(&p.texture_l2)
