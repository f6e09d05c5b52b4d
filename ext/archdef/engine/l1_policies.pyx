"""What plugins bring to a multiprocessor's L1: which loads it keeps lines for, and what stands beside it.

The load/store unit asks where it would give a line a place and where a load lacks something, and tells what becomes of it. All about one transaction is
asked and told only when nothing can hold it up any more, but for admission: a load that cannot be sent is looked at again as a whole.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.cache cimport ALL_SECTORS, Cache, Line, cache_busy, cache_set
from archdef.engine.in_flight cimport Load
from archdef.engine.launch cimport Warp
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport (ARCHDEF_CACHE_FILL, ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS, ARCHDEF_CACHE_STORE, Hook, PolicyHead, ask_l1,
                                    policy_head)
from archdef.engine.schedule cimport Scheduler
from archdef.engine.sm_core cimport SmCore
from archdef.engine.transaction cimport Transaction

cdef enum:
    MOST_SUPPLY_CYCLES = 1 << 20     # after which what stands beside L1 gives what it has


cdef L1Policy *_open(const L1Policies *policies, int64_t hook) except? NULL:
    """Prepare what a policy is asked. NULL: the machine has none."""
    cdef L1Policy *policy
    if not hook:
        return NULL
    policy = <L1Policy *>calloc(1, sizeof(L1Policy))
    if policy == NULL:
        raise MemoryError("state of a policy of L1")
    policy.hook = <Hook *><size_t>hook
    policy.words = policies.m.caches.l1.sets * policies.m.caches.l1.ways * policy.hook.line_words
    policy.state = <int64_t *>calloc(<size_t>(policy.hook.state_words + policy.words + 1), sizeof(int64_t))
    if policy.state == NULL:
        free(policy)
        raise MemoryError("state of a policy of L1")
    policy_head(<PolicyHead *>&policy.view, policy.hook, policy.state)
    policy.view.multiprocessor = policies.core.id
    policy.view.line_words = policy.hook.line_words
    policy.view.words = policy.state + policy.hook.state_words
    return policy


cdef L1Policies *l1_policies_open(const MachineTable *m, const SmCore *core, const Scheduler *schedulers, const Cache *l1) except? NULL:
    """Open those that the machine has. NULL: it has none."""
    cdef L1Policies *policies
    if not (m.caches.l1_admission_hook or m.caches.l1_victim_cache_hook or m.caches.l1_prefetch_hook):
        return NULL
    policies = <L1Policies *>calloc(1, sizeof(L1Policies))
    if policies == NULL:
        raise MemoryError("policies of L1")
    policies.m = m
    policies.core = core
    policies.schedulers = schedulers
    policies.l1 = l1
    try:
        policies.listed[ADMISSION] = _open(policies, m.caches.l1_admission_hook)
        policies.listed[VICTIM_CACHE] = _open(policies, m.caches.l1_victim_cache_hook)
        policies.listed[PREFETCHER] = _open(policies, m.caches.l1_prefetch_hook)
    except MemoryError:
        l1_policies_close(policies)
        raise
    return policies


cdef void l1_policies_close(L1Policies *policies) noexcept nogil:
    """Free them; NULL: there are none."""
    cdef int i
    if policies != NULL:
        for i in range(L1_POLICIES):
            if policies.listed[i] != NULL:
                free(policies.listed[i].state)
                free(policies.listed[i])
        free(policies)


cdef void l1_policies_emptied(L1Policies *policies) noexcept nogil:
    """L1 has no lines any more."""
    cdef int i
    for i in range(L1_POLICIES):
        if policies.listed[i] != NULL:
            memset(policies.listed[i].view.words, 0, <size_t>policies.listed[i].words * sizeof(int64_t))


# ---------------------------------------------------------------------------------------------------------------------- what a view says
cdef void l1_policy_about(const Cache *l1, L1Policy *policy, int64_t event, uint64_t number, uint32_t sectors, const Line *line,
                          int64_t cycle) noexcept nogil:
    """Say what happens to a line; `line` is NULL where it has no place. No load is to blame as yet."""
    cdef L1View *v = &policy.view
    v.cycle = cycle
    v.event = event
    v.line = number
    v.address = number * <uint64_t>l1.table.line_bytes
    v.sectors = sectors & ALL_SECTORS
    v.set = <int64_t>cache_set(l1, number)
    v.place = line - l1.lines if line != NULL else -1
    v.evicted = ~<uint64_t>0
    v.evicted_sectors = 0
    v.warp = v.launched = v.block = v.index = v.instruction = v.first = -1
    v.pending = 0
    v.busy = cache_busy(l1, number) if event == ARCHDEF_CACHE_MISS else 0
    v.sets = l1.table.sets
    v.ways = l1.table.ways
    v.line_bytes = l1.table.line_bytes
    v.tags = l1.tags + v.set * v.ways
    v.used = l1.used + v.set * v.ways


cdef void l1_policy_load(const L1Policies *policies, L1Policy *policy, const LsuPipeline *lsu, const Load *load, const Transaction *t) noexcept nogil:
    """Say which load it is."""
    cdef L1View *v = &policy.view
    cdef int64_t schedulers = policies.m.schedulers.count, slot = load.warp
    cdef const Warp *w = policies.core.warps + slot
    v.address = t.address
    v.warp = slot
    v.launched = policies.schedulers[slot % schedulers].order[slot // schedulers]
    v.block = policies.core.blocks[w.block].number
    v.index = w.index
    v.instruction = load.op
    v.first = lsu.next == 0 and not lsu.again


# ------------------------------------------------------------------------------------------------------------------- asking and telling
cdef bint l1_admits(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number) noexcept nogil:
    """Whether a line that L1 lacks gets a place."""
    cdef L1Policy *policy = policies.listed[ADMISSION]
    if policy == NULL:
        return True
    l1_policy_about(policies.l1, policy, ARCHDEF_CACHE_MISS, number, t.sectors, NULL, lsu.time)
    l1_policy_load(policies, policy, lsu, load, t)
    return ask_l1(policy.hook, &policy.view, 1) != 0


cdef int64_t l1_supplied(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number, uint32_t missing,
                         const Line *line) noexcept nogil:
    """Cycles after which what stands beside L1 gives the sectors that a load lacks, 0: it does not have them."""
    cdef L1Policy *policy = policies.listed[VICTIM_CACHE]
    if policy == NULL:
        return 0
    l1_policy_about(policies.l1, policy, ARCHDEF_CACHE_MISS, number, missing, line, lsu.time)
    l1_policy_load(policies, policy, lsu, load, t)
    return max(ask_l1(policy.hook, &policy.view, MOST_SUPPLY_CYCLES), 0)


cdef void l1_hit(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, const Line *line, bint pending) noexcept nogil:
    """All that a transaction wanted was there, or on its way."""
    cdef L1Policy *policy
    cdef int i
    for i in range(PREFETCHER):
        policy = policies.listed[i]
        if policy != NULL and policy.hook.told:
            l1_policy_about(policies.l1, policy, ARCHDEF_CACHE_HIT, line.tag - 1, t.sectors, line, lsu.time)
            l1_policy_load(policies, policy, lsu, load, t)
            policy.view.pending = pending
            ask_l1(policy.hook, &policy.view, 0)


cdef void l1_filled(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, const Line *line, uint64_t evicted,
                    uint32_t evicted_sectors, int64_t cycle) noexcept nogil:
    """A line has taken the place of another, by number plus 1; `lsu` and `load` are NULL where no load asks for it."""
    cdef L1Policy *policy
    cdef int i
    for i in range(PREFETCHER):
        policy = policies.listed[i]
        if policy != NULL and policy.hook.told:
            l1_policy_about(policies.l1, policy, ARCHDEF_CACHE_FILL, line.tag - 1, t.sectors, line, cycle)
            if load != NULL:
                l1_policy_load(policies, policy, lsu, load, t)
            policy.view.evicted = evicted - 1
            policy.view.evicted_sectors = evicted_sectors & ALL_SECTORS if evicted else 0
            ask_l1(policy.hook, &policy.view, 0)


cdef void l1_stored(L1Policies *policies, uint64_t address, const Line *line, int64_t cycle) noexcept nogil:
    """A store or an atomic operation makes invalid what L1 holds of a line; NULL: it has none."""
    cdef L1Policy *policy
    cdef int i
    for i in range(PREFETCHER):
        policy = policies.listed[i]
        if policy != NULL and policy.hook.told:
            l1_policy_about(policies.l1, policy, ARCHDEF_CACHE_STORE, address // <uint64_t>policies.l1.table.line_bytes, 0, line, cycle)
            ask_l1(policy.hook, &policy.view, 0)
