"""Stores that leave a multiprocessor together: lines of which some words have been stored wait for the others."""
from libc.stdint cimport int64_t

from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.state cimport Sm
from archdef.engine.transaction cimport Transaction

cdef int write_combining_store(Sm *sm, const LsuPipeline *lsu, const Transaction *t) noexcept nogil
cdef void write_combining_idle(Sm *sm, int64_t cycle) noexcept nogil

cdef inline bint may_store(const Sm *sm) noexcept nogil:
    """Whether the network takes another store."""
    cdef int64_t most = sm.m.load_store.store_bytes_in_flight_per_multiprocessor
    return sm.store_credits > 0 and (most == 0 or sm.store_bytes < most)
