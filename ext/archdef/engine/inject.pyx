"""The load/store unit's hand-over of transactions: L1 and constant lookups, credits, in-flight reads, stalls.

One access at a time is handed over, one transaction every `transaction_cycles`. A read needs a free slot, a store a credit;
without one the unit stalls, and with it every warp whose next op accesses memory, until a response brings one back.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.cache cimport Cache, Line, cache_find, cache_take, cache_victim
from archdef.engine.clock cimport NEVER
from archdef.engine.combine cimport combine_store, may_store
from archdef.engine.copying cimport BULK_FULL
from archdef.engine.events cimport EV_FILL, events_push
from archdef.engine.flight cimport Load
from archdef.engine.injection cimport Injection
from archdef.engine.launch cimport Launch
from archdef.engine.machine cimport MachineTable
from archdef.engine.observers cimport tell_lookup
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER, CACHE_WRITE_EVICT, SECTORS
from archdef.engine.port cimport RQ_ATOMIC, RQ_READ, RQ_TEXTURE, RQ_WRITE, Request, port_send
from archdef.engine.refused cimport set_bit
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport held_until


cdef int32_t take_load(Sm *sm, int32_t warp, int32_t op) noexcept nogil:
    """Open the record of a load; there are as many as transactions can be waited for."""
    cdef int32_t index = sm.free_load
    cdef Load *load = sm.loads + index
    sm.free_load = load.next
    load.warp = warp
    load.op = op
    load.remaining = 0
    load.latest = 0
    load.passes = 0
    return index


cdef void give_load(Sm *sm, int32_t index) noexcept nogil:
    sm.loads[index].next = sm.free_load
    sm.free_load = index


cdef inline void _wait(Sm *sm, int32_t slot, int32_t load) noexcept nogil:
    """Let a load wait for the response of a slot."""
    cdef int32_t node = sm.free_waiter
    sm.free_waiter = sm.waiters[node].next
    sm.waiters_left -= 1
    sm.waiters[node].load = load
    sm.waiters[node].next = sm.slots[slot].waiters
    sm.slots[slot].waiters = node
    sm.loads[load].remaining += 1


cdef int32_t fill_slot(Sm *sm, int32_t slot, int64_t cycle, int32_t *done) noexcept nogil:
    """A response has come: fill the line, close the slot. Returns how many loads it completes, their indices in `done`."""
    cdef Line *line = sm.slots[slot].line
    cdef int32_t node = sm.slots[slot].waiters, following, load, count = 0
    cdef int sector
    if line != NULL:
        for sector in range(SECTORS):
            if line.fill[sector] == slot:
                line.fill[sector] = -1
        if sm.refused_count:
            sm.freed |= set_bit(&sm.l1, line)
    while node >= 0:
        following = sm.waiters[node].next
        load = sm.waiters[node].load
        sm.loads[load].remaining -= 1
        if cycle > sm.loads[load].latest:
            sm.loads[load].latest = cycle
        if sm.loads[load].remaining == 0 and not (sm.injection.active and sm.injection.load == load):
            done[count] = load
            count += 1
        sm.waiters[node].next = sm.free_waiter
        sm.free_waiter = node
        sm.waiters_left += 1
        node = following
    if slot >= sm.m.load_store.reads_in_flight_per_multiprocessor:
        sm.slots[slot].next = sm.free_texture
        sm.free_texture = slot
        return count
    sm.slots[slot].next = sm.free_slot
    sm.free_slot = slot
    return count


cdef inline void _send(Sm *sm, const Injection *inject, const Transaction *t, uint32_t sectors, uint64_t address,
                       uint32_t bytes, int32_t slot) noexcept nogil:
    cdef Request request
    request.time_fs = inject.time * sm.m.shader_period_fs
    request.address = address
    request.line = t.line
    request.bytes = bytes
    request.sectors = sectors
    if inject.kind == RQ_TEXTURE and sm.texture.table.line_bytes != (
            sm.m.caches.texture_l2.line_bytes if sm.m.caches.texture_l2.sets else sm.m.caches.l2.line_bytes):
        request.sectors = 1     # sectors of another line mean nothing there: it counts from the address
    request.covered = t.covered
    request.slot = slot
    request.kind = <uint8_t>inject.kind
    request.returns = inject.returns
    request.weight = inject.weight
    request.operands = inject.operands
    request.apart = 0
    request.serial = 1
    if inject.apart:        # an even share
        request.apart = <short>(inject.apart * (inject.next + 1) // inject.count - inject.apart * inject.next // inject.count)
        request.serial = <short>min(inject.serial, request.apart + 1)
    request.counters = NULL
    if inject.kind == RQ_WRITE:
        sm.store_bytes += bytes
    port_send(&sm.network.ports, sm.id, &request)


cdef inline Request _whole(const Sm *sm, const Transaction *t, int32_t kind, int32_t slot, int64_t cycle) noexcept nogil:
    """The request for all of a transaction, as anything but an atomic operation of the load/store unit makes it."""
    cdef Request request
    request.time_fs = cycle * sm.m.shader_period_fs
    request.address = t.address
    request.line = t.line
    request.bytes = t.bytes
    request.sectors = t.sectors
    request.covered = 0
    request.slot = slot
    request.kind = <uint8_t>kind
    request.returns = 0
    request.serial = 1
    request.weight = 8
    request.operands = 1
    request.apart = 0
    request.counters = NULL
    return request


cdef inline void _send_past(Sm *sm, const Transaction *t, int32_t kind, int32_t slot, int64_t cycle) noexcept nogil:
    """Send a transaction that the load/store unit has no part in."""
    cdef Request request = _whole(sm, t, kind, slot, cycle)
    if kind == RQ_WRITE:
        sm.store_bytes += t.bytes
    port_send(&sm.network.ports, sm.id, &request)


cdef bint send_read(Sm *sm, const Transaction *t, int32_t kind, int32_t load, int64_t cycle) noexcept nogil:
    """Start a read or an atomic of another unit, past the L1. False: no slot or no waiter record for it now."""
    cdef int32_t slot = sm.free_slot
    if slot < 0 or sm.waiters_left < 5:
        return False
    sm.free_slot = sm.slots[slot].next
    sm.slots[slot].waiters = -1
    sm.slots[slot].line = NULL
    _wait(sm, slot, load)
    _send_past(sm, t, kind, slot, cycle)
    return True


cdef void send_prefetch(Sm *sm, const Transaction *t, Line *line, int64_t cycle) noexcept nogil:
    """Fetch a line for which nobody waits yet; there is a slot for it, and its place in L1 has been taken."""
    cdef int32_t slot = sm.free_slot
    cdef int sector
    sm.free_slot = sm.slots[slot].next
    sm.slots[slot].waiters = -1
    sm.slots[slot].line = line
    line.valid |= t.sectors
    for sector in range(4):
        if t.sectors >> sector & 1:
            line.fill[sector] = slot
    _send_past(sm, t, RQ_READ, slot, cycle)


cdef bint send_write(Sm *sm, const Transaction *t, Launch *launch, int64_t cycle) noexcept nogil:
    """Start a store of another unit. False: no credit for it now."""
    if not may_store(sm):
        return False
    sm.store_credits -= 1
    launch.stores += 1
    _send_past(sm, t, RQ_WRITE, launch.number, cycle)
    return True


cdef inline void _count(Sm *sm, const Injection *inject, uint32_t present, uint32_t missing) noexcept nogil:
    """Count the sectors that a lookup found, present or on their way, and those it did not; loads past the L1 are misses of it."""
    if inject.cache == &sm.l1 or inject.cache == NULL and sm.l1.table.sets and inject.kind == RQ_READ:
        inject.counters.l1_hits += count_bits(present)
        inject.counters.l1_misses += count_bits(missing)
    elif inject.cache == &sm.texture:
        inject.counters.texture_hits += count_bits(present)
        inject.counters.texture_misses += count_bits(missing)


cdef int64_t _behind(Sm *sm, const Transaction *t, uint32_t wanted) noexcept nogil:
    """Look a line that the constant cache lacks up in the levels behind it, which take it if they lack it too. Gives the latency of the
    first level that has it, 0: none."""
    cdef Cache *cache
    cdef Line *line
    cdef uint64_t number, place
    cdef uint32_t sectors
    cdef int k
    for k in range(2):
        cache = &sm.constant_behind[k]
        if cache.table.sets == 0:
            continue
        number = t.line // <uint64_t>cache.table.line_bytes
        place = (t.line - number * <uint64_t>cache.table.line_bytes) // <uint64_t>cache.table.sector_bytes
        sectors = <uint32_t>1 << <uint32_t>place
        line = cache_find(cache, number)
        if line != NULL and line.valid & sectors:
            return max(cache.table.latency_cycles, 1)
        if line == NULL:
            line = cache_victim(cache, number)
            if line == NULL:
                continue
            cache_take(cache, line, number)
        line.valid |= sectors
    return 0


cdef bint _read(Sm *sm, Injection *inject, const Transaction *t) noexcept nogil:
    """Start one read transaction. False: no slot, no waiter record or no way for it now."""
    cdef Cache *cache = inject.cache
    cdef Line *line = NULL
    cdef uint64_t number
    cdef uint32_t missing = t.sectors
    cdef int32_t slot, last = -1
    cdef int sector
    cdef int64_t nearer
    cdef uint64_t evicted = 0, address = t.address
    cdef uint32_t bytes = t.bytes
    if sm.waiters_left < 5:     # one for each sector's fill, one for the rest
        return False
    if cache != NULL:
        number = t.line // <uint64_t>cache.table.line_bytes
        line = cache_find(cache, number)
        if line != NULL:
            missing = t.sectors & ~line.valid
            if missing and sm.free_slot < 0:
                return False
            for sector in range(SECTORS):
                if t.sectors & ~missing & (<uint32_t>1 << sector) and line.fill[sector] >= 0 and line.fill[sector] != last:
                    last = line.fill[sector]
                    _wait(sm, last, inject.load)
            if missing == 0:
                _count(sm, inject, t.sectors, 0)
                if sm.observers != NULL and cache == &sm.l1:
                    tell_lookup(sm, inject, t, True, line, 0)
                sm.loads[inject.load].latest = max(sm.loads[inject.load].latest, inject.time + cache.table.latency_cycles)
                return True
            if missing != t.sectors:
                address = t.line + <uint64_t>lowest_bit(missing) * <uint64_t>cache.table.sector_bytes
                bytes = <uint32_t>(count_bits(missing) * cache.table.sector_bytes)
        elif sm.free_slot < 0:
            return False
        else:
            line = cache_victim(cache, number)
            if line == NULL:
                inject.refused = 1
                return False
            evicted = line.tag
            cache_take(cache, line, number)
    elif sm.free_slot < 0:
        return False
    _count(sm, inject, t.sectors & ~missing, missing)
    inject.sent = 1
    slot = sm.free_slot
    sm.free_slot = sm.slots[slot].next
    sm.slots[slot].waiters = -1
    sm.slots[slot].line = line
    _wait(sm, slot, inject.load)
    if line != NULL:
        line.valid |= missing
        for sector in range(SECTORS):
            if missing >> sector & 1:
                line.fill[sector] = slot
    if cache == &sm.constant:
        nearer = _behind(sm, t, missing)
        if nearer:
            events_push(sm.inbox, inject.time + nearer, EV_FILL, slot)
            return True
    _send(sm, inject, t, missing, address, bytes, slot)
    if sm.observers != NULL and cache == &sm.l1:
        tell_lookup(sm, inject, t, False, line, evicted)
    return True


cdef bint _fetch(Sm *sm, Injection *inject, const Transaction *t) noexcept nogil:
    """Ask the texture cache that the cluster shares. False: no slot or no waiter record for it now."""
    cdef int32_t *first = &sm.free_texture if sm.m.load_store.textures_in_flight_per_multiprocessor else &sm.free_slot
    cdef int32_t slot = first[0]
    cdef Request request
    if slot < 0 or sm.waiters_left < 5:
        return False
    inject.sent = first == &sm.free_slot
    first[0] = sm.slots[slot].next
    sm.slots[slot].waiters = -1
    sm.slots[slot].line = NULL
    _wait(sm, slot, inject.load)
    request = _whole(sm, t, inject.kind, slot, inject.time)
    request.counters = inject.counters
    port_send(&sm.network.ports, sm.id, &request)
    return True


cdef void inject_run(Sm *sm, int64_t cycle) noexcept nogil:
    """Hand over transactions until all are on their way or a credit is missing."""
    cdef Injection *inject = &sm.injection
    cdef const MachineTable *m = sm.m
    cdef Transaction *t
    cdef Line *line
    cdef int64_t start
    cdef int32_t slot
    inject.refused = 0
    if inject.stalled >= 0:
        if cycle <= inject.stalled:     # it has not got there yet
            cycle = inject.stalled
        sm.throttled += cycle - inject.stalled
        inject.stalled = -1
    if inject.time < cycle:
        inject.time = cycle
    start = inject.time
    while inject.next < inject.count:
        t = inject.transactions + inject.next
        if inject.kind == RQ_READ or inject.kind == RQ_TEXTURE:
            inject.sent = 0
            if not (_fetch(sm, inject, t) if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER and inject.cache == &sm.texture else _read(sm, inject, t)):
                inject.stalled = inject.time
                break
            if inject.passes:
                inject.next += 1
                inject.time += m.load_store.transaction_cycles if inject.sent else 0     # what hits takes a cycle per bank, see below
                continue
        else:
            if sm.l1.table.sets and (inject.kind == RQ_ATOMIC or m.caches.l1.write == CACHE_WRITE_EVICT):
                line = cache_find(&sm.l1, t.line // <uint64_t>m.caches.l1.line_bytes)
                if line != NULL:
                    line.valid = 0      # fills on their way still come, but are fetched again by later loads
            if inject.kind == RQ_WRITE:
                if m.load_store.write_combining.lines and t.words:
                    slot = combine_store(sm, inject, t)
                    if slot < 0:
                        inject.stalled = inject.time
                        break
                    if slot:
                        inject.next += 1
                        inject.time += m.load_store.transaction_cycles
                        continue
                if not may_store(sm):
                    inject.stalled = inject.time
                    break
                sm.store_credits -= 1
                inject.launch.stores += 1
                _send(sm, inject, t, t.sectors, t.address, t.bytes, inject.launch.number)
            else:
                if sm.free_slot < 0 or sm.waiters_left == 0:
                    inject.stalled = inject.time
                    break
                slot = sm.free_slot
                sm.free_slot = sm.slots[slot].next
                sm.slots[slot].waiters = -1
                sm.slots[slot].line = NULL
                _wait(sm, slot, inject.load)
                _send(sm, inject, t, t.sectors, t.address, t.bytes, slot)
        inject.next += 1
        inject.time += m.load_store.transaction_cycles
    inject.active = inject.next < inject.count
    if inject.passes and not inject.active:
        inject.time = max(inject.time, inject.begun + inject.passes * m.load_store.transaction_cycles)
        sm.loads[inject.load].latest = max(sm.loads[inject.load].latest, inject.begun + inject.passes - 1 + inject.cache.table.latency_cycles)
    if not inject.active and sm.bulk.count >= BULK_FULL:
        inject.active = 1       # its queue is full: nothing more of memory until it has room
        inject.stalled = inject.time
    held_until(sm, inject.unit, NEVER if inject.active else max(inject.floor, inject.time), inject.time - start)
