"""The unit of a slice that carries out atomic operations: what they send and bring back, and for how long they hold it."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.port cimport Request

cdef struct AtomicUnit:
    int64_t free_fs
    uint64_t word            # that it operated on last

cdef inline bint atomic_single(const Request *r) noexcept nogil:
    """Whether an atomic operation is on one word."""
    return 0 < r.covered <= 8

cdef inline int64_t atomic_data(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of the packets of an atomic request, beyond its multiprocessor: a single word fits beside its mask."""
    if atomic_single(r) and m.interconnect.mask_bytes:
        return (1 + r.apart) * m.interconnect.mask_bytes
    return (1 + r.apart) * m.interconnect.mask_bytes + (r.bytes + r.apart * m.caches.l2.sector_bytes) * r.operands

cdef inline int64_t atomic_answer(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of the old values that an atomic request brings back: of operations on one word, each by itself."""
    if not r.returns:
        return 0
    return (1 + r.apart) * m.interconnect.mask_bytes if atomic_single(r) and m.interconnect.mask_bytes else r.bytes + r.apart * m.caches.l2.sector_bytes

cdef inline int64_t atomic_packet(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of an atomic request. Where packets have masks, a single word fits beside one, and operations on one word travel apart."""
    if m.interconnect.mask_bytes == 0:
        return m.interconnect.header_bytes + <int64_t>r.bytes * r.operands
    if atomic_single(r) or m.interconnect.sector_mask_bytes == 0:
        return (1 + r.apart) * m.interconnect.header_bytes + atomic_data(m, r)
    return (1 + r.apart) * m.interconnect.header_bytes + (r.bytes + r.apart * m.caches.l2.sector_bytes) * r.operands + (
        r.bytes // m.caches.l2.sector_bytes + r.apart) * m.interconnect.sector_mask_bytes

cdef inline int32_t atomic_work(const MachineTable *m, AtomicUnit *unit, const Request *r, int32_t sectors) noexcept nogil:
    """What a request asks of the atomic unit, in sixteenths: of its operations on one address after the other, or of its sectors.

    A single operation waits for none on its address, unless that was the last one here and such operations take longer than others. Sectors
    all of whose words are operated on, or for whose words two values come, take a time of their own.
    """
    cdef bint alone = r.serial == 1 and (r.weight <= 8 or r.address != unit.word)
    cdef int32_t of_sector = 16
    if not atomic_single(r) and (r.operands > 1 or r.covered == 0 or r.covered >= r.bytes):
        of_sector = r.operands * <int32_t>m.load_store.atomic_sector_16ths
    unit.word = r.address
    return max(0 if alone else <int32_t>r.serial * r.weight << 1, (sectors + r.apart) * of_sector)

cdef inline int64_t atomic_hold(AtomicUnit *unit, int64_t time_fs, int64_t takes_fs) noexcept nogil:
    """When a partition has read, changed and written something that it could begin at a time."""
    unit.free_fs = max(unit.free_fs, time_fs) + takes_fs
    return unit.free_fs
