"""Memory behind a link: of the host, or of other devices. Requests go there from the crossbar, past L2 and DRAM."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.crossbar cimport Crossbar
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport GLOBAL_BASE, LOCAL_PHYSICAL
from archdef.engine.parameters cimport LinkAccessesParameters
from archdef.engine.port cimport Request

cdef enum:
    SERIAL_WORDS = 64        # of those on which atomic operations were carried out last, as many as are remembered of a link

cdef struct SerialWord:
    uint64_t address
    int64_t free_fs          # when the next operation on it can begin

cdef struct LinkCounters:
    int64_t reads            # requests that wait for an answer, atomic operations among them
    int64_t writes           # requests that do not
    int64_t bytes_read       # that came to the device: whole pieces, without heads …
    int64_t bytes_written    # … and that left it
    int64_t wait_fs          # from when each request came to the link to when it was served, in sum

cdef struct RemoteLink:
    const LinkAccessesParameters *table
    int64_t in_free_fs       # until when data come to the device …
    int64_t out_free_fs      # … and leave it
    int64_t *answered_fs     # [request modulo those that can be in flight]: when the latest had their answers; NULL: there was none yet
    int64_t next             # of these
    SerialWord words[SERIAL_WORDS]  # each at one place, by its address
    LinkCounters counters

cdef struct Remote:
    const MachineTable *m
    uint64_t first           # address of the first byte of the device's own memory …
    uint64_t bytes           # … and for how many bytes addresses are its own
    uint64_t host            # the first address of the host's memory; others are those of other devices
    RemoteLink to_host
    RemoteLink to_peers
    Arena *arena
    int32_t *failed          # set where the host has no memory for it

cdef inline bint is_remote(const Remote *x, uint64_t address) noexcept nogil:
    """Whether a byte lies in memory behind a link. Private memory of threads is the device's, too."""
    return address - x.first >= x.bytes and address - <uint64_t>GLOBAL_BASE < <uint64_t>LOCAL_PHYSICAL - <uint64_t>GLOBAL_BASE

cdef void remote_open(Remote *x, const MachineTable *m, uint64_t first, uint64_t bytes, uint64_t host, Arena *arena, int32_t *failed) noexcept
cdef int64_t remote_serve(Remote *x, Crossbar *crossbar, int32_t sm, const Request *r, int64_t time_fs) noexcept nogil
