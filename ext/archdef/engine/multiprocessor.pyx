"""A multiprocessor's state: what it takes of the host's memory, and gives back; and where optional components are listed that are told what happens there.

Such a component is one module with a function that opens it: it gives an `Observer`, whose state is NULL on a machine that has no such component.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.bits cimport lowest_bit
from archdef.engine.cache cimport cache_close, cache_open
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
from archdef.engine.network cimport Network
from archdef.engine.observers cimport Observer, Observers, observers_close
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.policy cimport Hook, PolicyHead, SchedulerHook, policy_head
from archdef.engine.prefetch cimport PrefetchPath, prefetch_open
from archdef.engine.queue cimport queue_close, queue_open
from archdef.engine.replay cimport replay_close, replay_open
from archdef.engine.schedule cimport Scheduler
from archdef.engine.state cimport Chip, Sm
from archdef.engine.throttle cimport Throttle, throttle_open
from archdef.engine.transaction cimport Transaction
from archdef.engine.uniform cimport constants_close, constants_open

cdef enum:
    LINE = 64                # bytes of the host's cache


cdef void *_zeroed(int64_t bytes) except NULL:
    """Memory that the host commits as it is touched."""
    cdef void *place = calloc(<size_t>max(bytes, 1), 1)
    if place == NULL:
        raise MemoryError("state of a multiprocessor")
    return place


cdef void *_lined(void *place) noexcept nogil:
    """The next line of the host's cache: what is committed as it is touched cannot be had aligned."""
    return <void *>((<size_t>place + LINE - 1) & ~<size_t>(LINE - 1))


cdef int sm_open(Sm *sm, int32_t number, Chip *chip, Network *network, Events *inbox) except -1:
    """Make an idle multiprocessor."""
    cdef const MachineTable *m = chip.m
    cdef int64_t i, places = SCHEDULER_WARPS * m.schedulers.count, reads = max(m.load_store.reads_in_flight_per_multiprocessor, 1), slots, loads
    if sizeof(Warp) % LINE:
        raise SystemError(f"a Warp has {sizeof(Warp)} bytes, which are no whole lines of {LINE}: most warps would lie across one more")
    sm.core.id = number
    sm.places = chip.dispatcher.sms + number
    sm.places.core = &sm.core
    sm.chip = chip
    sm.m = m
    sm.port.m = m
    sm.port.ports = &network.ports
    sm.port.id = number
    sm.core.inbox = inbox
    sm.core.fault = &chip.fault
    sm.core.messages = &chip.messages
    sm.core.now = -1
    sm.units.m = m
    sm.units.sharing = &chip.units
    sm.warps_held = _zeroed(places * sizeof(Warp) + LINE)
    sm.core.warps = <Warp *>_lined(sm.warps_held)
    sm.core.blocks = <Block *>_zeroed(places * sizeof(Block))
    sm.schedulers_held = _zeroed(m.schedulers.count * sizeof(Scheduler) + LINE)
    sm.schedulers = <Scheduler *>_lined(sm.schedulers_held)
    sm.places.ended = <Ended *>_zeroed(places * sizeof(Ended))
    slots = reads + (m.load_store.textures_in_flight_per_multiprocessor if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER else 0)
    sm.in_flight.mshrs = <Mshr *>_zeroed(slots * sizeof(sm.in_flight.mshrs[0]))
    sm.in_flight.waiters = <Waiter *>_zeroed(WAITERS * sizeof(sm.in_flight.waiters[0]))
    # as many loads as can wait for something, the one that is being sent, and those of bulk copies
    loads = slots + WAITERS + 2 + BULK_LOADS
    sm.in_flight.loads = <Load *>_zeroed(loads * sizeof(Load))
    sm.bulk.load = -1
    sm.bulk.wake = -1
    cache_open(&sm.l1, &m.caches.l1)
    replay_open(&sm.replays, m)
    queue_open(sm)
    sm.l1_policies = l1_policies_open(m, &sm.core, sm.schedulers, &sm.l1)
    components_open(sm)
    constants_open(&sm.constants, m)
    cache_open(&sm.texture, &m.caches.texture_l1)
    for i in range(slots):
        sm.in_flight.mshrs[i].next = <int32_t>(i + 1 if i + 1 != reads and i + 1 < slots else -1)
    sm.in_flight.free_texture = <int32_t>reads if slots > reads else -1
    for i in range(WAITERS):
        sm.in_flight.waiters[i].next = <int32_t>(i + 1 if i + 1 < WAITERS else -1)
    for i in range(loads):
        sm.in_flight.loads[i].next = <int32_t>(i + 1 if i + 1 < loads else -1)
    sm.in_flight.waiters_left = WAITERS
    sm.port.store_credits = <int32_t>m.load_store.stores_in_flight_per_multiprocessor
    sm.lsu.stalled = -1
    for i in range(m.schedulers.count):
        if m.schedulers.hook:
            _open_hook(sm, i)
        sm.schedulers[i].number = <int32_t>i
        sm.schedulers[i].last = -1
        sm.schedulers[i].wake = NEVER
        sm.places.free_warps[i] = sm.places.free_blocks[i] = ~<uint64_t>0
    return 0


cdef int _open_hook(Sm *sm, int64_t number) except -1:
    """Prepare what a plugin's policy is asked."""
    cdef Scheduler *s = sm.schedulers + number
    cdef SchedulerHook *asked = <SchedulerHook *>_zeroed(sizeof(SchedulerHook))
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


cdef int sm_open_bulk(Sm *sm) except -1:
    """Make room for bulk copies, unless there is."""
    if sm.bulk.ring == NULL:
        sm.bulk.transactions = <Transaction *>_zeroed(MAX_TRANSACTIONS * sizeof(Transaction))
        sm.bulk.ring = <BulkCopy *>_zeroed(BULK_RING * sizeof(BulkCopy))
        sm.bulk.boxes = <TensorBox *>_zeroed(BULK_RING * sizeof(TensorBox))
    return 0


cdef void sm_close(Sm *sm) noexcept nogil:
    """Free what `sm_open` took, complete or not. Launches may be gone by now: nothing of theirs is looked at."""
    cdef int32_t i
    cdef uint64_t taken
    for i in range(sm.m.schedulers.count if sm.core.warps != NULL else 0):
        taken = ~sm.places.free_warps[i]
        while taken:                            # still running: the session was given up
            stack_drop(sm.core.warps + SCHEDULER_WARPS * i + lowest_bit(taken))
            taken &= taken - 1
    queue_close(sm)
    observers_close(sm.core.observers)
    l1_policies_close(sm.l1_policies)
    for i in range(sm.m.schedulers.count if sm.schedulers != NULL else 0):
        free(sm.schedulers[i].asked)
    free(sm.warps_held)
    free(sm.core.blocks)
    free(sm.schedulers_held)
    if sm.places != NULL:
        free(sm.places.ended)
    free(sm.in_flight.mshrs)
    free(sm.in_flight.waiters)
    free(sm.in_flight.loads)
    replay_close(&sm.replays)
    free(sm.bulk.ring)
    free(sm.bulk.boxes)
    free(sm.bulk.transactions)
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
