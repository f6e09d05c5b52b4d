"""Counters as numpy sees them."""
from libc.stdint cimport int64_t

from archdef.engine.counters cimport StatementCounters
from archdef.engine.network cimport Network
from archdef.engine.state cimport Share

cdef tuple as_records(const StatementCounters *statements, int64_t count, const Share *shares, int64_t multiprocessors)
cdef object partition_records(const Network *network)
