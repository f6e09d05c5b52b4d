"""Stores that leave a multiprocessor together: lines of which some words have been stored wait for the others."""
from libc.stdint cimport int64_t

from archdef.engine.coalesce cimport Transaction
from archdef.engine.injection cimport Injection
from archdef.engine.state cimport Sm

cdef int combine_store(Sm *sm, const Injection *inject, const Transaction *t) noexcept nogil
cdef void combine_idle(Sm *sm, int64_t cycle) noexcept nogil
