"""A machine as `archdef.pack` gives it."""
from archdef.engine.hooks cimport Hooks
from archdef.engine.machine cimport MachineTable

cdef class Tables:
    cdef MachineTable machine
    cdef Hooks hooks                     # policies of plugins
    cdef bint fitted                     # the host had memory for a multiprocessor and a partition when a session began
