"""Parameters of components, made of the classes in `archdef/spec/` by ``python tests/engine/parameters_header.py``.

`archdef/parameters.py` says what becomes of a field, and has the members that are none. What ends in ``_fs`` is in femtoseconds
whatever the field is declared in; what is 0, or None, in a description is 0 here.
"""
from libc.stdint cimport int64_t

cdef enum:
    SECTORS = 4  # under one tag

cdef struct WarpParameters:
    int64_t size                                 # Lanes
    int64_t independent_lanes                    # 1: lanes that diverged progress independently; 0: a stack of them
    int64_t branch_hook                          # of a plugin's choice of the side of a branch that goes first

cdef struct ClocksParameters:
    int64_t shader_period_fs                     # of a multiprocessor's cycle
    int64_t core_period_fs                       # of a cycle beyond them

cdef struct LimitsParameters:
    int64_t threads_per_block                    # Most threads of a block
    int64_t warps_per_multiprocessor             # Most resident warps
    int64_t shared_bytes_per_block               # Most shared memory of one block
    int64_t block_dimensions[3]                  # Most threads of a block along x, y, z
    int64_t grid_dimensions[3]                   # Most blocks of a grid along x, y, z

cdef struct BlockLaunchParameters:
    int64_t chip_warp_64ths                      # SM cycles that each warp of a block adds to `Chip.block_launch_cycles` until the next block can start
                                                 # anywhere on the chip
    int64_t setup_64ths                          # SM cycles from one block launch on a multiprocessor to the next there, beside those of its warps
    int64_t warp_64ths                           # SM cycles that a multiprocessor takes for each warp of a block before the next block can start there
    int64_t end_64ths                            # Least SM cycles between two ends of blocks that the chip takes note of: only then a place is free, and a
                                                 # grid at its end
    int64_t first_cycles                         # SM cycles for which the first block of a launch on a multiprocessor, and those that start meanwhile, wait
                                                 # for parameters and code

cdef struct ChipParameters:
    int64_t multiprocessors                      # Multiprocessors in use
    int64_t multiprocessors_per_cluster          # Multiprocessors that share a cluster; the last cluster may be smaller
    int64_t cluster_sizes[32]                    # Multiprocessors of each cluster, where they are not equally many; none: as above
    int64_t cluster_sizes_count                  # how many of them there are
    int64_t block_launch_64ths                   # Least SM cycles between two block launches anywhere on the chip
    BlockLaunchParameters block_launch           # Which multiprocessor a block goes to, what its launch takes there, and its end on the chip; None: each in
                                                 # turn, and nothing besides
    int64_t block_turnover_cycles                # SM cycles from the end of a block until its successor on that multiprocessor issues
    int64_t groups[32]                           # multiprocessors of each group whose turn it is to take blocks; 0: unused …
    int64_t first_gpc_interval_turns             # … turns of others after which it is the first one's again; 0: no sooner than theirs …
    int64_t multiprocessors_per_tpc              # … multiprocessors of which each gets a block before any gets a second, where a grid is divided
    int64_t dispatch_hook                        # of a plugin's dispatch of blocks

cdef struct SchedulersParameters:
    int64_t count                                # Schedulers per multiprocessor; each holds at most 64 warps
    int64_t policy                               # SchedulerPolicy
    int64_t issue_interval_cycles                # SM cycles between two issue slots of one scheduler
    int64_t issue_width                          # Instructions per issue slot; more than one only to units that `dual_issue` pairs
    int64_t dual_issue[16]                       # bit v of entry u: v may issue in the same slot after u
    int64_t superscalar                          # Whether all instructions of a slot are of one warp, one behind the other and independent; else each is of
                                                 # another warp
    int64_t instruction_gap_cycles               # Least SM cycles between two issues of the same warp
    int64_t policy_a                             # what it says there of a …
    int64_t policy_b                             # … and of b
    int64_t units                                # kinds of units
    int64_t shared_units                         # bit u: the schedulers share unit u
    int64_t hook                                 # of a plugin's policy
    int64_t throttle_hook                        # of a plugin's throttle

