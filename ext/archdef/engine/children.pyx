"""Launches by kernels: buffers for arguments, launches, streams, events, copies, errors.

A call answers with a number of `DeviceError`, which is also the thread's last error, as CUDA's device runtime does. What it starts
reaches its stream later, in order of time (`dispatch`); nothing else of the machine is touched here.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy, memset

from archdef.engine.device_runtime cimport (DE_CONFIGURATION, DE_DEPTH, DE_DEVICE, DE_DIRECTION, DE_FUNCTION, DE_HANDLE, DE_JOIN_DEPTH, DE_LIMIT,
                                            DE_MEMORY, DE_NONE, DE_PENDING, DE_VALUE, LK_COPY, LK_FILL, LK_GRID, LK_MARK, LS_WAITING, ConstantFill)
from archdef.engine.failures cimport call_failed, call_refused, last_error
from archdef.engine.child_launches cimport BUFFER_HEAD, buffer_return, child_launches_take, launch_take
from archdef.engine.fault_code cimport FAULT_BOUNDS, FAULT_LAUNCH_POINTER
from archdef.engine.fetch cimport fetch_base
from archdef.engine.guest cimport guest_at, guest_fault
from archdef.engine.dispatch_event cimport DISPATCH_LAUNCH_ENQUEUED
from archdef.engine.heap cimport heap_allocate, heap_free, heap_room
from archdef.engine.dispatcher cimport Dispatcher, dispatch_note
from archdef.engine.launch cimport Block, DeviceStream, KernelTable, Launch, LaunchBuffer, Origin, Warp
from archdef.engine.memory cimport GLOBAL_BASE, LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES
from archdef.engine.operand cimport row_of
from archdef.engine.parameters cimport DEVICE_LAUNCHES_POOL_VIRTUALISED
from archdef.engine.block_storage cimport block_storage_plan
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport (CK_CONST_SYMBOL, CK_GLOBAL_SYMBOL, CK_PARAM_SYMBOL, CK_PARAMETER, CK_SPECIAL, SR_DYNAMIC_SHARED,
                                   SR_CLUSTER_NCTAID_X, SR_CLUSTER_NCTARANK, SR_GRIDID, SR_NCLUSTERID_X, SR_NCTAID_X, SR_NTID_X,
                                   SR_TOTAL_SHARED, SR_WARP_SIZE, SYS_COPY,
                                   SYS_DEVICE, SYS_ERROR, SYS_ERROR_TEXT, SYS_EVENT_DROP, SYS_EVENT_MAKE, SYS_EVENT_RECORD,
                                   SYS_EVENT_WAIT, SYS_FILL, SYS_GIVE, SYS_JOIN, SYS_LAUNCH, SYS_LAUNCH_BUFFER, SYS_LIMIT, SYS_NUMBER,
                                   SYS_STREAM_DROP, SYS_STREAM_MAKE, SYS_TAKE)
from archdef.engine.uop cimport Uop

cdef enum:
    LEGACY = 1                   # handles of streams that need not be made
    PER_THREAD = 2
    TAIL = 3
    AT_ONCE = 4                  # fire and forget
    NON_BLOCKING = 1             # cudaStreamNonBlocking, which may be left out
    BLOCKING_SYNC = 1            # cudaEventBlockingSync, which changes nothing
    DISABLE_TIMING = 2           # cudaEventDisableTiming, without which no event is made
    LIMITS = 7                   # that cudaLimit has
    FIRST_HANDLE = 0x1000
    MOST_HANDLES = 1 << 20
    STREAM = 1
    EVENT = 2
    TEXT_BYTES = 128             # of one description


cdef inline const char *_row(const Warp *w, const Uop *u, int i) noexcept nogil:
    cdef int32_t at
    if u.operand_count == 0:
        return row_of(w.launch, w, u, i)
    at = w.launch.operands[u.first_operand + i]
    return w.rows + at if at >= 0 else w.launch.constants + (-1 - at)


cdef inline uint32_t _word(const Warp *w, const Uop *u, int i, int lane) noexcept nogil:
    return (<const uint32_t *>_row(w, u, i))[lane]


cdef inline uint64_t _wide(const Warp *w, const Uop *u, int i, int lane) noexcept nogil:
    return (<const uint64_t *>_row(w, u, i))[lane]


cdef int _store(SmCore *sm, Warp *w, int lane, uint64_t address, const void *value, int bytes) noexcept nogil:
    """Write a result to guest memory. Returns -1 after a fault."""
    cdef int64_t room
    cdef char *place = guest_at(sm, w, lane, address, &room)
    if place == NULL or room < bytes:
        return guest_fault(sm, w, FAULT_BOUNDS, lane, address)
    memcpy(place, value, <size_t>bytes)
    return 0


# ------------------------------------------------------------------------------------------------------------ arguments
cdef int _kernel(const Origin *origin, uint64_t function) noexcept nogil:
    """The kernel of a function's number; -1: it is none that can be launched."""
    if function - 1 >= <uint64_t>origin.function_count:
        return -1
    return origin.functions[function - 1]


