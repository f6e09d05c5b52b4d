"""A program ready to run: micro-ops checked and turned into the form that the issue loop reads."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.lanes cimport alu_function
from archdef.engine.types cimport MicroOp

cdef enum:
    NAMES_NONE = -1
    NAMES_ALL = -2           # less than all is a fault

cdef struct Uop:
    # hot: read at every issue
    uint8_t kind
    uint8_t unit
    uint8_t flags
    uint8_t fpenv
    uint8_t guarded          # a guard is present
    uint8_t queued           # it goes through the queue of its scheduler
    uint8_t direct           # bytes per lane of d[0]
    uint8_t dependencies     # entries of `wait`
    uint8_t cause            # Stall that a wait for its result counts as
    uint16_t fn
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
    uint8_t s_bank[9]        # 5 to 8: surface stores only
    int32_t s[9]             # byte offset of a row, or predicate operand
    int32_t d[4]             # byte offset of a row, or predicate number; -1: none
    uint8_t space
    uint8_t element
    uint8_t vec
    uint8_t combine
    uint8_t memory           # the op may send transactions to the network
    uint8_t uniform          # the warp reads constants as a whole
    int32_t lane_bytes       # memory: bytes per lane
    int64_t offset
    int32_t target           # of branches and calls: op that they go to
    int32_t reconverge       # of branches: op at which lanes that part meet, -1: only at the function's end
    int32_t first            # of those that choose among `targets`, and of those with their registers in `operands`: where theirs begin …
    int32_t count            # … and how many there are. Others: of coordinates, dimensions, groups or registers
    int32_t held_cycles      # of products of warpgroups: for which they hold their warp
    int32_t retry_cycles     # of atomic operations that are a loop of the warp: from one try to the next; 0: there is no loop
    uint16_t atomic_function  # of reductions in surfaces
    uint8_t passes           # of atomic operations in shared memory: over the banks, for each that an access takes
    bint together            # … lanes on one word are served together
    uint8_t weight           # of atomic operations: as in Request
    uint8_t value_count      # … values that each lane sends
    uint32_t code_first      # … and its first one
    int8_t named             # operand that is a mask of lanes which take part, NAMES_NONE, or NAMES_ALL of the warp
    uint8_t named_bytes

cdef inline void take_atomic_costs(Uop *u, const MicroOp *m) noexcept nogil:
    """Unpack what an atomic operation costs. `target`, unless 0, has in bits 0-3 `passes`, in 8 `together`, in 16-23 `weight`, in 24-31 `value_count`."""
    u.retry_cycles = m.count
    if m.target:
        u.passes = <uint8_t>(m.target & 15)
        u.together = m.target >> 8 & 1
        u.weight = <uint8_t>(m.target >> 16 & 255)
        u.value_count = <uint8_t>(m.target >> 24 & 255)

cdef class LoadedProgram:
    cdef Uop *ops
    cdef int32_t *targets
    cdef int32_t *operands               # of matrix products, as in Launch
    cdef readonly int32_t op_count
    cdef readonly int32_t rows
    cdef readonly int32_t predicates
    cdef readonly int32_t constant_rows
    cdef readonly int32_t statements
    cdef readonly int32_t specials
    cdef readonly int32_t lanes
    cdef readonly int32_t target_count
    cdef readonly int32_t operand_count
    cdef readonly bint uses_textures     # reads through textures or surfaces
    cdef readonly bint copies            # some op copies asynchronously
    cdef readonly bint uses_bulk         # has bulk copies
    cdef readonly uint32_t units         # mask of those that it has ops for
    cdef uint32_t *special_of    # [specials] which special register …
    cdef uint32_t *special_row   # … goes into which row
    cdef char *constants         # [constant_rows][lanes] 32-bit lanes

    cdef int _source(self, Uop *u, const MicroOp *m, int i, int bytes) except -1
    cdef int _await(self, Uop *u, int32_t entry) except -1
    cdef int _predicate_source(self, Uop *u, const MicroOp *m, int i) except -1
    cdef int _named(self, Uop *u, int i, int bytes) except -1
    cdef int _sets(self, Uop *u, int32_t entry) except -1
    cdef int _destination(self, Uop *u, const MicroOp *m, int i, int bytes) except -1
    cdef int _predicate_destination(self, Uop *u, const MicroOp *m, int i) except -1
    cdef int _read_also(self, Uop *u, int32_t first) except -1
    cdef int _number(self, int value, int count, what) except -1
    cdef int _read(self, Uop *u, const MicroOp *m, int max_units) except -1
    cdef int _read_system(self, Uop *u, const MicroOp *m, tuple each) except -1
    cdef int _read_access(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_matrix(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_product(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_tiles(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_texture(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_bulk(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_box(self, Uop *u, const MicroOp *m) except -1
    cdef int _read_surface(self, Uop *u, const MicroOp *m) except -1
