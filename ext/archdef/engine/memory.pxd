"""Device memory: one lazily committed arena, and the table of allocations that every guest access is checked against."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.heap cimport Heap

cdef enum:
    GLOBAL_BASE = 0x100000000        # device address of the first byte of an address space; nothing lies at null
    LOCAL_PHYSICAL = 0x4000000000000  # where local memory lies for caches and partitions, behind all address spaces

cpdef enum:
    SHARED_WINDOW = 0x01000000       # generic addresses of the block's shared memory
    LOCAL_WINDOW = 0x02000000        # generic addresses of the thread's local memory
    WINDOW_BYTES = 0x01000000
    CLUSTER_FIRST = 0x02000000       # addresses in shared memory: those of rank r of the cluster begin at (r + 2) << 24, generic ones a window later

cdef struct Span:
    uint64_t start                   # device address
    uint64_t bytes
    bint read_only                   # kernels of this device may load from it, and not store to it

cdef class AddressSpace:
    cdef char *place                 # of GLOBAL_BASE
    cdef uint64_t stride             # bytes from one device's first address to the next one's
    cdef readonly int64_t devices    # room for so many …
    cdef readonly int64_t given      # … of which so many have theirs
    cdef uint64_t host_window        # bytes from the first address to where kernels see memory of the host
    cdef object lock                 # of all its devices' tables

cdef class DeviceMemory:
    cdef char *arena                 # of the address space
    cdef readonly uint64_t capacity  # bytes
    cdef list _spans                 # [(start, end)] sorted
    cdef list _reserved              # [(start, end)] sorted: addresses that something is mapped at later
    cdef list _windows               # [(start, end)] sorted: what is mapped at such addresses, of any device, and kernels of this one may access
    cdef set _read_only              # those of them that kernels may only load from
    cdef int _file                   # descriptor of the file that holds what is mapped there, -1: nothing was
    cdef uint64_t _file_bytes        # of the file that memory was taken from so far
    cdef dict _backed                # first byte in that file of memory that is mapped there, or nowhere -> bytes
    cdef dict _shared                # start of an allocation that other processes see -> file descriptor
    cdef Span *table                 # the same, for the engine
    cdef int64_t count
    cdef AddressSpace space
    cdef readonly uint64_t first     # device address of its first byte
    cdef list _reached               # memories of other devices that kernels of this one may access
    cdef object _reached_by          # the memories whose kernels may access this one
    cdef bint linked                 # kernels may access memory of the host, or of other devices
    cdef object _lock
    cdef readonly int running        # sessions with launches in progress: what they know must not go away meanwhile

    cdef Heap heap                   # of kernels; `heap_address` 0: there is none yet
    cdef readonly uint64_t heap_address
    cdef object pages                # a `PageTable` of placement.pxd, None: no plugin places pages

    cdef object __weakref__

    cdef int _publish(self) except -1
    cdef int _make_table(self) except -1
    cdef int _map(self, uint64_t address, uint64_t nbytes, int sharing, int descriptor, uint64_t first=*) except -1
    cdef char *_at(self, uint64_t address, uint64_t nbytes) except NULL
    cdef uint64_t own_bytes(self) noexcept
    cdef uint64_t host_first(self) noexcept

cdef const Span *find_span(const Span *table, int64_t count, uint64_t address) noexcept nogil


cdef inline uint64_t span_room(const Span *span, uint64_t address) noexcept nogil:
    """Bytes from an address of an allocation to its end."""
    return span.bytes - (address - span.start)
