"""What kernels ask of the device runtime: launches, copies, errors, output."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef enum:
    IGNORED = 15                   # errors of the device runtime that are told apart

cdef enum LaunchKind:
    LK_GRID = 0
    LK_COPY = 1
    LK_FILL = 2
    LK_MARK = 3          # nothing: others wait for it

cdef enum DeviceError:   # as CUDA numbers them
    DE_NONE = 0
    DE_VALUE = 1
    DE_MEMORY = 2
    DE_CONFIGURATION = 9
    DE_DIRECTION = 21
    DE_DEPTH = 65
    DE_JOIN_DEPTH = 68
    DE_PENDING = 69
    DE_FUNCTION = 98
    DE_DEVICE = 101
    DE_LIMIT = 215
    DE_HANDLE = 400

cdef enum LaunchState:
    LS_WAITING = 0       # for others, or its time
    LS_QUEUED = 1        # has blocks to start
    LS_STARTED = 2       # all blocks have been given a place
    LS_COMPLETE = 3

cdef struct Output:              # what kernels print: records of `system.pyx`, one behind the other
    char *bytes
    int64_t room                 # bytes that are kept: those of the latest calls
    int64_t capacity             # of `bytes`
    int64_t used
    int64_t calls

cdef struct Fit:                 # blocks of a kernel on a multiprocessor
    int32_t kernel
    int32_t threads
    int64_t shared
    int64_t cost[4]              # 0: none fits

cdef struct ConstantFill:
    uint32_t kind                # ConstantKind
    uint32_t width
    uint64_t value

cdef struct ChildRecord:         # a finished launch by a kernel
    int64_t number
    int64_t parent               # number of the launch by which it was made; 0: the host's
    int64_t depth
    int64_t kernel
    int64_t grid[3]
    int64_t block[3]
    int64_t asked                # cycles
    int64_t started
    int64_t ended

cdef struct Ignored:             # calls of the device runtime that failed and of which no thread looked at the answer
    int32_t error
    int32_t kernel               # of the first of them: in the origin's table …
    int32_t statement            # … and where
    int64_t count
