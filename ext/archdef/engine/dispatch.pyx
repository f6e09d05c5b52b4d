"""Which block starts where and when: launches wait for their time and for each other, their blocks for a place.

Launches start their blocks in the order in which they became ready, all of one before the first of the next. A block goes to the
multiprocessor with the fewest resident warps that has room for it, or to which a plugin's policy sends it. What is decided here takes effect
no earlier than the epoch that follows, and everything that a decision depends on is known by then, so the length of epochs never shows.

A launch by a kernel reaches its stream when its time has come, and starts once what is before it there is complete. It is complete when
its blocks have ended, its stores have landed, and all that its blocks have launched is complete; then its tail begins, one after the
other. A block all of whose warps wait for what it has launched gives its place away when others need it.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memmove, memset

from archdef.engine.bits cimport lowest_bit
from archdef.engine.block_cluster cimport cluster_leave, cluster_number, cluster_take
from archdef.engine.clock cimport NEVER
from archdef.engine.device_runtime cimport LK_COPY, LK_GRID, LK_MARK, LS_COMPLETE, LS_QUEUED, LS_STARTED, ChildRecord, Fit
from archdef.engine.events cimport EV_BLOCK, EV_CHILDREN, EV_SWAPPED_IN, events_push
from archdef.engine.child_launches cimport buffer_return, child_launches_drop, launch_drop
from archdef.engine.fault_code cimport FAULT_LAUNCH_COPY
from archdef.engine.dispatch_event cimport (DISPATCH_ASK, DISPATCH_LAUNCH_ENQUEUED, DISPATCH_SLOT_FREE, DISPATCH_LAUNCH_READY, DISPATCH_BLOCK_RESUMES,
                                            DISPATCH_BLOCK_WAITING, Ended, DispatchEvent)
from archdef.engine.dispatcher cimport BlockSlots, Dispatcher, dispatch_note, dispatch_take, room_for
from archdef.engine.heap cimport heap_room
from archdef.engine.launch cimport WHOLE, WS_BARRIER, WS_CHILDREN, WS_ENDED, WS_REGISTERS, Block, BlockCluster, ChildLaunches, Launch, Origin, Warp
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.memory cimport GLOBAL_BASE, Span, find_span, span_room
from archdef.engine.dispatch_policy cimport DispatchPolicy, dispatch_policy_ask, dispatch_policy_ended
from archdef.engine.block_storage cimport block_storage_release, block_storage_take


# -------------------------------------------------------------------------------------------------------------- places
cdef inline int32_t _lowest(uint64_t *bits) noexcept nogil:
    """Take the first free slot; -1: none."""
    cdef int32_t k, bit
    for k in range(8):
        if bits[k]:
            bit = lowest_bit(bits[k])
            bits[k] &= bits[k] - 1
            return 64 * k + bit
    return -1


cdef inline void _return(uint64_t *bits, int32_t slot) noexcept nogil:
    bits[slot >> 6] |= <uint64_t>1 << (slot & 63)


cdef inline bint _has_room(const BlockSlots *sm, const Launch *launch) noexcept nogil:
    cdef int k
    for k in range(4):
        if sm.used[k] + launch.cost[k] > WHOLE:
            return False
    return True


cdef int64_t _seated(const Dispatcher *d, const BlockSlots *sm, const Launch *launch) noexcept nogil:
    """How many blocks of a launch, or of those that it launches, have a place on a multiprocessor, whether they have started or not."""
    cdef int64_t k, found = 0
    cdef uint64_t taken
    for k in range(d.m.schedulers.count * SCHEDULER_WARPS // 64):
        taken = ~sm.free_blocks[k]
        while taken:
            found += sm.core.blocks[64 * k + lowest_bit(taken)].launch.origin == launch.origin
            taken &= taken - 1
    return found


cdef BlockSlots *_asked(Dispatcher *d, const Launch *launch, int64_t cycle) noexcept nogil:
    """The multiprocessor that a plugin's policy names; NULL: none has room, or it declines."""
    cdef int64_t i, before
    cdef DispatchPolicy *p = d.policy
    cdef bint fits = False
    for i in range(d.m.chip.multiprocessors):
        p.room[i] = _has_room(d.sms + i, launch)
        p.blocks[i] = _seated(d, d.sms + i, launch)
        p.load[i] = d.sms[i].used[0]
        fits |= p.room[i] != 0
    p.declined = False
    if not fits:
        return NULL
    before = p.ask_at
    i = dispatch_policy_ask(p, launch.next_block, cycle)
    if p.ask_at < NEVER and p.ask_at != before:
        dispatch_note(d, p.ask_at, DISPATCH_ASK, 0, 0)
        p.wishes += 1
    return d.sms + i if i >= 0 else NULL


