"""What a fault says: which statement of which kernel, which block and thread, what is wrong."""
from libc.stdint cimport int64_t

from archdef.engine.fault_code cimport (FAULT_ALIGNMENT, FAULT_ASSERT, FAULT_BARRIER_NUMBER, FAULT_BOUNDS, FAULT_BRANCH_INDEX, FAULT_BULK_SIZE,
                                        FAULT_CALL_TARGET, FAULT_CLUSTER_BLOCK, FAULT_CLUSTER_RANK, FAULT_CYCLES, FAULT_DEADLOCK, FAULT_FRAME,
                                        FAULT_FREE, FAULT_HOST_MEMORY, FAULT_INSTRUCTIONS, FAULT_LATE, FAULT_LAUNCH_COPY, FAULT_LAUNCH_POINTER,
                                        FAULT_DIVERGED, FAULT_PART_OF_GROUP, FAULT_PART_OF_WARP, FAULT_PHASE, FAULT_READ_ONLY, FAULT_STACK,
                                        FAULT_LIVELOCK, FAULT_SURFACE_ALIGNMENT, FAULT_SURFACE_BOUNDS, FAULT_SURFACE_FORMAT, FAULT_TENSOR,
                                        FAULT_TEXTURE_HANDLE, FAULT_TEXTURE_SHAPE, FAULT_TRAP, TR_FIRST, TR_INTERLEAVED, TR_MAP, TR_MODE, TR_NEGATIVE,
                                        TR_PIXEL, TR_RANK, TR_REDUCE, TR_ROW)
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.memory cimport DeviceMemory, Span, find_span
from archdef.engine.grid cimport Grid
from archdef.engine.reach cimport MULTICAST
from archdef.engine.deadlock cimport explain_deadlock
from archdef.engine.types cimport (K_ATOM, K_BULK, K_LOAD, K_STORE, SP_CONST, SP_GENERIC, SP_GLOBAL, SP_LOCAL, SP_MATRIX, SP_SHARED, SP_SURFACE,
                                   SP_TEXTURE)

from archdef.errors import BudgetExceeded, GuestFault

_KINDS = {FAULT_BOUNDS: "bounds", FAULT_ALIGNMENT: "alignment", FAULT_READ_ONLY: "read_only",
          FAULT_PART_OF_WARP: "part_of_warp", FAULT_PART_OF_GROUP: "part_of_group",
          FAULT_DEADLOCK: "deadlock", FAULT_LIVELOCK: "deadlock", FAULT_DIVERGED: "deadlock",
          FAULT_TRAP: "trap", FAULT_TEXTURE_HANDLE: "texture_handle", FAULT_TEXTURE_SHAPE: "texture_shape", FAULT_SURFACE_BOUNDS: "surface_bounds",
          FAULT_SURFACE_ALIGNMENT: "surface_alignment", FAULT_SURFACE_FORMAT: "surface_format", FAULT_STACK: "stack", FAULT_FRAME: "stack",
          FAULT_CALL_TARGET: "call_target", FAULT_FREE: "free", FAULT_PHASE: "phase", FAULT_LAUNCH_POINTER: "launch_pointer",
          FAULT_LAUNCH_COPY: "launch_copy", FAULT_BULK_SIZE: "bulk_size", FAULT_CLUSTER_RANK: "bounds", FAULT_CLUSTER_BLOCK: "cluster_block",
          FAULT_ASSERT: "assertion", FAULT_BARRIER_NUMBER: "barrier_number", FAULT_BRANCH_INDEX: "branch_index", FAULT_TENSOR: "tensor_map",
          FAULT_INSTRUCTIONS: "instructions", FAULT_CYCLES: "cycles"}

_STANDSTILL = (FAULT_DEADLOCK, FAULT_DIVERGED, FAULT_LIVELOCK)
_ELEMENTS = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32 or tf32", "f32.ftz or tf32.ftz", "f64", "bf16")
_SPACES = {SP_GLOBAL: "global memory", SP_SHARED: "shared memory", SP_LOCAL: "local memory", SP_CONST: "constant memory",
           SP_GENERIC: "memory", SP_MATRIX: "shared memory", SP_TEXTURE: "texture", SP_SURFACE: "surface"}


cdef tuple _place(const Fault *f, const Launch *launch, const Dispatcher *dispatcher):
    """Give the block, the thread and the number of the warp that a fault is of; None for each: the block has ended since."""
    cdef const Warp *w
    cdef const Block *b
    if f.launch == NULL or f.warp < 0:
        return None, None, None
    w = &dispatcher.sms[f.sm].core.warps[f.warp]
    b = &dispatcher.sms[f.sm].core.blocks[w.block]
    return (b.index[0], b.index[1], b.index[2]), _thread(launch, w.index, f.lane), w.index


