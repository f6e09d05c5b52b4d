"""A micro-op that has been checked, in the form that the issue loop reads: four lines of the host's cache, those of every issue first.

What a kind of ops has of its own has a name of its own, so that nobody takes it for another kind's. Where the record that lowering packs
(`MicroOp`) has one field for several kinds, it is a union here, whose members are of one width.
"""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.lanes cimport alu_function

cdef enum:
    NAMES_NONE = -1
    NAMES_ALL = -2           # less than all is a fault

cdef union UopForm:          # which form of its operation
    uint8_t combine          # K_SETP: Combine
    uint8_t reach            # K_LOAD, K_STORE, K_ATOM: WHOLE_WARP, MULTICAST, or-ed
    uint8_t generic          # … of tiles: addresses are generic
    uint8_t texture          # … of textures: TextureOp
    uint8_t surface          # … of surfaces: SurfaceOp
    uint8_t route            # K_BULK: BulkRoute
    uint8_t matrix           # K_MATRIX, K_GROUP_PRODUCT: MatrixForm, or-ed

cdef union UopElement:       # what it works on, one at a time
    uint8_t bytes            # accesses, K_BULK: of an element of memory; K_MATCH: of a value
    uint8_t mask_bytes       # K_VOTE, K_REDUX, K_SHUFFLE: of the mask of members
    uint8_t bits             # K_MATRIX, K_GROUP_PRODUCT: of a number of a and b
    uint8_t component        # gathers from textures: of the texel
    uint8_t query            # queries of textures: TextureQuery

cdef union UopVec:           # how many of them
    uint8_t elements         # accesses: of a lane
    uint8_t tiles            # matrices: of 8 rows, of products of warpgroups 8 columns
    uint8_t reduces          # K_BULK: 1: it combines with what is there
    uint8_t surface          # queries of textures: 1: the handle is a surface's

cdef union UopOffset:
    int64_t bytes            # accesses, K_COPY, K_PHASE: added to the address
    int64_t texels           # textures: added to coordinates, a signed byte each
    int64_t boundary         # surfaces: Boundary
    int64_t box              # K_BULK of a tensor map's box: BoxFlag, or-ed
    int64_t depth            # K_MATRIX: columns of a
    int64_t group            # K_GROUP_PRODUCT: GroupForm, or-ed

cdef struct Uop:
    # hot: read at every issue
    uint8_t kind             # OpKind; K_LOAD, K_STORE or K_ATOM for all that go through the load/store unit
    uint8_t unit
    uint8_t flags
    uint8_t fpenv
    uint8_t guarded          # a guard is present
    uint8_t queued           # it goes through the queue of its scheduler
    uint8_t width            # bytes per lane of d[0]
    uint8_t dependencies     # entries of `wait`
    uint8_t cause            # Stall that a wait for its result counts as
    uint16_t fn              # which operation of its kind; textures and surfaces: Geometry
    uint16_t issues
    uint16_t gap             # least cycles from its issue to that of the warp's next op
    uint32_t latency
    uint32_t interval        # cycles for which the unit is occupied, expansions included …
    uint16_t fraction        # … and 256ths of a cycle
    uint16_t rare            # of the issues, those that no lane executes
    int32_t guard_mask       # index of the guard's predicate
    uint64_t guard_flip      # all ones if negated
    alu_function alu         # of plain arithmetic, else NULL
    int32_t statement
    uint32_t code_last       # number of the line of code, of those of the first instruction cache, in which its last instruction lies; 0: no caches
    uint16_t wait[24]        # scoreboard entries that must be ready
    uint16_t guard_entry     # that of the guard, also one of them
    uint16_t sets[8]         # scoreboard entries that become busy
    uint8_t set_count
    # operands: byte offset in the bank of rows; bank 0 the warp's, 1 the launch's constants
    uint8_t s_bank[9]        # 5 to 8: stores to surfaces and boxes only
    int32_t s[9]             # byte offset of a row, or predicate operand
    int32_t d[4]             # byte offset of a row, or predicate number; -1: none
    uint8_t space
    UopElement element
    UopVec vec
    UopForm form
    uint8_t memory           # the op may send transactions to the network
    uint8_t uniform          # the warp reads constants as a whole
    uint8_t lane_bytes       # accesses: bytes per lane
    uint8_t coordinates      # textures, surfaces, boxes: how many there are
    UopOffset offset
    # branches and calls
    int32_t target           # op that they go to
    int32_t reconverge       # op at which lanes that part meet, -1: only at the function's end
    int32_t first_target     # K_BRANCH_INDEXED, K_CALL_INDIRECT: where the ops that they choose from begin in `targets` …
    int32_t target_count     # … and how many there are
    # those with more operands than `s` has room for: K_MATRIX, K_GROUP_PRODUCT, some of K_SYSTEM
    int32_t first_operand    # where theirs begin in `operands` …
    int32_t operand_count    # … and how many there are; 0: they are in `s`
    int32_t held_cycles      # K_GROUP_PRODUCT: for which they hold their warp
    int32_t groups           # K_COPY_GROUP, K_GROUP: the latest ones, that may still be under way
    int32_t registers        # K_REGISTERS: of a thread, from here on
    # atomic operations
    int32_t retry_cycles     # that are a loop of the warp: from one try to the next; 0: there is no loop
    uint16_t atomic_function  # of reductions in surfaces, whose `fn` is another
    uint8_t bank_passes      # in shared memory: over the banks, for each that an access takes; 1 for other accesses
    uint8_t lanes_merged     # … lanes on one word are served together
    uint8_t weight           # as in Request; 8 for other accesses
    uint8_t value_count      # that each lane sends; 1 for other accesses
    uint16_t routine_issues  # K_SETP, K_BRANCH: of the issues, those of a routine, whose code lies elsewhere
    uint32_t code_first      # as `code_last`: of its first instruction
    int8_t named             # operand that is a mask of lanes which take part, NAMES_NONE, or NAMES_ALL of the warp
    uint8_t named_bytes
