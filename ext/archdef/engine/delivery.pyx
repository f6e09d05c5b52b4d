"""Which blocks of a cluster a bulk copy goes to, and which mbarriers count it.

It goes to the block that its address names, or, as a multicast, to all whose ranks a mask has, at the same offset in the shared memory of
each; the mbarrier that counts it then is at one offset in each of them, too.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from archdef.engine.bits cimport lowest_bit
from archdef.engine.block_cluster cimport OFFSET_BITS, OFFSET_MASK, cluster_post, cluster_reach, is_remote, own_address
from archdef.engine.copying cimport BulkCopy
from archdef.engine.fault_code cimport FAULT_ALIGNMENT, FAULT_BOUNDS
from archdef.engine.in_flight cimport Load
from archdef.engine.guest cimport guest_fault
from archdef.engine.launch cimport Block, Warp
from archdef.engine.mbarrier cimport phase_complete
from archdef.engine.memory cimport CLUSTER_FIRST
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport MB_COMPLETE

cdef enum:
    BARRIER_BYTES = 8


cdef int _refuse(SmCore *sm, const Warp *w, int code, int lane, uint64_t address, int64_t bytes) noexcept nogil:
    """Record a fault at an address; `bytes`: what would have been reached, or what it must be a multiple of."""
    if sm.fault.code == 0:
        sm.fault.detail[0] = <uint64_t>bytes
    return guest_fault(sm, w, code, lane, address)


cdef inline uint32_t _of_rank(uint32_t rank, uint32_t offset) noexcept nogil:
    """Give the address that names a block of the cluster."""
    return <uint32_t>CLUSTER_FIRST + (rank << OFFSET_BITS) + offset


cdef int receivers(SmCore *sm, const Warp *w, int lane, uint32_t address, int64_t bytes, int64_t mask, Receivers *found) noexcept nogil:
    """Find the blocks that `bytes` at an address of shared memory go to: those of the mask, or ONE_BLOCK. Returns -1 after a fault."""
    cdef Block *own = sm.blocks + w.block
    cdef Block *b = own
    cdef int64_t room = w.launch.shared_bytes
    cdef uint32_t rank
    found.address = own_address(w.launch, own, address)
    found.offset = <uint32_t>found.address
    if is_remote(w.launch, own, found.address):
        found.offset &= OFFSET_MASK
        rank = (address - <uint32_t>CLUSTER_FIRST) >> OFFSET_BITS
        if mask < 0 or rank >= <uint32_t>w.launch.cluster_blocks:      # a multicast takes the offset only
            b = cluster_reach(sm, w, lane, address, bytes)
            if b == NULL:
                return -1
    if bytes > room or found.offset > room - bytes:
        return _refuse(sm, w, FAULT_BOUNDS, lane, found.address, bytes)
    found.ranks = 0
    found.count = 1
    found.memory[0] = b.shared
    if mask < 0:
        return 0
    found.ranks = <uint32_t>mask
    found.count = 0
    while mask:
        rank = <uint32_t>lowest_bit(<uint64_t>mask)
        mask &= mask - 1
        b = own if rank == <uint32_t>own.cluster_rank else cluster_reach(sm, w, lane, _of_rank(rank, found.offset), bytes)
        if b == NULL:
            return -1
        found.memory[found.count] = b.shared
        found.count += 1
    return 0


cdef int receivers_barrier(SmCore *sm, const Warp *w, int lane, uint32_t address, int64_t mask, BulkCopy *copy) noexcept nogil:
    """Find the mbarriers that count a copy, and note them with it. Returns -1 after a fault."""
    cdef Receivers found
    if address & (BARRIER_BYTES - 1):
        return _refuse(sm, w, FAULT_ALIGNMENT, lane, address, BARRIER_BYTES)
    if receivers(sm, w, lane, address, BARRIER_BYTES, mask, &found) < 0:
        return -1
    copy.ranks = found.ranks
    copy.barrier = <int64_t>found.address if mask < 0 else <int64_t>found.offset if mask else -1
    return 0


cdef inline void _count(SmCore *sm, const Warp *w, uint32_t offset, uint32_t bytes) noexcept nogil:
    """Let an mbarrier of the block itself count bytes."""
    cdef char *place = sm.blocks[w.block].shared + offset
    cdef uint64_t word
    memcpy(&word, place, BARRIER_BYTES)
    word = phase_complete(word, bytes)
    memcpy(place, &word, BARRIER_BYTES)


cdef void delivered(SmCore *sm, const Load *load) noexcept nogil:
    """A copy's last byte has arrived: its mbarriers count it, those of other blocks when the message has come there."""
    cdef Warp *w = sm.warps + load.warp
    cdef uint32_t ranks = load.ranks, rank
    cdef int64_t there = sm.now + w.launch.m.block_clusters.latency_cycles
    if load.barrier < 0:
        return
    if ranks == 0 and load.barrier >= CLUSTER_FIRST:
        cluster_post(sm, w, load.op, 0, <uint32_t>load.barrier, MB_COMPLETE, load.bytes, there)
    elif ranks == 0:
        _count(sm, w, <uint32_t>load.barrier, load.bytes)
    while ranks:
        rank = <uint32_t>lowest_bit(ranks)
        ranks &= ranks - 1
        if rank == <uint32_t>sm.blocks[w.block].cluster_rank:
            _count(sm, w, <uint32_t>load.barrier, load.bytes)
        else:
            cluster_post(sm, w, load.op, 0, _of_rank(rank, <uint32_t>load.barrier), MB_COMPLETE, load.bytes, there)
