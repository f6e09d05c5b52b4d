"""Policies in Python, for trying an idea."""
from libc.stdint cimport int64_t

cdef class Prototype:
    cdef readonly object policy
    cdef int kind                       # PolicyKind: which view it is asked with
    cdef int64_t state_words            # of a policy that has a set for each multiprocessor
    cdef readonly object error          # what the policy raised first, None: nothing

cdef int64_t prototype_answer(const void *view) noexcept with gil
