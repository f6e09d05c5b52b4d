"""Host memory of multiprocessors, taken when the machine is made, and of resident blocks, taken as they start and used again."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.block_memory cimport BlockRoom, Room
from archdef.engine.cache cimport cache_close, cache_open
from archdef.engine.clock cimport NEVER
from archdef.engine.coalesce cimport MAX_TRANSACTIONS, Transaction
from archdef.engine.copying cimport BULK_LOADS, BULK_RING, BulkCopy, Copies, TensorBox
from archdef.engine.divergence cimport Frame, Split
from archdef.engine.events cimport Events
from archdef.engine.fetch cimport fetch_close
from archdef.engine.flight cimport Load, Slot, Waiter
from archdef.engine.frames cimport STACK_FRAMES, stack_drop
from archdef.engine.happening cimport Ended
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.network cimport Network
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.observers cimport observers_close, observers_open
from archdef.engine.policy cimport Hook, PolicyHead, SchedulerHook, policy_head
from archdef.engine.queue cimport queue_close, queue_open
from archdef.engine.refused cimport refused_close, refused_open
from archdef.engine.schedule cimport Scheduler, lowest_bit
from archdef.engine.state cimport Chip, Sm
from archdef.engine.uniform cimport uniform_close, uniform_open

cdef extern from "archdef/engine/pages.h" nogil:
    void *pages_take(size_t alignment, size_t bytes)

cdef enum:
    LINE = 64
    SMALLEST = 1024
    SLAB = 1048576               # of the first slab; each is as large as all before it together,
    LARGEST_SLAB = 33554432      # up to this


cdef void *_zeroed(int64_t bytes) except NULL:
    """Memory that the host commits as it is touched."""
    cdef void *place = calloc(<size_t>max(bytes, 1), 1)
    if place == NULL:
        raise MemoryError("state of a multiprocessor")
    return place


cdef void *_lined(void *place) noexcept nogil:
    """The next line of the host's cache: what is committed as it is touched cannot be had aligned."""
    return <void *>((<size_t>place + LINE - 1) & ~<size_t>(LINE - 1))


# ------------------------------------------------------------------------------------------------------------ blocks
cdef int64_t _after(int64_t *end, int64_t bytes) noexcept nogil:
    """Put a part behind the others, at a cache line of its own; gives where it starts."""
    cdef int64_t start = end[0]
    end[0] += (bytes + LINE - 1) // LINE * LINE
    return start


