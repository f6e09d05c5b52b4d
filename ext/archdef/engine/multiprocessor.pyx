"""A multiprocessor's state: what it takes of the host's memory, and gives back; and where optional components are listed that are told what happens there.

Such a component is one module with a function that opens it: it gives an `Observer`, whose state is NULL on a machine that has no such component.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc

from archdef.engine.arena cimport Arena, arena_room, arena_zeroed
from archdef.engine.bits cimport lowest_bit
from archdef.engine.cache cimport cache_close, cache_make
from archdef.engine.clock cimport NEVER
from archdef.engine.coalesce cimport MAX_TRANSACTIONS
from archdef.engine.copying cimport BULK_LOADS, BULK_RING, BulkCopy, TensorBox
from archdef.engine.events cimport Events
from archdef.engine.fetch cimport fetch_close
from archdef.engine.in_flight cimport Load, Mshr, Waiter
from archdef.engine.frames cimport stack_drop
from archdef.engine.dispatch_event cimport Ended
from archdef.engine.l1_policies cimport l1_policies_close, l1_policies_open
from archdef.engine.l1_prefetch cimport l1_prefetch_open
from archdef.engine.launch cimport Block, Warp
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.matrix cimport access_tiles
from archdef.engine.network cimport Network, network_admit
from archdef.engine.observers cimport Observer, Observers, observers_close
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.policy cimport Hook, PolicyHead, SchedulerHook, policy_head
from archdef.engine.prefetch cimport PrefetchPath, prefetch_open
from archdef.engine.queue cimport queue_open
from archdef.engine.replay cimport replay_open
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Chip, Sm
from archdef.engine.throttle cimport Throttle, throttle_open
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport units_join
from archdef.engine.uniform cimport constants_close, constants_open

cdef int sm_make(void *maker, int64_t number) noexcept nogil:
    """Make an idle multiprocessor, but for what plugins bring, when it gets its first block: most launches need few. Returns -1 if the host has no
    memory for it."""
    cdef SmMaker *of = <SmMaker *>maker
    cdef Sm *sm = <Sm *>arena_zeroed(of.chip.arena, sizeof(Sm))
    if sm == NULL:
        return -1
    of.sms[number] = sm
    if _open(sm, <int32_t>number, of.chip, of.network, of.inboxes + number) < 0:
        return -1
    network_admit(of.network, number)
    units_join(&sm.units, of.chip.units.needed)
    return sm_open_bulk(sm) if of.chip.bulk else 0


cdef int _open(Sm *sm, int32_t number, Chip *chip, Network *network, Events *inbox) noexcept nogil:
    """Tell it its neighbours, and give it what it keeps. Returns -1 if the host has no memory for that."""
    cdef const MachineTable *m = chip.m
    cdef int64_t reads = max(m.load_store.reads_in_flight_per_multiprocessor, 1), slots
    sm.core.id = number
    sm.places = chip.dispatcher.sms + number
    sm.chip = chip
    sm.m = m
    sm.port.m = m
    sm.port.ports = &network.ports
    sm.port.id = number
    sm.core.inbox = inbox
    sm.core.fault = &chip.fault
    sm.core.messages = &chip.messages
    sm.core.now = -1
    sm.core.access_tiles = access_tiles
    sm.units.m = m
    sm.units.sharing = &chip.units
    sm.code.arena = chip.arena
    sm.bulk.load = -1
    sm.bulk.wake = -1
    slots = reads + (m.load_store.textures_in_flight_per_multiprocessor if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER else 0)
    if _open_warps(sm) < 0 or _open_in_flight(sm, reads, slots) < 0 or cache_make(&sm.l1, &m.caches.l1, chip.arena) < 0:
        return -1
    if replay_open(&sm.replays, m, chip.arena) < 0 or queue_open(sm) < 0 or constants_open(&sm.constants, m, chip.arena) < 0:
        return -1
    if cache_make(&sm.texture, &m.caches.texture_l1, chip.arena) < 0:
        return -1
    sm.port.store_credits = <int32_t>m.load_store.stores_in_flight_per_multiprocessor
    sm.lsu.stalled = -1
    sm.places.core = &sm.core       # from now on the dispatcher may give it blocks
    return 0


cdef int _open_warps(Sm *sm) noexcept nogil:
    """Make places for warps and blocks, and the schedulers. Returns -1 without memory."""
    cdef const MachineTable *m = sm.m
    cdef Arena *arena = sm.chip.arena
    cdef int64_t i, places = SCHEDULER_WARPS * m.schedulers.count
    sm.core.warps = <Warp *>arena_zeroed(arena, <size_t>places * sizeof(Warp))
    sm.core.blocks = <Block *>arena_zeroed(arena, <size_t>places * sizeof(Block))
    sm.schedulers = <Scheduler *>arena_zeroed(arena, <size_t>m.schedulers.count * sizeof(Scheduler))
    sm.places.ended = <Ended *>arena_room(arena, <size_t>places * sizeof(Ended))
    if sm.core.warps == NULL or sm.core.blocks == NULL or sm.schedulers == NULL or sm.places.ended == NULL:
        return -1
    for i in range(m.schedulers.count):
        sm.schedulers[i].number = <int32_t>i
        sm.schedulers[i].last = -1
        sm.schedulers[i].wake = NEVER
    return 0


cdef int _open_in_flight(Sm *sm, int64_t reads, int64_t slots) noexcept nogil:
    """Make room for what is on its way: as many loads as can wait for something, the one that is being sent, and those of bulk copies."""
    cdef Arena *arena = sm.chip.arena
    cdef int64_t i
    sm.in_flight.mshrs = <Mshr *>arena_zeroed(arena, <size_t>slots * sizeof(sm.in_flight.mshrs[0]))
    sm.in_flight.waiters = <Waiter *>arena_room(arena, WAITERS * sizeof(sm.in_flight.waiters[0]))
    sm.in_flight.loads = <Load *>arena_room(arena, <size_t>(slots + WAITERS + 2 + BULK_LOADS) * sizeof(Load))
    if sm.in_flight.mshrs == NULL or sm.in_flight.waiters == NULL or sm.in_flight.loads == NULL:
        return -1
    for i in range(slots):
        sm.in_flight.mshrs[i].next = <int32_t>(i + 1 if i + 1 != reads and i + 1 < slots else -1)
    sm.in_flight.free_texture = <int32_t>reads if slots > reads else -1
    sm.in_flight.waiters_left = WAITERS
    return 0


cdef int sm_open_policies(Sm *sm) except -1:
    """Make what plugins, and optional components, keep for a multiprocessor."""
    cdef int64_t i
    sm.l1_policies = l1_policies_open(sm.m, &sm.core, sm.schedulers, &sm.l1)
    components_open(sm)
    for i in range(sm.m.schedulers.count if sm.m.schedulers.hook else 0):
        _open_hook(sm, i)
    return 0


cdef int _open_hook(Sm *sm, int64_t number) except -1:
    """Prepare what a plugin's policy is asked."""
    cdef Scheduler *s = sm.schedulers + number
    cdef SchedulerHook *asked = <SchedulerHook *>arena_zeroed(sm.chip.arena, sizeof(SchedulerHook))
    if asked == NULL:
        raise MemoryError("policy of a scheduler")
    s.asked = asked
    asked.hook = <Hook *><size_t>sm.m.schedulers.hook
    policy_head(<PolicyHead *>&asked.view, asked.hook, asked.state)
    asked.view.multiprocessor = sm.core.id
    asked.view.scheduler = number
    asked.view.issued_at = s.issued_at
    asked.view.launched = s.order
    asked.view.issued = asked.issued
    asked.view.blocks = asked.blocks
    return 0


