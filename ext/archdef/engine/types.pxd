"""Widths, enumerations and packed records that cross the border between lowering and the engine.

This is the engine's only instruction set. It knows neither PTX nor any other ISA.

Register file of a warp. It consists of *rows*: one row is ``warp_size`` consecutive 32-bit lanes. A 32-bit (or narrower) value takes one row, a 64-bit value
two adjacent rows, the first of even number, read as ``warp_size`` consecutive 64-bit lanes. Narrow integers are kept sign- or zero-extended to 32 bits by the
operations that make them. Predicates are lane masks (64 bits) in a file of their own; predicate 0 is constantly true, predicate 1 is the carry flag.

Operands are 32-bit numbers:
- a row operand ``r >= 0`` is row r of the warp; ``r < 0`` is row ``-1 - r`` of the launch's constant rows (immediates,
  parameters, launch-wide special registers: one value replicated in every lane); ``NO_ROW`` means absent;
- a predicate source is ``2 * predicate + negated``, a predicate destination the predicate's number; -1 means absent.
"""
from libc.stdint cimport (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t)

cpdef enum:
    ABI_VERSION = 1
    NO_ROW = 0x7fffffff      # absent row operand
    MAX_WARP = 64            # lanes
    PRED_TRUE = 0            # predicate number that is constantly true
    PRED_CARRY = 1           # predicate number of the carry flag CC.CF

