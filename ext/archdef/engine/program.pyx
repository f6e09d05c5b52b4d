"""A program ready to run: micro-ops checked and turned into the form that the issue loop reads.

Lowering is trusted to be right, not to be safe: every index that a micro-op carries is checked here once, so that the issue
loop need not look.
"""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine cimport matrix_ops as MO, texture_ops as TO, types as T
from archdef.engine.counters cimport (ST_ALU_DEPENDENCY, ST_CONSTANT_DEPENDENCY, ST_MEMORY_DEPENDENCY,
                                      ST_SHARED_DEPENDENCY)
from archdef.engine.lanes cimport alu_bytes, alu_table, compare_bytes
from archdef.engine.reach cimport MULTICAST, WHOLE_WARP
from archdef.engine.types cimport ConstantRow, MicroOp, SpecialRow

from archdef.engine import lanes as _lanes

cdef int _ALU_COUNT = len(_lanes.alu_names())
cdef int _COMPARE_COUNT = len(_lanes.compare_names())
cdef int _CARRY_COUNT = len(_lanes.carry_names())
cdef int _ATOMIC_COUNT = len(_lanes.atomic_names())
# bits of a number of the multiplicands, by MatrixOp
_ELEMENT_BITS = ((16,), (16,), (32,), (64,), (4, 8), (1,), (1,))
_GROUP_BITS = {MO.MX_F16: 16, MO.MX_BF16: 16, MO.MX_TF32: 32, MO.MX_INTEGER: 8, MO.MX_E4M3: 8, MO.MX_E5M2: 8}
cdef int *_COORDINATES = [1, 2, 3, 2, 3, 3, 4]     # by Geometry

# bytes a lane of the destination and of the sources of a system call
_SYSTEM_BYTES = (
    (4, 8, 8), (0, 8, 8, 4, 8, 8), (8, 8), (0, 8), (4, 4, 4),
    (8, 8, 4, 4, 4, 4, 4, 4, 4), (4, 8, 8), (4,), (4, 8, 4), (4, 8), (4, 8, 4), (4, 8), (4, 8, 8), (4, 8, 8, 4), (4, 8, 8, 8, 4, 8),
    (4, 8, 4, 8, 8), (4, 8, 8), (4, 8), (4, 4), (8, 4, 4), (4, 8, 4), (4, 8, 4, 4), (4, 8, 4), (4, 8, 4), (8, 4),
    (4, 8, 8, 8), (4, 8, 8, 8))


def layout():
    """Byte sizes of the packed records that lowering builds, to check its own against: ``{"MicroOp": …, …}``."""
    return {"MicroOp": sizeof(MicroOp), "ConstantRow": sizeof(ConstantRow), "SpecialRow": sizeof(SpecialRow)}


class ProgramError(ValueError):
    """A packed program that cannot be run safely: a fault of lowering, not of the guest."""


