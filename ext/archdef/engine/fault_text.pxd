"""What a fault says."""
from libc.stdint cimport int64_t

from archdef.engine.memory cimport DeviceMemory
from archdef.engine.grid cimport Grid
from archdef.engine.state cimport Dispatcher, Fault, Sm

cdef object fault_error(const Fault *f, const Sm *sms, int64_t multiprocessors, const Dispatcher *dispatcher, Grid grid, DeviceMemory memory,
                        int64_t instructions, int64_t max_cycles)
