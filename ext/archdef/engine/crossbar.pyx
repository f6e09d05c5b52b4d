"""The crossbar: how packets leave a cluster, come into a partition or slice, and go back. What is first come first served is a time."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.arena cimport Arena, arena_room
from archdef.engine.events cimport Events
from archdef.engine.machine cimport MachineTable
from archdef.engine.route cimport Routing
from archdef.engine.link cimport links_open
from archdef.engine.topology cimport topology_close, topology_open


cdef int crossbar_open(Crossbar *x, const Routing *routing, Events *inboxes, int64_t ports, Arena *arena) except -1:
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
    x.counters = <PortCounters *>calloc(<size_t>m.dram.partitions, sizeof(PortCounters))
    if (x.cluster == NULL or x.sending_fs == NULL or x.leaving_fs == NULL or x.in_free_fs == NULL or x.out_free_fs == NULL
            or x.counters == NULL):
        raise MemoryError("crossbar of the machine")
    _number_clusters(x)
    _measure_noc(x, arena)
    x.topology = topology_open(m, arena)
    if m.interconnect.cluster_ports.response_bytes_per_cycle:
        x.links = links_open(x.cluster[m.chip.multiprocessors - 1] + 1, arena)
    if m.interconnect.l2_partitions.link_bytes_per_cycle and m.interconnect.l2_partitions.count > 1:
        x.partition_links = links_open(m.interconnect.l2_partitions.count * m.interconnect.l2_partitions.links, arena)
    return 0


cdef void crossbar_close(Crossbar *x) noexcept nogil:
    """Free what `crossbar_open` took, complete or not."""
    free(x.cluster)
    free(x.hop_fs)
    free(x.sending_fs)
    free(x.leaving_fs)
    free(x.in_free_fs)
    free(x.out_free_fs)
    free(x.counters)
    topology_close(x.topology)
    x.cluster = NULL
    x.hop_fs = x.noc_distance_fs = x.sending_fs = x.leaving_fs = x.in_free_fs = x.out_free_fs = NULL
    x.counters = NULL
    x.links = x.partition_links = NULL
    x.topology = NULL


cdef int _number_clusters(Crossbar *x) except -1:
    """Say which cluster each multiprocessor is in, and how far it is; beyond the sizes that are declared, clusters have the usual size."""
    cdef const MachineTable *m = x.m
    cdef int64_t i, left = 0, k = -1, place = 0
    if m.interconnect.distances.hop_cycles_count or m.interconnect.distances.partition_fs or m.interconnect.distances.hook:
        x.hop_fs = <int64_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int64_t))
        if x.hop_fs == NULL:
            raise MemoryError("distances of the network")
    for i in range(m.chip.multiprocessors):
        if left == 0:
            k += 1
            place = 0
            left = m.chip.cluster_sizes[k] if k < m.chip.cluster_sizes_count else m.chip.multiprocessors_per_cluster
        x.cluster[i] = <int32_t>k
        if m.interconnect.distances.hop_cycles_count:
            x.hop_fs[i] = m.interconnect.distances.hop_cycles[place % m.interconnect.distances.hop_cycles_count] * m.clocks.shader_period_fs
        place += 1
        left -= 1
    return 0


cdef int _measure_noc(Crossbar *x, Arena *arena) except -1:
    """Say by how much answers from each partition take longer to each cluster: any number up to the most, always the same."""
    cdef const MachineTable *m = x.m
    cdef int64_t i
    cdef uint64_t mixed
    if x.hop_fs == NULL:
        return 0
    x.noc_distance_fs = <int64_t *>arena_room(arena, <size_t>(m.chip.multiprocessors * m.dram.partitions) * sizeof(int64_t))
    if x.noc_distance_fs == NULL:
        raise MemoryError("distances of the network")
    for i in range((x.cluster[m.chip.multiprocessors - 1] + 1) * m.dram.partitions):
        mixed = <uint64_t>(i + 1) * <uint64_t>0x9e3779b97f4a7c15
        x.noc_distance_fs[i] = <int64_t>((mixed ^ mixed >> 31) * <uint64_t>0xbf58476d1ce4e5b9 >> 54) * m.interconnect.distances.partition_fs >> 10
    return 0
