"""Blocks and their warps begin and end."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.barrier cimport BARRIERS, Barrier
from archdef.engine.block_cluster cimport cluster_begin, cluster_end
from archdef.engine.cache cimport cache_resize
from archdef.engine.converge cimport converge_start
from archdef.engine.copying cimport Copies
from archdef.engine.counters cimport LN_FIRST, ST_BRANCH, ST_CONSTANT_DEPENDENCY
from archdef.engine.dispatch_event cimport Ended
from archdef.engine.dispatcher cimport BlockSlots
from archdef.engine.failures cimport errors_settle
from archdef.engine.child_launches cimport child_launches_leave
from archdef.engine.fetch cimport fetch_preload
from archdef.engine.frames cimport stack_drop
from archdef.engine.l1_policies cimport l1_policies_emptied
from archdef.engine.launch cimport WS_ENDED, Block, Launch, Warp
from archdef.engine.observers cimport tell_warp_came, tell_warp_left
from archdef.engine.policy cimport place_warp
from archdef.engine.block_storage cimport LONGEST_LOAD, block_storage_assign
from archdef.engine.schedule cimport Scheduler, group_warp, looks_at_blocks
from archdef.engine.residency cimport Residency
from archdef.engine.state cimport Sm
from archdef.engine.types cimport (SR_CLUSTER_CTAID_X, SR_CLUSTER_CTARANK, SR_CLUSTERID_X, SR_CTAID_X, SR_CTAID_Y, SR_CTAID_Z, SR_LANEID,
                                   SR_LANEMASK64_EQ, SR_LANEMASK64_GE, SR_LANEMASK64_GT, SR_LANEMASK64_LE,
                                   SR_LANEMASK64_LT, SR_LANEMASK_EQ, SR_LANEMASK_GE, SR_LANEMASK_GT, SR_LANEMASK_LE, SR_LANEMASK_LT,
                                   SR_NWARPID, SR_SMID, SR_TID_X, SR_TID_Y, SR_TID_Z, SR_WARPID)
from archdef.engine.waiting cimport plan


cdef void _threads(const Launch *launch, const Warp *w, uint32_t *row, int axis) noexcept nogil:
    """The lanes' places in the block along one axis: counted up, since a division a lane costs more than a short kernel."""
    cdef uint32_t at[3]
    cdef uint32_t linear = <uint32_t>(w.index * launch.lanes)
    cdef int32_t lane
    at[0] = linear % launch.block[0]
    at[1] = linear // launch.block[0] % launch.block[1]
    at[2] = linear // (launch.block[0] * launch.block[1])
    for lane in range(launch.lanes):
        row[lane] = at[axis]
        at[0] += 1
        if at[0] == launch.block[0]:
            at[0] = 0
            at[1] += 1
            if at[1] == launch.block[1]:
                at[1] = 0
                at[2] += 1


cdef uint64_t _of_lane(uint32_t which, int32_t lane) noexcept nogil:
    """A special register that tells of the lane's place in its warp."""
    cdef uint64_t bit = <uint64_t>1 << lane
    if which == SR_LANEMASK_EQ or which == SR_LANEMASK64_EQ:
        return bit
    if which == SR_LANEMASK_LE or which == SR_LANEMASK64_LE:
        return bit | (bit - 1)
    if which == SR_LANEMASK_LT or which == SR_LANEMASK64_LT:
        return bit - 1
    if which == SR_LANEMASK_GE or which == SR_LANEMASK64_GE:
        return ~(bit - 1)
    if which == SR_LANEMASK_GT or which == SR_LANEMASK64_GT:
        return ~(bit | (bit - 1))
    return <uint64_t>lane


cdef uint32_t _of_cluster(const Launch *launch, const Block *b, uint32_t which) noexcept nogil:
    """A special register that tells of the block's cluster, or of its place there."""
    if which == SR_CLUSTER_CTARANK:
        return <uint32_t>b.cluster_rank if b.cluster != NULL else 0
    if which >= SR_CLUSTERID_X:
        return b.index[which - SR_CLUSTERID_X] // launch.cluster[which - SR_CLUSTERID_X]
    return b.index[which - SR_CLUSTER_CTAID_X] % launch.cluster[which - SR_CLUSTER_CTAID_X]


