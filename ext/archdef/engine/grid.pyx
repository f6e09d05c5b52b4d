"""A launch by the host: what it is made of, and what is counted for it."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from archdef.engine.counters cimport StatementCounters
from archdef.engine.device_runtime cimport IGNORED, LS_COMPLETE, ConstantFill, Ignored
from archdef.engine.fetch cimport fetch_base
from archdef.engine.lane_states cimport LaneTracer
from archdef.engine.launch cimport WHOLE, KernelTable, Launch, LaunchBuffer, Origin
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.memo cimport Memo
from archdef.engine.memory cimport CLUSTER_FIRST, DeviceMemory, Span
from archdef.engine.parameters cimport DEVICE_LAUNCHES_POOL_VIRTUALISED
from archdef.engine.program cimport LoadedProgram
from archdef.engine.records cimport as_records, child_records
from archdef.engine.bank_access cimport over_banks
from archdef.engine.block_storage cimport block_storage_plan
from archdef.engine.residency cimport Residency
from archdef.engine.spacing cimport code_place, find_queued, space_out
from archdef.engine.tables cimport Tables
from archdef.engine.texture_table cimport textures_close, textures_open
from archdef.engine.types cimport (CK_CONST_SYMBOL, CK_GLOBAL_SYMBOL, CK_IMMEDIATE, CK_LOCAL_SYMBOL, CK_PARAM_SYMBOL, CK_PARAMETER, CK_SHARED_SYMBOL,
                                   CK_SPECIAL, SR_CLUSTER_NCTAID_X, SR_CLUSTER_NCTARANK, SR_CLUSTER_ORIGIN, SR_DYNAMIC_SHARED,
                                   SR_IS_EXPLICIT_CLUSTER, SR_NCLUSTERID_X, SR_GRIDID, SR_NCTAID_X, SR_NTID_X, SR_TOTAL_SHARED, SR_WARP_SIZE,
                                   SR_WORKSPACE, SYS_ALLOCATE, SYS_FREE, SYS_GIVE, SYS_LAUNCH, SYS_PRINT, SYS_TAKE)

from archdef.errors import LaunchError

cdef uint64_t _HEAP_CALLS = <uint64_t>1 << SYS_ALLOCATE | <uint64_t>1 << SYS_FREE | <uint64_t>1 << SYS_TAKE | <uint64_t>1 << SYS_GIVE
WORKSPACE_BYTES = 64   # more than any published cooperative-groups header asks for
_NEAR_BYTES = (1 << 31) - 16     # of a block's shared and a thread's local memory: their addresses are signed numbers of 32 bits to the engine


cdef int _check_near(program, int64_t dynamic_shared_bytes) except -1:
    """Refuse sizes for which the sums that lay out a block's memory could wrap."""
    for name, bytes_ in (("shared memory", int(program.shared_bytes) + dynamic_shared_bytes), ("local memory of a thread", program.local_bytes)):
        if not 0 <= bytes_ <= _NEAR_BYTES:
            raise LaunchError(f"{bytes_} bytes of {name}: there can be {_NEAR_BYTES} at most")
    return 0


cdef int64_t *_pairs(dict numbers) except NULL:
    """Put number and value of each behind each other."""
    cdef int64_t *pairs = <int64_t *>calloc(2 * len(numbers) + 2, sizeof(int64_t))
    cdef int64_t i
    if pairs == NULL:
        raise MemoryError("table of launches")
    for i, (number, value) in enumerate(numbers.items()):
        pairs[2 * i] = number
        pairs[2 * i + 1] = value
    return pairs


