"""One launch from start to end: epochs of the multiprocessors and of the network in turn, block dispatch, faults, results.

In an epoch every multiprocessor runs alone, then the network handles what they sent, in time order. Nothing that the network
returns can arrive in the epoch it was sent in, because an epoch is no longer than the response latency, and a block's place
is not filled again within one. So results do not depend on the length of epochs.
"""
import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from archdef.engine.counters cimport STALLS, StatementCounters
from archdef.engine.dram cimport NEVER, PartitionCounters
from archdef.engine.events cimport EV_BLOCK, Events, events_close, events_push
from archdef.engine.frames cimport GROWN_FRAMES
from archdef.engine.lanes cimport restore_fpenv, save_fpenv, set_fpenv
from archdef.engine.machine cimport MAX_SCHEDULERS, MAX_UNITS, SCHEDULER_WARPS, MachineTable
from archdef.engine.memory cimport LOCAL_WINDOW, SHARED_WINDOW, DeviceMemory, Span
from archdef.engine.network cimport Network, network_close, network_next, network_open, network_run
from archdef.engine.program cimport LoadedProgram
from archdef.engine.room cimport sm_close, sm_open
from archdef.engine.schedule cimport lowest_bit, pick_of
from archdef.engine.sm cimport sm_next, sm_run
from archdef.engine.state cimport (FAULT_ALIGNMENT, FAULT_ASSERT, FAULT_BARRIER_NUMBER, FAULT_BOUNDS, FAULT_BRANCH_INDEX, FAULT_BULK_SIZE,
                                   FAULT_CALL_TARGET, FAULT_CYCLES, FAULT_DEADLOCK, FAULT_DIVERGENT_BARRIER, FAULT_FRAME,
                                   FAULT_FREE, FAULT_HOST_MEMORY, FAULT_INSTRUCTIONS, FAULT_LATE, FAULT_PARTED, FAULT_PHASE,
                                   FAULT_READ_ONLY, FAULT_STACK, FAULT_SURFACE_ALIGNMENT, FAULT_SURFACE_BOUNDS,
                                   FAULT_SURFACE_FORMAT, FAULT_TEXTURE_HANDLE, FAULT_TEXTURE_SHAPE, FAULT_TRAP, UNIT_COPIES, WS_BARRIER, WS_ENDED,
                                   WS_PARTED, Block, Ended,
                                   Fault, Launch, Memo, Sm, SmCounters, Warp)
from archdef.engine.texture_table cimport textures_close, textures_open
from archdef.engine.types cimport (CK_CONST_SYMBOL, CK_GLOBAL_SYMBOL, CK_IMMEDIATE, CK_LOCAL_SYMBOL, CK_PARAM_SYMBOL,
                                   CK_PARAMETER, CK_SHARED_SYMBOL, CK_SPECIAL, K_BULK, K_SYSTEM, SP_CONST, SP_GENERIC, SP_GLOBAL,
                                   SP_LOCAL, SP_SHARED, SP_SURFACE, SP_TEXTURE, SR_DYNAMIC_SHARED, SR_GRIDID, SR_NCTAID_X,
                                   SR_NTID_X, SR_TOTAL_SHARED, SR_WARP_SIZE, SR_WORKSPACE, SYS_ALLOCATE, SYS_FREE, SYS_PRINT)

from archdef.engine.program import ProgramError, layout
from archdef.errors import BudgetExceeded, GuestFault, LaunchError

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *now)
    int CLOCK_MONOTONIC

__all__ = ["COUNTER_DTYPE", "DeviceMemory", "MULTIPROCESSOR_DTYPE", "PARTITION_DTYPE", "ProgramError", "Simulation", "layout"]


globals()["DeviceMemory"] = DeviceMemory     # cimported above; public here


cdef int64_t _now_ns() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000000000 + now.tv_nsec


def _dtype(dict record):
    """numpy dtype of a struct of int64 and arrays of int64, from a sample converted to a dict."""
    return np.dtype([(name, np.int64, (len(value),)) if isinstance(value, list) else (name, np.int64)
                     for name, value in record.items()])


