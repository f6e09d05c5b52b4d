"""Reading micro-ops on textures and surfaces, which the issue loop takes for loads, stores and atomic operations."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_texture(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_surface(ProgramTables p, Uop *u, const MicroOp *m) except -1
