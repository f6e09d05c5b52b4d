"""Host memory of resident blocks, taken as they start and used again."""
from libc.stdint cimport int32_t

from archdef.engine.block_memory cimport BlockStorage, BlockStoragePool
from archdef.engine.launch cimport Launch, Warp

cdef enum:
    STORAGE_CLASSES = 128    # classes of size
    LONGEST_LOAD = 32        # bytes of a lane

cdef void block_storage_plan(Launch *launch) noexcept nogil
cdef BlockStorage *block_storage_take(BlockStoragePool *pool, Launch *launch) noexcept nogil
cdef void block_storage_release(BlockStoragePool *pool, Launch *launch, BlockStorage *storage) noexcept nogil
cdef void block_storage_assign(const Launch *launch, BlockStorage *storage, Warp *w, int32_t index) noexcept nogil
cdef void block_storage_close(BlockStoragePool *pool) noexcept nogil
