"""A program ready to run: micro-ops checked and turned into the form that the issue loop reads."""
from libc.stdint cimport uint32_t

from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

cdef class LoadedProgram(ProgramTables):
    cdef Uop *ops
    cdef readonly uint32_t units         # mask of those that it has ops for

    cdef int _read(self, Uop *u, const MicroOp *m, int max_units) except -1
    cdef int _check_costs(self, const MicroOp *m, int max_units) except -1
    cdef int _take_guard(self, Uop *u, const MicroOp *m) except -1
