"""Reading micro-ops by which the lanes of a warp tell each other something."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_vote(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_redux(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_shuffle(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_match(ProgramTables p, Uop *u, const MicroOp *m) except -1
