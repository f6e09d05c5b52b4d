"""Requests of one cluster for the same sectors of a line, answered together at the partition.

The first request for sectors of a line opens a place at the partition, in which the following ones of its cluster wait with it until it is
answered; they cost the cache no lookup and the partition's port no data. There is one place for a line and cluster: a request for other
sectors of the line closes it without opening one itself; the one that comes when as many as the machine gathers are together opens it anew.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from archdef.engine.arena cimport Arena, arena_room, arena_zeroed
from archdef.engine.clock cimport NEVER
from archdef.engine.crossbar cimport Crossbar, crossbar_deliver
from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport Request


cdef int l2_coalescer_open(L2Coalescers *g, Crossbar *crossbar, Arena *arena) except -1:
    """Make room for what is gathered; none if the machine does not."""
    cdef const MachineTable *m = crossbar.m
    cdef int64_t records = m.chip.multiprocessors * crossbar.routing.slots
    g.m = m
    g.crossbar = crossbar
    g.latency_fs = m.caches.l2.latency_cycles * m.clocks.core_period_fs
    if m.interconnect.request_coalescer.requests < 2 or m.caches.l2.sets == 0:
        return 0
    g.begun = <uint8_t *>arena_zeroed(arena, <size_t>m.dram.partitions)
    g.entries = <CoalescerEntry *>arena_room(arena, <size_t>(m.dram.partitions * m.interconnect.request_coalescer.lines) * sizeof(CoalescerEntry))
    g.entry_of = <int32_t *>arena_room(arena, <size_t>records * sizeof(int32_t))
    g.follower = <int32_t *>arena_room(arena, <size_t>records * sizeof(int32_t))
    g.follower_next = <int32_t *>arena_room(arena, <size_t>records * sizeof(int32_t))
    if g.begun == NULL or g.entries == NULL or g.entry_of == NULL or g.follower == NULL or g.follower_next == NULL:
        raise MemoryError("requests of the L2 coalescer")
    return 0


cdef void l2_coalescer_admit(L2Coalescers *g, int64_t sm) noexcept nogil:
    """Begin with the reads of a multiprocessor: none has opened a place."""
    cdef int64_t slots = g.crossbar.routing.slots, i
    if g.entries != NULL:
        for i in range(sm * slots, sm * slots + slots):
            g.entry_of[i] = g.follower[i] = -1


cdef inline void _hand(L2Coalescers *g, int32_t record, int64_t arrival_fs) noexcept nogil:
    """Let an answer arrive that reaches the nearest multiprocessor of the cluster at `arrival_fs`."""
    cdef int64_t slots = g.crossbar.routing.slots, sm = record // slots
    if g.crossbar.hop_fs != NULL:
        arrival_fs += g.crossbar.hop_fs[sm]
    crossbar_deliver(g.crossbar, sm, <int32_t>(record % slots), arrival_fs)


cdef bint l2_coalescer_join(L2Coalescers *g, int32_t which, uint64_t number, uint32_t wanted, int32_t sm, const Request *r, int64_t time_fs) noexcept nogil:
    """Let a read of a line, whose lookup would be done at `time_fs`, wait with an equal one. False: it is the first of its kind, and looks by itself."""
    cdef int64_t lines = g.m.interconnect.request_coalescer.lines
    cdef uint64_t key = number * <uint64_t>g.m.chip.multiprocessors + <uint64_t>g.crossbar.cluster[sm] + 1
    cdef int32_t record = <int32_t>(sm * g.crossbar.routing.slots + r.slot), index
    cdef CoalescerEntry *place
    cdef bint open_
    if not g.begun[which]:
        memset(g.entries + which * lines, 0, <size_t>lines * sizeof(CoalescerEntry))
        g.begun[which] = 1
    index = <int32_t>(which * lines + <int64_t>(key * <uint64_t>0x9e3779b97f4a7c15 >> 40 & <uint64_t>(lines - 1)))
    place = g.entries + index
    open_ = place.key == key and time_fs - g.latency_fs <= place.until_fs
    if open_ and place.sectors == wanted and place.count < g.m.interconnect.request_coalescer.requests:
        place.count += 1
        if place.until_fs == NEVER:
            g.follower_next[record] = g.follower[place.record]
            g.follower[place.record] = record
        else:
            _hand(g, record, place.arrival_fs)
        return True
    if place.key and place.until_fs == NEVER and g.entry_of[place.record] == index:
        g.entry_of[place.record] = -1       # those who wait with it still do; nobody else will
    if open_ and place.sectors != wanted:
        place.key = 0
        return False
    place.key = key
    place.sectors = wanted
    place.count = 1
    place.until_fs = NEVER
    place.record = record
    g.entry_of[record] = index
    g.follower[record] = -1
    return False


cdef void l2_coalescer_answered(L2Coalescers *g, int64_t record, int32_t slice, int64_t arrival_fs) noexcept nogil:
    """The first request of a place has its answer, from a slice or partition: it is everybody's who waited with it, or comes before it leaves."""
    cdef const Crossbar *x = g.crossbar
    cdef int64_t sm = record // x.routing.slots
    cdef int32_t other = g.follower[record]
    cdef CoalescerEntry *place
    if x.hop_fs != NULL:
        arrival_fs -= x.hop_fs[sm]
    if g.entry_of[record] >= 0:
        place = g.entries + g.entry_of[record]
        place.until_fs = arrival_fs - g.m.interconnect.response_latency_fs
        if x.hop_fs != NULL:
            place.until_fs -= x.noc_distance_fs[x.cluster[sm] * g.m.dram.partitions + slice]
        place.arrival_fs = arrival_fs
        g.entry_of[record] = -1
    while other >= 0:
        _hand(g, other, arrival_fs)
        other = g.follower_next[other]
    g.follower[record] = -1
