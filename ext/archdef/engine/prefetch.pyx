"""A stride prefetcher of L1: it follows loads of one warp each, and fetches the next lines of those that walk with an even step."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.cache cimport Line, cache_probe, cache_take, cache_victim
from archdef.engine.l1_policies cimport l1_filled
from archdef.engine.lsu cimport send_prefetch
from archdef.engine.observers cimport Lookup, Observer
from archdef.engine.parameters cimport StridePrefetcherParameters
from archdef.engine.replacement cimport replacement_asker
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction


cdef struct Followed:        # a load of a warp
    uint64_t key             # op, and the warp by the order in which they came, plus 1; 0: none
    uint64_t line            # number of the line that it read last
    int64_t stride           # in lines, by which that one lay behind the one before


cdef Observer prefetch_open(Sm *sm) except *:
    cdef Observer observer
    observer.state = NULL
    observer.looked_up = _looked_up
    observer.warp_came = NULL
    observer.warp_left = NULL
    observer.close = free
    if sm.m.caches.l1_prefetcher.entries:
        observer.state = calloc(<size_t>sm.m.caches.l1_prefetcher.entries, sizeof(Followed))
        if observer.state == NULL:
            raise MemoryError("table of a prefetcher")
    return observer


cdef void _looked_up(Sm *sm, void *state, const Lookup *lookup) noexcept nogil:
    """Follow the first transaction of each load; the second step of one length shows a stride."""
    cdef const StridePrefetcherParameters *m = &sm.m.caches.l1_prefetcher
    cdef int64_t schedulers = sm.m.schedulers.count, stride, i
    cdef uint64_t line = lookup.line.tag - 1, key, order
    cdef Followed *one
    if lookup.lsu.next or lookup.lsu.again:             # what is left of a load that was refused does not tell where it began
        return
    order = <uint64_t>sm.schedulers[lookup.warp % schedulers].order[lookup.warp // schedulers]
    key = (order << 24 ^ <uint64_t>lookup.op) + 1
    one = <Followed *>state + (key * <uint64_t>0x9E3779B97F4A7C15 >> 32) % <uint64_t>m.entries      # the lowest bits do not tell warps apart
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
            _fetch(sm, lookup, line, line + <uint64_t>(stride * (m.distance + i)))
    one.line = line
    one.stride = stride


cdef void _fetch(Sm *sm, const Lookup *lookup, uint64_t from_, uint64_t line) noexcept nogil:
    """Fetch a line, if it lies on the page of the one that shows it."""
    cdef uint64_t page = <uint64_t>sm.m.caches.l1_prefetcher.page_bytes // <uint64_t>sm.m.caches.l1.line_bytes, evicted
    if line // page == from_ // page:
        prefetch_line(sm, line, lookup.lsu.time, &evicted)


cdef Line *prefetch_line(Sm *sm, uint64_t number, int64_t time, uint64_t *evicted) noexcept nogil:
    """Fetch a line that L1 lacks, if it can be; gives its place, and the number plus 1 of the line that gave way. NULL: it is not fetched."""
    cdef uint64_t bytes = <uint64_t>sm.m.caches.l1.line_bytes
    cdef uint32_t sectors
    cdef Line *place
    cdef Transaction t
    if sm.free_slot < 0 or cache_probe(&sm.l1, number) != NULL:
        return NULL
    place = cache_victim(&sm.l1, number)
    if place == NULL:
        return NULL
    evicted[0] = place.tag
    sectors = place.valid
    if sm.l1.asked != NULL:
        replacement_asker(sm.l1.asked, -1, -1)
    cache_take(&sm.l1, place, number)
    t.address = t.line = number * bytes
    t.bytes = <uint32_t>bytes
    t.sectors = (<uint32_t>1 << <uint32_t>(sm.m.caches.l1.line_bytes // sm.m.caches.l1.sector_bytes)) - 1
    if sm.l1_policies != NULL:
        l1_filled(sm, NULL, &t, place, evicted[0], sectors, time)
    send_prefetch(sm, &t, place, time)
    return place
