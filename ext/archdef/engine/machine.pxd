"""The machine as the engine sees it: integers only, packed from a description by `archdef.pack`.

Times of the multiprocessor are cycles of its own (shader) clock; times of everything beyond it are femtoseconds, so that
clock domains meet without rounding drift (a signed 64-bit count of femtoseconds lasts two and a half hours of guest time).
"""
from libc.stdint cimport int64_t

cpdef enum:
    MAX_UNITS = 16
    MAX_SCHEDULERS = 8
    SCHEDULER_WARPS = 64         # one scheduler's warps are the bits of one word

cpdef enum SchedulerPolicy:
    SCH_ROUND_ROBIN = 0          # loose: the next ready warp after the last one issued
    SCH_GREEDY_OLDEST = 1        # stay with a warp until it stalls, then the oldest
    SCH_OLDEST = 2
    SCH_TWO_LEVEL = 3            # round robin in a small active set; a = size of the set
    SCH_ASKED = 5                # a plugin's
    SCH_GREEDY_ROUND_ROBIN = 6   # stay with a warp until it stalls, then the next ready one before it
    SCH_WEIGHTED = 4             # a = weight of memory instructions, b = weight of cycles waited

cpdef enum CoalescingRule:
    CO_STRICT = 0                # lane k reads word k of an aligned segment, else one transaction a lane
    CO_SHRINKING = 1             # segments served lowest lane first, halved while one half is unused
    CO_LINES = 2                 # distinct lines (and sectors of them) in a group of lanes

cpdef enum WritePolicy:
    WR_EVICT = 0                 # a store drops the line and goes on
    WR_THROUGH = 1               # a store updates the line and goes on
    WR_BACK = 2                  # a store stays until the line is evicted

cpdef enum PartitionMap:
    PM_INTERLEAVED = 0           # (address // interleave) % partitions
    PM_XOR = 1                   # the same, each round of the partitions turned by its number, folded by the shifts of the table

cpdef enum SumRule:              # of the products of one number of a matrix product
    SUM_NONE = 0                 # not declared
    SUM_ALIGNED = 1              # shifted to the largest exponent, cut off, added exactly
    SUM_CHAINED = 2              # single-precision fused multiply-adds from +0 on, then the number that is added to
    SUM_PAIRED = 3               # the same in pairs, each added to that number in turn

cdef struct CoalescingTable:
    int64_t rule
    int64_t group_lanes          # lanes looked at together
    int64_t line_bytes           # CO_LINES; CO_STRICT: most that a start must be aligned to
    int64_t sector_bytes         # CO_LINES; CO_STRICT: bytes of an uncoalesced transaction; CO_SHRINKING: smallest segment
    int64_t segment_bytes[5]     # CO_SHRINKING: by log2 of the word's bytes
    int64_t coverage             # CO_LINES: 1: also tell how many bytes of the sectors the lanes cover
    int64_t hook                 # address of the Hook of a plugin's policy, 0: none; here and below

cdef struct CacheTable:
    int64_t sets                 # 0: there is no such cache
    int64_t ways
    int64_t line_bytes
    int64_t sector_bytes
    int64_t latency_cycles
    int64_t misses_in_flight
    int64_t fetch_sectors        # a miss fetches aligned groups of this many
    int64_t dirty_ways           # lines of a set that may wait to be written back; 0: all
    int64_t partial_ways         # lines of a set that may hold sectors written in part; 0: every store counts as whole
    int64_t lines_ahead          # of instructions: further lines that a miss brings
    int64_t among_oldest         # lines of a set, by last use, of which chance replaces one; 1: the one used longest ago
    int64_t write                # WritePolicy
    int64_t hook                 # replacement
    int64_t set_mask             # sets - 1 where that is all ones, else 0
    int64_t folds                # runs of bits of the line number that are exclusive-ored into the set's number …
    int64_t fold_rights[8]       # … each after so many places of rotation to the right …
    int64_t fold_masks[8]        # … at these places
    int64_t tag_bank_bits        # of the number of a bank of tags; 0: a line at a time
    int64_t tag_bank_masks[4]    # of each: bits of the line number of which it is the parity

