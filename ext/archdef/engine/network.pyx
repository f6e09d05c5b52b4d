"""Everything beyond the multiprocessors, driven by events in time order.

Three kinds of unit have events: a port sends its head request, a partition lets a DRAM command go, a slice calls a port that waits for it; optional
components between multiprocessors and ports (`stage.pyx`) have their own.
All else that is first come first served is a time at which it is next free. Ties go by unit number, so results do not depend on when the
multiprocessors send their requests. A request goes from its port (`port.pyx`) where `route.pyx` says, by the crossbar (`crossbar.pyx`) to
a slice (`l2_slice.pyx`), from there to DRAM (`dram.pyx`), and its answer back by the crossbar. One for memory of the host or of another device
goes from the crossbar to a link (`remote.pyx`) instead.
"""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.arena cimport Arena, arena_zeroed
from archdef.engine.crossbar cimport crossbar_close, crossbar_open
from archdef.engine.events cimport Events
from archdef.engine.l2_coalescer cimport l2_coalescer_admit, l2_coalescer_open
from archdef.engine.l2_slice cimport L2, l2_arrive, l2_open, l2_served
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.partition cimport Partition, partition_close, partition_open
from archdef.engine.port cimport Request, ports_close, ports_open
from archdef.engine.remote cimport remote_open
from archdef.engine.route cimport route_close, route_open
from archdef.engine.shared_texture cimport shared_texture_close, shared_texture_open
from archdef.engine.slice_queue cimport slice_queues_close, slice_queues_open
from archdef.engine.stage cimport stages_close, stages_open
from archdef.engine.tournament cimport tournament_close, tournament_open


cdef inline bint is_linked(const Network *n, const Request *r) noexcept nogil:
    """Whether a request is for memory behind a link; launches that can access such memory do not come here, see `network_linked.pyx`."""
    return False


include "network_unrecorded.pxi"
include "network.pxi"


cdef int network_open(Network *n, const MachineTable *m, DeviceMemory memory, Events *inboxes, Arena *arena, int64_t at_once) except -1:
    """Build an idle network for the machine, in front of a memory; answers go to `inboxes`, one per multiprocessor.

    at_once : so many partitions are made now, the others for their first request.
    """
    cdef int64_t i, slots = max(m.load_store.reads_in_flight_per_multiprocessor, 1)
    if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER:
        slots += m.load_store.textures_in_flight_per_multiprocessor
    n.m = m
    ports_open(&n.ports, m, &n.events, arena)
    route_open(&n.routing, m, slots, arena)
    stages_open(&n.stages, &n.ports, <int32_t>(n.ports.count + m.dram.partitions * (2 if n.routing.parities != NULL else 1)))
    tournament_open(&n.events, n.stages.unit + n.stages.units)
    crossbar_open(&n.crossbar, &n.routing, inboxes, n.ports.count, arena)
    slice_queues_open(&n.queues, &n.crossbar, &n.ports, <int32_t>(n.ports.count + m.dram.partitions))
    shared_texture_open(&n.textures, &n.crossbar, arena)
    l2_coalescer_open(&n.gathering, &n.crossbar, arena)
    n.partitions = <Partition *>arena_zeroed(arena, <size_t>m.dram.partitions * sizeof(Partition))
    if n.partitions == NULL:
        raise MemoryError("partitions of the network")
    for i in range(m.dram.partitions):
        partition_open(n.partitions + i, m, i, &n.events, <int32_t>(n.ports.count + i), arena, &inboxes[0].failed, i < at_once)
    remote_open(&n.remote, m, memory.first, memory.own_bytes(), memory.host_first(), arena, &inboxes[0].failed)
    n.l2.m = m
    n.l2.routing = &n.routing
    n.l2.crossbar = &n.crossbar
    n.l2.gathering = &n.gathering
    n.l2.textures = &n.textures
    n.l2.partitions = n.partitions
    return l2_open(&n.l2, arena)


cdef void network_admit(Network *n, int64_t sm) noexcept nogil:
    """Begin with what is kept of the requests of a multiprocessor, before it sends any."""
    l2_coalescer_admit(&n.gathering, sm)


cdef void network_close(Network *n) noexcept nogil:
    """Free what `network_open` took, complete or not."""
    cdef int64_t i
    if n.m == NULL:
        return
    if n.partitions != NULL:
        for i in range(n.m.dram.partitions):
            partition_close(n.partitions + i)
    if n.textures.m != NULL:
        shared_texture_close(&n.textures)
    slice_queues_close(&n.queues)
    crossbar_close(&n.crossbar)
    route_close(&n.routing)
    stages_close(&n.stages)
    ports_close(&n.ports)
    tournament_close(&n.events)
    n.m = NULL


cdef int64_t network_next(const Network *n) noexcept nogil:
    """Time of the next event; NEVER if all is quiet."""
    return n.events.tree[1].when
