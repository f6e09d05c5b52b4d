"""The multiprocessors: warps, limits, clocks, schedulers; and how the host reaches the machine."""
from __future__ import annotations

from collections.abc import Iterator

import attrs

from archdef.spec.fields import choice, exceptions, flag, integer, integers, pairs, part, policy, real, text, texts
from archdef.spec.policy import BlockDispatch, IpdomStack, Reconvergence, RoundRobin, SchedulerPolicy, WarpThrottle


@attrs.frozen(kw_only=True)
class Vocabulary:
    """The vendor's words, for reports; everywhere else archdef uses its own."""

    multiprocessor: str = text(default="SM")
    """What runs blocks."""
    cluster: str = text(default="cluster")
    """A group of multiprocessors that share a port."""
    scheduler: str = text(default="scheduler")
    """The part of a multiprocessor that issues instructions of a share of the warps."""
    block: str = text(default="block")
    """Threads that share memory and barriers."""
    warp: str = text(default="warp")
    """Threads that issue together."""
    lane: str = text(default="lane")
    """A thread's place in its warp."""
    shared: str = text(default="shared memory")
    """A block's own memory."""
    partition: str = text(default="partition")
    """A slice of memory with its own controller."""


@attrs.frozen(kw_only=True)
class Warp:
    """Threads that issue together."""

    size: int = integer(at_most=64)
    """Lanes."""
    reconvergence: Reconvergence = policy(Reconvergence, default=IpdomStack())
    """Where diverged lanes reconverge."""


@attrs.frozen(kw_only=True)
class BlockLaunch:
    """Where blocks start, how fast they do on one multiprocessor, and how fast the chip takes note of their ends."""

    dispatch: BlockDispatch = policy(BlockDispatch, default=RoundRobin())
    """Which multiprocessor the next block goes to."""
    chip_warp_cycles: float = real(at_least=0, default=0)
    """SM cycles that each warp of a block adds to `Chip.block_launch_cycles` until the next block can start anywhere on the chip."""
    setup_cycles: float = real(at_least=0, default=0)
    """SM cycles from one block launch on a multiprocessor to the next there, beside those of its warps."""
    warp_cycles: float = real(at_least=0, default=0)
    """SM cycles that a multiprocessor takes for each warp of a block before the next block can start there."""
    end_cycles: float = real(at_least=0, default=0)
    """Least SM cycles between two ends of blocks that the chip takes note of: only then a place is free, and a grid at its end."""
    first_cycles: int = integer(at_least=0, default=0)
    """SM cycles for which the first block of a launch on a multiprocessor, and those that start meanwhile, wait for parameters and code."""


@attrs.frozen(kw_only=True)
class Chip:
    """How many multiprocessors there are, and how blocks reach them."""

    multiprocessors: int = integer(at_most=4096)
    """Multiprocessors in use."""
    multiprocessors_per_cluster: int = integer(default=1)
    """Multiprocessors that share a cluster; the last cluster may be smaller."""
    cluster_sizes: tuple[int, ...] = integers(longest=32, default=())
    """Multiprocessors of each cluster, where they are not equally many; none: as above."""
    block_launch_cycles: float = real(at_least=0)
    """Least SM cycles between two block launches anywhere on the chip."""
    block_launch: BlockLaunch | None = part(BlockLaunch, optional=True, default=None)
    """Which multiprocessor a block goes to, what its launch takes there, and its end on the chip; None: each in turn, and nothing besides."""
    block_turnover_cycles: int = integer(at_least=0)
    """SM cycles from the end of a block until its successor on that multiprocessor issues."""
    launch_overhead_us: float = real(at_least=0)
    """Host time of a launch call; not part of the kernel's own time."""

    @property
    def dispatch(self) -> BlockDispatch:
        """Which multiprocessor the next block goes to."""
        return RoundRobin() if self.block_launch is None else self.block_launch.dispatch


