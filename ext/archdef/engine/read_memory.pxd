"""Reading micro-ops that access memory lane by lane."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_load(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_store(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_atomic(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_copy(ProgramTables p, Uop *u, const MicroOp *m) except -1