cdef class LoadedProgram:
    """Checked micro-ops of one kernel for one warp size.

    Parameters
    ----------
    program : archdef.lower.Program
        Packed arrays and counts.
    lanes : int
        Warp size.
    max_units : int
        Unit classes of the machine.
    """

    def __cinit__(self, program, int lanes, int max_units):
        cdef const unsigned char[::1] raw = program.ops.view("u1").reshape(-1)
        cdef const MicroOp *micro
        cdef Py_ssize_t i
        if not 1 <= lanes <= T.MAX_WARP:
            raise ProgramError(f"warp of {lanes} lanes")
        if raw.shape[0] % sizeof(MicroOp) or raw.shape[0] == 0:
            raise ProgramError(f"{raw.shape[0]} bytes of ops are no array of MicroOp ({sizeof(MicroOp)} bytes each)")
        self.lanes = lanes
        self.op_count = raw.shape[0] // sizeof(MicroOp)
        self.rows = program.rows
        self.predicates = program.predicates
        self.statements = len(program.statements)
        self.constant_rows = 0
        self.ops = <Uop *>calloc(self.op_count + 1, sizeof(Uop))      # one more: what comes next is looked at
        if self.ops == NULL:
            raise MemoryError("program")
        if not 0 <= self.rows <= 1 << 16 or not 2 <= self.predicates <= 1 << 16:
            raise ProgramError(f"{self.rows} rows, {self.predicates} predicates")
        if self.rows + self.predicates >= 65535:
            raise ProgramError(f"{self.rows} rows and {self.predicates} predicates are more than the scoreboard counts")
        self._read_tables(program)
        for i in range(self.op_count):
            micro = <const MicroOp *>&raw[i * <Py_ssize_t>sizeof(MicroOp)]
            try:
                self._read(self.ops + i, micro, max_units)
                self._read_also(self.ops + i, micro.also)
            except ProgramError as error:
                raise ProgramError(f"op {i} (kind {micro.kind}): {error}") from None
        micro = <const MicroOp *>&raw[(self.op_count - 1) * <Py_ssize_t>sizeof(MicroOp)]
        if micro.kind not in (T.K_EXIT, T.K_RETURN, T.K_BRANCH, T.K_BRANCH_INDEXED, T.K_TRAP) or micro.guard:
            raise ProgramError("the last op can be passed")

    def __dealloc__(self):
        free(self.ops)
        free(self.targets)
        free(self.operands)
        free(self.special_of)
        free(self.special_row)
        free(self.constants)

    def _read_tables(self, program):
        """Copy branch targets, special rows, and reserve the constant rows."""
        cdef const int[::1] targets = program.targets
        cdef const int[::1] operands = program.operands
        cdef const unsigned char[::1] specials = program.specials.view("u1").reshape(-1)
        cdef const unsigned char[::1] constants = program.constants.view("u1").reshape(-1)
        cdef Py_ssize_t i
        cdef const SpecialRow *special
        self.targets = <int32_t *>calloc(targets.shape[0] + 1, sizeof(int32_t))
        self.operands = <int32_t *>calloc(operands.shape[0] + 1, sizeof(int32_t))
        self.specials = specials.shape[0] // sizeof(SpecialRow)
        self.special_of = <uint32_t *>calloc(self.specials + 1, sizeof(uint32_t))
        self.special_row = <uint32_t *>calloc(self.specials + 1, sizeof(uint32_t))
        if self.targets == NULL or self.operands == NULL or self.special_of == NULL or self.special_row == NULL:
            raise MemoryError("program")
        self.target_count = targets.shape[0]
        for i in range(targets.shape[0]):
            if not -1 <= targets[i] < self.op_count:
                raise ProgramError(f"branch target {targets[i]} of {self.op_count} ops")
            self.targets[i] = targets[i]
        self.operand_count = operands.shape[0]
        for i in range(operands.shape[0]):
            self.operands[i] = operands[i]      # rows still; `_read_matrix` checks them and turns them into offsets
        for i in range(self.specials):
            special = <const SpecialRow *>&specials[i * <Py_ssize_t>sizeof(SpecialRow)]
            if special.row >= <uint32_t>self.rows or (
                    special.special > T.SR_LANEMASK64_GT and not T.SR_CLUSTER_CTARANK <= special.special <= T.SR_CLUSTERID_Z):
                raise ProgramError(f"special register {special.special} in row {special.row} of {self.rows}")
            self.special_of[i] = special.special
            self.special_row[i] = special.row
        self.constant_rows = constants.shape[0] // sizeof(ConstantRow)
        # one row more than used, here and in warps: a 64-bit read of the last row stays inside
        self.constants = <char *>calloc((self.constant_rows + 2) * self.lanes, 4)
        if self.constants == NULL:
            raise MemoryError("constants")

    def scoreboard(self):
        """List what each op waits for and makes others wait for: two tuples of entries, rows first, then predicates."""
        cdef int i, k
        return [(tuple([self.ops[i].wait[k] for k in range(self.ops[i].dependencies)]),
                 tuple([self.ops[i].sets[k] for k in range(self.ops[i].set_count)])) for i in range(self.op_count)]

    def fill_constants(self, values):
        """Replicate one value per constant row in every lane.

        `values` are (value, width) in order of rows; width 8 takes a row and the next, whose own width is then 0.
        """
        cdef Py_ssize_t row
        cdef int lane
        cdef uint64_t value
        for row, (number, width) in enumerate(values):
            value = number & 0xffffffffffffffff
            if width not in (0, 4, 8) or row + (2 if width == 8 else 1) > self.constant_rows:
                raise ProgramError(f"constant row {row} of {self.constant_rows}, width {width}")
            for lane in range(self.lanes):
                if width == 8:
                    (<uint64_t *>(self.constants + row * 4 * self.lanes))[lane] = value
                elif width == 4:
                    (<uint32_t *>(self.constants + row * 4 * self.lanes))[lane] = <uint32_t>value

    cdef int _source(self, Uop *u, const MicroOp *m, int i, int bytes) except -1:
        """Resolve row operand s[i], read with lanes of `bytes` bytes (8: from an even row); 0: not read."""
        cdef int32_t r = m.s[i]
        if r == T.NO_ROW:
            u.s[i] = -1
            u.s_bank[i] = 0
            return 0
        if r < 0:
            r = -1 - r
            if r >= self.constant_rows or (bytes == 8 and r & 1):
                raise ProgramError(f"source {i}: constant row {r} of {self.constant_rows}")
            u.s_bank[i] = 1
            u.s[i] = r * 4 * self.lanes
            return 0
        if r >= self.rows or (bytes == 8 and (r + 1 >= self.rows or r & 1)):
            raise ProgramError(f"source {i}: row {r} of {self.rows}")
        u.s_bank[i] = 0
        u.s[i] = r * 4 * self.lanes
        if bytes:
            self._await(u, r)
            if bytes == 8:
                self._await(u, r + 1)
        return 0

    cdef int _await(self, Uop *u, int32_t entry) except -1:
        cdef int i
        for i in range(u.dependencies):
            if u.wait[i] == entry:
                return 0
        if u.dependencies >= 24:
            raise ProgramError("more than 24 operands to wait for")
        u.wait[u.dependencies] = <uint16_t>entry
        u.dependencies += 1
        return 0

    cdef int _named(self, Uop *u, int i, int bytes) except -1:
        """Operand s[i], if there is one, is a mask of lanes that the op waits for."""
        if u.s[i] >= 0:
            u.named = <int8_t>i
            u.named_bytes = <uint8_t>bytes
        return 0

    cdef int _predicate_source(self, Uop *u, const MicroOp *m, int i) except -1:
        cdef int32_t p = m.s[i]
        if p == T.NO_ROW:       # absent: constantly true
            u.s[i] = 2 * T.PRED_TRUE
            return 0
        if p < 0 or p >> 1 >= self.predicates:
            raise ProgramError(f"source {i}: predicate operand {p} of {self.predicates} predicates")
        u.s[i] = p
        if p >> 1 != T.PRED_TRUE:
            self._await(u, self.rows + (p >> 1))
        return 0

    cdef int _sets(self, Uop *u, int32_t entry) except -1:
        self._await(u, entry)
        if u.set_count >= 8:
            raise ProgramError("more than 8 results")
        u.sets[u.set_count] = <uint16_t>entry
        u.set_count += 1
        return 0

    cdef int _destination(self, Uop *u, const MicroOp *m, int i, int bytes) except -1:
        cdef int32_t r = m.d[i]
        if r == T.NO_ROW or r < 0:
            u.d[i] = -1
            return 0
        if r >= self.rows or (bytes == 8 and (r + 1 >= self.rows or r & 1)):
            raise ProgramError(f"destination {i}: row {r} of {self.rows}")
        u.d[i] = r * 4 * self.lanes
        self._sets(u, r)
        if bytes == 8:
            self._sets(u, r + 1)
        return 0

    cdef int _predicate_destination(self, Uop *u, const MicroOp *m, int i) except -1:
        cdef int32_t p = m.d[i]
        if p == T.NO_ROW or p < 0:
            u.d[i] = -1
            return 0
        if p >= self.predicates or p == T.PRED_TRUE:
            raise ProgramError(f"destination {i}: predicate {p} of {self.predicates}")
        u.d[i] = p
        self._sets(u, self.rows + p)
        return 0

    cdef int _number(self, int value, int count, what) except -1:
        if not 0 <= value < count:
            raise ProgramError(f"{what} {value} of {count}")
        return 0

    cdef int _read_also(self, Uop *u, int32_t first) except -1:
        """Let an op wait for the rows of a list, too, as far as there is room; `first` is the place of the first one, the count stands before it."""
        cdef int i, count
        if first == 0:
            return 0
        self._number(first, self.operand_count + 1, "list of rows")
        count = self.operands[first - 1]
        if count < 0 or first + <int64_t>count > self.operand_count:
            raise ProgramError(f"list of {count} rows at {first} of {self.operand_count}")
        for i in range(count):
            self._number(self.operands[first + i], self.rows, "row to wait for")
            if u.dependencies < 24:
                self._await(u, self.operands[first + i])
        return 0

    def _required(self, present, what):
        if not present:
            raise ProgramError(f"{what} is missing")

    cdef int _read(self, Uop *u, const MicroOp *m, int max_units) except -1:
        """Check one micro-op and resolve its operands."""
        cdef int kind = m.kind, i
        cdef const uint8_t *widths
        u.kind = m.kind
        u.unit = m.unit
        u.flags = m.flags
        u.fn = m.fn
        u.fpenv = m.fpenv & 7
        u.direct = m.width
        u.space = m.space
        u.element = m.element
        u.vec = m.vec
        u.combine = m.combine
        u.issues = m.issues
        u.latency = m.latency
        u.interval = m.interval
        u.fraction = m.fraction
        u.rare = m.rare
        u.offset = m.offset
        u.first = m.target
        u.count = m.count
        u.reconverge = -1
        u.passes = u.value_count = 1
        u.weight = 8
        u.statement = <int32_t>m.statement
        u.cause = ST_ALU_DEPENDENCY
        for i in range(4):
            u.d[i] = -1
        for i in range(9):
            u.s[i] = -1
        u.named = NAMES_NONE
        self.copies |= kind in (T.K_COPY, T.K_COPY_GROUP, T.K_BULK, T.K_GROUP_PRODUCT, T.K_GROUP)
        self._number(m.unit, max_units, "unit")
        self.units |= <uint32_t>1 << m.unit
        if self.statements:
            self._number(<int>m.statement, self.statements, "statement")
        if (m.issues < 1 and (kind not in (T.K_ALU, T.K_SETP, T.K_BRANCH) or m.latency or m.fpenv)
                and (kind != T.K_LOAD or m.space != T.SP_SHARED)):
            raise ProgramError("issues must be at least 1, except for arithmetic, comparisons and branches without latency, "
                               "and loads from shared memory")
        if m.latency > 1 << 24 or u.interval > 1 << 24:
            raise ProgramError(f"latency {m.latency}, interval {u.interval}: at most {1 << 24} cycles")
        if m.rare > m.issues:
            raise ProgramError(f"rare {m.rare}: no more than issues, {m.issues}")
        if m.fraction > 255:
            raise ProgramError(f"fraction {m.fraction}: less than 256 of a cycle's 256 parts")
        if m.guard:
            if m.guard_predicate < 0 or m.guard_predicate >> 1 >= self.predicates:
                raise ProgramError(f"guard {m.guard_predicate} of {self.predicates} predicates")
            u.guarded = 1
            u.guard_mask = m.guard_predicate >> 1
            u.guard_flip = ~<uint64_t>0 if m.guard_predicate & 1 else 0
            u.guard_entry = <uint16_t>(self.rows + u.guard_mask)
            self._await(u, u.guard_entry)
        if kind in (T.K_ALU, T.K_SELP, T.K_CARRY, T.K_VOTE, T.K_MATCH, T.K_SPECIAL) and m.width not in (4, 8):
            raise ProgramError(f"width {m.width} is neither 4 nor 8")
        if kind == T.K_ALU:
            self._number(m.fn, _ALU_COUNT, "lane function")
            u.alu = alu_table()[m.fn]
            widths = alu_bytes() + 4 * m.fn
            if widths[0] != m.width:
                raise ProgramError(f"width {m.width}, but the lane function writes {widths[0]} bytes")
            for i in range(4):
                self._source(u, m, i, widths[i + 1] if i < 3 else 4)
                if u.s[i] < 0:       # never read by the function, but a pointer all the same
                    u.s[i] = 0
                    u.s_bank[i] = 1
            self._required(m.s[0] != T.NO_ROW, "source 0")
            self._required(m.d[0] != T.NO_ROW and m.d[0] >= 0, "destination")
            self._destination(u, m, 0, m.width)
        elif kind == T.K_SETP:
            self._number(m.fn, _COMPARE_COUNT, "compare function")
            self._source(u, m, 0, compare_bytes()[m.fn])
            self._source(u, m, 1, compare_bytes()[m.fn])
            self._required(u.s[0] >= 0, "source 0")
            if u.s[1] < 0:
                u.s[1] = 0
                u.s_bank[1] = 1
            if m.combine > T.CB_XOR:
                raise ProgramError(f"combine {m.combine}")
            if m.combine:
                self._predicate_source(u, m, 2)
            self._predicate_destination(u, m, 0)
            self._predicate_destination(u, m, 1)
        elif kind == T.K_SELP:
            self._source(u, m, 0, m.width)
            self._source(u, m, 1, m.width)
            self._predicate_source(u, m, 2)
            self._destination(u, m, 0, m.width)
            self._required(u.s[0] >= 0 and u.s[1] >= 0 and u.d[0] >= 0, "an operand")
        elif kind == T.K_PRED:
            for i in range(3):
                self._predicate_source(u, m, i)
            self._predicate_destination(u, m, 0)
        elif kind == T.K_CARRY:
            self._number(m.fn, _CARRY_COUNT, "carry function")
            for i in range(3):
                self._source(u, m, i, m.width)
            self._required(u.s[0] >= 0 and u.s[1] >= 0, "a source")
            self._destination(u, m, 0, m.width)
            self._required(u.d[0] >= 0, "destination")
            self._await(u, self.rows + T.PRED_CARRY)
            if m.flags & T.FL_CARRY_OUT:
                self._sets(u, self.rows + T.PRED_CARRY)
        elif kind == T.K_P2R:
            self._predicate_source(u, m, 0)
            self._destination(u, m, 0, 4)
            self._required(u.d[0] >= 0, "destination")
        elif kind in (T.K_LOAD, T.K_STORE, T.K_ATOM):
            self._read_access(u, m)
        elif kind == T.K_MATRIX:
            self._read_matrix(u, m)
        elif kind in (T.K_MATRIX_LOAD, T.K_MATRIX_STORE):
            self._read_tiles(u, m)
        elif kind == T.K_GROUP_PRODUCT:
            self._read_product(u, m)
        elif kind == T.K_GROUP:
            self._number(m.fn, MO.GP_WAIT + 1, "operation on groups of products")
            if self.lanes != 32 or m.count < 0:
                raise ProgramError(f"{m.count} groups of products, warps of {self.lanes} lanes")
            u.named = NAMES_ALL
        elif kind == T.K_REGISTERS:
            self._number(m.fn, T.RG_TAKE + 1, "operation on registers")
            if not 0 < m.count <= 1 << 16:
                raise ProgramError(f"{m.count} registers of a thread")
            u.named = NAMES_ALL
        elif kind == T.K_TEXTURE:
            self._read_texture(u, m)
        elif kind == T.K_SURFACE:
            self._read_surface(u, m)
        elif kind == T.K_BRANCH or kind == T.K_CALL:
            self._number(m.target, self.op_count, "target")
            u.target = m.target
            u.reconverge = m.reconverge
            if m.reconverge != -1:
                self._number(m.reconverge, self.op_count, "reconvergence point")
        elif kind == T.K_BRANCH_INDEXED:
            self._source(u, m, 0, 4)
            self._required(u.s[0] >= 0, "source 0")
            self._number(m.target, self.target_count, "target list")
            if m.count < 1 or m.target + m.count > self.target_count:
                raise ProgramError(f"target list of {m.count}")
            u.reconverge = m.reconverge
            for i in range(m.target, m.target + m.count):
                self._number(self.targets[i], self.op_count, "branch target")
            if m.reconverge != -1:
                self._number(m.reconverge, self.op_count, "reconvergence point")
        elif kind == T.K_BARRIER:
            self._number(m.fn, T.BAR_GRIDS + 1, "barrier operation")
            self._source(u, m, 0, 8 if m.fn == T.BAR_GRIDS or m.fn == T.BAR_WARP and m.element == 8 else 4)
            self._source(u, m, 1, 4)
            if m.fn == T.BAR_WARP:
                self._named(u, 0, 8 if m.element == 8 else 4)
            if m.fn == T.BAR_GRIDS:
                self._required(u.s[0] >= 0, "handle")
                self._destination(u, m, 0, 4)
            if m.fn in (T.BAR_RED_POPC, T.BAR_RED_AND, T.BAR_RED_OR):
                self._predicate_source(u, m, 2)
                if m.fn == T.BAR_RED_POPC:
                    self._destination(u, m, 0, 4)
                else:
                    self._predicate_destination(u, m, 1)
        elif kind == T.K_VOTE:
            self._number(m.fn, T.VOTE_ELECT + 1, "vote")
            if m.fn < T.VOTE_ACTIVE:
                self._predicate_source(u, m, 0)
            self._source(u, m, 1, 8 if m.element == 8 else 4)
            self._named(u, 1, 8 if m.element == 8 else 4)
            if m.fn in (T.VOTE_BALLOT, T.VOTE_ACTIVE):
                self._destination(u, m, 0, m.width)
                self._required(u.d[0] >= 0, "destination")
            elif m.fn == T.VOTE_ELECT:
                self._destination(u, m, 0, 4)
                self._predicate_destination(u, m, 1)
            else:
                self._predicate_destination(u, m, 0)
        elif kind == T.K_REDUX:
            self._number(m.fn, T.REDUX_XOR + 1, "reduction")
            self._source(u, m, 0, 4)
            self._source(u, m, 1, 8 if m.element == 8 else 4)
            self._named(u, 1, 8 if m.element == 8 else 4)
            self._required(u.s[0] >= 0, "source 0")
            self._destination(u, m, 0, 4)
            self._required(u.d[0] >= 0, "destination")
        elif kind == T.K_SHUFFLE:
            self._number(m.fn, T.SHFL_IDX + 1, "shuffle")
            for i in range(3):
                self._source(u, m, i, 4)
                self._required(u.s[i] >= 0, f"source {i}")
            self._source(u, m, 3, 8 if m.element == 8 else 4)
            self._named(u, 3, 8 if m.element == 8 else 4)
            self._destination(u, m, 0, 4)
            self._required(u.d[0] >= 0, "destination")
            self._predicate_destination(u, m, 1)
        elif kind == T.K_MATCH:
            self._source(u, m, 0, 8 if m.element == 8 else 4)
            self._source(u, m, 1, m.width)
            self._named(u, 1, m.width)
            self._required(u.s[0] >= 0, "source 0")
            self._destination(u, m, 0, m.width)
            self._required(u.d[0] >= 0, "destination")
            self._predicate_destination(u, m, 1)
        elif kind == T.K_SPECIAL:
            self._destination(u, m, 0, m.width)
            self._required(u.d[0] >= 0, "destination")
        elif kind == T.K_CALL_INDIRECT:
            self._source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
            self._required(u.s[0] >= 0, "source 0")
            if m.count < 0 or m.target < 0 or m.target + <int64_t>m.count > self.target_count:
                raise ProgramError(f"list of {m.count} functions")
        elif kind == T.K_COPY:
            if m.element not in (4, 8, 16):
                raise ProgramError(f"copies of {m.element} bytes")
            self._source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
            self._source(u, m, 1, 8)
            self._source(u, m, 2, 4)
            self._required(u.s[0] >= 0 and u.s[1] >= 0, "an address")
            self._number(m.space, T.SP_GENERIC + 1, "space")
            u.lane_bytes = m.element
            u.memory = 1
            u.cause = ST_MEMORY_DEPENDENCY
        elif kind == T.K_BULK:
            self._read_bulk(u, m)
        elif kind == T.K_COPY_GROUP:
            self._number(m.fn, T.CG_BULK_WAIT_READ + 1, "operation on groups of copies")
            if m.count < 0:
                raise ProgramError(f"{m.count} groups")
        elif kind == T.K_PHASE:
            self._number(m.fn, T.MB_TEST_PARITY + 1, "operation on a barrier")
            self._source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
            self._source(u, m, 1, 8 if m.fn == T.MB_TEST else 4)
            self._required(u.s[0] >= 0, "address")
            self._required(u.s[1] >= 0 or m.fn in (T.MB_INVALIDATE, T.MB_ARRIVE, T.MB_ARRIVE_DROP), "source 1")
            self._number(m.space, T.SP_GENERIC + 1, "space")
            u.lane_bytes = 8
            u.cause = ST_SHARED_DEPENDENCY
            if m.fn >= T.MB_TEST:
                self._predicate_destination(u, m, 0)
            else:
                self._destination(u, m, 0, 8)
        elif kind == T.K_SYSTEM:
            self._number(m.fn, T.SYSTEM_CALLS, "system call")
            self._read_system(u, m, _SYSTEM_BYTES[m.fn])
        elif kind == T.K_EXIT:
            self._number(m.fn, T.END_BRANCH + 1, "end")
        elif kind not in (T.K_NOP, T.K_RETURN, T.K_FENCE, T.K_TRAP):
            raise ProgramError("unknown kind")
        return 0

    cdef int _read_system(self, Uop *u, const MicroOp *m, tuple each) except -1:
        """Check a system call: `each` are the bytes a lane of its result and of its sources, which lie in a list if there are many."""
        cdef int i, bytes
        cdef int64_t at, row
        self._destination(u, m, 0, each[0])
        self._required(u.d[0] >= 0 or m.fn != T.SYS_STACK, "destination")
        u.count = 0
        if len(each) <= 6:
            for i in range(5):
                bytes = each[i + 1] if i + 1 < len(each) else 0
                self._source(u, m, i, bytes)
                self._required(u.s[i] >= 0 or bytes == 0, f"source {i}")
            return 0
        u.count = m.count
        if m.target < 0 or m.count != len(each) - 1 or m.target + <int64_t>m.count > self.operand_count:
            raise ProgramError(f"{m.count} operands of a system call, {len(each) - 1} expected")
        for i in range(m.count):
            bytes = each[i + 1]
            at = self.operands[m.target + i]
            row = -1 - at if at < 0 else at
            if row + bytes // 4 > (self.constant_rows if at < 0 else self.rows) or (bytes == 8 and row & 1):
                raise ProgramError(f"operand {i}: row {at}")
            if at >= 0:
                self._await(u, <int32_t>row)
            self.operands[m.target + i] = <int32_t>(-1 - row * 4 * self.lanes if at < 0 else row * 4 * self.lanes)
        return 0

    cdef int _read_access(self, Uop *u, const MicroOp *m) except -1:
        """Check a memory operation."""
        cdef int i, bytes = 8 if m.element == 8 else 4
        if m.element not in (1, 2, 4, 8) or m.vec not in (1, 2, 4) or m.element * m.vec > 16:
            raise ProgramError(f"{m.vec} elements of {m.element} bytes")
        self._number(m.space, T.SP_GENERIC + 1, "space")
        self._source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
        self._required(u.s[0] >= 0, "address")
        u.lane_bytes = m.element * m.vec
        u.uniform = m.kind == T.K_LOAD and m.space == T.SP_CONST and m.flags & T.FL_UNIFORM != 0
        u.memory = m.space != T.SP_SHARED and not u.uniform
        u.cause = (ST_SHARED_DEPENDENCY if m.space == T.SP_SHARED else
                   ST_CONSTANT_DEPENDENCY if m.space == T.SP_CONST else ST_MEMORY_DEPENDENCY)
        self._number(m.combine, (WHOLE_WARP | MULTICAST) + 1, "access")
        if m.combine & MULTICAST and m.space != T.SP_GLOBAL:
            raise ProgramError(f"multicast addresses in space {m.space}")
        if m.combine & WHOLE_WARP and m.kind != T.K_ATOM:
            u.named = NAMES_ALL
        if m.kind == T.K_LOAD:
            for i in range(m.vec):
                self._destination(u, m, i, bytes)
        elif m.kind == T.K_STORE:
            for i in range(m.vec):
                self._source(u, m, 1 + i, bytes)
                self._required(u.s[1 + i] >= 0, f"source {1 + i}")
        else:
            self._number(m.fn, _ATOMIC_COUNT, "atomic function")
            if m.element < 2:
                raise ProgramError(f"atomic on {m.vec} elements of {m.element} bytes")
            take_atomic_costs(u, m)
            for i in range(max(m.vec, 2)):
                self._source(u, m, 1 + i, bytes)
            for i in range(m.vec):
                self._required(u.s[1 + i] >= 0, f"source {1 + i}")
                self._destination(u, m, i, bytes)
        return 0

    cdef int _read_matrix(self, Uop *u, const MicroOp *m) except -1:
        """Check a matrix product; its operands, which no op has room for, lie in a list."""
        cdef int64_t words = m.offset * m.element // 32
        cdef int tall = m.vec, bytes = 8 if m.fn == MO.MX_F64 else 4, i
        cdef int64_t at, row
        cdef int sources, results
        self._number(m.fn, MO.MX_TRANSPOSE + 1, "matrix operation")
        if self.lanes != 32:
            raise ProgramError(f"matrices over {self.lanes} lanes")
        u.named = NAMES_ALL
        if m.fn == MO.MX_TRANSPOSE:
            sources, results = 1, 1
        elif m.fn == MO.MX_GROUPS:
            sources, results = 4 + (4 if m.combine & MO.MF_C_F16 else 8), 4 if m.combine & MO.MF_D_F16 else 8
        else:
            if tall not in (1, 2) or m.element not in _ELEMENT_BITS[m.fn] or not 4 <= m.offset <= 256:
                raise ProgramError(f"{8 * tall} rows of {m.offset} numbers of {m.element} bits")
            if m.fn > MO.MX_TF32 and m.combine & (MO.MF_C_F16 | MO.MF_D_F16):
                raise ProgramError(f"f16 numbers added to products of kind {m.fn}")
            if m.fn == MO.MX_F64:
                words = m.offset
            elif words * 32 != m.offset * m.element:
                raise ProgramError(f"matrices {m.offset} deep")
            if words not in (4, 8) and not (words == 16 and m.fn == MO.MX_F64):
                raise ProgramError(f"matrices {m.offset} deep")
            sources = <int>words // 4 * (tall + 1) + 2 * tall // (2 if m.combine & MO.MF_C_F16 else 1)
            results = 2 * tall // (2 if m.combine & MO.MF_D_F16 else 1)
        if m.target < 0 or m.count != sources + results or m.target + <int64_t>m.count > self.operand_count:
            raise ProgramError(f"{m.count} operands of a matrix product, {sources + results} expected")
        for i in range(m.count):
            at = self.operands[m.target + i]
            row = -1 - at if at < 0 else at
            if row + bytes // 4 > (self.constant_rows if at < 0 else self.rows) or (bytes == 8 and row & 1) or (at < 0 and i < results):
                raise ProgramError(f"operand {i}: row {at}")
            if at >= 0:
                self._await(u, <int32_t>row)         # both rows of a 64-bit value become ready together
            if i < results:
                if u.set_count > 8 - bytes // 4:
                    raise ProgramError("more than 8 results")
                u.sets[u.set_count] = <uint16_t>row
                u.set_count += 1
                if bytes == 8:
                    u.sets[u.set_count] = <uint16_t>(row + 1)
                    u.set_count += 1
            self.operands[m.target + i] = <int32_t>(-1 - row * 4 * self.lanes if at < 0 else row * 4 * self.lanes)
        return 0

    cdef int _read_product(self, Uop *u, const MicroOp *m) except -1:
        """Check a product of a warpgroup; its registers lie in a list."""
        cdef int results = m.vec * (2 if m.combine & MO.MF_D_F16 else 4), factors = 4 if m.s[0] == T.NO_ROW else 0, i
        cdef int64_t at, row
        if self.lanes != 32 or not 1 <= m.vec <= 32:
            raise ProgramError(f"{8 * m.vec} columns, warps of {self.lanes} lanes")
        if m.element != _GROUP_BITS.get(m.fn):
            raise ProgramError(f"numbers of {m.element} bits in a product of kind {m.fn}")
        if m.combine & (MO.MF_C_F16 | MO.MF_D_F16) not in (0, MO.MF_C_F16 | MO.MF_D_F16) or m.combine & MO.MF_D_F16 and m.fn not in (
                MO.MX_F16, MO.MX_E4M3, MO.MX_E5M2):
            raise ProgramError(f"form {m.combine} of a product of kind {m.fn}")
        if m.offset & (MO.GF_ACROSS_A | MO.GF_ACROSS_B) and m.element != 16:
            raise ProgramError(f"numbers of {m.element} bits that lie across")
        if m.reconverge < 0 or m.reconverge > 1 << 24:
            raise ProgramError(f"held for {m.reconverge} cycles")
        u.held_cycles = m.reconverge
        self._source(u, m, 0, 8)
        self._source(u, m, 1, 8)
        self._required(u.s[1] >= 0, "descriptor of the second factor")
        self._predicate_source(u, m, 2)
        if m.target < 0 or m.count != 2 * results + factors or m.target + <int64_t>m.count > self.operand_count:
            raise ProgramError(f"{m.count} operands of a product, {2 * results + factors} expected")
        u.named = NAMES_ALL
        u.space = T.SP_MATRIX
        u.lane_bytes = 16
        for i in range(m.count):
            at = self.operands[m.target + i]
            row = -1 - at if at < 0 else at
            if row + 1 > (self.constant_rows if at < 0 else self.rows) or (at < 0 and i < results):
                raise ProgramError(f"operand {i}: row {at}")
            if at >= 0 and results <= i < results + factors:
                self._await(u, <int32_t>row)
            self.operands[m.target + i] = <int32_t>(-1 - row * 4 * self.lanes if at < 0 else row * 4 * self.lanes)
        return 0

    cdef int _read_tiles(self, Uop *u, const MicroOp *m) except -1:
        """Check a load or store of 8 x 8 tiles; to the issue loop it is a load or store."""
        cdef int i
        self._number(m.fn, 2, "way to lie")
        self._number(m.space, T.SP_GENERIC + 1, "space")
        if self.lanes != 32 or m.vec not in (1, 2, 4):
            raise ProgramError(f"{m.vec} tiles over {self.lanes} lanes")
        u.kind = T.K_LOAD if m.kind == T.K_MATRIX_LOAD else T.K_STORE
        u.combine = m.space == T.SP_GENERIC
        u.space = T.SP_MATRIX
        u.named = NAMES_ALL
        u.lane_bytes = 16
        u.cause = ST_SHARED_DEPENDENCY
        self._source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
        self._required(u.s[0] >= 0, "address")
        for i in range(m.vec):
            if m.kind == T.K_MATRIX_LOAD:
                self._destination(u, m, i, 4)
            else:
                self._source(u, m, 1 + i, 4)
                self._required(u.s[1 + i] >= 0, f"source {1 + i}")
        return 0

    cdef int _read_texture(self, Uop *u, const MicroOp *m) except -1:
        """Check a fetch, gather or query; to the issue loop it is a load."""
        cdef int i
        self._number(m.fn, TO.GEO_ACUBE + 1, "geometry")
        self._number(m.combine, TO.TX_QUERY + 1, "texture operation")
        self._number(m.count, 5, "number of coordinates")
        if m.combine == TO.TX_QUERY:
            self._number(m.element, TO.TQ_KIND + 1, "query")
        else:
            self._number(m.element, 4, "component")
            if m.count != _COORDINATES[m.fn] or m.combine == TO.TX_GATHER and (
                    m.fn not in (TO.GEO_2D, TO.GEO_A2D, TO.GEO_CUBE, TO.GEO_ACUBE) or m.flags & T.FL_SIGNED):
                raise ProgramError(f"{m.count} coordinates of geometry {m.fn}")
        self.uses_textures = True
        u.kind = T.K_LOAD
        u.space = T.SP_TEXTURE
        u.memory = 1
        u.cause = ST_MEMORY_DEPENDENCY
        self._source(u, m, 0, 8)
        self._required(u.s[0] >= 0, "handle")
        for i in range(m.count):
            self._source(u, m, 1 + i, 4)
            self._required(u.s[1 + i] >= 0, f"coordinate {i}")
        if m.count < 4:
            self._source(u, m, 1 + m.count, 4 if m.combine == TO.TX_QUERY else 8)    # a level, or a sampler
        for i in range(4):
            self._destination(u, m, i, 4)
        return 0

    cdef int _read_bulk(self, Uop *u, const MicroOp *m) except -1:
        """Check a bulk copy or reduction."""
        self._number(m.combine, T.BK_BOX_OUT + 1, "route of a bulk copy")
        self._number(m.vec, 2, "a bulk reduction")
        self.uses_bulk = True
        u.space = T.SP_GENERIC
        u.memory = 1
        u.cause = ST_MEMORY_DEPENDENCY
        if m.combine >= T.BK_BOX_IN:
            return self._read_box(u, m)
        if m.vec:
            self._number(m.fn, _ATOMIC_COUNT, "atomic function")
            if m.element not in (2, 4, 8):
                raise ProgramError(f"bulk reduction of elements of {m.element} bytes")
        self._source(u, m, 0, 8 if m.combine == T.BK_TO_GLOBAL else 4)
        self._source(u, m, 1, 8 if m.combine == T.BK_TO_SHARED else 4)
        self._source(u, m, 2, 4)
        self._required(u.s[0] >= 0 and u.s[1] >= 0 and u.s[2] >= 0, "an address or the size")
        if m.combine != T.BK_TO_GLOBAL:
            self._source(u, m, 3, 4)
            self._required(u.s[3] >= 0, "mbarrier")
        if m.combine == T.BK_TO_SHARED:
            self._source(u, m, 4, 4)     # a mask of blocks
        return 0

    cdef int _read_box(self, Uop *u, const MicroOp *m) except -1:
        """Check a copy by a tensor map, whose coordinates from the second on stand in d."""
        cdef int i
        cdef MicroOp tail = m[0]
        self._number(m.fn, T.BO_XOR + 1, "operation on a tensor")
        if not 1 <= m.count <= 5 or not 0 <= m.offset <= (T.BX_IM2COL | T.BX_MULTICAST) or m.vec and m.combine == T.BK_BOX_IN:
            raise ProgramError(f"box of {m.count} dimensions, flags {m.offset}, reduction {m.vec}")
        self._source(u, m, 0, 4)
        self._source(u, m, 1, 8)
        self._source(u, m, 2, 4)
        self._source(u, m, 3, 8)
        self._source(u, m, 4, 4)
        self._required(u.s[0] >= 0 and u.s[1] >= 0 and u.s[4] >= 0, "an address or a coordinate")
        self._required(u.s[2] >= 0 or m.combine == T.BK_BOX_OUT, "mbarrier")
        self._required(u.s[3] >= 0 or not m.offset & T.BX_MULTICAST, "mask of blocks")
        for i in range(1, m.count):
            tail.s[4] = m.d[i - 1]
            self._source(u, &tail, 4, 4)
            u.s[4 + i], u.s_bank[4 + i] = u.s[4], u.s_bank[4]
            self._required(u.s[4 + i] >= 0, f"coordinate {i}")
        self._source(u, m, 4, 0)
        return 0

    cdef int _read_surface(self, Uop *u, const MicroOp *m) except -1:
        """Check a surface load or store; to the issue loop it is a load or store."""
        cdef int i, at, bytes = 8 if m.element == 8 else 4
        cdef MicroOp tail
        self._number(m.fn, TO.GEO_A2D + 1, "geometry")
        self._number(m.combine, TO.SF_REDUCE_FORMATTED + 1, "surface operation")
        if m.element not in (1, 2, 4, 8) or m.vec not in (1, 2, 4) or m.element * m.vec > 16:
            raise ProgramError(f"{m.vec} elements of {m.element} bytes")
        if m.count != _COORDINATES[m.fn] or not 0 <= m.offset <= TO.SB_ZERO:
            raise ProgramError(f"{m.count} coordinates of geometry {m.fn}, boundary {m.offset}")
        self.uses_textures = True
        u.kind = T.K_LOAD if m.combine == TO.SF_LOAD else T.K_STORE if m.combine in (TO.SF_STORE, TO.SF_STORE_FORMATTED) else T.K_ATOM
        if m.combine == TO.SF_STORE_FORMATTED and m.element != 4:
            raise ProgramError(f"a formatted store of elements of {m.element} bytes")
        if u.kind == T.K_ATOM:
            self._number(m.target, _ATOMIC_COUNT, "atomic function")
            u.atomic_function = <uint16_t>m.target
            if m.vec != 1 or m.element < 4:
                raise ProgramError(f"surface reduction of {m.vec} elements of {m.element} bytes")
        u.space = T.SP_SURFACE
        u.memory = 1
        u.lane_bytes = m.element * m.vec
        u.cause = ST_MEMORY_DEPENDENCY
        self._source(u, m, 0, 8)
        self._required(u.s[0] >= 0, "handle")
        for i in range(m.count):
            self._source(u, m, 1 + i, 4)
            self._required(u.s[1 + i] >= 0, f"coordinate {i}")
        if m.combine == TO.SF_LOAD:
            for i in range(m.vec):
                self._destination(u, m, i, bytes)
            return 0
        tail = m[0]
        for i in range(m.vec):
            at = 1 + m.count + i
            if at >= 5:              # a source that stands in d: read it from there
                tail.s[4] = m.d[at - 5]
                self._source(u, &tail, 4, bytes)
                u.s[at], u.s_bank[at] = u.s[4], u.s_bank[4]
                self._source(u, m, 4, 0)
            else:
                self._source(u, m, at, bytes)
            self._required(u.s[at] >= 0, f"value {i}")
        return 0
