"""A program ready to run: micro-ops checked and turned into the form that the issue loop reads.

What ops of every kind have is read here, the rest by a function for the kind, which `_reader` finds in the module of its family.
"""
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine cimport types as T
from archdef.engine.counters cimport ST_ALU_DEPENDENCY
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.read_arithmetic cimport read_alu, read_carry, read_p2r, read_pred, read_selp, read_setp, read_special
from archdef.engine.read_barriers cimport read_barrier, read_copy_group, read_phase
from archdef.engine.read_bulk cimport read_bulk
from archdef.engine.read_control cimport (read_branch, read_branch_indexed, read_call_indirect, read_exit, read_plain, read_registers,
                                          read_system)
from archdef.engine.read_exchange cimport read_match, read_redux, read_shuffle, read_vote
from archdef.engine.read_matrix cimport read_matrix, read_product, read_product_group, read_tiles
from archdef.engine.read_memory cimport read_atomic, read_copy, read_load, read_store
from archdef.engine.read_texture cimport read_surface, read_texture
from archdef.engine.types cimport ConstantRow, MicroOp, SpecialRow
from archdef.engine.uop cimport NAMES_NONE, Uop

from archdef.engine.program_tables import ProgramError

ctypedef int (*Reader)(ProgramTables p, Uop *u, const MicroOp *m) except -1

cdef Reader[256] _reader     # by kind; NULL: there is no such kind
_reader[<int>T.K_NOP] = _reader[<int>T.K_FENCE] = _reader[<int>T.K_RETURN] = _reader[<int>T.K_TRAP] = read_plain
_reader[<int>T.K_ALU] = read_alu
_reader[<int>T.K_SETP] = read_setp
_reader[<int>T.K_SELP] = read_selp
_reader[<int>T.K_PRED] = read_pred
_reader[<int>T.K_CARRY] = read_carry
_reader[<int>T.K_P2R] = read_p2r
_reader[<int>T.K_SPECIAL] = read_special
_reader[<int>T.K_VOTE] = read_vote
_reader[<int>T.K_REDUX] = read_redux
_reader[<int>T.K_SHUFFLE] = read_shuffle
_reader[<int>T.K_MATCH] = read_match
_reader[<int>T.K_LOAD] = read_load
_reader[<int>T.K_STORE] = read_store
_reader[<int>T.K_ATOM] = read_atomic
_reader[<int>T.K_COPY] = read_copy
_reader[<int>T.K_BULK] = read_bulk
_reader[<int>T.K_TEXTURE] = read_texture
_reader[<int>T.K_SURFACE] = read_surface
_reader[<int>T.K_BRANCH] = _reader[<int>T.K_CALL] = read_branch
_reader[<int>T.K_BRANCH_INDEXED] = read_branch_indexed
_reader[<int>T.K_CALL_INDIRECT] = read_call_indirect
_reader[<int>T.K_EXIT] = read_exit
_reader[<int>T.K_REGISTERS] = read_registers
_reader[<int>T.K_SYSTEM] = read_system
_reader[<int>T.K_BARRIER] = read_barrier
_reader[<int>T.K_PHASE] = read_phase
_reader[<int>T.K_COPY_GROUP] = read_copy_group
_reader[<int>T.K_MATRIX] = read_matrix
_reader[<int>T.K_MATRIX_LOAD] = _reader[<int>T.K_MATRIX_STORE] = read_tiles
_reader[<int>T.K_GROUP_PRODUCT] = read_product
_reader[<int>T.K_GROUP] = read_product_group


def layout():
    """Byte sizes of the packed records that lowering builds, to check its own against, and of what ops become: ``{"MicroOp": …, …}``."""
    return {"MicroOp": sizeof(MicroOp), "ConstantRow": sizeof(ConstantRow), "SpecialRow": sizeof(SpecialRow), "Uop": sizeof(Uop)}


cdef class LoadedProgram(ProgramTables):
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
        cdef bytes held = program.ops.tobytes()
        cdef const MicroOp *raw = <const MicroOp *><const char *>held
        cdef const MicroOp *micro
        cdef Py_ssize_t i
        self.ops = <Uop *>calloc(self.op_count + 1, sizeof(Uop))      # one more: what comes next is looked at
        if self.ops == NULL:
            raise MemoryError("program")
        for i in range(self.op_count):
            micro = raw + i
            try:
                self._read(self.ops + i, micro, max_units)
                self.wait_for_list(self.ops + i, micro.also)
            except ProgramError as error:
                raise ProgramError(f"op {i} (kind {micro.kind}): {error}") from None
        micro = raw + self.op_count - 1
        if micro.kind not in (T.K_EXIT, T.K_RETURN, T.K_BRANCH, T.K_BRANCH_INDEXED, T.K_TRAP) or micro.guard:
            raise ProgramError("the last op can be passed")

    def __dealloc__(self):
        free(self.ops)

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

    cdef int _read(self, Uop *u, const MicroOp *m, int max_units) except -1:
        """Check one micro-op and resolve its operands. What its kind does not have is 0 in `u`, or what stands here."""
        cdef int i
        u.kind = m.kind
        u.unit = m.unit
        u.flags = m.flags
        u.fn = m.fn
        u.fpenv = m.fpenv & 7
        u.width = m.width
        u.space = m.space
        u.issues = m.issues
        u.latency = m.latency
        u.interval = m.interval
        u.fraction = m.fraction
        u.rare = m.rare
        u.reconverge = -1
        u.bank_passes = u.value_count = 1
        u.weight = 8
        u.statement = <int32_t>m.statement
        u.cause = ST_ALU_DEPENDENCY
        for i in range(4):
            u.d[i] = -1
        for i in range(9):
            u.s[i] = -1
        u.named = NAMES_NONE
        self._check_costs(m, max_units)
        self.units |= <uint32_t>1 << m.unit
        self._take_guard(u, m)
        if _reader[m.kind] == NULL:
            raise ProgramError("unknown kind")
        return _reader[m.kind](self, u, m)

    cdef int _check_costs(self, const MicroOp *m, int max_units) except -1:
        """Check where an op executes, what it costs, and to which statement that is charged."""
        self.number(m.unit, max_units, "unit")
        if self.statements:
            self.number(<int>m.statement, self.statements, "statement")
        if (m.issues < 1 and (m.kind not in (T.K_ALU, T.K_SETP, T.K_BRANCH) or m.latency or m.fpenv)
                and (m.kind != T.K_LOAD or m.space != T.SP_SHARED)):
            raise ProgramError("issues must be at least 1, except for arithmetic, comparisons and branches without latency, "
                               "and loads from shared memory")
        if m.latency > 1 << 24:
            raise ProgramError(f"latency {m.latency}, interval {m.interval}: at most {1 << 24} cycles")
        if m.rare > m.issues:
            raise ProgramError(f"rare {m.rare}: no more than issues, {m.issues}")
        if m.fraction > 255:
            raise ProgramError(f"fraction {m.fraction}: less than 256 of a cycle's 256 parts")
        return 0

    cdef int _take_guard(self, Uop *u, const MicroOp *m) except -1:
        """Resolve the guard, if there is one."""
        if m.guard:
            if m.guard_predicate < 0 or m.guard_predicate >> 1 >= self.predicates:
                raise ProgramError(f"guard {m.guard_predicate} of {self.predicates} predicates")
            u.guarded = 1
            u.guard_mask = m.guard_predicate >> 1
            u.guard_flip = ~<uint64_t>0 if m.guard_predicate & 1 else 0
            u.guard_entry = <uint16_t>(self.rows + u.guard_mask)
            self.wait_for(u, u.guard_entry)
        return 0