@attrs.frozen(kw_only=True)
class DeviceLaunches:
    """Launches by kernels (dynamic parallelism): how deep, how many, how long they take."""

    depth: int = integer()
    """Generations of grids below the one that the host launched."""
    synchronization_depth: int = integer(at_least=0)
    """Generations whose blocks may wait for what they launched; 0: none may."""
    pending: int = integer(at_most=1 << 20)
    """Launches under way at a time that the fixed pool has room for."""
    pool: str = choice("virtualised", "fixed", default="virtualised")
    """What becomes of launches beyond that: they go on in a ``virtualised`` pool in the device heap (the first device runtime, of CUDA up to 11),
    or the pool is ``fixed`` and they fail with ``cudaErrorLaunchPendingCountExceeded`` (the second, of CUDA 12)."""
    virtual_us: float = real(at_least=0, default=0.0)
    """By how much longer a launch in the virtualised pool holds its warp, and the later it starts."""
    call_us: float = real(at_least=0)
    """For which one thread's launch holds its warp."""
    lane_us: float = real(at_least=0)
    """For which each further thread's of the same warp does, when several launch together."""
    start_us: float = real(at_least=0)
    """From there until the first block of the child can start."""
    next_us: float = real(at_least=0)
    """From the end of a grid until what waits for it goes on: the next of its stream, a block that waits."""
    tail_us: float = real(at_least=0)
    """From the end of a grid, and of all that it launched, until its tail begins."""


@attrs.frozen(kw_only=True)
class BlockClusters:
    """Clusters of blocks: blocks that start together on multiprocessors of one cluster and reach each other's shared memory."""

    most_blocks: int = integer(at_most=32)
    """Most blocks of a cluster …"""
    most_blocks_nonportable: int = integer(at_most=32)
    """… and of a launch that allows sizes which other machines of the kind may not have."""
    latency_cycles: int = integer()
    """SM cycles for which a load of another block's shared memory takes longer than it occupies the load/store unit; what one block tells
    another's mbarrier takes as long."""
    bytes_per_cycle: int = integer()
    """Rate of a multiprocessor's way to other blocks' shared memory per SM cycle, in whole pieces of 32 bytes."""
    barrier_cycles: int = integer()
    """SM cycles from the last arrival at the barrier of a cluster until its blocks go on."""


@attrs.frozen(kw_only=True)
class RegisterAllocationRules:
    """How a multiprocessor hands out registers beyond rounding up to a unit."""

    unit_exceptions: tuple[tuple[tuple[int, ...], int], ...] = exceptions(default=())
    """``((registers per thread, …), unit)``: numbers of registers for which another unit holds."""
    minimum_per_thread: int = integer(default=1)
    """Registers per thread that a launch gets at least, however few its kernel has."""

    def unit(self, registers: int, otherwise: int) -> int:
        """Give the unit for so many registers per thread."""
        return next((unit for counts, unit in self.unit_exceptions if registers in counts), otherwise)


@attrs.frozen(kw_only=True)
class RegisterFilePartitions:
    """A register file in equal parts; a warp's registers lie in one of them."""

    count: int = integer(at_least=2)
    """How many there are."""
    warps_per_partition: int | None = integer(optional=True, default=None)
    """Most warps that one part takes; None: as many as their registers allow."""


@attrs.frozen(kw_only=True)
class SharedParameters:
    """Kernel parameters that lie in the shared memory of every block, as on devices of compute capability 1.x."""

    launch_bytes: int = integer(at_least=0)
    """Launch data before them, likewise in every block."""


@attrs.frozen(kw_only=True)
class CarveoutHeadroom:
    """Room in the carveout of shared memory for more blocks than can be resident."""

    ratio: int = integer(at_least=2)
    """Times the shared memory of the blocks that can be resident for which the driver sets it, as long as that is …"""
    most_bytes: int = integer()
    """… no more than this."""


