"""Host memory of one multiprocessor: taken when a launch is made, given back at its end."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.cache cimport cache_close, cache_open
from archdef.engine.coalesce cimport MAX_TRANSACTIONS, Transaction
from archdef.engine.dram cimport NEVER
from archdef.engine.events cimport Events
from archdef.engine.machine cimport MachineTable
from archdef.engine.network cimport Network
from archdef.engine.schedule cimport Scheduler
from archdef.engine.frames cimport STACK_FRAMES
from archdef.engine.state cimport BULK_LOADS, BULK_RING, Block, BulkCopy, Ended, Frame, Launch, Load, Slot, Sm, Split, Waiter, Warp

cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)


cdef void *_zeroed(int64_t bytes) except NULL:
    cdef size_t size = <size_t>((max(bytes, 1) + 63) // 64 * 64)
    cdef void *place = aligned_alloc(64, size)
    if place == NULL:
        raise MemoryError("state of a multiprocessor")
    memset(place, 0, size)
    return place


cdef int sm_open(Sm *sm, int32_t number, Launch *launch, Network *network, Events *inbox) except -1:
    """Make an idle multiprocessor with room for its resident blocks."""
    cdef const MachineTable *m = launch.m
    cdef int64_t warps, i, entries = launch.rows + launch.predicates, reads = max(m.reads_in_flight, 1), loads
    cdef int64_t row_bytes = ((launch.rows + 1) * launch.pitch + 63) // 64 * 64   # a spare row: see LoadedProgram
    sm.id = number
    sm.launch = launch
    sm.network = network
    sm.inbox = inbox
    sm.now = -1
    sm.next_own = NEVER
    sm.resident = sm.most_resident = sm.warps_alive = 0
    sm.warp_slots = launch.resident_blocks * launch.block_warps
    warps = sm.warp_slots
    sm.warps = <Warp *>_zeroed(warps * sizeof(Warp))
    sm.blocks = <Block *>_zeroed(launch.resident_blocks * sizeof(Block))
    sm.schedulers = <Scheduler *>_zeroed(m.schedulers * sizeof(Scheduler))
    sm.row_memory = <char *>_zeroed(warps * row_bytes)
    sm.ready_memory = <int64_t *>_zeroed(warps * entries * sizeof(int64_t))
    sm.predicate_memory = <uint64_t *>_zeroed(warps * launch.predicates * sizeof(uint64_t))
    sm.stack_memory = <Frame *>_zeroed(warps * STACK_FRAMES * sizeof(sm.stack_memory[0]))
    if m.independent_lanes:
        sm.split_memory = <Split *>_zeroed(warps * launch.lanes * sizeof(Split))
    sm.shared_memory = <char *>_zeroed(launch.resident_blocks * launch.shared_bytes)
    # a call stack can be long: pages of local memory are taken as blocks start, which clear their own
    sm.local_memory = <char *>calloc(<size_t>(warps * launch.lanes * launch.local_bytes + 8), 1)
    if sm.local_memory == NULL:
        raise MemoryError("local memory of a multiprocessor")
    sm.pending_blocks = <int64_t *>_zeroed(launch.resident_blocks * sizeof(int64_t))
    sm.ended = <Ended *>_zeroed(launch.resident_blocks * sizeof(Ended))
    sm.slots = <Slot *>_zeroed(reads * sizeof(sm.slots[0]))
    sm.waiters = <Waiter *>_zeroed(WAITERS * sizeof(sm.waiters[0]))
    # as many loads as can wait for something, the one that is being handed over, and those of bulk copies
    loads = reads + WAITERS + 2 + (BULK_LOADS if launch.uses_bulk else 0)
    sm.loads = <Load *>_zeroed(loads * sizeof(Load))
    sm.bulk.load = -1
    sm.bulk.wake = -1
    if launch.uses_bulk:
        sm.bulk.ring = <BulkCopy *>_zeroed(BULK_RING * sizeof(BulkCopy))
        sm.bulk.transactions = <Transaction *>_zeroed(MAX_TRANSACTIONS * sizeof(Transaction))
    cache_open(&sm.l1, &m.l1)
    cache_open(&sm.constant, &m.constant)
    cache_open(&sm.texture, &m.texture)
    for i in range(reads):
        sm.slots[i].next = <int32_t>(i + 1 if i + 1 < reads else -1)
    for i in range(WAITERS):
        sm.waiters[i].next = <int32_t>(i + 1 if i + 1 < WAITERS else -1)
    for i in range(loads):
        sm.loads[i].next = <int32_t>(i + 1 if i + 1 < loads else -1)
    sm.waiters_left = WAITERS
    sm.store_credits = <int32_t>m.stores_in_flight
    sm.injection.stalled = -1
    for i in range(m.schedulers):
        sm.schedulers[i].last = -1
    for i in range(warps):
        sm.warps[i].rows = sm.row_memory + i * row_bytes
        sm.warps[i].ready = sm.ready_memory + i * entries
        sm.warps[i].predicates = sm.predicate_memory + i * launch.predicates
        sm.warps[i].stack = sm.stack_memory + i * STACK_FRAMES
        sm.warps[i].stack_room = STACK_FRAMES
        sm.warps[i].frames_left = &launch.frames_left
        if sm.split_memory != NULL:
            sm.warps[i].splits = sm.split_memory + i * launch.lanes
            sm.warps[i].split_room = launch.lanes
        sm.warps[i].local = sm.local_memory + i * launch.lanes * launch.local_bytes
        sm.warps[i].block = <int32_t>(i // launch.block_warps)
        sm.warps[i].index = <int32_t>(i % launch.block_warps)
    for i in range(launch.resident_blocks):
        sm.blocks[i].shared = sm.shared_memory + i * launch.shared_bytes
    return 0


cdef void sm_close(Sm *sm) noexcept nogil:
    """Free what `sm_open` took, complete or not."""
    cdef int32_t i
    if sm.warps != NULL:
        for i in range(sm.warp_slots):
            if sm.warps[i].stack_grown:
                free(sm.warps[i].stack)
    free(sm.warps)
    free(sm.blocks)
    free(sm.schedulers)
    free(sm.row_memory)
    free(sm.ready_memory)
    free(sm.predicate_memory)
    free(sm.stack_memory)
    free(sm.split_memory)
    free(sm.shared_memory)
    free(sm.local_memory)
    free(sm.pending_blocks)
    free(sm.ended)
    free(sm.slots)
    free(sm.waiters)
    free(sm.loads)
    free(sm.bulk.ring)
    free(sm.bulk.transactions)
    cache_close(&sm.l1)
    cache_close(&sm.constant)
    cache_close(&sm.texture)
