"""Host memory of resident blocks, taken as they start and used again."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free

from archdef.engine.arena cimport arena_room
from archdef.engine.block_memory cimport BlockLayout, BlockStorage, BlockStoragePool
from archdef.engine.copying cimport Copies
from archdef.engine.divergence cimport Frame, Split
from archdef.engine.frames cimport STACK_FRAMES
from archdef.engine.launch cimport Launch, Warp

cdef extern from "archdef/engine/pages.h" nogil:
    void *pages_take(size_t alignment, size_t bytes)

cdef enum:
    LINE = 64
    SMALLEST = 1024
    FIRST_SLAB = 65536           # in the session's own memory, up to
    SLAB = 1048576               # in all; each of the others is as large as all before it together,
    LARGEST_SLAB = 33554432      # up to this


# ------------------------------------------------------------------------------------------------------------ blocks
cdef int64_t _after(int64_t *end, int64_t bytes) noexcept nogil:
    """Put a part behind the others, at a cache line of its own; gives where it starts."""
    cdef int64_t start = end[0]
    end[0] += (bytes + LINE - 1) // LINE * LINE
    return start


cdef int64_t _class(int64_t needed, int32_t *kind) noexcept nogil:
    """The class of size that holds so many bytes, and how many it has."""
    cdef int64_t bytes_ = SMALLEST
    kind[0] = 0
    while bytes_ < needed:
        kind[0] += 1
        bytes_ = (<int64_t>SMALLEST << kind[0] // 4) // 4 * (4 + kind[0] % 4)
    return bytes_


cdef void block_storage_plan(Launch *launch) noexcept nogil:
    """Lay out the memory of one block."""
    cdef BlockLayout *storage = &launch.block_layout
    cdef int64_t warps = launch.block_warps, end = LINE, apart = LINE
    storage.row_bytes = ((launch.rows + 1) * launch.pitch + LINE - 1) // LINE * LINE
    storage.slots = _after(&end, warps * <int64_t>sizeof(int32_t))
    storage.ready = _after(&end, warps * (launch.rows + launch.predicates) * <int64_t>sizeof(int64_t))
    storage.predicates = _after(&end, warps * launch.predicates * <int64_t>sizeof(uint64_t))
    storage.rows = _after(&end, warps * storage.row_bytes)
    storage.shared = _after(&end, launch.shared_bytes + LONGEST_LOAD)        # one that begins in the last word may go on behind it
    storage.bytes = _class(end, &storage.kind)
    # what few warps touch lies apart: between the rest it would leave most sets of the host's cache to itself
    storage.errors = _after(&apart, warps * launch.lanes * <int64_t>sizeof(int32_t))
    storage.copies = _after(&apart, warps * <int64_t>sizeof(Copies))
    storage.stacks = _after(&apart, warps * STACK_FRAMES * <int64_t>sizeof(Frame))
    storage.splits = _after(&apart, warps * launch.lanes * <int64_t>sizeof(Split) if launch.m.warp.independent_lanes else 0)
    storage.local = _after(&apart, warps * launch.lanes * launch.local_bytes + 8)
    storage.bytes_apart = _class(apart, &storage.kind_apart)


cdef int _more(BlockStoragePool *pool, int32_t kind, int64_t bytes_) noexcept nogil:
    """Take a piece of host memory that holds several of a class. Returns -1 if there is none."""
    cdef bint first = pool.slab_bytes < SLAB
    cdef int64_t wanted = <int64_t>FIRST_SLAB if first else min(pool.slab_bytes, <int64_t>LARGEST_SLAB)
    cdef int64_t count = max((wanted - LINE) // bytes_, 1), i
    cdef char *slab
    cdef BlockStorage *made
    if kind >= STORAGE_CLASSES:
        return -1
    if first:
        slab = <char *>arena_room(pool.arena, <size_t>(LINE + count * bytes_))
    else:
        slab = <char *>pages_take(LINE, <size_t>(LINE + count * bytes_))
    if slab == NULL:
        return -1
    pool.slab_bytes += LINE + count * bytes_
    if not first:
        (<BlockStorage *>slab).next = pool.slabs
        pool.slabs = <BlockStorage *>slab
    for i in range(count - 1, -1, -1):
        made = <BlockStorage *>(slab + LINE + i * bytes_)
        made.next = pool.free[kind]
        pool.free[kind] = made
    return 0


cdef BlockStorage *_take(BlockStoragePool *pool, int32_t kind, int64_t bytes_) noexcept nogil:
    """Memory of one class, of an ended block if there is any; NULL: the host has none."""
    cdef BlockStorage *taken
    if pool.free[kind % STORAGE_CLASSES] == NULL and _more(pool, kind, bytes_) < 0:
        return NULL
    taken = pool.free[kind]
    pool.free[kind] = taken.next
    return taken


cdef void _give(BlockStoragePool *pool, int32_t kind, BlockStorage *given) noexcept nogil:
    given.next = pool.free[kind]
    pool.free[kind] = given


cdef BlockStorage *block_storage_take(BlockStoragePool *pool, Launch *launch) noexcept nogil:
    """Memory for one block; NULL: the host has none."""
    cdef BlockStorage *storage = _take(pool, launch.block_layout.kind, launch.block_layout.bytes)
    if storage == NULL:
        return NULL
    storage.apart = _take(pool, launch.block_layout.kind_apart, launch.block_layout.bytes_apart)
    if storage.apart == NULL:
        _give(pool, launch.block_layout.kind, storage)
        return NULL
    return storage


cdef void block_storage_release(BlockStoragePool *pool, Launch *launch, BlockStorage *storage) noexcept nogil:
    """Keep the memory of an ended block for others of that size."""
    _give(pool, launch.block_layout.kind_apart, storage.apart)
    _give(pool, launch.block_layout.kind, storage)


cdef void block_storage_assign(const Launch *launch, BlockStorage *storage, Warp *w, int32_t index) noexcept nogil:
    """Point a warp to its part of the block's memory."""
    cdef const BlockLayout *at = &launch.block_layout
    cdef char *start = <char *>storage
    cdef char *apart = <char *>storage.apart
    w.rows = start + at.rows + index * at.row_bytes
    w.ready = <int64_t *>(start + at.ready) + index * (launch.rows + launch.predicates)
    w.predicates = <uint64_t *>(start + at.predicates) + index * launch.predicates
    w.stack = <Frame *>(apart + at.stacks) + index * STACK_FRAMES
    w.errors = <int32_t *>(apart + at.errors) + index * launch.lanes
    w.copies = <Copies *>(apart + at.copies) + index
    w.stack_room = STACK_FRAMES
    w.stack_grown = 0
    w.splits = NULL
    if launch.m.warp.independent_lanes:
        w.splits = <Split *>(apart + at.splits) + index * launch.lanes
        w.split_room = launch.lanes
    w.local = apart + at.local + index * launch.lanes * launch.local_bytes


cdef void block_storage_close(BlockStoragePool *pool) noexcept nogil:
    """Free the memory of all blocks that is not the arena's."""
    cdef BlockStorage *slab
    while pool.slabs != NULL:
        slab = pool.slabs
        pool.slabs = slab.next
        free(slab)
