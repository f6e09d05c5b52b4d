"""Ports of the multiprocessors into the network: requests leave in order, and ports wait for each other."""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.clock cimport NEVER
from archdef.engine.counters cimport StatementCounters
from archdef.engine.machine cimport MachineTable
from archdef.engine.tournament cimport Tournament, tournament_decrease_key, tournament_set

cpdef enum RequestKind:
    RQ_READ = 0
    RQ_WRITE = 1
    RQ_ATOMIC = 2
    RQ_TEXTURE = 3           # a read that may use another second cache

cdef struct Request:
    int64_t time_fs          # earliest time at the port
    uint64_t address         # first byte moved
    uint64_t line            # first byte of the line that `sectors` counts from
    uint32_t bytes
    int32_t slot             # MSHR of the multiprocessor; a store: number of its launch
    uint8_t kind             # RequestKind
    uint8_t returns          # atomics: 1 if somebody wants old values
    uint16_t sectors
    uint8_t weight           # atomics: of an operation on the most used address, in eighths
    uint8_t operands         # … values that each lane sends
    uint16_t covered         # bytes that it writes, as many as lanes of a warp can write of a line; 0: all that it moves
    int16_t serial           # atomics: operations on the most used address
    int16_t apart            # … sectors that are counted besides, because operations on one word travel apart
    int32_t record           # number plus 1 of its record, on from `RequestTrace.before`, 0: none; beside what is constant in most, it takes no store
    StatementCounters *counters  # of what asks the cluster's texture cache, else NULL
    StatementCounters *statement  # of the one that it is of; NULL: of none

cdef struct Port:            # of one multiprocessor, or of its stores: requests leave in order
    Request *ring
    int32_t room             # power of two
    int32_t head
    int32_t count
    int32_t next_waiter      # port that waits behind this one in the same queue, -1: none
    int32_t called           # 1: it has waited for a slice, and may go
    int64_t free_fs

cdef struct PortQueue:       # ports that wait for the same thing, first come first served
    int32_t first            # -1: none
    int32_t last

cdef struct Ports
cdef struct Stage:           # an optional component that requests go through before their port; see stage.pyx
    void *state              # NULL: the machine has no such component
    void (*take)(Stage *stage, int32_t unit, const Request *request) noexcept nogil     # a request for a port, from `request.time_fs` on
    void (*event)(Stage *stage, int32_t which, int64_t now_fs) noexcept nogil
    object (*counted)(const Stage *stage)       # its counters, as numpy sees them
    void (*close)(void *state) noexcept nogil
    Stage *behind            # where its requests go next; NULL: to the ports
    Ports *ports
    int32_t units            # events of its own …
    int32_t unit             # … and the first one's number among all of the network

cdef struct Ports:
    Port *port               # of the multiprocessors, then, where there are such, those of their stores
    int32_t count
    Tournament *events       # in which a port's event is that it sends its head request
    Stage *stage             # the first that requests go through; NULL: there is none
    const MachineTable *m

cdef inline bint moves_data_in(const Request *r) noexcept nogil:
    """Whether it is a store or an atomic operation."""
    return r.kind == RQ_WRITE or r.kind == RQ_ATOMIC

cdef inline int32_t owner_of(const Ports *ports, int32_t unit) noexcept nogil:
    """The multiprocessor of a port."""
    return unit if unit < ports.m.chip.multiprocessors else <int32_t>(unit - ports.m.chip.multiprocessors)

cdef inline void port_next(Ports *ports, int32_t unit, int64_t now_fs) noexcept nogil:
    """The head request of a port has left; one that a cache of the cluster answered has not held the port, and the next may be long due."""
    cdef Port *port = ports.port + unit
    port.head = (port.head + 1) & (port.room - 1)
    port.count -= 1
    if port.count:
        tournament_set(ports.events, unit, max(now_fs, max(port.ring[port.head].time_fs, port.free_fs)))
    else:
        tournament_set(ports.events, unit, NEVER)

cdef inline void port_wait(Ports *ports, int32_t unit, PortQueue *queue) noexcept nogil:
    """Let a port wait behind all others of a queue."""
    ports.port[unit].next_waiter = -1
    if queue.first < 0:
        queue.first = unit
    else:
        ports.port[queue.last].next_waiter = unit
    queue.last = unit
    tournament_set(ports.events, unit, NEVER)

cdef inline int32_t port_wake(Ports *ports, PortQueue *queue, int64_t now_fs) noexcept nogil:
    """Let the first port of a queue, in which there is one, try again. Gives which."""
    cdef int32_t unit = queue.first
    queue.first = ports.port[unit].next_waiter
    tournament_decrease_key(ports.events, unit, max(now_fs, ports.port[unit].free_fs))
    return unit

cdef inline int32_t ports_of_each(const MachineTable *m) noexcept nogil:
    """Ports of a multiprocessor."""
    return 2 if m.interconnect.store_ports else 1

cdef inline void port_take(Ports *ports, int32_t unit, const Request *request) noexcept nogil:
    """Append a request to a port. Credits keep the ring from overflowing."""
    cdef Port *port = ports.port + unit
    if port.count == 0:
        port.head = 0       # where the host's cache still has it
    port.ring[(port.head + port.count) & (port.room - 1)] = request[0]
    port.count += 1
    if port.count == 1:
        tournament_decrease_key(ports.events, unit, max(request.time_fs, port.free_fs))

cdef inline void stage_pass(Stage *stage, int32_t unit, const Request *request) noexcept nogil:
    """Send a request on, to the stage behind or to its port, at `request.time_fs`."""
    if stage.behind != NULL:
        stage.behind.take(stage.behind, unit, request)
    else:
        port_take(stage.ports, unit, request)

cdef int ports_open(Ports *ports, const MachineTable *m, Tournament *events, Arena *arena) except -1
cdef void ports_close(Ports *ports) noexcept nogil
cdef void port_send(Ports *ports, int32_t sm, const Request *request) noexcept nogil