cpdef enum OpKind:
    K_NOP = 0      # nothing (a charged placeholder)
    K_ALU = 1      # d[0] = fn(s[0], s[1], s[2], s[3])                     lane function `alu`
    K_SETP = 2     # predicate d[0] = fn(s[0], s[1]) <combine> s[2];  d[1] = not fn(...) <combine> s[2]   lane function `compare`
    K_SELP = 3     # d[0] = predicate s[2] ? s[0] : s[1]
    K_PRED = 4     # predicate d[0] = truth table `fn` of predicates s[0], s[1], s[2]; bit (4*p0 + 2*p1 + p2) of fn
    K_CARRY = 5    # d[0] = fn(s[0], s[1], s[2], carry in); sets the carry flag if FL_CARRY_OUT        lane function `carry`
    K_P2R = 6      # d[0] = predicate s[0] ? 1 : 0 (all ones if FL_SIGNED), 32-bit
    K_LOAD = 7     # d[0..vec-1] = memory[s[0] + offset]; `combine` 1: a fault unless every lane of the warp takes part, K_STORE likewise
    K_STORE = 8    # memory[s[0] + offset] = s[1..vec]
    K_ATOM = 9     # d[0] (or NO_ROW) = memory[s[0] + offset], then memory = fn(memory, s[1], s[2])    lane function `atomic`
                   # vec > 1: d[0..vec-1], and element v becomes fn(element, s[1 + v])
                   # what it costs where it is performed: `retry_cycles` and behind
    K_BRANCH = 10  # go to `target` for the lanes of the guard; they reconverge at `reconverge`
    K_BRANCH_INDEXED = 11  # go to targets[s[0]] (list `target`, length `count`)
    K_CALL = 12    # call the function whose first op is `target`
    K_RETURN = 13  # return from a call (at depth 0: exit)
    K_EXIT = 14    # lanes of the guard end
    K_BARRIER = 15  # block barrier; `fn` is a BarrierOp; s[0] barrier number, s[1] thread count (NO_ROW: the whole block)
    K_VOTE = 16    # `fn` is a VoteOp; predicate operand s[0]; d[0] row (ballot) or predicate; s[1] member mask or NO_ROW
    K_SHUFFLE = 17  # `fn` is a ShuffleOp; d[0] row, d[1] predicate or -1; s[0] value, s[1] lane, s[2] clamp, s[3] member mask
    K_FENCE = 18   # memory fence
    K_SPECIAL = 19  # d[0] = changing special register `fn` (a Special): clock, clock64, globaltimer, smid …
    K_TRAP = 20    # the kernel asks to end with an error
    K_MATCH = 21   # `fn` 0 any, 1 all; d[0] mask row, d[1] predicate or -1; s[0] value, s[1] member mask
    K_SYSTEM = 22  # `fn` is a SystemCall: the machine's runtime serves the lanes of the guard one by one
    K_CALL_INDIRECT = 23  # call the function number s[0] (64-bit if FL_ADDRESS64): op targets[target + number - 1], -1: not callable
    K_COPY = 24    # shared memory s[0] + offset = `element` bytes (4, 8, 16) at global address s[1]; s[2] bytes to read or NO_ROW
    K_COPY_GROUP = 25  # `fn` is a CopyGroup; `count` groups that may still be on their way
    K_PHASE = 26   # barrier word at shared address s[0] + offset; `fn` is a PhaseOp; s[1] count, bytes, state or parity; d[0] state or predicate
    K_BULK = 27    # `combine` is a BulkRoute: s[2] bytes (32-bit) from s[1] to s[0], 64-bit global addresses or 32-bit offsets in shared
                   # memory; s[3] offset of the mbarrier that counts them; s[4], to shared memory: mask of the blocks that get them, or NO_ROW;
                   # `vec` 1: memory = fn(memory, source), `element` bytes a time
                   # A box: s[0] offset in shared memory, s[1] generic address of the tensor map, s[2] mbarrier, s[4…] `count` coordinates, those
                   # from the second on in d; s[3], 64-bit: three 16-bit offsets of pixels and a mask of blocks; `fn` a BoxOp if `vec`
    K_REGISTERS = 28   # `fn` is a RegisterOp: the warp has `count` registers per thread from here on. All of its lanes take part
    K_REDUX = 30   # `fn` is a ReduxOp; d[0] row = s[0] of all members combined; s[1] member mask
    K_TEXTURE = 40  # `fn` is a Geometry, `combine` a TextureOp; d[0..3] = texel of handle s[0] at s[1..count]; s[1+count] sampler or NO_ROW;
                   # `offset` texels that x, y, z are moved by: one signed byte each
    K_MATRIX = 45  # `fn` is a MatrixOp; operands[target …], `count` in all, are the registers of d, a, b, c: d = a b + c of `vec` x 8 rows
                   # and 8 columns, `offset` deep; `element` bits of a number of a and b, `combine` MatrixForm or-ed. All of the warp's
                   # 32 lanes must take part, here and in the next two
    K_MATRIX_LOAD = 46   # d[0..vec-1] = tiles of 8 x 8 numbers of 16 bits, whose rows are at s[0] + offset of 8 lanes each; `fn` 1: transposed
    K_MATRIX_STORE = 47  # the other way: s[1..vec]
    K_GROUP_PRODUCT = 48  # d = a b + c of 64 rows, a warp's 16 of them in each of four warps, and `vec` x 8 columns; `fn` is a MatrixOp, `element`
                   # bits of a number of a and b, which are 256 bits deep, `combine` MatrixForm and `offset` GroupForm or-ed. s[0], s[1]: 64-bit
                   # rows that describe where a and b lie in shared memory, s[0] NO_ROW: operands[target ...] are the registers of d, a and c,
                   # else of d and c, `count` in all; predicate s[2]: c is added. `interval` and `latency` are those of the warp's product in
                   # the unit's queue; the warp, and the unit's intake, are held for `held_cycles`
    K_GROUP = 49   # `fn` is a GroupOp; `count` groups of products that may still be under way
    K_SURFACE = 41  # `fn` is a Geometry, `combine` a SurfaceOp, `offset` a Boundary; handle s[0], coordinates s[1..count]; d[0..vec-1], or
                   # stored values from s[1+count] on; what has no place in s goes on in d

