"""Memory ops from issue to completion: what they count, what they hold, when their registers can be used."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.access cimport access_memory
from archdef.engine.asynchronous cimport copies_pending, copy_async
from archdef.engine.banks cimport banks_pass, banks_room
from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.block_cluster cimport remote_pass
from archdef.engine.blocks cimport end_block
from archdef.engine.bulk cimport bulk_landed, bulk_run
from archdef.engine.pseudorandom cimport pseudorandom_below
from archdef.engine.copying cimport COPY_GROUPS
from archdef.engine.counters cimport ST_MEMORY_DEPENDENCY, ST_MEMORY_THROTTLE, StatementCounters
from archdef.engine.in_flight cimport Load
from archdef.engine.lsu cimport give_load, lsu_run, take_load
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.lane_states cimport note_wait
from archdef.engine.launch cimport PENDING, WS_CONSTANT, WS_COPIES, WS_ENDED, WS_SLEEPING, Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport LOAD_STORE_PIPELINE_ARBITRATION_RANDOM, CacheParameters
from archdef.engine.port cimport RQ_ATOMIC, RQ_READ, RQ_TEXTURE, RQ_WRITE
from archdef.engine.reach cimport Reach
from archdef.engine.replay cimport ReplayEntry, replay_issue, replay_drop, replay_ready, replay_keep, replay_put
from archdef.engine.schedule cimport Scheduler
from archdef.engine.simt cimport simt_arrive
from archdef.engine.state cimport Sm
from archdef.engine.texture cimport count_texture
from archdef.engine.types cimport FL_BYPASS_L1, FL_READ_ONLY, K_ATOM, K_BULK, K_COPY, K_LOAD, K_STORE, SP_MATRIX, SP_TEXTURE
from archdef.engine.units cimport held_until
from archdef.engine.uop cimport Uop
from archdef.engine.waiting cimport occupy, plan


cdef int64_t _tag_cycles(const CacheParameters *table, const LsuPipeline *lsu) noexcept nogil:
    """Cycles for which the busiest bank of tags looks up lines."""
    cdef uint8_t counts[16]
    cdef int32_t i, k, bank, most = 1, shift = lowest_bit(<uint64_t>table.line_bytes)
    cdef uint64_t number
    if lsu.count == 1:
        return 1
    memset(counts, 0, sizeof(counts))
    for i in range(lsu.count):
        number = lsu.transactions[i].line >> shift
        bank = 0
        for k in range(<int>table.tag_bank_masks_count):
            bank |= (count_bits(number & <uint64_t>table.tag_bank_masks[k]) & 1) << k
        counts[bank] += 1
        if counts[bank] > most:
            most = counts[bank]
    return most


cdef void _loop(Sm *sm, Warp *w, const Uop *u, const Reach *reach, int64_t cycle) noexcept nogil:
    """An atomic operation that is a loop of the warp: it loads, computes, and swaps what it has loaded for the result if that is still
    there. One lane of each bank succeeds in each try, whatever the words; those that are left load again."""
    cdef const MachineTable *m = sm.m
    cdef int64_t groups = reach.shared_groups, serial = reach.shared_serial, words, tries, load, busy = 0, latency = 0, i
    words = reach.shared_passes if u.lanes_merged else reach.shared_passes - reach.shared_more
    tries = serial if groups == 1 else (words + groups - 1) // groups + serial - 1
    for i in range(tries):
        load = max(words - i * groups, groups)
        busy += load + 2 * groups
        latency += (load - 1) * m.shared.pass_latency_cycles
    latency += u.latency + m.shared.latency_cycles + (tries - 1) * u.retry_cycles
    occupy(sm, w, u, cycle, busy * m.shared.pass_cycles)
    sm.lsu.looping = cycle + latency
    for i in range(u.set_count):
        w.ready[u.sets[i]] = sm.lsu.looping << 4 | u.cause


cdef inline int _access(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *access, Reach *reach) noexcept nogil:
    """Move the data of an access; count it, and say what it will cost: in `reach`, and in `access` what does not depend on when."""
    cdef StatementCounters *c = w.launch.counters + u.statement
    access.count = 0
    access.serial = 1
    access.apart = 0
    access.weight = u.weight
    access.operands = u.value_count
    access.returns = u.set_count > 0
    if (copy_async(&sm.core, w, u, lanes, access, reach) if u.kind == K_COPY else access_memory(&sm.core, w, u, lanes, access, reach)) < 0:
        return -1
    if u.lanes_merged:     # lanes on one word are served together
        access.serial = 1
        access.apart = 0
    if u.kind == K_COPY and access.count:
        w.copies.pieces[w.copy_group % COPY_GROUPS] += 1
    _count_near(c, u, reach)
    _count_far(c, u, reach)
    return 0


cdef inline void _count_near(StatementCounters *c, const Uop *u, Reach *reach) noexcept nogil:
    """Count what an access does to shared and constant memory."""
    if reach.shared_groups:
        if u.kind == K_LOAD:
            c.shared_loads += 1
            c.shared_load_passes += reach.shared_passes
            c.shared_load_groups += reach.shared_groups
        elif u.kind == K_STORE:
            c.shared_stores += 1
            c.shared_store_passes += reach.shared_passes
            c.shared_store_groups += reach.shared_groups
        else:
            if u.lanes_merged:       # lanes on one word are served together
                reach.shared_passes -= reach.shared_more
            c.shared_atomics += 1
            c.shared_atomic_passes += reach.shared_passes
    elif reach.remote_bytes:        # of other blocks: no passes over this multiprocessor's banks
        c.shared_loads += u.kind == K_LOAD
        c.shared_stores += u.kind == K_STORE
        c.shared_atomics += u.kind == K_ATOM
    elif reach.constant_passes:
        c.constant_loads += 1
        c.constant_passes += reach.constant_passes


cdef inline void _count_far(StatementCounters *c, const Uop *u, const Reach *reach) noexcept nogil:
    """Count what it does to global and local memory, textures and surfaces."""
    if reach.global_lanes:
        if u.kind == K_LOAD or u.kind == K_COPY:
            c.global_loads += 1
            c.global_load_transactions += reach.pieces
            c.global_load_bytes_asked += reach.global_lanes * u.lane_bytes
            c.global_load_bytes_moved += reach.bytes_moved
        elif u.kind == K_STORE:
            c.global_stores += 1
            c.global_store_transactions += reach.pieces
            c.global_store_bytes_asked += reach.global_lanes * u.lane_bytes
            c.global_store_bytes_moved += reach.bytes_moved
        else:
            c.atomics += 1
            c.atomic_operations += reach.global_lanes
            c.atomic_transactions += reach.pieces
    elif reach.texture_lanes:
        count_texture(c, u, reach)
    elif reach.local_lanes:
        if u.kind == K_LOAD:
            c.local_loads += 1
            c.local_load_transactions += reach.pieces
        else:
            c.local_stores += 1
            c.local_store_transactions += reach.pieces


cdef void _begin_shared(Sm *sm, Warp *w, const Uop *u, const Reach *reach, int64_t *latency, int64_t cycle) noexcept nogil:
    """Hold the unit for an access of shared memory, and add to its latency."""
    cdef const MachineTable *m = w.launch.m
    cdef Scheduler *s = w.scheduler
    cdef int64_t passes = reach.shared_passes * u.bank_passes, extra = passes * m.shared.pass_cycles, start
    cdef int64_t *landed = sm.chip.dispatcher.landed + w.launch.number
    latency[0] += (passes - 1) * m.shared.pass_latency_cycles + m.shared.latency_cycles
    if u.kind == K_LOAD and u.space != SP_MATRIX:
        latency[0] += (reach.shared_groups - 1) * m.shared.group_latency_cycles
    if m.shared.conflicts_hold_issue and passes > reach.shared_groups:
        s.next_issue = max(s.next_issue, cycle) + (passes - reach.shared_groups) * m.shared.pass_cycles
    if sm.banks.products_until > cycle:       # they come first
        extra *= m.isa.warpgroup.shared_pass_ratio
    start = cycle
    if m.load_store.pipeline.data_stage_entries:
        start = banks_pass(&sm.banks, cycle, extra)
        latency[0] += start - cycle
    if u.set_count == 0:        # no warp waits for it, but its launch
        landed[0] = max(landed[0], start + extra)
    if m.load_store.pipeline.data_stage_entries:
        extra = max(1, banks_room(&sm.banks, sm.m.load_store.pipeline.data_stage_entries) - cycle)
    occupy(sm, w, u, cycle, max(extra, <int64_t>u.interval))


cdef void _begin_remote(Sm *sm, Warp *w, const Uop *u, const Reach *reach, int64_t *latency, int64_t cycle) noexcept nogil:
    """Hold the unit while an access of other blocks' shared memory goes out, and add to its latency."""
    cdef int64_t gone = remote_pass(&sm.remote, w.launch.m, cycle, reach.remote_bytes)
    latency[0] += gone - cycle + w.launch.m.block_clusters.latency_cycles
    occupy(sm, w, u, cycle, max(gone - cycle, reach.shared_passes * w.launch.m.shared.pass_cycles, <int64_t>u.interval))


