"""What happens to the dispatcher at a known cycle."""
from libc.stdint cimport int32_t, int64_t

cdef enum DispatchEventKind:
    DISPATCH_SLOT_FREE = 0  # the place of block `index` of multiprocessor `sm` is free
    DISPATCH_LAUNCH_READY = 1  # launch `index` can start
    DISPATCH_LAUNCH_ENQUEUED = 2  # a kernel's launch `index` reaches its stream
    DISPATCH_BLOCK_WAITING = 3  # block `index` of multiprocessor `sm` may have waited for its children for long
    DISPATCH_BLOCK_RESUMES = 4  # the children of a block that was swapped out have ended; index: of its launches
    DISPATCH_ASK = 5  # a plugin's block dispatch wants to be asked

cdef struct DispatchEvent:
    int64_t cycle
    int32_t kind                 # DispatchEventKind
    int32_t sm
    int32_t index

cdef struct Ended:
    int64_t cycle
    int64_t issued               # warp instructions of the multiprocessor by then
    int32_t slot
