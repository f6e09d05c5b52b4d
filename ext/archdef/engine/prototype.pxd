"""Policies in Python, for trying an idea."""
from archdef.engine.policy cimport policy_function

cdef class Prototype:
    cdef readonly object policy
    cdef readonly object error          # what the policy raised first, None: nothing

cdef policy_function prototype_function(int kind) noexcept
