"""Memory behind a link: of the host, or of other devices. Requests go there from the crossbar, past L2 and DRAM.

A link carries both directions at a time, each first come first served. A read sends its head one way, waits for the latency of the way there and back,
and occupies the other direction by a head and the aligned pieces that hold what it wants. A store occupies the way out only. As many reads and atomic
operations as the link allows wait for answers at a time; a further one sets out when the one that many before it has its answer. All times follow when
a request comes, so that a link has no events.

Atomic operations are carried out where the memory is, or by the device, which reads what they change and writes it back: operations on one word
follow each other, each by its time there, or by the way there and back.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.arena cimport Arena, arena_zeroed
from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.crossbar cimport Crossbar, crossbar_landed
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport LINK_ACCESSES_ATOMICS_DEVICE
from archdef.engine.port cimport RQ_ATOMIC, RQ_WRITE, Request


cdef void remote_open(Remote *x, const MachineTable *m, uint64_t first, uint64_t bytes, uint64_t host, Arena *arena, int32_t *failed) noexcept:
    """Say whose memory addresses are: the device's own from `first` on, the host's from `host` on, those of other devices else."""
    x.m = m
    x.first = first
    x.bytes = bytes
    x.host = host
    x.arena = arena
    x.failed = failed
    x.to_host.table = &m.host_link.mapped
    x.to_peers.table = &m.host_link.peer


cdef bint _ready(Remote *x, RemoteLink *link) noexcept nogil:
    """Let a link remember answers: few launches use one. False: the host has no memory for that."""
    if link.answered_fs == NULL:
        link.answered_fs = <int64_t *>arena_zeroed(x.arena, <size_t>link.table.requests_in_flight * sizeof(int64_t))
        if link.answered_fs == NULL:
            x.failed[0] = 1
            return False
    return True


cdef inline int64_t _pieces(const Request *r, int64_t piece) noexcept nogil:
    """How many aligned pieces of so many bytes hold what a request moves."""
    cdef uint32_t left = r.sectors
    cdef int64_t found = 0, sector_bytes
    cdef uint64_t at, last = ~<uint64_t>0
    if left & (left - 1) == 0:      # its bytes lie together
        return <int64_t>((r.address + r.bytes - 1) // <uint64_t>piece - r.address // <uint64_t>piece) + 1
    sector_bytes = <int64_t>r.bytes // count_bits(left)
    while left:
        at = (r.line + <uint64_t>(lowest_bit(left) * sector_bytes)) // <uint64_t>piece
        found += max(sector_bytes // piece, 1) if at != last else 0
        last = at
        left &= left - 1
    return found


cdef inline int64_t _leave(RemoteLink *link, int64_t bytes, int64_t time_fs) noexcept nogil:
    """When bytes, and a head, that come to a link at a time are through, on their way out."""
    link.out_free_fs = max(link.out_free_fs, time_fs) + (bytes + link.table.header_bytes) * link.table.write_byte_fs
    return link.out_free_fs


cdef inline int64_t _answer(RemoteLink *link, int64_t bytes, int64_t time_fs) noexcept nogil:
    """When the answer is there to what sets out at a time, or as soon as one of those in flight has its own."""
    cdef int64_t *answered = link.answered_fs + link.next
    link.next = link.next + 1 if link.next + 1 < link.table.requests_in_flight else 0
    link.in_free_fs = max(max(time_fs, answered[0]) + link.table.latency_fs, link.in_free_fs) + (bytes + link.table.header_bytes) * link.table.read_byte_fs
    answered[0] = link.in_free_fs
    return link.in_free_fs


cdef int64_t _store(RemoteLink *link, const Request *r, int64_t time_fs) noexcept nogil:
    """When a store has landed. Sectors that it writes in part travel each by itself."""
    cdef int64_t piece = link.table.granule_bytes, pieces = _pieces(r, piece), packets = 1, _i
    if r.covered and r.covered < r.bytes:
        packets = pieces = max(count_bits(r.sectors), 1)
    link.counters.writes += packets
    link.counters.bytes_written += pieces * piece
    for _i in range(packets):
        time_fs = _leave(link, pieces // packets * piece, time_fs)
    return time_fs + link.table.latency_fs // 2


cdef int64_t _load(RemoteLink *link, const Request *r, int64_t time_fs) noexcept nogil:
    """When what a read wants is there."""
    cdef int64_t bytes = _pieces(r, link.table.granule_bytes) * link.table.granule_bytes
    link.counters.reads += 1
    link.counters.bytes_read += bytes
    return _answer(link, bytes, _leave(link, 0, time_fs))


cdef int64_t _operate(Remote *x, RemoteLink *link, const Request *r, int64_t time_fs) noexcept nogil:
    """When the answer to atomic operations is there, which follow those before them on the word that most of them are on."""
    cdef SerialWord *word = link.words + (r.address >> 2) % SERIAL_WORDS
    cdef int64_t bytes = _pieces(r, link.table.granule_bytes) * link.table.granule_bytes, times = max(<int64_t>r.serial, 1), done_fs
    cdef bint by_device = link.table.atomics == LINK_ACCESSES_ATOMICS_DEVICE
    if word.address == r.address:
        time_fs = max(time_fs, word.free_fs)
    word.address = r.address
    if by_device:           # each is read, and written back
        link.counters.reads += times
        link.counters.writes += times
        link.counters.bytes_read += times * bytes
        link.counters.bytes_written += times * bytes
        bytes = times * bytes + (times - 1) * link.table.header_bytes
        done_fs = _answer(link, bytes, _leave(link, 0, time_fs)) + (times - 1) * link.table.latency_fs
        _leave(link, bytes, time_fs)
        word.free_fs = done_fs
        return done_fs
    link.counters.reads += 1
    link.counters.bytes_written += bytes * r.operands
    link.counters.bytes_read += bytes if r.returns else 0
    word.free_fs = time_fs + times * r.weight * x.m.load_store.atomic_fs // 8
    return _answer(link, bytes if r.returns else 0, max(_leave(link, bytes * r.operands, time_fs), word.free_fs))


cdef int64_t remote_serve(Remote *x, Crossbar *crossbar, int32_t sm, const Request *r, int64_t time_fs) noexcept nogil:
    """A request for memory behind a link comes to it. Gives when the data that it asked for are at the crossbar, or those that it brought in their place."""
    cdef RemoteLink *link = &x.to_host if r.address >= x.host else &x.to_peers
    cdef LinkCounters before = link.counters
    cdef int64_t done_fs
    if not _ready(x, link):
        return time_fs
    if r.kind == RQ_WRITE:
        done_fs = _store(link, r, time_fs)
        crossbar_landed(crossbar, sm, r.slot, <int32_t>r.bytes, done_fs)
    elif r.kind == RQ_ATOMIC:
        done_fs = _operate(x, link, r, time_fs)
    else:
        done_fs = _load(link, r, time_fs)
    link.counters.wait_fs += done_fs - time_fs
    if r.statement != NULL:
        r.statement.link_bytes_read += link.counters.bytes_read - before.bytes_read
        r.statement.link_bytes_written += link.counters.bytes_written - before.bytes_written
    return done_fs
