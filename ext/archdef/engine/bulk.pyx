"""Bulk copies: whole pieces of memory that one thread asks for, moved by a unit of their own.

Data move at issue, in program order of the warp. Their time is that of the unit, one per multiprocessor, which takes copies in the
order in which they were issued and sends transactions at its own rate, by the coalescing rule of accesses that pass the L1. It
needs the same in-flight slots and store credits as the load/store unit. What a copy completes, an mbarrier's transaction count or its
place in a group of the warp, happens when its last byte has arrived; a store's when its last byte is on its way, as stores are posted.

A queue that is full holds the load/store unit, and with it every warp whose next op accesses memory.
"""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memmove

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.block_cluster cimport own_address, remote_pass
from archdef.engine.cache cimport Line, cache_probe
from archdef.engine.clock cimport NEVER
from archdef.engine.coalesce cimport coalesce, covers
from archdef.engine.copying cimport BULK_FULL, BULK_LOADS, BULK_RING, COPY_GROUPS, Bulk, BulkCopy
from archdef.engine.counters cimport StatementCounters
from archdef.engine.delivery cimport ONE_BLOCK, Receivers, delivered, receivers, receivers_barrier
from archdef.engine.events cimport EV_BULK, EV_COPIED, events_push
from archdef.engine.fault_code cimport FAULT_ALIGNMENT, FAULT_BOUNDS, FAULT_BULK_SIZE, FAULT_READ_ONLY
from archdef.engine.guest cimport guest_at, guest_fault
from archdef.engine.lsu cimport send_read, send_write, take_load
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.lanes cimport atomic_function, atomic_table
from archdef.engine.in_flight cimport Load
from archdef.engine.l1_policies cimport l1_stored
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport CLUSTER_FIRST, GLOBAL_BASE, Span, find_span
from archdef.engine.operand cimport row_of
from archdef.engine.port cimport RQ_ATOMIC, RQ_READ
from archdef.engine.state cimport Sm
from archdef.engine.tensor_copy cimport box_copy, box_pieces
from archdef.engine.texture_table cimport texture_written
from archdef.engine.transaction cimport Transaction
from archdef.engine.types cimport BK_BOX_IN, BK_BOX_OUT, BK_TO_GLOBAL, BK_TO_SHARED, BK_WITHIN
from archdef.engine.units cimport held_until
from archdef.engine.uop cimport Uop

cdef enum:
    PIECE = 16               # bytes: granularity of sizes and addresses
    CHUNK_PIECES = 32        # pieces whose transactions are formed together


cdef inline bint _reads(const Uop *u) noexcept nogil:
    """Whether a copy reads global memory."""
    return u.form.route == BK_TO_SHARED or u.form.route == BK_BOX_IN


cdef inline bint _boxed(const Uop *u) noexcept nogil:
    """Whether a tensor map says what is copied."""
    return u.form.route == BK_BOX_IN or u.form.route == BK_BOX_OUT


# ------------------------------------------------------------------------------------------------------------ moving bytes
cdef int _refuse(Sm *sm, const Warp *w, int code, int lane, uint64_t address, int64_t bytes) noexcept nogil:
    """Record a fault at an address; `bytes`: what would have been reached, or what it must be a multiple of."""
    if sm.core.fault.code == 0:
        sm.core.fault.detail[0] = <uint64_t>bytes
    return guest_fault(&sm.core, w, code, lane, address)


cdef char *_source(Sm *sm, const Warp *w, const Uop *u, int lane, int64_t bytes) noexcept nogil:
    """Where `bytes` of the block's own shared memory, which are copied, lie in host memory; NULL after a fault."""
    cdef uint32_t offset = (<const uint32_t *>row_of(w.launch, w, u, 1))[lane]
    if offset & (PIECE - 1):
        _refuse(sm, w, FAULT_ALIGNMENT, lane, offset, PIECE)
        return NULL
    offset = <uint32_t>own_address(w.launch, sm.core.blocks + w.block, offset)
    if bytes > w.launch.shared_bytes or offset > w.launch.shared_bytes - bytes:
        _refuse(sm, w, FAULT_BOUNDS, lane, offset, bytes)
        return NULL
    return sm.core.blocks[w.block].shared + offset


