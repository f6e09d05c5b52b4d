"""Optional components between the multiprocessors and their ports into the network: requests go through them, in the order in which they are listed.

A component is one module with a function that opens it: it gives a `Stage`, whose state is NULL on a machine that has no such component. Its `take` gets
every request that multiprocessors send (what L1 lacks, stores, atomic operations), and sends it on by `stage_pass`, at once or in an event of its own, which
comes in order of time like any other of the network. So results do not depend on when multiprocessors hand over requests.
"""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.port cimport Ports, Stage
from archdef.engine.translation cimport translation_open


cdef int stages_open(Stages *all_, Ports *ports, int32_t unit) except -1:
    """Open the components that the machine has; their events are numbered from `unit` on."""
    all_.unit = unit
    _list(all_, ports, translation_open(ports))
    ports.stage = all_.listed if all_.count else NULL
    return 0


cdef int _list(Stages *all_, Ports *ports, Stage stage) except -1:
    if stage.state == NULL:
        return 0
    stage.ports = ports
    stage.behind = NULL
    stage.unit = all_.unit + all_.units
    all_.listed[all_.count] = stage
    if all_.count:
        all_.listed[all_.count - 1].behind = all_.listed + all_.count
    all_.count += 1
    all_.units += stage.units
    return 0


cdef void stages_close(Stages *all_) noexcept nogil:
    cdef int32_t i
    for i in range(all_.count):
        all_.listed[i].close(all_.listed[i].state)
    all_.count = 0


cdef void stages_event(Stages *all_, int32_t unit, int64_t now_fs) noexcept nogil:
    """Something happens in one of the components."""
    cdef Stage *stage = all_.listed
    while unit >= stage.unit + stage.units:
        stage += 1
    stage.event(stage, unit - stage.unit, now_fs)


cdef dict stages_counted(const Stages *all_):
    """Counters of the components, by their names."""
    cdef int32_t i
    found = {}
    for i in range(all_.count):
        name, counters = all_.listed[i].counted(all_.listed + i)
        found[name] = counters
    return found
