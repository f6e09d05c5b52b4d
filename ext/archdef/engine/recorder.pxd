"""What records the timeline of a launch."""
from libc.stdint cimport int64_t

from archdef.engine.grid cimport Grid
from archdef.engine.machine cimport MachineTable
from archdef.engine.network cimport Network
from archdef.engine.request_trace cimport RequestTrace
from archdef.engine.sampler cimport Sampler
from archdef.engine.timeline_record cimport TimelineRecord

cdef class TimelineRecorder:
    """The timeline that a launch was asked for."""
    cdef TimelineRecord record
    cdef Sampler sampler
    cdef RequestTrace requests
    cdef bint traces             # requests
    cdef int64_t period_fs       # of the multiprocessors' clock
    cdef bint begun
    cdef int64_t origin          # cycle of the session that the launch counts from
    cdef int64_t kernel_count    # that the launch can come to
    cdef int64_t op_count        # of all of them
    cdef object chosen           # multiprocessors whose warps are recorded, None: all

    cdef int begin(self, Grid grid, const Network *network, int64_t epoch_cycles) except -1
    cdef int _open_warps(self) except -1
    cdef int _open_activity(self, Grid grid, const MachineTable *m) except -1
    cdef int _open_ops(self, Grid grid, const MachineTable *m) except -1
    cdef int _open_banks(self, const MachineTable *m) except -1
    cdef _first_ops(self)
    cdef int _open_requests(self, const Network *network) except -1