cdef void _preset(const Launch *launch, const Sm *sm, Warp *w, const Block *b) noexcept nogil:
    """Put the special registers that the kernel reads into their rows."""
    cdef int32_t k, lane
    cdef uint32_t which, value
    cdef uint32_t *row
    for k in range(launch.special_count):
        which = launch.special_of[k]
        row = <uint32_t *>(w.rows + launch.special_row[k] * launch.pitch)
        if which == SR_TID_X:
            _threads(launch, w, row, 0)
        elif which == SR_TID_Y:
            _threads(launch, w, row, 1)
        elif which == SR_TID_Z:
            _threads(launch, w, row, 2)
        elif which >= SR_CLUSTER_CTARANK:
            value = _of_cluster(launch, b, which)
            for lane in range(launch.lanes):
                row[lane] = value
        elif which >= SR_LANEMASK64_EQ:
            for lane in range(launch.lanes):
                (<uint64_t *>row)[lane] = _of_lane(which, lane)
        elif which == SR_LANEID or which >= SR_LANEMASK_EQ:
            for lane in range(launch.lanes):
                row[lane] = <uint32_t>_of_lane(which, lane)
        else:
            if which == SR_CTAID_X:
                value = b.index[0]
            elif which == SR_CTAID_Y:
                value = b.index[1]
            elif which == SR_CTAID_Z:
                value = b.index[2]
            elif which == SR_WARPID:
                value = <uint32_t>(w - sm.core.warps)
            elif which == SR_NWARPID:
                value = <uint32_t>launch.m.limits.warps_per_multiprocessor
            elif which == SR_SMID:
                value = <uint32_t>sm.core.id
            else:
                value = <uint32_t>launch.m.chip.multiprocessors      # SR_NSMID: `program.pyx` lets no other through
            for lane in range(launch.lanes):
                row[lane] = value


