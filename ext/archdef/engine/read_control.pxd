"""Reading micro-ops that decide where a warp goes on, and those that ask the machine's runtime."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_branch(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_branch_indexed(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_call_indirect(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_exit(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_plain(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_registers(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_system(ProgramTables p, Uop *u, const MicroOp *m) except -1
