"""The device heap: what kernels allocate and free. Its book-keeping lies outside guest memory, where no kernel can damage it."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    HEAP_GRANULE = 16            # bytes; blocks start at multiples of it, and one lies unused behind each
    HEAP_CLASSES = 128           # of free runs: four per power of two

cdef struct Heap:
    uint64_t start               # device address of the first granule
    uint32_t granules
    uint32_t *owner              # [granules] first granule + 1 of the block that holds it, 0: free, or the gap behind a block
    uint32_t *run                # [granules] at the first and last granule of a free run: its length; of a block at the first
    uint32_t *next               # [granules] at the first of a free run: links + 1 of its class
    uint32_t *previous
    uint64_t *bytes              # [granules] at the first of a block: what was asked for
    uint32_t head[128]           # first run + 1 of a class
    uint64_t filled[2]           # classes that have a run
    uint64_t used_bytes          # asked for and not freed

cdef int heap_open(Heap *heap, uint64_t start, uint64_t nbytes) noexcept nogil
cdef void heap_close(Heap *heap) noexcept nogil
cdef uint64_t heap_allocate(Heap *heap, uint64_t nbytes) noexcept nogil
cdef int heap_free(Heap *heap, uint64_t address) noexcept nogil
cdef uint64_t heap_room(const Heap *heap, uint64_t address) noexcept nogil
