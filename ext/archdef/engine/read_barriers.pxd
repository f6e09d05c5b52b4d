"""Reading micro-ops that wait for others: barriers, and groups of copies."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_barrier(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_phase(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_copy_group(ProgramTables p, Uop *u, const MicroOp *m) except -1