cdef void place_block_warp(Sm *sm, Warp *w, int32_t at, int64_t number) noexcept nogil:
    """Give a warp of a block its slot, and its place with a scheduler."""
    cdef int32_t nsched = <int32_t>sm.m.schedulers.count
    cdef Scheduler *s = sm.schedulers + at % nsched
    w.slot = at
    w.scheduler = s
    w.bit = <int16_t>(at // nsched)
    s.order[w.bit] = sm.launched_warps
    if looks_at_blocks(sm.m):
        group_warp(s, w.bit, sm.launched_warps - w.index)
    s.issued_at[w.bit] = sm.core.now
    if s.asked != NULL:
        place_warp(s.asked, w.bit, number)
    if sm.core.observers != NULL:
        tell_warp_came(sm.core.observers, w, sm.launched_warps)
    sm.launched_warps += 1


cdef void _open_block(Sm *sm, Block *b) noexcept nogil:
    """Give a block its place in the grid, no lane at a barrier, and shared memory of zeros."""
    cdef const Launch *launch = b.launch
    cdef int64_t rest
    cdef int32_t k
    b.running = 1
    b.started = sm.core.now
    b.index[0] = <uint32_t>(b.number % launch.grid[0])
    rest = b.number // launch.grid[0]
    b.index[1] = <uint32_t>(rest % launch.grid[1])
    b.index[2] = <uint32_t>(rest // launch.grid[1])
    b.threads_alive = launch.block_threads
    b.warps_alive = launch.block_warps
    b.draining = 0
    b.register_waiters = 0
    b.child_launches = NULL
    b.leaving = False
    if b.cluster != NULL:
        cluster_begin(&sm.core, b)
    b.shared = <char *>b.storage + launch.block_layout.shared
    memset(b.shared, 0, <size_t>(launch.shared_bytes + LONGEST_LOAD))
    for k in range(BARRIERS):
        memset(&b.barriers[k], 0, sizeof(Barrier))
        b.barriers[k].first_waiting = -1
        b.barriers[k].all = 1


cdef void _count_block(const Sm *sm, const Launch *launch, Residency *residency) noexcept nogil:
    """Count a block that starts."""
    if residency.warps_alive == 0:
        residency.active_since = sm.core.now
    if residency.counters.blocks == 0:
        residency.ready = sm.core.now + sm.m.chip.block_launch.first_cycles
    residency.warps_alive += launch.block_warps
    residency.resident += 1
    if residency.resident > residency.most_resident:
        residency.most_resident = residency.resident
    residency.counters.blocks += 1
    residency.counters.warps += launch.block_warps
    residency.counters.threads += launch.block_threads
    residency.counters.lanes += launch.block_warps * launch.lanes


cdef void _set_lanes(const Launch *launch, Warp *w) noexcept nogil:
    """Say which lanes a warp starts with: its block's last one may have fewer threads."""
    cdef int32_t threads = launch.block_threads - w.index * launch.lanes
    w.launched = ~<uint64_t>0 if threads >= 64 else (<uint64_t>1 << threads) - 1
    w.quiet = ~<uint64_t>0
    if launch.lanes < 64:
        w.quiet = (<uint64_t>1 << launch.lanes) - 1
    w.launched &= w.quiet
    w.path = LN_FIRST
    w.active = w.alive = w.launched


cdef void _open_warp(Sm *sm, Warp *w) noexcept nogil:
    """Put a warp at the first op, with registers and local memory of zeros; it has its block, and its place there."""
    cdef const Launch *launch = w.launch
    w.frames_left = &sm.chip.frames_left
    _set_lanes(launch, w)
    w.pc = 0
    w.reconverge = -1
    w.code_line = 0
    w.depth = w.frame = 0
    w.loads = 0
    w.copy_group = w.bulk_group = 0
    w.registers = launch.registers
    w.cluster_arrived = w.arriving = w.missed = 0
    if w.splits != NULL:
        converge_start(w)
    if launch.copies:
        memset(w.copies, 0, sizeof(Copies))
    w.settled = sm.core.now
    memset(w.rows, 0, <size_t>launch.block_layout.row_bytes)
    memset(w.ready, 0, <size_t>(launch.rows + launch.predicates) * sizeof(int64_t))
    memset(w.predicates, 0, <size_t>launch.predicates * sizeof(uint64_t))
    w.predicates[0] = ~<uint64_t>0
    if launch.origin.buffers != NULL:
        memset(w.errors, 0, <size_t>launch.lanes * sizeof(int32_t))
    if launch.local_bytes:
        memset(w.local, 0, <size_t>(launch.lanes * launch.local_bytes))


cdef void start_block(Sm *sm, int32_t slot) noexcept nogil:
    """Start the block that has been given this slot."""
    cdef Block *b = sm.core.blocks + slot
    cdef Launch *launch = b.launch
    cdef Residency *residency = launch.origin.residencies + sm.core.id
    cdef Warp *w
    cdef int32_t i
    if (launch.l1_sets and (launch.l1_sets != sm.l1.table.sets or launch.l1_ways != sm.l1.table.ways)
            and sm.places.used[1] == launch.cost[1]):
        cache_resize(&sm.l1, launch.l1_sets, launch.l1_ways)     # only an idle multiprocessor divides its array anew
        if sm.l1_policies != NULL:
            l1_policies_emptied(sm.l1_policies)
    if launch.code_lines:
        fetch_preload(&sm.code, &sm.core, launch)
    _open_block(sm, b)
    _count_block(sm, launch, residency)
    for i in range(launch.block_warps):
        w = sm.core.warps + b.warps[i]
        block_storage_assign(launch, b.storage, w, i)
        w.launch = launch
        w.residency = residency
        w.block = slot
        w.index = i
        w.number = b.number * launch.block_warps + i
        _open_warp(sm, w)
        _preset(launch, sm, w, b)
        place_block_warp(sm, w, b.warps[i], b.number)
        plan(sm, w, max(sm.core.now, residency.ready), ST_CONSTANT_DEPENDENCY if residency.ready > sm.core.now else ST_BRANCH)


cdef void end_block(Sm *sm, int32_t slot, int64_t cycle) noexcept nogil:
    """If nothing of the block is left, report its end; its place is free some cycles later."""
    cdef Block *b = sm.core.blocks + slot
    cdef BlockSlots *places = sm.places
    cdef Ended *ended
    cdef int32_t i
    if b.running and b.warps_alive == 0 and b.draining == 0:
        b.running = 0
        if b.child_launches != NULL:
            child_launches_leave(sm.chip.dispatcher, b.child_launches)
            b.child_launches = NULL
        b.launch.origin.residencies[sm.core.id].resident -= 1
        for i in range(b.launch.block_warps):
            stack_drop(sm.core.warps + b.warps[i])
        if b.cluster != NULL:
            cluster_end(&sm.core, b, cycle)
        ended = places.ended + places.ended_count
        while ended > places.ended and (ended - 1).cycle > cycle:      # some ends are known before
            ended[0] = (ended - 1)[0]
            ended -= 1
        ended.cycle = cycle
        ended.issued = sm.issued
        ended.slot = slot
        places.ended_count += 1


cdef void end_warp(Sm *sm, Warp *w, int64_t cycle) noexcept nogil:
    """All lanes have ended."""
    cdef Block *b = sm.core.blocks + w.block
    w.state = WS_ENDED
    if sm.core.observers != NULL:
        tell_warp_left(sm.core.observers, w.slot)
    w.residency.counters.warp_cycles += w.settled - b.started
    if w.launch.origin.failures:
        errors_settle(w)
    w.residency.warps_alive -= 1
    if w.residency.warps_alive == 0:
        w.residency.counters.active_cycles += cycle - w.residency.active_since
    b.warps_alive -= 1
    if w.loads:
        b.draining += 1
    end_block(sm, w.block, cycle)
