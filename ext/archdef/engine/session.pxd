"""A machine at work: launches come in over time and share its multiprocessors."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.events cimport Events
from archdef.engine.hooks cimport Hooks
from archdef.engine.lane_states cimport LaneTracer
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.network cimport Network
from archdef.engine.program cimport LoadedProgram
from archdef.engine.spinning cimport Watch
from archdef.engine.state cimport Chip, Dispatcher, Launch, Origin, Sm

cdef class Session

cdef class Grid:
    """A launch by the host."""
    cdef Launch launch
    cdef Origin origin
    cdef readonly int number
    cdef readonly object entry           # what messages call the kernel
    cdef readonly object statements
    cdef LoadedProgram program
    cdef DeviceMemory memory
    cdef bint synchronises_grid          # the kernel reads where the words are by which blocks wait for each other
    cdef uint64_t parameter_address
    cdef uint64_t workspace_address      # of a cooperative launch
    cdef int64_t multiprocessors
    cdef list loaded                     # LoadedProgram of each kernel that kernels of it may launch
    cdef readonly object kernels         # what the host said of them, None: they launch nothing
    cdef readonly LaneTracer lane_trace  # None: nobody asked for one
    cdef uint64_t buffer_address         # device memory for arguments, and for what errors are called
    cdef uint64_t text_address

    cdef int _open_kernels(self, Session session, program, uint64_t global_base, uint64_t const_base) except -1
    cdef int _open_runtime(self, program, uint64_t heap_bytes, int64_t print_bytes) except -1
    cdef int _fill_constants(self, program, bytes parameters, int64_t dynamic_shared_bytes, uint64_t global_base, uint64_t const_base, multicast) except -1
    cdef int _let_go(self) except -1

cdef class Session:
    cdef MachineTable machine
    cdef Chip chip
    cdef Dispatcher dispatcher
    cdef Network network
    cdef Events *inboxes
    cdef Sm *sms
    cdef DeviceMemory memory
    cdef list grids                      # not complete, or not asked for since
    cdef list programs                   # that were launched
    cdef list leaving                    # complete, but the places of their blocks are not free yet
    cdef int64_t launched                # by the host, so far
    cdef int64_t active                  # launches that are not complete, or nobody has asked for
    cdef Hooks hooks                     # policies of plugins
    cdef int64_t epoch
    cdef readonly bint waiting           # for grids of other devices, with nothing else to do
    cdef Watch watch
    cdef bint closed                     # nothing comes from outside while it advances
    cdef int64_t max_cycles
    cdef int64_t instructions
    cdef int ended

    cdef int _check(self, MachineTable *m) except -1
    cdef int _number_of(self, program) except -1
    cdef int _enter(self, Grid grid) except -1
    cdef int _measure(self) except -1
    cdef int _release(self, int64_t count) except -1
    cdef int _step(self, int64_t until_cycle) noexcept nogil
    cdef void _blame(self) noexcept nogil
    cdef void _point_at_running(self) noexcept nogil
    cdef void _stand_still(self) noexcept nogil