cdef void _begin_load(Sm *sm, const Reach *reach, int64_t tags, int64_t cycle) noexcept nogil:
    """Let a load that the unit has begun wait for the banks behind it: now if it has found all of its words, else when they have come."""
    cdef LsuPipeline *lsu = &sm.lsu
    cdef Load *load = sm.in_flight.loads + lsu.load
    cdef int64_t passes = max(reach.word_passes, 1), start
    if lsu.active or lsu.reservation_fail or load.remaining:
        load.passes = <int32_t>passes
        return
    start = banks_pass(&sm.banks, cycle, passes)
    load.latest = max(load.latest, start + max(passes, tags) - 1 + lsu.cache.table.latency_cycles)
    start = banks_room(&sm.banks, sm.m.load_store.pipeline.data_stage_entries)
    if start > lsu.time:
        held_until(&sm.units, lsu.unit, max(lsu.floor, start), start - lsu.time)
        lsu.time = start


cdef inline void _draw(Sm *sm, int64_t cycle) noexcept nogil:
    """Let chance decide which scheduler is next."""
    sm.units.turn = <int32_t>pseudorandom_below(<uint64_t>(cycle << 16 | sm.core.id), <uint32_t>sm.m.schedulers.count)


cdef inline int64_t _begin_unit(Sm *sm, Warp *w, const Uop *u, const Reach *reach, int64_t cycle) noexcept nogil:
    """Hold the unit for an access that is no loop. Gives its latency, without that of what it sends to the network."""
    cdef int64_t latency = u.latency
    if reach.remote_bytes:
        _begin_remote(sm, w, u, reach, &latency, cycle)
    elif reach.shared_groups:
        _begin_shared(sm, w, u, reach, &latency, cycle)
    elif reach.constant_passes:
        latency += (reach.constant_passes - 1) * max(<int64_t>u.interval, 1, sm.m.caches.constant_port.pass_latency_cycles)
        occupy(sm, w, u, cycle, reach.constant_passes * <int64_t>u.interval)
    else:
        occupy(sm, w, u, cycle, <int64_t>u.interval)
    return latency


