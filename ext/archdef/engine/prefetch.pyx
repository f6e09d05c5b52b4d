"""A stride prefetcher of L1: it follows loads of one warp each, and fetches the next lines of those that walk with an even step."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.cache cimport Cache, Line, cache_probe, cache_take, cache_victim
from archdef.engine.l1_policies cimport l1_filled
from archdef.engine.lsu cimport send_prefetch
from archdef.engine.observers cimport Lookup, Observer
from archdef.engine.parameters cimport StridePrefetcherParameters
from archdef.engine.replacement cimport replacement_asker
from archdef.engine.schedule cimport Scheduler
from archdef.engine.transaction cimport Transaction


cdef struct Followed:        # a load of a warp
    uint64_t key             # op, and the warp by the order in which they came, plus 1; 0: none
    uint64_t line            # number of the line that it read last
    int64_t stride           # in lines, by which that one lay behind the one before


cdef struct Prefetcher:
    PrefetchPath path
    const Scheduler *schedulers
    Followed followed[1]     # [entries], the first of them


cdef Observer prefetch_open(const PrefetchPath *path, const Scheduler *schedulers) except *:
    cdef int64_t entries = path.m.caches.l1_prefetcher.entries
    cdef Observer observer
    cdef Prefetcher *p
    observer.state = NULL
    observer.looked_up = _looked_up
    observer.warp_came = NULL
    observer.warp_left = NULL
    observer.close = free
    if entries:
        p = <Prefetcher *>calloc(1, sizeof(Prefetcher) + <size_t>entries * sizeof(Followed))
        if p == NULL:
            raise MemoryError("table of a prefetcher")
        p.path = path[0]
        p.schedulers = schedulers
        observer.state = p
    return observer


cdef void _looked_up(void *state, const Lookup *lookup) noexcept nogil:
    """Follow the first transaction of each load; the second step of one length shows a stride."""
    cdef Prefetcher *p = <Prefetcher *>state
    cdef const StridePrefetcherParameters *m = &p.path.m.caches.l1_prefetcher
    cdef int64_t schedulers = p.path.m.schedulers.count, stride, i
    cdef uint64_t line = lookup.line.tag - 1, key, order
    cdef Followed *one
    if lookup.lsu.next or lookup.lsu.again:             # what is left of a load that was refused does not tell where it began
        return
    order = <uint64_t>p.schedulers[lookup.warp % schedulers].order[lookup.warp // schedulers]
    key = (order << 24 ^ <uint64_t>lookup.op) + 1
    one = p.followed + (key * <uint64_t>0x9E3779B97F4A7C15 >> 32) % <uint64_t>m.entries      # the lowest bits do not tell warps apart
    if one.key != key:
        one.key = key
        one.line = line
        one.stride = 0
        return
    stride = <int64_t>(line - one.line)
    if stride == 0:
        return
    if stride == one.stride:
        for i in range(m.degree):
            _fetch(&p.path, lookup, line, line + <uint64_t>(stride * (m.distance + i)))
    one.line = line
    one.stride = stride


cdef void _fetch(const PrefetchPath *path, const Lookup *lookup, uint64_t from_, uint64_t line) noexcept nogil:
    """Fetch a line, if it lies on the page of the one that shows it."""
    cdef uint64_t page = <uint64_t>path.m.caches.l1_prefetcher.page_bytes // <uint64_t>path.m.caches.l1.line_bytes, evicted
    if line // page == from_ // page:
        prefetch_line(path, line, lookup.lsu.time, &evicted)


cdef Line *prefetch_line(const PrefetchPath *path, uint64_t number, int64_t time, uint64_t *evicted) noexcept nogil:
    """Fetch a line that L1 lacks, if it can be; gives its place, and the number plus 1 of the line that gave way. NULL: it is not fetched."""
    cdef Cache *cache = path.l1
    cdef uint64_t bytes = <uint64_t>path.m.caches.l1.line_bytes
    cdef uint32_t sectors
    cdef Line *place
    cdef Transaction t
    if path.flight.free_mshr < 0 or cache_probe(cache, number) != NULL:
        return NULL
    place = cache_victim(cache, number)
    if place == NULL:
        return NULL
    evicted[0] = place.tag
    sectors = place.valid
    if cache.asked != NULL:
        replacement_asker(cache.asked, -1, -1)
    cache_take(cache, place, number)
    t.address = t.line = number * bytes
    t.bytes = <uint32_t>bytes
    t.sectors = (<uint32_t>1 << <uint32_t>(path.m.caches.l1.line_bytes // path.m.caches.l1.sector_bytes)) - 1
    if path.policies != NULL:
        l1_filled(path.policies, NULL, NULL, &t, place, evicted[0], sectors, time)
    send_prefetch(path.flight, path.port, &t, place, time)
    return place
