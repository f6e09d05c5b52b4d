"""State of running launches: warps, blocks, multiprocessors, and what they share."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.block_memory cimport BlockStorage
from archdef.engine.cache cimport Cache
from archdef.engine.copying cimport Bulk
from archdef.engine.events cimport Events
from archdef.engine.in_flight cimport WriteCombiningLine, Load, Slot, Waiter
from archdef.engine.dispatch_event cimport Ended, DispatchEvent
from archdef.engine.lsu_pipeline cimport LsuPipeline, ReplayEntry
from archdef.engine.launch cimport Block, BlockCluster, ChildLaunches, Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.network cimport Network
from archdef.engine.schedule cimport Scheduler, pick_function

cdef struct Dispatcher
cdef struct Sm

cdef enum:
    UNIT_COPIES = 8              # most units of a kind that schedulers share


cdef struct Fault:
    int32_t code
    int32_t op                   # index of the micro-op
    int32_t sm
    int32_t warp                 # warp slot
    int32_t lane
    int32_t pad
    uint64_t address
    uint64_t lanes               # lanes concerned
    int64_t cycle
    uint64_t detail[4]           # by code
    Launch *launch               # the warp's, NULL: no warp is to blame

cdef struct Posted:              # an operation on an mbarrier of another block that is on its way
    BlockCluster *cluster
    int64_t serial
    Launch *launch
    int32_t rank
    int32_t fn                   # PhaseOp
    uint32_t offset
    uint32_t count
    int32_t op                   # who has sent it: …
    int32_t sm
    int32_t warp
    int32_t lane
    int32_t next                 # not in use

cdef struct Chip:                # what all multiprocessors and all grids share
    const MachineTable *m
    pick_function pick
    int32_t held_from[16]        # per unit: fewest cycles of an op that keep others from starting
    int32_t counted[16]          # per unit: whether more is to be done when an op takes it, and what; see units.pxd
    uint32_t needed              # mask of the units that programs have ops for: nobody waits for others, which are not kept up to date
    uint32_t sharing[16]         # … of those, units that have copies in common with it, itself too; of the unit that has all of them
    uint32_t using[16][8]        # … those that can use each of its copies
    int64_t budget               # warp instructions left
    Fault fault
    int64_t lookahead            # cycles of an epoch
    int64_t frames_left          # entries by which divergence stacks may still grow
    bint out_of_memory           # of the host
    bint gathered                # all blocks of some grid have arrived at its barrier in this epoch
    int64_t opening              # blocks that such a barrier lets go on, but not yet
    Launch **launches            # by number
    int64_t *landed              # of each: cycle by which its stores have landed
    int64_t **network_landed     # the network's copy of that pointer
    BlockStorage *free_storage[128]  # not in use, by class of size
    BlockStorage *slabs          # pieces of host memory that they lie in
    int64_t slab_bytes           # of them together
    Dispatcher *dispatcher
    LsuPipeline access           # that is being queued
    BlockCluster *clusters       # not in use …
    BlockCluster *clusters_made  # … and all
    int64_t cluster_serial
    Posted *posted
    int32_t posted_room
    int32_t free_posted          # -1: none
    int64_t *asked               # [3][multiprocessors]: what a plugin's block dispatch is shown; NULL: there is none

cdef struct Dispatcher:          # gives places to blocks
    Chip *chip
    Sm *sms
    DispatchEvent *heap          # in order of cycle, kind, sm, index
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
    int64_t horizon              # everything before it has been handled

cdef struct Sm:                  # what every cycle or every access touches comes first: the multiprocessors of a big machine displace each other
    Events *inbox
    const MachineTable *m
    Chip *chip
    Scheduler *schedulers
    Warp *warps                  # [schedulers * SCHEDULER_WARPS], at a line of the host's cache
    Block *blocks                # as many: a block has a warp at least
    int64_t now
    uint32_t busy
    int32_t turn                 # scheduler that comes first: the one behind the last that took a unit which they share …
    int32_t first                # … or behind the first, where one of several units was taken …
    int32_t id
    int64_t taken                # … in this cycle
    int64_t issued               # instructions of warps so far
    int64_t effects              # so far, that end a livelock: see livelock.pyx
    int64_t throttled            # cycles in which the load/store unit waited for a credit
    int64_t banks_free           # cycle from which the banks have nothing to do, see `banks`
    int64_t remote_free          # cycle from which the way to other blocks' shared memory is free …
    int64_t remote_part          # … and bytes of it that are taken already
    int64_t looping              # cycle up to which the atomic operation issued last holds its warp
    int64_t products_until       # cycle up to which queued products of warpgroups read shared memory
    uint64_t freed               # sets of L1 that have had fills since loads were last issued again, modulo 64
    void *observers              # `Observers` of observers.pxd, NULL: nobody is told of what happens
    void *throttle               # a `Throttle` of throttle.pxd, NULL: no policy holds loads back
    int32_t replay_count
    int32_t held                 # 1: the access that was just issued holds its warp
    int32_t drawn                # accesses that chance decides the order of, behind the latest load of device memory
    Network *network
    Load *loads
    Slot *slots
    Waiter *waiters
    int32_t free_load
    int32_t free_slot
    int32_t free_waiter
    int32_t waiters_left
    int32_t store_credits
    int32_t store_bytes          # of stores that are not acknowledged, where they are limited
    int32_t free_texture         # like `free_slot`, of a pool for the cluster's texture cache
    int32_t combined_count
    int32_t combined_first       # the oldest of the lines that wait for more stores …
    int32_t combined_watched     # … 1: an event looks after them …
    int64_t combined_touched     # … cycle of the latest store among them
    int64_t unit_free[16]        # first cycle at which a unit of the kind can start an op
    int64_t unit_blocked[16]
    LsuPipeline lsu
    Cache l1
    int64_t copy_free[16][8]     # as `unit_free`, of each unit, where there are several of a kind
    Bulk bulk
    ReplayEntry *replay          # [REFUSED] in the order in which they were; NULL: the load/store unit waits for a place …
    int32_t *replay_order        # … by number, and behind them those that are not in use
    Cache constant
    Cache constant_behind[2]     # its second and third level
    Cache *uniform               # [schedulers] caches of constants that warps read as a whole; NULL: there are none …
    int64_t *uniform_arrives     # … [caches][sets][ways]: when each line is there, NEVER: when the load/store unit has brought it …
    int64_t uniform_next         # … and from which cycle on the next line can come
    Cache *code                  # [schedulers, or 1] their first caches of instructions; NULL: there are none, or they are all empty …
    int64_t *code_arrives        # … [caches][sets][ways]: when each line is there
    Cache code_behind[2]         # its second and third level …
    int64_t *code_behind_arrives[2]
    const Launch *code_launch    # whose code was brought here last …
    int64_t code_serial
    Cache texture                # of texture fetches, surface loads and read-only loads
    Ended *ended                 # blocks that ended in this epoch
    int32_t ended_count
    int32_t ended_noted          # by the dispatcher
    int64_t launch_free          # cycle at which the next block may start here
    int64_t launched_warps       # age stamp
    uint64_t free_warps[8]       # bit s of word k: slot 64 k + s
    uint64_t free_blocks[8]
    int64_t used[4]              # by resident blocks, as in Launch.cost
    uint64_t scratch[64]         # destination of a partial warp's arithmetic
    WriteCombiningLine combined[64]  # lines that wait for more stores, a ring …
    uint8_t combined_at[64]      # … and how many of them there are by a hash of the line
    int64_t bank_queue[64]       # cycles in which the latest accesses that waited for the banks are through, a ring …
    int64_t bank_place           # … and the latest of them
    void *warps_held             # the allocations that `warps` and `schedulers` lie in
    void *schedulers_held