cdef int _load(Launch *launch, LoadedProgram loaded, program, int64_t dynamic_shared_bytes, bint fetched) except -1:
    """Enter a kernel into a launch, or into the model of launches by kernels: its code, which may have to be fetched, what its threads need, what is
    counted for it."""
    cdef const MachineTable *m = launch.m
    _check_near(program, dynamic_shared_bytes)
    find_queued(loaded.ops, loaded.op_count, m.load_store.memory_instruction_queue.units)
    space_out(loaded.ops, loaded.op_count, m.schedulers.instruction_gap_cycles, m.load_store.pipeline.issue_interval_cycles)
    if m.caches.instruction.sets and fetched:
        launch.code_lines = code_place(loaded.ops, loaded.op_count, m.isa.instruction_bytes, m.caches.instruction.line_bytes)
    launch.op_count = loaded.op_count
    launch.statements = max(loaded.statements, 1)
    launch.memos = <Memo *>calloc(launch.op_count, sizeof(Memo))
    launch.over_banks = over_banks
    launch.counters = <StatementCounters *>calloc(launch.statements, sizeof(StatementCounters))
    launch.issued = <int64_t *>calloc(launch.op_count, sizeof(int64_t))
    launch.ops = loaded.ops             # from here on these are its own to free
    if launch.memos == NULL or launch.counters == NULL or launch.issued == NULL:
        raise MemoryError("state of a kernel")
    launch.targets = loaded.targets
    launch.operands = loaded.operands
    launch.copies = loaded.copies
    launch.rows = loaded.rows
    launch.predicates = loaded.predicates
    launch.special_count = loaded.specials
    launch.special_of = loaded.special_of
    launch.special_row = loaded.special_row
    launch.local_bytes = (program.local_bytes + 15) // 16 * 16
    launch.stack_start = min(getattr(program, "stack_start", 0), launch.local_bytes)
    launch.registers = getattr(program, "held_registers", 0)
    launch.shared_bytes = program.shared_bytes + dynamic_shared_bytes
    return 0


cdef int _fill_table(KernelTable *table, program, pointers, int64_t pitch) except -1:
    """Write down the constants of a kernel that kernels launch, and which of its arguments are addresses."""
    cdef ConstantFill *fills
    cdef int32_t *numbers
    cdef int64_t k
    table.fill_count = len(program.constants)
    table.constant_bytes = (table.fill_count + 2) * pitch
    table.fills = fills = <ConstantFill *>calloc(table.fill_count + 1, sizeof(ConstantFill))
    table.pointers = numbers = <int32_t *>calloc(len(pointers) + 1, sizeof(int32_t))
    if fills == NULL or numbers == NULL:
        raise MemoryError("state of a kernel")
    for k, (kind, width, value) in enumerate(zip(program.constants["kind"].tolist(), program.constants["width"].tolist(),
                                                 program.constants["value"].tolist())):
        fills[k].kind = kind
        fills[k].width = width
        fills[k].value = value
    for offset in pointers:
        if 0 <= offset <= program.parameter_bytes - 8:
            numbers[table.pointer_count] = offset
            table.pointer_count += 1
    return 0


