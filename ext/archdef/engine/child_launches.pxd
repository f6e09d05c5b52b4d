"""What a block has launched, as long as it or any of it is there; and the places of launches by kernels."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.launch cimport ChildLaunches, Launch, Origin
from archdef.engine.sm_core cimport SmCore

cdef enum:
    BUFFER_HEAD = 64             # bytes before the arguments of a launch in the virtualised pool: their number

cdef void buffer_return(Origin *origin, const Launch *launch, int64_t number) noexcept nogil
cdef ChildLaunches *child_launches_take(Dispatcher *d, const SmCore *sm, int32_t slot) noexcept nogil
cdef void child_launches_leave(Dispatcher *d, ChildLaunches *child_launches) noexcept nogil
cdef void child_launches_drop(Dispatcher *d, ChildLaunches *child_launches) noexcept nogil
cdef Launch *launch_take(Dispatcher *d) noexcept nogil
cdef int launch_enter(Dispatcher *d, Launch *launch) noexcept nogil
cdef void launch_drop(Dispatcher *d, Launch *launch) noexcept nogil
cdef void child_launches_close(Dispatcher *d) noexcept nogil
