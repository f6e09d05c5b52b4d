"""The crossbar: how packets leave a cluster, come into a partition or slice, and go back. What is first come first served is a time."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.atomic_unit cimport atomic_data
from archdef.engine.events cimport Events
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport INTERCONNECT_INJECTION_SCOPE_CLUSTER
from archdef.engine.port cimport RQ_ATOMIC, Port, Request
from archdef.engine.route cimport Routing
from archdef.engine.way cimport way_take, ways_close, ways_open


cdef int crossbar_open(Crossbar *x, const Routing *routing, Events *inboxes, int64_t ports) except -1:
    """Make idle ways between so many ports and the partitions; answers go to `inboxes`, one per multiprocessor."""
    cdef const MachineTable *m = routing.m
    x.m = m
    x.routing = routing
    x.inboxes = inboxes
    x.cluster = <int32_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int32_t))
    x.sending_fs = <int64_t *>calloc(<size_t>ports, sizeof(int64_t))
    x.leaving_fs = <int64_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int64_t))
    x.in_free_fs = <int64_t *>calloc(<size_t>m.dram.partitions, sizeof(int64_t))
    x.out_free_fs = <int64_t *>calloc(<size_t>m.dram.partitions, sizeof(int64_t))
    if x.cluster == NULL or x.sending_fs == NULL or x.leaving_fs == NULL or x.in_free_fs == NULL or x.out_free_fs == NULL:
        raise MemoryError("crossbar of the machine")
    _number_clusters(x)
    _spread(x)
    if m.interconnect.cluster_response_bytes_per_cycle:
        x.ways = ways_open(x.cluster[m.chip.multiprocessors - 1] + 1)
    if m.interconnect.side_bytes_per_cycle and m.interconnect.sides > 1:
        x.crossings = ways_open(m.interconnect.sides * m.interconnect.side_links)
    return 0


cdef void crossbar_close(Crossbar *x) noexcept nogil:
    """Free what `crossbar_open` took, complete or not."""
    free(x.cluster)
    free(x.place_fs)
    free(x.spread_fs)
    free(x.sending_fs)
    free(x.leaving_fs)
    free(x.in_free_fs)
    free(x.out_free_fs)
    ways_close(x.ways)
    ways_close(x.crossings)
    x.cluster = NULL
    x.place_fs = x.spread_fs = x.sending_fs = x.leaving_fs = x.in_free_fs = x.out_free_fs = NULL
    x.ways = x.crossings = NULL


cdef int _number_clusters(Crossbar *x) except -1:
    """Say which cluster each multiprocessor is in, and how far it is; beyond the sizes that are declared, clusters have the usual size."""
    cdef const MachineTable *m = x.m
    cdef int64_t i, left = 0, k = -1, place = 0
    if m.interconnect.place_cycles_count or m.interconnect.spread_fs:
        x.place_fs = <int64_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int64_t))
        if x.place_fs == NULL:
            raise MemoryError("distances of the network")
    for i in range(m.chip.multiprocessors):
        if left == 0:
            k += 1
            place = 0
            left = m.chip.cluster_sizes[k] if k < m.chip.cluster_sizes_count else m.chip.multiprocessors_per_cluster
        x.cluster[i] = <int32_t>k
        if m.interconnect.place_cycles_count:
            x.place_fs[i] = m.interconnect.place_cycles[place % m.interconnect.place_cycles_count] * m.shader_period_fs
        place += 1
        left -= 1
    return 0


cdef int _spread(Crossbar *x) except -1:
    """Say by how much answers from each partition take longer to each cluster: any number up to the most, always the same."""
    cdef const MachineTable *m = x.m
    cdef int64_t i
    cdef uint64_t mixed
    if x.place_fs == NULL:
        return 0
    x.spread_fs = <int64_t *>calloc(<size_t>(m.chip.multiprocessors * m.dram.partitions), sizeof(int64_t))
    if x.spread_fs == NULL:
        raise MemoryError("distances of the network")
    for i in range((x.cluster[m.chip.multiprocessors - 1] + 1) * m.dram.partitions):
        mixed = <uint64_t>(i + 1) * <uint64_t>0x9e3779b97f4a7c15
        x.spread_fs[i] = <int64_t>((mixed ^ mixed >> 31) * <uint64_t>0xbf58476d1ce4e5b9 >> 54) * m.interconnect.spread_fs >> 10
    return 0


cdef int64_t crossbar_leave(Crossbar *x, Port *port, int32_t unit, int32_t sm, const Request *r, int64_t packet, int64_t now_fs) noexcept nogil:
    """When a packet leaves its cluster. Its port, and the cluster's, are taken for it."""
    cdef const MachineTable *m = x.m
    cdef int64_t *leaving = x.leaving_fs + x.cluster[sm]
    cdef int64_t leaves_fs = now_fs
    if m.interconnect.cluster_request_bytes_per_cycle and (packet or not m.interconnect.store_ports):
        leaves_fs = max(now_fs, leaving[0])      # whoever came before goes before
        leaving[0] = leaves_fs + (atomic_data(m, r) if r.kind == RQ_ATOMIC else packet
                                  ) * m.core_period_fs // m.interconnect.cluster_request_bytes_per_cycle
    port.free_fs = leaves_fs + port_fs(m, packet, m.interconnect.injection_bytes_per_cycle)
    if m.interconnect.injection_scope == INTERCONNECT_INJECTION_SCOPE_CLUSTER:
        crossbar_sending(x, unit, sm)[0] = port.free_fs
    return leaves_fs


cdef int64_t crossbar_cross(const Crossbar *x, int64_t side, int64_t slice, int64_t bytes, int64_t time_fs) noexcept nogil:
    """When data of a slice, or a partition, that would be on another side at a time are there."""
    cdef int64_t links = x.m.interconnect.side_links
    if x.crossings == NULL:
        return time_fs
    return way_take(x.crossings + side * links + slice % links, x.m.core_period_fs, time_fs,
                    bytes * links * x.m.core_period_fs // x.m.interconnect.side_bytes_per_cycle)


cdef int64_t crossbar_answer(Crossbar *x, int32_t slice, int32_t sm, int64_t bytes, int64_t time_fs, int64_t late_fs) noexcept nogil:
    """When read data that a slice, or partition, has at a time arrive; `late_fs` is a delay that keeps nobody else waiting."""
    cdef const MachineTable *m = x.m
    cdef int64_t *out = x.out_free_fs + slice
    cdef int64_t packet = m.interconnect.header_bytes + bytes, arrival
    if out[0] < time_fs:
        out[0] = time_fs
    out[0] += port_fs(m, packet, m.interconnect.partition_response_bytes_per_cycle)
    arrival = out[0] + m.interconnect.response_latency_fs + late_fs
    if m.interconnect.cluster_response_bytes_per_cycle:
        arrival = way_take(x.ways + x.cluster[sm], m.core_period_fs, arrival,
                           packet * m.core_period_fs // m.interconnect.cluster_response_bytes_per_cycle)
    if x.place_fs != NULL:
        arrival += x.place_fs[sm] + x.spread_fs[x.cluster[sm] * m.dram.partitions + slice]
    return arrival