cpdef enum Space:
    SP_GLOBAL = 0
    SP_SHARED = 1
    SP_LOCAL = 2
    SP_CONST = 3
    SP_GENERIC = 4
    SP_TEXTURE = 5       # of the loaded program only: K_TEXTURE …
    SP_SURFACE = 6       # … K_SURFACE …
    SP_MATRIX = 7        # … and K_MATRIX_LOAD, K_MATRIX_STORE

cpdef enum OpFlag:
    FL_SIGNED = 1        # narrow loads sign-extend; K_P2R gives all ones
    FL_ADDRESS64 = 2     # s[0] of a memory operation is a 64-bit row (else 32-bit); in shared and local memory its lower half counts
    FL_CARRY_OUT = 4     # K_CARRY
    FL_TOGETHER = 4      # K_LOAD, K_STORE, K_ATOM: timed as if lanes lay behind each other, or on words of their own; they reach what they reach
    FL_BYPASS_L1 = 8     # cache operator .cg / .cv, or volatile
    FL_READ_ONLY = 16    # ld.global.nc: may go through the texture path
    FL_UNIFORM = 32      # the compiler promises that the branch does not diverge; K_LOAD of constants: all lanes read one address
    FL_PREDICATED = 64   # guarded because a short branch was turned into predicates
    FL_YIELD = 128       # other lanes of the warp go first, if they can: K_LOAD, K_ATOM, K_PHASE, K_FENCE

cpdef enum Combine:      # how K_SETP combines with s[2]
    CB_NONE = 0
    CB_AND = 1
    CB_OR = 2
    CB_XOR = 3

cpdef enum BarrierOp:
    BAR_SYNC = 0
    BAR_ARRIVE = 1
    BAR_RED_POPC = 2     # d[0] = number of threads whose predicate s[2] holds
    BAR_RED_AND = 3      # predicate d[1]
    BAR_RED_OR = 4       # predicate d[1]
    BAR_WARP = 5         # bar.warp.sync: lanes of one warp
    BAR_CLUSTER_ARRIVE = 6  # at the barrier of the cluster; nobody waits here …
    BAR_CLUSTER_WAIT = 7    # … but here, for the phase in which the warp arrived
    BAR_GRIDS = 8           # of all blocks that the handle s[0] (64-bit) stands for; d[0]: 0, or 1 if it stands for none

cpdef enum VoteOp:
    VOTE_ALL = 0
    VOTE_ANY = 1
    VOTE_UNI = 2
    VOTE_BALLOT = 3      # d[0] one row (32-bit form) or a row pair (64-bit form, `width` 8)
    VOTE_ACTIVE = 4      # activemask
    VOTE_ELECT = 5       # d[0] row (or none): number of the elected lane, the lowest member; d[1] predicate: whether it is this lane

cpdef enum ReduxOp:      # 32-bit values
    REDUX_ADD = 0
    REDUX_MIN_U = 1
    REDUX_MAX_U = 2
    REDUX_MIN_S = 3
    REDUX_MAX_S = 4
    REDUX_AND = 5
    REDUX_OR = 6
    REDUX_XOR = 7

cpdef enum ShuffleOp:
    SHFL_UP = 0
    SHFL_DOWN = 1
    SHFL_BFLY = 2
    SHFL_IDX = 3