cdef inline bint _full(const Launch *launch) noexcept nogil:
    """Whether as many items wait as the machine keeps."""
    return launch.origin.pending >= launch.m.device_launches.pending


cdef int _refusal(const Launch *launch, int kernel, const uint32_t *grid, const uint32_t *block, uint32_t shared) noexcept nogil:
    """Why this cannot be launched; DE_NONE: it can."""
    cdef int64_t threads = <int64_t>block[0] * block[1] * block[2]
    cdef int k
    if kernel < 0:
        return DE_FUNCTION
    for k in range(3):
        if grid[k] == 0 or block[k] == 0 or grid[k] > launch.m.limits.grid_dimensions[k] or block[k] > launch.m.limits.block_dimensions[k]:
            return DE_CONFIGURATION
    if (<int64_t>1 << 62) // grid[0] // grid[1] < <int64_t>grid[2]:        # what limits a description may allow
        return DE_CONFIGURATION
    if <int64_t>block[0] * block[1] > launch.m.limits.threads_per_block or threads > launch.m.limits.threads_per_block:
        return DE_CONFIGURATION
    if launch.origin.kernels[kernel].model.shared_bytes + <int64_t>shared > launch.m.limits.shared_bytes_per_block:
        return DE_CONFIGURATION
    if launch.depth >= launch.m.device_launches.depth:
        return DE_DEPTH
    return DE_NONE


cdef int64_t _virtual(Warp *w) noexcept nogil:
    """A buffer of the virtualised pool, which lies in the device heap; -1: there is no such pool, or it is full."""
    cdef Origin *origin = w.launch.origin
    cdef int64_t number = origin.free_virtual
    cdef uint64_t address
    cdef void *grown
    if w.launch.m.device_launches.pool != DEVICE_LAUNCHES_POOL_VIRTUALISED or w.launch.heap == NULL or number < 0 and origin.buffer_made >= 1 << 30:
        return -1
    address = heap_allocate(w.launch.heap, <uint64_t>(BUFFER_HEAD + origin.buffer_bytes))
    if address == 0:
        return -1
    if number >= 0:
        origin.free_virtual = origin.buffers[number].next_free
    else:
        number = origin.buffer_made
        if number >= origin.buffer_room:
            grown = realloc(origin.buffers, <size_t>(2 * number + 64) * sizeof(LaunchBuffer))
            if grown == NULL:
                heap_free(w.launch.heap, address)
                return -1
            origin.buffers = <LaunchBuffer *>grown
            origin.buffer_room = 2 * number + 64
        origin.buffer_made += 1
    memcpy(w.launch.arena + (address - <uint64_t>GLOBAL_BASE), &number, 8)     # for `_numbered`, which does not trust it
    origin.buffers[number].address = address + BUFFER_HEAD
    return number