cdef int64_t _class(int64_t needed, int32_t *kind) noexcept nogil:
    """The class of size that holds so many bytes, and how many it has."""
    cdef int64_t bytes_ = SMALLEST
    kind[0] = 0
    while bytes_ < needed:
        kind[0] += 1
        bytes_ = (<int64_t>SMALLEST << kind[0] // 4) // 4 * (4 + kind[0] % 4)
    return bytes_


cdef void room_plan(Launch *launch) noexcept nogil:
    """Lay out the memory of one block."""
    cdef Room *room = &launch.room
    cdef int64_t warps = launch.block_warps, end = LINE, apart = LINE
    room.row_bytes = ((launch.rows + 1) * launch.pitch + LINE - 1) // LINE * LINE
    room.slots = _after(&end, warps * <int64_t>sizeof(int32_t))
    room.ready = _after(&end, warps * (launch.rows + launch.predicates) * <int64_t>sizeof(int64_t))
    room.predicates = _after(&end, warps * launch.predicates * <int64_t>sizeof(uint64_t))
    room.rows = _after(&end, warps * room.row_bytes)
    room.shared = _after(&end, launch.shared_bytes)
    room.bytes = _class(end, &room.kind)
    # what few warps touch lies apart: between the rest it would leave most sets of the host's cache to itself
    room.errors = _after(&apart, warps * launch.lanes * <int64_t>sizeof(int32_t))
    room.copies = _after(&apart, warps * <int64_t>sizeof(Copies))
    room.stacks = _after(&apart, warps * STACK_FRAMES * <int64_t>sizeof(Frame))
    room.splits = _after(&apart, warps * launch.lanes * <int64_t>sizeof(Split) if launch.m.independent_lanes else 0)
    room.local = _after(&apart, warps * launch.lanes * launch.local_bytes + 8)
    room.bytes_apart = _class(apart, &room.kind_apart)


cdef int _more(Chip *chip, int32_t kind, int64_t bytes_) noexcept nogil:
    """Take a piece of host memory that holds several of a class. Returns -1 if there is none."""
    cdef int64_t wanted = min(max(<int64_t>SLAB, chip.slab_bytes), <int64_t>LARGEST_SLAB)
    cdef int64_t count = max((wanted - LINE) // bytes_, 1), i
    cdef char *slab
    cdef BlockRoom *made
    if kind >= ROOM_KINDS:
        return -1
    slab = <char *>pages_take(LINE, <size_t>(LINE + count * bytes_))
    if slab == NULL:
        return -1
    chip.slab_bytes += LINE + count * bytes_
    (<BlockRoom *>slab).next = chip.slabs
    chip.slabs = <BlockRoom *>slab
    for i in range(count - 1, -1, -1):
        made = <BlockRoom *>(slab + LINE + i * bytes_)
        made.next = chip.rooms[kind]
        chip.rooms[kind] = made
    return 0


cdef BlockRoom *_take(Chip *chip, int32_t kind, int64_t bytes_) noexcept nogil:
    """Memory of one class, of an ended block if there is any; NULL: the host has none."""
    cdef BlockRoom *taken
    if chip.rooms[kind % ROOM_KINDS] == NULL and _more(chip, kind, bytes_) < 0:
        return NULL
    taken = chip.rooms[kind]
    chip.rooms[kind] = taken.next
    return taken


cdef void _give(Chip *chip, int32_t kind, BlockRoom *given) noexcept nogil:
    given.next = chip.rooms[kind]
    chip.rooms[kind] = given


cdef BlockRoom *room_take(Chip *chip, Launch *launch) noexcept nogil:
    """Memory for one block; NULL: the host has none."""
    cdef BlockRoom *room = _take(chip, launch.room.kind, launch.room.bytes)
    if room == NULL:
        return NULL
    room.apart = _take(chip, launch.room.kind_apart, launch.room.bytes_apart)
    if room.apart == NULL:
        _give(chip, launch.room.kind, room)
        return NULL
    return room


cdef void room_give(Chip *chip, Launch *launch, BlockRoom *room) noexcept nogil:
    """Keep the memory of an ended block for others of that size."""
    _give(chip, launch.room.kind_apart, room.apart)
    _give(chip, launch.room.kind, room)


cdef void room_seat(const Launch *launch, BlockRoom *room, Warp *w, int32_t index) noexcept nogil:
    """Point a warp to its part of the block's memory."""
    cdef const Room *at = &launch.room
    cdef char *start = <char *>room
    cdef char *apart = <char *>room.apart
    w.rows = start + at.rows + index * at.row_bytes
    w.ready = <int64_t *>(start + at.ready) + index * (launch.rows + launch.predicates)
    w.predicates = <uint64_t *>(start + at.predicates) + index * launch.predicates
    w.stack = <Frame *>(apart + at.stacks) + index * STACK_FRAMES
    w.errors = <int32_t *>(apart + at.errors) + index * launch.lanes
    w.copies = <Copies *>(apart + at.copies) + index
    w.stack_room = STACK_FRAMES
    w.stack_grown = 0
    w.splits = NULL
    if launch.m.independent_lanes:
        w.splits = <Split *>(apart + at.splits) + index * launch.lanes
        w.split_room = launch.lanes
    w.local = apart + at.local + index * launch.lanes * launch.local_bytes


cdef void rooms_close(Chip *chip) noexcept nogil:
    """Free the memory of all blocks."""
    cdef BlockRoom *slab
    while chip.slabs != NULL:
        slab = chip.slabs
        chip.slabs = slab.next
        free(slab)


# --------------------------------------------------------------------------------------------------- multiprocessors
cdef int sm_open(Sm *sm, int32_t number, Chip *chip, Network *network, Events *inbox) except -1:
    """Make an idle multiprocessor."""
    cdef const MachineTable *m = chip.m
    cdef int64_t i, places = SCHEDULER_WARPS * m.schedulers.count, reads = max(m.load_store.reads_in_flight_per_multiprocessor, 1), slots, loads
    if sizeof(Warp) % LINE:
        raise SystemError(f"a Warp has {sizeof(Warp)} bytes, which are no whole lines of {LINE}: most warps would lie across one more")
    sm.id = number
    sm.chip = chip
    sm.m = m
    sm.network = network
    sm.inbox = inbox
    sm.now = -1
    sm.warps_held = _zeroed(places * sizeof(Warp) + LINE)
    sm.warps = <Warp *>_lined(sm.warps_held)
    sm.blocks = <Block *>_zeroed(places * sizeof(Block))
    sm.schedulers_held = _zeroed(m.schedulers.count * sizeof(Scheduler) + LINE)
    sm.schedulers = <Scheduler *>_lined(sm.schedulers_held)
    sm.ended = <Ended *>_zeroed(places * sizeof(Ended))
    slots = reads + (m.load_store.textures_in_flight_per_multiprocessor if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER else 0)
    sm.slots = <Slot *>_zeroed(slots * sizeof(sm.slots[0]))
    sm.waiters = <Waiter *>_zeroed(WAITERS * sizeof(sm.waiters[0]))
    # as many loads as can wait for something, the one that is being handed over, and those of bulk copies
    loads = slots + WAITERS + 2 + BULK_LOADS
    sm.loads = <Load *>_zeroed(loads * sizeof(Load))
    sm.bulk.load = -1
    sm.bulk.wake = -1
    cache_open(&sm.l1, &m.caches.l1)
    refused_open(sm)
    queue_open(sm)
    observers_open(sm)
    cache_open(&sm.constant, &m.caches.constant)
    cache_open(&sm.constant_behind[0], &m.caches.constant_l2)
    cache_open(&sm.constant_behind[1], &m.caches.constant_l3)
    uniform_open(sm)
    cache_open(&sm.texture, &m.caches.texture_l1)
    for i in range(slots):
        sm.slots[i].next = <int32_t>(i + 1 if i + 1 != reads and i + 1 < slots else -1)
    sm.free_texture = <int32_t>reads if slots > reads else -1
    for i in range(WAITERS):
        sm.waiters[i].next = <int32_t>(i + 1 if i + 1 < WAITERS else -1)
    for i in range(loads):
        sm.loads[i].next = <int32_t>(i + 1 if i + 1 < loads else -1)
    sm.waiters_left = WAITERS
    sm.store_credits = <int32_t>m.load_store.stores_in_flight_per_multiprocessor
    sm.injection.stalled = -1
    for i in range(m.schedulers.count):
        if m.schedulers.hook:
            _open_hook(sm, i)
        sm.schedulers[i].number = <int32_t>i
        sm.schedulers[i].last = -1
        sm.schedulers[i].wake = NEVER
        sm.free_warps[i] = sm.free_blocks[i] = ~<uint64_t>0
    return 0


cdef int _open_hook(Sm *sm, int64_t number) except -1:
    """Prepare what a plugin's policy is asked."""
    cdef Scheduler *s = sm.schedulers + number
    cdef SchedulerHook *asked = <SchedulerHook *>_zeroed(sizeof(SchedulerHook))
    s.asked = asked
    asked.hook = <Hook *><size_t>sm.m.schedulers.hook
    policy_head(<PolicyHead *>&asked.view, asked.hook, asked.state)
    asked.view.multiprocessor = sm.id
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
    for i in range(sm.m.schedulers.count if sm.warps != NULL else 0):
        taken = ~sm.free_warps[i]
        while taken:                            # still running: the session was given up
            stack_drop(sm.warps + SCHEDULER_WARPS * i + lowest_bit(taken))
            taken &= taken - 1
    queue_close(sm)
    observers_close(sm)
    for i in range(sm.m.schedulers.count if sm.schedulers != NULL else 0):
        free(sm.schedulers[i].asked)
    free(sm.warps_held)
    free(sm.blocks)
    free(sm.schedulers_held)
    free(sm.ended)
    free(sm.slots)
    free(sm.waiters)
    free(sm.loads)
    refused_close(sm)
    free(sm.bulk.ring)
    free(sm.bulk.boxes)
    free(sm.bulk.transactions)
    cache_close(&sm.l1)
    cache_close(&sm.constant)
    cache_close(&sm.constant_behind[0])
    cache_close(&sm.constant_behind[1])
    cache_close(&sm.texture)
    uniform_close(sm)
    fetch_close(sm)
