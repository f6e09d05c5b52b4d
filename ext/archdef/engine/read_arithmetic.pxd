"""Reading micro-ops of arithmetic: on rows, on predicates, from one to the other."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_alu(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_setp(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_selp(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_pred(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_carry(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_p2r(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_special(ProgramTables p, Uop *u, const MicroOp *m) except -1
