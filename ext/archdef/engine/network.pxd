"""Everything beyond the multiprocessors: ports, crossbar, slices of the L2, DRAM; driven by events in time order."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.arena cimport Arena
from archdef.engine.crossbar cimport Crossbar
from archdef.engine.events cimport Events
from archdef.engine.l2_coalescer cimport L2Coalescers
from archdef.engine.l2_slice cimport L2
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.partition cimport Partition
from archdef.engine.port cimport Ports
from archdef.engine.remote cimport Remote
from archdef.engine.route cimport Routing
from archdef.engine.shared_texture cimport SharedTextures
from archdef.engine.slice_queue cimport SliceQueues
from archdef.engine.stage cimport Stages
from archdef.engine.tournament cimport Tournament

cdef struct Network:
    const MachineTable *m
    Tournament events        # of ports, then partitions, then slices, then stages
    Ports ports
    Stages stages
    Routing routing
    Crossbar crossbar
    SliceQueues queues
    SharedTextures textures
    L2Coalescers gathering
    L2 l2
    Partition *partitions
    Remote remote            # memory of the host and of other devices
    # how many partitions have work at a time: bytes may be even over a launch and yet come from one partition after another
    int32_t working          # partitions with a request queued or on its way to them
    int64_t changed_fs
    int64_t any_working_fs   # time in which at least one had work
    int64_t working_fs       # the same, times how many had

cdef int network_open(Network *n, const MachineTable *m, DeviceMemory memory, Events *inboxes, Arena *arena, int64_t at_once) except -1
cdef void network_admit(Network *n, int64_t sm) noexcept nogil
cdef void network_close(Network *n) noexcept nogil
cdef void network_run(Network *n, int64_t until_fs) noexcept nogil
cdef int64_t network_next(const Network *n) noexcept nogil
