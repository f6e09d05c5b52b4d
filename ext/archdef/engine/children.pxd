"""Launches by kernels: the calls that make them."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport SYS_COPY, SYS_EVENT_RECORD, SYS_EVENT_WAIT, SYS_FILL, SYS_LAUNCH
from archdef.engine.uop cimport Uop

cdef inline bint is_item(const Uop *u) noexcept nogil:
    """Whether the call puts something into a stream."""
    return u.fn in (SYS_LAUNCH, SYS_EVENT_RECORD, SYS_EVENT_WAIT, SYS_COPY, SYS_FILL)


cdef int child_call(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, int lane, int64_t *due) noexcept nogil
