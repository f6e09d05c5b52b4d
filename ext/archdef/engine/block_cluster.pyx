"""Clusters of blocks: who is in them, where their shared memory is, their barrier, and what one block posts to another's mbarrier.

An address in shared memory names a block by rank in its highest byte; without one it is the block's own. Data of another block move at
issue, as all data do. What makes a block go on, the cluster's barrier and an operation on its mbarrier, reaches its multiprocessor as an
event, no sooner than the way there takes; epochs are no longer than that, so their length does not show.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from archdef.engine.barrier cimport CL_ARRIVED, CL_OPEN, CL_OPENS
from archdef.engine.events cimport EV_CLUSTER, EV_POSTED, events_add, events_push
from archdef.engine.fault cimport op_fault
from archdef.engine.fault_code cimport FAULT_BOUNDS, FAULT_CLUSTER_BLOCK, FAULT_CLUSTER_RANK, FAULT_PHASE
from archdef.engine.launch cimport MOST_CLUSTER_BLOCKS, Block, BlockCluster, Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.mbarrier cimport phase_apply
from archdef.engine.messages cimport Messages, Outbox, Posted
from archdef.engine.sm_core cimport SmCore


# -------------------------------------------------------------------------------------------------------------- members
cdef BlockCluster *cluster_take(Messages *messages, const Launch *launch) noexcept nogil:
    """A cluster none of whose blocks has begun; NULL: the host has no memory for it."""
    cdef BlockCluster *c = messages.clusters
    cdef int i
    if c != NULL:
        messages.clusters = c.next
    else:
        c = <BlockCluster *>calloc(1, sizeof(BlockCluster))
        if c == NULL:
            return NULL
        c.made = messages.clusters_made
        messages.clusters_made = c
    messages.cluster_serial += 1
    c.serial = messages.cluster_serial
    c.seated = c.left = c.missing = <int32_t>launch.cluster_blocks
    c.ended = 0
    c.latest = 0
    for i in range(<int>launch.cluster_blocks):
        c.blocks[i] = NULL
    return c


cdef void cluster_leave(Messages *messages, BlockCluster *cluster) noexcept nogil:
    """The place of one of its blocks is free; with the last one's, its record is."""
    cluster.seated -= 1
    if cluster.seated == 0:
        cluster.serial = 0
        cluster.next = messages.clusters
        messages.clusters = cluster


cdef int messages_open(Messages *messages, int64_t multiprocessors) except -1:
    """No multiprocessor has posted anything."""
    messages.outboxes = <Outbox *>calloc(<size_t>multiprocessors, sizeof(Outbox))
    if messages.outboxes == NULL:
        raise MemoryError("messages of multiprocessors")
    messages.outbox_count = multiprocessors
    return 0


cdef void messages_close(Messages *messages) noexcept nogil:
    """Free the records."""
    cdef int64_t i
    cdef BlockCluster *c = messages.clusters_made
    cdef BlockCluster *before
    while c != NULL:
        before = c.made
        free(c)
        c = before
    messages.clusters = messages.clusters_made = NULL
    for i in range(messages.outbox_count):
        free(messages.outboxes[i].ring)
    free(messages.outboxes)
    messages.outboxes = NULL
    messages.outbox_count = 0


cdef int64_t cluster_number(const Launch *launch, int64_t seat) noexcept nogil:
    """Number in the grid of the block that starts as number `seat`: clusters follow each other, and in them the ranks."""
    cdef int64_t cluster = seat // launch.cluster_blocks, rank = seat % launch.cluster_blocks, number = 0, clusters
    cdef int64_t at[3]
    cdef int k
    for k in range(3):
        clusters = launch.grid[k] // launch.cluster[k]
        at[k] = cluster % clusters * launch.cluster[k] + rank % launch.cluster[k]
        cluster //= clusters
        rank //= launch.cluster[k]
    number = at[0] + launch.grid[0] * (at[1] + <int64_t>launch.grid[1] * at[2])
    return number


cdef void cluster_begin(SmCore *sm, Block *b) noexcept nogil:
    """A block begins: its shared memory can be reached from now on."""
    b.cluster_state = CL_OPEN
    b.cluster_opens = -1
    b.cluster.sm[b.cluster_rank] = sm.id
    b.cluster.slot[b.cluster_rank] = <int32_t>(b - sm.blocks)
    b.cluster.inbox[b.cluster_rank] = sm.inbox
    b.cluster.blocks[b.cluster_rank] = b


