"""Stores and atomic operations that wait for a slice that has enough to do: they hold up what comes after them at their ports."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from archdef.engine.clock cimport NEVER
from archdef.engine.crossbar cimport Crossbar
from archdef.engine.port cimport Port, PortQueue, Ports, port_wait, port_wake
from archdef.engine.tournament cimport tournament_set


cdef int slice_queues_open(SliceQueues *s, const Crossbar *crossbar, Ports *ports, int32_t unit) except -1:
    """Make a queue for each slice; its events are those of so many units from `unit` on."""
    cdef int64_t i
    s.crossbar = crossbar
    s.ports = ports
    s.unit = unit
    s.queues = <PortQueue *>calloc(<size_t>crossbar.m.dram.partitions, sizeof(PortQueue))
    if s.queues == NULL:
        raise MemoryError("queues of the slices")
    for i in range(crossbar.m.dram.partitions):
        s.queues[i].first = s.queues[i].last = -1
    return 0


cdef void slice_queues_close(SliceQueues *s) noexcept nogil:
    free(s.queues)
    s.queues = NULL


cdef inline int64_t _ready(const SliceQueues *s, int32_t slice) noexcept nogil:
    """When a slice has so little to do that it takes something more."""
    return s.crossbar.in_free_fs[slice] - s.crossbar.m.interconnect.slices.queue_fs


cdef bint slice_queue_wait(SliceQueues *s, int32_t unit, int32_t slice, int64_t now_fs) noexcept nogil:
    """Let a port wait for a slice that has enough to do, and behind those who wait already. False: it need not."""
    cdef Port *port = s.ports.port + unit
    cdef PortQueue *queue = s.queues + slice
    if port.called or _ready(s, slice) <= now_fs and queue.first < 0:
        port.called = 0
        return False
    if queue.first < 0:
        tournament_set(s.ports.events, s.unit + slice, _ready(s, slice))
    port_wait(s.ports, unit, queue)
    return True


cdef void slice_queue_event(SliceQueues *s, int32_t slice, int64_t now_fs) noexcept nogil:
    """Call the port that has waited longest for a slice, if that can take what it has by now."""
    cdef PortQueue *queue = s.queues + slice
    cdef int64_t when = max(_ready(s, slice), now_fs + 1)
    if _ready(s, slice) <= now_fs:
        s.ports.port[port_wake(s.ports, queue, now_fs)].called = 1
    tournament_set(s.ports.events, s.unit + slice, when if queue.first >= 0 else NEVER)