cdef StatementCounters _no_statement
memset(&_no_statement, 0, sizeof(StatementCounters))
cdef SmCounters _no_sm
memset(&_no_sm, 0, sizeof(SmCounters))
cdef PartitionCounters _no_partition
memset(&_no_partition, 0, sizeof(PartitionCounters))
COUNTER_DTYPE = _dtype(_no_statement)
MULTIPROCESSOR_DTYPE = _dtype(_no_sm)
PARTITION_DTYPE = _dtype(_no_partition)

_SPACES = {SP_GLOBAL: "global memory", SP_SHARED: "shared memory", SP_LOCAL: "local memory", SP_CONST: "constant memory",
           SP_GENERIC: "memory", SP_TEXTURE: "texture", SP_SURFACE: "surface"}

WORKSPACE_BYTES = 64   # more than any published cooperative-groups header asks for


cdef class Simulation:
    """One kernel launch on one machine.

    Parameters
    ----------
    machine : dict
        Integers of `MachineTable`, from `archdef.pack.machine_tables`.
    program : archdef.lower.Program
        The kernel, lowered for this machine.
    memory : DeviceMemory
        Where global and constant data live. Not to be launched on twice at a time.
    grid, block : tuple of 3 int
        Blocks of the grid, threads of a block.
    parameters : bytes
        The kernel's parameter buffer.
    dynamic_shared_bytes : int
        Shared memory per block beyond what the kernel declares.
    resident_blocks : int
        Most blocks on one multiprocessor at a time, from the occupancy rule.
    max_instructions, max_cycles : int
        Budgets: warp instructions and multiprocessor cycles.
    global_base, const_base : int
        Device addresses of the module's variable and constant areas; 0 if it has none.
    name : str, optional
        What messages call the kernel; by default the program's entry.
    heap_bytes : int, optional
        Size of the device heap, if this kernel is the first on `memory` that allocates.
    print_bytes : int, optional
        Room for what the kernel prints; calls past it are counted and lost.
    textures : bytes, optional
        Array of `archdef.engine.texture_table.TEXTURE_DTYPE`, sorted by handle: what handles in the kernel's hands stand for.
    cooperative : bool, optional
        Give the grid words of device memory by which its blocks can wait for each other.
    lookahead_cycles : int, optional
        Length of an epoch; by default the longest that is right. Shorter ones give the same results, slower.
    """

    cdef MachineTable machine
    cdef Launch launch
    cdef Network network
    cdef Events *inboxes
    cdef Sm *sms
    cdef LoadedProgram program
    cdef DeviceMemory memory
    cdef object statements
    cdef bint synchronises_grid       # the kernel reads where those words are
    cdef object entry
    cdef Span *spans
    cdef uint64_t parameter_address
    cdef uint64_t workspace_address   # of a cooperative launch
    cdef int64_t next_block
    cdef int64_t done_blocks
    cdef int64_t launch_free       # cycle of the next block launch on the chip
    cdef int64_t epoch
    cdef int64_t last_cycle
    cdef int64_t max_cycles
    cdef int64_t instructions
    cdef int ended
    cdef int holding

    def __init__(self, dict machine, program, DeviceMemory memory not None, grid, block, bytes parameters=b"",
                 int64_t dynamic_shared_bytes=0, int64_t resident_blocks=1, int64_t max_instructions=1 << 62,
                 int64_t max_cycles=1 << 50, uint64_t global_base=0, uint64_t const_base=0, name=None, int64_t lookahead_cycles=0,
                 uint64_t heap_bytes=8 << 20, int64_t print_bytes=1 << 20, const unsigned char[::1] textures=None, bint cooperative=False):
        cdef int64_t i, longest
        if self.sms != NULL:
            raise RuntimeError("a Simulation runs once")
        self.machine = machine
        cdef MachineTable *m = &self.machine
        self._check(m)
        self.memory = memory
        self.program = LoadedProgram(program, m.warp_size, m.units)
        self.statements = program.statements
        self.entry = name or program.entry
        cdef Launch *launch = &self.launch
        launch.m = m
        launch.ops = self.program.ops
        launch.targets = self.program.targets
        launch.op_count = self.program.op_count
        launch.statements = max(self.program.statements, 1)
        launch.constants = self.program.constants
        launch.rows = self.program.rows
        launch.predicates = self.program.predicates
        launch.special_count = self.program.specials
        launch.special_of = self.program.special_of
        launch.special_row = self.program.special_row
        launch.uses_bulk = self.program.uses_bulk
        for i in range(m.units):
            launch.held_from[i] = 2 if m.unit_per_scheduler[i] or m.schedulers == 1 else 1
        launch.lanes = m.warp_size
        launch.pitch = 4 * m.warp_size
        launch.blocks = 1
        launch.block_threads = 1
        for i in range(3):
            if not 1 <= grid[i] < 1 << 31 or not 1 <= block[i] < 1 << 31:
                raise LaunchError(f"grid {tuple(grid)}, block {tuple(block)}: every dimension is at least 1")
            launch.grid[i] = grid[i]
            launch.block[i] = block[i]
        if block[0] * block[1] * block[2] > 1 << 20 or grid[0] * grid[1] * grid[2] >= 1 << 62:
            raise LaunchError(f"grid {tuple(grid)}, block {tuple(block)}: too many threads")
        launch.blocks = grid[0] * grid[1] * grid[2]
        launch.block_threads = block[0] * block[1] * block[2]
        launch.block_warps = (launch.block_threads + launch.lanes - 1) // launch.lanes
        launch.shared_bytes = program.shared_bytes + dynamic_shared_bytes
        launch.local_bytes = (program.local_bytes + 15) // 16 * 16
        launch.stack_start = min(getattr(program, "stack_start", 0), launch.local_bytes)
        launch.frames_left = GROWN_FRAMES
        if resident_blocks < 1:
            raise LaunchError(f"resident_blocks must be at least 1, got {resident_blocks}")
        launch.resident_blocks = min(resident_blocks, SCHEDULER_WARPS * m.schedulers // launch.block_warps)
        if launch.resident_blocks < 1:
            raise LaunchError(f"a block of {launch.block_warps} warps is more than {m.schedulers} schedulers of "
                              f"{SCHEDULER_WARPS} warps hold")
        launch.banks.banks = m.banks
        launch.banks.bank_width_bytes = m.bank_width_bytes
        launch.banks.row_words = m.row_words
        launch.passes_period = max(16, m.banks * m.bank_width_bytes * m.row_words) if m.row_words > 1 else 16
        launch.banks.conflict_lanes = m.conflict_lanes
        launch.banks.single_word_broadcast = m.single_word_broadcast
        launch.banks.word_at_a_time = m.word_at_a_time
        launch.pick = pick_of(m.policy)
        launch.budget = max_instructions
        self.instructions = max_instructions
        self.max_cycles = max_cycles
        longest = m.response_latency_fs // m.shader_period_fs
        longest = max(1, min(longest, m.block_turnover_cycles))
        launch.lookahead = longest if lookahead_cycles == 0 else max(1, min(longest, lookahead_cycles))
        launch.memos = <Memo *>calloc(launch.op_count, sizeof(Memo))
        launch.counters = <StatementCounters *>calloc(launch.statements, sizeof(StatementCounters))
        self.inboxes = <Events *>calloc(m.multiprocessors, sizeof(Events))
        self.sms = <Sm *>calloc(m.multiprocessors, sizeof(Sm))
        if launch.memos == NULL or launch.counters == NULL or self.inboxes == NULL or self.sms == NULL:
            raise MemoryError("state of a launch")
        self._open_runtime(program, heap_bytes, print_bytes)
        if cooperative:
            self.workspace_address = self.memory.allocate(WORKSPACE_BYTES)
            self.memory.write(self.workspace_address, bytearray(WORKSPACE_BYTES))
        self._prepare(program, parameters, dynamic_shared_bytes, global_base, const_base)
        textures_open(&launch.textures, textures, launch.spans, launch.span_count, self.program.uses_textures)
        network_open(&self.network, m, self.inboxes)
        # blocks go round the multiprocessors, so no more of these are ever used
        launch.resident_blocks = min(launch.resident_blocks, (launch.blocks + m.multiprocessors - 1) // m.multiprocessors)
        for i in range(m.multiprocessors):
            sm_open(&self.sms[i], <int32_t>i, launch, &self.network, &self.inboxes[i])
        self._first_blocks()

    def __dealloc__(self):
        cdef int64_t i
        self._let_go()
        if self.sms != NULL:
            for i in range(self.machine.multiprocessors):
                sm_close(&self.sms[i])
        if self.inboxes != NULL:
            for i in range(self.machine.multiprocessors):
                events_close(&self.inboxes[i])
        network_close(&self.network)
        free(self.sms)
        free(self.inboxes)
        free(self.launch.memos)
        free(self.launch.counters)
        free(self.spans)
        free(self.launch.output.bytes)
        textures_close(&self.launch.textures)

    cdef int _check(self, MachineTable *m) except -1:
        """Refuse tables that the engine's fixed sizes cannot hold."""
        for name, value, low, high in (
                ("warp_size", m.warp_size, 1, 64), ("multiprocessors", m.multiprocessors, 1, 1 << 14),
                ("cluster_size", m.cluster_size, 1, 1 << 14), ("schedulers", m.schedulers, 1, MAX_SCHEDULERS),
                ("units", m.units, 1, MAX_UNITS), ("issue_interval_cycles", m.issue_interval_cycles, 1, 1 << 16),
                ("issue_width", m.issue_width, 1, 8), ("banks", m.banks, 1, 256),
                ("bank_width_bytes", m.bank_width_bytes, 1, 16), ("row_words", m.row_words, 1, 16),
                ("conflict_lanes", m.conflict_lanes, 1, 64),
                *(("unit_copies", m.unit_copies[i], 1, UNIT_COPIES) for i in range(16)),
                ("partitions", m.partitions, 1, 4096), ("dram_banks", m.dram_banks, 1, 64),
                ("shader_period_fs", m.shader_period_fs, 1, 1 << 40), ("core_period_fs", m.core_period_fs, 1, 1 << 40),
                ("response_latency_fs", m.response_latency_fs, m.shader_period_fs, 1 << 50),
                ("queue_entries", m.queue_entries, 1, 1 << 16), ("window", m.window, 1, 1 << 16),
                ("reads_in_flight", m.reads_in_flight, 1, 1 << 14), ("stores_in_flight", m.stores_in_flight, 1, 1 << 14),
                ("interleave_bytes", m.interleave_bytes, 32, 1 << 30), ("row_bytes", m.row_bytes, 32, 1 << 30),
                ("burst_bytes", m.burst_bytes, 1, 1 << 20), ("burst_fs", m.burst_fs, 1, 1 << 40),
                ("injection_bytes_per_cycle", m.injection_bytes_per_cycle, 1, 1 << 20),
                ("partition_request_bytes_per_cycle", m.partition_request_bytes_per_cycle, 1, 1 << 20),
                ("partition_response_bytes_per_cycle", m.partition_response_bytes_per_cycle, 1, 1 << 20),
                ("load.group_lanes", m.load.group_lanes, 1, 64), ("store.group_lanes", m.store.group_lanes, 1, 64),
                ("load_uncached.group_lanes", m.load_uncached.group_lanes, 1, 64)):
            if not low <= value <= high:
                raise ValueError(f"machine table: {name} must be {low} to {high}, got {value}")
        return 0

    cdef int _open_runtime(self, program, uint64_t heap_bytes, int64_t print_bytes) except -1:
        """Make what the kernel's system calls need."""
        calls = set(program.ops["fn"][program.ops["kind"] == K_SYSTEM].tolist())
        if SYS_ALLOCATE in calls or SYS_FREE in calls:
            self.memory.open_heap(heap_bytes)
        if self.memory.heap_address:
            self.launch.heap = &self.memory.heap
        if SYS_PRINT in calls:
            self.launch.output.bytes = <char *>malloc(max(print_bytes, 1))
            if self.launch.output.bytes == NULL:
                raise MemoryError("room for what the kernel prints")
            self.launch.output.room = max(print_bytes, 0)
        return 0

    cdef int _prepare(self, program, bytes parameters, int64_t dynamic_shared_bytes, uint64_t global_base,
                      uint64_t const_base) except -1:
        """Hold device memory, copy its table of allocations, fill the constant rows."""
        cdef Launch *launch = &self.launch
        cdef int64_t i
        kinds = [int(k) for k in program.constants["kind"]]
        self.synchronises_grid = (CK_SPECIAL, SR_WORKSPACE) in zip(kinds, program.constants["value"].tolist())
        values = []
        if CK_PARAM_SYMBOL in kinds and parameters:
            self.parameter_address = self.memory.allocate(len(parameters))
            self.memory.write(self.parameter_address, bytearray(parameters))
        with self.memory._lock:
            if self.memory.running:
                raise LaunchError("another kernel runs on this device; wait for it, or use another device")
            self.memory.running += 1
            self.holding = 1
        self.spans = <Span *>calloc(self.memory.count + 1, sizeof(Span))
        if self.spans == NULL:
            raise MemoryError("table of allocations")
        launch.spans = self.spans
        for i in range(self.memory.count):      # of the heap only what kernels have allocated is theirs
            if self.memory.table[i].start != self.memory.heap_address:
                self.spans[launch.span_count] = self.memory.table[i]
                launch.span_count += 1
        launch.arena = self.memory.arena
        launch.const_start = const_base
        launch.parameter_start = self.parameter_address
        special = {SR_WARP_SIZE: launch.lanes, SR_DYNAMIC_SHARED: dynamic_shared_bytes, SR_TOTAL_SHARED: launch.shared_bytes,
                   SR_GRIDID: 1, SR_WORKSPACE: self.workspace_address}
        for i in range(3):
            special[SR_NTID_X + i] = launch.block[i]
            special[SR_NCTAID_X + i] = launch.grid[i]
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

    cdef void _let_go(self):
        """The launch is over: device memory may change again."""
        if self.holding:
            self.holding = 0
            self.memory.running -= 1
            if self.parameter_address:
                self.memory.free(self.parameter_address)
                self.parameter_address = 0
            if self.workspace_address:
                self.memory.free(self.workspace_address)
                self.workspace_address = 0

    cdef void _first_blocks(self) noexcept:
        """Deal blocks round the multiprocessors until all places are taken."""
        cdef int64_t slot, i
        for slot in range(self.launch.resident_blocks):
            for i in range(self.machine.multiprocessors):
                if self.next_block < self.launch.blocks:
                    self._launch_block(&self.sms[i], <int32_t>slot, 0)

    cdef void _launch_block(self, Sm *sm, int32_t slot, int64_t earliest) noexcept nogil:
        cdef int64_t start = max(earliest, self.launch_free)
        self.launch_free = start + self.machine.block_launch_cycles
        sm.pending_blocks[slot] = self.next_block
        self.next_block += 1
        events_push(sm.inbox, start, EV_BLOCK, slot)

    cdef void _refill(self, int64_t until) noexcept nogil:
        """Give the places of blocks that ended in this epoch to waiting blocks, in order of time, then multiprocessor."""
        cdef int64_t i, best, best_cycle
        cdef int32_t k, at
        cdef Sm *sm
        cdef int32_t left = 0
        for i in range(self.machine.multiprocessors):
            left += self.sms[i].ended_count
        while left:
            best = -1
            best_cycle = NEVER
            at = 0
            for i in range(self.machine.multiprocessors):
                sm = &self.sms[i]
                for k in range(sm.ended_count):
                    if sm.ended[k].cycle < best_cycle:
                        best_cycle = sm.ended[k].cycle
                        best = i
                        at = k
            sm = &self.sms[best]
            self.done_blocks += 1
            if best_cycle > self.last_cycle:
                self.last_cycle = best_cycle
            if self.next_block < self.launch.blocks:
                self._launch_block(sm, sm.ended[at].slot, max(best_cycle + self.machine.block_turnover_cycles, until))
            sm.ended_count -= 1
            sm.ended[at] = sm.ended[sm.ended_count]
            left -= 1

    cdef int _step(self) noexcept nogil:
        """One epoch. Returns 1 when the launch is over, -1 after a fault, else 0."""
        cdef int64_t until = self.epoch + self.launch.lookahead, next_cycle = NEVER, at, i
        for i in range(self.machine.multiprocessors):
            if sm_next(&self.sms[i]) < until and sm_run(&self.sms[i], until) < 0:
                return -1
        self._refill(until)
        network_run(&self.network, until * self.machine.shader_period_fs)
        for i in range(self.machine.multiprocessors):
            if self.inboxes[i].failed:
                self.launch.fault.code = FAULT_HOST_MEMORY
                return -1
            at = sm_next(&self.sms[i])
            if at < next_cycle:
                next_cycle = at
        at = network_next(&self.network)
        if at < NEVER and at // self.machine.shader_period_fs < next_cycle:
            next_cycle = at // self.machine.shader_period_fs
        if next_cycle >= NEVER:
            if self.done_blocks == self.launch.blocks:
                return 1
            self._blame()
            return -1
        self.epoch = max(until, next_cycle)
        if self.epoch > self.max_cycles:
            self.launch.fault.code = FAULT_CYCLES
            self._point_at_running()
            return -1
        return 0

    cdef void _blame(self) noexcept nogil:
        """Nothing can happen any more and blocks are left: find a warp that waits."""
        cdef int64_t i
        cdef int32_t k, n
        cdef Warp *w
        self.launch.fault.code = FAULT_DEADLOCK
        for i in range(self.machine.multiprocessors):
            for k in range(self.sms[i].warp_slots):
                w = self.sms[i].warps + k
                if not self.sms[i].blocks[w.block].running or w.state != WS_BARRIER and w.state != WS_PARTED:
                    continue
                self.launch.fault.sm = <int32_t>i
                self.launch.fault.warp = k
                self.launch.fault.op = w.barrier_op
                self.launch.fault.lanes = w.alive
                if w.state == WS_PARTED:
                    self.launch.fault.code = FAULT_PARTED
                    for n in range(w.split_room):
                        if w.splits[n].mask:
                            self.launch.fault.op = w.splits[n].pc
                            self.launch.fault.lanes = w.splits[n].mask
                self.launch.fault.lane = lowest_bit(self.launch.fault.lanes)
                return

    cdef void _point_at_running(self) noexcept nogil:
        """Name one warp that still runs."""
        cdef int64_t i
        cdef int32_t k
        for i in range(self.machine.multiprocessors):
            for k in range(self.sms[i].warp_slots):
                if self.sms[i].blocks[self.sms[i].warps[k].block].running and self.sms[i].warps[k].alive:
                    self.launch.fault.sm = <int32_t>i
                    self.launch.fault.warp = k
                    self.launch.fault.op = self.sms[i].warps[k].pc
                    return

    def advance(self, double milliseconds=100.0):
        """Simulate for about so much host time, without the GIL.

        Returns
        -------
        bool
            Whether there is more to do.

        Raises
        ------
        GuestFault
            The kernel did something illegal; device memory stays as it was at that moment.
        BudgetExceeded
            It ran past its instructions or cycles.
        """
        cdef int64_t deadline
        cdef int status = 0, k
        cdef uint64_t host
        if self.ended:
            return False
        with nogil:
            host = save_fpenv()
            set_fpenv(0)
            deadline = _now_ns() + <int64_t>(milliseconds * 1e6)
            while status == 0:
                for k in range(16):
                    status = self._step()
                    if status:
                        break
                if status == 0 and _now_ns() > deadline:
                    break
            restore_fpenv(host)
        if status == 0:
            return True
        self.ended = 1
        self._let_go()
        if status < 0:
            self._raise()
        return False

    def cancel(self):
        """Stop here: what has been stored so far stays, nothing more happens."""
        self.ended = 1
        self._let_go()

    @property
    def blocks(self):
        """Blocks of the grid."""
        return self.launch.blocks

    @property
    def blocks_done(self):
        """Blocks that have ended."""
        return self.done_blocks

    @property
    def cycle(self):
        """Multiprocessor cycles simulated so far."""
        return self.epoch

    @property
    def lookahead_cycles(self):
        """Length of an epoch."""
        return self.launch.lookahead

    def _raise(self):
        """Turn the recorded fault into an exception that says where and what."""
        cdef Fault *f = &self.launch.fault
        cdef Warp *w
        cdef Block *b
        op, where, statement, block, thread = f.op, "", None, None, None
        if 0 <= op < self.launch.op_count and self.program.statements:
            statement = self.statements[self.launch.ops[op].statement]
            where = f" at {statement}"
        if f.code not in (FAULT_LATE, FAULT_HOST_MEMORY):
            w = &self.sms[f.sm].warps[f.warp]
            b = &self.sms[f.sm].blocks[w.block]
            block = (b.index[0], b.index[1], b.index[2])
            linear = w.index * self.launch.lanes + f.lane
            x, y = self.launch.block[0], self.launch.block[1]
            thread = (linear % x, linear // x % y, linear // (x * y))
        data = dict(kernel=self.entry, statement=statement, block=block, thread=thread, address=f.address, cycle=f.cycle,
                    warp=w.index if block is not None else None)
        space = _SPACES[self.launch.ops[op].space] if 0 <= op < self.launch.op_count else "memory"
        reach = self.launch.ops[op].lane_bytes if 0 <= op < self.launch.op_count else 0
        if 0 <= op < self.launch.op_count and self.launch.ops[op].kind == K_BULK:
            reach = f.detail[0]
        who = f"block {block}, thread {thread}"
        if space in ("global memory", "memory") and self.memory.heap_address <= f.address < self.memory.heap_address + self._heap_span():
            space = "what the kernel has allocated on the device heap"
        depth = 0
        if f.code in (FAULT_STACK, FAULT_FRAME):
            w = &self.sms[f.sm].warps[f.warp]
            depth = sum(w.stack[k].call for k in range(w.depth))
            data["depth"] = depth
        waiting = bin(f.lanes).count("1")
        text = {
            FAULT_BOUNDS: f"{reach} bytes at address {f.address:#x} are outside {space}, {who}",
            FAULT_ALIGNMENT: f"address {f.address:#x} is not a multiple of the {reach} bytes accessed, {who}",
            FAULT_READ_ONLY: f"store to constant memory at address {f.address:#x}, {who}",
            FAULT_DIVERGENT_BARRIER: f"barrier that {waiting} live threads of the warp do not reach, the first {who}",
            FAULT_DEADLOCK: "no warp can go on" + (f": block {block} waits at a barrier that not all its threads reach"
                                                   if f.lanes else ""),
            FAULT_PARTED: f"{waiting} lanes of a warp wait here for lanes of it that do not come, the first {who}; no warp can go on",
            FAULT_TRAP: f"trap, {who}" + self._without_workspace(),
            FAULT_TEXTURE_HANDLE: f"{f.address:#x} is no handle of a live {space}, or of one of another kind, {who}",
            FAULT_TEXTURE_SHAPE: f"the {space} of handle {f.address:#x} has other dimensions than the instruction, {who}",
            FAULT_SURFACE_BOUNDS: f"{reach} bytes are outside the surface of handle {f.address:#x}, {who}",
            FAULT_SURFACE_ALIGNMENT: f"the first coordinate is not a multiple of the {reach} bytes accessed, surface of handle "
                                     f"{f.address:#x}, {who}",
            FAULT_SURFACE_FORMAT: f"the surface of handle {f.address:#x} has texels of another size than the {reach} bytes that the "
                                  f"instruction works on, {who}",
            FAULT_STACK: f"calls nested too deeply, {depth} deep, {who}",
            FAULT_FRAME: f"the call stack of {self.launch.local_bytes - self.launch.stack_start} bytes per thread "
                         f"(limits.stack_bytes_per_thread) is full, {depth} calls deep, {who}",
            FAULT_CALL_TARGET: f"indirect call of {f.address:#x}, which is no function that can be called here, {who}",
            FAULT_FREE: f"free of {f.address:#x}, which is no allocation of the device heap (or was freed before), {who}",
            FAULT_PHASE: f"{f.address} arrivals are not what a barrier in shared memory (mbarrier) allows here; was it initialised? "
                         f"{who}",
            FAULT_BULK_SIZE: f"the size of a bulk copy must be a multiple of 16, got {f.address}, {who}",
            FAULT_ASSERT: f"{self._assertion()}, {who}",
            FAULT_BARRIER_NUMBER: f"barrier number past 15, {who}",
            FAULT_BRANCH_INDEX: f"indexed branch past its list of targets, {who}",
            FAULT_INSTRUCTIONS: f"the budget of {self.instructions} warp instructions is spent, {self.done_blocks} of "
                                f"{self.launch.blocks} blocks done",
            FAULT_CYCLES: f"the budget of {self.max_cycles} cycles is spent, {self.done_blocks} of {self.launch.blocks} "
                          "blocks done",
            FAULT_HOST_MEMORY: "the host is out of memory",
            FAULT_LATE: f"multiprocessor {f.sm} broke its time order; this is a fault of archdef, please report it",
        }[f.code]
        if f.code == FAULT_LATE:
            raise RuntimeError(text)
        if f.code == FAULT_HOST_MEMORY:
            raise MemoryError(text)
        kind = BudgetExceeded if f.code in (FAULT_INSTRUCTIONS, FAULT_CYCLES) else GuestFault
        raise kind(f"kernel {self.entry}{where}: {text}", **data)

    def _without_workspace(self):
        """Say what is missing if the kernel would synchronise its grid and was not launched for it."""
        if self.workspace_address or not self.synchronises_grid:
            return ""
        return "; the kernel asks for its grid's barrier, which only a cooperative launch has: kernel[grid, block].cooperative(...)"

    def _heap_span(self):
        return self.memory.heap.granules * 16 if self.memory.heap_address else 0

    def _assertion(self):
        """Say what a failed assertion says, as far as its strings can be read."""
        cdef Fault *f = &self.launch.fault
        expression, file, function = (self.memory.text(f.detail[k]) or "?" for k in (0, 1, 3))
        return f"{file}:{f.detail[2]}: {function}: assertion `{expression}` failed"

    def printed(self):
        """Give what the kernel has printed so far, and how many calls found no room; `archdef.run.printing` formats it.

        Returns
        -------
        tuple of (bytes, int)
            Records as `system.pxd` declares them, in the order in which they were made.
        """
        cdef int64_t used = self.launch.output.used
        return (<bytes>self.launch.output.bytes[:used] if used else b""), self.launch.output.lost

    def result(self):
        """Counters of the launch so far; see docs/explanation/engine-interface.md.

        Returns
        -------
        dict
        """
        cdef int64_t i, cycles
        m = self.machine
        landed = self.network.landed_fs
        cycles = max(self.last_cycle, (landed + m.shader_period_fs - 1) // m.shader_period_fs)
        statements = np.frombuffer(
            (<char *>self.launch.counters)[:self.launch.statements * sizeof(StatementCounters)], COUNTER_DTYPE).copy()
        multiprocessor = np.zeros(m.multiprocessors, MULTIPROCESSOR_DTYPE)
        partition = np.zeros(m.partitions, PARTITION_DTYPE)
        most = 0
        for i in range(m.multiprocessors):
            multiprocessor[i] = tuple((<object>self.sms[i].counters).values())
            most = max(most, self.sms[i].most_resident)
        for i in range(m.partitions):
            partition[i] = tuple((<object>self.network.partitions[i].dram.counters).values())
        return {
            "cycles": cycles,
            "elapsed_fs": cycles * m.shader_period_fs,
            "statements": statements,
            "warps": int(multiprocessor["warps"].sum()),
            "lanes_launched": int(multiprocessor["lanes"].sum()),
            "threads": int(multiprocessor["threads"].sum()),
            "multiprocessor": multiprocessor,
            "partition": partition,
            "max_resident_blocks": most,
            "partitions_in_use": <double>self.network.working_fs / <double>self.network.any_working_fs if self.network.any_working_fs else 0.0,
        }
