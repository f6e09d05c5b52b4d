"""A multiprocessor's port to memory: where its requests go, and the credits of its stores."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport RQ_WRITE, Ports, Request, port_send
from archdef.engine.request_trace cimport RequestTrace

cdef struct MemoryPort:
    const MachineTable *m
    Ports *ports
    int32_t id                   # of the multiprocessor
    int32_t store_credits
    int32_t store_bytes          # of stores that are not acknowledged, where they are limited
    RequestTrace *trace          # in which requests are recorded, NULL: they are not; only where everything is recorded looks here

cdef inline bint may_store(const MemoryPort *port) noexcept nogil:
    """Whether the network takes another store."""
    cdef int64_t most = port.m.load_store.store_bytes_in_flight_per_multiprocessor
    return port.store_credits > 0 and (most == 0 or port.store_bytes < most)


cdef inline void send_request(MemoryPort *port, const Request *request) noexcept nogil:
    """Send a request, which has its credit; a store's bytes count until it is acknowledged."""
    if request.kind == RQ_WRITE:
        port.store_bytes += request.bytes
    port_send(port.ports, port.id, request)