cdef void cluster_end(SmCore *sm, Block *b, int64_t cycle) noexcept nogil:
    """A block has ended: it counts as arrived from now on, and nobody reaches its shared memory any more."""
    cdef BlockCluster *c = b.cluster
    c.left -= 1
    c.blocks[b.cluster_rank] = NULL
    c.ended |= <uint32_t>1 << b.cluster_rank
    if b.cluster_state != CL_ARRIVED:
        _arrived(sm, c, b.launch.m, cycle)


# -------------------------------------------------------------------------------------------------------------- barrier
cdef void _arrived(SmCore *sm, BlockCluster *c, const MachineTable *m, int64_t cycle) noexcept nogil:
    """One block less is missing; with the last the barrier opens, after the time that this takes."""
    cdef Block *b
    cdef int64_t when
    cdef int i
    c.missing -= 1
    c.latest = max(c.latest, cycle)
    if c.missing or c.left == 0:
        return
    when = c.latest + m.block_clusters.barrier_cycles
    for i in range(MOST_CLUSTER_BLOCKS):
        b = c.blocks[i]
        if b != NULL and not c.ended >> i & 1:
            b.cluster_state = CL_OPENS
            b.cluster_opens = when
            events_push(c.inbox[i], when, EV_CLUSTER, c.slot[i])
            sm.messages.opening += 1
    c.missing = c.left
    c.latest = 0


cdef void cluster_arrive(SmCore *sm, Block *b, int64_t cycle) noexcept nogil:
    """All threads of a block that live have arrived at the barrier of its cluster."""
    if b.cluster_state == CL_OPEN:
        b.cluster_state = CL_ARRIVED
        _arrived(sm, b.cluster, b.launch.m, cycle)


# ------------------------------------------------------------------------------------------------------- shared memory
cdef Block *cluster_reach(SmCore *sm, const Warp *w, int lane, uint64_t address, int64_t bytes) noexcept nogil:
    """The block in whose shared memory `bytes` at an address lie, as `is_remote` has it; NULL after a fault."""
    cdef const Launch *launch = w.launch
    cdef BlockCluster *c = sm.blocks[w.block].cluster
    cdef uint64_t rank = (address - <uint64_t>CLUSTER_FIRST) >> OFFSET_BITS
    cdef int code = 0
    if c == NULL or rank >= <uint64_t>launch.cluster_blocks:
        code = FAULT_CLUSTER_RANK
    elif c.blocks[rank] == NULL:
        code = FAULT_CLUSTER_BLOCK
    elif bytes > launch.shared_bytes or address & OFFSET_MASK > <uint64_t>(launch.shared_bytes - bytes):
        code = FAULT_BOUNDS
    else:
        return c.blocks[rank]
    if sm.fault.code == 0:
        sm.fault.detail[0] = rank if code != FAULT_BOUNDS else <uint64_t>bytes
        sm.fault.detail[1] = (c.ended >> rank & 1) if code == FAULT_CLUSTER_BLOCK else <uint64_t>launch.cluster_blocks
    op_fault(sm, w, launch.ops + w.pc, code, lane, address)
    return NULL


cdef int64_t remote_pass(RemotePath *path, const MachineTable *m, int64_t cycle, int64_t bytes) noexcept nogil:
    """Cycle in which so many bytes have gone the way between this block's shared memory and others', behind those before them."""
    if path.free < cycle:
        path.free = cycle
        path.taken_bytes = 0
    path.taken_bytes += bytes
    path.free += path.taken_bytes // m.block_clusters.bytes_per_cycle
    path.taken_bytes %= m.block_clusters.bytes_per_cycle
    return path.free


# ---------------------------------------------------------------------------------------------------- what is posted
cdef bint _grow(Outbox *box) noexcept nogil:
    """Double the room for what is on its way. False: the host has no memory for it."""
    cdef int32_t room = 2 * box.room if box.room else 64, i
    cdef Posted *grown = <Posted *>calloc(<size_t>room, sizeof(Posted)) if room <= 1 << 28 else NULL
    if grown == NULL:
        return False
    for i in range(box.room):
        if box.ring[i].cluster != NULL:
            grown[box.ring[i].number & (room - 1)] = box.ring[i]
    free(box.ring)
    box.ring = grown
    box.room = room
    return True


