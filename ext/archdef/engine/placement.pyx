"""Pages that a plugin places: in which L2 partition each lies.

The policy is asked when a request for a page is the first of all. Which L2 partition it named is kept with the device's memory, so that a page stays where
it is from one launch to the next. In its L2 partition it takes the next frame; the chunks of a frame lie in the partitions there in turn.
"""
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from archdef.engine.bits cimport lowest_bit
from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport Hook, PolicyHead, policy_head, policy_refuse

cdef enum:
    FIRST_ROOM = 1024        # pages of a new table, a power of two

cdef PlacementCounters _none
COUNTERS = np.dtype([(name, np.int64) for name in <object>_none])


cdef class PageTable:
    """The pages of one device's memory."""

    def __dealloc__(self):
        free(self.placement.table)
        free(self.placement.state)

    cdef Placement *begin(self, const MachineTable *m) except NULL:
        """Let the policy of a session decide from now on."""
        cdef Placement *p = &self.placement
        cdef Hook *hook = <Hook *><size_t>m.dram.partition_hook
        if p.state == NULL:
            p.state = <int64_t *>calloc(<size_t>hook.state_words + 1, sizeof(int64_t))
        if p.table == NULL:
            p.table = <Page *>calloc(FIRST_ROOM, sizeof(Page))
            p.mask = FIRST_ROOM - 1
        if p.table == NULL or p.state == NULL:
            raise MemoryError("pages of a device")
        p.failed = False
        p.hook = hook
        p.m = m
        policy_head(<PolicyHead *>&p.view, hook, p.state)
        p.view.page_bytes = m.dram.page_bytes
        p.view.l2_partitions = m.interconnect.l2_partitions.count
        p.view.pages = p.pages
        return p


cdef inline Page *_place_in(Page *table, uint64_t mask, uint64_t number) noexcept nogil:
    """Where a page stands in a table, or would."""
    cdef uint64_t i = number * <uint64_t>0x9e3779b97f4a7c15 >> 20 & mask
    while table[i].number != 0 and table[i].number != number + 1:
        i = (i + 1) & mask
    return table + i


cdef bint _grow(Placement *p) noexcept nogil:
    """Make the table twice as large. False: the host has no memory for it."""
    cdef uint64_t mask = 2 * p.mask + 1, i
    cdef Page *table = <Page *>calloc(<size_t>(mask + 1), sizeof(Page))
    if table == NULL:
        p.failed = True
        return False
    for i in range(p.mask + 1):
        if p.table[i].number:
            _place_in(table, mask, p.table[i].number - 1)[0] = p.table[i]
    free(p.table)
    p.table = table
    p.mask = mask
    return True


cdef int64_t _ask(Placement *p, uint64_t number, int64_t sm, int64_t l2_partition) noexcept nogil:
    """Give the L2 partition that the policy names; for an answer that is none, the one of who asks."""
    cdef int64_t answer
    p.view.page = number
    p.view.multiprocessor = sm
    p.view.l2_partition = l2_partition
    answer = p.hook.function(&p.view)
    if 0 <= answer < p.view.l2_partitions:
        return answer
    policy_refuse(p.hook, answer, number, <uint64_t>p.view.l2_partitions, 0)
    return l2_partition


cdef int64_t placed_partition(Placement *p, int64_t sm, int64_t l2_partition, uint64_t address, uint64_t *local) noexcept nogil:
    """The partition that owns a byte, and the byte's address inside it; a page for which nobody has asked is placed now."""
    cdef int shift = lowest_bit(<uint64_t>p.m.dram.interleave_bytes), page_shift = lowest_bit(<uint64_t>p.view.page_bytes)     # powers of two
    cdef uint64_t number = address >> page_shift, each = <uint64_t>(p.m.dram.partitions // p.view.l2_partitions), unit
    cdef Page *page = _place_in(p.table, p.mask, number)
    if page.number == 0:
        if 2 * p.count > p.mask:
            if not _grow(p):
                local[0] = 0
                return 0
            page = _place_in(p.table, p.mask, number)
        page.l2_partition = _ask(p, number, sm, l2_partition)
        page.number = number + 1
        page.frame = p.pages[page.l2_partition]
        p.pages[page.l2_partition] += 1
        p.count += 1
    unit = (<uint64_t>page.frame << page_shift | address & <uint64_t>(p.view.page_bytes - 1)) >> shift
    local[0] = unit // each << shift | address & <uint64_t>(p.m.dram.interleave_bytes - 1)
    return page.l2_partition * <int64_t>each + <int64_t>(unit % each)


cdef object placement_counted(const PlacementCounters *counters, int64_t multiprocessors):
    """Requests for near and far pages, a row for each multiprocessor."""
    cdef int64_t i
    rows = np.zeros(multiprocessors, COUNTERS)
    for i in range(multiprocessors):
        rows[i] = tuple((<object>counters[i]).values())
    return rows