cdef int64_t _numbered(const Origin *origin, const Launch *launch, uint64_t address) noexcept nogil:
    """The number of the buffer that begins at an address; -1: none does."""
    cdef uint64_t offset = address - origin.buffer_address
    cdef int64_t number = <int64_t>(offset // <uint64_t>origin.buffer_bytes)
    if offset >= <uint64_t>(origin.buffer_count * origin.buffer_bytes):
        # a kernel may have freed the buffer, and allocated less in its place: all of it is read
        if launch.heap == NULL or address < BUFFER_HEAD or heap_room(launch.heap, address - BUFFER_HEAD) < <uint64_t>(BUFFER_HEAD + origin.buffer_bytes):
            return -1
        memcpy(&number, launch.arena + (address - BUFFER_HEAD - <uint64_t>GLOBAL_BASE), 8)
        if number < origin.buffer_count or number >= origin.buffer_made:
            return -1
    return number if origin.buffers[number].address == address else -1


cdef int _buffer(SmCore *sm, Warp *w, const Uop *u, int lane, uint64_t *address) noexcept nogil:
    """Set aside room for the arguments of a launch."""
    cdef Origin *origin = w.launch.origin
    cdef LaunchBuffer *buffer
    cdef int64_t number
    cdef uint32_t grid[3]
    cdef uint32_t block[3]
    cdef int k, kernel = _kernel(origin, _wide(w, u, 0, lane)), refusal
    for k in range(3):
        grid[k] = _word(w, u, 1 + k, lane)
        block[k] = _word(w, u, 4 + k, lane)
    refusal = _refusal(w.launch, kernel, grid, block, _word(w, u, 7, lane))
    address[0] = 0
    if refusal:
        return refusal
    if origin.pending < w.launch.m.device_launches.pending and origin.free_count:
        origin.free_count -= 1
        number = origin.free_buffers[origin.free_count]
        origin.buffers[number].address = origin.buffer_address + <uint64_t>(number * origin.buffer_bytes)
    else:
        number = _virtual(w)
        if number < 0:
            return DE_PENDING
    buffer = origin.buffers + number
    buffer.launch = NULL
    buffer.kernel = kernel
    memcpy(buffer.grid, grid, sizeof(grid))
    memcpy(buffer.block, block, sizeof(block))
    buffer.shared = _word(w, u, 7, lane)
    address[0] = buffer.address
    memset(w.launch.arena + (address[0] - <uint64_t>GLOBAL_BASE), 0, <size_t>origin.buffer_bytes)
    return DE_NONE


cdef int _fill(Launch *child, const KernelTable *table, const char *arguments, uint64_t address) noexcept nogil:
    """Fill the constant rows of a launch. Returns -1 if the host has no memory."""
    cdef int64_t i, lane, at
    cdef uint64_t value
    cdef const ConstantFill *fill
    cdef char *row
    cdef void *grown
    if child.constant_room_bytes < table.constant_bytes:
        grown = realloc(child.constant_room, <size_t>table.constant_bytes)
        if grown == NULL:
            return -1
        child.constant_room = <char *>grown
        child.constant_room_bytes = table.constant_bytes
    child.constants = child.constant_room
    for i in range(table.fill_count):
        fill = table.fills + i
        value = fill.value
        if fill.width == 0:
            continue
        if fill.kind == CK_PARAMETER:
            value = 0
            if <int64_t>fill.value < table.parameter_bytes:
                memcpy(&value, arguments + fill.value, <size_t>min(<int64_t>fill.width, table.parameter_bytes - <int64_t>fill.value))
        elif fill.kind == CK_GLOBAL_SYMBOL:
            value += table.global_base
        elif fill.kind == CK_CONST_SYMBOL:
            value += table.const_base
        elif fill.kind == CK_PARAM_SYMBOL:
            value += address
        elif fill.kind == CK_SPECIAL:
            at = <int64_t>fill.value
            value = 0
            if SR_NTID_X <= at < SR_NTID_X + 3:
                value = child.block[at - SR_NTID_X]
            elif SR_NCTAID_X <= at < SR_NCTAID_X + 3:
                value = child.grid[at - SR_NCTAID_X]
            elif SR_NCLUSTERID_X <= at < SR_NCLUSTERID_X + 3:
                value = child.grid[at - SR_NCLUSTERID_X]
            elif SR_CLUSTER_NCTARANK <= at < SR_CLUSTER_NCTAID_X + 3:
                value = 1
            elif at == SR_WARP_SIZE:
                value = <uint64_t>child.lanes
            elif at == SR_DYNAMIC_SHARED:
                value = <uint64_t>(child.shared_bytes - table.model.shared_bytes)
            elif at == SR_TOTAL_SHARED:
                value = <uint64_t>child.shared_bytes
            elif at == SR_GRIDID:
                value = <uint64_t>child.serial
        row = child.constant_room + i * child.pitch
        for lane in range(child.lanes):
            if fill.width == 8:
                (<uint64_t *>row)[lane] = value
            else:
                (<uint32_t *>row)[lane] = <uint32_t>value
    return 0


# ---------------------------------------------------------------------------------------------------------------- items
cdef Launch *_item(SmCore *sm, Dispatcher *d, Warp *w, int kind) noexcept nogil:
    """A launch by this warp's block, of no stream yet; NULL: the host has no memory."""
    cdef Block *b = sm.blocks + w.block
    cdef Launch *child
    if b.child_launches == NULL:
        b.child_launches = child_launches_take(d, sm, w.block)
    child = launch_take(d) if b.child_launches != NULL else NULL
    if child == NULL:
        sm.fault.out_of_memory = True
        return NULL
    d.serial += 1
    child.serial = d.serial
    child.kind = kind
    child.state = LS_WAITING
    child.origin = w.launch.origin
    child.parent = w.launch
    child.child_launches = b.child_launches
    child.depth = w.launch.depth + 1
    child.code_base = fetch_base(child)
    child.waits = 1              # until it reaches its stream
    child.children = child.stores = child.next_block = child.done_blocks = child.seated = child.started = child.ended = 0
    child.first_tail = child.last_tail = child.next_in_stream = child.first_waiter = child.next_waiter = NULL
    child.tail = child.own_stream = False
    child.stream = NULL
    child.buffer = -1
    child.blocks = 0
    child.m = w.launch.m
    return child


cdef void _start(SmCore *sm, Dispatcher *d, Warp *w, Launch *child, int64_t when) noexcept nogil:
    """Let an item reach its stream."""
    child.asked = when
    child.ready = when + w.launch.m.device_launches.start_cycles
    child.origin.pending += 1
    child.counted = not child.tail
    if child.counted:
        child.child_launches.pending += 1
    w.launch.children += 1           # a tail: until it is listed
    dispatch_note(d, child.ready, DISPATCH_LAUNCH_ENQUEUED, sm.id, child.number)


cdef DeviceStream *_handle(const Warp *w, uint64_t handle, int kind) noexcept nogil:
    """The stream or event of a handle that this grid may use; NULL: there is none."""
    cdef Origin *origin = w.launch.origin
    cdef DeviceStream *found
    if handle - <uint64_t>FIRST_HANDLE >= <uint64_t>origin.stream_count:
        return NULL
    found = origin.streams + (handle - <uint64_t>FIRST_HANDLE)
    return found if found.kind == kind and found.grid == w.launch and found.grid_serial == w.launch.serial else NULL


cdef int _stream(const Warp *w, uint64_t handle, Launch *child) noexcept nogil:
    """Put an item into a stream; DE_NONE, or why it cannot be."""
    if handle == 0 or handle == LEGACY or handle == PER_THREAD:
        child.own_stream = True
    elif handle == TAIL:
        child.tail = True
    elif handle != AT_ONCE:
        child.stream = _handle(w, handle, STREAM)
        if child.stream == NULL:
            return DE_HANDLE
    return DE_NONE


cdef void _give_back(Dispatcher *d, Launch *child) noexcept nogil:
    """An item that is not started after all."""
    child.serial = 0
    child.next_running = d.spare
    d.spare = child


cdef int _usable(SmCore *sm, Warp *w, const KernelTable *table, int32_t kernel, const char *arguments, int lane) noexcept nogil:
    """Whether a child can use the pointers that it is given; 0, or -1 after a fault."""
    cdef uint64_t value
    cdef int64_t i
    for i in range(table.pointer_count):
        memcpy(&value, arguments + table.pointers[i], 8)
        if value - <uint64_t>SHARED_WINDOW < <uint64_t>WINDOW_BYTES or value - <uint64_t>LOCAL_WINDOW < <uint64_t>WINDOW_BYTES:
            if sm.fault.code == 0:
                sm.fault.detail[0] = <uint64_t>table.pointers[i]
                sm.fault.detail[1] = <uint64_t>kernel
            return guest_fault(sm, w, FAULT_LAUNCH_POINTER, lane, value)
    return 0


cdef void _inherit(Launch *child, const Launch *model, const Launch *parent) noexcept nogil:
    """Give a child what all launches of its kernel have, and the memory of its parent."""
    child.ops = model.ops
    child.code_lines = model.code_lines
    child.targets = model.targets
    child.operands = model.operands
    child.op_count = model.op_count
    child.copies = model.copies
    child.statements = model.statements
    child.rows = model.rows
    child.predicates = model.predicates
    child.special_count = model.special_count
    child.special_of = model.special_of
    child.special_row = model.special_row
    child.lanes = model.lanes
    child.pitch = model.pitch
    child.memos = model.memos
    child.over_banks = model.over_banks
    child.counters = model.counters
    child.issued = model.issued
    child.local_bytes = model.local_bytes
    child.registers = model.registers
    child.stack_start = model.stack_start
    child.const_start = model.const_start
    child.arena = parent.arena
    child.spans = parent.spans
    child.span_count = parent.span_count
    child.textures = parent.textures
    child.heap = parent.heap
    child.passes_period = parent.passes_period


cdef void _shape(Launch *child, const Launch *model, const LaunchBuffer *buffer) noexcept nogil:
    """Give a child the grid and the blocks that its launch asks for."""
    cdef int k
    for k in range(3):
        child.grid[k] = buffer.grid[k]
        child.block[k] = buffer.block[k]
    child.blocks = <int64_t>child.grid[0] * child.grid[1] * child.grid[2]
    child.block_threads = <int32_t>(child.block[0] * child.block[1] * child.block[2])
    child.block_warps = (child.block_threads + child.lanes - 1) // child.lanes
    child.shared_bytes = model.shared_bytes + buffer.shared
    child.l1_sets = 0
    child.cost[0] = 0
    block_storage_plan(child)


cdef int _launch(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, int lane, int64_t *when) noexcept nogil:
    """Launch a kernel with the arguments in a buffer; puts off `when`, should that take longer. Returns a DeviceError, -1 after a fault."""
    cdef Origin *origin = w.launch.origin
    cdef uint64_t address = _wide(w, u, 0, lane)
    cdef LaunchBuffer *buffer
    cdef const KernelTable *table
    cdef Launch *child
    cdef const char *arguments
    cdef int64_t number = _numbered(origin, w.launch, address)
    cdef int refusal
    if number < 0:
        return DE_VALUE
    buffer = origin.buffers + number
    if buffer.kernel < 0 or buffer.launch != NULL:
        return DE_VALUE
    table = origin.kernels + buffer.kernel
    arguments = w.launch.arena + (address - <uint64_t>GLOBAL_BASE)
    if _usable(sm, w, table, buffer.kernel, arguments, lane) < 0:
        return -1
    child = _item(sm, d, w, LK_GRID)
    if child == NULL:
        return DE_MEMORY
    refusal = _stream(w, _wide(w, u, 1, lane), child)
    if refusal:
        _give_back(d, child)
        buffer_return(origin, w.launch, number)
        return DE_VALUE
    child.kernel = buffer.kernel
    child.buffer = <int32_t>number
    buffer.launch = child
    _inherit(child, &table.model, w.launch)
    child.parameter_start = 0
    _shape(child, &table.model, buffer)
    if _fill(child, table, arguments, address) < 0:
        sm.fault.out_of_memory = True
        return DE_MEMORY
    if number >= origin.buffer_count:
        when[0] += w.launch.m.device_launches.virtual_cycles
    _start(sm, d, w, child, when[0])
    return DE_NONE


# ---------------------------------------------------------------------------------------------- streams, events, copies
cdef int _make(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, int lane, int kind) noexcept nogil:
    """Make a stream or an event. Returns a DeviceError, -1 after a fault."""
    cdef Origin *origin = w.launch.origin
    cdef void *grown
    cdef uint64_t handle
    cdef DeviceStream *made
    if origin.stream_count == MOST_HANDLES:
        return DE_MEMORY
    if origin.stream_count == origin.stream_room:
        grown = realloc(origin.streams, <size_t>(2 * origin.stream_room + 64) * sizeof(DeviceStream))
        if grown == NULL:
            return DE_MEMORY
        _moved(origin, <DeviceStream *>grown, d)
        origin.stream_room = 2 * origin.stream_room + 64
    made = origin.streams + origin.stream_count
    memset(made, 0, sizeof(DeviceStream))
    made.kind = kind
    made.grid = w.launch
    made.grid_serial = w.launch.serial
    handle = <uint64_t>FIRST_HANDLE + <uint64_t>origin.stream_count
    origin.stream_count += 1
    return _store(sm, w, lane, _wide(w, u, 0, lane), &handle, 8)


cdef void _moved(Origin *origin, DeviceStream *streams, Dispatcher *d) noexcept nogil:
    """The table of streams has another place: items on their way point there."""
    cdef DeviceStream *before = origin.streams
    cdef Launch *item = d.made
    while item != NULL:
        if item.stream != NULL and item.origin == origin:
            item.stream = streams + (item.stream - before)
        item = item.next_made
    origin.streams = streams


cdef int _drop(const Warp *w, uint64_t handle, int kind) noexcept nogil:
    cdef DeviceStream *found = _handle(w, handle, kind)
    if found == NULL:
        return DE_HANDLE
    found.kind = 0
    return DE_NONE


cdef int _mark(SmCore *sm, Dispatcher *d, Warp *w, uint64_t stream, uint64_t event, bint record, int64_t when) noexcept nogil:
    """Record an event in a stream, or let a stream wait for one."""
    cdef DeviceStream *found = _handle(w, event, EVENT)
    cdef Launch *item
    cdef int refusal
    if found == NULL:
        return DE_HANDLE
    if _full(w.launch):
        return DE_PENDING
    item = _item(sm, d, w, LK_MARK)
    if item == NULL:
        return DE_MEMORY
    refusal = _stream(w, stream, item)
    if refusal or item.tail:
        _give_back(d, item)
        return refusal if refusal else DE_VALUE
    if record:
        found.last = item
        found.last_serial = item.serial
    elif found.last != NULL and found.last.serial == found.last_serial:
        item.waits += 1
        item.next_waiter = found.last.first_waiter
        found.last.first_waiter = item
    _start(sm, d, w, item, when)
    return DE_NONE


cdef int _move(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, int lane, bint fill, int64_t when) noexcept nogil:
    """Copy or set device memory in a stream. Returns a DeviceError."""
    cdef Launch *item
    cdef uint32_t direction
    cdef int refusal
    if not fill:
        direction = _word(w, u, 3, lane)
        if direction != 3 and direction != 4:     # device to device, or whatever the addresses say
            return DE_DIRECTION
    if _full(w.launch):
        return DE_PENDING
    item = _item(sm, d, w, LK_FILL if fill else LK_COPY)
    if item == NULL:
        return DE_MEMORY
    refusal = _stream(w, _wide(w, u, 3 if fill else 4, lane), item)
    if refusal:
        _give_back(d, item)
        return refusal
    item.target = _wide(w, u, 0, lane)
    item.source = <uint64_t>_word(w, u, 1, lane) if fill else _wide(w, u, 1, lane)
    item.bytes = _wide(w, u, 2, lane)
    item.arena = w.launch.arena
    item.spans = w.launch.spans
    item.span_count = w.launch.span_count
    item.heap = w.launch.heap
    item.statements = w.pc      # who asked for it
    _start(sm, d, w, item, when)
    return DE_NONE


# ----------------------------------------------------------------------------------------------------------------- calls
cdef int _told(SmCore *sm, Warp *w, const Uop *u, int lane, const int64_t *pairs, int64_t count, int bytes) noexcept nogil:
    """Look a number up that the description says and store its value. Returns a DeviceError, -1 after a fault."""
    cdef int64_t i
    for i in range(count):
        if pairs[2 * i] == <int64_t>_word(w, u, 1, lane):
            return _store(sm, w, lane, _wide(w, u, 0, lane), pairs + 2 * i + 1, bytes)
    return DE_VALUE


cdef void _address_call(SmCore *sm, Warp *w, const Uop *u, int lane) noexcept nogil:
    """Serve a call that gives an address: of a buffer of arguments, or of a text."""
    cdef Origin *origin = w.launch.origin
    cdef uint64_t address = 0
    cdef int32_t answer, value
    if u.fn == SYS_LAUNCH_BUFFER:
        answer = _buffer(sm, w, u, lane, &address)
        if answer:
            call_failed(w, lane, answer, False)
    elif origin.text_address:
        value = <int32_t>_word(w, u, 0, lane)
        address = origin.text_address + <uint64_t>(
            TEXT_BYTES * (2 * (value if 0 <= value < 1024 else 1023) + (1 if _word(w, u, 1, lane) else 0)))
    if u.d[0] >= 0:
        (<uint64_t *>(w.rows + u.d[0]))[lane] = address


cdef int _stream_call(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, int lane, int64_t *due) noexcept nogil:
    """Serve a call about launches, streams, events or copies. Returns a DeviceError, -1 after a fault."""
    cdef int64_t when = due[0]
    if u.fn == SYS_LAUNCH:
        return _launch(sm, d, w, u, lane, due)
    if u.fn == SYS_JOIN:
        if w.launch.depth >= w.launch.m.device_launches.synchronization_depth:
            return DE_JOIN_DEPTH
    if u.fn == SYS_STREAM_MAKE:
        return _make(sm, d, w, u, lane, STREAM) if <uint32_t>_word(w, u, 1, lane) <= NON_BLOCKING else DE_VALUE
    if u.fn == SYS_STREAM_DROP:
        return _drop(w, _wide(w, u, 0, lane), STREAM)
    if u.fn == SYS_EVENT_MAKE:
        return _make(sm, d, w, u, lane, EVENT) if (<uint32_t>_word(w, u, 1, lane) | BLOCKING_SYNC) == (DISABLE_TIMING | BLOCKING_SYNC) else DE_VALUE
    if u.fn == SYS_EVENT_DROP:
        return _drop(w, _wide(w, u, 0, lane), EVENT)
    if u.fn == SYS_EVENT_RECORD:
        return _mark(sm, d, w, _wide(w, u, 1, lane), _wide(w, u, 0, lane), True, when)
    if u.fn == SYS_EVENT_WAIT:
        return _mark(sm, d, w, _wide(w, u, 0, lane), _wide(w, u, 1, lane), False, when)
    if u.fn == SYS_COPY or u.fn == SYS_FILL:
        return _move(sm, d, w, u, lane, u.fn == SYS_FILL, when)
    return DE_NONE


cdef int _device_call(SmCore *sm, Warp *w, const Uop *u, int lane, bint *remembered) noexcept nogil:
    """Serve a call about the device and its heap. Returns a DeviceError, -1 after a fault; says whether it becomes the last error."""
    cdef Origin *origin = w.launch.origin
    cdef int32_t answer = DE_NONE, value
    cdef uint64_t address
    if u.fn == SYS_TAKE:
        address = heap_allocate(w.launch.heap, _wide(w, u, 1, lane))
        answer = _store(sm, w, lane, _wide(w, u, 0, lane), &address, 8) if address else DE_MEMORY
    elif u.fn == SYS_GIVE:
        address = _wide(w, u, 0, lane)
        if address and heap_free(w.launch.heap, address) < 0:
            answer = DE_VALUE
    elif u.fn == SYS_ERROR:
        answer = last_error(w, lane, _word(w, u, 0, lane))
        remembered[0] = False
    elif u.fn == SYS_DEVICE:
        value = 1 if _word(w, u, 1, lane) else 0
        answer = _store(sm, w, lane, _wide(w, u, 0, lane), &value, 4)
    elif u.fn == SYS_NUMBER:
        value = <int32_t>_word(w, u, 1, lane)
        answer = _store(sm, w, lane, _wide(w, u, 0, lane), &value, 4)
    elif u.fn == SYS_LIMIT:
        answer = _told(sm, w, u, lane, origin.limits, origin.limit_count, 8)
        if answer == DE_VALUE:      # which no later question for the last error tells
            answer = DE_LIMIT if <uint32_t>_word(w, u, 1, lane) < LIMITS else DE_VALUE
            remembered[0] = False
            call_refused(w, answer, u.d[0] >= 0)
    elif _word(w, u, 2, lane):
        answer = DE_DEVICE
    else:
        answer = _told(sm, w, u, lane, origin.attributes, origin.attribute_count, 4)
    return answer


cdef int child_call(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, int lane, int64_t *due) noexcept nogil:
    """Serve one lane's call at a cycle, which it may put off. Returns 1 if the warp has to wait for its children, -1 after a fault."""
    cdef const Block *b = sm.blocks + w.block
    cdef int32_t answer
    cdef bint remembered = True
    if u.fn == SYS_LAUNCH_BUFFER or u.fn == SYS_ERROR_TEXT:
        _address_call(sm, w, u, lane)
        return 0
    answer = _stream_call(sm, d, w, u, lane, due) if u.fn <= SYS_FILL else _device_call(sm, w, u, lane, &remembered)
    if answer < 0:
        return -1
    if answer and remembered:
        call_failed(w, lane, answer, u.d[0] >= 0)
    if u.d[0] >= 0:
        (<int32_t *>(w.rows + u.d[0]))[lane] = answer
    return u.fn == SYS_JOIN and answer == DE_NONE and b.child_launches != NULL and b.child_launches.pending > 0