cdef void _share(const MachineTable *m, int64_t blocks, int64_t *given) noexcept nogil:
    """How many of fewer blocks than there are multiprocessors each group gets: see `archdef.spec.GpcRoundRobin`."""
    cdef int64_t k, most, left, before
    cdef int turn
    for k in range(32):
        given[k] = 0
    given[0] = min(blocks, m.chip.groups[0])
    left = blocks - given[0]
    for turn in range(2):
        before = -1
        while left and left != before:
            before = left
            for k in range(1, 32):
                most = m.chip.groups[k] if turn else m.chip.groups[k] // 2
                if left and given[k] < most:
                    given[k] += 1
                    left -= 1


cdef int64_t _turn(const MachineTable *m, int64_t rounds, int64_t number) noexcept nogil:
    """Whose turn it is to take block `number`, where each group has so many turns."""
    cdef int64_t groups = 1, first = 0, others = 0, step, next_first = 0
    while groups < 32 and m.chip.groups[groups]:
        groups += 1
    groups -= 1
    step = m.chip.first_gpc_interval_turns if m.chip.first_gpc_interval_turns else groups
    while others < rounds * groups:
        if first < rounds and others == next_first:
            number -= m.chip.groups[0]
            if number < 0:
                return 0
            next_first = step * (first + 1) - (m.chip.first_gpc_interval_turns > 0)
            first += 1
        number -= m.chip.groups[1 + others % groups]
        if number < 0:
            return 1 + others % groups
        others += 1
    return 0


