# Events of the network, in order of time, as `network.pyx`, `network_linked.pyx` and `network_traced.pyx` compile them, each with its own `is_linked`, the last
# with its own `note_refused` and such, and its own L2.
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.atomic_unit cimport atomic_data, atomic_hold
from archdef.engine.clock cimport NEVER
from archdef.engine.crossbar cimport (crossbar_answer_of_link, crossbar_cross, crossbar_deliver, crossbar_leave, crossbar_sending, enter_partition,
                                      enter_slice, packet_bytes, partial_fs)
from archdef.engine.dram cimport dram_decide, dram_release
from archdef.engine.dram_order cimport dram_order_decide
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport INTERCONNECT_INJECTION_SCOPE_CLUSTER
from archdef.engine.partition cimport Partition
from archdef.engine.port cimport RQ_ATOMIC, RQ_WRITE, Port, Request, moves_data_in, owner_of, port_next, port_wait, port_wake
from archdef.engine.remote cimport remote_serve
from archdef.engine.route cimport SLICE_BITS, in_l2_partition, home_distance, partition_of, route, slice_of
from archdef.engine.shared_texture cimport shared_texture_fetch, shared_texture_filled, shared_texture_has
from archdef.engine.slice_queue cimport slice_queue_event, slice_queue_wait
from archdef.engine.stage cimport stages_event
from archdef.engine.tournament cimport tournament_set


cdef inline void _working(Network *n, int32_t change, int64_t now_fs) noexcept nogil:
    """A partition got its first request (+1) or served its last (-1); events come in order of time."""
    if n.working:
        n.any_working_fs += now_fs - n.changed_fs
        n.working_fs += n.working * (now_fs - n.changed_fs)
    n.changed_fs = now_fs
    n.working += change


cdef inline void _wake_one(Network *n, Partition *p, int64_t now_fs) noexcept nogil:
    """If the partition's queue has room, let the first port that waits for it try again."""
    if p.waiting.first >= 0 and p.dram.queued < n.m.dram.queue_entries:
        port_wake(&n.ports, &p.waiting, now_fs)


cdef inline int64_t _into_slice(Network *n, int32_t sm, const Request *r, int32_t through, int32_t port_slice, int64_t packet,
                                int64_t leaves_fs) noexcept nogil:
    """When a request is in its slice, having gone in at the one of its own L2 partition."""
    cdef const MachineTable *m = n.m
    cdef int64_t least_fs = 0
    if r.kind == RQ_ATOMIC or partial_fs(m, r):     # what is to be done elsewhere waits with them
        least_fs = n.l2.atomics[slice_of(through)].free_fs - m.interconnect.slices.queue_fs
    if r.kind != RQ_WRITE:
        n.routing.through[sm * n.routing.slots + r.slot] = through
    return enter_slice(&n.crossbar, port_slice, r, packet, least_fs, leaves_fs)


cdef inline int64_t _over(Network *n, int32_t sm, const Request *r, int32_t which, int32_t through, int64_t arrival_fs) noexcept nogil:
    """When a store or an atomic operation is where it is carried out, as that may be in another L2 partition and be at work."""
    cdef int32_t slice = slice_of(through)
    if home_distance(&n.routing, sm, which, through):
        arrival_fs = crossbar_cross(&n.crossbar, n.routing.l2_partition[slice], slice, atomic_data(n.m, r) if r.kind == RQ_ATOMIC else <int64_t>r.bytes,
                                    arrival_fs)
    if n.routing.parities != NULL and partial_fs(n.m, r):
        arrival_fs = atomic_hold(n.l2.atomics + slice, arrival_fs, partial_fs(n.m, r))
    return arrival_fs


cdef inline void _count_way(Network *n, int32_t sm, int32_t which) noexcept nogil:
    """A request for a page that a plugin has placed goes on its way."""
    if n.routing.l2_partition[which] == n.routing.sm_l2_partition[sm]:
        n.routing.placed[sm].near_requests += 1
    else:
        n.routing.placed[sm].far_requests += 1


cdef void _remote_event(Network *n, int32_t unit, int64_t now_fs) noexcept nogil:
    """Send the head request to a link. There it waits for no place, so that nobody waits for it."""
    cdef const MachineTable *m = n.m
    cdef Port *port = n.ports.port + unit
    cdef int32_t sm = owner_of(&n.ports, unit)
    cdef Request *r = port.ring + port.head
    cdef int64_t arrival_fs, done_fs
    if r.counters != NULL and shared_texture_has(&n.textures, sm, r, now_fs):
        port_next(&n.ports, unit, now_fs)
        return
    if m.interconnect.injection_scope == INTERCONNECT_INJECTION_SCOPE_CLUSTER and crossbar_sending(&n.crossbar, unit, sm)[0] > now_fs:
        tournament_set(&n.events, unit, crossbar_sending(&n.crossbar, unit, sm)[0])
        return
    arrival_fs = crossbar_leave(&n.crossbar, port, unit, sm, r, packet_bytes(m, r), now_fs) + m.interconnect.request_latency_fs
    if r.counters != NULL:
        shared_texture_fetch(&n.textures, sm, r)
    done_fs = remote_serve(&n.remote, &n.crossbar, sm, r, arrival_fs)
    note_linked(n, r, now_fs, arrival_fs, done_fs)
    if r.kind != RQ_WRITE:
        done_fs = crossbar_answer_of_link(&n.crossbar, sm, done_fs)
        if n.textures.caches != NULL:
            shared_texture_filled(&n.textures, sm, r.slot, done_fs)
        crossbar_deliver(&n.crossbar, sm, r.slot, done_fs)
    port_next(&n.ports, unit, now_fs)


