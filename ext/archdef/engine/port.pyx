"""Ports of the multiprocessors into the network: requests leave in order, and ports wait for each other."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from archdef.engine.arena cimport Arena, arena_room
from archdef.engine.machine cimport MachineTable
from archdef.engine.tournament cimport Tournament


cdef int ports_open(Ports *ports, const MachineTable *m, Tournament *events, Arena *arena) except -1:
    """Make idle ports; what a multiprocessor may have in flight fits into each."""
    cdef int64_t i, room = 256
    cdef int64_t in_flight = max(m.load_store.reads_in_flight_per_multiprocessor, 1) + m.load_store.textures_in_flight_per_multiprocessor
    while room < in_flight + m.load_store.stores_in_flight_per_multiprocessor + 8:
        room *= 2
    ports.m = m
    ports.events = events
    ports.count = <int32_t>(m.chip.multiprocessors * ports_of_each(m))
    ports.port = <Port *>calloc(<size_t>ports.count, sizeof(Port))
    if ports.port == NULL:
        raise MemoryError("ports of the network")
    for i in range(ports.count):
        ports.port[i].room = <int32_t>room
        ports.port[i].next_waiter = -1
        ports.port[i].ring = <Request *>arena_room(arena, <size_t>room * sizeof(Request))
        if ports.port[i].ring == NULL:
            raise MemoryError("ports of the network")
    return 0


cdef void ports_close(Ports *ports) noexcept nogil:
    """Free what `ports_open` took beside the arena, complete or not."""
    free(ports.port)
    ports.port = NULL


cdef void port_send(Ports *ports, int32_t sm, const Request *request) noexcept nogil:
    """Send a request of a multiprocessor to its port, by way of what lies between."""
    if ports.m.interconnect.store_ports and moves_data_in(request):
        sm += <int32_t>ports.m.chip.multiprocessors
    if ports.stage != NULL:
        ports.stage.take(ports.stage, sm, request)
    else:
        port_take(ports, sm, request)
