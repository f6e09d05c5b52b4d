"""A machine as `archdef.pack` gives it."""
from archdef.engine.arena cimport Arena
from archdef.engine.hooks cimport Hooks
from archdef.engine.machine cimport MachineTable

cdef class Tables:
    cdef MachineTable machine
    cdef Hooks hooks                     # policies of plugins
    cdef Arena kept                      # of a session that is over, for the next one

    cdef Arena take_arena(self)
    cdef void keep_arena(self, Arena arena)
