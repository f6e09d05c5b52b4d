"""What gives places to blocks: its queues of launches, and what each multiprocessor has left."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.block_memory cimport BlockStoragePool
from archdef.engine.dispatch_event cimport DispatchEvent, Ended
from archdef.engine.dispatch_policy cimport DispatchPolicy
from archdef.engine.fault_record cimport Fault
from archdef.engine.launch cimport WHOLE, Block, ChildLaunches, Launch
from archdef.engine.machine cimport MachineTable
from archdef.engine.messages cimport Messages
from archdef.engine.sm_core cimport SmCore

cdef struct BlockSlots:          # of a multiprocessor
    SmCore *core                 # NULL: it has never had a block
    int64_t used[4]              # by resident blocks, as in Launch.cost
    int64_t launch_free          # cycle at which the next block may start here
    uint64_t free_warps[8]       # bit s of word k: slot 64 k + s
    uint64_t free_blocks[8]
    Ended *ended                 # blocks that have ended and whose places are not free, in order of cycle …
    int32_t ended_count
    int32_t ended_noted          # … and how many of them have been noted

cdef struct Dispatcher:
    const MachineTable *m
    Fault *fault                 # the machine's
    Messages *messages           # likewise
    BlockSlots *sms              # [multiprocessors]
    int (*make_sm)(void *maker, int64_t number) noexcept nogil    # makes the state of a multiprocessor; -1: the host has no memory for it
    void *maker
    void (*swap_out)(SmCore *sm, Block *b, int64_t cycle) noexcept nogil        # lets a block give its place away
    const int32_t *port          # [multiprocessors]: which share a port to the network, the same number
    BlockStoragePool storage
    Launch **launches            # by number
    int64_t *landed              # of each: cycle by which its stores have landed
    int64_t **network_landed     # the network's copy of that pointer
    DispatchPolicy *policy       # a plugin's; NULL: there is none
    DispatchEvent *heap          # in the order of `_before`
    int32_t count
    int32_t room
    Launch *first                # launches with blocks to start, in order
    Launch *last
    bint full                    # no multiprocessor has room for a block of the first
    Launch *running              # launches that are not complete and whose time has come
    Launch *spare                # places of complete launches by kernels
    Launch *made                 # all places of launches by kernels
    Launch *unfit                # launch whose blocks nobody has measured yet
    int64_t serial
    int64_t launched             # places of launches
    int64_t entered              # launches that have reached the machine or their stream
    int64_t launch_room
    ChildLaunches *returning     # blocks that gave their place away and want one again
    ChildLaunches *last_returning
    ChildLaunches *spare_child_launches
    ChildLaunches **child_launches
    int64_t child_launches_count
    int64_t child_launches_capacity
    int32_t leaving              # blocks that are giving their place away
    int64_t *waiting             # blocks that may give their place away: sm << 32 | slot
    int64_t waiting_count
    int64_t waiting_room
    int64_t launch_free          # cycle of the next block launch on the chip …
    int64_t launch_part          # … and 64ths of one
    int64_t end_free             # cycle at which the chip may take note of the next block's end …
    int64_t end_part             # … and 64ths of one
    int64_t next_end             # first cycle of the ends that are known but lie ahead, NEVER: there are none
    int64_t horizon              # everything before it has been handled

cdef inline int64_t room_for(const BlockSlots *sm, const Launch *launch) noexcept nogil:
    """How many more blocks of a launch a multiprocessor has room for."""
    cdef int64_t room = WHOLE
    cdef int k
    for k in range(4):
        if launch.cost[k]:
            room = min(room, (WHOLE - sm.used[k]) // launch.cost[k])
    return room

cdef void dispatch_note(Dispatcher *d, int64_t cycle, int32_t kind, int32_t sm, int32_t index) noexcept nogil
cdef DispatchEvent dispatch_take(Dispatcher *d) noexcept nogil
