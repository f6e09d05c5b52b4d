"""What the micro-ops of a program may refer to, and what they turn into."""
from libc.stdint cimport int32_t, uint32_t, uint64_t

from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef class ProgramTables:
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
    cdef readonly uint64_t system_calls  # a bit for each SystemCall that some op makes
    cdef readonly bint copies            # some op copies asynchronously
    cdef readonly bint uses_bulk         # has bulk copies
    cdef uint32_t *special_of    # [specials] which special register …
    cdef uint32_t *special_row   # … goes into which row
    cdef char *constants         # [constant_rows][lanes] 32-bit lanes

    cdef int number(self, int value, int count, what) except -1
    cdef int required(self, bint present, what) except -1
    cdef int width(self, const MicroOp *m) except -1
    cdef int routine(self, Uop *u, const MicroOp *m) except -1
    cdef int wait_for(self, Uop *u, int32_t entry) except -1
    cdef int makes_wait(self, Uop *u, int32_t entry) except -1
    cdef int source(self, Uop *u, const MicroOp *m, int i, int bytes) except -1
    cdef int source_from(self, Uop *u, int32_t row, int place, int i, int bytes) except -1
    cdef int predicate_source(self, Uop *u, const MicroOp *m, int i) except -1
    cdef int names_lanes(self, Uop *u, int i, int bytes) except -1
    cdef int destination(self, Uop *u, const MicroOp *m, int i, int bytes) except -1
    cdef int predicate_destination(self, Uop *u, const MicroOp *m, int i) except -1
    cdef int take_operands(self, Uop *u, const MicroOp *m, int expected, what) except -1
    cdef int32_t operand(self, const Uop *u, int i, int bytes, bint written) except -2
    cdef int wait_for_list(self, Uop *u, int32_t first) except -1
