"""A plugin's topology: the policy is asked about each pair of partition and multiprocessor when a machine is made, and never again."""
from libc.stdint cimport int16_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from archdef.engine.arena cimport Arena
from archdef.engine.link cimport link_reserve, links_open
from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport (ARCHDEF_TOPOLOGY_HOPS, ARCHDEF_TOPOLOGY_LINKS, Hook, PolicyHead, TopologyView, policy_head, policy_refuse)


cdef Topology *topology_open(const MachineTable *m, Arena *arena) except? NULL:
    """Ask for all ways. NULL: no plugin brings a topology."""
    cdef Hook *hook = <Hook *><size_t>m.interconnect.distances.hook
    cdef int64_t pairs = m.chip.multiprocessors * m.dram.partitions, i, room = 0, most = -1
    cdef Topology *t
    if hook == NULL:
        return NULL
    t = <Topology *>calloc(1, sizeof(Topology))
    if t == NULL:
        raise MemoryError("topology of the network")
    try:
        t.m = m
        t.first = <int64_t *>calloc(<size_t>pairs + 1, sizeof(int64_t))
        if t.first == NULL:
            raise MemoryError("topology of the network")
        for i in range(pairs):
            if t.first[i] + ARCHDEF_TOPOLOGY_HOPS > room:
                room = 2 * room + ARCHDEF_TOPOLOGY_HOPS
                _make_room(t, room)
            t.first[i + 1] = t.first[i] + _ask(hook, m, i // m.dram.partitions, i % m.dram.partitions, t.hops + t.first[i])
        for i in range(t.first[pairs]):
            most = max(most, <int64_t>t.hops[i])
        if m.interconnect.distances.link_bytes_per_cycle and most >= 0:
            t.links = links_open(most + 1, arena)
    except BaseException:
        topology_close(t)
        raise
    return t


cdef int _make_room(Topology *t, int64_t room) except -1:
    cdef int16_t *grown = <int16_t *>realloc(t.hops, <size_t>room * sizeof(int16_t))
    if grown == NULL:
        raise MemoryError("topology of the network")
    t.hops = grown
    return 0


cdef int64_t _ask(Hook *hook, const MachineTable *m, int64_t sm, int64_t partition, int16_t *hops) noexcept nogil:
    """Write the links of a way, and give how many there are; none for an answer that is none."""
    cdef TopologyView view
    cdef int64_t links[ARCHDEF_TOPOLOGY_HOPS]
    cdef int64_t i, answer
    policy_head(<PolicyHead *>&view, hook, hook.state)
    view.multiprocessor = sm
    view.partition = partition
    view.multiprocessors = m.chip.multiprocessors
    view.partitions = m.dram.partitions
    view.room = ARCHDEF_TOPOLOGY_HOPS
    view.links = links
    for i in range(ARCHDEF_TOPOLOGY_HOPS):
        links[i] = -1
    answer = hook.function(&view)
    if answer < 0 or answer > ARCHDEF_TOPOLOGY_HOPS:
        policy_refuse(hook, answer, <uint64_t>sm, <uint64_t>partition, 0)
        return 0
    for i in range(answer):
        if links[i] < -1 or links[i] >= ARCHDEF_TOPOLOGY_LINKS:
            policy_refuse(hook, links[i], <uint64_t>sm, <uint64_t>partition, 1)
            return 0
        hops[i] = <int16_t>links[i]
    return answer


cdef void topology_close(Topology *t) noexcept nogil:
    if t != NULL:
        free(t.first)
        free(t.hops)
    free(t)


cdef int64_t topology_travel(Topology *t, int64_t sm, int64_t partition, int64_t bytes, int64_t time_fs) noexcept nogil:
    """When an answer of so many bytes that leaves a partition, or slice, at a time has gone all its hops."""
    cdef const MachineTable *m = t.m
    cdef const int64_t *first = t.first + sm * m.dram.partitions + partition
    cdef int64_t i, takes_fs
    if t.links == NULL:
        return time_fs + (first[1] - first[0]) * m.interconnect.distances.hop_fs
    takes_fs = bytes * m.clocks.core_period_fs // m.interconnect.distances.link_bytes_per_cycle
    for i in range(first[0], first[1]):
        time_fs += m.interconnect.distances.hop_fs
        if t.hops[i] >= 0:
            time_fs = link_reserve(t.links + t.hops[i], m.clocks.core_period_fs, time_fs, takes_fs)
    return time_fs
