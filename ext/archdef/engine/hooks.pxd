"""The policies of plugins that a machine uses."""
from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport Hook

cdef enum:
    MOST_HOOKS = 32

cdef class Hooks:
    cdef Hook hooks[32]
    cdef int count
    cdef list listed                     # (as `archdef.pack` has it, Prototype or None); what must live as long as the hooks

    cdef int place(self, MachineTable *m) except -1
    cdef int refused(self) noexcept nogil
    cdef object error(self)
