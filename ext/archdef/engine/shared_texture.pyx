"""A texture cache that the multiprocessors of a cluster share.

It lies behind their ports, where requests come in order of time whichever multiprocessor runs first. A request that it can answer never leaves
the cluster; one for a line on its way waits with the request that fetches it.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits
from archdef.engine.arena cimport Arena, arena_zeroed
from archdef.engine.cache cimport Line, cache_close, cache_find, cache_make, cache_probe, cache_take, cache_victim
from archdef.engine.crossbar cimport Crossbar, crossbar_deliver
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER, SECTORS, CacheParameters
from archdef.engine.port cimport Request


cdef inline int64_t _clusters(const SharedTextures *s) noexcept nogil:
    return s.crossbar.cluster[s.m.chip.multiprocessors - 1] + 1


cdef inline int32_t _record(const SharedTextures *s, int32_t sm, int32_t slot) noexcept nogil:
    return <int32_t>(sm * s.crossbar.routing.slots + slot)


cdef int shared_texture_open(SharedTextures *s, Crossbar *crossbar, Arena *arena) except -1:
    """Make the caches; none if every multiprocessor has its own, or none has."""
    cdef const MachineTable *m = crossbar.m
    cdef const CacheParameters *table = &m.caches.texture_l1
    cdef int64_t i
    s.m = m
    s.crossbar = crossbar
    if table.scope != CACHE_SCOPE_CLUSTER or table.sets == 0:
        return 0
    s.fetches = <Fetch *>arena_zeroed(arena, <size_t>(m.chip.multiprocessors * crossbar.routing.slots) * sizeof(Fetch))
    s.caches = <ClusterTextures *>arena_zeroed(arena, <size_t>_clusters(s) * sizeof(ClusterTextures))
    if s.fetches == NULL or s.caches == NULL:
        raise MemoryError("texture caches of clusters")
    for i in range(_clusters(s)):
        s.caches[i].arrives_fs = <int64_t *>arena_zeroed(arena, <size_t>(table.sets * table.ways) * sizeof(int64_t))
        if s.caches[i].arrives_fs == NULL or cache_make(&s.caches[i].cache, table, arena) < 0:
            raise MemoryError("texture caches of clusters")
    return 0


cdef void shared_texture_close(SharedTextures *s) noexcept nogil:
    """Give up what they have beside the arena, complete or not."""
    cdef int64_t i
    if s.caches != NULL:
        for i in range(_clusters(s)):
            cache_close(&s.caches[i].cache)
    s.caches = NULL
    s.fetches = NULL


cdef void shared_texture_filled(SharedTextures *s, int32_t sm, int32_t slot, int64_t arrival_fs) noexcept nogil:
    """Data for a line of the cluster's texture cache are on their way: tell those who wait for them when they come."""
    cdef ClusterTextures *shared = s.caches + s.crossbar.cluster[sm]
    cdef int64_t slots = s.crossbar.routing.slots
    cdef Fetch *fetch = s.fetches + _record(s, sm, slot)
    cdef int32_t record = fetch.first, following, k
    if fetch.line == NULL:
        return
    for k in range(SECTORS):
        if fetch.line.fill[k] == _record(s, sm, slot):
            fetch.line.fill[k] = -1
    shared.arrives_fs[fetch.line - shared.cache.lines] = arrival_fs
    fetch.line = NULL
    fetch.first = -1
    while record >= 0:
        following = s.fetches[record].next
        crossbar_deliver(s.crossbar, record // slots, <int32_t>(record % slots), arrival_fs)
        record = following


cdef bint shared_texture_has(SharedTextures *s, int32_t sm, const Request *r, int64_t now_fs) noexcept nogil:
    """Look a request up in the cluster's texture cache. True: it needs no partition, since its line is there or on its way."""
    cdef ClusterTextures *shared = s.caches + s.crossbar.cluster[sm]
    cdef int64_t ready_fs = now_fs + s.m.caches.texture_l1.latency_cycles * s.m.clocks.shader_period_fs
    cdef int32_t record = _record(s, sm, r.slot), other, k
    cdef Line *line = cache_find(&shared.cache, r.line // <uint64_t>s.m.caches.texture_l1.line_bytes)
    if line == NULL or r.sectors & ~line.valid:
        return False
    r.counters.texture_hits += count_bits(r.sectors)
    for k in range(SECTORS):
        other = line.fill[k]
        if r.sectors >> k & 1 and other >= 0:
            s.fetches[record].next = s.fetches[other].first
            s.fetches[other].first = record
            return True
    crossbar_deliver(s.crossbar, sm, r.slot, max(ready_fs, shared.arrives_fs[line - shared.cache.lines]))
    return True


cdef void shared_texture_fetch(SharedTextures *s, int32_t sm, Request *r) noexcept nogil:
    """Give the line that a request fetches a place in the cluster's texture cache, if one is free; what of it is there is fetched again."""
    cdef ClusterTextures *shared = s.caches + s.crossbar.cluster[sm]
    cdef uint64_t number = r.line // <uint64_t>s.m.caches.texture_l1.line_bytes
    cdef int32_t record = _record(s, sm, r.slot), k
    cdef Line *line = cache_probe(&shared.cache, number)
    r.counters.texture_misses += count_bits(r.sectors)
    if line == NULL:
        line = cache_victim(&shared.cache, number)
        if line != NULL:
            cache_take(&shared.cache, line, number)
    s.fetches[record].line = line
    s.fetches[record].first = -1
    if line != NULL:
        for k in range(SECTORS):
            if r.sectors >> k & 1 and line.fill[k] < 0:
                line.valid |= <uint32_t>1 << k
                line.fill[k] = record
    if s.m.caches.texture_l1.line_bytes != (s.m.caches.texture_l2.line_bytes if s.m.caches.texture_l2.sets else s.m.caches.l2.line_bytes):
        r.sectors = 1       # sectors of another line mean nothing there: it counts from the address
