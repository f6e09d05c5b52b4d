"""What a fault says."""
from libc.stdint cimport int64_t

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.fault_record cimport Fault
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.grid cimport Grid

cdef object fault_error(const Fault *f, const Dispatcher *dispatcher, Grid grid, DeviceMemory memory,
                        int64_t instructions, int64_t max_cycles)