cdef tuple _thread(const Launch *launch, int64_t warp, int64_t lane):
    """Give a thread of a block by its warp and lane."""
    linear, x, y = warp * launch.lanes + lane, launch.block[0], launch.block[1]
    return linear % x, linear // x % y, linear // (x * y)


cdef _space(const Fault *f, const Launch *launch, DeviceMemory memory):
    """Name the memory that the op of a fault accesses."""
    space = "memory"
    if 0 <= f.op < launch.op_count:
        space = _SPACES[launch.ops[f.op].space]
        if (launch.ops[f.op].space == SP_GLOBAL and launch.ops[f.op].kind in (K_LOAD, K_STORE, K_ATOM)
                and launch.ops[f.op].form.reach & MULTICAST):
            space = "what is mapped at multicast addresses (device.multicast), which alone multimem accesses"
    if space in ("global memory", "memory") and memory.heap_address <= f.address < memory.heap_address + _heap_span(memory):
        space = "what the kernel has allocated on the device heap"
    return space


cdef _unwritten(const Fault *f, const Launch *launch):
    """Name the memory that must not be written."""
    cdef const Span *span = find_span(launch.spans, launch.span_count, f.address)
    return "memory that is mapped to be read" if span != NULL and span.read_only else "constant memory"


cdef dict _of_memory(const Fault *f, const Launch *launch, DeviceMemory memory, Grid grid, who):
    """What faults of accesses to memory say."""
    space, reach = _space(f, launch, memory), 0
    if 0 <= f.op < launch.op_count:
        reach = f.detail[0] if launch.ops[f.op].kind == K_BULK else launch.ops[f.op].lane_bytes
    return {
        FAULT_BOUNDS: f"{reach} bytes at address {f.address:#x} are outside {space}, {who}",
        FAULT_ALIGNMENT: f"address {f.address:#x} is not a multiple of the {reach} bytes accessed, {who}",
        FAULT_READ_ONLY: f"store to {_unwritten(f, launch)} at address {f.address:#x}, {who}",
        FAULT_TEXTURE_HANDLE: f"{f.address:#x} is no handle of a live {space}, or of one of another kind, {who}",
        FAULT_TEXTURE_SHAPE: f"the {space} of handle {f.address:#x} has other dimensions than the instruction, {who}",
        FAULT_SURFACE_BOUNDS: f"{reach} bytes are outside the surface of handle {f.address:#x}, {who}",
        FAULT_SURFACE_ALIGNMENT: f"the first coordinate is not a multiple of the {reach} bytes accessed, surface of handle "
                                 f"{f.address:#x}, {who}",
        FAULT_SURFACE_FORMAT: f"the surface of handle {f.address:#x} has texels of another size than the {reach} bytes that the "
                              f"instruction works on, {who}",
        FAULT_FREE: f"free of {f.address:#x}, which is no allocation of the device heap (or was freed before), {who}",
        FAULT_LAUNCH_POINTER: f"a child is given {f.address:#x}, the address of shared or local memory of its parent, which it cannot use"
                              f"{_argument(f, grid)}, {who}",
        FAULT_LAUNCH_COPY: f"a copy of {f.detail[0]} bytes at address {f.address:#x} that the kernel asks for leaves its allocation",
        FAULT_CLUSTER_RANK: f"address {f.address:#x} is in the shared memory of rank {f.detail[0]} of a cluster of {f.detail[1]} blocks, {who}",
        FAULT_CLUSTER_BLOCK: f"address {f.address:#x} is in the shared memory of rank {f.detail[0]} of the cluster, a block that has "
                             f"{'ended' if f.detail[1] else 'not begun'}, {who}",
        FAULT_BULK_SIZE: f"the size of a bulk copy must be a multiple of 16, got {f.address}, {who}",
        FAULT_TENSOR: f"{_tensor(f)}, {who}"}