cdef struct UnitParameters:
    int64_t copies                               # Units of this kind that the multiprocessor's schedulers share; each takes one warp instruction at a time
    int64_t per_scheduler                        # 1: each scheduler has its own
    int64_t exclusive                            # 1: an op for it takes an issue slot of every scheduler
    int64_t within                               # unit some of whose copies they are; by itself: itself …
    int64_t first                                # … from which of those on

cdef struct SerialMatchParameters:
    int64_t value_cycles                         # SM cycles by which each further value delays the result

cdef struct BranchCostsParameters:
    int64_t guard_latency_cycles                 # SM cycles by which a predicate is later as the guard of an instruction or branch than as an operand
    int64_t untaken_saving_cycles                # by which a branch that no lane takes is shorter than one that is taken

cdef struct MatrixArithmeticParameters:
    int64_t sum[6]                               # SumRule of each type of factors; behind f16, bf16, tf32: groups with 32-bit sums, with 16-bit sums, 8-bit
                                                 # floats
    int64_t products[6]                          # SUM_ALIGNED: products that are added at a time
    int64_t fraction_bits[6]                     # SUM_ALIGNED: bits kept behind the point of the largest …
    int64_t result_bits[6]                       # … and fraction bits of 32-bit sums

cdef struct WarpgroupProductsParameters:
    int64_t shared_pass_ratio                    # Times as long as otherwise a pass over shared memory's banks takes for other instructions while products are
                                                 # under way

cdef struct IsaParameters:
    int64_t instruction_bytes                    # Bytes of one issued instruction in memory, its share of control words included
    SerialMatchParameters serial_match           # How ``match.any`` takes the values among the lanes one by one; None: it takes no longer for several
    BranchCostsParameters branch_costs           # What branches and guards cost beside the operation ``branch``; None: nothing
    MatrixArithmeticParameters matrix            # How matrix instructions add up their products; None where there are none
    WarpgroupProductsParameters warpgroup        # How four warps compute products together; None where they do not
    int64_t read_only_loads                      # 1: loads that are promised to be read-only go through the texture cache

cdef struct SharedMemoryParameters:
    int64_t banks                                # Banks, each serving one word per pass
    int64_t bank_width_bytes                     # Bytes of a bank's word
    int64_t conflict_lanes                       # Lanes that are served together; lanes of different groups never conflict
    int64_t latency_cycles                       # SM cycles from issue to a usable result of an access in one pass, less the operation's own latency
    int64_t pass_cycles                          # SM cycles for which one pass occupies the banks
    int64_t pass_latency_cycles                  # by which each further pass of an access delays its result
    int64_t conflicts_hold_issue                 # Whether the scheduler issues nothing during the passes that a conflict adds, as where arithmetic itself
                                                 # reads shared memory
    int64_t row_words                            # of a bank that one pass serves together if they lie in one row, an aligned run of ``banks * row_words``
                                                 # words
    int64_t group_latency_cycles                 # by which each further group of lanes, of a load that is served in several, delays its result besides its
                                                 # passes
    int64_t single_word_broadcast                # 1: a pass broadcasts one word, else any number
    int64_t word_at_a_time                       # 1: wide words are served piece by piece; 0: for fewer lanes at a time; 2: the same, neighbours with equal
                                                 # addresses merged; 3: the same as 0, and a pass more for each group that loads words of four banks
    int64_t hook                                 # of a plugin's map of the banks

cdef enum:  # Cache.write; 0: there is no such component
    CACHE_WRITE_EVICT = 1
    CACHE_WRITE_THROUGH = 2
    CACHE_WRITE_BACK = 3

cdef enum:  # Cache.scope; 0: there is no such component
    CACHE_SCOPE_SCHEDULER = 1
    CACHE_SCOPE_MULTIPROCESSOR = 2
    CACHE_SCOPE_CLUSTER = 3
    CACHE_SCOPE_PARTITION = 4
    CACHE_SCOPE_CHIP = 5