@attrs.frozen(kw_only=True)
class Limits:
    """What a launch may ask for, and in which units a multiprocessor hands out its resources."""

    threads_per_block: int = integer()
    """Most threads of a block."""
    threads_per_multiprocessor: int = integer()
    """Most resident threads."""
    warps_per_multiprocessor: int = integer()
    """Most resident warps."""
    blocks_per_multiprocessor: int = integer()
    """Most resident blocks."""
    registers_per_multiprocessor: int = integer()
    """32-bit registers of the register file."""
    registers_per_block: int = integer()
    """Most registers of one block."""
    registers_per_thread: int = integer()
    """Most registers of one thread."""
    registers_reserved_per_thread: int = integer(at_least=0, default=0)
    """Registers that the calling convention keeps in every thread, such as a stack pointer."""
    register_allocation_unit: int = integer()
    """Registers are handed out in multiples of this many …"""
    register_allocation_scope: str = choice("block", "warp")
    """… per block or per warp."""
    register_allocation_rules: RegisterAllocationRules | None = part(RegisterAllocationRules, optional=True, default=None)
    """What else counts when registers are handed out; None: nothing."""
    register_file_partitions: RegisterFilePartitions | None = part(RegisterFilePartitions, optional=True, default=None)
    """Parts of the register file; None: it is one."""
    warp_allocation_granularity: int = integer(default=1)
    """Warps (of a block if registers are handed out per block, else of a part of the register file) count in multiples of it."""
    shared_bytes_per_multiprocessor: int = integer(at_least=0)
    """Shared memory that resident blocks divide among themselves."""
    shared_bytes_per_block: int = integer(at_least=0)
    """Most shared memory of one block."""
    shared_allocation_unit_bytes: int = integer()
    """Shared memory is handed out in multiples of this."""
    shared_reserved_bytes_per_block: int = integer(at_least=0, default=0)
    """Shared memory that the system takes for itself in every block."""
    shared_parameters: SharedParameters | None = part(SharedParameters, optional=True, default=None)
    """The kernel's parameters in the shared memory of every block; None: they lie elsewhere."""
    shared_carveouts: tuple[int, ...] = integers(at_least=0, default=())
    """Sizes in bytes that `shared_bytes_per_multiprocessor` can be set to, where L1 shares the array; empty: fixed."""
    carveout_headroom: CarveoutHeadroom | None = part(CarveoutHeadroom, optional=True, default=None)
    """For how many more blocks the driver sets it; None: for those that can be resident."""
    block_dimensions: tuple[int, int, int] = integers(length=3)
    """Most threads of a block along x, y, z."""
    grid_dimensions: tuple[int, int, int] = integers(length=3)
    """Most blocks of a grid along x, y, z."""
    kernel_instructions: int = integer()
    """Most instructions of a kernel."""
    local_bytes_per_thread: int = integer(at_least=0)
    """Most thread-local memory."""
    stack_bytes_per_thread: int = integer(at_least=0, default=1024)
    """Call stack of a thread, in its local memory: what recursion and `alloca` may use. A setting of the runtime (CUDA's default
    is 1 KiB), counted against `local_bytes_per_thread`."""
    parameter_bytes: int = integer()
    """Most bytes of kernel parameters."""
    constant_bytes: int = integer()
    """Constant memory of a module."""
    address_bits: int | None = integer(at_most=64, optional=True, default=None)
    """Bits of an address of device memory, of which there can be no more than they reach; None: no limit below that of its pointers."""


CORE_PARTS: dict[str, str] = {
    "issue": "schedulers: the distance of issue slots, and of a warp's instructions",
    "fetch": "the caches of instructions",
    "constants": "the caches of constants",
    "shared": "shared memory",
    "l1": "the first data cache",
    "texture": "the first texture cache",
    "load_store": "handing over transactions",
}
"""Parts of a multiprocessor that may run at the core clock, beside its units."""


@attrs.frozen(kw_only=True)
class CoreDomain:
    """Parts of a multiprocessor that run at the core clock. Their times, in SM cycles, hold while a core cycle is `cycle_ratio` of those, and change
    with the clocks (`archdef.spec.clocking`)."""

    parts: tuple[str, ...] = texts(needs_evidence=True)
    """Which: parts out of `CORE_PARTS`, and units by name, the intervals and latencies of whose operations then change with that clock."""
    cycle_ratio: float = real()
    """SM cycles in a core cycle at which the times of such parts are declared."""

    def faults(self) -> Iterator[tuple[str, object, str]]:
        """Yield what is wrong with one field alone that its rule does not say."""
        if not self.parts:
            yield "parts", self.parts, "must name parts: without any nothing runs at the core clock"