cdef inline void _fill_pipeline(Sm *sm, Launch *launch, const Uop *u, const Reach *reach, int64_t cycle) noexcept nogil:
    """Say what the load/store unit needs to know of an access to send its transactions."""
    cdef const MachineTable *m = launch.m
    cdef LsuPipeline *lsu = &sm.lsu
    lsu.active = 1
    lsu.next = 0
    lsu.again = 0
    lsu.unit = u.unit
    lsu.counters = launch.counters + u.statement
    lsu.launch = launch
    lsu.stalled = -1
    lsu.time = cycle
    lsu.floor = 0 if m.units[u.unit].per_scheduler else sm.units.free[u.unit]
    lsu.load = -1
    lsu.cache = NULL
    if u.kind == K_STORE:
        lsu.kind = RQ_WRITE
        return
    lsu.kind = RQ_ATOMIC if u.kind == K_ATOM else RQ_TEXTURE if u.space >= SP_TEXTURE else RQ_READ
    if u.kind != K_ATOM:
        if reach.constant_passes:
            lsu.cache = &sm.constants.first
        elif sm.texture.table.sets and (u.space >= SP_TEXTURE or m.isa.read_only_loads and u.flags & FL_READ_ONLY):
            lsu.cache = &sm.texture
        elif sm.l1.table.sets and not u.flags & FL_BYPASS_L1 and u.space < SP_TEXTURE:
            lsu.cache = &sm.l1


