"""Counters as numpy sees them: structured arrays with the names of the C structs."""
import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memset

from archdef.engine.counters cimport StatementCounters
from archdef.engine.dram cimport PartitionCounters
from archdef.engine.network cimport Network
from archdef.engine.state cimport Share, SmCounters


def _dtype(dict record):
    """numpy dtype of a struct of int64 and arrays of int64, from a sample converted to a dict."""
    return np.dtype([(name, np.int64, (len(value),)) if isinstance(value, list) else (name, np.int64)
                     for name, value in record.items()])


cdef StatementCounters _no_statement
memset(&_no_statement, 0, sizeof(StatementCounters))
cdef SmCounters _no_sm
memset(&_no_sm, 0, sizeof(SmCounters))
cdef PartitionCounters _no_partition
memset(&_no_partition, 0, sizeof(PartitionCounters))
COUNTER_DTYPE = _dtype(_no_statement)
MULTIPROCESSOR_DTYPE = _dtype(_no_sm)
PARTITION_DTYPE = _dtype(_no_partition)


cdef tuple as_records(const StatementCounters *statements, int64_t count, const Share *shares, int64_t multiprocessors):
    """Copy counters of statements and of multiprocessors."""
    cdef int64_t i
    rows = np.frombuffer((<const char *>statements)[:count * <int64_t>sizeof(StatementCounters)], COUNTER_DTYPE).copy()
    each = np.zeros(multiprocessors, MULTIPROCESSOR_DTYPE)
    for i in range(multiprocessors):
        each[i] = tuple((<object>shares[i].counters).values())
    return rows, each


cdef object partition_records(const Network *network):
    """Copy counters of memory partitions."""
    cdef int64_t i
    each = np.zeros(network.m.partitions, PARTITION_DTYPE)
    for i in range(network.m.partitions):
        each[i] = tuple((<object>network.partitions[i].dram.counters).values())
    return each
