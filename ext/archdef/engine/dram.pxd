"""One DRAM partition: queue, banks, rows, and the first-ready scheduler that decides which column goes next."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.cache cimport Line
from archdef.engine.machine cimport MachineTable

cpdef enum:
    DIR_READ = 0
    DIR_WRITE = 1

cdef struct Entry:           # one transaction in the partition's queue
    int64_t arrival_fs
    int64_t sequence         # order of arrival
    int64_t row
    int32_t bank
    int32_t direction
    int32_t bursts
    int32_t bytes
    int32_t sm               # who waits; -1: nobody (write back)
    int32_t slot             # in-flight read of that multiprocessor; -1: a store
    int32_t serial           # atomics: what it asks of the atomic unit, in quarters; 0: not an atomic
    int32_t previous         # in the bank's list
    int32_t next             # in the bank's list, the arrival list or the free list
    int32_t asker            # multiprocessor that asked first for what it fetches, -1: nobody, or see `sm`
    Line *line               # cache line that the entry fills, or NULL
    uint32_t sectors         # sectors of it
    int32_t waiters          # first request that waits for the fill, -1: none

cdef struct Bank:
    int64_t row              # open row, -1: none
    int64_t activated_fs
    int64_t column_fs        # first column command allowed
    int64_t precharge_fs     # precharge allowed
    int64_t ready_fs         # activate allowed, after its refresh
    int32_t fresh            # the open row has not served a column yet
    int32_t head[2]          # by direction: transactions, oldest first
    int32_t tail[2]
    int32_t hit[2]           # oldest one for the open row, -1: none

cdef struct Refresh:         # of banks that are refreshed together
    uint64_t banks           # which they are
    int64_t due_fs           # the next one
    int64_t owed             # that were put off
    int64_t idle_fs          # since when nobody wants the banks

cdef struct PartitionCounters:
    int64_t requests
    int64_t bytes_asked      # of reads and atomic operations, hits among them
    int64_t bytes_given      # of stores
    int64_t requests_gathered  # that were answered together with an earlier one, and are counted nowhere else
    int64_t bytes_gathered
    int64_t reads
    int64_t writes
    int64_t bytes_read
    int64_t bytes_written
    int64_t busy_fs
    int64_t row_hits
    int64_t row_misses
    int64_t awaited          # transactions that a multiprocessor waits for, unlike what a cache writes back …
    int64_t awaited_fs       # … and how long each took from its arrival in the queue
    int64_t texture_l2_hits  # of a second cache of its own for texture fetches
    int64_t texture_l2_misses
    int64_t l2_hits
    int64_t l2_misses

cdef struct Dram:
    const MachineTable *m
    Entry *entries
    int32_t free_entry
    int32_t arrivals_head    # in the queue, not yet looked at by the scheduler
    int32_t arrivals_tail
    int32_t queued           # all entries in use
    int32_t visible[2]       # in banks' lists, by direction
    uint64_t has[2]          # banks with a transaction, by direction
    int32_t direction
    int64_t command_fs       # next column command on the bus
    int64_t read_end_fs      # end of data of the last read
    int64_t write_end_fs
    int64_t activate_fs      # next activate of any bank
    int64_t refresh_fs       # next refresh of banks that are wanted, or of the partition
    int64_t refreshed        # which bank's turn it is
    int64_t sequence
    Refresh *refreshes
    int64_t groups           # of banks that are refreshed together
    Bank *banks
    PartitionCounters counters
    int32_t *shown           # those in banks' lists, in the order in which they came; NULL: nobody wants to know …
    void *order              # … for there is no `DramOrder` of dram_order.pxd

cdef inline int64_t dram_room(const MachineTable *m) noexcept nogil:
    """Entries of a partition."""
    return 2 * m.dram.queue_entries + 64

cdef int dram_open(Dram *d, const MachineTable *m, int64_t which, Arena *arena) noexcept nogil
cdef int32_t dram_enqueue(Dram *d, int64_t arrival_fs, uint64_t local, int32_t bytes, int32_t direction) noexcept nogil
cdef bint dram_look(Dram *d, int64_t now_fs, int64_t *again_fs) noexcept nogil
cdef void dram_open_row(Dram *d, Bank *b, int64_t row, int64_t now_fs) noexcept nogil
cdef int64_t dram_turned_fs(const Dram *d, int32_t way) noexcept nogil
cdef int32_t dram_serve(Dram *d, int32_t index, int64_t now_fs, int64_t *done_fs, int64_t *again_fs) noexcept nogil
cdef int32_t dram_decide(Dram *d, int64_t now_fs, int64_t *done_fs, int64_t *again_fs) noexcept nogil
cdef void dram_release(Dram *d, int32_t index) noexcept nogil
