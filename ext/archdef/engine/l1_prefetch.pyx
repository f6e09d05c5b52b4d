"""A plugin's prefetcher of L1: it is asked at each lookup of a load which lines to fetch."""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.cache cimport Line
from archdef.engine.in_flight cimport Load
from archdef.engine.l1_policies cimport PREFETCHER, L1Policy, l1_policy_about, l1_policy_load
from archdef.engine.memory cimport find_span
from archdef.engine.observers cimport Lookup, Observer
from archdef.engine.policy cimport ARCHDEF_CACHE_FILL, ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS, ARCHDEF_POLICY_FETCHES, ask_l1
from archdef.engine.prefetch cimport PrefetchPath, prefetch_line


cdef struct PluginPrefetcher:
    PrefetchPath path
    L1Policy *policy             # one of those of the path


cdef Observer l1_prefetch_open(const PrefetchPath *path) except *:
    """Let it be told of lookups, if the machine has one."""
    cdef Observer observer
    cdef PluginPrefetcher *p
    observer.state = NULL
    observer.looked_up = _looked_up
    observer.warp_came = NULL
    observer.warp_left = NULL
    observer.close = free
    if path.policies != NULL and path.policies.listed[PREFETCHER] != NULL:
        p = <PluginPrefetcher *>calloc(1, sizeof(PluginPrefetcher))
        if p == NULL:
            raise MemoryError("prefetcher of a plugin")
        p.path = path[0]
        p.policy = path.policies.listed[PREFETCHER]
        observer.state = p
    return observer


cdef void _looked_up(void *state, const Lookup *lookup) noexcept nogil:
    """Ask, and fetch what can be."""
    cdef PluginPrefetcher *p = <PluginPrefetcher *>state
    cdef L1Policy *policy = p.policy
    cdef const Load *load = p.path.flight.loads + lookup.lsu.load
    cdef uint64_t fetch[ARCHDEF_POLICY_FETCHES]
    cdef int64_t i, count
    l1_policy_about(p.path.l1, policy, ARCHDEF_CACHE_HIT if lookup.hit else ARCHDEF_CACHE_MISS, lookup.line.tag - 1, lookup.sectors, lookup.line,
                    lookup.lsu.time)
    l1_policy_load(p.path.policies, policy, lookup.lsu, load, lookup.transaction)
    policy.view.evicted = lookup.evicted - 1
    policy.view.pending = lookup.pending
    policy.view.room = ARCHDEF_POLICY_FETCHES
    policy.view.fetch = fetch
    count = ask_l1(policy.hook, &policy.view, ARCHDEF_POLICY_FETCHES)
    policy.view.room = 0
    policy.view.fetch = NULL
    for i in range(count):
        _fetch(p, lookup, fetch[i])


cdef void _fetch(PluginPrefetcher *p, const Lookup *lookup, uint64_t number) noexcept nogil:
    """Fetch a line that an allocation holds, and tell of it."""
    cdef uint64_t bytes = <uint64_t>p.path.l1.table.line_bytes, evicted
    cdef const Line *place
    if number > ~<uint64_t>0 // bytes or find_span(lookup.lsu.launch.spans, lookup.lsu.launch.span_count, number * bytes) == NULL:
        return
    place = prefetch_line(&p.path, number, lookup.lsu.time, &evicted)
    if place != NULL and p.policy.hook.told:
        l1_policy_about(p.path.l1, p.policy, ARCHDEF_CACHE_FILL, number, place.valid, place, lookup.lsu.time)
        p.policy.view.evicted = evicted - 1
        ask_l1(p.policy.hook, &p.policy.view, 0)
