"""Counters as numpy sees them."""
from libc.stdint cimport int64_t

from archdef.engine.device_runtime cimport ChildRecord
from archdef.engine.launch cimport Launch
from archdef.engine.network cimport Network
from archdef.engine.remote cimport Remote
from archdef.engine.residency cimport Residency

cdef tuple as_records(const Launch *launch, const Residency *residencies, int64_t multiprocessors)
cdef object child_records(const ChildRecord *records, int64_t count)
cdef object partition_records(const Network *network)
cdef dict link_records(const Remote *remote)