cdef inline void _send(Sm *sm, int32_t slot, Warp *w, const Uop *u, const Reach *reach, int32_t group, int64_t cycle, int64_t latency) noexcept nogil:
    """Let the load/store unit send transactions to whose answers somebody looks forward."""
    cdef const MachineTable *m = w.launch.m
    cdef LsuPipeline *lsu = &sm.lsu
    cdef int32_t load = take_load(&sm.in_flight, slot, <int32_t>(u - w.launch.ops))
    cdef int64_t tags = 0
    cdef int i
    lsu.load = load
    sm.in_flight.loads[load].begun = cycle
    w.loads += 1
    if reach.word_passes and lsu.cache == &sm.l1:
        lsu.begun = cycle
        tags = _tag_cycles(&m.caches.l1, lsu)
        lsu.passes = tags if m.load_store.pipeline.data_stage_entries else max(reach.word_passes, tags)
        latency += (reach.word_passes - 1) * m.shared.pass_latency_cycles
    if u.kind == K_COPY:
        sm.in_flight.loads[load].group = group
    # until the response, or until it is clear that no response is needed
    for i in range(u.set_count):
        w.ready[u.sets[i]] = <int64_t>PENDING << 4 | u.cause
    lsu_run(sm, cycle)
    if m.load_store.pipeline.data_stage_entries and u.kind == K_LOAD and lsu.kind == RQ_READ and (lsu.cache == &sm.l1 or lsu.cache == NULL):
        _begin_load(sm, reach, tags, cycle)
    if m.load_store.pipeline.arbitration == LOAD_STORE_PIPELINE_ARBITRATION_RANDOM:
        sm.lsu.drawn = <int32_t>(m.load_store.memory_instruction_queue.entries * m.schedulers.count)
        _draw(sm, cycle)
    if lsu.reservation_fail and u.kind == K_LOAD:
        # what was queued does not hold its warp
        lsu.held = replay_put(&sm.replays, lsu, &sm.l1, &sm.in_flight, &sm.units, -1 if u.queued else slot) and not u.queued
    elif not lsu.active and sm.in_flight.loads[load].remaining == 0:
        latency += sm.in_flight.loads[load].latest     # every piece was in the cache
        if u.kind == K_COPY:
            w.copies.pieces[sm.in_flight.loads[load].group % COPY_GROUPS] -= 1
        give_load(&sm.in_flight, load)
        w.loads -= 1
        for i in range(u.set_count):
            w.ready[u.sets[i]] = latency << 4 | u.cause


cdef inline void _begin(Sm *sm, int32_t slot, Warp *w, const Uop *u, const Reach *reach, int32_t group, int64_t cycle) noexcept nogil:
    """Let the load/store unit begin the access that has been made ready."""
    cdef int64_t latency
    cdef int i
    sm.lsu.passes = 0
    sm.lsu.looping = 0
    if u.retry_cycles and reach.shared_groups and not reach.remote_bytes:
        _loop(sm, w, u, reach, cycle)
        return
    latency = _begin_unit(sm, w, u, reach, cycle)
    if sm.lsu.drawn:
        sm.lsu.drawn -= 1
        _draw(sm, cycle)
    if sm.lsu.count == 0:
        for i in range(u.set_count):
            w.ready[u.sets[i]] = (cycle + latency) << 4 | u.cause
        return
    _fill_pipeline(sm, w.launch, u, reach, cycle)
    if u.kind == K_STORE:
        sm.lsu.warp = slot
        sm.lsu.taken = cycle
        lsu_run(sm, cycle)
    else:
        _send(sm, slot, w, u, reach, group, cycle, latency)


