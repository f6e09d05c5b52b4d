"""The crossbar: how packets leave a cluster, come into a partition or slice, and go back. What is first come first served is a time."""
from libc.stdint cimport int32_t, int64_t, uint32_t

from archdef.engine.arena cimport Arena
from archdef.engine.atomic_unit cimport AtomicUnit, atomic_data, atomic_packet
from archdef.engine.clock cimport cycle_at
from archdef.engine.events cimport EV_FILL, EV_STORE_DONE, Events, events_add, events_push
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport INTERCONNECT_INJECTION_SCOPE_CLUSTER
from archdef.engine.port cimport RQ_ATOMIC, RQ_READ, RQ_TEXTURE, RQ_WRITE, Port, Request
from archdef.engine.request_trace cimport RequestTrace
from archdef.engine.route cimport Routing
from archdef.engine.link cimport Link, link_reserve
from archdef.engine.topology cimport Topology, topology_travel

cdef struct PortCounters:    # of the ports of a partition, or of the slice of its number
    int64_t request_bytes    # of packets that came in …
    int64_t request_fs       # … for how long they held the port …
    int64_t request_wait_fs  # … and for how long they waited for it, in sum
    int64_t response_bytes   # the same of those that went out
    int64_t response_fs
    int64_t response_wait_fs

cdef struct Crossbar:
    const MachineTable *m
    const Routing *routing
    Events *inboxes          # per multiprocessor: where answers go
    int32_t *cluster         # of each multiprocessor
    int64_t *hop_fs          # by which answers take longer to each multiprocessor, NULL: all lie at one distance …
    int64_t *noc_distance_fs  # [cluster][partition]: … and from each partition
    Topology *topology       # … and by a plugin's topology, NULL: there is none
    int64_t *sending_fs      # [cluster; behind them, of ports for stores]: until when it sends, where its multiprocessors share a port
    int64_t *leaving_fs      # [cluster]: until when something leaves it, where there is a limit
    int64_t *in_free_fs      # [partition or slice]: from when on the next packet can come in …
    int64_t *out_free_fs     # … and go out
    PortCounters *counters   # [partition or slice]
    Link *links              # of the clusters, NULL: answers come in as fast as partitions give them
    Link *partition_links    # [L2 partition][link], NULL: all that comes from other L2 partitions comes at once
    int64_t landed_fs        # when the last store landed
    int64_t *landed          # the same of each launch, in cycles
    RequestTrace *trace      # in which requests are recorded, NULL: they are not

