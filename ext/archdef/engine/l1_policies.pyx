"""What plugins bring to a multiprocessor's L1: which loads it keeps lines for, and what stands beside it.

The load/store unit asks where it would give a line a place and where a load lacks something, and tells what becomes of it. All about one transaction is
asked and told only when nothing can hold it up any more, but for admission: a load that cannot be sent is looked at again as a whole.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.cache cimport ALL_SECTORS, Cache, Line, cache_busy, cache_set
from archdef.engine.launch cimport Warp
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.policy cimport (ARCHDEF_CACHE_FILL, ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS, ARCHDEF_CACHE_STORE, Hook, PolicyHead, ask_l1,
                                    policy_head)
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction

cdef enum:
    MOST_SUPPLY_CYCLES = 1 << 20     # after which what stands beside L1 gives what it has


cdef L1Policy *_open(const Sm *sm, int64_t hook) except? NULL:
    """Prepare what a policy is asked. NULL: the machine has none."""
    cdef L1Policy *policy
    if not hook:
        return NULL
    policy = <L1Policy *>calloc(1, sizeof(L1Policy))
    if policy == NULL:
        raise MemoryError("state of a policy of L1")
    policy.hook = <Hook *><size_t>hook
    policy.words = sm.m.caches.l1.sets * sm.m.caches.l1.ways * policy.hook.line_words
    policy.state = <int64_t *>calloc(<size_t>(policy.hook.state_words + policy.words + 1), sizeof(int64_t))
    if policy.state == NULL:
        free(policy)
        raise MemoryError("state of a policy of L1")
    policy_head(<PolicyHead *>&policy.view, policy.hook, policy.state)
    policy.view.multiprocessor = sm.id
    policy.view.line_words = policy.hook.line_words
    policy.view.words = policy.state + policy.hook.state_words
    return policy


cdef int l1_policies_open(Sm *sm) except -1:
    """Open those that the machine has."""
    cdef L1Policies *all_
    if not (sm.m.caches.l1_admission_hook or sm.m.caches.l1_victim_cache_hook or sm.m.caches.l1_prefetch_hook):
        return 0
    all_ = <L1Policies *>calloc(1, sizeof(L1Policies))
    if all_ == NULL:
        raise MemoryError("policies of L1")
    sm.l1_policies = all_
    all_.listed[ADMISSION] = _open(sm, sm.m.caches.l1_admission_hook)
    all_.listed[VICTIM_CACHE] = _open(sm, sm.m.caches.l1_victim_cache_hook)
    all_.listed[PREFETCHER] = _open(sm, sm.m.caches.l1_prefetch_hook)
    return 0


cdef void l1_policies_close(Sm *sm) noexcept nogil:
    """Free what `l1_policies_open` took, complete or not."""
    cdef L1Policies *all_ = <L1Policies *>sm.l1_policies
    cdef int i
    if all_ != NULL:
        for i in range(L1_POLICIES):
            if all_.listed[i] != NULL:
                free(all_.listed[i].state)
                free(all_.listed[i])
        free(all_)
        sm.l1_policies = NULL


cdef void l1_policies_emptied(Sm *sm) noexcept nogil:
    """L1 has no lines any more."""
    cdef L1Policies *all_ = <L1Policies *>sm.l1_policies
    cdef int i
    for i in range(L1_POLICIES):
        if all_.listed[i] != NULL:
            memset(all_.listed[i].view.words, 0, <size_t>all_.listed[i].words * sizeof(int64_t))


# ---------------------------------------------------------------------------------------------------------------------- what a view says
cdef void l1_policy_about(Sm *sm, L1Policy *policy, int64_t event, uint64_t number, uint32_t sectors, const Line *line, int64_t cycle) noexcept nogil:
    """Say what happens to a line; `line` is NULL where it has no place. No load is to blame as yet."""
    cdef Cache *cache = &sm.l1
    cdef L1View *v = &policy.view
    v.cycle = cycle
    v.event = event
    v.line = number
    v.address = number * <uint64_t>cache.table.line_bytes
    v.sectors = sectors & ALL_SECTORS
    v.set = <int64_t>cache_set(cache, number)
    v.place = line - cache.lines if line != NULL else -1
    v.evicted = ~<uint64_t>0
    v.evicted_sectors = 0
    v.warp = v.launched = v.block = v.index = v.instruction = v.first = -1
    v.pending = 0
    v.busy = cache_busy(cache, number) if event == ARCHDEF_CACHE_MISS else 0
    v.sets = cache.table.sets
    v.ways = cache.table.ways
    v.line_bytes = cache.table.line_bytes
    v.tags = cache.tags + v.set * v.ways
    v.used = cache.used + v.set * v.ways


cdef void l1_policy_load(const Sm *sm, L1Policy *policy, const LsuPipeline *lsu, const Transaction *t) noexcept nogil:
    """Say which load it is."""
    cdef L1View *v = &policy.view
    cdef int64_t schedulers = sm.m.schedulers.count, slot = sm.loads[lsu.load].warp
    cdef const Warp *w = sm.warps + slot
    v.address = t.address
    v.warp = slot
    v.launched = sm.schedulers[slot % schedulers].order[slot // schedulers]
    v.block = sm.blocks[w.block].number
    v.index = w.index
    v.instruction = sm.loads[lsu.load].op
    v.first = lsu.next == 0 and not lsu.again


# ------------------------------------------------------------------------------------------------------------------- asking and telling
cdef bint l1_admits(Sm *sm, const LsuPipeline *lsu, const Transaction *t, uint64_t number) noexcept nogil:
    """Whether a line that L1 lacks gets a place."""
    cdef L1Policy *policy = (<L1Policies *>sm.l1_policies).listed[ADMISSION]
    if policy == NULL:
        return True
    l1_policy_about(sm, policy, ARCHDEF_CACHE_MISS, number, t.sectors, NULL, lsu.time)
    l1_policy_load(sm, policy, lsu, t)
    return ask_l1(policy.hook, &policy.view, 1) != 0


cdef int64_t l1_supplied(Sm *sm, const LsuPipeline *lsu, const Transaction *t, uint64_t number, uint32_t missing, const Line *line) noexcept nogil:
    """Cycles after which what stands beside L1 gives the sectors that a load lacks, 0: it does not have them."""
    cdef L1Policy *policy = (<L1Policies *>sm.l1_policies).listed[VICTIM_CACHE]
    if policy == NULL:
        return 0
    l1_policy_about(sm, policy, ARCHDEF_CACHE_MISS, number, missing, line, lsu.time)
    l1_policy_load(sm, policy, lsu, t)
    return max(ask_l1(policy.hook, &policy.view, MOST_SUPPLY_CYCLES), 0)


cdef void l1_hit(Sm *sm, const LsuPipeline *lsu, const Transaction *t, const Line *line, bint pending) noexcept nogil:
    """All that a transaction wanted was there, or on its way."""
    cdef L1Policies *all_ = <L1Policies *>sm.l1_policies
    cdef L1Policy *policy
    cdef int i
    for i in range(PREFETCHER):
        policy = all_.listed[i]
        if policy != NULL and policy.hook.told:
            l1_policy_about(sm, policy, ARCHDEF_CACHE_HIT, line.tag - 1, t.sectors, line, lsu.time)
            l1_policy_load(sm, policy, lsu, t)
            policy.view.pending = pending
            ask_l1(policy.hook, &policy.view, 0)


cdef void l1_filled(Sm *sm, const LsuPipeline *lsu, const Transaction *t, const Line *line, uint64_t evicted, uint32_t evicted_sectors,
                    int64_t cycle) noexcept nogil:
    """A line has taken the place of another, by number plus 1; `lsu` is NULL where no load asks for it."""
    cdef L1Policies *all_ = <L1Policies *>sm.l1_policies
    cdef L1Policy *policy
    cdef int i
    for i in range(PREFETCHER):
        policy = all_.listed[i]
        if policy != NULL and policy.hook.told:
            l1_policy_about(sm, policy, ARCHDEF_CACHE_FILL, line.tag - 1, t.sectors, line, cycle)
            if lsu != NULL:
                l1_policy_load(sm, policy, lsu, t)
            policy.view.evicted = evicted - 1
            policy.view.evicted_sectors = evicted_sectors & ALL_SECTORS if evicted else 0
            ask_l1(policy.hook, &policy.view, 0)


cdef void l1_stored(Sm *sm, uint64_t address, const Line *line, int64_t cycle) noexcept nogil:
    """A store or an atomic operation makes invalid what L1 holds of a line; NULL: it has none."""
    cdef L1Policies *all_ = <L1Policies *>sm.l1_policies
    cdef L1Policy *policy
    cdef int i
    for i in range(PREFETCHER):
        policy = all_.listed[i]
        if policy != NULL and policy.hook.told:
            l1_policy_about(sm, policy, ARCHDEF_CACHE_STORE, address // <uint64_t>sm.l1.table.line_bytes, 0, line, cycle)
            ask_l1(policy.hook, &policy.view, 0)
