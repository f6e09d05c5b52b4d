"""Where an address is served: its partition, the slice through whose ports it goes, and how far that is.

The chip has `l2_partitions` equal parts. A multiprocessor asks the slice in its own L2 partition for what it reads; what it stores or operates on goes to the
slice at which the line is at home. `through`, of a request, is that slice, and above it by how many L2 partitions the line's home is further on.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.arena cimport Arena
from archdef.engine.bits cimport lowest_bit
from archdef.engine.machine cimport MachineTable
from archdef.engine.placement cimport Placement, PlacementCounters, placed_partition
from archdef.engine.policy cimport Hook, ask_partition
from archdef.engine.port cimport RQ_READ, RQ_TEXTURE, Request

cdef enum:
    PARITY_BYTES = 5         # of an address, over which a parity may go
    SLICE_BITS = 16          # of `through`

cdef struct Routing:
    const MachineTable *m
    int64_t slots            # in-flight reads of a multiprocessor
    int32_t *l2_partition    # [partition or slice]: in which L2 partition it lies …
    int32_t *sm_l2_partition  # … and each multiprocessor
    int32_t each             # partitions of an L2 partition
    uint32_t *parities       # [byte of an address][its value]: see `archdef.spec.ParityHash`; NULL: partitions are slices …
    int32_t *through         # … and [sm * slots + slot]: see above; written when a request leaves
    Placement *placement     # of a plugin that places pages, NULL: none does …
    PlacementCounters *placed  # … and [sm] what it is counted of

cdef inline int32_t slice_of(int32_t through) noexcept nogil:
    return through & ((1 << SLICE_BITS) - 1)

cdef inline int32_t in_l2_partition(const Routing *r, int32_t which, int32_t l2_partition) noexcept nogil:
    """The partition, or slice, at the same place of an L2 partition."""
    return l2_partition * r.each + which % r.each

cdef inline int32_t l2_partitions_apart(const Routing *r, int64_t sm, int64_t which) noexcept nogil:
    """By how many L2 partitions a multiprocessor is further on than a partition, 0: it is near."""
    cdef int32_t apart = r.sm_l2_partition[sm] - r.l2_partition[which]
    return apart + <int32_t>r.m.interconnect.l2_partitions.count if apart < 0 else apart

cdef inline int32_t home_distance(const Routing *r, int64_t sm, int64_t which, int32_t through) noexcept nogil:
    """By how many L2 partitions a multiprocessor is further on than the home of a line of a partition, 0: it is near."""
    if r.m.interconnect.l2_partitions.count < 2:
        return 0
    return l2_partitions_apart(r, sm, which) if r.parities == NULL else through >> SLICE_BITS

cdef inline int32_t home_slice(const Routing *r, uint64_t address) noexcept nogil:
    """The slice of a byte: see `archdef.spec.ParityHash`."""
    cdef const MachineTable *m = r.m
    cdef int64_t parts = m.interconnect.slices.map.parts, low = m.interconnect.slices.map.parities - parts
    cdef uint64_t count = <uint64_t>m.dram.partitions >> parts
    cdef uint32_t found = 0
    cdef int i
    for i in range(1, PARITY_BYTES):
        found ^= r.parities[256 * i + <int>(address >> 8 * i & 255)]
    if m.dram.interleave_bytes < 256:
        found ^= r.parities[<int>(address & 255)]
    return <int32_t>((found >> low) * count + (address >> m.interconnect.slices.map.high_bit << low | found & ((<uint64_t>1 << low) - 1)) % count)

cdef inline int32_t route(const Routing *r, int32_t sm, const Request *request, int32_t which) noexcept nogil:
    """Which slice serves a request of a partition: reads the near L2 partition's, stores and atomic operations the line's home."""
    cdef int32_t home = home_slice(r, request.address)
    if r.placement != NULL:
        home = in_l2_partition(r, home, r.l2_partition[which])
    cdef int32_t apart = l2_partitions_apart(r, sm, home)
    if apart == 0:
        return home
    return (in_l2_partition(r, home, r.sm_l2_partition[sm]) if request.kind == RQ_READ or request.kind == RQ_TEXTURE else home) | apart << SLICE_BITS

cdef inline int64_t partition_of(const Routing *r, int32_t sm, uint64_t address, uint64_t *local) noexcept nogil:
    """The partition that owns a byte for which a multiprocessor asks, and the byte's address inside it."""
    cdef const MachineTable *m = r.m
    cdef int shift = lowest_bit(<uint64_t>m.dram.interleave_bytes)        # a power of two: a division takes as long as the rest
    cdef uint64_t unit = address >> shift
    cdef uint64_t count = <uint64_t>m.dram.partitions, turn = unit // count, round_ = turn
    cdef int i
    local[0] = round_ << shift | address & <uint64_t>(m.dram.interleave_bytes - 1)
    if m.dram.partition_hook:
        if r.placement != NULL:
            return placed_partition(r.placement, sm, r.sm_l2_partition[sm], address, local)
        return ask_partition(<Hook *><size_t>m.dram.partition_hook, address, m.dram.interleave_bytes, m.dram.partitions)
    if m.dram.partition_xor:
        for i in range(8):
            if m.dram.partition_shifts[i] == 0:
                break
            turn ^= round_ >> m.dram.partition_shifts[i]
        unit += turn
    return <int64_t>(unit % count)

cdef int route_open(Routing *r, const MachineTable *m, int64_t slots, Arena *arena) except -1
cdef void route_close(Routing *r) noexcept nogil
