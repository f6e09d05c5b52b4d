"""Reading micro-ops on matrices, which take all lanes of a warp."""
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef int read_matrix(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_tiles(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_product(ProgramTables p, Uop *u, const MicroOp *m) except -1
cdef int read_product_group(ProgramTables p, Uop *u, const MicroOp *m) except -1
