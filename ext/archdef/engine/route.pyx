"""Where an address is served: its partition, the slice through whose ports it goes, and how far that is."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from archdef.engine.arena cimport Arena, arena_room
from archdef.engine.bits cimport count_bits
from archdef.engine.machine cimport MachineTable
from archdef.engine.placement cimport PlacementCounters


cdef int route_open(Routing *r, const MachineTable *m, int64_t slots, Arena *arena) except -1:
    """Say in which L2 partition everything lies, and write down, for every value of each byte of an address, the parities that it gives."""
    cdef int64_t i, k, l2_partitions = m.interconnect.l2_partitions.count
    r.m = m
    r.slots = slots
    r.each = <int32_t>(m.dram.partitions // l2_partitions)
    r.l2_partition = <int32_t *>calloc(<size_t>m.dram.partitions, sizeof(int32_t))
    r.sm_l2_partition = <int32_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int32_t))
    if r.l2_partition == NULL or r.sm_l2_partition == NULL:
        raise MemoryError("L2 partitions of the chip")
    for i in range(m.dram.partitions):
        r.l2_partition[i] = <int32_t>(i * l2_partitions // m.dram.partitions)
    for i in range(m.chip.multiprocessors):
        r.sm_l2_partition[i] = <int32_t>(i * l2_partitions // m.chip.multiprocessors)
    if m.dram.page_bytes:
        r.placed = <PlacementCounters *>calloc(<size_t>m.chip.multiprocessors, sizeof(PlacementCounters))
        if r.placed == NULL:
            raise MemoryError("counters of pages")
    if m.interconnect.slices.map.parities == 0 or m.dram.partitions & ((1 << m.interconnect.slices.map.parts) - 1):
        return 0
    r.parities = <uint32_t *>calloc(PARITY_BYTES * 256, sizeof(uint32_t))
    r.through = <int32_t *>arena_room(arena, <size_t>(m.chip.multiprocessors * slots) * sizeof(int32_t))
    if r.parities == NULL or r.through == NULL:
        raise MemoryError("map of the slices")
    for i in range(PARITY_BYTES * 256):
        for k in range(m.interconnect.slices.map.parities):
            r.parities[i] |= <uint32_t>(
                count_bits(<uint64_t>m.interconnect.slices.map.masks[k] >> 8 * (i >> 8) & <uint64_t>(i & 255)) & 1) << k
    return 0


cdef void route_close(Routing *r) noexcept nogil:
    free(r.l2_partition)
    free(r.sm_l2_partition)
    free(r.parities)
    free(r.placed)
    r.l2_partition = r.sm_l2_partition = r.through = NULL
    r.parities = NULL
    r.placed = NULL
