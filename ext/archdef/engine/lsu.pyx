"""How the load/store unit sends transactions: L1 and constant lookups, credits, in-flight reads, stalls.

One access at a time is sent, one transaction every `transaction_cycles`. A read needs a free MSHR, a store a credit;
without one the unit stalls, and with it every warp whose next op accesses memory, until a response brings one back.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.cache cimport Cache, Line, cache_find, cache_probe, cache_take, cache_tell, cache_victim
from archdef.engine.clock cimport NEVER
from archdef.engine.copying cimport BULK_FULL
from archdef.engine.events cimport EV_FILL, events_push
from archdef.engine.in_flight cimport InFlight, Load, Mshr
from archdef.engine.l1_policies cimport L1Policies, l1_admits, l1_filled, l1_hit, l1_stored, l1_supplied
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Launch
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory_port cimport MemoryPort, may_store, send_request
from archdef.engine.observers cimport tell_hit, tell_miss
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER, CACHE_WRITE_EVICT, SECTORS
from archdef.engine.policy cimport ARCHDEF_CACHE_HIT, ARCHDEF_CACHE_MISS
from archdef.engine.port cimport RQ_ATOMIC, RQ_READ, RQ_TEXTURE, RQ_WRITE, Request, Stage, owner_of, stage_pass
from archdef.engine.replacement cimport replacement_asker
from archdef.engine.replay cimport set_bit
from archdef.engine.request_trace cimport RequestRecord, RequestTrace, trace_open
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction
from archdef.engine.units cimport held_until
from archdef.engine.write_combining cimport write_combining_store


cdef int32_t take_load(InFlight *flight, int32_t warp, int32_t op) noexcept nogil:
    """Open the record of a load; there are as many as transactions can be waited for."""
    cdef int32_t index = flight.free_load
    cdef Load *load = flight.loads + index
    if index == flight.fresh_load:
        flight.fresh_load = flight.free_load = index + 1
        memset(load, 0, sizeof(Load))
    else:
        flight.free_load = load.next
    load.warp = warp
    load.op = op
    load.remaining = 0
    load.latest = 0
    load.passes = 0
    return index


cdef void give_load(InFlight *flight, int32_t index) noexcept nogil:
    flight.loads[index].next = flight.free_load
    flight.free_load = index


cdef inline void _wait(InFlight *flight, int32_t mshr, int32_t load) noexcept nogil:
    """Let a load wait for the response to a miss."""
    cdef int32_t node = flight.free_waiter
    if node == flight.fresh_waiter:
        flight.fresh_waiter = flight.free_waiter = node + 1
    else:
        flight.free_waiter = flight.waiters[node].next
    flight.waiters_left -= 1
    flight.waiters[node].load = load
    flight.waiters[node].next = flight.mshrs[mshr].waiters
    flight.mshrs[mshr].waiters = node
    flight.loads[load].remaining += 1


cdef int32_t fill_mshr(Sm *sm, int32_t index, int64_t cycle, int32_t *done) noexcept nogil:
    """A response has come: fill the line, free the register. Returns how many loads it completes, their indices in `done`."""
    cdef InFlight *flight = &sm.in_flight
    cdef Mshr *mshr = flight.mshrs + index
    cdef Line *line = mshr.line
    cdef int32_t node = mshr.waiters, following, load, count = 0
    cdef int sector
    if line != NULL:
        for sector in range(SECTORS):
            if line.fill[sector] == index:
                line.fill[sector] = -1
        if sm.replays.count:
            sm.replays.freed |= set_bit(&sm.l1, line)
    while node >= 0:
        following = flight.waiters[node].next
        load = flight.waiters[node].load
        flight.loads[load].remaining -= 1
        if cycle > flight.loads[load].latest:
            flight.loads[load].latest = cycle
        if flight.loads[load].remaining == 0 and not (sm.lsu.active and sm.lsu.load == load):
            done[count] = load
            count += 1
        flight.waiters[node].next = flight.free_waiter
        flight.free_waiter = node
        flight.waiters_left += 1
        node = following
    if index >= sm.m.load_store.reads_in_flight_per_multiprocessor:
        mshr.next = flight.free_texture
        flight.free_texture = index
        return count
    mshr.next = flight.free_mshr
    flight.free_mshr = index
    return count


cdef void lsu_record(Stage *stage, int32_t unit, const Request *request) noexcept nogil:
    """Record a request that a multiprocessor sends, before all stages that it goes through: while requests are recorded this is the first of them.

    Those of other units have no statement. A line of combined stores is of the access that makes it leave, or of none.
    """
    cdef RequestTrace *trace = <RequestTrace *>stage.state
    cdef const Sm *sm = <const Sm *>trace.sms[owner_of(stage.ports, unit)]
    cdef const LsuPipeline *lsu = &sm.lsu
    cdef const Load *load = sm.in_flight.loads + lsu.load
    cdef RequestRecord *record = trace_open(trace, sm.port.id, request)
    if record != NULL:      # the request is the sender's own until the stages have copied it
        (<Request *>request).record = trace.before + <int32_t>trace.count
        if request.statement == NULL or trace.idle:
            record.serial = record.kernel = record.warp = record.statement = record.begun = -1
        else:
            record.serial = lsu.launch.serial
            record.kernel = lsu.launch.kernel
            record.warp = sm.core.warps[load.warp if lsu.load >= 0 else lsu.warp].number
            record.statement = lsu.counters - lsu.launch.counters
            record.begun = (load.begun if lsu.load >= 0 else lsu.taken) * sm.m.clocks.shader_period_fs
    stage_pass(stage, unit, request)


cdef inline void _send(Sm *sm, const LsuPipeline *lsu, const Transaction *t, uint32_t sectors, uint64_t address,
                       uint32_t bytes, int32_t slot) noexcept nogil:
    cdef Request request
    request.time_fs = lsu.time * sm.m.clocks.shader_period_fs
    request.address = address
    request.line = t.line
    request.bytes = bytes
    request.sectors = <uint16_t>sectors
    if lsu.kind == RQ_TEXTURE and sm.texture.table.line_bytes != (
            sm.m.caches.texture_l2.line_bytes if sm.m.caches.texture_l2.sets else sm.m.caches.l2.line_bytes):
        request.sectors = 1     # sectors of another line mean nothing there: it counts from the address
    request.covered = <uint16_t>t.covered
    request.slot = slot
    request.kind = <uint8_t>lsu.kind
    request.returns = lsu.returns
    request.weight = lsu.weight
    request.operands = lsu.operands
    request.serial = 1
    request.apart = 0
    request.record = 0
    if lsu.apart:           # an even share
        request.apart = <short>(lsu.apart * (lsu.next + 1) // lsu.count - lsu.apart * lsu.next // lsu.count)
        request.serial = <short>min(lsu.serial, request.apart + 1)
    request.counters = NULL
    request.statement = lsu.counters
    send_request(&sm.port, &request)


cdef inline Request _whole(const MachineTable *m, const Transaction *t, int32_t kind, int32_t slot, int64_t cycle) noexcept nogil:
    """The request for all of a transaction, as anything but an atomic operation of the load/store unit makes it."""
    cdef Request request
    request.time_fs = cycle * m.clocks.shader_period_fs
    request.address = t.address
    request.line = t.line
    request.bytes = t.bytes
    request.sectors = <uint16_t>t.sectors
    request.covered = 0
    request.slot = slot
    request.kind = <uint8_t>kind
    request.returns = 0
    request.weight = 8
    request.operands = 1
    request.serial = 1
    request.apart = 0
    request.record = 0
    request.counters = request.statement = NULL
    return request


cdef inline void _send_past(MemoryPort *port, const Transaction *t, int32_t kind, int32_t slot, int64_t cycle) noexcept nogil:
    """Send a transaction that the load/store unit has no part in."""
    cdef Request request = _whole(port.m, t, kind, slot, cycle)
    send_request(port, &request)


cdef bint send_read(InFlight *flight, MemoryPort *port, const Transaction *t, int32_t kind, int32_t load, int64_t cycle) noexcept nogil:
    """Start a read or an atomic of another unit, past the L1. False: no MSHR or no waiter record for it now."""
    cdef int32_t mshr = flight.free_mshr
    if mshr < 0 or flight.waiters_left < 5:
        return False
    flight.free_mshr = flight.mshrs[mshr].next
    flight.mshrs[mshr].waiters = -1
    flight.mshrs[mshr].line = NULL
    _wait(flight, mshr, load)
    _send_past(port, t, kind, mshr, cycle)
    return True


cdef void send_prefetch(InFlight *flight, MemoryPort *port, const Transaction *t, Line *line, int64_t cycle) noexcept nogil:
    """Fetch a line for which nobody waits yet; there is an MSHR for it, and its place in L1 has been taken."""
    cdef int32_t mshr = flight.free_mshr
    cdef int sector
    flight.free_mshr = flight.mshrs[mshr].next
    flight.mshrs[mshr].waiters = -1
    flight.mshrs[mshr].line = line
    line.valid |= t.sectors
    for sector in range(4):
        if t.sectors >> sector & 1:
            line.fill[sector] = mshr
    _send_past(port, t, RQ_READ, mshr, cycle)


cdef bint send_write(MemoryPort *port, const Transaction *t, Launch *launch, int64_t cycle) noexcept nogil:
    """Start a store of another unit. False: no credit for it now."""
    if not may_store(port):
        return False
    port.store_credits -= 1
    launch.stores += 1
    _send_past(port, t, RQ_WRITE, launch.number, cycle)
    return True


cdef inline void _count(Sm *sm, const LsuPipeline *lsu, uint32_t present, uint32_t missing) noexcept nogil:
    """Count the sectors that a lookup found, present or on their way, and those it did not; loads past the L1 are misses of it."""
    if lsu.cache == &sm.l1 or lsu.cache == NULL and sm.l1.table.sets and lsu.kind == RQ_READ:
        lsu.counters.l1_hits += count_bits(present)
        lsu.counters.l1_misses += count_bits(missing)
        sm.l1_hits += count_bits(present)
        sm.l1_misses += count_bits(missing)
    elif lsu.cache == &sm.texture:
        lsu.counters.texture_hits += count_bits(present)
        lsu.counters.texture_misses += count_bits(missing)


cdef int64_t _behind(Sm *sm, const Transaction *t, uint32_t wanted) noexcept nogil:
    """Look a line that the constant cache lacks up in the levels behind it, which take it if they lack it too. Gives the latency of the
    first level that has it, 0: none."""
    cdef Cache *cache
    cdef Line *line
    cdef uint64_t number, place
    cdef uint32_t sectors
    cdef int k
    for k in range(2):
        cache = &sm.constants.behind[k]
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


cdef inline void _found(Sm *sm, LsuPipeline *lsu, Load *load, const Transaction *t, Line *line, bint pending) noexcept nogil:
    """All that a transaction wants of a line is there, or on its way."""
    cdef Cache *cache = lsu.cache
    _count(sm, lsu, t.sectors, 0)
    if cache.asked != NULL:
        cache_tell(cache, ARCHDEF_CACHE_HIT, line.tag - 1, line)
    if cache == &sm.l1:
        if sm.l1_policies != NULL:
            l1_hit(sm.l1_policies, lsu, load, t, line, pending)
        if sm.core.observers != NULL:
            tell_hit(sm.core.observers, lsu, load, t, pending, line)
    load.latest = max(load.latest, lsu.time + cache.table.latency_cycles)


cdef inline bint _bypasses(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number) noexcept nogil:
    """Whether a line that a cache lacks gets no place there."""
    return policies != NULL and lsu.cache == policies.l1 and not l1_admits(policies, lsu, load, t, number)


cdef inline int64_t _beside(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number, uint32_t missing,
                            const Line *line) noexcept nogil:
    """Cycles after which what stands beside L1 gives what a load lacks, 0: it does not have it."""
    return l1_supplied(policies, lsu, load, t, number, missing, line) if policies != NULL and lsu.cache == policies.l1 else 0


cdef inline uint64_t _take(L1Policies *policies, const LsuPipeline *lsu, const Load *load, const Transaction *t, uint64_t number,
                           Line *line) noexcept nogil:
    """Give a line that is not there a place, NULL: none; it is empty as yet. Gives the number plus 1 of the line that gave way."""
    cdef Cache *cache = lsu.cache
    cdef uint64_t evicted
    cdef uint32_t sectors
    if cache.asked != NULL:
        cache_tell(cache, ARCHDEF_CACHE_MISS, number, NULL)
    if line == NULL:
        return 0
    evicted = line.tag
    sectors = line.valid
    cache_take(cache, line, number)
    if policies != NULL and cache == policies.l1:
        l1_filled(policies, lsu, load, t, line, evicted, sectors, lsu.time)
    return evicted


cdef inline int32_t _await(InFlight *flight, int32_t load, Line *line, uint32_t missing) noexcept nogil:
    """Let a load wait for the response to a miss, for which an MSHR is free, and a line, NULL: none, for its sectors. Gives the MSHR."""
    cdef int32_t slot = flight.free_mshr
    cdef int sector
    flight.free_mshr = flight.mshrs[slot].next
    flight.mshrs[slot].waiters = -1
    flight.mshrs[slot].line = line
    _wait(flight, slot, load)
    if line != NULL:
        line.valid |= missing
        for sector in range(SECTORS):
            if missing >> sector & 1:
                line.fill[sector] = slot
    return slot


cdef bint _read(Sm *sm, LsuPipeline *lsu, const Transaction *t) noexcept nogil:
    """Start one read transaction. False: no MSHR, no waiter record or no way for it now."""
    cdef Cache *cache = lsu.cache
    cdef Load *load = sm.in_flight.loads + lsu.load
    cdef Line *line = NULL
    cdef uint64_t number = 0, evicted = 0, address = t.address
    cdef uint32_t missing = t.sectors, bytes = t.bytes
    cdef int32_t slot, last = -1
    cdef int sector
    cdef int64_t nearer = 0
    if sm.in_flight.waiters_left < 5:     # one for each sector's fill, one for the rest
        return False
    if cache != NULL:
        number = t.line // <uint64_t>cache.table.line_bytes
        if cache.asked != NULL:
            replacement_asker(cache.asked, load.op, load.warp)
        line = cache_probe(cache, number)
        if line != NULL:
            missing = t.sectors & ~line.valid
            if missing and sm.in_flight.free_mshr < 0:
                return False
            for sector in range(SECTORS):
                if t.sectors & ~missing & (<uint32_t>1 << sector) and line.fill[sector] >= 0 and line.fill[sector] != last:
                    last = line.fill[sector]
                    _wait(&sm.in_flight, last, lsu.load)
            if missing == 0:
                _found(sm, lsu, load, t, line, last >= 0)
                return True
            if missing != t.sectors:
                address = t.line + <uint64_t>lowest_bit(missing) * <uint64_t>cache.table.sector_bytes
                bytes = <uint32_t>(count_bits(missing) * cache.table.sector_bytes)
            if cache.asked != NULL:
                cache_tell(cache, ARCHDEF_CACHE_HIT, number, line)
            nearer = _beside(sm.l1_policies, lsu, load, t, number, missing, line)
        elif sm.in_flight.free_mshr < 0:
            return False
        else:
            if not _bypasses(sm.l1_policies, lsu, load, t, number):
                line = cache_victim(cache, number)
                if line == NULL:
                    lsu.reservation_fail = 1
                    return False
            nearer = _beside(sm.l1_policies, lsu, load, t, number, missing, line)
            evicted = _take(sm.l1_policies, lsu, load, t, number, line)
    elif sm.in_flight.free_mshr < 0:
        return False
    _count(sm, lsu, t.sectors & ~missing, missing)
    lsu.sent = 1
    slot = _await(&sm.in_flight, lsu.load, line, missing)
    if cache == &sm.constants.first:
        nearer = _behind(sm, t, missing)
    if nearer:
        events_push(sm.core.inbox, lsu.time + nearer, EV_FILL, slot)
    else:
        _send(sm, lsu, t, missing, address, bytes, slot)
    if sm.core.observers != NULL and line != NULL and cache == &sm.l1:
        tell_miss(sm.core.observers, lsu, load, t, missing, line, evicted)
    return True


cdef bint _fetch(Sm *sm, LsuPipeline *lsu, const Transaction *t) noexcept nogil:
    """Ask the texture cache that the cluster shares. False: no MSHR or no waiter record for it now."""
    cdef int32_t *first = &sm.in_flight.free_texture if sm.m.load_store.textures_in_flight_per_multiprocessor else &sm.in_flight.free_mshr
    cdef int32_t slot = first[0]
    cdef Request request
    if slot < 0 or sm.in_flight.waiters_left < 5:
        return False
    lsu.sent = first == &sm.in_flight.free_mshr
    first[0] = sm.in_flight.mshrs[slot].next
    sm.in_flight.mshrs[slot].waiters = -1
    sm.in_flight.mshrs[slot].line = NULL
    _wait(&sm.in_flight, slot, lsu.load)
    request = _whole(sm.m, t, lsu.kind, slot, lsu.time)
    request.counters = request.statement = lsu.counters
    send_request(&sm.port, &request)
    return True


cdef inline bint _write(Sm *sm, LsuPipeline *lsu, const Transaction *t) noexcept nogil:
    """Start one store or atomic transaction. False: no credit, or no MSHR and waiter record, for it now."""
    cdef const MachineTable *m = sm.m
    cdef Line *line = NULL
    cdef int32_t slot
    cdef int combined = 0
    cdef bint evicts = sm.l1.table.sets != 0 and (lsu.kind == RQ_ATOMIC or m.caches.l1.write == CACHE_WRITE_EVICT)
    if evicts:
        line = cache_probe(&sm.l1, t.line // <uint64_t>m.caches.l1.line_bytes)
        if line != NULL:
            line.valid = 0      # fills on their way still come, but are fetched again by later loads
    if lsu.kind == RQ_WRITE:
        if m.load_store.write_combining.lines and t.words:
            combined = write_combining_store(&sm.write_combining, &sm.port, sm.core.inbox, lsu, t)
        if combined < 0 or combined == 0 and not may_store(&sm.port):
            return False
        if combined == 0:
            sm.port.store_credits -= 1
            lsu.launch.stores += 1
            _send(sm, lsu, t, t.sectors, t.address, t.bytes, lsu.launch.number)
    else:
        if sm.in_flight.free_mshr < 0 or sm.in_flight.waiters_left == 0:
            return False
        slot = _await(&sm.in_flight, lsu.load, NULL, 0)
        _send(sm, lsu, t, t.sectors, t.address, t.bytes, slot)
    if evicts and sm.l1_policies != NULL:
        l1_stored(sm.l1_policies, t.line, line, lsu.time)
    return True


cdef void lsu_run(Sm *sm, int64_t cycle) noexcept nogil:
    """Send transactions until all are on their way or a credit is missing."""
    cdef LsuPipeline *lsu = &sm.lsu
    cdef const MachineTable *m = sm.m
    cdef Transaction *t
    cdef int64_t start
    lsu.reservation_fail = 0
    if lsu.stalled >= 0:
        if cycle <= lsu.stalled:        # it has not got there yet
            cycle = lsu.stalled
        lsu.throttled += cycle - lsu.stalled
        lsu.stalled = -1
    if lsu.time < cycle:
        lsu.time = cycle
    start = lsu.time
    while lsu.next < lsu.count:
        t = lsu.transactions + lsu.next
        if lsu.kind == RQ_READ or lsu.kind == RQ_TEXTURE:
            lsu.sent = 0
            if not (_fetch(sm, lsu, t) if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER and lsu.cache == &sm.texture else _read(sm, lsu, t)):
                lsu.stalled = lsu.time
                break
            if lsu.passes:
                lsu.next += 1
                lsu.time += m.load_store.transaction_cycles if lsu.sent else 0           # what hits takes a cycle per bank, see below
                continue
        elif not _write(sm, lsu, t):
            lsu.stalled = lsu.time
            break
        lsu.next += 1
        lsu.time += m.load_store.transaction_cycles
    lsu.active = lsu.next < lsu.count
    if lsu.passes and not lsu.active:
        lsu.time = max(lsu.time, lsu.begun + lsu.passes * m.load_store.transaction_cycles)
        sm.in_flight.loads[lsu.load].latest = max(sm.in_flight.loads[lsu.load].latest, lsu.begun + lsu.passes - 1 + lsu.cache.table.latency_cycles)
    if not lsu.active and sm.bulk.count >= BULK_FULL:
        lsu.active = 1          # its queue is full: nothing more of memory until it has room
        lsu.stalled = lsu.time
    held_until(&sm.units, lsu.unit, NEVER if lsu.active else max(lsu.floor, lsu.time), lsu.time - start)