cdef class Grid:
    """A launch by the host: the kernel, its arguments, and what the engine counts for it. Made by `Session.launch`."""

    def __cinit__(self, Tables tables not None, DeviceMemory memory not None, int64_t code, program, grid, block, bytes parameters,
                  int64_t dynamic_shared_bytes, allowed, uint64_t global_base, uint64_t const_base, name, uint64_t heap_bytes,
                  int64_t print_bytes, const unsigned char[::1] textures, bint cooperative, kernels, LaneTracer lane_trace, among,
                  int64_t l1_sets=0, int64_t l1_ways=0, cluster=None, multicast=()):
        cdef const MachineTable *m = &tables.machine
        cdef Launch *launch = &self.launch
        self.memory = memory
        self.multiprocessors = m.chip.multiprocessors
        self.entry = name or program.entry
        launch.m = m
        launch.origin = &self.origin
        launch.textures = &self.origin.textures
        launch.lanes = m.warp.size
        launch.pitch = 4 * m.warp.size
        self._take_shape(grid, block, cluster)
        self._take_program(program, dynamic_shared_bytes, code)
        launch.l1_sets = min(max(l1_sets, 0), m.caches.l1.sets)
        launch.l1_ways = min(max(l1_ways, 0), m.caches.l1.ways) or m.caches.l1.ways
        self._take_room(allowed)
        self.origin.residencies = <Residency *>calloc(m.chip.multiprocessors, sizeof(Residency))
        if self.origin.residencies == NULL:
            raise MemoryError("state of a launch")
        self.origin.grids = 1
        self.kernels = kernels
        self.loaded = [LoadedProgram(each, m.warp.size, m.schedulers.units) for each in (kernels.programs if kernels is not None else ())
                       if each is not program]
        self._open_runtime(heap_bytes, print_bytes)
        if cooperative:
            self.workspace_address = memory.allocate(WORKSPACE_BYTES)
            memory.write(self.workspace_address, bytearray(WORKSPACE_BYTES))
        if kernels is not None:
            self._open_kernels(program, global_base, const_base)
            self._open_calls()
        self._fill_constants(program, parameters, dynamic_shared_bytes, global_base, const_base, multicast)
        self.lane_trace = lane_trace
        launch.cooperative = cooperative
        launch.grid_rank, launch.grids = among or (0, 0)
        launch.gathered = -1
        cdef int64_t packed_bytes = 0 if textures is None else textures.shape[0]
        textures_open(&self.origin.textures, &textures[0] if packed_bytes else NULL, packed_bytes, launch.spans, launch.span_count,
                      self.program.uses_textures or any([(<LoadedProgram>each).uses_textures for each in self.loaded]))

    cdef int _take_shape(self, grid, block, cluster) except -1:
        """Take the launch's blocks and threads. Raises LaunchError if there are none, or too many."""
        cdef const MachineTable *m = self.launch.m
        cdef Launch *launch = &self.launch
        cdef int64_t i
        for i in range(3):
            if not 1 <= grid[i] < 1 << 31 or not 1 <= block[i] < 1 << 31:
                raise LaunchError(f"grid {tuple(grid)}, block {tuple(block)}: every dimension is at least 1")
            launch.grid[i] = grid[i]
            launch.block[i] = block[i]
            launch.cluster[i] = 1 if cluster is None else cluster[i]
            if launch.cluster[i] < 1 or grid[i] % launch.cluster[i]:
                raise LaunchError(f"grid {tuple(grid)} is not made up of clusters of {tuple(cluster)} blocks")
        if block[0] * block[1] * block[2] > 1 << 20 or grid[0] * grid[1] * grid[2] >= 1 << 62:
            raise LaunchError(f"grid {tuple(grid)}, block {tuple(block)}: too many threads")
        launch.blocks = grid[0] * grid[1] * grid[2]
        launch.cluster_blocks = min(launch.cluster[0], 64) * min(launch.cluster[1], 64) * min(launch.cluster[2], 64)
        launch.explicit_cluster = cluster is not None
        if launch.cluster_blocks > m.block_clusters.most_blocks_nonportable:
            raise LaunchError(f"a cluster of {tuple(cluster)} blocks is more than {m.block_clusters.most_blocks_nonportable}")
        launch.block_threads = block[0] * block[1] * block[2]
        launch.block_warps = (launch.block_threads + launch.lanes - 1) // launch.lanes
        return 0

    cdef int _take_program(self, program, int64_t dynamic_shared_bytes, int64_t code) except -1:
        """Take what the kernel is, and what its blocks need; `code` is the number of the program in the session, -1: it is not fetched."""
        cdef const MachineTable *m = self.launch.m
        cdef Launch *launch = &self.launch
        self.program = LoadedProgram(program, m.warp.size, m.schedulers.units)
        self.statements = program.statements
        launch.constants = self.program.constants
        _load(launch, self.program, program, dynamic_shared_bytes, code >= 0)
        if m.caches.instruction.sets:
            self.origin.code = <uint64_t>code
            launch.code_base = fetch_base(launch)
        return 0

    cdef int _take_room(self, allowed) except -1:
        """Take what a block takes of a multiprocessor, and of the host's memory."""
        cdef const MachineTable *m = self.launch.m
        cdef Launch *launch = &self.launch
        cdef int64_t i
        for i in range(4):
            if allowed[i] < 1:
                raise LaunchError(f"resident_blocks must be at least 1, got {allowed[i]}")
            launch.cost[i] = <int64_t>WHOLE // <int64_t>allowed[i]
        if launch.block_warps > SCHEDULER_WARPS * m.schedulers.count:
            raise LaunchError(f"a block of {launch.block_warps} warps is more than {m.schedulers.count} schedulers of "
                              f"{SCHEDULER_WARPS} warps hold")
        launch.cost[0] = max(launch.cost[0], <int64_t>WHOLE // (SCHEDULER_WARPS * m.schedulers.count // launch.block_warps))
        block_storage_plan(launch)
        # another word to begin with only turns the banks, unless words of a row count as one
        launch.passes_period = m.shared.bank_width_bytes
        if m.shared.row_words > 1:
            launch.passes_period = max(16, m.shared.banks * m.shared.bank_width_bytes * m.shared.row_words)
        return 0

    def __dealloc__(self):
        cdef int64_t i
        for i in range(self.origin.kernel_count):
            if self.origin.kernels[i].model.ops != self.launch.ops:
                free(self.origin.kernels[i].model.memos)
                free(self.origin.kernels[i].model.counters)
                free(self.origin.kernels[i].model.issued)
            free(<void *>self.origin.kernels[i].fills)
            free(<void *>self.origin.kernels[i].pointers)
        free(self.origin.kernels)
        free(<void *>self.origin.functions)
        free(<void *>self.origin.attributes)
        free(<void *>self.origin.limits)
        free(self.origin.buffers)
        free(self.origin.free_buffers)
        free(self.origin.streams)
        free(self.origin.fits)
        free(self.origin.records)
        free(self.launch.memos)
        free(self.launch.counters)
        free(self.launch.issued)
        free(self.origin.residencies)
        free(self.origin.spans)
        free(self.origin.output.bytes)
        textures_close(&self.origin.textures)

    cdef int _open_kernels(self, program, uint64_t global_base, uint64_t const_base) except -1:
        """Make a table of the kernels that kernels of this launch may launch."""
        cdef Origin *origin = &self.origin
        cdef KernelTable *table
        cdef LoadedProgram loaded
        cdef int64_t i
        programs, left = self.kernels.programs, iter(self.loaded)
        origin.kernels = <KernelTable *>calloc(len(programs), sizeof(KernelTable))
        if origin.kernels == NULL:
            raise MemoryError("table of kernels")
        origin.kernel_count = len(programs)
        for i, each in enumerate(programs):
            table = origin.kernels + i
            table.model = self.launch
            table.model.cluster[0] = table.model.cluster[1] = table.model.cluster[2] = table.model.cluster_blocks = 1
            table.model.explicit_cluster = False
            if each is not program:
                loaded = next(left)
                _load(&table.model, loaded, each, 0, self.launch.code_lines > 0)
            table.model.shared_bytes = each.shared_bytes
            table.parameter_bytes = each.parameter_bytes
            table.global_base = global_base
            table.const_base = const_base
            _fill_table(table, each, self.kernels.pointers[i], self.launch.pitch)
        return 0

    cdef int _open_calls(self) except -1:
        """Make what launches by kernels need besides: numbers of functions, device memory for arguments and texts."""
        cdef Origin *origin = &self.origin
        cdef int32_t *numbers
        cdef int64_t i
        origin.functions = numbers = <int32_t *>calloc(len(self.kernels.functions) + 1, sizeof(int32_t))
        launches = max(self.kernels.functions, default=-1) >= 0
        origin.buffer_count = min(self.launch.m.device_launches.pending, 1 << 20) if launches else 0
        origin.buffer_made = origin.buffer_room = origin.buffer_count
        origin.free_virtual = -1
        origin.buffers = <LaunchBuffer *>calloc(origin.buffer_count + 1, sizeof(LaunchBuffer))
        origin.free_buffers = <int32_t *>calloc(origin.buffer_count + 1, sizeof(int32_t))
        if numbers == NULL or origin.buffers == NULL or origin.free_buffers == NULL:
            raise MemoryError("table of launches")
        for i, number in enumerate(self.kernels.functions):
            if not -1 <= number < origin.kernel_count:
                raise ValueError(f"function {i + 1} is kernel {number} of {origin.kernel_count}")
            numbers[i] = number
        origin.function_count = len(self.kernels.functions)
        origin.attributes = _pairs(self.kernels.attributes)
        origin.attribute_count = len(self.kernels.attributes)
        origin.limits = _pairs(self.kernels.limits)
        origin.limit_count = len(self.kernels.limits)
        origin.free_count = origin.buffer_count
        for i in range(origin.buffer_count):
            origin.buffers[i].kernel = -1
            origin.free_buffers[origin.buffer_count - 1 - i] = <int32_t>i
        most = max([each.parameter_bytes for each in self.kernels.programs])
        origin.buffer_bytes = (most + 63) // 64 * 64 or 64
        if origin.buffer_count:
            self.buffer_address = origin.buffer_address = self.memory.allocate(origin.buffer_count * origin.buffer_bytes)
        if self.kernels.texts:
            self.text_address = origin.text_address = self.memory.allocate(len(self.kernels.texts))
            self.memory.write(self.text_address, bytearray(self.kernels.texts))
        return 0

    cdef int _open_runtime(self, uint64_t heap_bytes, int64_t print_bytes) except -1:
        """Make what the kernel's system calls need."""
        cdef uint64_t calls = self.program.system_calls
        cdef bint virtualised = self.launch.m.device_launches.pool == DEVICE_LAUNCHES_POOL_VIRTUALISED
        for each in self.loaded:
            calls |= (<LoadedProgram>each).system_calls
        if calls & _HEAP_CALLS or calls >> SYS_LAUNCH & 1 and virtualised:
            self.memory.open_heap(heap_bytes)
        if self.memory.heap_address:
            self.launch.heap = &self.memory.heap
        if calls >> SYS_PRINT & 1:
            self.origin.output.room = min(max(print_bytes, 0), 1 << 40)
            self.origin.output.capacity = max(2 * self.origin.output.room, 1)
            self.origin.output.bytes = <char *>malloc(self.origin.output.capacity)
            if self.origin.output.bytes == NULL:
                raise MemoryError("room for what the kernel prints")
        return 0

    cdef int _fill_constants(self, program, bytes parameters, int64_t dynamic_shared_bytes, uint64_t global_base,
                             uint64_t const_base, multicast) except -1:
        """Copy the table of allocations, fill the constant rows."""
        cdef Launch *launch = &self.launch
        cdef int64_t i
        cdef uint64_t start, nbytes, target
        kinds, widths, numbers = program.constants["kind"].tolist(), program.constants["width"].tolist(), program.constants["value"].tolist()
        self.synchronises_grid = (<int>CK_SPECIAL, <int>SR_WORKSPACE) in zip(kinds, numbers)
        values = []
        if <int>CK_PARAM_SYMBOL in kinds and parameters:
            self.parameter_address = self.memory.allocate(len(parameters))
            self.memory.write(self.parameter_address, bytearray(parameters))
        self.origin.spans = <Span *>calloc(self.memory.count + 2 * len(multicast) + 1, sizeof(Span))
        if self.origin.spans == NULL:
            raise MemoryError("table of allocations")
        for i in range(self.memory.count):      # of the heap only what kernels have allocated is theirs
            if self.memory.table[i].start != self.memory.heap_address:
                self.origin.spans[self.origin.span_count] = self.memory.table[i]
                self.origin.span_count += 1
        for i in range(len(multicast)):     # behind them, as `access` wants it
            start, nbytes, target = multicast[i]
            if nbytes < 1:
                raise LaunchError(f"a multicast address of {nbytes} bytes")
            self.origin.spans[self.origin.span_count + 2 * i].start = start
            self.origin.spans[self.origin.span_count + 2 * i].bytes = nbytes
            self.origin.spans[self.origin.span_count + 2 * i + 1].start = target
        launch.spans = self.origin.spans
        launch.span_count = self.origin.span_count
        launch.arena = self.memory.arena
        launch.const_start = const_base
        launch.parameter_start = self.parameter_address
        special = {<int>SR_WARP_SIZE: launch.lanes, <int>SR_DYNAMIC_SHARED: dynamic_shared_bytes, <int>SR_TOTAL_SHARED: launch.shared_bytes,
                   <int>SR_GRIDID: 1, <int>SR_WORKSPACE: self.workspace_address, <int>SR_CLUSTER_NCTARANK: launch.cluster_blocks,
                   <int>SR_IS_EXPLICIT_CLUSTER: launch.explicit_cluster, <int>SR_CLUSTER_ORIGIN: CLUSTER_FIRST if launch.cluster_blocks > 1 else 0}
        for i in range(3):
            special[<int>SR_NTID_X + i] = launch.block[i]
            special[<int>SR_NCTAID_X + i] = launch.grid[i]
            special[<int>SR_CLUSTER_NCTAID_X + i] = launch.cluster[i]
            special[<int>SR_NCLUSTERID_X + i] = launch.grid[i] // launch.cluster[i]
        base = {<int>CK_GLOBAL_SYMBOL: global_base, <int>CK_CONST_SYMBOL: const_base, <int>CK_PARAM_SYMBOL: self.parameter_address,
                <int>CK_LOCAL_SYMBOL: 0, <int>CK_SHARED_SYMBOL: 0, <int>CK_IMMEDIATE: 0}
        for kind, width, value in zip(kinds, widths, numbers):
            if width == 0:
                number = 0
            elif kind == <int>CK_PARAMETER:
                piece = parameters[value:value + width]
                number = int.from_bytes(piece, "little")
            elif kind == <int>CK_SPECIAL:
                number = special[value]
            else:
                number = base[kind] + value
            values.append((number, width))
        self.program.fill_constants(values)
        return 0

    cdef int _let_go(self) except -1:
        """Give back the device memory that only this launch used."""
        addresses = self.parameter_address, self.workspace_address, self.buffer_address, self.text_address
        self.parameter_address = self.workspace_address = self.buffer_address = self.text_address = 0
        for address in addresses:
            if address:
                self.memory._free(address)
        return 0

    @property
    def blocks(self):
        """Blocks of the grid."""
        return self.launch.blocks

    @property
    def blocks_done(self):
        """Blocks that have ended."""
        return self.launch.done_blocks

    @property
    def blocks_started(self):
        """Blocks that have been given a place on a multiprocessor."""
        return self.launch.next_block

    @property
    def complete(self):
        """Whether nothing of it is left to do."""
        return self.launch.state == LS_COMPLETE and self.origin.grids == 0

    @property
    def ready(self):
        """Cycle from which its blocks could start: those of its timeline count from here."""
        return self.launch.ready

    @property
    def started(self):
        """Cycle in which its first block started."""
        return self.launch.started

    @property
    def ended(self):
        """Cycle in which its last block ended and its last store had landed, once it is complete."""
        return self.launch.ended

    @property
    def gathered(self):
        """Cycle since which all its blocks wait for the grids of other devices, None: they do not."""
        return self.launch.gathered if self.launch.grids and self.launch.gathered >= 0 else None

    @property
    def constants_written(self):
        """Whether it has stored to the constant memory of its module."""
        return bool(self.origin.constants_written)

    def printed(self):
        """Give what the kernel has printed so far; `archdef.run.printing` formats it.

        Returns
        -------
        tuple of (bytes, int, int)
            Records as `system.pxd` declares them, the latest of them at least; bytes of those that count; calls so far.
        """
        cdef int64_t used = self.origin.output.used
        return (<bytes>self.origin.output.bytes[:used] if used else b""), self.origin.output.room, self.origin.output.calls

    def ignored(self):
        """List the calls of the device runtime that failed and whose answer no thread has looked at.

        Returns
        -------
        list of tuple of 4 int
            Error, how often, kernel and statement of the first.
        """
        cdef const Ignored *each
        cdef int i
        found = []
        for i in range(IGNORED + 1):
            each = &self.origin.ignored[i]
            if each.count:
                found.append((each.error, each.count, each.kernel, each.statement))
        return found

    def launches(self):
        """Give what kernels have launched: rows of `records.CHILD_DTYPE`, in order of their end."""
        return child_records(self.origin.records, self.origin.record_count)

    def counted_of(self, int64_t kernel):
        """Give the counters of the statements of a kernel that kernels launch; its own are those of `counted`."""
        if not 0 <= kernel < self.origin.kernel_count:
            raise IndexError(kernel)
        return as_records(&self.origin.kernels[kernel].model, NULL, 0)[0]

    def counted(self):
        """Give the counters of its statements and of its share of every multiprocessor, as two structured arrays, how often each op was issued,
        and most resident blocks."""
        cdef int64_t most = 0, i
        statements, multiprocessor, issued = as_records(&self.launch, self.origin.residencies, self.multiprocessors)
        for i in range(self.multiprocessors):
            most = max(most, self.origin.residencies[i].most_resident)
        return statements, multiprocessor, issued, most
