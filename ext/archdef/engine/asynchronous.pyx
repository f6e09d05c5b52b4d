"""Copies that threads do not wait for, and barriers in shared memory that count arrivals and bytes.

Data move and counts change at issue, in program order of the warp; a copy's time shows where its group is waited for. Groups are
kept per warp. The state of a barrier is the 64-bit word that the guest sees: bits 0-19 arrivals that a phase expects, 20-39 those
still pending, 40-60 bytes still to come (signed), 63 the phase's parity.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.block_cluster cimport cluster_post, cluster_reach, is_remote, own_address
from archdef.engine.coalesce cimport coalesce
from archdef.engine.copying cimport COPY_GROUPS
from archdef.engine.fault_code cimport FAULT_ALIGNMENT, FAULT_BOUNDS, FAULT_PHASE
from archdef.engine.guest cimport guest_at, guest_fault
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.mbarrier cimport phase_apply
from archdef.engine.memory cimport GLOBAL_BASE, SHARED_WINDOW
from archdef.engine.operand cimport row_of
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport (CG_BULK_COMMIT, CG_BULK_WAIT, CG_BULK_WAIT_READ, CG_COMMIT, CG_WAIT, CG_WAIT_ALL, FL_ADDRESS64, FL_BYPASS_L1,
                                   MB_ARRIVE_EXPECT, MB_COMPLETE, MB_EXPECT, MB_INIT, MB_INVALIDATE, MB_TEST, MB_TEST_PARITY, SP_GENERIC)
from archdef.engine.uop cimport Uop


cdef inline uint64_t _shared_address(const SmCore *sm, const Launch *launch, const Warp *w, const Uop *u, int lane) noexcept nogil:
    """Generic address of operand 0 in one lane; what names the block itself by its rank in the cluster is its own."""
    cdef const char *row = row_of(launch, w, u, 0)
    cdef uint64_t address
    if u.flags & FL_ADDRESS64:
        address = (<const uint64_t *>row)[lane] + <uint64_t>u.offset.bytes
    else:
        address = <uint32_t>((<const uint32_t *>row)[lane] + <uint32_t>u.offset.bytes)
    if u.space == SP_GENERIC:
        return own_address(launch, sm.blocks + w.block, address - <uint64_t>SHARED_WINDOW) + <uint64_t>SHARED_WINDOW
    address = own_address(launch, sm.blocks + w.block, <uint32_t>address)      # of shared memory the lower half counts
    if is_remote(launch, sm.blocks + w.block, address):
        return address + <uint64_t>SHARED_WINDOW
    # an offset past shared memory must not become another window
    return address + <uint64_t>SHARED_WINDOW if address < <uint64_t>launch.shared_bytes else 0


# ----------------------------------------------------------------------------------------------------------------- copies
cdef bint copies_pending(const Warp *w) noexcept nogil:
    """Whether something of the groups that the warp waits for is on its way."""
    cdef const int32_t *pending = w.copies.pieces
    cdef int i, open_group = w.copy_group
    if w.copy_wait == CG_BULK_WAIT:
        pending, open_group = w.copies.bulk_writes, w.bulk_group
    elif w.copy_wait == CG_BULK_WAIT_READ:
        pending, open_group = w.copies.bulk_reads, w.bulk_group
    # groups from `open_group` on back have a place each; those before them have ended
    for i in range(max(0, open_group - COPY_GROUPS + 1), w.copy_target + 1):
        if pending[i % COPY_GROUPS]:
            return True
    return False


cdef bint copy_group(Warp *w, const Uop *u) noexcept nogil:
    """Close a group, or wait for groups. Returns whether the warp has to wait."""
    if u.fn == CG_COMMIT or u.fn == CG_BULK_COMMIT:
        # a group whose place is taken joins the one before: only its time is concerned
        if u.fn == CG_COMMIT:
            if w.copies.pieces[(w.copy_group + 1) % COPY_GROUPS] == 0 and w.copy_group < 1 << 30:
                w.copy_group += 1
        elif w.copies.bulk_writes[(w.bulk_group + 1) % COPY_GROUPS] == 0 and w.bulk_group < 1 << 30:
            w.bulk_group += 1
        return False
    w.copy_wait = u.fn
    w.copy_target = w.copy_group if u.fn == CG_WAIT_ALL else (w.copy_group if u.fn == CG_WAIT else w.bulk_group) - 1 - u.groups
    return copies_pending(w)


cdef int copy_async(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil:
    """Copy `element` bytes of global memory to shared memory for `lanes` (not empty); bytes past s[2] become zero."""
    cdef Launch *launch = w.launch
    cdef uint64_t address[64]
    cdef uint64_t to, reads = 0, left = lanes, mask = <uint64_t>(u.lane_bytes - 1)
    cdef int64_t room, size
    cdef int lane, count, i, first
    cdef char *source
    cdef char *target
    memset(reach, 0, sizeof(Reach))
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        to = _shared_address(sm, launch, w, u, lane)
        target = guest_at(sm, w, lane, to, &room)
        if to < <uint64_t>SHARED_WINDOW or target == NULL or room < u.lane_bytes:
            return guest_fault(sm, w, FAULT_BOUNDS, lane, to)
        address[lane] = (<const uint64_t *>row_of(launch, w, u, 1))[lane]
        size = u.lane_bytes
        if u.s[2] >= 0:
            size = min(size, <int64_t>(<const uint32_t *>row_of(launch, w, u, 2))[lane])
        if to & mask:
            return guest_fault(sm, w, FAULT_ALIGNMENT, lane, to)
        if size == 0:
            memset(target, 0, <size_t>u.lane_bytes)
            continue
        if address[lane] & mask:
            return guest_fault(sm, w, FAULT_ALIGNMENT, lane, address[lane])
        if address[lane] < <uint64_t>GLOBAL_BASE:
            return guest_fault(sm, w, FAULT_BOUNDS, lane, address[lane])
        source = guest_at(sm, w, lane, address[lane], &room)
        if source == NULL or room < size:
            return guest_fault(sm, w, FAULT_BOUNDS, lane, address[lane])
        memcpy(target, source, <size_t>size)
        if size < u.lane_bytes:
            memset(target + size, 0, <size_t>(u.lane_bytes - size))
        reads |= <uint64_t>1 << lane
    if reads == 0:
        return 0
    first = lowest_bit(reads)
    for lane in range(launch.lanes):
        if not reads >> lane & 1:
            address[lane] = address[first]
    count = coalesce(&launch.m.load_uncached if launch.m.caches.l1.sets == 0 or u.flags & FL_BYPASS_L1 else &launch.m.load, address, reads,
                     launch.lanes, u.lane_bytes, False, out.transactions + out.count)
    for i in range(count):
        reach.pieces += count_bits(out.transactions[out.count + i].sectors)
        reach.bytes_moved += out.transactions[out.count + i].bytes
    out.count += count
    reach.global_lanes += count_bits(reads)
    return 0


# --------------------------------------------------------------------------------------------------------- phase barriers
cdef int _remote_phase(SmCore *sm, Warp *w, const Uop *u, int lane, uint64_t address) noexcept nogil:
    """Post an operation to the mbarrier at a generic address, in another block of the cluster. Returns -1 after a fault."""
    cdef uint64_t place = address - <uint64_t>SHARED_WINDOW
    cdef uint32_t count = 1
    if u.fn == MB_INIT or u.fn == MB_INVALIDATE or u.fn == MB_TEST or u.fn == MB_TEST_PARITY or u.d[0] >= 0:
        return guest_fault(sm, w, FAULT_BOUNDS, lane, address)       # only the block itself can do that
    if cluster_reach(sm, w, lane, place, 8) == NULL:
        return -1
    if address & 7:
        return guest_fault(sm, w, FAULT_ALIGNMENT, lane, address)
    if u.s[1] >= 0:
        count = (<const uint32_t *>row_of(w.launch, w, u, 1))[lane]
    return cluster_post(sm, w, <int32_t>(u - w.launch.ops), lane, <uint32_t>place, u.fn, count, sm.now + w.launch.m.block_clusters.latency_cycles)


cdef int phase_barrier(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Operate on the barrier of each of `lanes` (not empty) in ascending order. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef uint64_t address, word, before, count, holds = 0, all_lanes = lanes
    cdef int64_t room
    cdef int lane
    cdef char *place
    sm.effects += u.fn != MB_TEST and u.fn != MB_TEST_PARITY
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        address = _shared_address(sm, launch, w, u, lane)
        if is_remote(launch, sm.blocks + w.block, address - <uint64_t>SHARED_WINDOW):
            if _remote_phase(sm, w, u, lane, address) < 0:
                return -1
            continue
        place = guest_at(sm, w, lane, address, &room)
        if address - <uint64_t>SHARED_WINDOW >= <uint64_t>launch.shared_bytes or place == NULL or room < 8:
            return guest_fault(sm, w, FAULT_BOUNDS, lane, address)
        if address & 7:
            return guest_fault(sm, w, FAULT_ALIGNMENT, lane, address)
        memcpy(&word, place, 8)
        before = word
        count = 1
        if u.s[1] >= 0:
            count = ((<const uint64_t *>row_of(launch, w, u, 1))[lane] if u.fn == MB_TEST
                     else <uint64_t>(<const uint32_t *>row_of(launch, w, u, 1))[lane])
        if u.fn == MB_INIT:
            if count == 0 or count > 0xfffff:
                return guest_fault(sm, w, FAULT_PHASE, lane, count)
            word = count | count << 20
        elif u.fn == MB_INVALIDATE:
            word = 0
        elif u.fn == MB_TEST or u.fn == MB_TEST_PARITY:
            if word >> 63 != (count >> 63 if u.fn == MB_TEST else count & 1):
                holds |= <uint64_t>1 << lane
        else:
            if phase_apply(&word, u.fn, count) < 0:
                return guest_fault(sm, w, FAULT_PHASE, lane, 1 if u.fn == MB_ARRIVE_EXPECT else count)
            if u.d[0] >= 0 and u.fn != MB_EXPECT and u.fn != MB_COMPLETE:
                (<uint64_t *>(w.rows + u.d[0]))[lane] = before
        memcpy(place, &word, 8)
    if (u.fn == MB_TEST or u.fn == MB_TEST_PARITY) and u.d[0] >= 0:
        w.predicates[u.d[0]] = w.predicates[u.d[0]] & ~all_lanes | holds
    return 0