cdef struct CacheParameters:
    int64_t line_bytes                           # under one tag: a longer line is kept as several
    int64_t sector_bytes                         # Bytes fetched on a miss
    int64_t ways                                 # Lines of one set
    int64_t latency_cycles                       # Hit: SM cycles added to the operation's own latency; with scope ``partition``: core cycles added at the
                                                 # partition
    int64_t dirty_ways                           # At a partition: lines of a set that may wait to be written back; with one more, that which was used longest
                                                 # ago is
    int64_t partial_dirty_ways                   # At a partition: lines of a set that may hold sectors of which stores have written a part; None: a store
                                                 # makes its sectors whole
    int64_t tag_bank_masks[4]                    # At a multiprocessor: for each bit of a tag bank's number, the bits of the line's number whose parity it is
    int64_t tag_bank_masks_count                 # how many of them there are
    int64_t prefetch_degree                      # Of instructions: the prefetch degree, lines behind the one that a miss asks for that it fetches too
    int64_t write                                # A store that hits: evicts the line and goes on; updates it and goes on; or stays until the line is replaced
    int64_t scope                                # Who shares one instance; ``scheduler``: only `Caches.instruction` and `constant_uniform`
    int64_t sets                                 # 0: there is no such cache
    int64_t fetch_sectors                        # a miss fetches aligned groups of this many
    int64_t random_of_k                          # lines of a set, by last use, of which chance replaces one; 1: the one used longest ago
    int64_t hook                                 # of the replacement
    int64_t set_mask                             # sets - 1 where that is all ones, else 0
    int64_t folds                                # runs of bits of the line number that are exclusive-ored into the set's number …
    int64_t fold_rights[8]                       # … each after so many places of rotation to the right …
    int64_t fold_masks[8]                        # … at these places

cdef struct StridePrefetcherParameters:
    int64_t entries                              # Load instructions of one warp each that a multiprocessor follows; each has its place in the table, where the
                                                 # latest stays
    int64_t degree                               # Lines that are fetched at a time
    int64_t distance                             # Steps by which the first of them lies ahead
    int64_t page_bytes                           # Lines on another page than the load's, of so many bytes, are not fetched

cdef struct TlbParameters:
    int64_t entries                              # Translations that it holds, each of a page
    int64_t ways                                 # Translations of one set, which the number of the page chooses; as many as `entries`: any may stand anywhere
    int64_t latency_cycles                       # Time of a lookup, and of the way to it: SM cycles of a multiprocessor's, core cycles of the one that they
                                                 # share
    int64_t lookups_per_cycle                    # Ports: lookups that begin in one such cycle
    int64_t misses_in_flight                     # Pages that it can wait for; a further one holds up what comes after it, one that it waits for already does
                                                 # not

cdef struct PageWalkParameters:
    int64_t walkers                              # Walks at a time; others wait their turn
    int64_t levels                               # Entries of the page table that a walk reads one after the other
    int64_t level_cycles                         # Core cycles for which it reads each of them
    int64_t table_entries                        # Entries of a table of each level
    int64_t cached_entries                       # Entries of upper levels, those used last, that walks need not read again

cdef struct AddressTranslationParameters:
    int64_t page_bytes                           # Bytes of a page
    TlbParameters l1                             # TLB of a multiprocessor
    TlbParameters l2                             # TLB of the chip, which those ask; None: they ask for a walk at once
    PageWalkParameters walk                      # What happens where none has a translation
    int64_t hit_under_miss                       # Whether requests whose translation is there overtake those that wait for theirs

cdef struct ConstantPortParameters:
    int64_t pass_bytes                           # Bytes of a lane that one pass brings
    int64_t pass_latency_cycles                  # By how much each further pass delays the load; 0: by as much as it holds the unit

cdef struct UniformFillParameters:
    int64_t latency_cycles                       # SM cycles for which a warp waits for a line
    int64_t interval_cycles                      # SM cycles between two lines, whichever of a multiprocessor's schedulers they are for

