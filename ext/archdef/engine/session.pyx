"""A machine at work: launches come in over time and share its multiprocessors, its caches and its memory.

In an epoch every multiprocessor runs alone, then the network handles what they sent, in time order. Nothing that the network
returns can arrive in the epoch it was sent in, because an epoch is no longer than the response latency, and a block's place
is not filled again within one. So results do not depend on the length of epochs.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc

from archdef.engine.block_cluster cimport clusters_close
from archdef.engine.counters cimport StatementCounters
from archdef.engine.dispatch cimport dispatch_close, dispatch_collect, dispatch_next, dispatch_note, dispatch_run
from archdef.engine.clock cimport NEVER, cycle_at
from archdef.engine.events cimport Events, events_close, events_next
from archdef.engine.family cimport family_close, launch_enter
from archdef.engine.fault_text cimport fault_error
from archdef.engine.fetch cimport fetch_base
from archdef.engine.frames cimport GROWN_FRAMES
from archdef.engine.groups cimport group_release, groups_settle, groups_wait
from archdef.engine.lane_states cimport LaneTracer
from archdef.engine.lanes cimport restore_fpenv, save_fpenv, set_fpenv
from archdef.engine.hooks cimport Hooks
from archdef.engine.machine cimport MAX_SCHEDULERS, MAX_UNITS, SCHEDULER_WARPS, MachineTable
from archdef.engine.memory cimport CLUSTER_FIRST, DeviceMemory, Span
from archdef.engine.network cimport network_close, network_next, network_open, network_run
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.program cimport LoadedProgram
from archdef.engine.records cimport as_records, child_records, partition_records
from archdef.engine.room cimport room_plan, rooms_close, sm_close, sm_open, sm_open_bulk
from archdef.engine.schedule cimport lowest_bit, pick_of
from archdef.engine.sm cimport sm_run
from archdef.engine.spinning cimport watch_close, watch_look, watch_start
from archdef.engine.state cimport (FAULT_CYCLES, FAULT_DEADLOCK, FAULT_HOST_MEMORY, FAULT_PARTED, FAULT_POLICY, FAULT_STANDSTILL, HP_READY, LS_COMPLETE, LS_WAITING,
                                   UNIT_COPIES, WHOLE, WS_BARRIER, WS_CHILDREN, WS_PARTED, WS_REGISTERS, IGNORED, ConstantFill, Fit, Ignored, KernelTable, Launch, MOST_CLUSTER_BLOCKS, LaunchBuffer, Memo,
                                   Origin, Share, Sm, Warp)
from archdef.engine.texture_table cimport textures_close, textures_open
from archdef.engine.types cimport (CK_CONST_SYMBOL, CK_GLOBAL_SYMBOL, CK_IMMEDIATE, CK_LOCAL_SYMBOL, CK_PARAM_SYMBOL, CK_PARAMETER,
                                   CK_SHARED_SYMBOL, CK_SPECIAL, K_SYSTEM, SR_CLUSTER_NCTAID_X, SR_CLUSTER_NCTARANK, SR_CLUSTER_ORIGIN,
                                   SR_DYNAMIC_SHARED, SR_IS_EXPLICIT_CLUSTER, SR_NCLUSTERID_X, SR_GRIDID, SR_NCTAID_X, SR_NTID_X,
                                   SR_TOTAL_SHARED, SR_WARP_SIZE, SR_WORKSPACE, SYS_ALLOCATE, SYS_FREE, SYS_GIVE, SYS_LAUNCH, SYS_PRINT,
                                   SYS_TAKE)
from archdef.engine.units cimport units_need, units_open

from archdef.errors import EngineLimit, LaunchError

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *now)
    int CLOCK_MONOTONIC

WORKSPACE_BYTES = 64   # more than any published cooperative-groups header asks for
_NEAR_BYTES = (1 << 31) - 16     # of a block's shared and a thread's local memory: their addresses are signed numbers of 32 bits to the engine


cdef int _check_near(program, int64_t dynamic_shared_bytes) except -1:
    """Refuse sizes for which the sums that lay out a block's memory could wrap."""
    for name, bytes_ in (("shared memory", int(program.shared_bytes) + dynamic_shared_bytes), ("local memory of a thread", program.local_bytes)):
        if not 0 <= bytes_ <= _NEAR_BYTES:
            raise LaunchError(f"{bytes_} bytes of {name}: there can be {_NEAR_BYTES} at most")
    return 0


cdef int64_t _now_ns() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000000000 + now.tv_nsec


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


