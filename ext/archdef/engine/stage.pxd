"""Optional components between the multiprocessors and their ports into the network: where they are listed."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.port cimport Ports, Stage

cdef struct Stages:
    int32_t count
    int32_t unit             # the first of their events, among all of the network …
    int32_t units            # … and how many there are
    Stage listed[4]

cdef int stages_open(Stages *all_, Ports *ports, int32_t unit) except -1
cdef void stages_close(Stages *all_) noexcept nogil
cdef void stages_event(Stages *all_, int32_t unit, int64_t now_fs) noexcept nogil
cdef dict stages_counted(const Stages *all_)