cpdef enum SystemCall:   # numbers of K_SYSTEM
    SYS_PRINT = 0        # d[0] row: values printed, or -1; s[0] format, s[1] values, both 64-bit generic addresses
    SYS_ASSERT = 1       # end with a fault; s[0] expression, s[1] file, s[2] line, s[3] function, s[4] bytes per character
    SYS_ALLOCATE = 2     # d[0] 64-bit row: address in the device heap, 0 if it is full; s[0] bytes, 64-bit
    SYS_FREE = 3         # s[0] what SYS_ALLOCATE gave, or 0
    SYS_STACK = 4        # d[0] = s[0] + s[1], which must stay inside the thread's local memory
    # launches from the device; results are numbers of DeviceError, addresses are 64-bit and generic, handles 64-bit
    SYS_LAUNCH_BUFFER = 5  # d[0] 64-bit row: where the arguments go, 0: refused; listed: kernel 64, grid 3 x 32, block 3 x 32, shared bytes 32
    SYS_LAUNCH = 6       # s[0] buffer, s[1] stream
    SYS_JOIN = 7         # wait for all that the block has launched
    SYS_STREAM_MAKE = 8  # s[0] address of the handle, s[1] flags
    SYS_STREAM_DROP = 9  # s[0] handle
    SYS_EVENT_MAKE = 10  # s[0] address of the handle, s[1] flags
    SYS_EVENT_DROP = 11  # s[0] handle
    SYS_EVENT_RECORD = 12  # s[0] event, s[1] stream
    SYS_EVENT_WAIT = 13  # s[0] stream, s[1] event, s[2] flags
    SYS_COPY = 14        # s[0] to, s[1] from, s[2] bytes 64-bit, s[3] direction, s[4] stream
    SYS_FILL = 15        # s[0] to, s[1] byte, s[2] bytes 64-bit, s[3] stream
    SYS_TAKE = 16        # as SYS_ALLOCATE; s[0] address of the pointer, s[1] bytes
    SYS_GIVE = 17        # as SYS_FREE
    SYS_ERROR = 18       # the thread's last error; s[0]: 1 forget it
    SYS_ERROR_TEXT = 19  # d[0] 64-bit row: address of a text; s[0] number, s[1]: 0 description, 1 name
    SYS_DEVICE = 20      # s[0] address of an integer; s[1]: 0 number of the device, 1 how many there are
    SYS_ATTRIBUTE = 21   # s[0] address of an integer, s[1] attribute, s[2] device
    SYS_LIMIT = 22       # s[0] address of a 64-bit integer, s[1] limit
    SYS_NUMBER = 23      # s[0] address of an integer, s[1] what it becomes
    # groups of blocks and of grids; handles are those of GroupScope
    SYS_GROUP_HANDLE = 24  # d[0] 64-bit row: the handle, 0 if the launch has no such group; s[0] GroupScope
    SYS_GROUP_SIZE = 25  # s[0] address of the number of threads, s[1] of that of grids, or 0; s[2] handle
    SYS_GROUP_RANK = 26  # s[0] address of the thread's number in the group, s[1] of its grid's, or 0; s[2] handle
    SYSTEM_CALLS = 27

cpdef enum BranchOp:     # operations of K_BRANCH
    BR_BRANCH = 0
    BR_JOIN = 1          # a join that counts as a branch: lanes that leave by it do not count as parting

cpdef enum EndOp:        # operations of K_EXIT
    END_PLAIN = 0
    END_BRANCH = 1       # counts as a branch, whether or not a lane takes it

cpdef enum GroupScope:   # as cudaCGScope numbers them
    GS_NONE = 0
    GS_GRID = 1
    GS_GRIDS = 2         # of several devices

cpdef enum CopyGroup:    # operations of K_COPY_GROUP
    CG_COMMIT = 0        # copies so far are a group
    CG_WAIT = 1          # wait for all groups but the latest `count`
    CG_WAIT_ALL = 2      # wait for every copy
    CG_BULK_COMMIT = 3   # bulk copies so far are a group
    CG_BULK_WAIT = 4     # wait for all groups of bulk copies but the latest `count`
    CG_BULK_WAIT_READ = 5  # … until their sources have been read

cpdef enum BulkRoute:    # of K_BULK
    BK_TO_SHARED = 0     # from global memory
    BK_TO_GLOBAL = 1     # from shared memory
    BK_WITHIN = 2        # from shared to shared memory
    BK_BOX_IN = 3        # a tensor map's box, from global to shared memory …
    BK_BOX_OUT = 4       # … and the other way

