"""Requests of one cluster for the same sectors of a line, answered together at the partition.

The first request for sectors of a line opens a place at the partition, in which the following ones of its cluster wait with it until it is
answered; they cost the cache no lookup and the partition's port no data. There is one place for a line and cluster: a request for other
sectors of the line closes it without opening one itself; the one that comes when as many as the machine gathers are together opens it anew.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.dram cimport NEVER
from archdef.engine.events cimport EV_FILL, events_push
from archdef.engine.network cimport Gather, Network, Request, network_cycle


cdef int gather_open(Network *n) except -1:
    """Make room for what is gathered; none if the machine does not."""
    cdef int64_t records = n.m.chip.multiprocessors * n.slots, i
    if n.m.interconnect.gathered_requests < 2 or n.m.caches.l2.sets == 0:
        return 0
    n.gathers = <Gather *>calloc(<size_t>(n.m.dram.partitions * n.m.interconnect.gathering_lines), sizeof(Gather))
    n.gather_of = <int32_t *>calloc(<size_t>records, sizeof(int32_t))
    n.follower = <int32_t *>calloc(<size_t>records, sizeof(int32_t))
    n.follower_next = <int32_t *>calloc(<size_t>records, sizeof(int32_t))
    if n.gathers == NULL or n.gather_of == NULL or n.follower == NULL or n.follower_next == NULL:
        raise MemoryError("gathered requests of the network")
    for i in range(records):
        n.gather_of[i] = n.follower[i] = -1
    return 0


cdef void gather_close(Network *n) noexcept nogil:
    free(n.gathers)
    free(n.gather_of)
    free(n.follower)
    free(n.follower_next)
    n.gathers = NULL
    n.gather_of = n.follower = n.follower_next = NULL


cdef inline void _hand(Network *n, int32_t record, int64_t arrival_fs) noexcept nogil:
    """Let an answer arrive that reaches the nearest multiprocessor of the cluster at `arrival_fs`."""
    cdef int64_t sm = record // n.slots
    if n.place_fs != NULL:
        arrival_fs += n.place_fs[sm]
    events_push(n.inboxes + sm, network_cycle(n, arrival_fs), EV_FILL, <int32_t>(record % n.slots))


cdef bint gather_join(Network *n, int32_t which, uint64_t number, uint32_t wanted, int32_t sm, const Request *r, int64_t time_fs) noexcept nogil:
    """Let a read of a line, whose lookup would be done at `time_fs`, wait with an equal one. False: it is the first of its kind, and looks by itself."""
    cdef uint64_t key = number * <uint64_t>n.m.chip.multiprocessors + <uint64_t>n.cluster[sm] + 1
    cdef int32_t record = <int32_t>(sm * n.slots + r.slot), index
    cdef Gather *g
    cdef bint open_
    index = <int32_t>(which * n.m.interconnect.gathering_lines + <int64_t>(key * <uint64_t>0x9e3779b97f4a7c15 >> 40 & <uint64_t>(n.m.interconnect.gathering_lines - 1)))
    g = n.gathers + index
    open_ = g.key == key and time_fs - n.l2_latency_fs <= g.until_fs
    if open_ and g.sectors == wanted and g.count < n.m.interconnect.gathered_requests:
        g.count += 1
        if g.until_fs == NEVER:
            n.follower_next[record] = n.follower[g.record]
            n.follower[g.record] = record
        else:
            _hand(n, record, g.arrival_fs)
        return True
    if g.key and g.until_fs == NEVER and n.gather_of[g.record] == index:
        n.gather_of[g.record] = -1      # those who wait with it still do; nobody else will
    if open_ and g.sectors != wanted:
        g.key = 0
        return False
    g.key = key
    g.sectors = wanted
    g.count = 1
    g.until_fs = NEVER
    g.record = record
    n.gather_of[record] = index
    n.follower[record] = -1
    return False


cdef void gather_answered(Network *n, int64_t record, int64_t arrival_fs) noexcept nogil:
    """The first request of a place has its answer: it is everybody's who waited with it, or comes before it leaves the partition."""
    cdef int32_t other = n.follower[record]
    cdef Gather *g
    if n.place_fs != NULL:
        arrival_fs -= n.place_fs[record // n.slots]
    if n.gather_of[record] >= 0:
        g = n.gathers + n.gather_of[record]
        g.until_fs = arrival_fs - n.m.interconnect.response_latency_fs
        if n.place_fs != NULL:
            g.until_fs -= n.spread_fs[n.cluster[record // n.slots] * n.m.dram.partitions
                                      + (n.gather_of[record] // n.m.interconnect.gathering_lines if n.slice_of == NULL else n.slice_of[record] & 0xffff)]
        g.arrival_fs = arrival_fs
        n.gather_of[record] = -1
    while other >= 0:
        _hand(n, other, arrival_fs)
        other = n.follower_next[other]
    n.follower[record] = -1
