"""Groups larger than a block: what threads ask about them, and the barrier at which all their blocks wait.

A block arrives when all its threads that live have (`barriers`). When all blocks of a grid have, a barrier of the grid opens after the
time of an atomic operation, by which the last block says so, and of a load, by which the others see it. A barrier of several grids waits
for the other devices too: `Launch.gathered` says since when, and whoever runs the devices lets the grid go on (`Session.let_go`).
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from archdef.engine.barrier cimport GRID_BARRIER, GridBarrier
from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.events cimport EV_GRIDS, events_push
from archdef.engine.fault_code cimport FAULT_BOUNDS
from archdef.engine.guest cimport guest_at, guest_fault
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.machine cimport SCHEDULER_WARPS
from archdef.engine.operand cimport row_of
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport GS_GRID, GS_GRIDS, SYS_GROUP_HANDLE, SYS_GROUP_SIZE
from archdef.engine.uop cimport Uop

cdef enum:
    INVALID_VALUE = 1            # as CUDA numbers it


cdef int _give(SmCore *sm, Warp *w, int lane, uint64_t address, uint32_t value) noexcept nogil:
    """Write an answer where the guest wants it; address 0: it does not. Returns -1 after a fault."""
    cdef int64_t room
    cdef char *place
    if address == 0:
        return 0
    place = guest_at(sm, w, lane, address, &room)
    if place == NULL or room < 4:
        return guest_fault(sm, w, FAULT_BOUNDS, lane, address)
    memcpy(place, &value, 4)
    return 0


cdef int group_call(SmCore *sm, Warp *w, const Uop *u, int lane) noexcept nogil:
    """Answer one lane. Returns -1 after a fault."""
    cdef const Launch *launch = w.launch
    cdef uint64_t handle, threads, rank
    cdef bint several
    if u.fn == SYS_GROUP_HANDLE:
        handle = (<const uint32_t *>row_of(launch, w, u, 0))[lane]
        if u.d[0] >= 0:
            (<uint64_t *>(w.rows + u.d[0]))[lane] = handle if has_group(launch, handle) else 0
        return 0
    handle = (<const uint64_t *>row_of(launch, w, u, 2))[lane]
    if not has_group(launch, handle):
        if u.d[0] >= 0:
            (<uint32_t *>(w.rows + u.d[0]))[lane] = INVALID_VALUE
        return 0
    several = handle == GS_GRIDS
    threads = <uint64_t>launch.blocks * <uint64_t>launch.block_threads
    if u.fn == SYS_GROUP_SIZE:
        rank = launch.grids if several else 1
        threads *= rank
    else:
        rank = launch.grid_rank if several else 0
        threads = rank * threads + <uint64_t>sm.blocks[w.block].number * <uint64_t>launch.block_threads + <uint64_t>(w.index * launch.lanes + lane)
    if (_give(sm, w, lane, (<const uint64_t *>row_of(launch, w, u, 0))[lane], <uint32_t>threads) < 0
            or _give(sm, w, lane, (<const uint64_t *>row_of(launch, w, u, 1))[lane], <uint32_t>rank) < 0):
        return -1
    if u.d[0] >= 0:
        (<uint32_t *>(w.rows + u.d[0]))[lane] = 0
    return 0


cdef void group_arrive(SmCore *sm, Launch *launch, int32_t scope, int64_t cycle) noexcept nogil:
    """All threads of a block are at the barrier of its grid, or of several grids."""
    cdef GridBarrier *grid_barrier = &launch.grid_barrier[scope]
    grid_barrier.blocks += 1
    if cycle > grid_barrier.latest:
        grid_barrier.latest = cycle
    if grid_barrier.blocks == launch.blocks:
        sm.messages.gathered = True


cdef void group_release(Launch *launch, const Dispatcher *dispatcher, int64_t cycle) noexcept nogil:
    """Let all blocks go on from a cycle on that no multiprocessor has reached."""
    cdef int64_t i
    cdef int32_t k
    cdef const Block *b
    for i in range(launch.m.chip.multiprocessors):
        if dispatcher.sms[i].core == NULL:
            continue
        for k in range(<int32_t>(SCHEDULER_WARPS * launch.m.schedulers.count)):
            b = dispatcher.sms[i].core.blocks + k
            if b.running and b.launch == launch and b.barriers[GRID_BARRIER].first_waiting >= 0:
                events_push(dispatcher.sms[i].core.inbox, cycle, EV_GRIDS, k)
                dispatcher.messages.opening += 1


cdef void groups_settle(Dispatcher *dispatcher, int64_t epoch) noexcept nogil:
    """After an epoch, whose end is given: see which grids have gathered."""
    cdef int64_t latency = 2 * dispatcher.m.interconnect.response_latency_fs // dispatcher.m.clocks.shader_period_fs, cycle
    cdef Launch *launch = dispatcher.running
    dispatcher.messages.gathered = False
    while launch != NULL:
        if launch.grid_barrier[<int>GS_GRID].blocks == launch.blocks:
            cycle = launch.grid_barrier[<int>GS_GRID].latest + latency
            launch.grid_barrier[<int>GS_GRID].blocks = launch.grid_barrier[<int>GS_GRID].latest = 0
            group_release(launch, dispatcher, max(cycle, epoch))
        if launch.grid_barrier[<int>GS_GRIDS].blocks == launch.blocks:
            launch.gathered = launch.grid_barrier[<int>GS_GRIDS].latest + latency
            launch.grid_barrier[<int>GS_GRIDS].blocks = launch.grid_barrier[<int>GS_GRIDS].latest = 0
        launch = launch.next_running


cdef bint groups_wait(const Dispatcher *dispatcher) noexcept nogil:
    """Whether a grid waits for those of other devices."""
    cdef const Launch *launch = dispatcher.running
    while launch != NULL:
        if launch.grids and launch.gathered >= 0:
            return True
        launch = launch.next_running
    return False