cdef inline int64_t port_fs(const MachineTable *m, int64_t bytes, int64_t per_cycle) noexcept nogil:
    """Time for which a packet occupies a port: whole cycles of the core clock."""
    return <int64_t>(<uint32_t>(bytes + per_cycle - 1) // <uint32_t>per_cycle) * m.clocks.core_period_fs

cdef inline bint in_part(const MachineTable *m, const Request *r) noexcept nogil:
    """Whether it is a store whose packet has a mask, as it leaves bytes of its sectors alone."""
    return m.interconnect.mask_bytes and r.kind == RQ_WRITE and r.covered and r.covered < r.bytes

cdef inline int64_t partial_fs(const MachineTable *m, const Request *r) noexcept nogil:
    """Time for which a request holds its partition or slice because it writes in part."""
    return m.interconnect.partial_write_fs if in_part(m, r) else 0

cdef inline int64_t packet_bytes(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of the packet of a request."""
    if r.kind == RQ_ATOMIC:
        return atomic_packet(m, r)
    if r.kind == RQ_READ or r.kind == RQ_TEXTURE:
        return m.interconnect.header_bytes
    return m.interconnect.header_bytes + r.bytes + (m.interconnect.mask_bytes if in_part(m, r) else 0)

cdef inline int64_t slice_port_fs(const MachineTable *m, const Request *r, int64_t packet) noexcept nogil:
    """Time for which a request holds the way into a slice."""
    if r.kind == RQ_ATOMIC:
        return max((1 + r.apart) * m.interconnect.slices.atomic_packet_fs,
                   atomic_data(m, r) * m.clocks.core_period_fs // m.interconnect.partition_request_bytes_per_cycle)
    return packet * m.clocks.core_period_fs // m.interconnect.partition_request_bytes_per_cycle

cdef inline int64_t *crossbar_sending(Crossbar *x, int32_t unit, int32_t sm) noexcept nogil:
    """Until when the port sends that a multiprocessor shares with its cluster; `unit` is its own."""
    return x.sending_fs + x.cluster[sm] + (unit - sm)

cdef inline int64_t enter_partition(Crossbar *x, int32_t which, int64_t packet, int64_t takes_fs, int64_t leaves_fs) noexcept nogil:
    """When a packet is through a partition's port, which it holds for `takes_fs` at least."""
    cdef const MachineTable *m = x.m
    cdef int64_t arrival = max(leaves_fs + m.interconnect.request_latency_fs, x.in_free_fs[which])
    takes_fs = max(takes_fs, port_fs(m, packet, m.interconnect.partition_request_bytes_per_cycle))
    x.counters[which].request_wait_fs += arrival - leaves_fs - m.interconnect.request_latency_fs
    x.in_free_fs[which] = arrival + takes_fs
    x.counters[which].request_bytes += packet
    x.counters[which].request_fs += takes_fs
    return x.in_free_fs[which]

cdef inline int64_t enter_slice(Crossbar *x, int32_t port_slice, const Request *r, int64_t packet, int64_t least_fs, int64_t leaves_fs) noexcept nogil:
    """When a packet is through a slice's port, which it gets to no sooner than `least_fs`."""
    cdef int64_t arrival = max(max(leaves_fs + x.m.interconnect.request_latency_fs, x.in_free_fs[port_slice]), least_fs)
    cdef int64_t takes_fs = slice_port_fs(x.m, r, packet)
    x.counters[port_slice].request_wait_fs += arrival - leaves_fs - x.m.interconnect.request_latency_fs
    x.in_free_fs[port_slice] = arrival + takes_fs
    x.counters[port_slice].request_bytes += atomic_data(x.m, r) if r.kind == RQ_ATOMIC else packet
    x.counters[port_slice].request_fs += takes_fs
    return x.in_free_fs[port_slice]

cdef inline void crossbar_deliver(Crossbar *x, int64_t sm, int32_t slot, int64_t arrival_fs) noexcept nogil:
    """Tell a multiprocessor when the answer to one of its reads is there."""
    events_push(x.inboxes + sm, cycle_at(x.m, arrival_fs), EV_FILL, slot)

cdef inline void crossbar_landed(Crossbar *x, int32_t sm, int32_t launch, int32_t bytes, int64_t time_fs) noexcept nogil:
    """A store of a launch has reached its place: the credit goes home."""
    if time_fs > x.landed_fs:
        x.landed_fs = time_fs
    x.landed[launch] = max(x.landed[launch], cycle_at(x.m, time_fs))
    events_add(x.inboxes + sm, cycle_at(x.m, time_fs + x.m.interconnect.response_latency_fs), EV_STORE_DONE, launch, bytes)

cdef inline int64_t crossbar_leave(Crossbar *x, Port *port, int32_t unit, int32_t sm, const Request *r, int64_t packet, int64_t now_fs) noexcept nogil:
    """When a packet leaves its cluster. Its port, and the cluster's, are taken for it."""
    cdef const MachineTable *m = x.m
    cdef int64_t *leaving = x.leaving_fs + x.cluster[sm]
    cdef int64_t leaves_fs = now_fs
    if m.interconnect.cluster_ports.request_bytes_per_cycle and (packet or not m.interconnect.store_ports):
        leaves_fs = max(now_fs, leaving[0])      # whoever came before goes before
        leaving[0] = leaves_fs + (atomic_data(m, r) if r.kind == RQ_ATOMIC else packet
                                  ) * m.clocks.core_period_fs // m.interconnect.cluster_ports.request_bytes_per_cycle
    port.free_fs = leaves_fs + port_fs(m, packet, m.interconnect.injection_bytes_per_cycle)
    if m.interconnect.injection_scope == INTERCONNECT_INJECTION_SCOPE_CLUSTER:
        crossbar_sending(x, unit, sm)[0] = port.free_fs
    return leaves_fs

cdef inline int64_t crossbar_cross(const Crossbar *x, int64_t l2_partition, int64_t slice, int64_t bytes, int64_t time_fs) noexcept nogil:
    """When data of a slice, or a partition, that would be in another L2 partition at a time are there."""
    cdef int64_t links = x.m.interconnect.l2_partitions.links
    if x.partition_links == NULL:
        return time_fs
    return link_reserve(x.partition_links + l2_partition * links + slice % links, x.m.clocks.core_period_fs, time_fs,
                        bytes * links * x.m.clocks.core_period_fs // x.m.interconnect.l2_partitions.link_bytes_per_cycle)

cdef inline int64_t crossbar_answer(Crossbar *x, int32_t slice, int32_t sm, int64_t bytes, int64_t time_fs, int64_t late_fs) noexcept nogil:
    """When read data that a slice, or partition, has at a time arrive; `late_fs` is a delay that keeps nobody else waiting."""
    cdef const MachineTable *m = x.m
    cdef int64_t *out = x.out_free_fs + slice
    cdef int64_t packet = m.interconnect.header_bytes + bytes, arrival
    cdef int64_t takes_fs = port_fs(m, packet, m.interconnect.partition_response_bytes_per_cycle)
    if out[0] < time_fs:
        out[0] = time_fs
    x.counters[slice].response_wait_fs += out[0] - time_fs
    out[0] += takes_fs
    x.counters[slice].response_bytes += packet
    x.counters[slice].response_fs += takes_fs
    arrival = out[0] + m.interconnect.response_latency_fs + late_fs
    if m.interconnect.cluster_ports.response_bytes_per_cycle:
        arrival = link_reserve(x.links + x.cluster[sm], m.clocks.core_period_fs, arrival,
                               packet * m.clocks.core_period_fs // m.interconnect.cluster_ports.response_bytes_per_cycle)
    if x.hop_fs != NULL:
        arrival += x.hop_fs[sm] + x.noc_distance_fs[x.cluster[sm] * m.dram.partitions + slice]
        if x.topology != NULL:
            arrival = topology_travel(x.topology, sm, slice, packet, arrival)
    return arrival

cdef inline int64_t crossbar_answer_of_link(const Crossbar *x, int32_t sm, int64_t time_fs) noexcept nogil:
    """When what has come by a link to the host, or to another device, arrives. That link is far slower than those of the crossbar, which it never fills."""
    return time_fs + x.m.interconnect.response_latency_fs + (x.hop_fs[sm] if x.hop_fs != NULL else 0)

cdef int crossbar_open(Crossbar *x, const Routing *routing, Events *inboxes, int64_t ports, Arena *arena) except -1
cdef void crossbar_close(Crossbar *x) noexcept nogil