cdef dict _of_control(const Fault *f, const Launch *launch, DeviceMemory memory, Grid grid, block, who, depth):
    """What faults of branches, calls, and instructions of whole warps say."""
    return {
        FAULT_PART_OF_WARP: f"an instruction of a whole warp that {bin(f.lanes).count('1')} of its {launch.lanes} lanes do not execute, "
                            f"the first {who}",
        FAULT_PART_OF_GROUP: f"an instruction of four whole warps, of which block {block} has not all, the first {who}",
        FAULT_TRAP: f"trap, {who}" + _without_workspace(grid),
        FAULT_STACK: f"calls nested too deeply, {depth} deep, {who}",
        FAULT_FRAME: f"the call stack of {launch.local_bytes - launch.stack_start} bytes per thread "
                     f"(limits.stack_bytes_per_thread) is full, {depth} calls deep, {who}",
        FAULT_CALL_TARGET: f"indirect call of {f.address:#x}, which is no function that can be called here, {who}",
        FAULT_PHASE: f"{f.address} arrivals are not what a barrier in shared memory (mbarrier) allows here; was it initialised? "
                     f"{who}",
        FAULT_ASSERT: f"{_assertion(f, memory)}, {who}",
        FAULT_BARRIER_NUMBER: f"barrier number past 15, {who}",
        FAULT_BRANCH_INDEX: f"indexed branch past its list of targets, {who}"}


cdef dict _of_standstill(const Fault *f, who, data):
    """What faults of machines on which nothing happens any more say; `data` has what `explain_deadlock` has found."""
    if f.code not in _STANDSTILL:
        return {}
    told = _told(data)
    return {
        FAULT_DEADLOCK: "no warp can go on" + (f": block {data['block']} waits {_for(data)}" if f.lanes else "") + told,
        FAULT_LIVELOCK: f"no warp can go on: {_blocks(data)}{told}",
        FAULT_DIVERGED: f"{bin(f.lanes).count('1')} lanes of a warp wait here for lanes of it that do not come, the first {who}; "
                        f"no warp can go on{told}"}


cdef dict _of_limits(const Fault *f, const Launch *launch, int64_t instructions, int64_t max_cycles):
    """What faults of the simulation itself say."""
    return {
        FAULT_INSTRUCTIONS: f"the budget of {instructions} warp instructions is spent, {launch.done_blocks} of "
                            f"{launch.blocks} blocks done",
        FAULT_CYCLES: f"the budget of {max_cycles} cycles is spent, {launch.done_blocks} of {launch.blocks} "
                      "blocks done",
        FAULT_HOST_MEMORY: "the host is out of memory",
        FAULT_LATE: f"multiprocessor {f.sm} broke its time order; this is a fault of archdef, please report it"}


cdef object fault_error(const Fault *f, const Dispatcher *dispatcher, Grid grid, DeviceMemory memory,
                        int64_t instructions, int64_t max_cycles):
    """Make the exception for a fault of a launch."""
    cdef const Launch *launch = f.launch if f.launch != NULL else &grid.launch
    cdef const Warp *w
    entry, statements = grid.entry, grid.statements
    if launch.parent != NULL:
        entry, statements = grid.kernels.names[launch.kernel], grid.kernels.programs[launch.kernel].statements
    where, statement, depth = "", None, 0
    if 0 <= f.op < launch.op_count and statements:
        statement = statements[launch.ops[f.op].statement]
        where = f" at {statement}"
    block, thread, warp = _place(f, launch, dispatcher)
    data = dict(kind=_KINDS.get(f.code, ""), kernel=entry, statement=statement, block=block, thread=thread, address=f.address, cycle=f.cycle,
                warp=warp)
    who = f"block {block}, thread {thread}" if block is not None else "a block that has ended since"
    if f.code == FAULT_ASSERT:
        data["assertion"] = _asserted(f, memory)
        data["threads"] = [_thread(launch, warp, lane) for lane in range(launch.lanes) if f.lanes >> lane & 1] if warp is not None else []
    if f.code in (FAULT_STACK, FAULT_FRAME):
        w = &dispatcher.sms[f.sm].core.warps[f.warp]
        data["depth"] = depth = sum(w.stack[k].call for k in range(w.depth))
    if f.code in _STANDSTILL:
        data.update(explain_deadlock(f, dispatcher, grid))
    text = {**_of_memory(f, launch, memory, grid, who), **_of_control(f, launch, memory, grid, block, who, depth), **_of_standstill(f, who, data),
            **_of_limits(f, launch, instructions, max_cycles)}[f.code]
    if f.code == FAULT_LATE:
        return RuntimeError(text)
    if f.code == FAULT_HOST_MEMORY:
        return MemoryError(text)
    kind = BudgetExceeded if f.code in (FAULT_INSTRUCTIONS, FAULT_CYCLES) else GuestFault
    return kind(f"kernel {entry}{where}: {text}", **data)


