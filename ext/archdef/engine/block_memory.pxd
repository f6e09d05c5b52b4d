"""Host memory of a resident block: where its parts lie."""
from libc.stdint cimport int32_t, int64_t

from archdef.engine.arena cimport Arena

cdef struct BlockStorage:        # host memory of a resident block: this, then what `BlockLayout` says
    BlockStorage *next
    BlockStorage *apart          # a piece of its own for what few warps touch

cdef struct BlockStoragePool:    # of blocks that have ended
    BlockStorage *free[128]      # by class of size
    Arena *arena                 # that the first of them lie in …
    BlockStorage *slabs          # … and pieces of host memory for all others …
    int64_t slab_bytes           # … together

cdef struct BlockLayout:         # where the parts of a block's memory lie, in bytes from its start
    int64_t row_bytes            # of a warp's rows, and a spare one: see LoadedProgram
    int64_t slots
    int64_t ready
    int64_t predicates
    int64_t rows
    int64_t shared
    int64_t bytes                # in all
    int32_t kind                 # class of size: four to a doubling
    int32_t kind_apart           # the same of the piece for what few warps touch …
    int64_t errors               # … and where what lies there
    int64_t copies
    int64_t stacks
    int64_t splits
    int64_t local
    int64_t bytes_apart
