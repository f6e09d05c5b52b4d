"""Counters as numpy sees them: structured arrays with the names of the C structs."""
import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from archdef.engine.counters cimport StatementCounters
from archdef.engine.crossbar cimport PortCounters
from archdef.engine.device_runtime cimport ChildRecord
from archdef.engine.dram cimport PartitionCounters
from archdef.engine.launch cimport Launch
from archdef.engine.network cimport Network
from archdef.engine.residency cimport Residency, SmCounters


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
cdef PortCounters _no_port
memset(&_no_port, 0, sizeof(PortCounters))
cdef ChildRecord _no_child
memset(&_no_child, 0, sizeof(ChildRecord))
CHILD_DTYPE = _dtype(_no_child)
COUNTER_DTYPE = _dtype(_no_statement)
MULTIPROCESSOR_DTYPE = _dtype(_no_sm)
PARTITION_DTYPE = _dtype({**_no_partition, **_no_port})


cdef tuple as_records(const Launch *launch, const Residency *residencies, int64_t multiprocessors):
    """Copy counters of statements and of multiprocessors, and how often each op was issued."""
    cdef int64_t i
    cdef int64_t[::1] instructions = np.zeros(launch.statements, np.int64), issued = np.zeros(launch.op_count, np.int64)
    cdef int64_t[:, ::1] counters
    rows = np.frombuffer((<const char *>launch.counters)[:launch.statements * <int64_t>sizeof(StatementCounters)], COUNTER_DTYPE).copy()
    for i in range(launch.op_count):
        issued[i] = launch.issued[i]
        instructions[launch.ops[i].statement] += launch.issued[i] * launch.ops[i].issues
    rows["instructions"] = instructions
    each = np.zeros(multiprocessors, MULTIPROCESSOR_DTYPE)
    counters = each.view(np.int64).reshape(multiprocessors, sizeof(SmCounters) // sizeof(int64_t))
    for i in range(multiprocessors):
        memcpy(&counters[i, 0], &residencies[i].counters, sizeof(SmCounters))
    return rows, each, np.asarray(issued)


cdef object child_records(const ChildRecord *records, int64_t count):
    """Copy records of launches by kernels."""
    return np.frombuffer((<const char *>records)[:count * <int64_t>sizeof(ChildRecord)] if count else b"", CHILD_DTYPE).copy()


cdef object partition_records(const Network *network):
    """Copy counters of memory partitions and of their ports."""
    cdef int64_t i, partitions = network.m.dram.partitions, own = sizeof(PartitionCounters) // sizeof(int64_t), ports = sizeof(PortCounters) // sizeof(int64_t)
    each = np.zeros(partitions, PARTITION_DTYPE)
    cdef int64_t[:, ::1] counters = each.view(np.int64).reshape(partitions, own + ports)
    for i in range(partitions):
        memcpy(&counters[i, 0], &network.partitions[i].dram.counters, sizeof(PartitionCounters))
        memcpy(&counters[i, own], &network.crossbar.counters[i], sizeof(PortCounters))
    return each
