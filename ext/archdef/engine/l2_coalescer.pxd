"""Requests of one cluster for the same sectors of a line, answered together at the partition."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.crossbar cimport Crossbar
from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport Request

cdef struct CoalescerEntry:  # where equal requests of a cluster wait together
    uint64_t key             # the line's number, times multiprocessors, plus the cluster's, plus 1; 0: empty
    int64_t until_fs         # when the answer leaves the partition; NEVER: not known yet
    int64_t arrival_fs       # when it arrives, at the nearest place of the cluster
    uint32_t sectors
    int32_t count            # requests together
    int32_t record           # of the first: sm * slots + slot

cdef struct L2Coalescers:
    const MachineTable *m
    Crossbar *crossbar
    CoalescerEntry *entries  # [partitions][gathering_lines], NULL: requests are not gathered
    uint8_t *begun           # [partition]: its places are cleared, as the first request does
    int32_t *entry_of        # [record]: the place that it opened and that waits for its answer, -1: none
    int32_t *follower        # [record]: first of those who wait with it, -1: none
    int32_t *follower_next
    int64_t latency_fs       # of the lookup

cdef int l2_coalescer_open(L2Coalescers *g, Crossbar *crossbar, Arena *arena) except -1
cdef void l2_coalescer_admit(L2Coalescers *g, int64_t sm) noexcept nogil
cdef bint l2_coalescer_join(L2Coalescers *g, int32_t which, uint64_t number, uint32_t wanted, int32_t sm, const Request *r, int64_t time_fs) noexcept nogil
cdef void l2_coalescer_answered(L2Coalescers *g, int64_t record, int32_t slice, int64_t arrival_fs) noexcept nogil