cdef int _target(Sm *sm, const Warp *w, const Uop *u, int lane, uint64_t address, int64_t bytes, int64_t mask, Receivers *to) noexcept nogil:
    """Find where a copy goes. Returns -1 after a fault."""
    cdef uint32_t shared
    if u.form.route == BK_TO_GLOBAL:
        to.count = 1
        to.offset = 0
        to.memory[0] = _global(sm, w, lane, address, bytes, True)
        return -1 if to.memory[0] == NULL else 0
    shared = (<const uint32_t *>row_of(w.launch, w, u, 0))[lane]
    if shared & (PIECE - 1):
        return _refuse(sm, w, FAULT_ALIGNMENT, lane, shared, PIECE)
    return receivers(&sm.core, w, lane, shared, bytes, mask, to)


cdef char *_global(Sm *sm, const Warp *w, int lane, uint64_t address, int64_t bytes, bint writes) noexcept nogil:
    """Where `bytes` of global memory lie in host memory; NULL after a fault."""
    cdef const Launch *launch = w.launch
    cdef const Span *span
    cdef int64_t room = 0
    cdef char *place = NULL
    if address & (PIECE - 1):
        _refuse(sm, w, FAULT_ALIGNMENT, lane, address, PIECE)
        return NULL
    if address >= <uint64_t>GLOBAL_BASE:
        place = guest_at(&sm.core, w, lane, address, &room)
    if place == NULL or room < bytes:
        _refuse(sm, w, FAULT_BOUNDS, lane, address, bytes)
        return NULL
    if writes:
        span = find_span(launch.spans, launch.span_count, address)
        if span != NULL and (span.start == launch.parameter_start or span.read_only):
            _refuse(sm, w, FAULT_READ_ONLY, lane, address, bytes)
            return NULL
        if span != NULL and span.start == launch.const_start:
            launch.origin.constants_written = True
        if launch.textures.written_count:
            texture_written(launch.textures, address, bytes)
    return place


