"""A machine at work: launches come in over time and share its multiprocessors."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.events cimport Events
from archdef.engine.grid cimport Grid
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.multiprocessor cimport SmMaker
from archdef.engine.network cimport Network
from archdef.engine.recorder cimport TimelineRecorder
from archdef.engine.request_trace cimport RequestTrace
from archdef.engine.sampler cimport Sampler
from archdef.engine.livelock cimport Watch
from archdef.engine.state cimport Chip, Sm
from archdef.engine.tables cimport Tables

cdef class Session:
    cdef Tables tables
    cdef const MachineTable *m           # in them
    cdef Chip chip
    cdef Dispatcher dispatcher
    cdef Network network
    cdef Events *inboxes
    cdef Arena arena                     # what multiprocessors and partitions keep
    cdef SmMaker maker
    cdef Sm **sms                        # NULL: the multiprocessor has never had a block
    cdef bint at_once                    # what plugins bring is made at once, and what it works on
    cdef DeviceMemory memory
    cdef list grids                      # not complete, or not asked for since
    cdef list programs                   # that were launched
    cdef list leaving                    # complete, but the places of their blocks are not free yet
    cdef int64_t launched                # by the host, so far
    cdef int64_t active                  # launches that are not complete, or nobody has asked for
    cdef int64_t epoch
    cdef readonly bint waiting           # for grids of other devices, with nothing else to do
    cdef Watch watch
    cdef int (*run)(Sm *sm, int64_t until) noexcept nogil    # `sm_run`, or what also records
    cdef void (*run_network)(Network *n, int64_t until_fs) noexcept nogil    # `network_run`, likewise
    cdef Sampler *samplers               # of launches whose timeline is recorded, and that nobody has asked for
    cdef int32_t traced                  # requests that have been recorded, of all launches
    cdef bint linked                     # launches may access memory behind links
    cdef readonly bint functional        # nothing is timed
    cdef bint closed                     # nothing comes from outside while it advances
    cdef int64_t max_cycles
    cdef int64_t instructions
    cdef int ended

    cdef int _admit(self) except -1
    cdef void _free_places(self) noexcept
    cdef int _make(self, int64_t number) except -1
    cdef int _make_all(self) except -1
    cdef int _open_units(self, Grid made) except -1
    cdef Grid _ready(self, Grid made)
    cdef int _record(self, Grid made, TimelineRecorder timeline, int64_t cycle) except -1
    cdef int _begin_placement(self) except -1
    cdef void _sample(self, Grid grid) noexcept
    cdef void _trace(self, RequestTrace *trace) noexcept
    cdef void _trace_no_more(self, RequestTrace *trace) noexcept
    cdef void _forget(self, Grid grid) noexcept
    cdef void _choose_run(self) noexcept
    cdef int _number_of(self, program) except? -1
    cdef int _enter(self, Grid grid) except -1
    cdef int _measure(self) except -1
    cdef int _release(self, int64_t count) except -1
    cdef int _step(self, int64_t until_cycle) noexcept nogil
    cdef int _sampled_step(self, int64_t until_cycle) noexcept nogil
    cdef int _four_steps(self, int64_t until_cycle) noexcept nogil
    cdef int _steps(self, int64_t until_cycle, int64_t deadline) noexcept nogil
    cdef int _look_for_livelock(self) noexcept nogil
    cdef void _blame(self) noexcept nogil
    cdef void _point_at_running(self) noexcept nogil
    cdef void _blame_livelock(self) noexcept nogil
