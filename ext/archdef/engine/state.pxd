"""State of running launches: warps, blocks, multiprocessors, and what they share."""
from libc.stdint cimport int64_t

from archdef.engine.arena cimport Arena
from archdef.engine.banks cimport BankQueue
from archdef.engine.block_cluster cimport RemotePath
from archdef.engine.cache cimport Cache
from archdef.engine.copying cimport Bulk
from archdef.engine.dispatcher cimport BlockSlots, Dispatcher
from archdef.engine.fault_record cimport Fault
from archdef.engine.fetch cimport CodeCaches
from archdef.engine.in_flight cimport InFlight
from archdef.engine.l1_policies cimport L1Policies
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory_port cimport MemoryPort
from archdef.engine.messages cimport Messages
from archdef.engine.replay cimport ReplayList
from archdef.engine.schedule cimport Scheduler, pick_function
from archdef.engine.sm_core cimport SmCore
from archdef.engine.throttle cimport Throttle
from archdef.engine.uniform cimport ConstantCaches
from archdef.engine.units cimport Units, UnitSharing
from archdef.engine.write_combining cimport WriteCombining

cdef struct Chip:                # what all multiprocessors and all grids share
    const MachineTable *m
    Arena *arena                 # of what multiprocessors and partitions keep
    bint bulk                    # some kernel copies in bulk
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
    int64_t l1_hits              # sectors that loads found in L1, present or on their way, so far …
    int64_t l1_misses            # … and those that they did not
    RemotePath remote
    Throttle *throttle           # NULL: no policy holds loads back
    L1Policies *l1_policies      # NULL: nothing is asked which lines L1 keeps, nothing stands beside it
    ReplayList replays           # loads that wait to be issued again
    MemoryPort port
    InFlight in_flight
    LsuPipeline lsu
    Cache l1
    Bulk bulk
    ConstantCaches constants
    CodeCaches code
    Cache texture                # of texture fetches, surface loads and read-only loads
    BlockSlots *places           # what the dispatcher knows of it
    int64_t launched_warps       # age stamp
    WriteCombining write_combining  # stores that wait for others of their lines
    BankQueue banks
