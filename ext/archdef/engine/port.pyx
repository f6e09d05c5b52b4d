"""Ports of the multiprocessors into the network: requests leave in order, and ports wait for each other."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc

from archdef.engine.machine cimport MachineTable
from archdef.engine.tournament cimport Tournament, tournament_hasten


cdef int ports_open(Ports *ports, const MachineTable *m, Tournament *events) except -1:
    """Make idle ports; what a multiprocessor may have in flight fits into each."""
    cdef int64_t i, room = 256
    cdef int64_t in_flight = max(m.load_store.reads_in_flight_per_multiprocessor, 1) + m.load_store.textures_in_flight_per_multiprocessor
    while room < in_flight + m.load_store.stores_in_flight_per_multiprocessor + 8:
        room *= 2
    ports.m = m
    ports.events = events
    ports.count = <int32_t>(m.chip.multiprocessors * (2 if m.interconnect.store_ports else 1))
    ports.port = <Port *>calloc(<size_t>ports.count, sizeof(Port))
    if ports.port == NULL:
        raise MemoryError("ports of the network")
    for i in range(ports.count):
        ports.port[i].room = <int32_t>room
        ports.port[i].next_waiter = -1
        ports.port[i].ring = <Request *>malloc(<size_t>room * sizeof(Request))
        if ports.port[i].ring == NULL:
            raise MemoryError("ports of the network")
    return 0


cdef void ports_close(Ports *ports) noexcept nogil:
    """Free what `ports_open` took, complete or not."""
    cdef int64_t i
    if ports.port != NULL:
        for i in range(ports.count):
            free(ports.port[i].ring)
    free(ports.port)
    ports.port = NULL


cdef void port_send(Ports *ports, int32_t sm, const Request *request) noexcept nogil:
    """Append a request to a multiprocessor's port. Credits keep the ring from overflowing."""
    cdef Port *port
    if ports.m.interconnect.store_ports and moves_data_in(request):
        sm += <int32_t>ports.m.chip.multiprocessors
    port = ports.port + sm
    if port.count == 0:
        port.head = 0       # where the host's cache still has it
    port.ring[(port.head + port.count) & (port.room - 1)] = request[0]
    port.count += 1
    if port.count == 1:
        tournament_hasten(ports.events, sm, max(request.time_fs, port.free_fs))
