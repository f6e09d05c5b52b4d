"""A stride prefetcher of L1: it follows loads of one warp each, and fetches the next lines of those that walk with an even step."""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.cache cimport Line, cache_find, cache_take, cache_victim
from archdef.engine.in_flight cimport InFlight
from archdef.engine.lsu cimport send_prefetch
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory_port cimport MemoryPort
from archdef.engine.observers cimport Lookup, Observer
from archdef.engine.parameters cimport StridePrefetcherParameters
from archdef.engine.schedule cimport Scheduler
from archdef.engine.transaction cimport Transaction


cdef struct Followed:        # a load of a warp
    uint64_t key             # op, and the warp by the order in which they came, plus 1; 0: none
    uint64_t line            # number of the line that it read last
    int64_t stride           # in lines, by which that one lay behind the one before


cdef struct Prefetcher:
    const MachineTable *m
    const Scheduler *schedulers
    InFlight *flight
    MemoryPort *port
    Followed followed[1]     # [entries], the first of them


cdef Observer prefetch_open(const MachineTable *m, const Scheduler *schedulers, InFlight *flight, MemoryPort *port) except *:
    cdef Observer observer
    cdef Prefetcher *p
    observer.state = NULL
    observer.looked_up = _looked_up
    observer.warp_came = NULL
    observer.warp_left = NULL
    observer.close = free
    if m.caches.l1_prefetcher.entries:
        p = <Prefetcher *>calloc(1, sizeof(Prefetcher) + <size_t>m.caches.l1_prefetcher.entries * sizeof(Followed))
        if p == NULL:
            raise MemoryError("table of a prefetcher")
        p.m = m
        p.schedulers = schedulers
        p.flight = flight
        p.port = port
        observer.state = p
    return observer


cdef void _looked_up(void *state, const Lookup *lookup) noexcept nogil:
    """Follow the first transaction of each load; the second step of one length shows a stride."""
    cdef Prefetcher *p = <Prefetcher *>state
    cdef const StridePrefetcherParameters *m = &p.m.caches.l1_prefetcher
    cdef int64_t schedulers = p.m.schedulers.count, stride, i
    cdef uint64_t line = lookup.line.tag - 1, key, order
    cdef Followed *one
    if lookup.lsu.next or lookup.lsu.again:             # what is left of a load that was refused does not tell where it began
        return
    order = <uint64_t>p.schedulers[lookup.warp % schedulers].order[lookup.warp // schedulers]
    key = (order << 24 ^ <uint64_t>lookup.op) + 1
    one = p.followed + key * <uint64_t>0x9E3779B97F4A7C15 % <uint64_t>m.entries
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
            _fetch(p, lookup, line, line + <uint64_t>(stride * (m.distance + i)))
    one.line = line
    one.stride = stride


cdef void _fetch(Prefetcher *p, const Lookup *lookup, uint64_t from_, uint64_t line) noexcept nogil:
    """Fetch a line that is not there, if it lies on the page of the one that shows it and nothing that it needs is lacking."""
    cdef uint64_t bytes = <uint64_t>p.m.caches.l1.line_bytes, page = <uint64_t>p.m.caches.l1_prefetcher.page_bytes // bytes
    cdef Line *place
    cdef Transaction t
    if line // page != from_ // page or p.flight.free_mshr < 0 or cache_find(lookup.cache, line) != NULL:
        return
    place = cache_victim(lookup.cache, line)
    if place == NULL:
        return
    cache_take(lookup.cache, place, line)
    t.address = t.line = line * bytes
    t.bytes = <uint32_t>bytes
    t.sectors = (<uint32_t>1 << <uint32_t>(p.m.caches.l1.line_bytes // p.m.caches.l1.sector_bytes)) - 1
    send_prefetch(p.flight, p.port, &t, place, lookup.lsu.time)