cdef struct CachesParameters:
    CacheParameters l1                           # Data cache of a multiprocessor
    StridePrefetcherParameters l1_prefetcher     # What fetches lines into `l1` before a load asks for them; None: nothing does
    AddressTranslationParameters tlb             # Translation of addresses behind the caches of a multiprocessor; None: there is none, or it takes no time
    CacheParameters constant                     # Cache of constant memory
    CacheParameters constant_l2                  # Second cache of constant memory, behind `constant`; its latency is that of a hit in it, the first cache's
                                                 # miss included
    CacheParameters constant_l3                  # Third cache of constant memory, behind `constant_l2`, likewise
    ConstantPortParameters constant_port         # How lanes read constants at several addresses; None: a pass brings all that an address names, and each holds
                                                 # the unit
    CacheParameters constant_uniform             # Each scheduler's cache of constants that a warp reads as a whole, as all lanes are known to agree on the
                                                 # address; None: these are loads like any other
    UniformFillParameters uniform_fill           # How `constant_uniform` gets lines that `constant_l2` or `constant_l3` has; None: at once
    CacheParameters instruction                  # First cache of instructions, of each scheduler or multiprocessor; None: instructions are always at hand
    CacheParameters instruction_l2               # Second cache of instructions
    CacheParameters instruction_l3               # Third cache of instructions, likewise
    int64_t instruction_memory_cycles            # The same wait for a line that none of them has
    int64_t instruction_preload_bytes            # Of a kernel's code, from its start: what its launch brings to the last of these caches
    CacheParameters texture_l1                   # First cache of texture and read-only loads; of scope ``cluster`` if the multiprocessors of a cluster share
                                                 # it
    CacheParameters texture_l2                   # Second cache of texture fetches, at the memory partitions, where it is not the L2
    int64_t texture_tile_rows                    # Rows of a two- or three-dimensional array of which one sector of `texture_l1` holds a piece: arrays lie tile
                                                 # by tile, so that neighbours in both directions share a line
    CacheParameters l2                           # Cache of all accesses, at the memory partitions
    int64_t l1_admission_hook                    # of a plugin's admission to L1
    int64_t l1_prefetch_hook                     # of a plugin's prefetcher
    int64_t l1_victim_cache_hook                 # of what a plugin puts beside L1

cdef struct MemoryInstructionQueueParameters:
    int64_t entries                              # Instructions of one scheduler; fetches of textures do not wait here
    int64_t units                                # bit u: ops for unit u go through it

cdef struct WriteCombiningParameters:
    int64_t lines                                # Lines that wait; if more come, the oldest leaves
    int64_t idle_cycles                          # SM cycles after the latest store until all of them leave

cdef enum:  # LoadStorePipeline.arbitration; 0: there is no such component
    LOAD_STORE_PIPELINE_ARBITRATION_ROUND_ROBIN = 1
    LOAD_STORE_PIPELINE_ARBITRATION_RANDOM = 2

cdef struct LoadStorePipelineParameters:
    int64_t data_stage_entries                   # Accesses that wait for the banks of L1 and shared memory behind the unit, which goes on as long as there is
                                                 # room; loads that miss come to the banks when their data are there
    int64_t issue_interval_cycles                # Least distance, in SM cycles, of two accesses of a warp that follow each other in straight code, with any
                                                 # other instructions in between
    int64_t arbitration                          # Which scheduler comes first at the unit behind a load of device memory, and behind as many accesses after it
                                                 # as can be queued: round robin, or at random
    int64_t stores_in_a_row                      # Whether stores of a warp that follow each other, with nothing in between, go to the unit in a row though
                                                 # others wait for it

cdef struct BulkCopyUnitParameters:
    int64_t read_bytes_per_cycle                 # Bytes that it asks for in an SM cycle; None: a transaction every `LoadStore.transaction_cycles`
    int64_t write_bytes_per_cycle                # Bytes that it stores or reduces in an SM cycle; None: a transaction every `LoadStore.transaction_cycles`

