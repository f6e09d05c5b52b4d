"""What the micro-ops of a program may refer to, and what they turn into.

Lowering is trusted to be right, not to be safe: every index that a micro-op carries is checked against these tables once, so that
the issue loop need not look.
"""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free

from archdef.engine cimport types as T
from archdef.engine.types cimport ConstantRow, MicroOp, SpecialRow
from archdef.engine.uop cimport Uop


class ProgramError(ValueError):
    """A packed program that cannot be run safely: a fault of lowering, not of the guest."""


cdef class ProgramTables:
    """Rows, predicates, constants, special registers and lists of one kernel for one warp size.

    Parameters
    ----------
    program : archdef.lower.Program
        Packed arrays and counts.
    lanes : int
        Warp size.
    """

    def __cinit__(self, program, int lanes, *_):
        if not 1 <= lanes <= T.MAX_WARP:
            raise ProgramError(f"warp of {lanes} lanes")
        nbytes = program.ops.nbytes
        if nbytes % sizeof(MicroOp) or nbytes == 0:
            raise ProgramError(f"{nbytes} bytes of ops are no array of MicroOp ({sizeof(MicroOp)} bytes each)")
        self.lanes = lanes
        self.op_count = nbytes // sizeof(MicroOp)
        self.rows = program.rows
        self.predicates = program.predicates
        self.statements = len(program.statements)
        if not 0 <= self.rows <= 1 << 16 or not 2 <= self.predicates <= 1 << 16:
            raise ProgramError(f"{self.rows} rows, {self.predicates} predicates")
        if self.rows + self.predicates >= 65535:
            raise ProgramError(f"{self.rows} rows and {self.predicates} predicates are more than the scoreboard counts")
        self._take_lists(program)
        self._take_specials(program)
        self._reserve_constants(program)

    def __dealloc__(self):
        free(self.targets)
        free(self.operands)
        free(self.special_of)
        free(self.special_row)
        free(self.constants)

    def _take_lists(self, program):
        """Copy what ops list beside their own fields: places that they may go to, further operands."""
        cdef const int[::1] targets = program.targets
        cdef const int[::1] operands = program.operands
        cdef Py_ssize_t i
        self.targets = <int32_t *>calloc(targets.shape[0] + 1, sizeof(int32_t))
        self.operands = <int32_t *>calloc(operands.shape[0] + 1, sizeof(int32_t))
        if self.targets == NULL or self.operands == NULL:
            raise MemoryError("program")
        self.target_count = targets.shape[0]
        for i in range(targets.shape[0]):
            if not -1 <= targets[i] < self.op_count:
                raise ProgramError(f"branch target {targets[i]} of {self.op_count} ops")
            self.targets[i] = targets[i]
        self.operand_count = operands.shape[0]
        for i in range(operands.shape[0]):
            self.operands[i] = operands[i]      # rows still; `operand` checks them and turns them into offsets

    def _take_specials(self, program):
        """Copy which special registers a warp has in rows from its start on."""
        cdef bytes held = program.specials.tobytes()
        cdef const SpecialRow *specials = <const SpecialRow *><const char *>held
        cdef const SpecialRow *special
        cdef Py_ssize_t i
        self.specials = len(held) // sizeof(SpecialRow)
        self.special_of = <uint32_t *>calloc(self.specials + 1, sizeof(uint32_t))
        self.special_row = <uint32_t *>calloc(self.specials + 1, sizeof(uint32_t))
        if self.special_of == NULL or self.special_row == NULL:
            raise MemoryError("program")
        for i in range(self.specials):
            special = specials + i
            if special.row >= <uint32_t>self.rows or (
                    special.special > T.SR_LANEMASK64_GT and not T.SR_CLUSTER_CTARANK <= special.special <= T.SR_CLUSTERID_Z):
                raise ProgramError(f"special register {special.special} in row {special.row} of {self.rows}")
            self.special_of[i] = special.special
            self.special_row[i] = special.row

    def _reserve_constants(self, program):
        """Make room for the constant rows, which `fill_constants` fills."""
        self.constant_rows = program.constants.nbytes // sizeof(ConstantRow)
        # one row more than used, here and in warps: a 64-bit read of the last row stays inside
        self.constants = <char *>calloc((self.constant_rows + 2) * self.lanes, 4)
        if self.constants == NULL:
            raise MemoryError("constants")

    # ------------------------------------------------------------------------------------------------------------- values
    cdef int number(self, int value, int count, what) except -1:
        """Refuse a number that is not one of 0 … count - 1."""
        if not 0 <= value < count:
            raise ProgramError(f"{what} {value} of {count}")
        return 0

    cdef int required(self, bint present, what) except -1:
        """Refuse an op without something."""
        if not present:
            raise ProgramError(f"{what} is missing")
        return 0

    cdef int width(self, const MicroOp *m) except -1:
        """Refuse results that are neither a row nor a pair of rows."""
        if m.width not in (4, 8):
            raise ProgramError(f"width {m.width} is neither 4 nor 8")
        return 0

    cdef int routine(self, Uop *u, const MicroOp *m) except -1:
        """Note how many of an op's instructions are a routine's."""
        u.routine_issues = <uint16_t>max(0, min(m.count, <int32_t>m.issues))
        return 0

    # --------------------------------------------------------------------------------------------------------- scoreboard
    cdef int wait_for(self, Uop *u, int32_t entry) except -1:
        """Let an op wait until an entry of the scoreboard is ready."""
        cdef int i
        for i in range(u.dependencies):
            if u.wait[i] == entry:
                return 0
        if u.dependencies >= 24:
            raise ProgramError("more than 24 operands to wait for")
        u.wait[u.dependencies] = <uint16_t>entry
        u.dependencies += 1
        return 0

    cdef int makes_wait(self, Uop *u, int32_t entry) except -1:
        """Let others wait for an op, which makes an entry of the scoreboard busy."""
        self.wait_for(u, entry)
        if u.set_count >= 8:
            raise ProgramError("more than 8 results")
        u.sets[u.set_count] = <uint16_t>entry
        u.set_count += 1
        return 0

    cdef int wait_for_list(self, Uop *u, int32_t first) except -1:
        """Let an op wait for the rows of a list, too, as far as there is room; `first` is the place of the first one, the count stands before it."""
        cdef int i, count
        if first == 0:
            return 0
        self.number(first, self.operand_count + 1, "list of rows")
        count = self.operands[first - 1]
        if count < 0 or first + <int64_t>count > self.operand_count:
            raise ProgramError(f"list of {count} rows at {first} of {self.operand_count}")
        for i in range(count):
            self.number(self.operands[first + i], self.rows, "row to wait for")
            if u.dependencies < 24:
                self.wait_for(u, self.operands[first + i])
        return 0

    # ----------------------------------------------------------------------------------------------------------- operands
    cdef int source(self, Uop *u, const MicroOp *m, int i, int bytes) except -1:
        """Resolve row operand s[i], read with lanes of `bytes` bytes (8: from an even row); 0: not read."""
        return self.source_from(u, m.s[i], i, i, bytes)

    cdef int source_from(self, Uop *u, int32_t row, int place, int i, int bytes) except -1:
        """Likewise an operand that stands elsewhere: it becomes s[i]; `place` is the number that messages say."""
        if row == T.NO_ROW:
            u.s[i] = -1
            u.s_bank[i] = 0
            return 0
        if row < 0:
            row = -1 - row
            if row >= self.constant_rows or (bytes == 8 and row & 1):
                raise ProgramError(f"source {place}: constant row {row} of {self.constant_rows}")
            u.s_bank[i] = 1
            u.s[i] = row * 4 * self.lanes
            return 0
        if row >= self.rows or (bytes == 8 and (row + 1 >= self.rows or row & 1)):
            raise ProgramError(f"source {place}: row {row} of {self.rows}")
        u.s_bank[i] = 0
        u.s[i] = row * 4 * self.lanes
        if bytes:
            self.wait_for(u, row)
            if bytes == 8:
                self.wait_for(u, row + 1)
        return 0

    cdef int predicate_source(self, Uop *u, const MicroOp *m, int i) except -1:
        """Resolve predicate operand s[i]."""
        cdef int32_t p = m.s[i]
        if p == T.NO_ROW:       # absent: constantly true
            u.s[i] = 2 * T.PRED_TRUE
            return 0
        if p < 0 or p >> 1 >= self.predicates:
            raise ProgramError(f"source {i}: predicate operand {p} of {self.predicates} predicates")
        u.s[i] = p
        if p >> 1 != T.PRED_TRUE:
            self.wait_for(u, self.rows + (p >> 1))
        return 0

    cdef int names_lanes(self, Uop *u, int i, int bytes) except -1:
        """Operand s[i], if there is one, is a mask of lanes that the op waits for."""
        if u.s[i] >= 0:
            u.named = <int8_t>i
            u.named_bytes = <uint8_t>bytes
        return 0

    cdef int destination(self, Uop *u, const MicroOp *m, int i, int bytes) except -1:
        """Resolve row d[i], written with lanes of `bytes` bytes."""
        cdef int32_t row = m.d[i]
        if row == T.NO_ROW or row < 0:
            u.d[i] = -1
            return 0
        if row >= self.rows or (bytes == 8 and (row + 1 >= self.rows or row & 1)):
            raise ProgramError(f"destination {i}: row {row} of {self.rows}")
        u.d[i] = row * 4 * self.lanes
        self.makes_wait(u, row)
        if bytes == 8:
            self.makes_wait(u, row + 1)
        return 0

    cdef int predicate_destination(self, Uop *u, const MicroOp *m, int i) except -1:
        """Resolve predicate d[i]."""
        cdef int32_t p = m.d[i]
        if p == T.NO_ROW or p < 0:
            u.d[i] = -1
            return 0
        if p >= self.predicates or p == T.PRED_TRUE:
            raise ProgramError(f"destination {i}: predicate {p} of {self.predicates}")
        u.d[i] = p
        self.makes_wait(u, self.rows + p)
        return 0

    # -------------------------------------------------------------------------------------------------- operands in a list
    cdef int take_operands(self, Uop *u, const MicroOp *m, int expected, what) except -1:
        """Note which entries of `operands` are an op's, of which `expected` must be there."""
        if m.target < 0 or m.count != expected or m.target + <int64_t>m.count > self.operand_count:
            raise ProgramError(f"{m.count} operands of a {what}, {expected} expected")
        u.first_operand = m.target
        u.operand_count = m.count
        return 0

    cdef int32_t operand(self, const Uop *u, int i, int bytes, bint written) except -2:
        """Turn an op's operand i, a row of `bytes` bytes a lane, into an offset, as `Launch.operands` has it. Gives the row, -1 for a constant."""
        cdef int64_t at = self.operands[u.first_operand + i], row = -1 - at if at < 0 else at
        if row + bytes // 4 > (self.constant_rows if at < 0 else self.rows) or (bytes == 8 and row & 1) or (at < 0 and written):
            raise ProgramError(f"operand {i}: row {at}")
        self.operands[u.first_operand + i] = <int32_t>(-1 - row * 4 * self.lanes if at < 0 else row * 4 * self.lanes)
        return <int32_t>row if at >= 0 else -1
