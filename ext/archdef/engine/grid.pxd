"""A launch by the host: what it is made of, and what is counted for it."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.lane_states cimport LaneTracer
from archdef.engine.launch cimport Launch, Origin
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.program cimport LoadedProgram

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
    cdef readonly object timeline        # TimelineRecorder, None: nobody asked for one
    cdef uint64_t buffer_address         # device memory for arguments, and for what errors are called
    cdef uint64_t text_address

    cdef int _take_shape(self, grid, block, cluster) except -1
    cdef int _take_program(self, program, int64_t dynamic_shared_bytes, int64_t code) except -1
    cdef int _take_room(self, allowed) except -1
    cdef int _open_kernels(self, program, uint64_t global_base, uint64_t const_base) except -1
    cdef int _open_calls(self) except -1
    cdef int _open_runtime(self, uint64_t heap_bytes, int64_t print_bytes) except -1
    cdef int _fill_constants(self, program, bytes parameters, int64_t dynamic_shared_bytes, uint64_t global_base, uint64_t const_base, multicast) except -1
    cdef int _let_go(self) except -1