cdef struct LoadStoreParameters:
    MemoryInstructionQueueParameters memory_instruction_queue  # Where memory instructions wait for the load/store unit; None: in their warps
    WriteCombiningParameters write_combining     # Where stores wait for others to the same line; None: each leaves by itself
    LoadStorePipelineParameters pipeline         # Stages of the unit; None: each access holds it to its end, and schedulers take turns at it
    BulkCopyUnitParameters bulk_copies           # What does bulk copies; None: it sends a transaction every `transaction_cycles`
    int64_t reads_in_flight_per_multiprocessor   # Read transactions sent and not yet answered
    int64_t stores_in_flight_per_multiprocessor  # Write transactions sent and not yet acknowledged
    int64_t transaction_cycles                   # SM cycles for which each transaction, the first included, holds the load/store unit
    int64_t atomic_fs                            # Core cycles for which one sector's atomic operations hold its partition, and each further operation on the
                                                 # same address
    int64_t store_bytes_in_flight_per_multiprocessor  # of sectors, whole or in part, that all stores in flight may carry together; 0: any number
    int64_t textures_in_flight_per_multiprocessor  # transactions sent to a texture cache that a cluster shares, and not yet answered; 0: they are reads
    int64_t replay_cycles                        # by which each further transaction of an access, issued once more, keeps its own warp from going on
    int64_t replay_on_reservation_fail           # 1: a load that finds all lines of its set of L1 being filled is issued again when one of them has come
    int64_t atomic_sector_16ths                  # per sector all of whose words are operated on, in sixteenths of `atomic_fs`

cdef struct TextureUnitsParameters:
    int64_t weight_bits                          # Fraction bits of positions between texels, and so of the weights of a filter
    int64_t coordinate_bits                      # Fraction bits that a normalised coordinate keeps before it is multiplied by the extent
    int64_t coordinate_extents[4]                # Extents of a texture beyond each of which its normalised coordinates keep one bit more
    int64_t coordinate_extents_count             # how many of them there are
    int64_t guard_bits                           # Bits below the last one of a filter's greatest texel that its other texels keep

cdef struct ParityHashParameters:
    int64_t high_bit                             # The lowest address bit that is a high bit of what is divided
    int64_t masks[16]                            # address bits of which a parity is taken, from the lowest bit of what they give to the highest …
    int64_t parities                             # … how many there are; 0: partitions are slices …
    int64_t parts                                # … and those of them, the highest, that say in which part of the slices a chunk lies

cdef struct L2SlicesParameters:
    ParityHashParameters map                     # Through which slice's ports and atomic unit an address is reached, and in which of
                                                 # `Interconnect.l2_partitions` those lie
    int64_t atomic_packet_fs                     # Core cycles for which a packet of atomic operations holds the way into its slice at least
    int64_t queue_fs                             # Core cycles of stores and atomic operations that may wait to get into a slice, and of those that may wait in
                                                 # it; others wait in their multiprocessors, and hold up what comes after

cdef struct ClusterPortsParameters:
    int64_t request_bytes_per_cycle              # Rate out of one cluster, whose multiprocessors take turns, per core cycle; None: not a bottleneck
    int64_t response_bytes_per_cycle             # Rate into one cluster, per core cycle; None: not a bottleneck

cdef struct L2PartitionsParameters:
    int64_t count                                # How many there are
    int64_t far_latency_fs                       # By which data take longer to another part than to their own: from DRAM, and from the partition's cache when
                                                 # they are first asked for from there
    int64_t link_bytes_per_cycle                 # Rate into one part from the others, per core cycle, of such data and of what is stored; None: not a
                                                 # bottleneck
    int64_t links                                # Links that share this rate evenly, each for the partitions, or slices, whose numbers are the same modulo so
                                                 # many