cdef object _tensor(const Fault *f):
    """Say what a copy by a tensor map cannot be."""
    found, wanted = <int64_t>f.detail[1], <int64_t>f.detail[2]
    if f.code != FAULT_TENSOR:
        return ""
    return {
        TR_MAP: "the 128 bytes that should describe the tensor are no tensor map",
        TR_RANK: f"the tensor map has {found} dimensions, the instruction {wanted}",
        TR_MODE: f"the tensor map is one of {'pixels (im2col)' if found else 'tiles'}, which the instruction does not work on",
        TR_ROW: f"a row of the box has {found} bytes, "
                + (f"more than the {-wanted} of the swizzle" if wanted < 0 else f"which is not a multiple of {wanted}"),
        TR_FIRST: f"the first coordinate is {found} bytes into its row, which is not a multiple of {wanted}",
        TR_NEGATIVE: f"a box that is written begins in front of the tensor: coordinate {wanted} is {found}",
        TR_PIXEL: f"the first pixel lies outside the tensor map's box of pixels: coordinate {wanted} is {found}",
        TR_REDUCE: f"there is no such reduction of elements of type {_ELEMENTS[found] if 0 <= found < len(_ELEMENTS) else found}",
        TR_INTERLEAVED: "pixels (im2col) of an interleaved tensor are not modelled",
    }.get(<int>f.detail[0], "")


def _for(found):
    """Say what a block waits for."""
    if any("wanted" in who for who in found.get("waiting", ())):
        return "for registers that none of its warps gives back (setmaxnreg)"
    return f"at a barrier that not all {_of(found)} reach"


def _of(found):
    """Say who should come to a barrier."""
    if found.get("barrier") == "cluster":
        return "threads of its cluster"
    return "blocks of its grid, or of the grids launched with it," if found.get("barrier") == "grid" else "its threads"


def _told(found, most=4):
    """Say who waits where, who is missing, and where they diverged: a line each, and so many entries of a kind."""
    parts = []
    for who in found["waiting"][:most]:
        barrier = (f" at the barrier of its {who['barrier']}" if who["barrier"] in ("grid", "cluster") else f" at barrier {who['barrier']}"
                   if who["barrier"] is not None else "")
        if "wanted" in who:
            barrier = f" for {who['wanted']} registers a thread, having {who['registers']}, while the pool has {who['pool']} for one warp"
        parts.append(f"warp {who['warp']} of block {who['block']} (lanes {who['lanes']:#x}) waits{barrier}, {who['statement']}")
    if len(found["waiting"]) > most:
        parts.append(f"{len(found['waiting']) - most} more wait")
    parts += [f"lanes {who['lanes']:#x} of warp {who['warp']} stand at {who['statement']}" for who in found["missing"][:most]]
    if found["branch"] is not None:
        parts.append(f"they diverged at {found['branch']}")
    return "".join(f"\n  {part}" for part in parts)


def _blocks(found):
    """Say which blocks stand still, and which cannot begin."""
    text = f"the warps of {found['resident']} resident blocks wait, at barriers or in loops, for what none of them will do"
    if found["missing"]:
        text += ", lanes wait for others of their own warp"
    if found["unstarted"]:
        text += f", and {found['unstarted']} blocks have no room to start before one of these ends"
    return text


cdef _without_workspace(Grid grid):
    """Say what is missing if the kernel would synchronise its grid and was not launched for it."""
    if grid.workspace_address or not grid.synchronises_grid:
        return ""
    return "; the kernel asks for its grid's barrier, which only a cooperative launch has: kernel[grid, block].cooperative(...)"


cdef _argument(const Fault *f, Grid grid):
    """Name the argument of a child."""
    if f.code != FAULT_LAUNCH_POINTER:
        return ""
    program = grid.kernels.programs[f.detail[1]]
    name = next((p.name for p in program.parameter_layout if p.offset <= f.detail[0] < p.offset + p.bytes), "?")
    return f" (argument {name} of {grid.kernels.names[f.detail[1]]})"


cdef _heap_span(DeviceMemory memory):
    return memory.heap.granules * 16 if memory.heap_address else 0


cdef tuple _asserted(const Fault *f, DeviceMemory memory):
    """Give file, line, function and expression of a failed assertion, as far as they can be read."""
    expression, file, function = (memory.text(f.detail[k]) or "?" for k in (0, 1, 3))
    return file, f.detail[2], function, expression


cdef _assertion(const Fault *f, DeviceMemory memory):
    """Say what a failed assertion says."""
    if f.code != FAULT_ASSERT:
        return ""
    file, line, function, expression = _asserted(f, memory)
    return f"{file}:{line}: {function}: assertion `{expression}` failed"
