"""A machine at work: launches come in over time and share its multiprocessors, its caches and its memory.

In an epoch every multiprocessor runs alone, then the network handles what they sent, in time order. Nothing that the network
returns can arrive in the epoch it was sent in, because an epoch is no longer than the response latency, and a block's place
is not filled again within one. What happens in one cycle has an order of its own (`events.pxd`, `tournament.pxd`, `dispatcher.pyx`),
whenever it became known. So cycles and counters do not depend on the length of epochs.

They do where multiprocessors race. What they do in one epoch to one word of memory, to the device heap or to the pool that holds arguments
of launches by kernels, happens in order of their numbers, at once; shorter epochs come closer to the order of time. Old values of atomic
operations and what locks let through may be others then, each as good as any that a machine may choose, and what a kernel does with them takes its time.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from archdef.engine.arena cimport arena_close
from archdef.engine.bits cimport lowest_bit
from archdef.engine.block_cluster cimport messages_close, messages_open
from archdef.engine.clock cimport NEVER, cycle_at
from archdef.engine.device_runtime cimport LS_WAITING, Fit
from archdef.engine.dispatch cimport (dispatch_close, dispatch_collect, dispatch_next, dispatch_run, dispatch_wish,
                                      dispatch_wishes_alone)
from archdef.engine.dispatch_policy cimport dispatch_policy_blame, dispatch_policy_close, dispatch_policy_open
from archdef.engine.events cimport Events, events_close, events_next
from archdef.engine.child_launches cimport child_launches_close, launch_enter
from archdef.engine.fault_code cimport FAULT_CYCLES, FAULT_DEADLOCK, FAULT_HOST_MEMORY, FAULT_DIVERGED, FAULT_POLICY, FAULT_LIVELOCK
from archdef.engine.fault_text cimport fault_error
from archdef.engine.frames cimport GROWN_FRAMES
from archdef.engine.grid cimport Grid
from archdef.engine.groups cimport group_release, groups_settle, groups_wait
from archdef.engine.dispatch_event cimport DISPATCH_LAUNCH_READY
from archdef.engine.dispatcher cimport BlockSlots, dispatch_note
from archdef.engine.lanes cimport restore_fpenv, save_fpenv, set_fpenv
from archdef.engine.launch cimport WHOLE, WS_BARRIER, WS_CHILDREN, WS_DIVERGED, WS_REGISTERS, Launch, Warp
from archdef.engine.lsu cimport lsu_record
from archdef.engine.machine cimport SCHEDULER_WARPS, MachineTable
from archdef.engine.matrix cimport access_tiles, access_tiles_recorded
from archdef.engine.memory cimport DeviceMemory
from archdef.engine.multiprocessor cimport sm_close, sm_make, sm_open_bulk, sm_open_policies
from archdef.engine.network cimport network_close, network_next, network_open, network_run
from archdef.engine.network_linked cimport network_run as network_run_linked
from archdef.engine.network_traced cimport network_run as network_run_traced
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER
from archdef.engine.placement cimport PageTable, placement_counted
from archdef.engine.program cimport LoadedProgram
from archdef.engine.recorder cimport TimelineRecorder
from archdef.engine.records cimport link_records, partition_records
from archdef.engine.request_trace cimport RequestTrace
from archdef.engine.block_storage cimport block_storage_close
from archdef.engine.block_swap cimport block_swap_out, block_swap_out_recorded
from archdef.engine.sampler cimport Sampler, sampler_settle, samplers_begin, samplers_end
from archdef.engine.schedule cimport pick_of
from archdef.engine.sm cimport sm_run
from archdef.engine.sm_functional cimport sm_run as sm_run_functional
from archdef.engine.sm_recorded cimport sm_run as sm_run_recorded
from archdef.engine.livelock cimport watch_close, watch_look, watch_start
from archdef.engine.stage cimport stages_counted
from archdef.engine.state cimport Sm
from archdef.engine.tables cimport Tables
from archdef.engine.throttle cimport throttle_blame
from archdef.engine.timeline_record cimport DETAIL_BLOCKS
from archdef.engine.units cimport units_join, units_need, units_open

from archdef.errors import LaunchError

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *now)
    int CLOCK_MONOTONIC

cdef enum:
    MOST_TRACED = 0x7fffffff     # requests that have numbers of their own, see `RequestTrace.before`

cdef int64_t _now_ns() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec * 1000000000 + now.tv_nsec


@cython.no_gc_clear     # what it frees reads the tables, which the garbage collector would take away before
cdef class Session:
    """A machine, from the moment it is made: launches come in, share it, and end.

    Parameters
    ----------
    machine : dict or Tables
        Integers of `MachineTable`, from `archdef.pack.machine_tables`; or what the engine has made of them, for many sessions.
    memory : DeviceMemory
        Where global and constant data live. One session at a time may use it.
    max_instructions, max_cycles : int
        Budgets: warp instructions and multiprocessor cycles.
    lookahead_cycles : int, optional
        Length of an epoch; by default the longest that is right. Shorter ones give the same cycles and counters, slower, unless a
        kernel's course depends on which of two multiprocessors comes first to a word of memory.
    functional : bool, optional
        Execute launches without timing them: what they leave in memory, what they print and how they fail is right, and so are counts of
        instructions and accesses; cycles are only an order.
    """

    def __cinit__(self, machine, DeviceMemory memory not None, int64_t max_instructions=1 << 62, int64_t max_cycles=1 << 50,
                  int64_t lookahead_cycles=0, bint functional=False):
        cdef int64_t i, longest
        cdef const MachineTable *m
        self.tables = <Tables?>machine if not isinstance(machine, dict) else Tables(machine)
        if sizeof(Warp) % 64:
            raise SystemError(f"a Warp has {sizeof(Warp)} bytes, which are no whole lines of 64: most warps would lie across one more")
        self.m = m = &self.tables.machine
        self.memory = memory
        self.grids = []
        self.leaving = []
        self.programs = []
        self.instructions = max_instructions
        self.max_cycles = max_cycles
        self.at_once = self.tables.hooks.count > 0 or m.caches.l1_prefetcher.entries > 0
        self.chip.m = m
        self.chip.arena = &self.arena
        units_open(&self.chip.units, m)
        self.chip.pick = pick_of(m.schedulers.policy)
        self.functional = functional
        self._choose_run()
        watch_start(&self.watch)
        self.chip.budget = max_instructions
        self.chip.frames_left = GROWN_FRAMES
        longest = m.interconnect.response_latency_fs // m.clocks.shader_period_fs
        longest = max(1, min(longest, m.chip.block_turnover_cycles))
        if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER and m.caches.texture_l1.sets:
            longest = max(1, min(longest, m.caches.texture_l1.latency_cycles))
        if m.block_clusters.most_blocks_nonportable > 1:        # what one block tells another comes no sooner
            longest = max(1, min(longest, m.block_clusters.latency_cycles, m.block_clusters.barrier_cycles))
        messages_open(&self.chip.messages, m.chip.multiprocessors)
        self.chip.lookahead = longest if lookahead_cycles == 0 else max(1, min(longest, lookahead_cycles))
        self.inboxes = <Events *>calloc(m.chip.multiprocessors, sizeof(Events))
        self.sms = <Sm **>calloc(m.chip.multiprocessors, sizeof(Sm *))
        if self.inboxes == NULL or self.sms == NULL:
            raise MemoryError("state of a machine")
        for i in range(m.chip.multiprocessors):
            self.inboxes[i].first = self.inboxes[i].own = NEVER
        self.dispatcher.m = m
        self.dispatcher.next_end = NEVER
        self.dispatcher.fault = &self.chip.fault
        self.dispatcher.storage.arena = &self.arena
        self.dispatcher.messages = &self.chip.messages
        self.dispatcher.sms = <BlockSlots *>calloc(m.chip.multiprocessors, sizeof(BlockSlots))
        if self.dispatcher.sms == NULL:
            raise MemoryError("state of a machine")
        self._free_places()
        self.chip.dispatcher = &self.dispatcher
        self.dispatcher.network_landed = &self.network.crossbar.landed
        network_open(&self.network, m, memory, self.inboxes, &self.arena, m.dram.partitions if self.at_once else 0 if self.tables.fitted else 1)
        self.dispatcher.port = self.network.crossbar.cluster
        self.dispatcher.policy = dispatch_policy_open(m)
        for i in range(m.chip.multiprocessors if self.at_once else 1):      # one tells whether the host has memory for such
            self._make(i)
        self.tables.fitted = True

    def __dealloc__(self):
        cdef int64_t i
        if self.sms != NULL:
            for i in range(self.m.chip.multiprocessors):
                if self.sms[i] != NULL and self.sms[i].chip != NULL:
                    sm_close(self.sms[i])
        if self.inboxes != NULL:
            for i in range(self.m.chip.multiprocessors):
                events_close(&self.inboxes[i])
        network_close(&self.network)
        block_storage_close(&self.dispatcher.storage)
        messages_close(&self.chip.messages)
        dispatch_close(&self.dispatcher)
        watch_close(&self.watch)
        child_launches_close(&self.dispatcher)
        dispatch_policy_close(self.dispatcher.policy)
        free(self.dispatcher.launches)
        free(self.dispatcher.landed)
        free(self.sms)
        free(self.dispatcher.sms)
        free(self.inboxes)
        arena_close(&self.arena)

    cdef void _free_places(self) noexcept:
        """Let the dispatcher know that all places are free, and who makes what blocks need there."""
        cdef const MachineTable *m = self.m
        cdef int64_t i, k
        for i in range(m.chip.multiprocessors):
            for k in range(m.schedulers.count):
                self.dispatcher.sms[i].free_warps[k] = self.dispatcher.sms[i].free_blocks[k] = ~<uint64_t>0
        self.maker.chip = &self.chip
        self.maker.network = &self.network
        self.maker.inboxes = self.inboxes
        self.maker.sms = self.sms
        self.dispatcher.make_sm = sm_make
        self.dispatcher.maker = &self.maker

    cdef int _make(self, int64_t number) except -1:
        """Make the state of a multiprocessor."""
        if sm_make(&self.maker, number) < 0:
            raise MemoryError("state of a multiprocessor")
        if self.at_once:
            sm_open_policies(self.sms[number])
        return 0

    cdef int _make_all(self) except -1:
        """Make the state of those that have none."""
        cdef int64_t i
        for i in range(self.m.chip.multiprocessors):
            if self.sms[i] == NULL:
                self._make(i)
        return 0

    # ------------------------------------------------------------------------------------------------------ launches
    def launch(self, program, grid, block, bytes parameters=b"", *, int64_t dynamic_shared_bytes=0, allowed=1, uint64_t global_base=0,
               uint64_t const_base=0, name=None, uint64_t heap_bytes=8 << 20, int64_t print_bytes=1 << 20, textures=None, bint cooperative=False,
               int64_t earliest_cycle=0, kernels=None, lane_trace=None, among=None, int64_t l1_sets=0, int64_t l1_ways=0, cluster=None, multicast=(),
               TimelineRecorder timeline=None):
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
            Blocks that a multiprocessor could hold by its warps, its block slots, its registers, its shared memory alone; or one number for all.
        global_base, const_base : int
            Device addresses of the module's variable and constant areas; 0 if it has none.
        name : str, optional
            What messages call the kernel; by default the program's entry.
        heap_bytes, print_bytes : int, optional
            Size of the device heap, if this kernel is the first on the memory that allocates; room for what it prints: that of the latest calls.
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
        lane_trace, timeline : LaneTracer and TimelineRecorder, optional
            Record what the lanes of some warps do, and what happens over time; one for each launch.
        kernels : object, optional
            What kernels of this launch may launch, as `archdef.run.children.Kernels` has it.
        earliest_cycle : int, optional
            No block starts before it, nor before what has been simulated already.

        Returns
        -------
        Grid
        """
        cdef Grid made
        self._admit()
        try:
            made = Grid(self.tables, self.memory, self._number_of(program), program, grid, block, parameters, dynamic_shared_bytes,
                        allowed if isinstance(allowed, tuple) else (allowed,) * 4, global_base, const_base, name, heap_bytes, print_bytes, textures,
                        cooperative, kernels, lane_trace, among, l1_sets, l1_ways, cluster, multicast)
            self._record(made, timeline, max(earliest_cycle, self.epoch))
            self._enter(made)
            self._open_units(made)
        except BaseException:
            self._release(1)
            raise
        return self._ready(made)

    cdef int _record(self, Grid made, TimelineRecorder timeline, int64_t cycle) except -1:
        """Let a grid, whose blocks can start from a cycle on, be recorded from then on."""
        made.launch.ready = cycle
        if self.functional and (made.lane_trace is not None or timeline is not None):
            raise LaunchError("what is recorded is of times, which nothing has here")
        if timeline is not None:
            self._make_all()
            if timeline.traces and timeline.requests.room > MOST_TRACED - self.traced:
                raise LaunchError(f"a session numbers {MOST_TRACED} requests, of which {self.traced} have been recorded: "
                                  f"there is no room for {timeline.requests.room} more")
            timeline.begin(made, &self.network, self.chip.lookahead)
            made.timeline = timeline
        return 0

    cdef int _admit(self) except -1:
        """Let one more grid use the machine and its memory."""
        if self.ended:
            raise RuntimeError("the session has ended")
        with self.memory._lock:
            if self.active == 0:
                if self.memory.running:
                    raise LaunchError("another kernel runs on this device; wait for it, or use another device")
                if self.m.dram.page_bytes:
                    self._begin_placement()
                self.memory.running += 1
            self.active += 1
        return 0

    cdef int _open_units(self, Grid made) except -1:
        """Make what multiprocessors have only for programs that use it."""
        cdef LoadedProgram loaded
        cdef uint32_t kinds
        cdef int64_t i
        for each in [made.program] + made.loaded:
            loaded = <LoadedProgram>each
            kinds = units_need(&self.chip.units, self.m, loaded.units)
            self.chip.bulk = self.chip.bulk or loaded.uses_bulk
            for i in range(self.m.chip.multiprocessors):
                if self.sms[i] == NULL:         # it will know of these, too
                    continue
                units_join(&self.sms[i].units, kinds)
                if loaded.uses_bulk and sm_open_bulk(self.sms[i]) < 0:
                    raise MemoryError("bulk copies of a multiprocessor")
        return 0

    cdef Grid _ready(self, Grid made):
        """Let the dispatcher know of a grid, whose blocks can start from a cycle on."""
        if made.lane_trace is not None:
            made.launch.trace = &made.lane_trace.trace
            made.lane_trace.begin(made.launch.ready)
        if made.timeline is not None:
            self._sample(made)
        self.grids.append(made)
        self._choose_run()
        self.waiting = False
        dispatch_note(&self.dispatcher, made.launch.ready, DISPATCH_LAUNCH_READY, 0, made.number)
        return made

    cdef int _begin_placement(self) except -1:
        """Let the policy of a plugin place the pages of the memory, which keeps where they are."""
        if self.memory.pages is None:
            self.memory.pages = PageTable()
        self.network.routing.placement = (<PageTable>self.memory.pages).begin(self.m)
        return 0

    cdef void _sample(self, Grid grid) noexcept:
        """Record the timeline of a launch that has entered."""
        cdef TimelineRecorder timeline = grid.timeline
        cdef int64_t i
        for i in range(self.m.chip.multiprocessors):
            timeline.sampler.sampled[i].issued = &self.sms[i].issued
            timeline.sampler.sampled[i].l1_hits = &self.sms[i].l1_hits
            timeline.sampler.sampled[i].l1_misses = &self.sms[i].l1_misses
        if timeline.traces:
            self._trace(&timeline.requests)
        grid.origin.timeline = &timeline.record
        timeline.sampler.next = self.samplers
        self.samplers = &timeline.sampler

    cdef void _trace(self, RequestTrace *trace) noexcept:
        """Record requests from now on."""
        cdef int64_t i
        trace.before = self.traced
        trace.sms = <const void *const *>self.sms
        trace.stage.state = trace
        trace.stage.take = lsu_record
        trace.stage.ports = &self.network.ports
        trace.stage.behind = self.network.ports.stage
        self.network.ports.stage = &trace.stage
        self.network.crossbar.trace = trace
        for i in range(self.m.chip.multiprocessors):        # all have been made for it
            self.sms[i].port.trace = trace

    cdef void _trace_no_more(self, RequestTrace *trace) noexcept:
        """What is under way keeps its numbers, which later traces do not give again."""
        cdef int64_t i
        self.traced += <int32_t>trace.count
        self.network.ports.stage = trace.stage.behind
        self.network.crossbar.trace = NULL
        for i in range(self.m.chip.multiprocessors):
            self.sms[i].port.trace = NULL

    cdef void _forget(self, Grid grid) noexcept:
        """Nothing more is recorded for a launch."""
        cdef TimelineRecorder timeline = grid.timeline
        cdef Sampler **at = &self.samplers
        if timeline is not None and self.network.crossbar.trace == &timeline.requests:
            self._trace_no_more(&timeline.requests)
        while timeline is not None and at[0] != NULL:
            if at[0] == &timeline.sampler:
                sampler_settle(&timeline.sampler)
                timeline.sampler.over = True        # what it reads may go before the recorder does
                at[0] = timeline.sampler.next
                break
            at = &at[0].next
        self._choose_run()

    cdef void _choose_run(self) noexcept:
        """Let multiprocessors and network look whether to record only while a launch wants something to be recorded, and the network look for memory behind
        links only where launches could access some."""
        cdef const Sampler *s = self.samplers
        cdef bint recorded = any([(<Grid>grid).lane_trace is not None for grid in self.grids])
        cdef int64_t i
        while s != NULL:
            recorded = recorded or s.record.detail >= DETAIL_BLOCKS
            s = s.next
        self.run = sm_run_functional if self.functional else sm_run_recorded if recorded else sm_run
        self.linked = self.linked or self.memory.linked     # launches that are under way still access what has gone since
        self.run_network = network_run_traced if self.network.crossbar.trace != NULL else network_run_linked if self.linked else network_run
        for i in range(self.m.chip.multiprocessors if self.sms != NULL else 0):
            if self.sms[i] != NULL:
                self.sms[i].core.access_tiles = access_tiles_recorded if recorded else access_tiles
        self.dispatcher.swap_out = block_swap_out_recorded if recorded else block_swap_out

    def _components(self):
        """Counters of optional components between multiprocessors and network, and of links that were used."""
        found = stages_counted(&self.network.stages)
        if self.network.routing.placement != NULL:
            found["placement"] = placement_counted(self.network.routing.placed, self.m.chip.multiprocessors)
        found.update(link_records(&self.network.remote))
        return found

    cdef int _number_of(self, program) except? -1:
        """Number programs, the same one always alike: its code stays in the caches from one launch to the next. -1: there are none for it."""
        if self.functional or self.m.caches.instruction.sets == 0:
            return -1
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
        self.dispatcher.entered += 1
        grid.launch.order = self.dispatcher.entered
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
                self._forget(grid)
            self._release(len(done))
        return sorted(done, key=lambda grid: (grid.ended, grid.number))

    def _give_up(self):
        """Nothing more happens here."""
        self.ended = 1
        for grid in self.grids:
            (<Grid>grid)._let_go()
            self._forget(grid)
        self._release(len(self.grids))
        self.leaving += self.grids       # warps still point to them
        self.grids = []

    # ---------------------------------------------------------------------------------------------------------- time
    cdef int _step(self, int64_t until_cycle) noexcept nogil:
        """One epoch. Returns 1 when all is quiet, 2 when `until_cycle` is reached, 3 when a launch must be measured first, -1 after a fault,
        else 0."""
        cdef int64_t until = min(self.epoch + self.chip.lookahead, until_cycle), next_cycle, at, i, status
        cdef bint wishes
        status = dispatch_run(&self.dispatcher, until)
        if status:
            return 3 if status > 0 else -1
        for i in range(self.m.chip.multiprocessors):
            if events_next(self.inboxes + i) < until and self.run(self.sms[i], until) < 0:
                return -1
        if self.chip.fault.code:        # of what has come from another block
            return -1
        dispatch_collect(&self.dispatcher)
        if self.chip.messages.gathered:
            groups_settle(&self.dispatcher, until)
        self.run_network(&self.network, until * self.m.clocks.shader_period_fs)
        wishes = dispatch_wishes_alone(&self.dispatcher)
        next_cycle = NEVER if wishes else dispatch_next(&self.dispatcher)
        for i in range(self.m.chip.multiprocessors):
            if self.inboxes[i].failed:
                self.chip.fault.out_of_memory = True
            at = events_next(self.inboxes + i)
            if at < next_cycle:
                next_cycle = at
        if self.chip.fault.out_of_memory or self.network.routing.placement != NULL and self.network.routing.placement.failed:
            self.chip.fault.code = FAULT_HOST_MEMORY
            return -1
        if self.tables.hooks.count and self.tables.hooks.refused() >= 0:
            self.chip.fault.code = FAULT_POLICY
            self.chip.fault.cycle = until
            return -1
        at = network_next(&self.network)
        if at < NEVER and at // self.m.clocks.shader_period_fs < next_cycle:
            next_cycle = at // self.m.clocks.shader_period_fs
        if wishes:
            next_cycle = dispatch_wish(&self.dispatcher, next_cycle)
        if next_cycle >= NEVER:
            self.epoch = until
            if self.dispatcher.running == NULL:
                return 1
            if until_cycle < NEVER and groups_wait(&self.dispatcher):
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
        if self.closed and self.epoch >= self.watch.next and self.chip.messages.opening == 0 and self._look_for_livelock() < 0:
            return -1
        return 2 if self.epoch >= until_cycle else 0

    cdef int _sampled_step(self, int64_t until_cycle) noexcept nogil:
        """The same while there are timelines: counters are read before and after."""
        cdef int64_t until = min(self.epoch + self.chip.lookahead, until_cycle)
        cdef int status
        samplers_begin(self.samplers, self.epoch, self.launched == 1)
        status = self._step(until_cycle)
        if self.epoch >= until:         # else nothing has happened, or a fault in the middle
            samplers_end(self.samplers, until)
        return status

    cdef int _look_for_livelock(self) noexcept nogil:
        """Look whether warps go round for ever. Returns -1 if they do, or if the host has no memory."""
        cdef int64_t status = watch_look(&self.watch, self.sms, self.m.chip.multiprocessors, &self.dispatcher, self.epoch)
        if status < 0:
            self.chip.fault.code = FAULT_HOST_MEMORY
        elif status > 0:
            self._blame_livelock()
        return -1 if status else 0

    cdef void _blame(self) noexcept nogil:
        """Nothing can happen any more and blocks are left: find a warp that waits."""
        cdef int64_t i
        cdef int32_t k, n
        cdef Warp *w
        self.chip.fault.code = FAULT_DEADLOCK
        self.chip.fault.cycle = self.epoch
        dispatch_policy_blame(self.dispatcher.policy, self.epoch)
        for i in range(self.m.chip.multiprocessors):
            if self.sms[i] == NULL:
                continue
            throttle_blame(self.sms[i].throttle)
            for k in range(SCHEDULER_WARPS * self.m.schedulers.count):
                w = self.sms[i].core.warps + k
                if w.launch == NULL or not self.sms[i].core.blocks[w.block].running or (
                        w.state != WS_BARRIER and w.state != WS_DIVERGED and w.state != WS_CHILDREN and w.state != WS_REGISTERS):
                    continue
                self.chip.fault.launch = w.launch
                self.chip.fault.sm = <int32_t>i
                self.chip.fault.warp = k
                self.chip.fault.op = w.barrier_op
                self.chip.fault.lanes = w.alive
                if w.state == WS_DIVERGED:
                    self.chip.fault.code = FAULT_DIVERGED
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
        for i in range(self.m.chip.multiprocessors):
            for k in range(SCHEDULER_WARPS * self.m.schedulers.count if self.sms[i] != NULL else 0):
                w = self.sms[i].core.warps + k
                if w.launch != NULL and self.sms[i].core.blocks[w.block].running and w.alive:
                    self.chip.fault.launch = w.launch
                    self.chip.fault.sm = <int32_t>i
                    self.chip.fault.warp = k
                    self.chip.fault.op = w.pc
                    return

    cdef void _blame_livelock(self) noexcept nogil:
        """Warps go round for ever: blame the first."""
        self.chip.fault.code = FAULT_LIVELOCK
        self.chip.fault.cycle = self.epoch
        dispatch_policy_blame(self.dispatcher.policy, self.epoch)
        self._point_at_running()
        if self.chip.fault.launch != NULL:
            self.chip.fault.lanes = self.sms[self.chip.fault.sm].core.warps[self.chip.fault.warp].active
            self.chip.fault.lane = lowest_bit(self.chip.fault.lanes) if self.chip.fault.lanes else 0

    cdef int _four_steps(self, int64_t until_cycle) noexcept nogil:
        """Epochs, as many as are over before anybody looks at a clock. Returns what the last one did."""
        cdef int status = 0, _
        for _ in range(4):
            status = self._step(until_cycle)
            if status:
                break
        return status

    cdef int _steps(self, int64_t until_cycle, int64_t deadline) noexcept nogil:
        """Epochs up to a moment of host time. Returns what the last one did."""
        cdef int status = 0
        cdef uint64_t host = save_fpenv()
        set_fpenv(0)
        while status == 0:
            status = self._sampled_step(until_cycle) if self.samplers != NULL else self._four_steps(until_cycle)
            if status == 0 and _now_ns() > deadline:
                break
        restore_fpenv(host)
        return status

    def advance(self, double milliseconds=100.0, until_cycle=None, closed=None):
        """Simulate for about so much host time, without the GIL.

        Parameters
        ----------
        milliseconds : float
            Of host time.
        until_cycle : int, optional
            Cycle at which to stop: everything before it has then happened, nothing after it.
        closed : bool, optional
            Nothing else can happen to the machine or its memory meanwhile, so warps that go round without an effect are livelocked,
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
        cdef int status
        if self.ended or self.epoch >= last:
            return False
        deadline = _now_ns() + <int64_t>(milliseconds * 1e6)
        self.closed = until_cycle is None if closed is None else closed
        while True:
            with nogil:
                status = self._steps(last, deadline)
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
        group_release(&grid.launch, &self.dispatcher, max(cycle, self.epoch))
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
        if self.tables.hooks.refused() >= 0:        # whatever came of it
            return self.tables.hooks.error()
        for item in self.grids:
            grid = item
            if launch == NULL or launch.origin == &grid.origin:
                return fault_error(&self.chip.fault, &self.dispatcher, grid, self.memory, self.instructions, self.max_cycles)
        raise RuntimeError("a fault of no launch")

    @property
    def cycle(self):
        """Multiprocessor cycles simulated so far."""
        return self.epoch

    @property
    def issued(self):
        """Warp instructions issued so far, of all launches."""
        return self.instructions - self.chip.budget

    @property
    def lookahead_cycles(self):
        """Length of an epoch."""
        return self.chip.lookahead

    def result(self, Grid grid not None):
        """Counters of a launch so far; see docs/explanation/engine-interface.md.

        The cycles of one that is not complete are those until now. Counters of the memory partitions are the machine's since the session began:
        launches that ran at the same time share them.

        Returns
        -------
        dict
        """
        cdef int64_t cycles, warps = 0, lanes = 0, threads = 0, i
        statements, multiprocessor, issued, most = grid.counted()
        for i in range(grid.multiprocessors):
            warps += grid.origin.residencies[i].counters.warps
            lanes += grid.origin.residencies[i].counters.lanes
            threads += grid.origin.residencies[i].counters.threads
        partition = partition_records(&self.network)
        cycles = (grid.launch.ended if grid.complete else max(self.epoch, grid.launch.ready)) - grid.launch.ready
        if self.launched == 1 and grid.complete:    # what other launches would not wait for: lines that the L2 writes back
            cycles = max(cycles, cycle_at(self.m, self.network.crossbar.landed_fs))
        return {
            "cycles": cycles,
            "elapsed_fs": cycles * self.m.clocks.shader_period_fs,
            "statements": statements,
            "warps": warps,
            "lanes_launched": lanes,
            "threads": threads,
            "multiprocessor": multiprocessor,
            "partition": partition,
            "components": self._components(),
            "issued": issued,
            "launches": self.launched,
            "max_resident_blocks": most,
            "partitions_in_use": <double>self.network.working_fs / <double>self.network.any_working_fs if self.network.any_working_fs else 0.0,
        }