cdef struct NocDistancesParameters:
    int64_t hop_cycles[32]                       # SM cycles of their hops to the multiprocessors of a cluster, one by one, and again from the first; none: no
                                                 # longer
    int64_t hop_cycles_count                     # how many of them there are
    int64_t partition_fs                         # Most by which they take longer, by the distance in the network on chip; how much is different for each
                                                 # cluster and partition
    int64_t hop_fs                               # By which an answer takes longer for each hop of `topology`, the way of its request included
    int64_t link_bytes_per_cycle                 # Rate of each link of `topology`, per core cycle; None: not a bottleneck
    int64_t hook                                 # of a plugin's topology

cdef struct RequestCoalescerParameters:
    int64_t requests                             # How many it answers together at most
    int64_t lines                                # Lines for which a partition's coalescer holds requests at a time

cdef enum:  # Interconnect.injection_scope; 0: there is no such component
    INTERCONNECT_INJECTION_SCOPE_MULTIPROCESSOR = 1
    INTERCONNECT_INJECTION_SCOPE_CLUSTER = 2

cdef struct InterconnectParameters:
    int64_t request_latency_fs                   # One way, multiprocessor to partition, unloaded
    int64_t response_latency_fs                  # One way, partition to multiprocessor, unloaded
    int64_t header_bytes                         # Bytes of a packet besides its data
    int64_t injection_bytes_per_cycle            # Rate into the network, per core cycle …
    int64_t injection_scope                      # … of each multiprocessor or of each cluster
    int64_t store_ports                          # Whether stores and atomic operations enter by ports of their own, of the same rate, and so hold up no load
    int64_t partition_request_bytes_per_cycle    # Rate into one partition, per core cycle; packets take whole cycles, but where there are `slices`
    int64_t partition_response_bytes_per_cycle   # Rate out of one partition, per core cycle
    L2SlicesParameters slices                    # Slices of the L2 that have a map, ports and atomic units of their own; None: they are the partitions'
    ClusterPortsParameters cluster_ports         # What the multiprocessors of a cluster share; None: each has its own way into the network and out of it
    L2PartitionsParameters l2_partitions         # Parts of the chip between which data take longer; None: all are near each other
    NocDistancesParameters distances             # By which answers take longer to some multiprocessors than to others; None: by nothing
    RequestCoalescerParameters request_coalescer  # Where a partition answers equal requests of one cluster together; None: each is answered by itself
    int64_t mask_bytes                           # by which the packet of an atomic operation, or of a store that leaves bytes of its sectors alone, is longer
    int64_t sector_mask_bytes                    # of each sector of an atomic packet with data instead of `mask_bytes`; 0: one mask for all
    int64_t partial_write_fs                     # for which a packet that writes sectors in part holds the way into its partition at least, or its slice

cdef enum:  # Dram.page_policy; 0: there is no such component
    DRAM_PAGE_POLICY_OPEN = 1
    DRAM_PAGE_POLICY_CLOSE_ADAPTIVE = 2

cdef struct DramParameters:
    int64_t partitions                           # Partitions (channels) with a controller of their own
    int64_t interleave_bytes                     # Consecutive bytes that lie in one partition
    int64_t burst_bytes                          # Bytes of one burst of a partition; data moves in whole bursts
    int64_t banks                                # Banks of a partition, each with one open row
    int64_t row_bytes                            # Bytes of an open row of a partition, all its chips together
    int64_t t_rcd_fs                             # Activate to column access
    int64_t t_rp_fs                              # Precharge to activate
    int64_t t_ras_fs                             # Activate to precharge
    int64_t t_rrd_fs                             # Activate to activate of another bank
    int64_t t_cl_fs                              # Read to its first data
    int64_t t_wl_fs                              # Write to its first data
    int64_t t_wtr_fs                             # End of write data to a read
    int64_t t_rtw_fs                             # End of read data to write data
    int64_t t_wr_fs                              # End of write data to precharge
    int64_t t_refi_fs                            # From one refresh of a partition, of some of its banks, to that of the next ones; None: refreshes are not
                                                 # modelled
    int64_t t_rfc_fs                             # For which a refresh holds the partition, or `refresh_banks`
    int64_t refresh_banks                        # that are refreshed together; 0: one, and the partition waits
    int64_t extra_latency_fs                     # Controller and pad latency of every access, beside the timings above
    int64_t queue_entries                        # Requests, reads and writes together, that a partition holds; a full queue blocks the port
    int64_t refreshes_postponed                  # Refreshes of the same banks that may be put off while transactions wait for them, to be made up for when
                                                 # none does
    int64_t write_drain_high                     # Waiting writes at which the partition turns to writing …
    int64_t write_drain_low                      # … and at which it turns back, if reads wait
    int64_t partition_xor                        # 1: each round of the partitions is turned by its number, folded by the shifts
    int64_t partition_shifts[8]                  # 0: no further one
    int64_t partition_hook                       # of a plugin's map of the partitions
    int64_t page_bytes                           # of pages that a plugin places in L2 partitions; 0: it does not
    int64_t order_hook                           # of a plugin's order of the queue
    int64_t burst_fs                             # for which a burst holds the bus
    int64_t page_policy                          # whether a row stays open until its bank is wanted for another one, or closes as soon as nothing that is
                                                 # queued wants it
    int64_t window                               # queue entries that the scheduler looks at