@attrs.frozen(kw_only=True)
class Clocks:
    """Clock domains. Multiprocessors run at the shader clock, but for their `core_domain`; interconnect, partition ports and L2 run at
    the core clock. All times of a multiprocessor are declared in SM cycles."""

    core_mhz: float = real()
    """Interconnect, partition ports and L2."""
    shader_mhz: float = real()
    """Multiprocessors ("SM cycles"); equal to the core clock on machines that have one."""
    memory_mhz: float = real()
    """DRAM command clock as device queries print it; data moves `Dram.transfers_per_clock` times per cycle."""
    core_domain: CoreDomain | None = part(CoreDomain, optional=True, default=None)
    """What of a multiprocessor runs at the core clock; None: nothing."""


@attrs.frozen(kw_only=True)
class Schedulers:
    """The parts of a multiprocessor that issue; warp slot w belongs to scheduler ``w % count``."""

    count: int = integer(at_most=8)
    """Schedulers per multiprocessor; each holds at most 64 warps."""
    throttle: WarpThrottle | None = policy(WarpThrottle, optional=True, default=None)
    """Which warps may issue loads from memory, where not all may; None: all."""
    policy: SchedulerPolicy = policy(SchedulerPolicy)
    """Which ready warp is next."""
    issue_interval_cycles: int = integer(at_most=63)
    """SM cycles between two issue slots of one scheduler."""
    issue_width: int = integer(at_most=8, default=1)
    """Instructions per issue slot; more than one only to units that `dual_issue` pairs."""
    dual_issue: tuple[frozenset[str], ...] = pairs(default=())
    """Pairs of units that can be issued to in one slot; a pair of one name is that unit twice."""
    superscalar: bool = flag(default=False)
    """Whether all instructions of a slot are of one warp, one behind the other and independent; else each is of another warp."""
    instruction_gap_cycles: int = integer()
    """Least SM cycles between two issues of the same warp."""


@attrs.frozen(kw_only=True)
class ManagedMemory:
    """How memory that the host and the device both use moves between them."""

    page_bytes: int = integer(at_least=4096, at_most=1 << 30, power_of_two=True, default=65536)
    """What moves at once when the host touches memory that is on the device."""
    host_fault_us: float = real(at_least=0)
    """What such a touch costs the host, beside the transfer of the page."""
    fault_bytes: int | None = integer(optional=True, at_least=4096, at_most=1 << 40, default=None)
    """Most that one group of the device's page faults moves, with what is fetched ahead; None: the device has no page faults, and all managed
    memory moves there before a grid starts."""
    fault_us: float | None = real(optional=True, at_least=0, default=None)
    """What a group of page faults costs the grid, beside the transfer; None: the device has none."""


@attrs.frozen(kw_only=True)
class LinkAccesses:
    """How single accesses of kernels go by a link to memory behind it, which neither L2 nor DRAM of the device has a part in."""

    read_gb_s: float = real(above=0)
    """Rate towards the device of all that goes by the link, heads among it …"""
    write_gb_s: float = real(above=0)
    """… and from it."""
    latency_ns: float = real(at_least=0, default=1000.0)
    """From the device's interconnect to the memory and back with the first byte, where nothing else is under way."""
    granule_bytes: int = integer(at_least=4, at_most=4096, power_of_two=True, default=32)
    """Data go in aligned pieces of this many."""
    header_bytes: int = integer(at_least=0, default=32)
    """For which a request, and an answer, occupies the link beside its data."""
    requests_in_flight: int = integer(at_most=1 << 20, default=256)
    """Reads and atomic operations that wait for an answer at a time."""
    atomics: str = choice("device", "memory", default="device")
    """Who carries out atomic operations: the ``device``, which reads what they change and writes it back, so that those on one word follow each other by
    the way there and back; or the ``memory``, as its own."""