cpdef enum BoxFlag:      # `offset` of a copy by a tensor map
    BX_IM2COL = 1        # the map must be one of pixels, otherwise of tiles
    BX_MULTICAST = 2     # s[3] holds a mask of blocks

cpdef enum BoxOp:        # how a box is combined with the tensor
    BO_ADD = 0
    BO_MIN = 1
    BO_MAX = 2
    BO_INC = 3
    BO_DEC = 4
    BO_AND = 5
    BO_OR = 6
    BO_XOR = 7

cpdef enum PhaseOp:      # operations of K_PHASE
    MB_INIT = 0          # s[1] arrivals per phase
    MB_INVALIDATE = 1
    MB_ARRIVE = 2        # s[1] arrivals, 1 if NO_ROW; d[0] 64-bit row: the state before
    MB_ARRIVE_DROP = 3
    MB_ARRIVE_EXPECT = 4  # s[1] bytes
    MB_EXPECT = 5
    MB_COMPLETE = 6
    MB_TEST = 7          # predicate d[0]: the phase of state s[1] (64-bit) is over
    MB_TEST_PARITY = 8   # predicate d[0]: the phase of parity s[1] is over

cpdef enum RegisterOp:   # operations of K_REGISTERS
    RG_GIVE = 0          # to the block's pool
    RG_TAKE = 1          # from there; the warp waits until there are enough

cpdef enum Special:      # values the engine puts into rows at the start of a warp, or reads on demand (K_SPECIAL)
    SR_TID_X = 0
    SR_TID_Y = 1
    SR_TID_Z = 2
    SR_CTAID_X = 3
    SR_CTAID_Y = 4
    SR_CTAID_Z = 5
    SR_LANEID = 6
    SR_WARPID = 7
    SR_NWARPID = 8
    SR_SMID = 9
    SR_NSMID = 10
    SR_LANEMASK_EQ = 11  # 32 bits; lanes past 31 read 0
    SR_LANEMASK_LE = 12
    SR_LANEMASK_LT = 13
    SR_LANEMASK_GE = 14
    SR_LANEMASK_GT = 15
    SR_NTID_X = 16       # 16 and up to SR_WORKSPACE: launch-wide, live in constant rows
    SR_NTID_Y = 17
    SR_NTID_Z = 18
    SR_NCTAID_X = 19
    SR_NCTAID_Y = 20
    SR_NCTAID_Z = 21
    SR_WARP_SIZE = 22
    SR_DYNAMIC_SHARED = 23
    SR_TOTAL_SHARED = 24
    SR_GRIDID = 25
    SR_WORKSPACE = 26    # address of the words by which a cooperative grid synchronises, 0: launched otherwise
    SR_CLOCK = 27        # 27 and up: read on demand
    SR_CLOCK_HI = 28
    SR_CLOCK64 = 29
    SR_GLOBALTIMER = 30
    SR_LANEMASK64_EQ = 31  # 64-bit forms, for machines wider than 32 lanes
    SR_LANEMASK64_LE = 32
    SR_LANEMASK64_LT = 33
    SR_LANEMASK64_GE = 34
    SR_LANEMASK64_GT = 35
    SR_CLUSTER_CTARANK = 36  # of the block's cluster of blocks
    SR_CLUSTER_CTAID_X = 37
    SR_CLUSTER_CTAID_Y = 38
    SR_CLUSTER_CTAID_Z = 39
    SR_CLUSTERID_X = 40
    SR_CLUSTERID_Y = 41
    SR_CLUSTERID_Z = 42
    SR_CLUSTER_NCTARANK = 43  # 43 and up: launch-wide again
    SR_CLUSTER_NCTAID_X = 44
    SR_CLUSTER_NCTAID_Y = 45
    SR_CLUSTER_NCTAID_Z = 46
    SR_NCLUSTERID_X = 47
    SR_NCLUSTERID_Y = 48
    SR_NCLUSTERID_Z = 49
    SR_IS_EXPLICIT_CLUSTER = 50
    SR_CLUSTER_ORIGIN = 51   # address in shared memory of rank 0's: CLUSTER_FIRST, 0 where a block is its own cluster

