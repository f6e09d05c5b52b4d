"""Reading micro-ops that copy memory in bulk."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_bulk(ProgramTables p, Uop *u, const MicroOp *m) except -1