cdef void _port_event(Network *n, int32_t unit, int64_t now_fs) noexcept nogil:
    """Send the head request, or join the queue for a partition or slice that is full."""
    cdef const MachineTable *m = n.m
    cdef Port *port = n.ports.port + unit
    cdef int32_t sm = owner_of(&n.ports, unit), queued
    cdef Request *r = port.ring + port.head
    cdef uint64_t local
    cdef int32_t which, through, port_slice
    cdef Partition *p
    cdef int64_t packet, arrival_fs
    if is_linked(n, r):
        _remote_event(n, unit, now_fs)
        return
    which = through = port_slice = <int32_t>partition_of(&n.routing, sm, r.address, &local)
    p = n.partitions + which
    if r.counters != NULL and shared_texture_has(&n.textures, sm, r, now_fs):
        _wake_one(n, p, now_fs)         # this port may have been woken for a place that it does not take
        port_next(&n.ports, unit, now_fs)
        return
    if p.dram.queued >= m.dram.queue_entries:
        note_refused(n, r, which, now_fs)
        port_wait(&n.ports, unit, &p.waiting)
        return
    if m.interconnect.injection_scope == INTERCONNECT_INJECTION_SCOPE_CLUSTER and crossbar_sending(&n.crossbar, unit, sm)[0] > now_fs:
        tournament_set(&n.events, unit, crossbar_sending(&n.crossbar, unit, sm)[0])
        return
    if n.routing.parities != NULL:
        through = route(&n.routing, sm, r, which)
        port_slice = slice_of(through)
        if moves_data_in(r):
            if through >> SLICE_BITS:
                port_slice = in_l2_partition(&n.routing, port_slice, n.routing.sm_l2_partition[sm])
            if slice_queue_wait(&n.queues, unit, port_slice, now_fs):
                note_refused(n, r, which, now_fs)
                _wake_one(n, p, now_fs)     # as above
                return
    if n.routing.placement != NULL:
        _count_way(n, sm, which)
    packet = packet_bytes(m, r)
    arrival_fs = crossbar_leave(&n.crossbar, port, unit, sm, r, packet, now_fs)
    if n.routing.parities != NULL:
        arrival_fs = _into_slice(n, sm, r, through, port_slice, packet, arrival_fs)
    else:
        arrival_fs = enter_partition(&n.crossbar, which, packet, partial_fs(m, r), arrival_fs)
    note_left(n, r, which, now_fs, arrival_fs)
    if r.counters != NULL:
        shared_texture_fetch(&n.textures, sm, r)
    if moves_data_in(r):
        arrival_fs = _over(n, sm, r, which, through, arrival_fs)
    queued = p.dram.queued
    l2_arrive(&n.l2, which, through, sm, r, local, arrival_fs)
    if queued == 0 and p.dram.queued:
        _working(n, 1, now_fs)
    if p.dram.queued > queued and r.statement != NULL:
        r.statement.dram_requests += 1
        r.statement.dram_partitions += n.working
    if p.dram.queued == queued:
        _wake_one(n, p, now_fs)     # the cache answered: the place that this port was woken for is still free
    port_next(&n.ports, unit, now_fs)


cdef void _partition_event(Network *n, int32_t which, int64_t now_fs) noexcept nogil:
    """Let one DRAM command go; a freed place in the queue wakes one port."""
    cdef Partition *p = n.partitions + which
    cdef int64_t done_fs = 0, again_fs = NEVER
    cdef int32_t index
    if p.dram.order != NULL:
        index = dram_order_decide(&p.dram, now_fs, &done_fs, &again_fs)
    else:
        index = dram_decide(&p.dram, now_fs, &done_fs, &again_fs)
    tournament_set(&n.events, p.unit, again_fs)
    if index < 0:
        return
    note_served(&n.l2, which, index, done_fs)
    l2_served(&n.l2, which, index, done_fs)
    dram_release(&p.dram, index)
    if p.dram.queued == 0:
        _working(n, -1, now_fs)
    _wake_one(n, p, now_fs)


cdef void network_run(Network *n, int64_t until_fs) noexcept nogil:
    """Handle every event before `until_fs`."""
    cdef int32_t unit
    cdef int64_t when
    while n.events.tree[1].when < until_fs:
        unit = n.events.tree[1].unit
        when = n.events.tree[1].when
        if unit < n.ports.count:
            _port_event(n, unit, when)
        elif unit < n.queues.unit:
            _partition_event(n, unit - n.ports.count, when)
        elif unit < n.stages.unit:
            slice_queue_event(&n.queues, unit - n.queues.unit, when)
        else:
            stages_event(&n.stages, unit, when)
