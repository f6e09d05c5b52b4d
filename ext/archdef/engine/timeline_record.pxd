"""What the timeline of a launch is made of: its blocks, issues of its warps, and sums over buckets of time."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

cpdef enum TimelineDetail:       # each has what those before it have
    DETAIL_KERNELS = 0           # sums of multiprocessors and memory partitions
    DETAIL_BLOCKS = 1            # every block
    DETAIL_UNITS = 2             # stalls, and issues to each unit, of every multiprocessor
    DETAIL_WARPS = 3             # every issue of warps
    DETAIL_REQUESTS = 4          # every request to memory, whatever launch it was for

cdef struct BlockRecord:         # a block in its place, from its start to its end or until it gave the place away
    int64_t serial               # of its launch in the session: kernels may launch others
    int64_t kernel               # in the table of those that the launch can come to
    int64_t block                # number in its grid
    int64_t multiprocessor
    int64_t slot                 # of the multiprocessor's places of blocks
    int64_t begin                # cycles
    int64_t end

cdef struct WarpRecord:          # of a warp, from one issue to the next; short, as there are many: what is the same for all of a warp or op is elsewhere
    int64_t begin                # cycle
    int64_t before               # cycles from then on waiting for what it depends on, …
    int64_t turns                # … then for its turn, see `timeline.pxd`, …
    int64_t issue                # … then because another warp was issued, until this cycle
    int64_t place                # number of its WarpPlace, plus 1
    int64_t op                   # of its kernel
    int64_t cause                # Stall of what it depends on

cdef struct WarpPlace:           # a warp that has records, and where it is
    int64_t serial               # as of a block
    int64_t kernel
    int64_t warp                 # of the grid: block times warps of a block, plus its number in the block
    int64_t multiprocessor
    int64_t slot                 # of the multiprocessor's places of warps

cdef struct RecordedOp:          # what records of an op do not say again
    int64_t statement
    int64_t unit
    int64_t cycles               # for which it is being issued

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

cdef struct MultiprocessorTimeline

cdef enum:
    MOST_BANKS = 256             # of shared memory, as many as there can be

cdef struct BankUse:             # how often an op that accesses shared memory has asked for one pattern of words; what every access reads comes first
    uint64_t bank_mask           # bank of an address: these bits, once …
    int32_t width_bits           # … so many have been shifted out
    bint pending                 # some uses are not in `served` yet
    bint alike                   # each bank serves as many, from whichever one on
    int32_t behind               # banks from that of the first lane's word to behind the last that serves any
    int64_t uses[MOST_BANKS]     # by that bank
    uint16_t words[MOST_BANKS]   # of each bank, counted from that one

cdef struct BankRecord:          # what the banks of all multiprocessors together have served
    int32_t banks
    int64_t *first_op            # of each kernel, in …
    BankUse *uses                # … [op]
    int64_t *pending             # those ops …
    int64_t pending_count        # … and how many they are
    int64_t *served              # [banks] words, in no bucket yet

cdef struct TimelineRecord:
    int64_t detail               # TimelineDetail
    int64_t first                # cycles of the session: [first, last) is recorded
    int64_t last
    int64_t multiprocessors
    int64_t partitions
    BlockRecord *blocks
    int64_t block_count
    int64_t block_room
    int64_t blocks_lost          # that found none
    WarpRecord *warps
    WarpRecord *next_warp        # record that is written next; those before it are …
    WarpRecord *warps_end        # … and this one: there is none any more
    int64_t warp_room
    int64_t warps_lost
    WarpPlace *places
    int64_t place_count
    RecordedOp *ops              # as `banks.first_op` has them
    int64_t width                # cycles of a bucket; twice as many each time that there are more buckets than room
    int64_t buckets              # room, an even number
    MultiprocessorSums *sums     # [buckets][multiprocessors]
    PartitionSums *memory        # [buckets][partitions]
    Activity *activity           # [buckets][multiprocessors], NULL: not asked for
    MultiprocessorTimeline *each  # [multiprocessors], NULL: not asked for
    BankRecord banks
    int64_t *bank_words          # [buckets][banks], NULL: not asked for

cdef struct MultiprocessorTimeline:   # of one multiprocessor: where its warps put what they do
    TimelineRecord *timeline
    int64_t number
    bint records                 # its warps' issues are recorded
    int64_t begin                # [begin, end) …
    int64_t end
    Activity *bucket             # … is in this bucket, as far as it is in the window; none: in no one
    int64_t least                # with the bucket before it, if there is one, and …
    int64_t most                 # … with the one behind, if there is room for one, it is [least, most)
