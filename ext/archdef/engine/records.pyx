"""Counters as numpy sees them: structured arrays with the names of the C structs."""
import numpy as np

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from archdef.engine.counters cimport StatementCounters
from archdef.engine.crossbar cimport PortCounters
from archdef.engine.device_runtime cimport ChildRecord
from archdef.engine.dram cimport PartitionCounters
from archdef.engine.launch cimport Launch
from archdef.engine.network cimport Network
from archdef.engine.remote cimport LinkCounters, Remote, RemoteLink
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
cdef LinkCounters _no_link
memset(&_no_link, 0, sizeof(LinkCounters))
cdef ChildRecord _no_child
memset(&_no_child, 0, sizeof(ChildRecord))
CHILD_DTYPE = _dtype(_no_child)
COUNTER_DTYPE = _dtype(_no_statement)
MULTIPROCESSOR_DTYPE = _dtype(_no_sm)
LINK_DTYPE = _dtype(_no_link)
PARTITION_DTYPE = _dtype({**_no_partition, **_no_port})


cdef char *_bytes_of(array) except NULL:
    """Give where the bytes of an array lie, for as long as somebody holds it. A typed view of so small an array costs more than to fill it."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    PyBuffer_Release(&view)
    return <char *>view.buf


cdef tuple as_records(const Launch *launch, const Residency *residencies, int64_t multiprocessors):
    """Copy counters of statements and of multiprocessors, and how often each op was issued."""
    cdef int64_t i
    rows, each = np.empty(launch.statements, COUNTER_DTYPE), np.empty(multiprocessors, MULTIPROCESSOR_DTYPE)
    issued = np.empty(launch.op_count, np.int64)
    cdef StatementCounters *counters = <StatementCounters *>_bytes_of(rows)
    cdef SmCounters *counted = <SmCounters *>_bytes_of(each)
    memcpy(counters, launch.counters, launch.statements * sizeof(StatementCounters))
    memcpy(_bytes_of(issued), launch.issued, launch.op_count * sizeof(int64_t))
    for i in range(launch.statements):
        counters[i].instructions = 0
    for i in range(launch.op_count):
        counters[launch.ops[i].statement].instructions += launch.issued[i] * launch.ops[i].issues
    for i in range(multiprocessors):
        counted[i] = residencies[i].counters
    return rows, each, issued


cdef object child_records(const ChildRecord *records, int64_t count):
    """Copy records of launches by kernels."""
    return np.frombuffer((<const char *>records)[:count * <int64_t>sizeof(ChildRecord)] if count else b"", CHILD_DTYPE).copy()


cdef object partition_records(const Network *network):
    """Copy counters of memory partitions and of their ports."""
    cdef int64_t i, partitions = network.m.dram.partitions
    each = np.empty(partitions, PARTITION_DTYPE)
    cdef char *counters = _bytes_of(each)
    for i in range(partitions):
        memcpy(counters, &network.partitions[i].dram.counters, sizeof(PartitionCounters))
        memcpy(counters + sizeof(PartitionCounters), &network.crossbar.counters[i], sizeof(PortCounters))
        counters += sizeof(PartitionCounters) + sizeof(PortCounters)
    return each


cdef object _link_record(const RemoteLink *link):
    row = np.empty(1, LINK_DTYPE)
    memcpy(_bytes_of(row), &link.counters, sizeof(LinkCounters))
    return row


cdef dict link_records(const Remote *remote):
    """Copy counters of the links that were used, by name."""
    found = {}
    if remote.to_host.answered_fs != NULL:
        found["host_link"] = _link_record(&remote.to_host)
    if remote.to_peers.answered_fs != NULL:
        found["peer_link"] = _link_record(&remote.to_peers)
    return found
