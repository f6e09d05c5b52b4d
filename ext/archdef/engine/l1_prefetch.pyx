"""A plugin's prefetcher of L1: it is asked at each lookup of a load which lines to fetch."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.cache cimport Line
from archdef.engine.l1_policies cimport PREFETCHER, L1Policies, L1Policy, l1_policy_about, l1_policy_load
from archdef.engine.memory cimport find_span
from archdef.engine.observers cimport Lookup, Observer
from archdef.engine.policy cimport ARCHDEF_CACHE_FILL, ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS, ARCHDEF_POLICY_FETCHES, ask_l1
from archdef.engine.prefetch cimport prefetch_line
from archdef.engine.state cimport Sm


cdef Observer l1_prefetch_open(Sm *sm) except *:
    """Let it be told of lookups; its state is that of the other policies of L1, which have been opened."""
    cdef Observer observer
    observer.state = (<L1Policies *>sm.l1_policies).listed[PREFETCHER] if sm.l1_policies != NULL else NULL
    observer.looked_up = _looked_up
    observer.warp_came = NULL
    observer.warp_left = NULL
    observer.close = _close
    return observer


cdef void _close(void *state) noexcept nogil:
    """Nothing: who opened it frees it."""


cdef void _looked_up(Sm *sm, void *state, const Lookup *lookup) noexcept nogil:
    """Ask, and fetch what can be."""
    cdef L1Policy *policy = <L1Policy *>state
    cdef uint64_t fetch[ARCHDEF_POLICY_FETCHES]
    cdef int64_t i, count
    l1_policy_about(sm, policy, ARCHDEF_CACHE_HIT if lookup.hit else ARCHDEF_CACHE_MISS, lookup.line.tag - 1, lookup.sectors, lookup.line, lookup.lsu.time)
    l1_policy_load(sm, policy, lookup.lsu, lookup.transaction)
    policy.view.evicted = lookup.evicted - 1
    policy.view.pending = lookup.pending
    policy.view.room = ARCHDEF_POLICY_FETCHES
    policy.view.fetch = fetch
    count = ask_l1(policy.hook, &policy.view, ARCHDEF_POLICY_FETCHES)
    policy.view.room = 0
    policy.view.fetch = NULL
    for i in range(count):
        _fetch(sm, policy, lookup, fetch[i])


cdef void _fetch(Sm *sm, L1Policy *policy, const Lookup *lookup, uint64_t number) noexcept nogil:
    """Fetch a line that an allocation holds, and tell of it."""
    cdef uint64_t bytes = <uint64_t>sm.l1.table.line_bytes, evicted
    cdef const Line *place
    if number > ~<uint64_t>0 // bytes or find_span(lookup.lsu.launch.spans, lookup.lsu.launch.span_count, number * bytes) == NULL:
        return
    place = prefetch_line(sm, number, lookup.lsu.time, &evicted)
    if place != NULL and policy.hook.told:
        l1_policy_about(sm, policy, ARCHDEF_CACHE_FILL, number, place.valid, place, lookup.lsu.time)
        policy.view.evicted = evicted - 1
        ask_l1(policy.hook, &policy.view, 0)
