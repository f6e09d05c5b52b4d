"""Whether every warp waits for what nobody will do."""
from libc.stdint cimport int64_t, uint64_t, uint8_t

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.state cimport Sm

cdef struct Watch:
    int64_t effects          # of all multiprocessors when they were counted last
    int64_t since            # cycle of the count by which there were no others
    int64_t begin            # cycle at which states were remembered, -1: not since then
    int64_t end              # cycle at which those not found again are remembered anew
    int64_t next             # cycle of the next look
    int64_t room             # warps of all multiprocessors
    uint64_t *states         # [room] remembered; NULL: never yet
    uint8_t *found           # [room] the warp has been in its state again

cdef void watch_start(Watch *watch) noexcept nogil
cdef void watch_close(Watch *watch) noexcept nogil
cdef int watch_look(Watch *watch, Sm **sms, int64_t count, const Dispatcher *dispatcher, int64_t cycle) noexcept nogil
