"""Translation of addresses behind L1: TLBs of the multiprocessors, one that they share, and walks over the page table."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport Ports, Request, Stage

cdef struct Entries:         # translations that a TLB holds, or entries that walkers have read of the page table
    uint64_t *keys           # [sets][ways]: 0: none. Of a TLB: number of a page plus 1
    int64_t *used            # … by `uses`, when it was asked for last
    int64_t sets
    int64_t ways
    int64_t uses
    int64_t latest           # where the last one that was found stands

cdef struct Untranslated:    # a request
    Request request
    int64_t since_fs         # when it came
    int32_t unit             # its port
    int32_t next             # behind it in the same queue, -1: none; or the next that is not in use

cdef struct Miss:            # a page that a multiprocessor's TLB lacks
    uint64_t page            # number plus 1; 0: not in use
    int64_t arrives_fs       # at the TLB behind
    int32_t first            # request that waits for it …
    int32_t last             # … and the last
    int32_t sm
    int32_t next             # behind it in the same queue, -1: none

cdef struct Walk:            # over the page table, for a page that the last TLB lacks
    uint64_t page            # number plus 1; 0: not in use
    int32_t first            # miss that it serves …
    int32_t last             # … and the last
    int32_t next             # behind it among those that wait for a walker, -1: none

cdef struct TranslationCounters:     # of what one multiprocessor asks for
    int64_t l1_hits          # requests whose page its TLB has
    int64_t l1_misses        # … and others, those that join a miss under way among them
    int64_t l2_hits          # misses that the TLB behind answers …
    int64_t l2_misses        # … and others; where there is no such TLB, all
    int64_t walks            # that began for it
    int64_t walk_accesses    # entries of page tables that they read
    int64_t walk_fs          # time that they took
    int64_t wait_fs          # sum over requests: from when they come until their address is known

cdef struct Near:            # a multiprocessor's TLB
    Entries held
    int64_t free_fs          # when it can look the next one up
    int32_t free             # request records that are not in use, -1: none
    int32_t missing          # misses under way
    TranslationCounters counters

cdef struct Front:           # requests of a port that have not been looked up yet
    int32_t first            # -1: none
    int32_t last
    bint stalled             # until a translation comes …
    uint64_t page            # … of this page, by number plus 1; 0: of any

cdef struct Translation:
    const MachineTable *m
    int32_t page_shift
    int32_t table_shift      # by which the number of a page loses a level of the page table
    int64_t near_latency_fs
    int64_t near_takes_fs
    int64_t far_latency_fs
    int64_t far_takes_fs
    int64_t access_fs        # to an entry of a page table
    int32_t misses_each      # of a multiprocessor
    int32_t walk_count       # at work or waiting
    Near *near               # [multiprocessor]
    Front *fronts            # [port]
    Untranslated *requests   # [multiprocessor][ports_of_each * room]
    int64_t requests_each
    Miss *misses             # [multiprocessor][misses_each]
    Entries far              # the TLB that multiprocessors share
    int64_t far_free_fs
    int32_t far_first        # misses on their way to it, -1: none
    int32_t far_last
    bint far_stalled         # until a walk ends
    Walk *walks
    int32_t *walkers         # walk that each is at, -1: none
    int32_t walk_first       # walks that wait for a walker, -1: none
    int32_t walk_last
    Entries tables           # upper entries of the page table that walkers need not read again

cdef Stage translation_open(Ports *ports) except *