cdef int memory_issue(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Issue a memory op: move the data, then let the load/store unit send what it costs."""
    cdef Reach reach
    if _access(sm, w, u, lanes, &sm.lsu, &reach) < 0:
        return -1
    _begin(sm, slot, w, u, &reach, w.copy_group, cycle)
    return 0


cdef int memory_access(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *access, Reach *reach) noexcept nogil:
    """The first half of `memory_issue`, for accesses that are queued."""
    return _access(sm, w, u, lanes, access, reach)


cdef void memory_begin(Sm *sm, int32_t slot, Warp *w, const Uop *u, const Reach *reach, int32_t group, int64_t cycle) noexcept nogil:
    """The second half of it."""
    _begin(sm, slot, w, u, reach, group, cycle)


cdef void wake_copier(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil:
    """Copies have moved on: a warp that waits for no other goes on."""
    cdef Warp *w = sm.core.warps + slot
    cdef const Uop *u
    if w.state == WS_COPIES and not copies_pending(w):
        u = w.launch.ops + w.pc
        cycle = max(cycle + u.latency, w.settled)
        w.launch.counters[u.statement].stall_cycles[<int>ST_MEMORY_DEPENDENCY] += cycle - w.settled
        note_wait(w, u, w.settled, cycle, ST_MEMORY_DEPENDENCY)
        w.settled = cycle
        w.pc += 1
        simt_arrive(w)
        plan(sm, w, w.settled, ST_MEMORY_DEPENDENCY)


cdef void data_ready(Sm *sm, int32_t index, int64_t cycle) noexcept nogil:
    """A load is complete: its registers become usable, and a warp that sleeps on them wakes."""
    cdef Load *load = sm.in_flight.loads + index
    cdef Warp *w = sm.core.warps + load.warp
    cdef const Uop *u = w.launch.ops + load.op
    cdef int32_t warp = load.warp
    cdef int i
    if load.passes:
        cycle = banks_pass(&sm.banks, cycle, load.passes)
    for i in range(u.set_count):
        w.ready[u.sets[i]] = (cycle + u.latency) << 4 | u.cause
    if u.kind == K_COPY:
        w.copies.pieces[load.group % COPY_GROUPS] -= 1
    elif u.kind == K_BULK:
        bulk_landed(sm, index)
    give_load(&sm.in_flight, index)
    w.loads -= 1
    if w.state == WS_COPIES:
        wake_copier(sm, warp, cycle)
    elif w.state == WS_SLEEPING:
        plan(sm, w, w.since, w.cause if w.since > cycle + u.latency else u.cause)
    elif w.state == WS_CONSTANT and u.uniform:
        plan(sm, w, max(w.since, cycle + <int64_t>u.latency), u.cause)
    elif w.state == WS_ENDED and w.loads == 0:
        sm.core.blocks[w.block].draining -= 1
        end_block(sm, w.block, cycle)


cdef void resume_lsu(Sm *sm, int64_t cycle) noexcept nogil:
    """A credit is back: send more; a load whose pieces are all here already is complete."""
    cdef LsuPipeline *lsu = &sm.lsu
    cdef int32_t load = lsu.load
    lsu_run(sm, cycle)
    if lsu.reservation_fail and lsu.cache == &sm.l1:
        replay_put(&sm.replays, lsu, &sm.l1, &sm.in_flight, &sm.units, -1)      # its warp has gone on
    elif not lsu.active and load >= 0 and sm.in_flight.loads[load].remaining == 0:
        data_ready(sm, load, max(sm.in_flight.loads[load].latest, cycle))


cdef void replay_run(Sm *sm, int64_t cycle) noexcept nogil:
    """Sets of L1 have had fills: replay the loads that failed to reserve a line there, in the order in which they came."""
    cdef LsuPipeline *lsu = &sm.lsu
    cdef ReplayEntry *entry
    cdef Warp *w
    cdef int32_t i = 0, load
    while i < sm.replays.count and not lsu.active:
        entry = sm.replays.entries + sm.replays.order[i]
        if not sm.replays.freed & entry.set_bit or not replay_ready(entry):
            i += 1
            continue
        replay_issue(entry, lsu, &sm.in_flight, &sm.units)
        load = entry.load
        lsu_run(sm, cycle)
        if lsu.reservation_fail:
            replay_keep(entry, lsu, &sm.in_flight, &sm.units)
            i += 1
            continue
        if entry.warp >= 0:
            w = sm.core.warps + entry.warp
            plan(sm, w, max(w.since, lsu.time), ST_MEMORY_THROTTLE)
        replay_drop(&sm.replays, i)
        if not lsu.active and sm.in_flight.loads[load].remaining == 0:
            data_ready(sm, load, max(sm.in_flight.loads[load].latest, cycle))
    if not lsu.active:
        sm.replays.freed = 0


cdef void piece_arrived(Sm *sm, int32_t load, int64_t cycle) noexcept nogil:
    """One of the things that a bulk copy waits for has happened."""
    sm.in_flight.loads[load].remaining -= 1
    if sm.in_flight.loads[load].remaining == 0:
        data_ready(sm, load, cycle)


cdef void resume_bulk(Sm *sm, int64_t cycle) noexcept nogil:
    """Let the bulk unit send what it can; tell those who wait for its sources, and the load/store unit that waits for room."""
    cdef int32_t load = bulk_run(sm, cycle)
    while load >= 0:
        if sm.in_flight.loads[load].remaining == 0:
            data_ready(sm, load, cycle)
        else:
            wake_copier(sm, sm.in_flight.loads[load].warp, cycle)
        if sm.lsu.active:
            resume_lsu(sm, cycle)
        load = bulk_run(sm, cycle)