cpdef enum ConstantKind:  # what one constant row holds
    CK_IMMEDIATE = 0     # `value`
    CK_PARAMETER = 1     # `width` bytes of the parameter buffer at byte offset `value`
    CK_SPECIAL = 2       # launch-wide special register `value`
    CK_GLOBAL_SYMBOL = 3  # device address of the module's variable area, plus `value`
    CK_CONST_SYMBOL = 4  # device address of the module's constant area, plus `value`
    CK_PARAM_SYMBOL = 5  # device address of the launch's parameter buffer, plus `value`
    CK_LOCAL_SYMBOL = 6  # address in the thread's local memory, plus `value`
    CK_SHARED_SYMBOL = 7  # address in the block's shared memory, plus `value`

cdef packed struct MicroOp:
    uint8_t kind         # OpKind
    uint8_t unit         # index of the unit class that executes it, in the machine tables
    uint8_t guard        # 0 always, else executed by lanes for which predicate operand `guard_predicate` holds
    uint8_t flags        # OpFlag, or-ed
    uint16_t fn          # lane function or sub-operation, by kind
    uint8_t fpenv        # bits 0-1 rounding (0 nearest even, 1 toward zero, 2 down, 3 up); bit 2 flush subnormals
    uint8_t width        # bytes per lane of d[0]: 4 or 8
    uint8_t space        # Space, memory operations
    uint8_t element      # bytes of one memory element: 1, 2, 4, 8
    uint8_t vec          # elements per lane of a vector load or store: 1, 2, 4
    uint8_t combine      # Combine
    uint16_t issues      # warp instructions that it stands for, at least 1; 0: an ALU op that is absorbed, or a shared load that is another op's operand
    uint16_t interval    # cycles for which it occupies the unit, all its issues together …
    uint16_t fraction    # … and 256ths of a cycle beyond, arithmetic and comparisons only
    uint16_t rare        # of the issues, those that no lane executes
    uint32_t latency     # cycles from issue to a usable result; memory: added to the memory's own
    int32_t guard_predicate  # predicate operand
    int32_t d[4]         # destinations: rows (NO_ROW: none); predicates by their plain number, not doubled (-1: none)
    int32_t s[5]         # sources
    int64_t offset       # bytes added to the address of memory operations
    int32_t target       # index of the op to go to, or first index into a list
    int32_t reconverge   # index of the op at which diverged lanes meet, -1: only at the function's end
    int32_t count        # length of such a list, or what else the kind counts; K_SETP, K_BRANCH: of the issues, those of a routine
    int32_t held_cycles  # K_GROUP_PRODUCT: for which they hold their warp and the unit's intake
    int32_t retry_cycles  # K_ATOM that is a loop of the warp: SM cycles from one try to the next; 0: the memory operates by itself
    uint16_t atomic_function  # K_SURFACE that reduces: lane function `atomic`
    uint8_t bank_passes  # K_ATOM in shared memory: over the banks, for each that an access takes; 0: this and the next three as usual
    uint8_t lanes_merged  # … 1: lanes on one word are served together
    uint8_t weight       # K_ATOM in global memory: eighths of the time that the partition takes for a usual one
    uint8_t value_count  # … values that each lane sends
    uint32_t statement   # index of the source statement that counters are charged to: what a front end calls an instruction
    int32_t also         # place behind which rows are listed, among operands, that it waits for besides, their count first; 0: none

cdef packed struct ConstantRow:
    uint32_t kind        # ConstantKind
    uint32_t width       # 4 or 8 bytes per lane; 8: this row and the next, whose own width is 0
    uint64_t value

cdef packed struct SpecialRow:
    uint32_t special     # Special, below SR_NTID_X or a 64-bit lane mask
    uint32_t row         # row of the warp that it is put into at the start
