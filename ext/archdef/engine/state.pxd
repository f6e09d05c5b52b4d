"""State of running launches: warps, blocks, multiprocessors, and what they share."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.banks cimport BankQueue
from archdef.engine.block_cluster cimport RemotePath
from archdef.engine.cache cimport Cache
from archdef.engine.copying cimport Bulk
from archdef.engine.fault_record cimport Fault
from archdef.engine.in_flight cimport WriteCombiningLine, Load, Slot, Waiter
from archdef.engine.dispatcher cimport BlockSlots, Dispatcher
from archdef.engine.lsu_pipeline cimport LsuPipeline, ReplayEntry
from archdef.engine.launch cimport Launch
from archdef.engine.machine cimport MachineTable
from archdef.engine.messages cimport Messages
from archdef.engine.network cimport Network
from archdef.engine.schedule cimport Scheduler, pick_function
from archdef.engine.sm_core cimport SmCore
from archdef.engine.units cimport Units, UnitSharing


cdef struct Chip:                # what all multiprocessors and all grids share
    const MachineTable *m
    pick_function pick
    UnitSharing units
    int64_t budget               # warp instructions left
    Fault fault
    int64_t lookahead            # cycles of an epoch
    int64_t frames_left          # entries by which divergence stacks may still grow
    Dispatcher *dispatcher
    LsuPipeline access           # that is being queued
    Messages messages

cdef struct Sm:                  # what every cycle or every access touches comes first: the multiprocessors of a big machine displace each other
    SmCore core
    const MachineTable *m
    Chip *chip
    Scheduler *schedulers
    Units units
    int64_t issued               # instructions of warps so far
    int64_t throttled            # cycles in which the load/store unit waited for a credit
    RemotePath remote
    int64_t looping              # cycle up to which the atomic operation issued last holds its warp
    int64_t products_until       # cycle up to which queued products of warpgroups read shared memory
    uint64_t freed               # sets of L1 that have had fills since loads were last issued again, modulo 64
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
    LsuPipeline lsu
    Cache l1
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
    BlockSlots *places           # what the dispatcher knows of it
    int64_t launched_warps       # age stamp
    uint64_t scratch[64]         # destination of a partial warp's arithmetic
    WriteCombiningLine combined[64]  # lines that wait for more stores, a ring …
    uint8_t combined_at[64]      # … and how many of them there are by a hash of the line
    BankQueue banks
    void *warps_held             # the allocations that `warps` and `schedulers` lie in
    void *schedulers_held