cdef Posted *_take_posted(SmCore *sm) noexcept nogil:
    """The next record of the multiprocessor; NULL: the host has no memory for one. Numbers say in which order it posts."""
    cdef Outbox *box = sm.messages.outboxes + sm.id
    cdef Posted *p
    while box.room == 0 or box.ring[box.next_number & (box.room - 1)].cluster != NULL:
        if not _grow(box):
            sm.fault.out_of_memory = True
            return NULL
    p = box.ring + (box.next_number & (box.room - 1))
    p.number = box.next_number
    box.next_number = (box.next_number + 1) & 0x7fffffff
    return p


cdef int cluster_post(SmCore *sm, const Warp *w, int32_t op, int lane, uint32_t address, int fn, uint32_t count, int64_t cycle) noexcept nogil:
    """Send an operation to the mbarrier at an address in another block, where it comes at `cycle`. Returns -1 after a fault."""
    cdef Messages *messages = sm.messages
    cdef Launch *launch = w.launch
    cdef BlockCluster *c = sm.blocks[w.block].cluster
    cdef int32_t rank = <int32_t>((address - <uint32_t>CLUSTER_FIRST) >> OFFSET_BITS)
    cdef Posted *p = _take_posted(sm)
    if p == NULL:
        return 0
    p.cluster = c
    p.serial = c.serial
    p.launch = launch
    p.rank = rank
    p.fn = fn
    p.offset = address & OFFSET_MASK
    p.count = count
    p.op = op
    p.sm = sm.id
    p.warp = <int32_t>(w - sm.warps)
    p.lane = lane
    launch.stores += 1          # the grid is not complete before it has come
    messages.opening += 1
    events_add(c.inbox[rank], cycle, EV_POSTED, p.number, sm.id)
    return 0


cdef int cluster_receive(SmCore *sm, int32_t sender, int32_t number) noexcept nogil:
    """An operation on an mbarrier comes from another block, number so and so of its multiprocessor. Returns -1 after a fault."""
    cdef Messages *messages = sm.messages
    cdef Posted came = messages.outboxes[sender].ring[number & (messages.outboxes[sender].room - 1)]
    cdef Posted *p = &came
    cdef Block *b = p.cluster.blocks[p.rank] if p.cluster.serial == p.serial else NULL
    cdef uint64_t word
    cdef int code = 0
    p.launch.stores -= 1
    messages.opening -= 1
    sm.effects += 1
    messages.outboxes[sender].ring[number & (messages.outboxes[sender].room - 1)].cluster = NULL
    if b == NULL:
        code = FAULT_CLUSTER_BLOCK
    else:
        memcpy(&word, b.shared + p.offset, 8)
        if phase_apply(&word, p.fn, p.count) < 0:
            code = FAULT_PHASE
        memcpy(b.shared + p.offset, &word, 8)
    if code == 0 or sm.fault.code:
        return 0
    sm.fault.code = code
    sm.fault.op = p.op
    sm.fault.sm = p.sm
    sm.fault.lane = p.lane
    sm.fault.cycle = sm.now
    sm.fault.launch = p.launch
    sm.fault.address = p.count if code == FAULT_PHASE else <uint64_t>(CLUSTER_FIRST + (p.rank << OFFSET_BITS) + <int64_t>p.offset)
    sm.fault.detail[0] = <uint64_t>p.rank
    sm.fault.detail[1] = 1
    sm.fault.warp = -1        # unless who sent it is still there
    _name_sender(sm, p)
    return -1


cdef void _name_sender(SmCore *sm, const Posted *p) noexcept nogil:
    """Blame the warp that posted, if it is one of that cluster's still."""
    cdef BlockCluster *c = p.cluster
    cdef const Block *b
    cdef int i, k
    for i in range(MOST_CLUSTER_BLOCKS):
        b = c.blocks[i]
        if c.serial == p.serial and b != NULL and c.sm[i] == p.sm:
            for k in range(b.launch.block_warps):
                if b.warps[k] == p.warp:
                    sm.fault.warp = p.warp