cdef struct BlockClustersParameters:
    int64_t most_blocks_nonportable              # … and of a launch that allows sizes which other machines of the kind may not have
    int64_t latency_cycles                       # SM cycles for which a load of another block's shared memory takes longer than it occupies the load/store
                                                 # unit; what one block tells another's mbarrier takes as long
    int64_t bytes_per_cycle                      # Rate of a multiprocessor's way to other blocks' shared memory per SM cycle, in whole pieces of 32 bytes
    int64_t barrier_cycles                       # SM cycles from the last arrival at the barrier of a cluster until its blocks go on

cdef enum:  # DeviceLaunches.pool; 0: there is no such component
    DEVICE_LAUNCHES_POOL_VIRTUALISED = 1
    DEVICE_LAUNCHES_POOL_FIXED = 2

cdef struct DeviceLaunchesParameters:
    int64_t depth                                # Generations of grids below the one that the host launched
    int64_t synchronization_depth                # Generations whose blocks may wait for what they launched; 0: none may
    int64_t pending                              # Launches under way at a time that the fixed pool has room for
    int64_t pool                                 # What becomes of launches beyond that: they go on in a ``virtualised`` pool in the device heap (the first
                                                 # device runtime, of CUDA up to 11), or the pool is ``fixed`` and they fail with
                                                 # ``cudaErrorLaunchPendingCountExceeded`` (the second, of CUDA 12)
    int64_t virtual_cycles                       # by which a launch in the virtualised pool holds its warp longer
    int64_t call_cycles                          # for which one thread's launch holds its warp …
    int64_t lane_cycles                          # … and for which each further thread's of the same warp does
    int64_t start_cycles                         # from there to the first block of the child
    int64_t next_cycles                          # from the end of a grid to the start of what waits for it …
    int64_t tail_cycles                          # … and of its tail

cdef enum:  # LinkAccesses.atomics; 0: there is no such component
    LINK_ACCESSES_ATOMICS_DEVICE = 1
    LINK_ACCESSES_ATOMICS_MEMORY = 2

cdef struct LinkAccessesParameters:
    int64_t latency_fs                           # From the device's interconnect to the memory and back with the first byte, where nothing else is under way
    int64_t granule_bytes                        # Data go in aligned pieces of this many
    int64_t header_bytes                         # For which a request, and an answer, occupies the link beside its data
    int64_t requests_in_flight                   # Reads and atomic operations that wait for an answer at a time
    int64_t atomics                              # Who carries out atomic operations: the ``device``, which reads what they change and writes it back, so that
                                                 # those on one word follow each other by the way there and back; or the ``memory``, as its own
    int64_t read_byte_fs                         # for which a byte occupies the way towards the device …
    int64_t write_byte_fs                        # … and from it

cdef struct HostLinkParameters:
    LinkAccessesParameters mapped                # How kernels access page-locked memory of the host
    LinkAccessesParameters peer                  # How they access memory of a device beside this one; None: as memory of the host
