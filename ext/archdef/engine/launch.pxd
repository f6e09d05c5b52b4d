"""Launches, their blocks and their warps."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.barrier cimport BARRIERS, Barrier, GridBarrier
from archdef.engine.block_memory cimport BlockStorage, BlockLayout
from archdef.engine.copying cimport Copies
from archdef.engine.counters cimport StatementCounters
from archdef.engine.device_runtime cimport IGNORED, ChildRecord, ConstantFill, Fit, Ignored, Output
from archdef.engine.divergence cimport Frame, Split
from archdef.engine.events cimport Events
from archdef.engine.heap cimport Heap
from archdef.engine.lane_trace cimport LaneTrace
from archdef.engine.machine cimport MachineTable
from archdef.engine.memo cimport Memo
from archdef.engine.memory cimport Span
from archdef.engine.schedule cimport Scheduler
from archdef.engine.residency cimport Residency
from archdef.engine.texture_table cimport Textures
from archdef.engine.timeline_record cimport TimelineRecord
from archdef.engine.uop cimport Uop

cdef struct Launch
cdef struct BlockCluster
cdef struct Block
cdef struct ChildLaunches
cdef struct KernelTable
cdef struct Origin

cdef enum:
    PENDING = 0x0400000000000000   # ready cycle of a register whose load is still on its way
    MOST_CLUSTER_BLOCKS = 32       # that a description can declare
    WHOLE = 1099511627776        # 2^40: what a multiprocessor has of each thing that blocks share

cdef enum WarpState:
    WS_EMPTY = 0
    WS_WAITING = 1       # in its scheduler: ready, in the wheel, or with a wake-up event
    WS_SLEEPING = 2      # needs a register whose load is on its way
    WS_BARRIER = 3
    WS_ENDED = 4
    WS_COPIES = 5        # waits for asynchronous copies
    WS_CHILDREN = 7      # waits for what its block has launched
    WS_REPLAY = 8        # its load is issued again when L1 has a place for it, or waits in the queue as a loop
    WS_CONSTANT = 9      # waits as a whole for a constant that the load/store unit brings
    WS_REGISTERS = 10    # waits for registers that other warps of its block hold
    WS_DIVERGED = 6      # its lanes wait for each other, or some at a barrier for the others

cdef struct Warp:                # what an issue touches comes first
    int32_t pc
    int32_t reconverge
    uint64_t active
    uint64_t alive               # launched and not ended
    uint64_t quiet               # active lanes of which `lane_states` has nothing to note: all of the warp; 0: the warp is traced, or in a timeline
    Launch *launch
    char *rows
    int64_t *ready               # scoreboard: (cycle << 4 | Stall), rows then predicates
    uint64_t *predicates
    Residency *residency
    Split *splits                # convergence barriers: lanes that do not run; NULL: stack reconvergence
    int64_t settled              # cycle up to which the warp's time is accounted for
    int64_t since                # cycle at which the next op's dependencies are met
    int64_t pipe_mark            # occupied cycles of the next op's unit at `since`
    int32_t cause                # Stall of the wait until `since`
    int16_t state                # WarpState
    int16_t bit                  # its place with …
    Scheduler *scheduler
    uint32_t code_line           # line of code that its latest instruction was fetched from, as in `Uop`; 0: none yet
    int32_t depth                # entries on the stack
    int64_t throttle_mark        # throttled cycles of the load/store unit at `since`, of a warp whose next op accesses memory
    int32_t frame                # index + 1 of the innermost call's entry; 0: in the kernel itself
    int32_t loads                # loads on their way
    uint64_t launched
    Frame *stack
    int32_t stack_room           # entries
    int32_t stack_grown          # `stack` is an allocation of its own
    int64_t *frames_left         # entries by which all stacks of the launch may still grow
    int32_t split_room           # places, one a lane
    int32_t join                 # of the running lanes, -1: none
    int32_t turn                 # place to look at next
    int32_t passed               # as in Split
    int32_t path                 # LN_FIRST or LN_SECOND of the running lanes, while others live that do not run
    uint64_t arriving            # lanes that have made their warp's arrival at a barrier that it does not wait for
    int32_t slot
    int32_t block                # block slot
    int32_t index                # in the block
    int32_t barrier_op           # op at which it waits
    int64_t number               # in the grid
    uint64_t cluster_arrived     # lanes that have arrived in this phase of the cluster's barrier
    uint64_t missed              # lanes that were elsewhere when others of the warp, which has a stack, came to a barrier
    int32_t next_waiting
    int32_t registers            # that each of its lanes has, where the kernel gives and takes some
    Copies *copies               # that are on their way, where the kernel has any
    int32_t copy_group           # number of the group that is open
    int32_t bulk_group
    int32_t copy_target          # WS_COPIES: last group waited for
    int32_t copy_wait            # CopyGroup that waits
    char *local                  # [lanes][local bytes]
    int32_t *errors              # of launches, by lane
    int32_t by_load              # the next op reads constants that the load/store unit has to bring
    int32_t again                # the next op looks for its constants once more: all lines that could give way were on their way
    int32_t place                # number of its WarpPlace, plus 1; 0: nothing of it is recorded so far
    int64_t unused[1]            # up to whole lines of the host's cache, which `Session` checks

cdef struct Block:
    int32_t running
    Launch *launch
    BlockStorage *storage
    int32_t *warps               # [block_warps] warp slots
    ChildLaunches *child_launches  # NULL: the block has launched nothing
    bint leaving                 # it is swapped out and not at its end
    bint noted                   # its end is, where blocks are recorded
    int32_t threads_alive
    int32_t warps_alive
    int32_t draining             # ended warps whose loads are still on their way
    uint32_t index[3]
    int64_t number
    int64_t started
    char *shared
    BlockCluster *cluster        # NULL: the block is alone in its cluster
    int32_t cluster_rank
    int32_t cluster_state        # ClusterState
    int32_t register_waiters     # warps that wait for registers
    int64_t cluster_opens        # cycle from which the block goes on at the cluster's barrier, -1: it is not known
    Barrier barriers[BARRIERS]

cdef struct BlockCluster:        # blocks that start together, and reach each other's shared memory
    BlockCluster *next           # not in use
    BlockCluster *made           # the one that was made before it
    int64_t serial               # different each time that the record is used
    int32_t seated               # blocks that have a place …
    int32_t left                 # … that have not ended …
    int32_t missing              # … and that have not arrived in this phase of the cluster's barrier
    uint32_t ended               # mask, by rank
    int64_t latest               # cycle of the phase's last arrival so far
    int32_t sm[MOST_CLUSTER_BLOCKS]         # multiprocessor, by rank …
    int32_t slot[MOST_CLUSTER_BLOCKS]       # … place there …
    Events *inbox[MOST_CLUSTER_BLOCKS]      # … what will happen to it …
    Block *blocks[MOST_CLUSTER_BLOCKS]      # … NULL: the block has not begun, or has ended

cdef struct ChildLaunches:       # what a block has launched
    int64_t pending              # that is not complete
    int32_t sm
    int32_t slot
    bint ended                   # the block has
    Launch *last                 # in the stream that the block's threads share by default …
    int64_t last_serial
    BlockStorage *storage        # of a block that is swapped out, …
    Warp *warps
    Block block
    ChildLaunches *next          # not in use, or waiting for a place
    int32_t number

cdef struct DeviceStream:        # or an event; made by a kernel
    Launch *grid                 # whose threads may use it
    int64_t grid_serial
    Launch *last
    int64_t last_serial
    int32_t kind                 # 0: none, 1: stream, 2: event

cdef struct LaunchBuffer:        # of one launch by a kernel, before and while it runs
    Launch *launch               # NULL: not launched yet
    uint64_t address             # device memory of its arguments
    int64_t next_free            # in the virtualised pool, -1: none
    int32_t kernel               # -1: not in use
    uint32_t grid[3]
    uint32_t block[3]
    uint32_t shared

cdef struct Origin:              # a launch by the host, with all the grids that it comes to
    Output output
    uint64_t code                # number of its program in the session
    Textures textures
    Residency *residencies       # [multiprocessors]
    TimelineRecord *timeline     # of all its grids, NULL: none
    Span *spans                  # allocations as they were when it began
    int64_t span_count
    int64_t grids                # that are not complete
    bint constants_written       # something has stored to the module's constant area
    # launches by kernels
    KernelTable *kernels
    int64_t kernel_count
    const int32_t *functions     # [function_count] kernel of a function's number - 1; -1: none that can be launched
    int64_t function_count
    LaunchBuffer *buffers
    int64_t buffer_count
    int32_t *free_buffers        # a stack
    int64_t free_count
    int64_t buffer_room          # buffers that there is room for, those of the virtualised pool behind the others …
    int64_t buffer_made          # … so many of which have been used …
    int64_t free_virtual         # … and the first that is free, -1: none
    uint64_t buffer_address      # device memory of the first
    int64_t buffer_bytes
    DeviceStream *streams
    int64_t stream_count
    int64_t stream_room
    Fit *fits
    int64_t fit_count
    ChildRecord *records
    int64_t record_count
    int64_t record_room
    int64_t launched             # by kernels, so far
    int64_t pending
    uint64_t text_address        # descriptions of errors, 0: not asked for
    const int64_t *attributes    # pairs of number and value
    int64_t attribute_count
    const int64_t *limits        # the same of `cudaLimit`
    int64_t limit_count
    int64_t failures             # calls of the device runtime that have failed
    Ignored ignored[IGNORED + 1]          # by error; the last stands for all that find no place

cdef struct Launch:              # a grid, and what its warps need
    # the kernel
    const MachineTable *m
    const Uop *ops
    const int32_t *targets
    const int32_t *operands      # of matrix products: byte offset in the warp's rows, or -1 - that in the constants
    int32_t op_count
    int32_t statements
    const char *constants
    int32_t rows
    int32_t predicates
    int32_t special_count
    const uint32_t *special_of
    const uint32_t *special_row
    int32_t lanes                # warp size
    int32_t pitch                # bytes of a row
    bint copies                  # some op copies asynchronously
    Memo *memos                  # per op
    void (*over_banks)(Warp *w, const Uop *u, Memo *memo, uint64_t lanes, const uint64_t *address, int key) noexcept nogil    # see bank_access.pyx
    StatementCounters *counters  # without `instructions`, which follow from …
    int64_t *issued              # … how often each op was issued
    LaneTrace *trace             # of its lanes, NULL: none
    # the grid
    int32_t number               # of the launch in the session
    int32_t kind                 # LaunchKind
    int32_t state                # LaunchState
    int64_t serial               # different in each launch, also in the same place; those of one multiprocessor grow
    int64_t order                # among the launches that have reached the machine or their stream: by it ties go
    Origin *origin
    int32_t kernel               # in the origin's table
    GridBarrier grid_barrier[3]  # by GroupScope
    bint cooperative
    int64_t grid_rank            # among the grids of several devices …
    int64_t grids                # … of so many; 0: it is alone
    int64_t gathered             # cycle since which it waits for the others, -1: it does not
    int32_t block_threads
    int32_t block_warps
    uint32_t block[3]
    uint32_t grid[3]
    uint32_t cluster[3]          # blocks of a cluster along each axis, …
    int64_t cluster_blocks       # … together …
    bint explicit_cluster        # … and whether somebody asked for them
    int64_t blocks
    int64_t shared_bytes
    uint64_t code_base           # number of its first line of code, less 1
    int64_t code_lines           # … and how many follow; 0: there are no instruction caches
    int64_t l1_sets              # that shared memory leaves to L1; 0: as declared
    int64_t l1_ways              # … and ways of each
    int64_t local_bytes          # per thread
    int32_t registers            # per thread when a block starts, in the units in which the machine hands them out
    int64_t cost[4]              # what a block takes of a multiprocessor: warps, blocks, registers, shared memory; the whole is WHOLE
    BlockLayout block_layout
    int64_t next_block
    int64_t done_blocks
    int64_t seated               # blocks that have a place
    int64_t stores               # on their way
    int64_t ready                # cycle from which blocks may start
    int64_t started              # cycle of the first block
    int64_t ended                # cycle of the last block's end; once complete, of the last store's landing too
    Launch *next_queued
    Launch *next_running
    # its place among others
    Launch *next_made
    Launch *parent               # NULL: the host launched it
    ChildLaunches *child_launches
    int32_t depth
    int64_t children             # that are not complete; those of the tail are not among them
    Launch *first_tail           # launches that begin when it is done
    Launch *last_tail
    bint tail
    bint counted                 # among what its block waits for
    int64_t waits                # for so many others
    Launch *next_in_stream
    Launch *first_waiter         # marks that wait for it
    Launch *next_waiter
    DeviceStream *stream         # that it will join, NULL: none …
    bint own_stream              # … or the block's
    int32_t buffer
    char *constant_room
    int64_t constant_room_bytes
    int64_t record
    int64_t asked
    uint64_t target              # copies and fills
    uint64_t source
    uint64_t bytes
    # memory
    char *arena
    const Span *spans
    int64_t span_count
    uint64_t const_start         # device addresses of the module's constant area
    uint64_t const_end
    uint64_t parameter_start     # device copy of the parameter buffer, read-only for the kernel
    uint64_t parameter_end
    Textures *textures
    Heap *heap                   # NULL: the kernel does not use it
    int32_t stack_start          # local address at which the call stack begins
    int64_t passes_period        # bytes by which an access may move without a change of its passes, a power of two

cdef struct KernelTable:         # what a launch by a kernel needs to know of another
    Launch model                 # with the kernel's part filled in
    const ConstantFill *fills
    int64_t fill_count
    int64_t constant_bytes
    int64_t parameter_bytes
    const int32_t *pointers      # offsets of arguments that it uses as addresses
    int64_t pointer_count
    uint64_t global_base
    uint64_t const_base