cdef void _reduce(const Uop *u, char *to, const char *source, int64_t bytes) noexcept nogil:
    """Combine elements with those that are there."""
    cdef atomic_function function = atomic_table()[u.fn]
    cdef int64_t k
    for k in range(bytes // u.element.bytes):
        if u.element.bytes == 8:
            (<uint64_t *>to)[k] = function((<uint64_t *>to)[k], (<const uint64_t *>source)[k], 0)
        elif u.element.bytes == 4:
            (<uint32_t *>to)[k] = <uint32_t>function((<uint32_t *>to)[k], (<const uint32_t *>source)[k], 0)
        else:
            (<uint16_t *>to)[k] = <uint16_t>function((<uint16_t *>to)[k], (<const uint16_t *>source)[k], 0)


cdef int _piece(Sm *sm, Warp *w, const Uop *u, int lane, BulkCopy *copy) noexcept nogil:
    """Move one lane's bytes, which lie side by side. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef uint32_t bytes = (<const uint32_t *>row_of(launch, w, u, 2))[lane]
    cdef uint64_t address = 0
    cdef int64_t mask = ONE_BLOCK
    cdef Receivers to
    cdef char *source
    cdef int k
    if bytes & (PIECE - 1):
        return guest_fault(&sm.core, w, FAULT_BULK_SIZE, lane, bytes)
    if u.form.route != BK_WITHIN:
        address = (<const uint64_t *>row_of(launch, w, u, 0 if u.form.route == BK_TO_GLOBAL else 1))[lane]
    if u.form.route == BK_TO_SHARED and u.s[4] >= 0:
        mask = (<const uint32_t *>row_of(launch, w, u, 4))[lane] & 0xFFFF
    if _target(sm, w, u, lane, address, bytes, mask, &to) < 0:
        return -1
    source = _global(sm, w, lane, address, bytes, False) if u.form.route == BK_TO_SHARED else _source(sm, w, u, lane, bytes)
    if source == NULL:
        return -1
    copy.barrier = -1
    copy.group = -1
    copy.ranks = 0
    if u.form.route == BK_TO_GLOBAL:
        copy.group = w.bulk_group % COPY_GROUPS
        w.copies.bulk_writes[copy.group] += 1
        w.copies.bulk_reads[copy.group] += 1
    elif receivers_barrier(&sm.core, w, lane, (<const uint32_t *>row_of(launch, w, u, 3))[lane], mask, copy) < 0:
        return -1
    for k in range(to.count):
        if u.vec.reduces:
            _reduce(u, to.memory[k] + to.offset, source, bytes)
        else:
            memmove(to.memory[k] + to.offset, source, bytes)
    copy.address = address
    copy.left = copy.bytes = bytes if mask else 0       # a multicast to nobody moves nothing
    return 0


cdef int _copy(Sm *sm, int32_t slot, Warp *w, const Uop *u, int lane) noexcept nogil:
    """Do one lane's copy and queue what it costs. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef Bulk *bulk = &sm.bulk
    cdef int32_t place = (bulk.first + bulk.count) % BULK_RING
    cdef BulkCopy *copy = bulk.ring + place
    if (box_copy(&sm.core, w, u, lane, copy, bulk.boxes + place) if _boxed(u) else _piece(sm, w, u, lane, copy)) < 0:
        return -1
    copy.warp = slot
    copy.op = <int32_t>(u - launch.ops)
    bulk.count += 1
    w.loads += 1
    return 0


cdef inline bint _equal_lanes(const Launch *launch, const Warp *w, const Uop *u, int i, bint wide, int a, int b) noexcept nogil:
    """Whether source i has the same value in two lanes."""
    cdef const char *row = row_of(launch, w, u, i)
    if wide:
        return (<const uint64_t *>row)[a] == (<const uint64_t *>row)[b]
    return (<const uint32_t *>row)[a] == (<const uint32_t *>row)[b]


cdef uint64_t _different(const Launch *launch, const Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Of `lanes`, those that store something else, or elsewhere, than all before them: the first of each kind.

    Storing the same twice changes nothing, so assembled code stores it once for all lanes that agree in every operand. What counts,
    loads for their mbarrier and reductions, it does lane by lane.
    """
    cdef uint64_t kept = 0, before
    cdef int lane, other, i
    cdef bint boxed = _boxed(u)
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        before = kept
        while before:
            other = lowest_bit(before)
            before &= before - 1
            # the far side, the near side, then the size or the coordinates
            if not (_equal_lanes(launch, w, u, 0, not boxed, lane, other) and _equal_lanes(launch, w, u, 1, boxed, lane, other)):
                continue
            if not boxed:
                if _equal_lanes(launch, w, u, 2, False, lane, other):
                    break
                continue
            for i in range(u.coordinates):
                if not _equal_lanes(launch, w, u, 4 + i, False, lane, other):
                    break
            else:
                break
        else:
            kept |= <uint64_t>1 << lane
    return kept


cdef inline void _file(Sm *sm, Bulk *bulk) noexcept nogil:
    """Let the unit go on at its time."""
    if bulk.wake != bulk.time:
        bulk.wake = bulk.time
        events_push(sm.core.inbox, bulk.time, EV_BULK, 0)


cdef int bulk_issue(Sm *sm, int32_t slot, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Start the copies of `lanes` (not empty). Returns how many, or -1 after a fault."""
    cdef StatementCounters *c = w.launch.counters + u.statement
    cdef Bulk *bulk = &sm.bulk
    cdef LsuPipeline *lsu = &sm.lsu
    cdef int started
    if bulk.count == 0:
        bulk.time = max(bulk.time, cycle + max(u.latency, 1))
        _file(sm, bulk)
    if lanes & (lanes - 1) and not u.vec.reduces and (u.form.route == BK_TO_GLOBAL or u.form.route == BK_BOX_OUT):
        lanes = _different(w.launch, w, u, lanes)
    started = count_bits(lanes)
    while lanes:
        if _copy(sm, slot, w, u, lowest_bit(lanes)) < 0:
            return -1
        (bulk.ring + (bulk.first + bulk.count - 1) % BULK_RING).ready = cycle + max(u.latency, 1)
        lanes &= lanes - 1
    if _reads(u):
        c.global_loads += 1
    elif u.form.route != BK_WITHIN and u.vec.reduces:
        c.atomics += 1
    elif u.form.route != BK_WITHIN:
        c.global_stores += 1
    if bulk.count >= BULK_FULL:
        lsu.active = 1
        lsu.count = lsu.next = 0
        lsu.load = -1
        lsu.unit = u.unit
        lsu.counters = c
        lsu.time = lsu.stalled = cycle
        lsu.floor = 0
        held_until(&sm.units, u.unit, NEVER, 0)
    return started


cdef int bulk_at_once(Sm *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Do the copies of `lanes` (not empty) where nothing takes time: all that they complete is complete. Returns -1 after a fault."""
    cdef Bulk *bulk = &sm.bulk
    cdef BulkCopy *copy
    cdef Load load
    if bulk_issue(sm, w.slot, w, u, lanes, sm.core.now) < 0:
        return -1
    while bulk.count:
        copy = bulk.ring + bulk.first
        while copy.left and u.form.route != BK_WITHIN:
            _next_chunk(sm, bulk, copy, u)
        bulk.first = (bulk.first + 1) % BULK_RING
        bulk.count -= 1
        w.loads -= 1
        if copy.group >= 0:
            w.copies.bulk_reads[copy.group] -= 1
            w.copies.bulk_writes[copy.group] -= 1
        load.warp = copy.warp
        load.op = copy.op
        load.barrier = copy.barrier
        load.bytes = copy.bytes
        load.ranks = copy.ranks
        delivered(&sm.core, &load)
    return 0


# --------------------------------------------------------------------------------------------------------------- the unit
cdef void _next_chunk(Sm *sm, Bulk *bulk, BulkCopy *copy, const Uop *u) noexcept nogil:
    """Form the transactions of the next aligned piece of a copy, and count them."""
    cdef const MachineTable *m = sm.m
    cdef StatementCounters *c = sm.core.warps[copy.warp].launch.counters + u.statement
    cdef uint64_t address[CHUNK_PIECES]
    cdef uint64_t size = CHUNK_PIECES * PIECE, mask
    cdef int64_t pieces = 0, moved = 0
    cdef int k, count
    cdef uint32_t bytes
    if _boxed(u):
        count = box_pieces(bulk.boxes + bulk.first, address, CHUNK_PIECES)
        bytes = <uint32_t>(count * PIECE)
        for k in range(count, CHUNK_PIECES):
            address[k] = address[0]
    else:
        bytes = <uint32_t>min(<uint64_t>copy.left, size - (copy.address & (size - 1)))
        count = <int>(bytes // PIECE)
        for k in range(CHUNK_PIECES):
            address[k] = copy.address + <uint64_t>(PIECE * (k if k < count else 0))
    mask = (<uint64_t>1 << count) - 1
    bulk.chunk = coalesce(&m.load_uncached if _reads(u) else &m.store, address, mask, CHUNK_PIECES, PIECE,
                          not _reads(u) and covers(&m.store, u.vec.reduces != 0), bulk.transactions)
    bulk.next = 0
    copy.address += bytes
    copy.left -= bytes
    for k in range(bulk.chunk):
        pieces += count_bits(bulk.transactions[k].sectors)
        moved += bulk.transactions[k].bytes
    if _reads(u):
        c.global_load_transactions += pieces
        c.global_load_bytes_asked += bytes
        c.global_load_bytes_moved += moved
    elif u.vec.reduces:
        c.atomic_transactions += pieces
    else:
        c.global_store_transactions += pieces
        c.global_store_bytes_asked += bytes
        c.global_store_bytes_moved += moved


cdef bint _send(Sm *sm, Bulk *bulk, const Uop *u, int64_t cycle) noexcept nogil:
    """Hand over the next transaction. False: no MSHR or credit for it now."""
    cdef const Transaction *t = bulk.transactions + bulk.next
    cdef Line *line = NULL
    cdef bint sent
    if _reads(u):
        return send_read(&sm.in_flight, &sm.port, t, RQ_READ, bulk.load, cycle)
    if sm.l1.table.sets:
        line = cache_probe(&sm.l1, t.line // <uint64_t>sm.l1.table.line_bytes)
        if line != NULL:
            line.valid = 0
    if u.vec.reduces:
        sent = send_read(&sm.in_flight, &sm.port, t, RQ_ATOMIC, bulk.load, cycle)
    else:
        sent = send_write(&sm.port, t, sm.core.warps[sm.in_flight.loads[bulk.load].warp].launch, cycle)
    if sent and sm.l1.table.sets and sm.l1_policies != NULL:
        l1_stored(sm.l1_policies, t.line, line, cycle)
    return sent


cdef inline void _advance(const MachineTable *m, Bulk *bulk, const Uop *u, int64_t cycle) noexcept nogil:
    """A transaction is on its way: say when the next can go."""
    cdef int64_t rate = m.load_store.bulk_copies.read_bytes_per_cycle if _reads(u) else m.load_store.bulk_copies.write_bytes_per_cycle
    if rate:
        bulk.over += bulk.transactions[bulk.next].bytes
        bulk.time = cycle + bulk.over // rate
        bulk.over %= rate
    else:
        bulk.time = cycle + m.load_store.transaction_cycles
    bulk.next += 1


cdef int32_t bulk_run(Sm *sm, int64_t cycle) noexcept nogil:
    """Send what is due until a copy is complete on this side. Returns its load, or -1 if there is nothing more to do now.

    A load that nothing is left to wait for has arrived; the caller says so to whom it may concern.
    """
    cdef Bulk *bulk = &sm.bulk
    cdef const MachineTable *m = sm.m
    cdef BulkCopy *copy
    cdef const Uop *u
    cdef int32_t load
    while bulk.count:
        if bulk.time > cycle:
            _file(sm, bulk)
            return -1
        copy = bulk.ring + bulk.first
        u = sm.core.warps[copy.warp].launch.ops + copy.op
        if bulk.load < 0:
            if copy.ready > cycle:
                bulk.time = copy.ready
                continue
            if bulk.loads == BULK_LOADS:
                return -1
            bulk.loads += 1
            bulk.load = take_load(&sm.in_flight, copy.warp, copy.op)
            sm.in_flight.loads[bulk.load].remaining = 1        # held until all is sent
            sm.in_flight.loads[bulk.load].latest = cycle
            sm.in_flight.loads[bulk.load].group = copy.group
            sm.in_flight.loads[bulk.load].barrier = copy.barrier
            sm.in_flight.loads[bulk.load].bytes = copy.bytes
            sm.in_flight.loads[bulk.load].ranks = copy.ranks
            bulk.chunk = bulk.next = 0
        if u.form.route == BK_WITHIN:
            # read, then written, at the width of all banks
            if copy.barrier >= CLUSTER_FIRST:       # by the way to other blocks
                bulk.time = remote_pass(&sm.remote, m, cycle, copy.left)
            else:
                bulk.time = cycle + 2 * m.shared.pass_cycles * max(
                    (copy.left + m.shared.banks * m.shared.bank_width_bytes - 1) // (m.shared.banks * m.shared.bank_width_bytes), 1)
            copy.left = 0
            sm.in_flight.loads[bulk.load].remaining += 1
            events_push(sm.core.inbox, bulk.time + m.shared.latency_cycles, EV_COPIED, bulk.load)
        else:
            if bulk.next == bulk.chunk and copy.left:
                _next_chunk(sm, bulk, copy, u)
            if bulk.next < bulk.chunk:
                if not _send(sm, bulk, u, cycle):
                    return -1
                _advance(m, bulk, u, cycle)
        if copy.left == 0 and bulk.next == bulk.chunk:
            load = bulk.load
            bulk.load = -1
            bulk.first = (bulk.first + 1) % BULK_RING
            bulk.count -= 1
            sm.in_flight.loads[load].remaining -= 1
            if copy.group >= 0:
                sm.core.warps[copy.warp].copies.bulk_reads[copy.group] -= 1
            return load
    return -1


cdef void bulk_landed(Sm *sm, int32_t index) noexcept nogil:
    """A copy's last byte has arrived: count it where the kernel looks for it."""
    sm.bulk.loads -= 1
    if sm.in_flight.loads[index].group >= 0:
        sm.core.warps[sm.in_flight.loads[index].warp].copies.bulk_writes[sm.in_flight.loads[index].group] -= 1
    delivered(&sm.core, sm.in_flight.loads + index)
