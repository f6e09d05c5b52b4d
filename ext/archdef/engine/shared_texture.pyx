"""A texture cache that the multiprocessors of a cluster share.

It lies behind their ports, where requests come in order of time whichever multiprocessor runs first. A request that it can answer never leaves
the cluster; one for a line on its way waits with the request that fetches it.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.cache cimport Line, cache_close, cache_find, cache_open, cache_take, cache_victim
from archdef.engine.events cimport EV_FILL, events_push
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.network cimport Fetch, Network, Request, SharedTextures, network_cycle
from archdef.engine.schedule cimport count_bits


cdef inline int64_t _clusters(const Network *n) noexcept nogil:
    return n.cluster[n.m.chip.multiprocessors - 1] + 1


cdef int shared_texture_open(Network *n) except -1:
    """Make the caches; none if every multiprocessor has its own, or none has."""
    cdef int64_t i
    if n.m.caches.texture_l1.scope != CACHE_SCOPE_CLUSTER or n.m.caches.texture_l1.sets == 0:
        return 0
    n.fetches = <Fetch *>calloc(<size_t>(n.m.chip.multiprocessors * n.slots), sizeof(Fetch))
    n.textures = <SharedTextures *>calloc(<size_t>_clusters(n), sizeof(SharedTextures))
    if n.fetches == NULL or n.textures == NULL:
        raise MemoryError("texture caches of clusters")
    for i in range(_clusters(n)):
        cache_open(&n.textures[i].cache, &n.m.caches.texture_l1)
        n.textures[i].arrives_fs = <int64_t *>calloc(<size_t>(n.m.caches.texture_l1.sets * n.m.caches.texture_l1.ways), sizeof(int64_t))
        if n.textures[i].arrives_fs == NULL:
            raise MemoryError("texture caches of clusters")
    return 0


cdef void shared_texture_close(Network *n) noexcept nogil:
    """Free what `shared_texture_open` took, complete or not."""
    cdef int64_t i
    if n.textures != NULL:
        for i in range(_clusters(n)):
            cache_close(&n.textures[i].cache)
            free(n.textures[i].arrives_fs)
    free(n.textures)
    free(n.fetches)
    n.textures = NULL
    n.fetches = NULL


cdef void shared_texture_filled(Network *n, int32_t sm, int32_t slot, int64_t arrival_fs) noexcept nogil:
    """Data for a line of the cluster's texture cache are on their way: tell those who wait for them when they come."""
    cdef SharedTextures *shared = n.textures + n.cluster[sm]
    cdef Fetch *fetch = n.fetches + sm * n.slots + slot
    cdef int32_t record = fetch.first, following, k
    if fetch.line == NULL:
        return
    for k in range(4):
        if fetch.line.fill[k] == sm * n.slots + slot:
            fetch.line.fill[k] = -1
    shared.arrives_fs[fetch.line - shared.cache.lines] = arrival_fs
    fetch.line = NULL
    fetch.first = -1
    while record >= 0:
        following = n.fetches[record].next
        events_push(n.inboxes + record // n.slots, network_cycle(n, arrival_fs), EV_FILL, <int32_t>(record % n.slots))
        record = following


cdef bint shared_texture_has(Network *n, int32_t sm, const Request *r, int64_t now_fs) noexcept nogil:
    """Look a request up in the cluster's texture cache. True: it needs no partition, since its line is there or on its way."""
    cdef SharedTextures *shared = n.textures + n.cluster[sm]
    cdef int64_t ready_fs = now_fs + n.m.caches.texture_l1.latency_cycles * n.m.shader_period_fs
    cdef int32_t record = <int32_t>(sm * n.slots + r.slot), other, k
    cdef Line *line = cache_find(&shared.cache, r.line // <uint64_t>n.m.caches.texture_l1.line_bytes)
    if line == NULL or r.sectors & ~line.valid:
        return False
    r.counters.texture_hits += count_bits(r.sectors)
    for k in range(4):
        other = line.fill[k]
        if r.sectors >> k & 1 and other >= 0:
            n.fetches[record].next = n.fetches[other].first
            n.fetches[other].first = record
            return True
    events_push(n.inboxes + sm, network_cycle(n, max(ready_fs, shared.arrives_fs[line - shared.cache.lines])), EV_FILL, r.slot)
    return True


cdef void shared_texture_fetch(Network *n, int32_t sm, Request *r) noexcept nogil:
    """Give the line that a request fetches a place in the cluster's texture cache, if one is free; what of it is there is fetched again."""
    cdef SharedTextures *shared = n.textures + n.cluster[sm]
    cdef uint64_t number = r.line // <uint64_t>n.m.caches.texture_l1.line_bytes
    cdef int32_t record = <int32_t>(sm * n.slots + r.slot), k
    cdef Line *line = cache_find(&shared.cache, number)
    r.counters.texture_misses += count_bits(r.sectors)
    if line == NULL:
        line = cache_victim(&shared.cache, number)
        if line != NULL:
            cache_take(&shared.cache, line, number)
    n.fetches[record].line = line
    n.fetches[record].first = -1
    if line != NULL:
        for k in range(4):
            if r.sectors >> k & 1 and line.fill[k] < 0:
                line.valid |= <uint32_t>1 << k
                line.fill[k] = record
    if n.m.caches.texture_l1.line_bytes != (n.m.caches.texture_l2.line_bytes if n.m.caches.texture_l2.sets else n.m.caches.l2.line_bytes):
        r.sectors = 1       # sectors of another line mean nothing there: it counts from the address
