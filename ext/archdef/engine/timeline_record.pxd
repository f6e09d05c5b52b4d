"""What the timeline of a launch is made of: its blocks, issues of its warps, and sums over buckets of time."""
from libc.stdint cimport int64_t

cpdef enum TimelineDetail:       # each has what those before it have
    DETAIL_KERNELS = 0           # sums of multiprocessors and memory partitions
    DETAIL_BLOCKS = 1            # every block
    DETAIL_UNITS = 2             # stalls, and issues to each unit, of every multiprocessor
    DETAIL_WARPS = 3             # every issue of warps

cdef struct BlockRecord:         # a block in its place, from its start to its end or until it gave the place away
    int64_t serial               # of its launch in the session: kernels may launch others
    int64_t kernel               # in the table of those that the launch can come to
    int64_t block                # number in its grid
    int64_t multiprocessor
    int64_t slot                 # of the multiprocessor's places of blocks
    int64_t begin                # cycles
    int64_t end

cdef struct WarpRecord:          # of a warp, from one issue to the next
    int64_t serial               # as of a block
    int64_t kernel
    int64_t warp                 # of the grid: block times warps of a block, plus its number in the block
    int64_t multiprocessor
    int64_t slot                 # of the multiprocessor's places of warps
    int64_t statement
    int64_t unit                 # that the op was issued to, -1: none was issued
    int64_t cause                # Stall of [begin, since)
    int64_t begin                # cycles; [begin, since) waiting for what it depends on …
    int64_t since
    int64_t throttled            # … [since, issue) waiting for its turn: this many for the load/store unit to take requests, …
    int64_t unit_busy            # … this many for its unit, the rest because another warp was issued, …
    int64_t issue                # … [issue, end) issuing
    int64_t end

cdef struct MultiprocessorSums:  # of a bucket, whatever launch it was for
    int64_t issued               # warp instructions
    int64_t l1_hits              # sectors
    int64_t l1_misses
    int64_t warp_cycles          # resident warps of the launch, times cycles
    int64_t request_cycles       # requests that wait at the port to the network, times cycles

cdef struct PartitionSums:       # of a bucket, whatever launch it was for
    int64_t requests
    int64_t bytes_read
    int64_t bytes_written
    int64_t row_hits
    int64_t row_misses
    int64_t l2_hits
    int64_t l2_misses
    int64_t busy_fs              # of the data bus
    int64_t queue_cycles         # transactions in the queue of the DRAM controller, times cycles
    int64_t waiting_cycles       # ports that wait for a place in it, times cycles

cdef struct Activity:            # of a multiprocessor in a bucket, for the launch
    int64_t stall_cycles[13]     # by Stall, summed over warps
    int64_t unit_issues[16]      # warp instructions by unit

cdef struct TimelineRecord:
    int64_t detail               # TimelineDetail
    int64_t first                # cycles of the session: [first, last) is recorded
    int64_t last
    int64_t multiprocessors
    int64_t partitions
    const char *chosen           # [multiprocessors]: whether the issues of its warps are recorded; NULL: of all
    BlockRecord *blocks
    int64_t block_count
    int64_t block_room
    int64_t blocks_lost          # that found none
    WarpRecord *warps
    int64_t warp_count
    int64_t warp_room
    int64_t warps_lost
    int64_t width                # cycles of a bucket; twice as many each time that there are more buckets than room
    int64_t buckets              # room, an even number
    MultiprocessorSums *sums     # [buckets][multiprocessors]
    PartitionSums *memory        # [buckets][partitions]
    Activity *activity           # [buckets][multiprocessors], NULL: not asked for
