"""What a launch can be refused for while it runs."""
cdef enum FaultCode:
    FAULT_NONE = 0
    FAULT_BOUNDS = 1             # address outside every allocation (or outside shared, local, constant memory)
    FAULT_ALIGNMENT = 2
    FAULT_DEADLOCK = 4
    FAULT_TRAP = 5
    FAULT_STACK = 6              # calls nested too deeply
    FAULT_INSTRUCTIONS = 7       # budget
    FAULT_CYCLES = 8             # budget
    FAULT_BARRIER_NUMBER = 9
    FAULT_BRANCH_INDEX = 10
    FAULT_HOST_MEMORY = 11
    FAULT_READ_ONLY = 12         # store to constant memory
    FAULT_LATE = 13              # the engine broke its own time order
    FAULT_END = 14               # control ran past the last instruction
    FAULT_ASSERT = 15            # `detail`: expression, file, line, function
    FAULT_FREE = 16              # not an allocation of the device heap, or freed already
    FAULT_CALL_TARGET = 17       # an indirect call of what is no function of that kind
    FAULT_FRAME = 18             # the call stack of a thread is full
    FAULT_PHASE = 19             # a count that a barrier in shared memory does not allow
    FAULT_DIVERGED = 20          # lanes of a warp wait for lanes of it that never come
    FAULT_LAUNCH_POINTER = 21    # a child is given the address of shared or local memory; detail: offset of the argument, kernel
    FAULT_LAUNCH_COPY = 22       # a copy or fill that a kernel asked for leaves its allocation
    FAULT_LIVELOCK = 23          # warps that go round wait for what nobody will do
    FAULT_POLICY = 24            # a plugin's policy gave an answer that is none; detail: number of its hook
    FAULT_BULK_SIZE = 30         # bytes of a bulk copy
    FAULT_CLUSTER_RANK = 33      # no block of the cluster has that rank; detail: rank, blocks
    FAULT_CLUSTER_BLOCK = 34     # the block of that rank has ended, or not begun; detail: rank, 1: it has ended
    FAULT_PART_OF_WARP = 31      # not all lanes of the warp reach what only a whole warp can do
    FAULT_PART_OF_GROUP = 32     # not all warps of a group of four are there for what only they together can do
    FAULT_TENSOR = 35            # what a copy by a tensor map cannot be; detail: a TensorReason, what was found, what it must be
    FAULT_TEXTURE_HANDLE = 40    # no texture, surface or sampler of that handle; address: the handle
    FAULT_TEXTURE_SHAPE = 41     # one of other dimensions than the instruction's
    FAULT_SURFACE_BOUNDS = 42
    FAULT_SURFACE_ALIGNMENT = 43
    FAULT_SURFACE_FORMAT = 44    # texels of another size than the instruction works on

cdef enum TensorReason:
    TR_MAP = 1                   # the 128 bytes are no tensor map
    TR_RANK = 2                  # it has another number of dimensions than the instruction
    TR_MODE = 3                  # of tiles, where the instruction wants pixels, or the other way
    TR_ROW = 4                   # bytes of a row of the box
    TR_FIRST = 5                 # the first coordinate is not at a multiple of 16 bytes
    TR_NEGATIVE = 6              # a store begins in front of the tensor
    TR_PIXEL = 7                 # the first pixel lies outside the box of pixels
    TR_REDUCE = 8                # there is no such operation on elements of that type
    TR_INTERLEAVED = 9           # pixels of an interleaved tensor
