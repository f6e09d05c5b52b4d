"""Pages that a plugin places: in which L2 partition each lies, and who asks for them from where."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport Hook, PlacementView

cdef struct Page:
    uint64_t number          # of the page, plus 1; 0: nothing is here
    int64_t frame            # of the L2 partition's memory in which it lies
    int64_t l2_partition

cdef struct Placement:
    Hook *hook               # of the session that is at work
    PlacementView view
    const MachineTable *m
    Page *table              # by a hash of their numbers
    uint64_t mask            # its size less one
    uint64_t count           # pages in it
    int64_t pages[16]        # of each L2 partition
    int64_t *state           # of the policy
    bint failed              # the host has no memory for more

cdef struct PlacementCounters:
    int64_t near_requests    # that a multiprocessor sent to pages of its own L2 partition …
    int64_t far_requests     # … and of others

cdef class PageTable:
    cdef Placement placement

    cdef Placement *begin(self, const MachineTable *m) except NULL

cdef int64_t placed_partition(Placement *p, int64_t sm, int64_t l2_partition, uint64_t address, uint64_t *local) noexcept nogil
cdef object placement_counted(const PlacementCounters *counters, int64_t multiprocessors)
