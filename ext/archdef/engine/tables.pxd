"""A machine as `archdef.pack` gives it."""
from archdef.engine.hooks cimport Hooks
from archdef.engine.machine cimport MachineTable

cdef class Tables:
    cdef MachineTable machine
    cdef Hooks hooks                     # policies of plugins