cdef struct MachineTable:
    int64_t warp_size            # lanes, 1 to 64
    int64_t independent_lanes    # 1: lanes that parted progress independently; 0: a stack of them
    int64_t multiprocessors
    int64_t cluster_size         # multiprocessors that share a port …
    int64_t cluster_sizes[32]    # … or those of each cluster; 0: unused
    int64_t dispatch_groups[32]  # multiprocessors of each group whose turn it is to take blocks; 0: unused …
    int64_t dispatch_first_after # … turns of others after which it is the first one's again; 0: no sooner than theirs …
    int64_t dispatch_beside      # … multiprocessors of which each gets a block before any gets a second, where a grid is divided
    int64_t warps_per_multiprocessor
    int64_t block_launch_64ths   # 64ths of a cycle from one block launch on the chip to the next …
    int64_t block_setup_64ths    # … to the next on the same multiprocessor …
    int64_t warp_launch_64ths    # … and as much more for each of its warps …
    int64_t block_end_64ths      # … and from one block's end that it takes note of to the next
    int64_t first_block_cycles   # for which a launch's first block on a multiprocessor waits for parameters and code
    int64_t block_turnover_cycles  # from a block's end to the start of the next in its place
    int64_t launch_depth         # generations of grids below the host's; 0: kernels launch nothing
    int64_t join_depth           # generations that may wait for what they launched
    int64_t pending_launches     # by kernels, at a time …
    int64_t virtual_launches     # … and whether more go on in a virtualised pool …
    int64_t launch_virtual_cycles  # … which holds the warp for so much longer
    int64_t launch_call_cycles   # for which one thread's launch holds its warp …
    int64_t launch_lane_cycles   # … and for which each further thread's of the same warp does
    int64_t launch_start_cycles  # from there to the first block of the child
    int64_t launch_next_cycles   # from the end of a grid to the start of what waits for it …
    int64_t launch_tail_cycles   # … and of its tail
    int64_t grid_limit[3]
    int64_t block_limit[3]
    int64_t threads_limit        # of a block
    int64_t shared_limit         # bytes of a block
    int64_t shader_period_fs
    int64_t core_period_fs
    # schedulers
    int64_t schedulers
    int64_t policy               # SchedulerPolicy
    int64_t policy_a
    int64_t policy_b
    int64_t issue_interval_cycles
    int64_t issue_width          # instructions per issue slot …
    int64_t superscalar          # … of one warp; 0: of different warps
    int64_t loads_by_chance      # which scheduler comes first at units they share behind a load of device memory; 0: they take turns
    int64_t instruction_gap_cycles  # least distance of two issues of one warp
    int64_t units
    int64_t unit_per_scheduler[16]  # 1: each scheduler has its own
    int64_t shared_units         # bit u: the schedulers share unit u
    int64_t unit_copies[16]      # units of that kind that the schedulers share, 1 to 8
    int64_t unit_within[16]      # unit some of whose copies they are; by itself: itself …
    int64_t unit_first[16]       # … from which of those on
    int64_t unit_exclusive[16]   # 1: an op for it takes an issue slot of every scheduler
    int64_t queued_units         # bit u: ops for unit u go through a queue of their scheduler …
    int64_t queue_room           # … of so many entries
    int64_t bank_queue           # accesses that wait for banks of L1 and shared memory behind the load/store unit; 0: the unit waits
    int64_t queued_stores        # 1: stores of a warp that follow each other reach the load/store unit one behind the other
    int64_t scheduler_hook
    int64_t throttle_hook
    int64_t dispatch_hook
    int64_t branch_hook
    int64_t match_value_cycles   # by which each further value among the lanes delays `match.any`; 0: it is done at once
    int64_t guard_latency_cycles # by which a predicate is later as a guard than as an operand
    int64_t untaken_branch_saving # cycles by which a branch that no lane takes is shorter than one that is taken
    int64_t dual_issue[16]       # bit v of entry u: v may issue in the same slot after u
    # shared memory
    int64_t banks
    int64_t bank_hook
    int64_t bank_width_bytes
    int64_t row_words
    int64_t conflict_lanes
    int64_t single_word_broadcast
    int64_t word_at_a_time       # 1: wide words are served piece by piece; 0: for fewer lanes at a time; 2: the same, neighbours with equal addresses merged
    int64_t shared_pass_cycles
    int64_t products_pass_cycles # … as many times as long while products of warpgroups read shared memory
    int64_t shared_pass_latency_cycles   # by which each further pass of an access delays its result
    int64_t shared_group_latency_cycles  # … and each further conflict group
    int64_t shared_latency_cycles
    int64_t shared_conflicts_hold_issue  # 1: a scheduler issues nothing during the passes that a conflict adds
    # load/store
    CoalescingTable load
    CoalescingTable store
    CoalescingTable load_uncached
    int64_t reads_in_flight      # transactions of one multiprocessor
    int64_t stores_in_flight
    int64_t store_bytes_in_flight    # 0: no limit to them
    int64_t combined_lines       # of which stores wait for others; 0: each goes by itself …
    int64_t combining_cycles     # … for so long after the latest store
    int64_t transaction_cycles
    int64_t access_distance_cycles   # of two accesses of a warp that follow each other in straight code, at least
    int64_t replay_cycles        # least distance of a warp's transactions of one access, to the warp; 0: it goes on at once
    int64_t replay_refused       # 1: loads for which a set of L1 has no place are issued again; 0: the load/store unit waits
    int64_t bulk_read_bytes_per_cycle   # of the unit that moves bulk copies; 0: a transaction every `transaction_cycles`
    int64_t bulk_write_bytes_per_cycle
    int64_t atomic_fs            # at the partition, per operation on the most used address
    int64_t atomic_sector_16ths  # per sector all of whose words are operated on, in sixteenths of that
    int64_t slice_queue_fs       # of what waits to get into a slice, at most
    int64_t atomic_packet_fs     # for which a packet of atomic operations holds the way into a slice at least
    CacheTable l1
    CacheTable constant
    CacheTable constant_l2       # behind it, at the multiprocessor
    CacheTable constant_l3
    CacheTable constant_uniform  # of a scheduler: what a warp reads at an address that is known to be one for all lanes
    int64_t constant_pass_bytes  # of each lane that a pass of a load of constants brings, where lanes differ
    int64_t constant_pass_latency_cycles # by which each further one delays the load, if more than it holds the unit
    int64_t constant_fill_cycles # for which a warp waits for a line of it that the second or third level has …
    int64_t constant_line_cycles # … and the least distance of two such lines, whichever schedulers they are for
    CacheTable instruction       # of a multiprocessor or …
    CacheTable instruction_l2
    CacheTable instruction_l3
    int64_t instruction_per_scheduler   # … 1: of a scheduler
    int64_t instruction_memory_cycles   # until a line is there that none of them has
    int64_t instruction_preload_bytes   # of a kernel that its launch brings to the last of them
    int64_t instruction_bytes
    CacheTable texture           # first cache of texture fetches, surface loads and read-only loads
    int64_t texture_per_cluster  # 1: that cache is the cluster's, behind the multiprocessors' ports
    int64_t textures_in_flight   # transactions of one multiprocessor to it; 0: they count as reads
    CacheTable texture_l2        # slice of one partition that texture fetches use instead of the L2
    int64_t texture_tile_rows    # rows of an array of which one sector holds a piece
    int64_t texture_weight_bits  # fraction bits of positions and weights in filtering
    int64_t texture_coordinate_bits          # fraction bits of normalised coordinates
    int64_t texture_coordinate_extents[4]    # beyond each, one bit more; 0: unused
    int64_t texture_guard_bits   # that a filter keeps below the last bit of its greatest texel
    int64_t read_only_loads      # loads that are promised to be read-only go through the texture cache
    CacheTable l2                # slice of one partition
    # interconnect
    int64_t request_latency_fs
    int64_t response_latency_fs
    int64_t far_latency_fs       # by which data from DRAM take longer to the other side of the chip
    int64_t side_bytes_per_cycle # into a side from the others; 0: no such limit
    int64_t side_links           # that share it, each for the partitions of one number modulo so many
    int64_t sides                # of multiprocessors and partitions; 1: all are near
    int64_t places               # of a cluster that lie at different distances; 0: none
    int64_t place_cycles[32]     # by which answers to them take longer
    int64_t spread_fs            # most by which the answers of different partitions differ
    int64_t gathered_requests    # of a cluster for the same sectors that are answered together; 1: none
    int64_t gathering_lines      # for which a partition gathers, a power of two
    int64_t header_bytes
    int64_t mask_bytes           # of a packet that writes sectors in part, or operates on them
    int64_t sector_mask_bytes    # of each sector of an atomic packet with data instead; 0: one mask for all
    int64_t partial_write_fs     # for which such a packet of a store holds the way into its partition at least
    int64_t injection_bytes_per_cycle       # core cycles, as all ports
    int64_t injection_per_cluster
    int64_t store_ports          # 1: stores and atomics have ports of their own
    int64_t partition_request_bytes_per_cycle
    int64_t partition_response_bytes_per_cycle
    int64_t cluster_request_bytes_per_cycle   # 0: no such limit
    int64_t cluster_response_bytes_per_cycle  # 0: no such limit
    # clusters of blocks
    int64_t most_cluster_blocks  # 1: a block is its own cluster
    int64_t remote_latency_cycles        # of another block's shared memory …
    int64_t remote_bytes_per_cycle       # … and the rate of a multiprocessor's way there
    int64_t cluster_barrier_cycles
    int64_t slice_masks[16]      # address bits of which a parity is taken, from the lowest bit of what they give to the highest …
    int64_t slice_parities       # … how many there are; 0: partitions are slices …
    int64_t slice_parts          # … those of them, the highest, that say in which part of the slices a chunk lies …
    int64_t slice_high           # … and the address bit from which on all are above the others in the number that chooses there
    # DRAM
    int64_t partitions
    int64_t interleave_bytes
    int64_t partition_map
    int64_t partition_hook
    int64_t partition_shifts[8]  # PM_XOR; 0: no further one
    int64_t dram_banks
    int64_t row_bytes
    int64_t burst_bytes
    int64_t burst_fs
    int64_t t_rcd_fs
    int64_t t_rp_fs
    int64_t t_ras_fs
    int64_t t_rrd_fs
    int64_t t_cl_fs
    int64_t t_wl_fs
    int64_t t_wtr_fs
    int64_t t_rtw_fs
    int64_t t_wr_fs
    int64_t t_refi_fs            # 0: no refresh
    int64_t t_rfc_fs
    int64_t refresh_banks        # that are refreshed together; 0: one, and the partition waits
    int64_t refreshes_postponed  # refreshes of banks that may be put off while they are wanted
    int64_t closes_rows          # that nothing queued wants
    int64_t extra_latency_fs
    int64_t queue_entries
    int64_t window               # queue entries that the scheduler looks at
    int64_t drain_high
    int64_t drain_low
    # matrix products; entries: f16, bf16, tf32, groups with 32-bit sums, groups with 16-bit sums, 8-bit floats
    int64_t matrix_sum[6]        # SumRule
    int64_t matrix_products[6]   # SUM_ALIGNED: products that are added at a time
    int64_t matrix_fraction_bits[6]  # SUM_ALIGNED: bits kept behind the point of the largest …
    int64_t matrix_result_bits[6]    # … and fraction bits of 32-bit sums