cdef int sm_open_bulk(Sm *sm) noexcept nogil:
    """Make room for bulk copies, unless there is. Returns -1 if the host has no memory for it."""
    cdef Arena *arena = sm.chip.arena
    if sm.bulk.ring == NULL:
        sm.bulk.transactions = <Transaction *>arena_zeroed(arena, MAX_TRANSACTIONS * sizeof(Transaction))
        sm.bulk.boxes = <TensorBox *>arena_zeroed(arena, BULK_RING * sizeof(TensorBox))
        sm.bulk.ring = <BulkCopy *>arena_zeroed(arena, BULK_RING * sizeof(BulkCopy))
        if sm.bulk.transactions == NULL or sm.bulk.boxes == NULL or sm.bulk.ring == NULL:
            return -1
    return 0


cdef void sm_close(Sm *sm) noexcept nogil:
    """Give up what it has beside its arena, complete or not. Launches may be gone by now: nothing of theirs is looked at."""
    cdef int32_t i
    cdef uint64_t taken
    for i in range(sm.m.schedulers.count if sm.core.warps != NULL else 0):
        taken = ~sm.places.free_warps[i]
        while taken:                            # still running: the session was given up
            stack_drop(sm.core.warps + SCHEDULER_WARPS * i + lowest_bit(taken))
            taken &= taken - 1
    observers_close(sm.core.observers)
    l1_policies_close(sm.l1_policies)
    cache_close(&sm.l1)
    cache_close(&sm.texture)
    constants_close(&sm.constants, sm.m)
    fetch_close(&sm.code, sm.m)


# ------------------------------------------------------------------------------ components that are told what happens here
cdef int components_open(Sm *sm) except -1:
    """Open the components of a multiprocessor that the machine has, in the order in which they are told."""
    cdef Observer throttle = throttle_open(sm.m, &sm.core, sm.schedulers, &sm.l1, &sm.issued)
    cdef PrefetchPath path
    path.m = sm.m
    path.l1 = &sm.l1
    path.flight = &sm.in_flight
    path.port = &sm.port
    path.policies = sm.l1_policies
    sm.throttle = <Throttle *>throttle.state
    _list(sm, throttle)
    _list(sm, prefetch_open(&path, sm.schedulers))
    _list(sm, l1_prefetch_open(&path))
    return 0


cdef int _list(Sm *sm, Observer observer) except -1:
    cdef Observers *all_ = sm.core.observers
    if observer.state == NULL:
        return 0
    if all_ == NULL:
        all_ = <Observers *>calloc(1, sizeof(Observers))
        if all_ == NULL:
            observer.close(observer.state)
            raise MemoryError("components of a multiprocessor")
        sm.core.observers = all_
    all_.listed[all_.count] = observer
    all_.count += 1
    return 0
