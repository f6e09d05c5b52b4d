"""Stores and atomic operations that wait for a slice that has enough to do: they hold up what comes after them at their ports."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.crossbar cimport Crossbar
from archdef.engine.port cimport PortQueue, Ports

cdef struct SliceQueues:
    PortQueue *queues        # [slice]: ports whose head request waits for it
    const Crossbar *crossbar
    Ports *ports
    int32_t unit             # of the first slice: its event is that it calls a port

cdef int slice_queues_open(SliceQueues *s, const Crossbar *crossbar, Ports *ports, int32_t unit) except -1
cdef void slice_queues_close(SliceQueues *s) noexcept nogil
cdef bint slice_queue_wait(SliceQueues *s, int32_t unit, int32_t slice, int64_t now_fs) noexcept nogil
cdef void slice_queue_event(SliceQueues *s, int32_t slice, int64_t now_fs) noexcept nogil
