"""Host memory of resident blocks, taken as they start and used again."""
from libc.stdint cimport int32_t

from archdef.engine.block_memory cimport BlockStorage
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.state cimport Chip

cdef enum:
    STORAGE_CLASSES = 128    # classes of size

cdef void block_storage_plan(Launch *launch) noexcept nogil
cdef BlockStorage *block_storage_take(Chip *chip, Launch *launch) noexcept nogil
cdef void block_storage_release(Chip *chip, Launch *launch, BlockStorage *storage) noexcept nogil
cdef void block_storage_assign(const Launch *launch, BlockStorage *storage, Warp *w, int32_t index) noexcept nogil
cdef void block_storage_close(Chip *chip) noexcept nogil