cdef int64_t _within_gpc(const MachineTable *m, int64_t number, int64_t blocks, int64_t size) noexcept nogil:
    """Where, in a group of `size` multiprocessors that gets so many blocks, that of a number goes: side by side only as many as have to."""
    cdef int64_t n = m.chip.multiprocessors_per_tpc, more, full
    if n < 2:
        return number
    more = max(blocks - size // n, 0)
    full = more // (n - 1)
    if number < n * full:
        return number
    number -= n * full
    more -= full * (n - 1)
    return n * full + number if number <= more else n * (full + number - more)


cdef BlockSlots *_least(Dispatcher *d, const Launch *launch, int64_t first, int64_t count) noexcept nogil:
    """Of some multiprocessors the one with the fewest resident warps that has room for a block; NULL: none has."""
    cdef BlockSlots *best = NULL
    cdef BlockSlots *sm
    cdef int64_t i
    for i in range(first, min(first + count, d.m.chip.multiprocessors)):
        sm = d.sms + i
        if (best == NULL or sm.used[0] < best.used[0]) and _has_room(sm, launch):
            best = sm
    return best


cdef BlockSlots *_grouped(Dispatcher *d, const Launch *launch) noexcept nogil:
    """The multiprocessor for a block by whose group's turn it is; NULL: it is nobody's, or none has room there."""
    cdef const MachineTable *m = d.m
    cdef int64_t rounds = WHOLE, number = launch.next_block, first = 0, k
    cdef int64_t given[32]
    cdef BlockSlots *best
    cdef BlockSlots *sm
    for k in range(4):
        if launch.cost[k]:
            rounds = min(rounds, WHOLE // launch.cost[k])
    rounds = min(rounds, launch.blocks // m.chip.multiprocessors)
    if number < rounds * m.chip.multiprocessors:
        number = _turn(m, rounds, number)
        for k in range(number):
            first += m.chip.groups[k]
        return _least(d, launch, first, m.chip.groups[number])
    number -= rounds * m.chip.multiprocessors
    k = launch.blocks - rounds * m.chip.multiprocessors
    if k >= m.chip.multiprocessors:
        return NULL
    _share(m, k, given)
    k = 0
    while k < 32 and number >= given[k]:
        number -= given[k]
        first += m.chip.groups[k]
        k += 1
    if k == 32:
        return NULL
    best = _least(d, launch, first, m.chip.groups[k])
    sm = d.sms + min(first + min(_within_gpc(m, number, given[k], m.chip.groups[k]), m.chip.groups[k] - 1), m.chip.multiprocessors - 1)
    return sm if best != NULL and sm.used[0] <= best.used[0] and _has_room(sm, launch) else best


cdef BlockSlots *_choose(Dispatcher *d, const Launch *launch, int64_t cycle) noexcept nogil:
    """The multiprocessor with the fewest resident warps that has room for a block, in the block's group if it has one; NULL: none has."""
    cdef BlockSlots *best = NULL
    if d.policy != NULL:
        return _asked(d, launch, cycle)
    if d.m.chip.groups[0]:
        best = _grouped(d, launch)
    return best if best != NULL else _least(d, launch, 0, d.m.chip.multiprocessors)


cdef void _occupy_slots(BlockSlots *sm, int32_t slot, const int64_t *cost, int32_t *warps, int32_t count) noexcept nogil:
    """Take warp slots and resources for a block."""
    cdef int32_t i
    for i in range(count):
        warps[i] = _lowest(sm.free_warps)
    for i in range(4):
        sm.used[i] += cost[i]


cdef bint _place_block(Dispatcher *d, BlockSlots *sm, Launch *launch, BlockCluster *cluster, int64_t earliest) noexcept nogil:
    """Give the launch's next block, which is alone or in a cluster, a place on a multiprocessor that has room. False: the host has no memory for it."""
    cdef int32_t slot
    cdef Block *b
    cdef int64_t start = max(max(earliest, launch.ready), d.launch_free)
    cdef int64_t begin = max(start, sm.launch_free)
    if sm.core == NULL and d.make_sm(d.maker, sm - d.sms) < 0:
        d.fault.out_of_memory = True
        return False
    slot = _lowest(sm.free_blocks)
    b = sm.core.blocks + slot
    b.launch = launch
    b.number = launch.next_block if cluster == NULL else cluster_number(launch, launch.next_block)
    b.cluster = cluster
    b.cluster_rank = 0 if cluster == NULL else <int32_t>(launch.next_block % launch.cluster_blocks)
    b.leaving = False
    b.storage = block_storage_take(&d.storage, launch)
    if b.storage == NULL:
        d.fault.out_of_memory = True
        return False
    b.warps = <int32_t *>(<char *>b.storage + launch.block_layout.slots)
    _occupy_slots(sm, slot, launch.cost, b.warps, launch.block_warps)
    if launch.next_block == 0:
        launch.started = begin
    launch.next_block += 1
    launch.seated += 1
    d.launch_part += d.m.chip.block_launch_64ths + launch.block_warps * d.m.chip.block_launch.chip_warp_64ths
    d.launch_free = start + (d.launch_part >> 6)
    d.launch_part &= 63
    sm.launch_free = begin + (d.m.chip.block_launch.setup_64ths + launch.block_warps * d.m.chip.block_launch.warp_64ths >> 6)
    events_push(sm.core.inbox, begin, EV_BLOCK, slot)
    return True


cdef bint _place_cluster(Dispatcher *d, Launch *launch, int64_t cycle) noexcept nogil:
    """Give the blocks of the launch's next cluster places on multiprocessors that share a port, where most of such blocks fit.

    False: they fit nowhere now, or the host has no memory.
    """
    cdef const int32_t *port = d.port
    cdef int64_t n = d.m.chip.multiprocessors, first = 0, end, room, best = -1, best_end = 0, most = launch.cluster_blocks - 1, _
    cdef BlockCluster *cluster
    while first < n:
        end = first
        room = 0
        while end < n and port[end] == port[first]:
            room += room_for(d.sms + end, launch)
            end += 1
        if room > most:
            most = room
            best = first
            best_end = end
        first = end
    if best < 0:
        return False
    cluster = cluster_take(d.messages, launch)
    if cluster == NULL:
        d.fault.out_of_memory = True
        return False
    for _ in range(launch.cluster_blocks):
        if not _place_block(d, _least(d, launch, best, best_end - best), launch, cluster, cycle):
            return False
    return True


cdef void _leave(Dispatcher *d, BlockSlots *sm, int32_t slot) noexcept nogil:
    """A block's place is free."""
    cdef Block *b = sm.core.blocks + slot
    cdef Launch *launch = b.launch
    cdef int32_t i
    for i in range(launch.block_warps):
        _return(sm.free_warps, b.warps[i])
    for i in range(4):
        sm.used[i] -= launch.cost[i]
    _return(sm.free_blocks, slot)
    if b.cluster != NULL:
        cluster_leave(d.messages, b.cluster)
        b.cluster = NULL
    if b.leaving:               # it has taken its memory along
        d.leaving -= 1
        b.leaving = False
        b.storage = NULL
        return
    if d.policy != NULL:
        dispatch_policy_ended(d.policy, sm.core.id, slot)
    block_storage_release(&d.storage, launch, b.storage)
    b.storage = NULL
    launch.seated -= 1
    _forget(d, launch)


# ----------------------------------------------------------------------------------- blocks that wait for their children
cdef int64_t _moving_cycles(const Dispatcher *d, const Launch *launch) noexcept nogil:
    """For which a block's registers and shared memory go out or come in through the multiprocessor's port."""
    cdef int64_t bytes = launch.block_warps * (<int64_t>launch.rows * launch.pitch + launch.predicates * 8) + launch.shared_bytes
    cdef int64_t cycles = bytes // d.m.interconnect.injection_bytes_per_cycle + 1
    return cycles * d.m.clocks.core_period_fs // d.m.clocks.shader_period_fs + d.m.chip.block_turnover_cycles


cdef bint _all_wait(const BlockSlots *sm, const Block *b) noexcept nogil:
    """Whether every warp of a block waits, one at least for its children, and nothing of theirs is on its way."""
    cdef const Warp *w
    cdef bint one = False
    cdef int32_t i
    if not b.running or b.leaving or b.cluster != NULL or b.draining or b.child_launches == NULL or b.child_launches.pending == 0:
        return False
    for i in range(b.launch.block_warps):
        w = sm.core.warps + b.warps[i]
        if w.loads or (w.state != WS_CHILDREN and w.state != WS_BARRIER and w.state != WS_REGISTERS and w.state != WS_ENDED):
            return False
        one |= w.state == WS_CHILDREN
    return one


cdef void _note_waiting(Dispatcher *d, int32_t sm, int32_t slot) noexcept nogil:
    """Remember a block that could give its place away."""
    cdef int64_t *grown
    if d.waiting_count == d.waiting_room:
        grown = <int64_t *>realloc(d.waiting, <size_t>(2 * d.waiting_room + 16) * sizeof(int64_t))
        if grown == NULL:
            d.fault.out_of_memory = True
            return
        d.waiting = grown
        d.waiting_room = 2 * d.waiting_room + 16
    d.waiting[d.waiting_count] = <int64_t>sm << 32 | slot
    d.waiting_count += 1


cdef bint _make_room(Dispatcher *d, int64_t cycle) noexcept nogil:
    """Let the block that has waited longest for its children give its place away. False: there is none."""
    cdef BlockSlots *sm
    cdef Block *b
    cdef ChildLaunches *child_launches
    cdef int32_t i, slot
    if d.leaving:
        return True
    while d.waiting_count:
        sm = d.sms + <int32_t>(d.waiting[0] >> 32)
        slot = <int32_t>(<uint64_t>d.waiting[0] & <uint64_t>0xffffffff)
        d.waiting_count -= 1
        memmove(d.waiting, d.waiting + 1, <size_t>d.waiting_count * sizeof(int64_t))
        b = sm.core.blocks + slot
        if not _all_wait(sm, b):
            continue
        child_launches = b.child_launches
        free(child_launches.warps)
        child_launches.warps = <Warp *>malloc(<size_t>b.launch.block_warps * sizeof(Warp))
        if child_launches.warps == NULL:
            d.fault.out_of_memory = True
            return False
        d.swap_out(sm.core, b, cycle)
        for i in range(b.launch.block_warps):
            child_launches.warps[i] = sm.core.warps[b.warps[i]]
            sm.core.warps[b.warps[i]].stack_grown = 0
        child_launches.storage = b.storage
        child_launches.block = b[0]
        b.leaving = True
        d.leaving += 1
        b.running = 0
        b.launch.origin.residencies[sm.core.id].resident -= 1
        b.launch.origin.residencies[sm.core.id].warps_alive -= b.warps_alive
        if b.launch.origin.residencies[sm.core.id].warps_alive == 0:
            b.launch.origin.residencies[sm.core.id].counters.active_cycles += cycle - b.launch.origin.residencies[sm.core.id].active_since
        dispatch_note(d, cycle + _moving_cycles(d, b.launch), DISPATCH_SLOT_FREE, sm.core.id, slot)
        return True
    return False


cdef bint _come_back(Dispatcher *d, BlockSlots *sm, ChildLaunches *child_launches, int64_t cycle) noexcept nogil:
    """Give a block that had given its place away another one."""
    cdef int32_t slot = _lowest(sm.free_blocks)
    cdef Block *b = sm.core.blocks + slot
    cdef Launch *launch = child_launches.block.launch
    b[0] = child_launches.block
    b.running = 0                # until it is there
    b.storage = child_launches.storage
    b.warps = <int32_t *>(<char *>b.storage + launch.block_layout.slots)
    child_launches.storage = NULL
    child_launches.sm = sm.core.id
    child_launches.slot = slot
    _occupy_slots(sm, slot, launch.cost, b.warps, launch.block_warps)
    events_push(sm.core.inbox, max(cycle, d.launch_free) + _moving_cycles(d, launch), EV_SWAPPED_IN, slot)
    return True


# --------------------------------------------------------------------------------------------------------------- filling
cdef inline void _wait_for_room(Dispatcher *d, int64_t cycle) noexcept nogil:
    """The next block has no place: one that waits for its children may give it its own, unless a plugin's policy wants it to wait."""
    if d.policy == NULL or not d.policy.declined:
        _make_room(d, cycle)


cdef void _fill(Dispatcher *d, BlockSlots *only, int64_t cycle) noexcept nogil:
    """Start as many blocks as have room; if all was full before, `only` that multiprocessor has changed."""
    cdef Launch *launch
    cdef ChildLaunches *child_launches
    cdef BlockSlots *sm
    while d.returning != NULL:
        child_launches = d.returning
        sm = _choose(d, child_launches.block.launch, cycle)
        if sm == NULL:
            _wait_for_room(d, cycle)
            return
        _come_back(d, sm, child_launches, cycle)
        d.returning = child_launches.next
        d.full = False
    while d.first != NULL:
        launch = d.first
        while launch.next_block < launch.blocks:
            if launch.cluster_blocks > 1:
                if not _place_cluster(d, launch, cycle):
                    return
                continue
            if d.full and d.policy == NULL:
                sm = only if only != NULL and _has_room(only, launch) else NULL
            else:
                sm = _choose(d, launch, cycle)
            if sm == NULL:
                d.full = True
                _wait_for_room(d, cycle)
                return
            if not _place_block(d, sm, launch, NULL, cycle):
                return
        launch.state = LS_STARTED
        d.full = False
        d.first = launch.next_queued
        if d.first == NULL:
            d.last = NULL


# ---------------------------------------------------------------------------------------- what waits for what
cdef inline bint _over(const Launch *launch, int64_t serial) noexcept nogil:
    return launch == NULL or launch.serial != serial or launch.state == LS_COMPLETE


cdef void _wait_less(Dispatcher *d, Launch *launch, int64_t cycle) noexcept nogil:
    """One that the launch has waited for is complete."""
    launch.waits -= 1
    if launch.waits == 0:
        launch.ready = max(launch.ready, cycle)
        dispatch_note(d, launch.ready, DISPATCH_LAUNCH_READY, 0, launch.number)


cdef void _reach(Dispatcher *d, Launch *launch, int64_t cycle) noexcept nogil:
    """A launch by a kernel reaches its stream."""
    cdef Launch **last = NULL
    cdef int64_t *serial = NULL
    cdef Launch *parent = launch.parent
    d.entered += 1
    launch.order = d.entered
    if launch.tail:
        if parent.first_tail == NULL:
            parent.first_tail = launch
        else:
            parent.last_tail.next_in_stream = launch
        parent.last_tail = launch
        parent.children -= 1
        return
    if launch.own_stream:
        last = &launch.child_launches.last
        serial = &launch.child_launches.last_serial
    elif launch.stream != NULL:
        last = &launch.stream.last
        serial = &launch.stream.last_serial
    if last != NULL:
        if not _over(last[0], serial[0]):
            last[0].next_in_stream = launch
            launch.waits += 1
        last[0] = launch
        serial[0] = launch.serial
    launch.stream = NULL
    _wait_less(d, launch, cycle)


cdef void _finish(Dispatcher *d, Launch *launch, int64_t cycle) noexcept nogil:
    """A launch is complete at `cycle`: go on with what has waited for it."""
    cdef int64_t next_cycle = cycle + d.m.device_launches.next_cycles
    cdef Launch *waiter = launch.first_waiter
    cdef Launch *after
    cdef Launch *parent = launch.parent
    cdef ChildLaunches *child_launches = launch.child_launches
    cdef Origin *origin = launch.origin
    launch.state = LS_COMPLETE
    launch.ended = cycle
    if launch.next_in_stream != NULL:
        _wait_less(d, launch.next_in_stream, next_cycle)
    while waiter != NULL:
        after = waiter.next_waiter
        _wait_less(d, waiter, next_cycle)
        waiter = after
    if parent == NULL:
        origin.grids -= 1
        return
    origin.pending -= 1
    _record(launch)
    if launch.buffer >= 0:
        buffer_return(origin, launch, launch.buffer)
    parent.children -= 1
    if launch.counted:
        child_launches.pending -= 1
    if launch.counted and child_launches.pending == 0:
        if child_launches.ended:
            child_launches_drop(d, child_launches)
        elif child_launches.storage != NULL:
            dispatch_note(d, next_cycle, DISPATCH_BLOCK_RESUMES, 0, child_launches.number)
        else:
            events_push(d.sms[child_launches.sm].core.inbox, next_cycle, EV_CHILDREN, child_launches.slot)
    if launch.kind != LK_GRID or launch.seated == 0:
        launch_drop(d, launch)


cdef void _forget(Dispatcher *d, Launch *launch) noexcept nogil:
    """The last place of a complete launch by a kernel is free: it may be used again."""
    if launch.parent != NULL and launch.state == LS_COMPLETE and launch.seated == 0:
        launch_drop(d, launch)


cdef void _record(const Launch *launch) noexcept nogil:
    """Keep what a report says about a launch by a kernel, as long as there is room."""
    cdef Origin *origin = launch.origin
    cdef ChildRecord *record
    cdef void *grown
    cdef int k
    if launch.kind != LK_GRID or origin.record_count >= 1 << 20:
        return
    if origin.record_count == origin.record_room:
        grown = realloc(origin.records, <size_t>(2 * origin.record_room + 64) * sizeof(ChildRecord))
        if grown == NULL:
            return
        origin.records = <ChildRecord *>grown
        origin.record_room = 2 * origin.record_room + 64
    record = origin.records + origin.record_count
    origin.record_count += 1
    record.number = launch.serial
    record.parent = launch.parent.serial
    record.depth = launch.depth
    record.kernel = launch.kernel
    for k in range(3):
        record.grid[k] = launch.grid[k]
        record.block[k] = launch.block[k]
    record.asked = launch.asked
    record.started = launch.started
    record.ended = launch.ended


# ------------------------------------------------------------------------------------------------- copies by kernels
cdef char *_place(const Launch *item, uint64_t address, bint written) noexcept nogil:
    """Where the bytes of a copy lie; NULL: not inside one allocation, or where they may not be written."""
    cdef const Span *span = find_span(item.spans, item.span_count, address)
    if span != NULL:
        if item.bytes > span_room(span, address) or written and span.read_only:
            return NULL
    elif item.heap == NULL or heap_room(item.heap, address) < item.bytes:
        return NULL
    elif item.bytes == 0:
        return NULL
    return item.arena + (address - <uint64_t>GLOBAL_BASE)


cdef bint _perform(Dispatcher *d, Launch *item) noexcept nogil:
    """Copy or fill. False after a fault."""
    cdef char *target = _place(item, item.target, True)
    cdef char *source = NULL
    if item.bytes == 0:
        return True
    if item.kind == LK_COPY:
        source = _place(item, item.source, False)
    if target == NULL or (item.kind == LK_COPY and source == NULL):
        if d.fault.code == 0:
            d.fault.code = FAULT_LAUNCH_COPY
            d.fault.launch = item.parent
            d.fault.op = item.statements
            d.fault.warp = -1
            d.fault.address = item.target if target == NULL else item.source
            d.fault.detail[0] = item.bytes
        return False
    if item.kind == LK_COPY:
        memmove(target, source, <size_t>item.bytes)
    else:
        memset(target, <int>(item.source & 0xff), <size_t>item.bytes)
    return True


cdef int64_t _moving_time(const Dispatcher *d, const Launch *item) noexcept nogil:
    """Cycles of a copy or fill at the full bandwidth of device memory."""
    cdef int64_t bursts = <int64_t>(item.bytes // <uint64_t>d.m.dram.burst_bytes) * (2 if item.kind == LK_COPY else 1)
    return bursts // d.m.dram.partitions * d.m.dram.burst_fs // d.m.clocks.shader_period_fs + 1


# ------------------------------------------------------------------------------------------------------------- readiness
cdef bint _measured(const Dispatcher *d, Launch *launch) noexcept nogil:
    """Whether it is known how many blocks of a launch by a kernel fit on a multiprocessor; fills in their cost."""
    cdef const Fit *fit
    cdef int64_t i
    cdef int k
    if launch.parent == NULL or launch.cost[0]:
        return True
    for i in range(launch.origin.fit_count):
        fit = launch.origin.fits + i
        if fit.kernel == launch.kernel and fit.threads == launch.block_threads and fit.shared == launch.shared_bytes:
            for k in range(4):
                launch.cost[k] = fit.cost[k]
            return True
    return False


cdef bint _ready(Dispatcher *d, Launch *launch, int64_t cycle) noexcept nogil:
    """Nothing is left to wait for. False after a fault."""
    if launch.kind != LK_GRID:
        launch.started = cycle
        if launch.kind == LK_MARK:
            _finish(d, launch, cycle)
            return True
        if not _perform(d, launch):
            return False
        _finish(d, launch, cycle + _moving_time(d, launch))
        return True
    launch.state = LS_QUEUED
    launch.next_queued = NULL
    if d.last == NULL:
        d.first = launch
    else:
        d.last.next_queued = launch
    d.last = launch
    launch.next_running = d.running
    d.running = launch
    return True


# --------------------------------------------------------------------------------------------------------------- epochs
cdef BlockSlots *_first_ended(Dispatcher *d) noexcept nogil:
    """The multiprocessor with the block that ended first of those that nobody has noted; NULL: there is none in this epoch."""
    cdef BlockSlots *first = NULL
    cdef BlockSlots *sm
    cdef int64_t i, before = d.horizon
    for i in range(d.m.chip.multiprocessors):
        sm = d.sms + i
        if sm.ended_noted < sm.ended_count and sm.ended[sm.ended_noted].cycle < before:
            first = sm
            before = sm.ended[sm.ended_noted].cycle
    return first


cdef void _collect(Dispatcher *d) noexcept nogil:
    """Note the blocks that ended in this epoch, one after the other; ends that lie ahead wait for those that come before them."""
    cdef BlockSlots *sm = _first_ended(d)
    cdef Ended *ended
    cdef Launch *launch
    cdef int64_t i, cycle
    while sm != NULL:
        ended = sm.ended + sm.ended_noted
        sm.ended_noted += 1
        cycle = ended.cycle
        if d.m.chip.block_launch.end_64ths:
            d.end_part += d.m.chip.block_launch.end_64ths
            cycle = d.end_free = max(d.end_free, cycle) + (d.end_part >> 6)
            d.end_part &= 63
        if d.policy != NULL:
            d.policy.issued_at_end[sm.core.id * d.policy.slots + ended.slot] = ended.issued
        launch = sm.core.blocks[ended.slot].launch
        launch.done_blocks += 1
        launch.ended = max(launch.ended, cycle)
        dispatch_note(d, cycle + d.m.chip.block_turnover_cycles, DISPATCH_SLOT_FREE, sm.core.id, ended.slot)
        sm = _first_ended(d)
    d.next_end = NEVER
    for i in range(d.m.chip.multiprocessors):
        sm = d.sms + i
        if sm.ended_count == 0:
            continue
        sm.ended_count -= sm.ended_noted
        if sm.ended_count:
            memmove(sm.ended, sm.ended + sm.ended_noted, <size_t>sm.ended_count * sizeof(Ended))
            d.next_end = min(d.next_end, sm.ended[0].cycle)
        sm.ended_noted = 0


cdef void _complete(Dispatcher *d) noexcept nogil:
    """Find launches that nothing is left of, children before those that wait for them."""
    cdef Launch **link
    cdef Launch *launch
    cdef Launch *tail
    cdef bint again = True
    while again:
        again = False
        link = &d.running
        while link[0] != NULL:
            launch = link[0]
            if launch.done_blocks < launch.blocks or launch.stores or launch.children:
                link = &launch.next_running
                continue
            launch.ended = max(launch.ended, d.landed[launch.number])
            if launch.first_tail != NULL:
                tail = launch.first_tail
                launch.first_tail = tail.next_in_stream
                tail.next_in_stream = NULL
                launch.children += 1         # as long as it lasts
                _wait_less(d, tail, launch.ended + d.m.device_launches.tail_cycles)
                link = &launch.next_running
                continue
            link[0] = launch.next_running
            if launch.parent != NULL:
                launch.parent.ended = max(launch.parent.ended, launch.ended)
                again = True
            _finish(d, launch, launch.ended)


cdef void dispatch_collect(Dispatcher *d) noexcept nogil:
    """After an epoch: see what has ended."""
    _collect(d)
    _complete(d)


cdef int dispatch_run(Dispatcher *d, int64_t until) noexcept nogil:
    """Before an epoch up to `until`: handle what happens in it. Returns 1 if `unfit` must be measured first, -1 after a fault."""
    cdef DispatchEvent item
    cdef Launch *launch
    cdef ChildLaunches *child_launches
    cdef BlockSlots *freed
    d.horizon = until
    while d.count and d.heap[0].cycle < until:
        launch = d.launches[d.heap[0].index] if d.heap[0].kind == DISPATCH_LAUNCH_READY else NULL
        if launch != NULL and launch.kind == LK_GRID and not _measured(d, launch):
            d.unfit = launch
            return 1
        item = dispatch_take(d)
        freed = NULL
        if item.kind == DISPATCH_SLOT_FREE:
            freed = d.sms + item.sm
            _leave(d, freed, item.index)
        elif item.kind == DISPATCH_LAUNCH_ENQUEUED:
            _reach(d, d.launches[item.index], item.cycle)
            continue
        elif item.kind == DISPATCH_BLOCK_WAITING:
            if not _all_wait(d.sms + item.sm, d.sms[item.sm].core.blocks + item.index):
                continue
            _note_waiting(d, item.sm, item.index)
        elif item.kind == DISPATCH_BLOCK_RESUMES:
            child_launches = d.child_launches[item.index]
            child_launches.next = NULL
            if d.returning == NULL:
                d.returning = child_launches
            else:
                d.last_returning.next = child_launches
            d.last_returning = child_launches
        elif item.kind == DISPATCH_ASK:
            d.policy.wishes -= 1
            if item.cycle != d.policy.ask_at:
                continue
            d.policy.ask_at = NEVER
        elif not _ready(d, launch, item.cycle):
            return -1
        _fill(d, freed, item.cycle)
    return 0


cdef int64_t dispatch_next(const Dispatcher *d) noexcept nogil:
    """Cycle of the next thing known; NEVER if there is none."""
    return min(d.heap[0].cycle, d.next_end) if d.count else d.next_end


cdef bint dispatch_wishes_alone(const Dispatcher *d) noexcept nogil:
    """Whether nothing is known but cycles at which a plugin's policy wants to be asked."""
    return d.policy != NULL and d.count and d.count == d.policy.wishes and d.next_end >= NEVER


cdef int64_t dispatch_wish(Dispatcher *d, int64_t others) noexcept nogil:
    """Cycle of the next thing where nothing is known here but wishes of the policy, and something else happens at `others`; NEVER: nothing can come any more.

    Where nothing else happens it has its way once.
    """
    cdef DispatchPolicy *p = d.policy
    if p.ask_at >= NEVER:               # it wants none of them any more
        d.count = p.wishes = 0
        return others
    if others >= NEVER:
        if p.last_chance:
            return NEVER
        p.last_chance = True
    return min(others, p.ask_at)


cdef void dispatch_close(Dispatcher *d) noexcept nogil:
    free(d.heap)
    free(d.waiting)
