"""State of running launches: warps, blocks, multiprocessors, and what they share."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.cache cimport Cache, Line
from archdef.engine.coalesce cimport Transaction
from archdef.engine.counters cimport StatementCounters
from archdef.engine.events cimport Events
from archdef.engine.heap cimport Heap
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport Span
from archdef.engine.network cimport Network
from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport Scheduler, pick_function
from archdef.engine.texture_table cimport Textures

cdef struct LaneTrace           # lane_states
cdef struct Launch           # below
cdef struct BlockCluster
cdef struct Block
cdef struct Dispatcher
cdef struct Family
cdef struct KernelTable
cdef struct Origin
cdef struct Sm

cdef enum:
    PENDING = 0x0400000000000000   # ready cycle of a register whose load is still on its way
    BARRIERS = 18                  # of a block: 16 by number, the cluster's, and that of blocks or grids
    CLUSTER_BARRIER = 16
    GRID_BARRIER = 17
    MOST_CLUSTER_BLOCKS = 32       # that a description can declare
    MEMO_SLOTS = 8
    COPY_GROUPS = 32             # of asynchronous copies of a warp that are told apart
    PIECES = 512                 # transactions of an access at most: eight texels of each of 64 lanes
    IGNORED = 15                   # errors of the device runtime that are told apart
    REFUSED = 64                 # loads that wait to be issued again …
    REFUSED_PIECES = 64          # … with so many transactions left at most
    BULK_FULL = 64               # bulk copies that wait; from there on the load/store unit is held
    BULK_RING = 128              # … and those of the instruction that passes it: 64 lanes
    BULK_LOADS = 64              # bulk copies whose data are on their way
    UNIT_COPIES = 8              # most units of a kind that schedulers share
    MEMO_TRANSACTIONS = 32

    WHOLE = 1099511627776        # 2^40: what a multiprocessor has of each thing that blocks share

cdef enum LaunchKind:
    LK_GRID = 0
    LK_COPY = 1
    LK_FILL = 2
    LK_MARK = 3          # nothing: others wait for it

cdef enum DeviceError:   # as CUDA numbers them
    DE_NONE = 0
    DE_VALUE = 1
    DE_MEMORY = 2
    DE_CONFIGURATION = 9
    DE_DIRECTION = 21
    DE_DEPTH = 65
    DE_JOIN_DEPTH = 68
    DE_PENDING = 69
    DE_FUNCTION = 98
    DE_DEVICE = 101
    DE_LIMIT = 215
    DE_HANDLE = 400

cdef enum LaunchState:
    LS_WAITING = 0       # for others, or its time
    LS_QUEUED = 1        # has blocks to start
    LS_STARTED = 2       # all blocks have been given a place
    LS_COMPLETE = 3

cdef enum HappeningKind:
    HP_PLACE = 0         # the place of block `index` of multiprocessor `sm` is free
    HP_READY = 1         # launch `index` can start
    HP_ASKED = 2         # a kernel's launch `index` reaches its stream
    HP_WAITING = 3       # block `index` of multiprocessor `sm` may have waited for its children for long
    HP_RETURN = 4        # the children of a block that gave its place away have ended; index: of the family

cdef enum WarpState:
    WS_EMPTY = 0
    WS_WAITING = 1       # in its scheduler: ready, in the wheel, or with a wake-up event
    WS_SLEEPING = 2      # needs a register whose load is on its way
    WS_BARRIER = 3
    WS_ENDED = 4
    WS_COPIES = 5        # waits for asynchronous copies
    WS_CHILDREN = 7      # waits for what its block has launched
    WS_REFUSED = 8       # its load is issued again when L1 has a place for it, or waits in the queue as a loop
    WS_CONSTANT = 9      # waits as a whole for a constant that the load/store unit brings
    WS_REGISTERS = 10    # waits for registers that other warps of its block hold
    WS_PARTED = 6        # its lanes wait for each other, or some at a barrier for the others

cdef enum SplitState:
    SPLIT_RUNNABLE = 0
    SPLIT_YIELDED = 1    # lets others go first
    SPLIT_NAMED = 2      # at an instruction that names lanes which are not there yet
    SPLIT_BARRIER = 3    # at a barrier of the block

cdef enum FaultCode:
    FAULT_NONE = 0
    FAULT_BOUNDS = 1             # address outside every allocation (or outside shared, local, constant memory)
    FAULT_ALIGNMENT = 2
    FAULT_DEADLOCK = 4
    FAULT_TRAP = 5
    FAULT_STACK = 6              # calls nested too deeply
    FAULT_INSTRUCTIONS = 7       # budget
    FAULT_CYCLES = 8             # budget
    FAULT_BARRIER_NUMBER = 9
    FAULT_BRANCH_INDEX = 10
    FAULT_HOST_MEMORY = 11
    FAULT_READ_ONLY = 12         # store to constant memory
    FAULT_LATE = 13              # the engine broke its own time order
    FAULT_END = 14               # control ran past the last instruction
    FAULT_ASSERT = 15            # `detail`: expression, file, line, function
    FAULT_FREE = 16              # not an allocation of the device heap, or freed already
    FAULT_CALL_TARGET = 17       # an indirect call of what is no function of that kind
    FAULT_FRAME = 18             # the call stack of a thread is full
    FAULT_PHASE = 19             # a count that a barrier in shared memory does not allow
    FAULT_PARTED = 20            # lanes of a warp wait for lanes of it that never come
    FAULT_LAUNCH_POINTER = 21    # a child is given the address of shared or local memory; detail: offset of the argument, kernel
    FAULT_LAUNCH_COPY = 22       # a copy or fill that a kernel asked for leaves its allocation
    FAULT_STANDSTILL = 23        # warps that go round wait for what nobody will do
    FAULT_POLICY = 24            # a plugin's policy gave an answer that is none; detail: number of its hook
    FAULT_BULK_SIZE = 30         # bytes of a bulk copy
    FAULT_CLUSTER_RANK = 33      # no block of the cluster has that rank; detail: rank, blocks
    FAULT_CLUSTER_BLOCK = 34     # the block of that rank has ended, or not begun; detail: rank, 1: it has ended
    FAULT_PART_OF_WARP = 31      # not all lanes of the warp reach what only a whole warp can do
    FAULT_PART_OF_GROUP = 32     # not all warps of a group of four are there for what only they together can do
    FAULT_TENSOR = 35            # what a copy by a tensor map cannot be; detail: a TensorReason, what was found, what it must be
    FAULT_TEXTURE_HANDLE = 40    # no texture, surface or sampler of that handle; address: the handle
    FAULT_TEXTURE_SHAPE = 41     # one of other dimensions than the instruction's
    FAULT_SURFACE_BOUNDS = 42
    FAULT_SURFACE_ALIGNMENT = 43
    FAULT_SURFACE_FORMAT = 44    # texels of another size than the instruction works on

cdef struct Fault:
    int32_t code
    int32_t op                   # index of the micro-op
    int32_t sm
    int32_t warp                 # warp slot
    int32_t lane
    int32_t pad
    uint64_t address
    uint64_t lanes               # lanes concerned
    int64_t cycle
    uint64_t detail[4]           # by code
    Launch *launch               # the warp's, NULL: no warp is to blame

cdef struct Frame:               # one entry of the divergence stack, or a join of convergence barriers
    int32_t pc
    int32_t reconverge           # op at which the lanes of this entry wait for the others; -1: the function's end
    uint64_t mask                # a join's: all that take part
    uint64_t waiting             # a join's: those that are there
    int32_t call                 # 1: a call's return point; `caller` is the frame index before
    int32_t caller               # a join's: the join above it, -1: none; if free: 1 + index of the next that is free
    int32_t branch               # op at which the lanes parted
    int32_t path                 # LanePart of the lanes when they go on from here

cdef struct Split:               # lanes that go on together, while they do not run
    int32_t pc
    int32_t join                 # -1: none
    uint64_t mask                # 0: the place is free
    uint64_t named               # SPLIT_NAMED: lanes waited for; SPLIT_BARRIER: the barrier's number
    int32_t state                # SplitState
    int32_t passed               # the lanes that the next instruction names have come
    int32_t path                 # LanePart of the lanes when they run

cdef struct SmCounters:
    int64_t blocks
    int64_t warps
    int64_t active_cycles
    int64_t warp_cycles
    int64_t issue_cycles
    int64_t threads
    int64_t lanes

cdef struct Share:               # what a multiprocessor does for one host launch and all that it launches
    SmCounters counters
    int32_t warps_alive
    int32_t resident             # blocks
    int32_t most_resident
    int64_t active_since
    int64_t ready                # when its first block has parameters and code

cdef struct Copies:              # of a warp that are on their way, by group modulo COPY_GROUPS
    int32_t pieces[32]           # of asynchronous copies
    int32_t bulk_writes[32]      # of bulk copies …
    int32_t bulk_reads[32]       # … whose source has not been read yet
    int64_t product_ends[32]     # groups of products of warpgroups: cycle in which the last of each ends, by group modulo COPY_GROUPS
    int64_t product_end          # … and of the latest product
    int32_t product_group        # number of the group that is open

cdef struct Warp:                # what an issue touches comes first
    int32_t pc
    int32_t reconverge
    uint64_t active
    uint64_t alive               # launched and not ended
    uint64_t quiet               # active lanes of which `lane_states` has nothing to note: all of the warp; 0: the warp is traced
    Launch *launch
    char *rows
    int64_t *ready               # scoreboard: (cycle << 4 | Stall), rows then predicates
    uint64_t *predicates
    Share *share
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
    int64_t unused[2]            # up to whole lines of the host's cache, which `Session` checks

cdef struct Barrier:
    int32_t arrived              # threads
    int32_t expected             # threads; 0: all that live
    int32_t first_waiting        # warp slot, -1: none
    int32_t popc
    int32_t all
    int32_t any

cdef struct BlockRoom:           # host memory of a resident block: this, then what `Room` says
    BlockRoom *next
    BlockRoom *apart             # a piece of its own for what few warps touch

cdef struct Room:                # where the parts of a block's memory lie, in bytes from its start
    int64_t row_bytes            # of a warp's rows, and a spare one: see LoadedProgram
    int64_t slots
    int64_t ready
    int64_t predicates
    int64_t rows
    int64_t shared
    int64_t bytes                # in all
    int32_t kind                 # class of size: four to a doubling
    int32_t kind_apart           # the same of the piece for what few warps touch …
    int64_t errors               # … and where what lies there
    int64_t copies
    int64_t stacks
    int64_t splits
    int64_t local
    int64_t bytes_apart

cdef struct Block:
    int32_t running
    Launch *launch
    BlockRoom *room
    int32_t *warps               # [block_warps] warp slots
    Family *family               # NULL: the block has launched nothing
    bint leaving                 # it has given its place away and is not at its end
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
    Barrier barriers[18]

cdef enum ClusterState:          # of a block at the barrier of its cluster
    CL_OPEN = 0                  # not all of its threads have arrived
    CL_ARRIVED = 1
    CL_OPENS = 2                 # all blocks have; it is on its way to know that

cdef struct BlockCluster:        # blocks that start together, and reach each other's shared memory
    BlockCluster *next           # not in use
    BlockCluster *made           # the one that was made before it
    int64_t serial               # different each time that the record is used
    int32_t seated               # blocks that have a place …
    int32_t left                 # … that have not ended …
    int32_t missing              # … and that have not arrived in this phase of the cluster's barrier
    uint32_t ended               # mask, by rank
    int64_t latest               # cycle of the phase's last arrival so far
    Sm *sms[32]                  # by rank …
    Block *blocks[32]            # … NULL: the block has not begun, or has ended

cdef struct Posted:              # an operation on an mbarrier of another block that is on its way
    BlockCluster *cluster
    int64_t serial
    Launch *launch
    int32_t rank
    int32_t fn                   # PhaseOp
    uint32_t offset
    uint32_t count
    int32_t op                   # who has sent it: …
    int32_t sm
    int32_t warp
    int32_t lane
    int32_t next                 # not in use

cdef struct Load:                # a load or atomic whose data are on their way
    int32_t warp
    int32_t op
    int32_t remaining            # fills to come
    int32_t next
    int64_t latest               # cycle of the last piece known so far
    int32_t passes               # over the banks that its data take when all have come, 0: none
    int32_t group                # of an asynchronous copy; bulk copies: modulo COPY_GROUPS, -1: none
    int64_t barrier              # bulk copies: offset of the mbarrier that counts it, -1: none
    uint32_t bytes               # … and what it counts
    uint32_t ranks               # … in several blocks of the cluster; 0: in one

cdef struct Slot:                # an in-flight read of the multiprocessor
    int32_t waiters              # first waiter node, -1: none
    int32_t next
    Line *line
    uint32_t sectors

cdef struct Waiter:
    int32_t load
    int32_t next

cdef struct Injection:           # the access whose transactions the load/store unit is handing over
    int32_t active
    int32_t count
    int32_t next
    int32_t kind                 # RequestKind
    int32_t load                 # index of the Load, -1: a store
    int32_t serial
    int32_t apart                # as in Memo
    uint8_t weight               # as in Request
    uint8_t operands
    uint8_t returns
    uint8_t refused              # a set of L1 has no place for the next one
    int32_t unit
    StatementCounters *counters  # of its statement
    Launch *launch
    Cache *cache                 # looked up for reads, NULL: none
    int64_t time                 # cycle at which the next transaction can go
    int64_t floor                # cycle up to which the op holds its unit anyway
    int64_t stalled              # cycle since which it waits for a credit, -1: it does not
    int64_t passes               # cycles for which banks of tags and of words are busy with what hits; 0: it is not known, lines follow each other
    int64_t begun                # cycle of the first
    Transaction transactions[512]   # PIECES

cdef struct Combined:            # a line that waits for more stores
    uint64_t line
    uint32_t sectors
    uint32_t words               # mask
    uint32_t covered             # bytes, those that were stored several times counted each time
    int32_t launch

cdef struct Refused:             # a load that is issued again: what is left of its injection
    int32_t warp                 # slot of the warp that waits for it, -1: it went on before
    int32_t load                 # index of the Load, for which it counts as one more fill to come
    int32_t count
    int32_t unit
    uint64_t set_bit             # of the set that is full, modulo 64
    StatementCounters *counters
    Launch *launch
    Cache *cache
    int64_t passes
    int64_t begun
    Transaction transactions[64]

cdef struct BulkCopy:            # one that waits for the unit, or is being handed over
    uint64_t address             # of global memory: where it goes on
    int64_t barrier              # offset in shared memory, -1: none
    uint32_t left                # bytes not yet formed into transactions
    uint32_t bytes
    int32_t warp
    int32_t op
    int32_t group                # modulo COPY_GROUPS, -1: none
    uint32_t ranks               # mask of the blocks that it goes to, each with an mbarrier at that offset; 0: to one
    int64_t ready                # cycle at which it can begin

cdef enum TensorReason:
    TR_MAP = 1                   # the 128 bytes are no tensor map
    TR_RANK = 2                  # it has another number of dimensions than the instruction
    TR_MODE = 3                  # of tiles, where the instruction wants pixels, or the other way
    TR_ROW = 4                   # bytes of a row of the box
    TR_FIRST = 5                 # the first coordinate is not at a multiple of 16 bytes
    TR_NEGATIVE = 6              # a store begins in front of the tensor
    TR_PIXEL = 7                 # the first pixel lies outside the box of pixels
    TR_REDUCE = 8                # there is no such operation on elements of that type
    TR_INTERLEAVED = 9           # pixels of an interleaved tensor

cdef struct TensorBox:           # a box that is copied: where its rows lie, and which is next
    uint64_t base
    uint64_t stride[5]           # bytes from one to the next unit (first dimension: its size), row, plane …
    int64_t dims[5]
    int64_t first[5]             # coordinates of the first unit
    int64_t count[5]             # units, rows …; of pixels: [1] all pixels
    int64_t step[5]
    int64_t lower[5]             # of pixels: first position …
    int64_t upper[5]             # … and the one behind the last
    int64_t shift[5]             # … and what is added to it
    int64_t at[5]                # the walk: rows, planes …; of pixels: position
    int64_t row                  # number of the row that is next
    int64_t rows
    int64_t piece                # the row's bytes that have become transactions
    int32_t rank
    int32_t unit                 # bytes of what the first dimension counts
    int32_t pixels               # the rows are pixels
    int32_t type                 # element, as the map numbers it
    int32_t rounds               # single precision becomes tf32 on its way in
    int32_t fill                 # what is outside is NaN, else zero
    int32_t span                 # bytes of a swizzled line, 0: none
    int64_t line                 # bytes of a row …
    int64_t pitch                # … and from row to row, in shared memory

cdef struct Bulk:                # the unit that moves bulk copies, one after the other
    BulkCopy *ring               # [BULK_RING]; NULL: the program has none
    int32_t first
    int32_t count
    int32_t load                 # Load of the first copy, -1: it has not begun
    int32_t loads                # records in use
    int32_t chunk                # transactions formed …
    int32_t next                 # … of which these are on their way
    int64_t time                 # cycle at which the next transaction can go
    int64_t wake                 # cycle of the event that goes on
    int64_t over                 # bytes moved in a cycle that has room left
    Transaction *transactions    # [MAX_TRANSACTIONS]
    TensorBox *boxes             # [BULK_RING] of the copies in the ring; NULL: the program has none

cdef struct Memo:                # one static access: lane pattern and what it costs
    uint64_t mask
    int64_t delta[64]            # address minus the first active lane's
    int64_t low                  # least delta of active lanes
    uint64_t extent              # bytes from the lowest that is accessed to behind the highest
    uint64_t span_start          # allocation hit last
    uint64_t span_bytes
    int32_t valid
    int32_t first                # first active lane
    int32_t contiguous           # lane k at base + k * bytes, all lanes
    int32_t apart                # packets by which operations on one word, which travel apart, are more than sectors (atomics)
    int32_t serial               # most lanes on one address (atomics) …
    int32_t serial_more          # … and on shared memory: of the lanes of a conflict group, less one, the sum over groups …
    int32_t serial_most          # … and the most of any
    int32_t slot_key[8]          # base modulo 256, -1: empty
    int32_t slot_count[8]
    int32_t slot_bytes[8]
    int32_t slot_covered[8]      # 1: what lanes access of the sectors is known
    int32_t slot_pieces[8]       # transactions as counted: sectors of a line each
    int64_t passes               # shared memory: bank_passes, for base modulo Launch.passes_period
    int32_t passes_key
    int32_t word_key             # the same for the words of a cached load, modulo a bank's word; -1: none
    int64_t word_passes
    int64_t relative[8][32]      # address minus the base rounded down to 256
    int64_t relative_line[8][32]
    uint32_t bytes[8][32]
    uint32_t covered[8][32]
    uint32_t words[8][32]
    uint32_t sectors[8][32]

cdef struct Output:              # what kernels print: records of `system.pyx`, one behind the other
    char *bytes
    int64_t room                 # bytes that are kept: those of the latest calls
    int64_t capacity             # of `bytes`
    int64_t used
    int64_t calls

cdef struct Family:              # what a block has launched
    int64_t pending              # that is not complete
    int32_t sm
    int32_t slot
    bint ended                   # the block has
    Launch *last                 # in the stream that the block's threads share by default …
    int64_t last_serial
    BlockRoom *room              # of a block that has given its place away, …
    Warp *warps
    Block block
    Family *next                 # not in use, or waiting for a place
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

cdef struct Fit:                 # blocks of a kernel on a multiprocessor
    int32_t kernel
    int32_t threads
    int64_t shared
    int64_t cost[4]              # 0: none fits

cdef struct ConstantFill:
    uint32_t kind                # ConstantKind
    uint32_t width
    uint64_t value

cdef struct ChildRecord:         # a finished launch by a kernel
    int64_t number
    int64_t parent               # number of the launch by which it was made; 0: the host's
    int64_t depth
    int64_t kernel
    int64_t grid[3]
    int64_t block[3]
    int64_t asked                # cycles
    int64_t started
    int64_t ended

cdef struct Ignored:             # calls of the device runtime that failed and of which no thread looked at the answer
    int32_t error
    int32_t kernel               # of the first of them: in the origin's table …
    int32_t statement            # … and where
    int64_t count

cdef struct Origin:              # a launch by the host, with all the grids that it comes to
    Output output
    uint64_t code                # number of its program in the session
    Textures textures
    Share *shares                # [multiprocessors]
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
    Ignored ignored[16]          # by error; the last stands for all that find no place

cdef struct Gathering:           # blocks of a grid that wait for all of its blocks, or for those of other grids too
    int64_t blocks               # that have arrived
    int64_t latest               # cycle of the last arrival

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
    StatementCounters *counters  # without `instructions`, which follow from …
    int64_t *issued              # … how often each op was issued
    LaneTrace *trace             # of its lanes, NULL: none
    # the grid
    int32_t number               # of the launch in the session
    int32_t kind                 # LaunchKind
    int32_t state                # LaunchState
    int64_t serial               # different in each launch, also in the same place
    Origin *origin
    int32_t kernel               # in the origin's table
    Gathering gathering[3]       # by GroupScope
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
    Room room
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
    Family *family
    int32_t depth
    int64_t children             # that are not complete; those of the tail are not among them
    Launch *first_tail           # launches that begin when it is done
    Launch *last_tail
    bint tail
    bint counted                 # among what its family waits for
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

cdef struct Chip:                # what all multiprocessors and all grids share
    const MachineTable *m
    pick_function pick
    int32_t held_from[16]        # per unit: fewest cycles of an op that keep others from starting
    int32_t counted[16]          # per unit: more is to be done when an op takes it; see units.pyx
    uint32_t needed              # mask of the units that programs have ops for: nobody waits for others, which are not kept up to date
    uint32_t sharing[16]         # … of those, units that have copies in common with it, itself too; of the unit that has all of them
    uint32_t using[16][8]        # … those that can use each of its copies
    int64_t budget               # warp instructions left
    Fault fault
    int64_t lookahead            # cycles of an epoch
    int64_t frames_left          # entries by which divergence stacks may still grow
    bint out_of_memory           # of the host
    bint gathered                # all blocks of some grid have arrived at its barrier in this epoch
    int64_t opening              # blocks that such a barrier lets go on, but not yet
    Launch **launches            # by number
    int64_t *landed              # of each: cycle by which its stores have landed
    int64_t **network_landed     # the network's copy of that pointer
    BlockRoom *rooms[128]        # not in use, by class of size
    BlockRoom *slabs             # pieces of host memory that they lie in
    int64_t slab_bytes           # of them together
    Dispatcher *dispatcher
    Injection access             # that is being queued
    BlockCluster *clusters       # not in use …
    BlockCluster *clusters_made  # … and all
    int64_t cluster_serial
    Posted *posted
    int32_t posted_room
    int32_t free_posted          # -1: none
    int64_t *asked               # [3][multiprocessors]: what a plugin's block dispatch is shown; NULL: there is none

cdef struct Happening:
    int64_t cycle
    int32_t kind                 # HappeningKind
    int32_t sm
    int32_t index

cdef struct Dispatcher:          # gives places to blocks
    Chip *chip
    Sm *sms
    Happening *heap              # in order of cycle, kind, sm, index
    int32_t count
    int32_t room
    Launch *first                # launches with blocks to start, in order
    Launch *last
    bint full                    # no multiprocessor has room for a block of the first
    Launch *running              # launches that are not complete and whose time has come
    Launch *spare                # places of complete launches by kernels
    Launch *made                 # all places of launches by kernels
    Launch *unfit                # launch whose blocks nobody has measured yet
    int64_t serial
    int64_t launched             # places of launches
    int64_t launch_room
    Family *returning            # blocks that gave their place away and want one again
    Family *last_returning
    Family *spare_families
    Family **families
    int64_t family_count
    int64_t family_room
    int32_t leaving              # blocks that are giving their place away
    int64_t *waiting             # blocks that may give their place away: sm << 32 | slot
    int64_t waiting_count
    int64_t waiting_room
    int64_t launch_free          # cycle of the next block launch on the chip …
    int64_t launch_part          # … and 64ths of one
    int64_t end_free             # cycle at which the chip may take note of the next block's end …
    int64_t end_part             # … and 64ths of one
    int64_t horizon              # everything before it has been handled

cdef struct Ended:
    int64_t cycle
    int32_t slot

cdef struct Sm:                  # what every cycle or every access touches comes first: the multiprocessors of a big machine displace each other
    Events *inbox
    const MachineTable *m
    Chip *chip
    Scheduler *schedulers
    Warp *warps                  # [schedulers * SCHEDULER_WARPS], at a line of the host's cache
    Block *blocks                # as many: a block has a warp at least
    int64_t now
    uint32_t busy
    int32_t turn                 # scheduler that comes first: the one behind the last that took a unit which they share …
    int32_t first                # … or behind the first, where one of several units was taken …
    int32_t id
    int64_t taken                # … in this cycle
    int64_t issued               # instructions of warps so far
    int64_t effects              # so far, that end a standstill: see spinning.pyx
    int64_t throttled            # cycles in which the load/store unit waited for a credit
    int64_t banks_free           # cycle from which the banks have nothing to do, see `banks`
    int64_t remote_free          # cycle from which the way to other blocks' shared memory is free …
    int64_t remote_part          # … and bytes of it that are taken already
    int64_t looping              # cycle up to which the atomic operation issued last holds its warp
    int64_t products_until       # cycle up to which queued products of warpgroups read shared memory
    uint64_t freed               # sets of L1 that have had fills since loads were last issued again, modulo 64
    void *observers              # `Observers` of observers.pxd, NULL: nobody is told of what happens
    void *throttle               # a `Throttle` of throttle.pxd, NULL: no policy holds loads back
    int32_t refused_count
    int32_t held                 # 1: the access that was just issued holds its warp
    int32_t drawn                # accesses that chance decides the order of, behind the latest load of device memory
    Network *network
    Load *loads
    Slot *slots
    Waiter *waiters
    int32_t free_load
    int32_t free_slot
    int32_t free_waiter
    int32_t waiters_left
    int32_t store_credits
    int32_t store_bytes          # of stores that are not acknowledged, where they are limited
    int32_t free_texture         # like `free_slot`, of a pool for the cluster's texture cache
    int32_t combined_count
    int32_t combined_first       # the oldest of the lines that wait for more stores …
    int32_t combined_watched     # … 1: an event looks after them …
    int64_t combined_touched     # … cycle of the latest store among them
    int64_t unit_free[16]        # first cycle at which a unit of the kind can start an op
    int64_t unit_blocked[16]
    Injection injection
    Cache l1
    int64_t copy_free[16][8]     # as `unit_free`, of each unit, where there are several of a kind
    Bulk bulk
    Refused *refused             # [REFUSED] in the order in which they were; NULL: the load/store unit waits for a place …
    int32_t *refused_order       # … by number, and behind them those that are not in use
    Cache constant
    Cache constant_behind[2]     # its second and third level
    Cache *uniform               # [schedulers] caches of constants that warps read as a whole; NULL: there are none …
    int64_t *uniform_arrives     # … [caches][sets][ways]: when each line is there, NEVER: when the load/store unit has brought it …
    int64_t uniform_next         # … and from which cycle on the next line can come
    Cache *code                  # [schedulers, or 1] their first caches of instructions; NULL: there are none, or they are all empty …
    int64_t *code_arrives        # … [caches][sets][ways]: when each line is there
    Cache code_behind[2]         # its second and third level …
    int64_t *code_behind_arrives[2]
    const Launch *code_launch    # whose code was brought here last …
    int64_t code_serial
    Cache texture                # of texture fetches, surface loads and read-only loads
    Ended *ended                 # blocks that ended in this epoch
    int32_t ended_count
    int32_t ended_noted          # by the dispatcher
    int64_t launch_free          # cycle at which the next block may start here
    int64_t launched_warps       # age stamp
    uint64_t free_warps[8]       # bit s of word k: slot 64 k + s
    uint64_t free_blocks[8]
    int64_t used[4]              # by resident blocks, as in Launch.cost
    uint64_t scratch[64]         # destination of a partial warp's arithmetic
    Combined combined[64]        # lines that wait for more stores, a ring …
    uint8_t combined_at[64]      # … and how many of them there are by a hash of the line
    int64_t bank_queue[64]       # cycles in which the latest accesses that waited for the banks are through, a ring …
    int64_t bank_place           # … and the latest of them
    void *warps_held             # the allocations that `warps` and `schedulers` lie in
    void *schedulers_held
