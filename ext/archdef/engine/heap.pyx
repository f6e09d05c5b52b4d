"""The device heap: free runs in classes of similar size, merged with their neighbours as soon as a block is freed.

Invariants:
- granules belong to a free run, to a block, or to the one-granule gap behind a block, so that a step past a block is found;
- no two free runs are neighbours; a run's length stands at its first and last granule, a gap's and a block's owner says so;
- allocation depends on nothing but the calls before it.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.bits cimport lowest_bit


cdef enum:
    LOOKED_AT = 32               # runs of the smallest class that may fit, before a larger class is taken

cdef extern from *:
    """
    static inline int archdef_log2(unsigned int x) { return 31 - __builtin_clz(x); }
    """
    int archdef_log2(unsigned int x) nogil


cdef inline int _class_of(uint32_t granules) noexcept nogil:
    """Class of runs of this length: four per power of two."""
    cdef int power = archdef_log2(granules)
    return 4 * power + (<int>(granules >> (power - 2)) & 3 if power >= 2 else <int>(granules << (2 - power)) & 3)


cdef void _file(Heap *h, uint32_t first, uint32_t length) noexcept nogil:
    """Enter a free run."""
    cdef int k = _class_of(length)
    h.run[first] = h.run[first + length - 1] = length
    h.owner[first] = h.owner[first + length - 1] = 0
    h.next[first] = h.head[k]
    h.previous[first] = 0
    if h.head[k]:
        h.previous[h.head[k] - 1] = first + 1
    h.head[k] = first + 1
    h.filled[k >> 6] |= <uint64_t>1 << (k & 63)


cdef void _take(Heap *h, uint32_t first) noexcept nogil:
    """Remove a free run from its class."""
    cdef int k = _class_of(h.run[first])
    if h.previous[first]:
        h.next[h.previous[first] - 1] = h.next[first]
    else:
        h.head[k] = h.next[first]
        if h.head[k] == 0:
            h.filled[k >> 6] &= ~(<uint64_t>1 << (k & 63))
    if h.next[first]:
        h.previous[h.next[first] - 1] = h.previous[first]


cdef int heap_open(Heap *heap, uint64_t start, uint64_t nbytes) noexcept nogil:
    """Make an empty heap over device memory. Returns -1 if the host has no memory for its tables."""
    memset(heap, 0, sizeof(Heap))
    heap.start = start
    heap.granules = <uint32_t>min(nbytes // HEAP_GRANULE, <uint64_t>0x7fffffff)
    heap.owner = <uint32_t *>calloc(heap.granules + 1, sizeof(uint32_t))
    heap.run = <uint32_t *>calloc(heap.granules + 1, sizeof(uint32_t))
    heap.next = <uint32_t *>calloc(heap.granules + 1, sizeof(uint32_t))
    heap.previous = <uint32_t *>calloc(heap.granules + 1, sizeof(uint32_t))
    heap.bytes = <uint64_t *>calloc(heap.granules + 1, sizeof(uint64_t))
    if heap.owner == NULL or heap.run == NULL or heap.next == NULL or heap.previous == NULL or heap.bytes == NULL:
        heap_close(heap)
        return -1
    if heap.granules:
        _file(heap, 0, heap.granules)
    return 0


cdef void heap_close(Heap *heap) noexcept nogil:
    """Free the tables."""
    free(heap.owner)
    free(heap.run)
    free(heap.next)
    free(heap.previous)
    free(heap.bytes)
    memset(heap, 0, sizeof(Heap))


cdef uint64_t heap_allocate(Heap *heap, uint64_t nbytes) noexcept nogil:
    """Give the device address of a new block of `nbytes`, 0 if there is no room (or nothing is asked for)."""
    cdef uint64_t wanted = nbytes // HEAP_GRANULE + (nbytes % HEAP_GRANULE != 0) + 1, classes
    cdef uint32_t need, at, found = 0, first, length, i
    cdef int k, looked = 0
    if nbytes == 0 or wanted > heap.granules:
        return 0
    need = <uint32_t>wanted
    k = _class_of(need)
    at = heap.head[k]
    while at and looked < LOOKED_AT:
        if heap.run[at - 1] >= need:
            found = at
            break
        at = heap.next[at - 1]
        looked += 1
    if found == 0:      # every run of a larger class fits
        k += 1
        if k < 64:
            classes = heap.filled[0] & (~<uint64_t>0 << k)
            if classes:
                found = heap.head[lowest_bit(classes)]
        if found == 0 and k < HEAP_CLASSES:
            classes = heap.filled[1] & (~<uint64_t>0 << (k - 64 if k > 64 else 0))
            if classes:
                found = heap.head[64 + lowest_bit(classes)]
        if found == 0:
            return 0
    first = found - 1
    length = heap.run[first]
    _take(heap, first)
    if length > need:
        _file(heap, first + need, length - need)
    for i in range(need - 1):
        heap.owner[first + i] = first + 1
    heap.owner[first + need - 1] = 0     # the gap
    heap.run[first + need - 1] = 0
    heap.run[first] = need
    heap.bytes[first] = nbytes
    heap.used_bytes += nbytes
    return heap.start + <uint64_t>first * HEAP_GRANULE


cdef int heap_free(Heap *heap, uint64_t address) noexcept nogil:
    """Free a block. Returns -1 if `address` is not the start of one."""
    cdef uint64_t offset = address - heap.start
    cdef uint32_t first, length, i, before
    if offset // HEAP_GRANULE >= heap.granules or offset % HEAP_GRANULE:
        return -1
    first = <uint32_t>(offset // HEAP_GRANULE)
    if heap.owner[first] != first + 1:
        return -1
    length = heap.run[first]
    for i in range(length):
        heap.owner[first + i] = 0
    heap.used_bytes -= heap.bytes[first]
    heap.bytes[first] = 0
    if first + length < heap.granules and heap.owner[first + length] == 0:
        # a free run starts there: a gap never does, because a block lies before it
        i = heap.run[first + length]
        _take(heap, first + length)
        length += i
    if first and heap.owner[first - 1] == 0 and heap.run[first - 1]:
        # the last granule of a free run; a gap's run is 0
        before = heap.run[first - 1]
        first -= before
        _take(heap, first)
        length += before
    _file(heap, first, length)
    return 0


cdef uint64_t heap_room(const Heap *heap, uint64_t address) noexcept nogil:
    """Bytes from `address` to the end of the block that holds it, 0 if none does."""
    cdef uint64_t offset = address - heap.start, into
    cdef uint32_t first
    if offset // HEAP_GRANULE >= heap.granules:
        return 0
    first = heap.owner[offset // HEAP_GRANULE]
    if first == 0:
        return 0
    first -= 1
    into = offset - <uint64_t>first * HEAP_GRANULE
    return heap.bytes[first] - into if into < heap.bytes[first] else 0