@attrs.frozen(kw_only=True)
class HostLink:
    """The way to the host, and what the device takes from it at once."""

    name: str = text()
    """What it is, for reports."""
    pinned_h2d_gb_s: float = real()
    """Copy rate from page-locked host memory to the device …"""
    pinned_d2h_gb_s: float = real()
    """… and back."""
    pageable_h2d_gb_s: float = real()
    """Copy rate from ordinary host memory, which the driver stages, to the device …"""
    pageable_d2h_gb_s: float = real()
    """… and back."""
    duplex_ratio: float = real(at_most=1, default=1.0)
    """Part of its rate that a copy keeps while one of the other direction is under way."""
    latency_us: float = real(at_least=0)
    """From the moment a copy engine takes a copy up to its first byte."""
    staging_bytes: int = integer(at_least=0, default=65536)
    """Largest copy from ordinary memory to the device that the driver stages at once, so that the host need not wait."""
    call_us: float = real(at_least=0)
    """Host time of an asynchronous call that is no launch (`Chip.launch_overhead_us`)."""
    submit_us: float = real(at_least=0)
    """From the end of the host's call until the device sees it."""
    dependency_us: float = real(at_least=0)
    """From the end of what a grid waits for until its first block can start; an event waited for by a stream takes as long."""
    event_us: float = real(at_least=0, default=0.0)
    """For which recording an event occupies its stream; part of `dependency_us` where another stream waits for the event."""
    wakeup_us: float = real(at_least=0)
    """From the end of work on the device until the host that waits for it goes on."""
    copy_engines: int = integer(at_least=0)
    """Copies that run beside kernels: one for both directions, or one for each; 0: copies and kernels take turns."""
    work_queues: int = integer()
    """Queues from the host; work in one of them starts in the order of the calls, for each engine."""
    concurrent_grids: int = integer()
    """Most grids that run at a time; 1: no concurrent kernels."""
    late_kernel_signals: bool = flag(default=False)
    """Whether copies and events behind a kernel wait for all kernels that were issued right after it, without anything between."""
    peer_gb_s: float | None = real(optional=True, default=None)
    """Copy rate to a device beside this one; None: such copies go by way of the host."""
    peer_latency_us: float = real(at_least=0, default=0.0)
    """Time before the first byte of a copy between devices."""
    managed: ManagedMemory | None = part(ManagedMemory, optional=True, default=None)
    """Memory that the host and the device both use; None: there is none."""
    mapped: LinkAccesses | None = part(LinkAccesses, optional=True, default=None)
    """How kernels access page-locked memory of the host. None: those of machines without unified_addressing do not; of others nothing is known, and
    `mapped_accesses` says what is assumed."""
    peer: LinkAccesses | None = part(LinkAccesses, optional=True, default=None)
    """How they access memory of a device beside this one; None: as memory of the host."""

    @property
    def mapped_accesses(self) -> LinkAccesses:
        """`mapped`; where that is not declared, accesses go at the rates of copies, which have next to no heads."""
        return self.mapped or LinkAccesses(read_gb_s=self.pinned_h2d_gb_s, write_gb_s=self.pinned_d2h_gb_s, header_bytes=0)

    @property
    def peer_accesses(self) -> LinkAccesses:
        """`peer`; where that is not declared, devices lie beside the host, and accesses go as those to its memory."""
        return self.peer or self.mapped_accesses


TYPICAL_LINK = HostLink(name="PCIe 3.0 x16, assumed", pinned_h2d_gb_s=12, pinned_d2h_gb_s=12, pageable_h2d_gb_s=6, pageable_d2h_gb_s=6,
                        duplex_ratio=0.9, latency_us=4, call_us=2, submit_us=1, dependency_us=2, wakeup_us=4, copy_engines=2,
                        work_queues=32, concurrent_grids=32)
"""What a machine gets that declares no `host_link`; every figure is assumed, and timelines say so."""