cdef class Grid:
    """A launch by the host: the kernel, its arguments, and what the engine counts for it. Made by `Session.launch`."""

    def __cinit__(self, Session session not None, program, grid, block, bytes parameters,
                  int64_t dynamic_shared_bytes, allowed, uint64_t global_base, uint64_t const_base, name, uint64_t heap_bytes,
                  int64_t print_bytes, const unsigned char[::1] textures, bint cooperative, kernels, LaneTracer lane_trace, among,
                  int64_t l1_sets=0, int64_t l1_ways=0, cluster=None, multicast=()):
        cdef const MachineTable *m = &session.machine
        cdef DeviceMemory memory = session.memory
        cdef Launch *launch = &self.launch
        cdef int64_t i
        self.memory = memory
        self.multiprocessors = m.chip.multiprocessors
        self.program = LoadedProgram(program, m.warp_size, m.units)
        self.statements = program.statements
        self.entry = name or program.entry
        launch.m = m
        launch.origin = &self.origin
        launch.textures = &self.origin.textures
        launch.ops = self.program.ops
        launch.targets = self.program.targets
        launch.operands = self.program.operands
        launch.op_count = self.program.op_count
        launch.copies = self.program.copies
        launch.statements = max(self.program.statements, 1)
        launch.constants = self.program.constants
        launch.rows = self.program.rows
        launch.predicates = self.program.predicates
        launch.special_count = self.program.specials
        launch.special_of = self.program.special_of
        launch.special_row = self.program.special_row
        launch.lanes = m.warp_size
        launch.pitch = 4 * m.warp_size
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
        launch.l1_sets = min(max(l1_sets, 0), m.caches.l1.sets)
        launch.l1_ways = min(max(l1_ways, 0), m.caches.l1.ways) or m.caches.l1.ways
        self.program.find_queued(m.load_store.instruction_queue.units)
        self.program.space_out(m.schedulers.instruction_gap_cycles, m.load_store.access_distance_cycles)
        if m.caches.instruction.sets:
            launch.code_lines = self.program.place(m.instruction_bytes, m.caches.instruction.line_bytes)
            self.origin.code = <uint64_t>session._number_of(program)
            launch.code_base = fetch_base(launch)
        _check_near(program, dynamic_shared_bytes)
        launch.shared_bytes = program.shared_bytes + dynamic_shared_bytes
        launch.local_bytes = (program.local_bytes + 15) // 16 * 16
        launch.stack_start = min(getattr(program, "stack_start", 0), launch.local_bytes)
        launch.registers = getattr(program, "held_registers", 0)
        for i in range(4):
            if allowed[i] < 1:
                raise LaunchError(f"resident_blocks must be at least 1, got {allowed[i]}")
            launch.cost[i] = <int64_t>WHOLE // <int64_t>allowed[i]
        if launch.block_warps > SCHEDULER_WARPS * m.schedulers.count:
            raise LaunchError(f"a block of {launch.block_warps} warps is more than {m.schedulers.count} schedulers of "
                              f"{SCHEDULER_WARPS} warps hold")
        launch.cost[0] = max(launch.cost[0], <int64_t>WHOLE // (SCHEDULER_WARPS * m.schedulers.count // launch.block_warps))
        room_plan(launch)
        # another word to begin with only turns the banks, unless words of a row count as one
        launch.passes_period = max(16, m.shared.banks * m.shared.bank_width_bytes * m.shared.row_words) if m.shared.row_words > 1 else m.shared.bank_width_bytes
        launch.memos = <Memo *>calloc(launch.op_count, sizeof(Memo))
        launch.counters = <StatementCounters *>calloc(launch.statements, sizeof(StatementCounters))
        launch.issued = <int64_t *>calloc(launch.op_count, sizeof(int64_t))
        self.origin.shares = <Share *>calloc(m.chip.multiprocessors, sizeof(Share))
        if launch.memos == NULL or launch.counters == NULL or launch.issued == NULL or self.origin.shares == NULL:
            raise MemoryError("state of a launch")
        self.origin.grids = 1
        self.kernels = kernels
        self.loaded = []
        self._open_runtime(program, heap_bytes, print_bytes)
        if cooperative:
            self.workspace_address = memory.allocate(WORKSPACE_BYTES)
            memory.write(self.workspace_address, bytearray(WORKSPACE_BYTES))
        if kernels is not None:
            self._open_kernels(session, program, global_base, const_base)
        self._fill_constants(program, parameters, dynamic_shared_bytes, global_base, const_base, multicast)
        self.lane_trace = lane_trace
        launch.cooperative = cooperative
        launch.grid_rank, launch.grids = among or (0, 0)
        launch.gathered = -1
        cdef int64_t packed_bytes = 0 if textures is None else textures.shape[0]
        textures_open(&self.origin.textures, &textures[0] if packed_bytes else NULL, packed_bytes, launch.spans, launch.span_count,
                      self.program.uses_textures or any([(<LoadedProgram>each).uses_textures for each in self.loaded]))

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
        free(self.origin.shares)
        free(self.origin.spans)
        free(self.origin.output.bytes)
        textures_close(&self.origin.textures)

    cdef int _open_kernels(self, Session session, program, uint64_t global_base, uint64_t const_base) except -1:
        """Make what launches by kernels need: a table of kernels, device memory for arguments and texts."""
        cdef Origin *origin = &self.origin
        cdef KernelTable *table
        cdef LoadedProgram loaded
        cdef ConstantFill *fills
        cdef int32_t *numbers
        cdef int64_t i, k
        programs = self.kernels.programs
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
                loaded = LoadedProgram(each, self.launch.lanes, session.machine.units)
                self.loaded.append(loaded)
                loaded.find_queued(session.machine.load_store.instruction_queue.units)
                loaded.space_out(session.machine.schedulers.instruction_gap_cycles, session.machine.load_store.access_distance_cycles)
                if session.machine.caches.instruction.sets:
                    table.model.code_lines = loaded.place(session.machine.instruction_bytes, session.machine.caches.instruction.line_bytes)
                table.model.ops = loaded.ops
                table.model.targets = loaded.targets
                table.model.operands = loaded.operands
                table.model.op_count = loaded.op_count
                table.model.copies = loaded.copies
                table.model.statements = max(loaded.statements, 1)
                table.model.rows = loaded.rows
                table.model.predicates = loaded.predicates
                table.model.special_count = loaded.specials
                table.model.special_of = loaded.special_of
                table.model.special_row = loaded.special_row
                table.model.memos = <Memo *>calloc(loaded.op_count, sizeof(Memo))
                table.model.counters = <StatementCounters *>calloc(table.model.statements, sizeof(StatementCounters))
                table.model.issued = <int64_t *>calloc(loaded.op_count, sizeof(int64_t))
                _check_near(each, 0)
                table.model.local_bytes = (each.local_bytes + 15) // 16 * 16
                table.model.stack_start = min(each.stack_start, table.model.local_bytes)
                table.model.registers = getattr(each, "held_registers", 0)
                if table.model.memos == NULL or table.model.counters == NULL or table.model.issued == NULL:
                    raise MemoryError("state of a kernel")
            table.model.shared_bytes = each.shared_bytes
            table.parameter_bytes = each.parameter_bytes
            table.fill_count = len(each.constants)
            table.constant_bytes = (table.fill_count + 2) * self.launch.pitch
            table.global_base = global_base
            table.const_base = const_base
            table.fills = fills = <ConstantFill *>calloc(table.fill_count + 1, sizeof(ConstantFill))
            table.pointers = numbers = <int32_t *>calloc(len(self.kernels.pointers[i]) + 1, sizeof(int32_t))
            if fills == NULL or numbers == NULL:
                raise MemoryError("state of a kernel")
            for k, (kind, width, value) in enumerate(zip(each.constants["kind"].tolist(), each.constants["width"].tolist(),
                                                         each.constants["value"].tolist())):
                fills[k].kind = kind
                fills[k].width = width
                fills[k].value = value
            for offset in self.kernels.pointers[i]:
                if 0 <= offset <= each.parameter_bytes - 8:
                    numbers[table.pointer_count] = offset
                    table.pointer_count += 1
        origin.functions = numbers = <int32_t *>calloc(len(self.kernels.functions) + 1, sizeof(int32_t))
        launches = max(self.kernels.functions, default=-1) >= 0
        origin.buffer_count = min(session.machine.pending_launches, 1 << 20) if launches else 0
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
        most = max([each.parameter_bytes for each in programs])
        origin.buffer_bytes = (most + 63) // 64 * 64 or 64
        if origin.buffer_count:
            self.buffer_address = origin.buffer_address = self.memory.allocate(origin.buffer_count * origin.buffer_bytes)
        if self.kernels.texts:
            self.text_address = origin.text_address = self.memory.allocate(len(self.kernels.texts))
            self.memory.write(self.text_address, bytearray(self.kernels.texts))
        return 0

    cdef int _open_runtime(self, program, uint64_t heap_bytes, int64_t print_bytes) except -1:
        """Make what the kernel's system calls need."""
        calls = set()
        for each in [program] + (self.kernels.programs if self.kernels is not None else []):
            calls.update(each.ops["fn"][each.ops["kind"] == K_SYSTEM].tolist())
        if calls & {SYS_ALLOCATE, SYS_FREE, SYS_TAKE, SYS_GIVE} or SYS_LAUNCH in calls and self.launch.m.virtual_launches:
            self.memory.open_heap(heap_bytes)
        if self.memory.heap_address:
            self.launch.heap = &self.memory.heap
        if SYS_PRINT in calls:
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
        kinds = [int(k) for k in program.constants["kind"]]
        self.synchronises_grid = (CK_SPECIAL, SR_WORKSPACE) in zip(kinds, program.constants["value"].tolist())
        values = []
        if CK_PARAM_SYMBOL in kinds and parameters:
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
        special = {SR_WARP_SIZE: launch.lanes, SR_DYNAMIC_SHARED: dynamic_shared_bytes, SR_TOTAL_SHARED: launch.shared_bytes,
                   SR_GRIDID: 1, SR_WORKSPACE: self.workspace_address, SR_CLUSTER_NCTARANK: launch.cluster_blocks,
                   SR_IS_EXPLICIT_CLUSTER: launch.explicit_cluster, SR_CLUSTER_ORIGIN: CLUSTER_FIRST if launch.cluster_blocks > 1 else 0}
        for i in range(3):
            special[SR_NTID_X + i] = launch.block[i]
            special[SR_NCTAID_X + i] = launch.grid[i]
            special[SR_CLUSTER_NCTAID_X + i] = launch.cluster[i]
            special[SR_NCLUSTERID_X + i] = launch.grid[i] // launch.cluster[i]
        base = {CK_GLOBAL_SYMBOL: global_base, CK_CONST_SYMBOL: const_base, CK_PARAM_SYMBOL: self.parameter_address,
                CK_LOCAL_SYMBOL: 0, CK_SHARED_SYMBOL: 0, CK_IMMEDIATE: 0}
        for kind, width, value in zip(kinds, program.constants["width"].tolist(), program.constants["value"].tolist()):
            if width == 0:
                number = 0
            elif kind == CK_PARAMETER:
                piece = parameters[value:value + width]
                number = int.from_bytes(piece, "little")
            elif kind == CK_SPECIAL:
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
    def complete(self):
        """Whether nothing of it is left to do."""
        return self.launch.state == LS_COMPLETE and self.origin.grids == 0

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
        statements, multiprocessor, issued = as_records(&self.launch, self.origin.shares, self.multiprocessors)
        return statements, multiprocessor, issued, max(self.origin.shares[i].most_resident for i in range(self.multiprocessors))


cdef class Session:
    """A machine, from the moment it is made: launches come in, share it, and end.

    Parameters
    ----------
    machine : dict
        Integers of `MachineTable`, from `archdef.pack.machine_tables`.
    memory : DeviceMemory
        Where global and constant data live. One session at a time may use it.
    max_instructions, max_cycles : int
        Budgets: warp instructions and multiprocessor cycles.
    lookahead_cycles : int, optional
        Length of an epoch; by default the longest that is right. Shorter ones give the same results, slower.
    """

    def __cinit__(self, dict machine, DeviceMemory memory not None, int64_t max_instructions=1 << 62, int64_t max_cycles=1 << 50,
                  int64_t lookahead_cycles=0):
        cdef int64_t i, longest
        cdef MachineTable *m = &self.machine
        self.machine = machine
        self._check(m)
        self.hooks = Hooks(machine.get("policies", ()))
        self.hooks.place(m)
        self.memory = memory
        self.grids = []
        self.leaving = []
        self.programs = []
        self.instructions = max_instructions
        self.max_cycles = max_cycles
        self.chip.m = m
        units_open(&self.chip)
        self.chip.pick = pick_of(m.policy)
        watch_start(&self.watch)
        self.chip.budget = max_instructions
        self.chip.frames_left = GROWN_FRAMES
        longest = m.interconnect.response_latency_fs // m.shader_period_fs
        longest = max(1, min(longest, m.chip.block_turnover_cycles))
        if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER and m.caches.texture_l1.sets:
            longest = max(1, min(longest, m.caches.texture_l1.latency_cycles))
        if m.block_clusters.most_blocks_nonportable > 1:        # what one block tells another comes no sooner
            longest = max(1, min(longest, m.block_clusters.latency_cycles, m.block_clusters.barrier_cycles))
        self.chip.free_posted = -1
        self.chip.lookahead = longest if lookahead_cycles == 0 else max(1, min(longest, lookahead_cycles))
        self.inboxes = <Events *>calloc(m.chip.multiprocessors, sizeof(Events))
        self.sms = <Sm *>calloc(m.chip.multiprocessors, sizeof(Sm))
        if self.inboxes == NULL or self.sms == NULL:
            raise MemoryError("state of a machine")
        for i in range(m.chip.multiprocessors):
            self.inboxes[i].first = self.inboxes[i].own = NEVER
        self.dispatcher.chip = &self.chip
        self.dispatcher.sms = self.sms
        self.chip.dispatcher = &self.dispatcher
        self.chip.network_landed = &self.network.crossbar.landed
        network_open(&self.network, m, self.inboxes)
        if m.chip.dispatch_hook:
            self.chip.asked = <int64_t *>calloc(<size_t>(3 * m.chip.multiprocessors), sizeof(int64_t))
            if self.chip.asked == NULL:
                raise MemoryError("state of a machine")
        for i in range(m.chip.multiprocessors):
            sm_open(&self.sms[i], <int32_t>i, &self.chip, &self.network, &self.inboxes[i])

    def __dealloc__(self):
        cdef int64_t i
        if self.sms != NULL:
            for i in range(self.machine.chip.multiprocessors):
                if self.sms[i].chip != NULL:
                    sm_close(&self.sms[i])
        if self.inboxes != NULL:
            for i in range(self.machine.chip.multiprocessors):
                events_close(&self.inboxes[i])
        network_close(&self.network)
        rooms_close(&self.chip)
        clusters_close(&self.chip)
        dispatch_close(&self.dispatcher)
        watch_close(&self.watch)
        family_close(&self.dispatcher)
        free(self.chip.asked)
        free(self.chip.launches)
        free(self.chip.landed)
        free(self.sms)
        free(self.inboxes)

    cdef int _check(self, MachineTable *m) except -1:
        """Refuse tables that the engine's fixed sizes cannot hold."""
        for name, value, low, high in (
                ("warp_size", m.warp_size, 1, 64), ("multiprocessors", m.chip.multiprocessors, 1, 1 << 14),
                ("cluster_size", m.chip.multiprocessors_per_cluster, 1, 1 << 14), ("most_cluster_blocks", m.block_clusters.most_blocks_nonportable, 1, MOST_CLUSTER_BLOCKS),
                ("remote_latency_cycles", m.block_clusters.latency_cycles, 1, 1 << 20), ("remote_bytes_per_cycle", m.block_clusters.bytes_per_cycle, 1, 1 << 20),
                ("cluster_barrier_cycles", m.block_clusters.barrier_cycles, 1, 1 << 20),
                ("warps_per_multiprocessor", m.warps_per_multiprocessor, 1, 1 << 14), ("schedulers", m.schedulers.count, 1, MAX_SCHEDULERS),
                ("units", m.units, 1, MAX_UNITS), ("issue_interval_cycles", m.schedulers.issue_interval_cycles, 1, 1 << 16),
                ("issue_width", m.schedulers.issue_width, 1, 8), ("banks", m.shared.banks, 1, 256),
                ("bank_width_bytes", m.shared.bank_width_bytes, 1, 16), ("row_words", m.shared.row_words, 1, 16),
                ("conflict_lanes", m.shared.conflict_lanes, 1, 64),
                *(("unit_copies", m.unit_copies[i], 1, UNIT_COPIES) for i in range(16)),
                *(("unit_within", m.unit_within[i], 0, 15) for i in range(16)),
                *(("unit_first", m.unit_first[i], 0, UNIT_COPIES - m.unit_copies[i]) for i in range(16)),
                ("partitions", m.dram.partitions, 1, 4096), ("dram_banks", m.dram.banks, 1, 64),
                ("shader_period_fs", m.shader_period_fs, 1, 1 << 40), ("core_period_fs", m.core_period_fs, 1, 1 << 40),
                ("response_latency_fs", m.interconnect.response_latency_fs, m.shader_period_fs, 1 << 50),
                ("queue_room", m.load_store.instruction_queue.entries, 1, 64), ("bank_queue", m.load_store.bank_queue_entries, 0, 64), ("queue_entries", m.dram.queue_entries, 1, 1 << 16), ("window", m.dram.window, 1, 1 << 16),
                ("reads_in_flight", m.load_store.reads_in_flight_per_multiprocessor, 1, 1 << 14), ("stores_in_flight", m.load_store.stores_in_flight_per_multiprocessor, 1, 1 << 14),
                ("store_bytes_in_flight", m.load_store.store_bytes_in_flight_per_multiprocessor, 0, 1 << 24),
                ("textures_in_flight", m.load_store.textures_in_flight_per_multiprocessor, 0, 1 << 11),
                ("interleave_bytes", m.dram.interleave_bytes, 32, 1 << 30), ("row_bytes", m.dram.row_bytes, 32, 1 << 30),
                ("burst_bytes", m.dram.burst_bytes, 1, 1 << 20), ("burst_fs", m.dram.burst_fs, 1, 1 << 40),
                ("injection_bytes_per_cycle", m.interconnect.injection_bytes_per_cycle, 1, 1 << 20),
                ("partition_request_bytes_per_cycle", m.interconnect.partition_request_bytes_per_cycle, 1, 1 << 20),
                ("partition_response_bytes_per_cycle", m.interconnect.partition_response_bytes_per_cycle, 1, 1 << 20),
                ("texture_weight_bits", m.texture.weight_bits, 1, 8), ("texture_coordinate_bits", m.texture.coordinate_bits, 8, 24),
                ("texture_guard_bits", m.texture.guard_bits, 0, 8), ("load.group_lanes", m.load.group_lanes, 1, 64),
                ("store.group_lanes", m.store.group_lanes, 1, 64),
                ("load_uncached.group_lanes", m.load_uncached.group_lanes, 1, 64)):
            if not low <= value <= high:
                raise EngineLimit(f"machine table: {name} must be {low} to {high}, got {value}")
        return 0

    # ------------------------------------------------------------------------------------------------------ launches
    def launch(self, program, grid, block, bytes parameters=b"", *, int64_t dynamic_shared_bytes=0, allowed=1, uint64_t global_base=0,
               uint64_t const_base=0, name=None, uint64_t heap_bytes=8 << 20, int64_t print_bytes=1 << 20, textures=None,
               bint cooperative=False, int64_t earliest_cycle=0, kernels=None, lane_trace=None, among=None, int64_t l1_sets=0,
               int64_t l1_ways=0, cluster=None, multicast=()):
        """Hand a grid over.

        Parameters
        ----------
        program : archdef.lower.Program
            The kernel, lowered for this machine.
        grid, block : tuple of 3 int
            Blocks of the grid, threads of a block.
        parameters : bytes
            The kernel's parameter buffer.
        dynamic_shared_bytes : int
            Shared memory per block beyond what the kernel declares.
        allowed : int or tuple of 4 int
            Blocks that one multiprocessor could hold if it had to itself all of its warps, block slots, registers, shared memory; a
            single number for each of them.
        global_base, const_base : int
            Device addresses of the module's variable and constant areas; 0 if it has none.
        name : str, optional
            What messages call the kernel; by default the program's entry.
        heap_bytes : int, optional
            Size of the device heap, if this kernel is the first on the memory that allocates.
        print_bytes : int, optional
            Room for what the kernel prints: that of the latest calls.
        textures : bytes, optional
            Array of `archdef.engine.texture_table.TEXTURE_DTYPE`, sorted by handle: what handles in the kernel's hands stand for.
        cooperative : bool, optional
            Give the grid words of device memory by which its blocks can wait for each other.
        among : tuple of 2 int, optional
            The launch is number so and so of so many on several devices, which wait for each other: see `let_go`.
        l1_sets, l1_ways : int, optional
            Sets, and ways of each, that shared memory leaves to L1; by default as many as the machine declares.
        cluster : tuple of 3 int, optional
            Blocks of a cluster, which start together; by default a block is its own.
        multicast : sequence of tuples of 3 int, optional
            Multicast addresses: the first, bytes, the device address that is there.
        lane_trace : LaneTracer, optional
            Records what the lanes of some warps do; one for each launch.
        kernels : object, optional
            What kernels of this launch may launch, as `archdef.run.children.Kernels` has it.
        earliest_cycle : int, optional
            No block starts before it, nor before what has been simulated already.

        Returns
        -------
        Grid
        """
        cdef int64_t i
        cdef Grid made
        cdef LoadedProgram loaded
        if self.ended:
            raise RuntimeError("the session has ended")
        with self.memory._lock:
            if self.active == 0:
                if self.memory.running:
                    raise LaunchError("another kernel runs on this device; wait for it, or use another device")
                self.memory.running += 1
            self.active += 1
        try:
            made = Grid(self, program, grid, block, parameters, dynamic_shared_bytes,
                        allowed if isinstance(allowed, tuple) else (allowed,) * 4, global_base, const_base, name, heap_bytes, print_bytes,
                        textures, cooperative, kernels, lane_trace, among, l1_sets, l1_ways, cluster, multicast)
            self._enter(made)
            for each in [made.program] + made.loaded:
                loaded = <LoadedProgram>each
                units_need(&self.chip, self.sms, loaded.units)
                if loaded.uses_bulk:
                    for i in range(self.machine.chip.multiprocessors):
                        sm_open_bulk(&self.sms[i])
        except BaseException:
            self._release(1)
            raise
        made.launch.ready = max(earliest_cycle, self.epoch)
        if made.lane_trace is not None:
            made.launch.trace = &made.lane_trace.trace
            made.lane_trace.begin(made.launch.ready)
        self.grids.append(made)
        self.waiting = False
        dispatch_note(&self.dispatcher, made.launch.ready, HP_READY, 0, made.number)
        return made

    cdef int _number_of(self, program) except -1:
        """Number programs, the same one always alike: its code stays in the caches from one launch to the next."""
        for i in range(len(self.programs)):
            if self.programs[i] is program:
                return <int>i
        self.programs.append(program)
        return <int>(len(self.programs) - 1)

    cdef int _enter(self, Grid grid) except -1:
        """Give a launch its number."""
        if launch_enter(&self.dispatcher, &grid.launch) < 0:
            raise MemoryError("table of launches")
        grid.number = grid.launch.number
        grid.launch.state = LS_WAITING
        self.dispatcher.serial += 1
        grid.launch.serial = self.dispatcher.serial
        self.launched += 1
        return 0

    cdef int _measure(self) except -1:
        """Find how many blocks of a launch by a kernel fit on a multiprocessor."""
        cdef Launch *launch = self.dispatcher.unfit
        cdef Grid grid
        cdef Fit *fits
        cdef int i
        for item in self.grids:
            grid = item
            if launch.origin == &grid.origin:
                allowed = grid.kernels.fit(launch.kernel, launch.block_threads, launch.shared_bytes)
                fits = <Fit *>realloc(grid.origin.fits, <size_t>(grid.origin.fit_count + 1) * sizeof(Fit))
                if fits == NULL:
                    raise MemoryError("table of kernels")
                grid.origin.fits = fits
                fits += grid.origin.fit_count
                fits.kernel = launch.kernel
                fits.threads = launch.block_threads
                fits.shared = launch.shared_bytes
                for i in range(4):
                    fits.cost[i] = <int64_t>WHOLE // <int64_t>max(allowed[i], 1)
                grid.origin.fit_count += 1
                return 0
        raise RuntimeError("a launch of nobody")

    cdef int _release(self, int64_t count) except -1:
        """So many launches are over; with the last, device memory is free for others."""
        with self.memory._lock:
            self.active -= count
            if self.active == 0 and count:
                self.memory.running -= 1
        return 0

    def finished(self):
        """List the launches that have become complete since this was asked last.

        Returns
        -------
        list of Grid
            In order of their end, then of their number.
        """
        done = [grid for grid in self.grids if (<Grid>grid).complete]
        if done:
            self.grids = [grid for grid in self.grids if not (<Grid>grid).complete]
            self.leaving = [grid for grid in self.leaving + done if (<Grid>grid).launch.seated]
            for grid in done:
                (<Grid>grid)._let_go()
            self._release(len(done))
        return sorted(done, key=lambda grid: (grid.ended, grid.number))

    def _give_up(self):
        """Nothing more happens here."""
        self.ended = 1
        for grid in self.grids:
            (<Grid>grid)._let_go()
        self._release(len(self.grids))
        self.leaving += self.grids       # warps still point to them
        self.grids = []

    # ---------------------------------------------------------------------------------------------------------- time
    cdef int _step(self, int64_t until_cycle) noexcept nogil:
        """One epoch. Returns 1 when all is quiet, 2 when `until_cycle` is reached, 3 when a launch must be measured first, -1 after a fault,
        else 0."""
        cdef int64_t until = min(self.epoch + self.chip.lookahead, until_cycle), next_cycle, at, i, status
        status = dispatch_run(&self.dispatcher, until)
        if status:
            return 3 if status > 0 else -1
        for i in range(self.machine.chip.multiprocessors):
            if events_next(self.inboxes + i) < until and sm_run(&self.sms[i], until) < 0:
                return -1
        if self.chip.fault.code:        # of what has come from another block
            return -1
        dispatch_collect(&self.dispatcher)
        if self.chip.gathered:
            groups_settle(&self.chip, self.sms, until)
        network_run(&self.network, until * self.machine.shader_period_fs)
        next_cycle = dispatch_next(&self.dispatcher)
        for i in range(self.machine.chip.multiprocessors):
            if self.inboxes[i].failed:
                self.chip.out_of_memory = True
            at = events_next(self.inboxes + i)
            if at < next_cycle:
                next_cycle = at
        if self.chip.out_of_memory:
            self.chip.fault.code = FAULT_HOST_MEMORY
            return -1
        if self.hooks.count and self.hooks.refused() >= 0:
            self.chip.fault.code = FAULT_POLICY
            self.chip.fault.cycle = until
            return -1
        at = network_next(&self.network)
        if at < NEVER and at // self.machine.shader_period_fs < next_cycle:
            next_cycle = at // self.machine.shader_period_fs
        if next_cycle >= NEVER:
            self.epoch = until
            if self.dispatcher.running == NULL:
                return 1
            if until_cycle < NEVER and groups_wait(&self.chip):
                self.waiting = True
                return 1
            self._blame()
            return -1
        self.epoch = max(until, min(next_cycle, until_cycle))
        if self.epoch > self.max_cycles:
            self.chip.fault.code = FAULT_CYCLES
            self.chip.fault.cycle = self.epoch
            self._point_at_running()
            return -1
        if self.closed and self.epoch >= self.watch.next and self.chip.opening == 0:
            status = watch_look(&self.watch, self.sms, self.machine.chip.multiprocessors, &self.dispatcher, self.epoch)
            if status < 0:
                self.chip.fault.code = FAULT_HOST_MEMORY
                return -1
            if status > 0:
                self._stand_still()
                return -1
        return 2 if self.epoch >= until_cycle else 0

    cdef void _blame(self) noexcept nogil:
        """Nothing can happen any more and blocks are left: find a warp that waits."""
        cdef int64_t i
        cdef int32_t k, n
        cdef Warp *w
        self.chip.fault.code = FAULT_DEADLOCK
        self.chip.fault.cycle = self.epoch
        for i in range(self.machine.chip.multiprocessors):
            for k in range(SCHEDULER_WARPS * self.machine.schedulers.count):
                w = self.sms[i].warps + k
                if w.launch == NULL or not self.sms[i].blocks[w.block].running or w.state != WS_BARRIER and w.state != WS_PARTED and w.state != WS_CHILDREN and w.state != WS_REGISTERS:
                    continue
                self.chip.fault.launch = w.launch
                self.chip.fault.sm = <int32_t>i
                self.chip.fault.warp = k
                self.chip.fault.op = w.barrier_op
                self.chip.fault.lanes = w.alive
                if w.state == WS_PARTED:
                    self.chip.fault.code = FAULT_PARTED
                    for n in range(w.split_room):
                        if w.splits[n].mask:
                            self.chip.fault.op = w.splits[n].pc
                            self.chip.fault.lanes = w.splits[n].mask
                self.chip.fault.lane = lowest_bit(self.chip.fault.lanes)
                return

    cdef void _point_at_running(self) noexcept nogil:
        """Name one warp that still runs."""
        cdef int64_t i
        cdef int32_t k
        cdef Warp *w
        for i in range(self.machine.chip.multiprocessors):
            for k in range(SCHEDULER_WARPS * self.machine.schedulers.count):
                w = self.sms[i].warps + k
                if w.launch != NULL and self.sms[i].blocks[w.block].running and w.alive:
                    self.chip.fault.launch = w.launch
                    self.chip.fault.sm = <int32_t>i
                    self.chip.fault.warp = k
                    self.chip.fault.op = w.pc
                    return

    cdef void _stand_still(self) noexcept nogil:
        """Warps go round for ever: blame the first."""
        self.chip.fault.code = FAULT_STANDSTILL
        self.chip.fault.cycle = self.epoch
        self._point_at_running()
        if self.chip.fault.launch != NULL:
            self.chip.fault.lanes = self.sms[self.chip.fault.sm].warps[self.chip.fault.warp].active
            self.chip.fault.lane = lowest_bit(self.chip.fault.lanes) if self.chip.fault.lanes else 0

    def advance(self, double milliseconds=100.0, until_cycle=None, closed=None):
        """Simulate for about so much host time, without the GIL.

        Parameters
        ----------
        milliseconds : float
            Of host time.
        until_cycle : int, optional
            Cycle at which to stop: everything before it has then happened, nothing after it.
        closed : bool, optional
            Nothing else can happen to the machine or its memory meanwhile, so warps that go round without an effect are at a standstill,
            which is an error. By default if `until_cycle` is not given.

        Returns
        -------
        bool
            Whether there is more to do (before `until_cycle`).

        Raises
        ------
        GuestFault
            A kernel did something illegal; device memory stays as it was at that moment.
        BudgetExceeded
            They ran past their instructions or cycles.
        """
        cdef int64_t deadline, last = NEVER if until_cycle is None else until_cycle
        cdef int status = 0, k
        cdef uint64_t host
        if self.ended or self.epoch >= last:
            return False
        deadline = _now_ns() + <int64_t>(milliseconds * 1e6)
        self.closed = until_cycle is None if closed is None else closed
        while True:
            status = 0
            with nogil:
                host = save_fpenv()
                set_fpenv(0)
                while status == 0:
                    for k in range(16):
                        status = self._step(last)
                        if status:
                            break
                    if status == 0 and _now_ns() > deadline:
                        break
                restore_fpenv(host)
            if status != 3:
                break
            try:
                self._measure()
            except BaseException:
                self._give_up()
                raise
        if status == 0:
            return True
        if status < 0:
            error = self._error()
            self._give_up()
            raise error
        if status == 1 and until_cycle is not None:
            self.epoch = last
        return False

    def let_go(self, Grid grid not None, int64_t cycle):
        """Let a grid that waits for grids of other devices (`Grid.gathered`) go on, at a cycle that is not past."""
        grid.launch.gathered = -1
        group_release(&grid.launch, self.sms, max(cycle, self.epoch))
        self.waiting = False

    def deadlock(self):
        """Nobody will let the grids that wait here go on. Gives the error; the session is over."""
        self._blame()
        error = self._error()
        self._give_up()
        return error

    def cancel(self):
        """Stop here: what has been stored so far stays, nothing more happens."""
        self._give_up()

    def _error(self):
        """Turn the recorded fault into an exception."""
        cdef Grid grid
        cdef Launch *launch = self.chip.fault.launch
        if self.hooks.refused() >= 0:        # whatever came of it
            return self.hooks.error()
        for item in self.grids:
            grid = item
            if launch == NULL or launch.origin == &grid.origin:
                return fault_error(&self.chip.fault, self.sms, self.machine.chip.multiprocessors, &self.dispatcher, grid, self.memory, self.instructions, self.max_cycles)
        raise RuntimeError("a fault of no launch")

    @property
    def cycle(self):
        """Multiprocessor cycles simulated so far."""
        return self.epoch

    @property
    def lookahead_cycles(self):
        """Length of an epoch."""
        return self.chip.lookahead

    def result(self, Grid grid not None):
        """Counters of a launch so far; see docs/explanation/engine-interface.md.

        Those of the memory partitions are the machine's since the session began: launches that ran at the same time share them.

        Returns
        -------
        dict
        """
        cdef int64_t cycles
        m = self.machine
        statements, multiprocessor, issued, most = grid.counted()
        partition = partition_records(&self.network)
        cycles = grid.launch.ended - grid.launch.ready
        if self.launched == 1:      # what other launches would not wait for: lines that the L2 writes back
            cycles = max(cycles, cycle_at(&self.machine, self.network.crossbar.landed_fs))
        return {
            "cycles": cycles,
            "elapsed_fs": cycles * m.shader_period_fs,
            "statements": statements,
            "warps": int(multiprocessor["warps"].sum()),
            "lanes_launched": int(multiprocessor["lanes"].sum()),
            "threads": int(multiprocessor["threads"].sum()),
            "multiprocessor": multiprocessor,
            "partition": partition,
            "issued": issued,
            "launches": self.launched,
            "max_resident_blocks": most,
            "partitions_in_use": <double>self.network.working_fs / <double>self.network.any_working_fs if self.network.any_working_fs else 0.0,
        }
