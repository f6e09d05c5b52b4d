"""The memory hierarchy: shared memory, coalescing, caches, load/store limits, interconnect, DRAM."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from archdef.spec.access import Broadcast, CoalescingRule, MergedLanes, SplitLanes, WideAccess, _groups
from archdef.spec.fields import choice, flag, integer, integers, part, policy, real
from archdef.spec.policy import BankMap, DramScheduling, Interleaved, LeastRecentlyUsed, LowOrder, ParityHash, PartitionMap, Replacement

MOST_SECTORS = 4
"""Sectors that are kept under one tag: a cache line of more is several, and a line of transactions has no more."""
MOST_SIDES = 16
"""Sides of a chip that are told apart in who has had a copy of a line."""


@attrs.frozen(kw_only=True)
class SharedMemory:
    """The banks of a multiprocessor's shared memory; the byte at address a lies in word ``a // bank_width_bytes``."""

    banks: int = integer(power_of_two=True)
    """Banks, each serving one word per pass."""
    bank_width_bytes: int = integer(power_of_two=True, default=4)
    """Bytes of a bank's word."""
    row_words: int = integer(power_of_two=True, at_most=16, default=1)
    """Words of a bank that one pass serves together if they lie in one row, an aligned run of ``banks * row_words`` words."""
    conflict_lanes: int = integer(at_most=64, power_of_two=True)
    """Lanes that are served together; lanes of different groups never conflict."""
    broadcast: Broadcast = policy(Broadcast)
    """How many lanes that want the same word one pass serves."""
    bank_map: BankMap = policy(BankMap, default=LowOrder())
    """Which bank holds a word."""
    wide_access: WideAccess = policy(WideAccess, default=SplitLanes())
    """How words wider than a bank are served."""
    latency_cycles: int = integer()
    """SM cycles from issue to a usable result of an access in one pass, less the operation's own latency."""
    pass_cycles: int = integer()
    """SM cycles for which one pass occupies the banks."""
    pass_latency_cycles: int | None = integer(optional=True, default=None)
    """SM cycles by which each further pass of an access delays its result; None: `pass_cycles`."""

    conflicts_hold_issue: bool = flag(default=False)
    """Whether the scheduler issues nothing during the passes that a conflict adds, as where arithmetic itself reads shared memory."""
    group_latency_cycles: int = integer(at_least=0, default=0)
    """SM cycles by which each further group of lanes, of a load that is served in several, delays its result besides its passes."""

    def _conflict_groups(self, addresses: Sequence[int], word_bytes: int, mask: Sequence[bool] | None, load: bool) -> Iterator[list[tuple[int, int]]]:
        pieces = max(1, word_bytes // self.bank_width_bytes)
        split = isinstance(self.wide_access, (SplitLanes, MergedLanes))
        lanes = max(1, self.conflict_lanes // max(1, pieces // self.row_words)) if split else self.conflict_lanes
        groups = list(_groups(addresses, mask, lanes))
        if load and pieces > 1 and isinstance(self.wide_access, MergedLanes):
            groups = self._merged(groups, lanes)
        for _, group in groups:
            first = [(lane, address // self.bank_width_bytes) for lane, address in group]
            if split:
                yield [(lane, word + piece) for lane, word in first for piece in range(pieces)]
            else:
                yield from ([(lane, word + piece) for lane, word in first] for piece in range(pieces))

    @staticmethod
    def _merged(groups: list[tuple[int, list[tuple[int, int]]]], lanes: int) -> list[tuple[int, list[tuple[int, int]]]]:
        merged: list[tuple[int, list[tuple[int, int]]]] = []
        for start in dict.fromkeys(group[0][0] // (2 * lanes) for _, group in groups):
            both = [(width, group) for width, group in groups if group[0][0] // (2 * lanes) == start]
            read = dict(pair for _, group in both for pair in group)
            if any(all(read.get(lane ^ apart, address) == address for lane, address in read.items()) for apart in (1, 2)):
                both = [(2 * lanes, [pair for _, group in both for pair in group])]
            merged += both
        return merged

    def passes(self, addresses: Sequence[int], word_bytes: int = 4, mask: Sequence[bool] | None = None, load: bool = True) -> int:
        """Count the passes over the banks that one access of a warp needs.

        addresses  : sequence of int, shape (warp_size,), bytes.
        word_bytes : int, bytes per lane.
        mask       : sequence of bool, shape (warp_size,), lanes that take part; None for all.
        load       : whether the access reads.
        """
        return sum(int(self.broadcast.passes(self._named(group), self.banks)) for group in self._conflict_groups(addresses, word_bytes, mask, load))

    def _named(self, group: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Give words names that are equal where one pass of a bank serves them, and whose remainder is the bank."""
        run = self.banks * self.row_words if self.row_words > 1 else 1  # words of a row share their bank's place in it
        banks = self.bank_map.banks_of([word for _, word in group], self.banks)
        return [(lane, word // run * self.banks + bank) for (lane, word), bank in zip(group, banks)]

    def groups(self, addresses: Sequence[int], word_bytes: int = 4, mask: Sequence[bool] | None = None, load: bool = True) -> int:
        """Count the conflict groups that have an active lane: the passes that the access needs without any conflict."""
        return sum(1 for _ in self._conflict_groups(addresses, word_bytes, mask, load))


@attrs.frozen(kw_only=True)
class Coalescing:
    """Which transactions serve an access of a warp to global or local memory."""

    load: CoalescingRule = policy(CoalescingRule)
    """Loads that go by way of L1. Without one, none does, and a what-if must change it together with `load_uncached`."""
    store: CoalescingRule = policy(CoalescingRule)
    """Stores, reductions and atomics."""
    load_uncached: CoalescingRule = policy(CoalescingRule)
    """Loads that go past L1, because of their cache operator or because L1 is off."""


@attrs.frozen(kw_only=True)
class Cache:
    """One cache. Sets are chosen by the line's number modulo their count, in some after folding bits of it (`set_hash_bits`)."""

    size_bytes: int = integer()
    """Bytes of one instance: of each multiprocessor's, cluster's or partition's, or of the chip's only one."""
    line_bytes: int = integer(power_of_two=True)
    """Bytes under one tag."""
    sector_bytes: int = integer(power_of_two=True)
    """Bytes fetched on a miss."""
    ways: int = integer()
    """Lines of one set."""
    latency_cycles: int = integer(at_least=0)
    """Hit: SM cycles added to the operation's own latency; with scope ``partition``: core cycles added at the partition."""
    misses_in_flight: int = integer()
    """Different lines or sectors that one instance can wait for."""
    fetch_bytes: int | None = integer(power_of_two=True, optional=True, default=None)
    """At a partition: aligned bytes of a line that a miss fetches together; None: `sector_bytes`."""
    dirty_ways: int | None = integer(optional=True, default=None)
    """At a partition: lines of a set that may wait to be written back; with one more, that which was used longest ago is. None: all."""
    partial_ways: int | None = integer(optional=True, default=None)
    """At a partition: lines of a set that may hold sectors of which stores have written a part. Where there is one more when something else comes to
    the set, or passes it on its way to the other side, that which was used longest ago is completed from memory and written back, unless it
    is what is asked for. None: a store makes its sectors whole."""
    set_hash_bits: tuple[int, ...] = integers(at_least=0, at_most=63, longest=8, default=())
    """Bits of the address that are exclusive-ored into the set's number, from its lowest bit on; none: the line's number modulo the sets."""
    tag_bank_masks: tuple[int, ...] = integers(longest=4, default=())
    """At a multiprocessor: for each bit of a tag bank's number, the bits of the line's number whose parity it is. Each bank looks up a line a
    cycle, and words that hit come from banks as those of shared memory do; none: loads take `transaction_cycles` for every line."""
    lines_ahead: int = integer(at_least=0, at_most=63, default=0)
    """Of instructions: lines behind the one that a miss asks for, which it brings along."""
    replacement: Replacement = policy(Replacement, default=LeastRecentlyUsed())
    """Which line of a full set a new one replaces."""
    write: str = choice("evict", "through", "back")
    """A store that hits: evicts the line and goes on; updates it and goes on; or stays until the line is replaced."""
    enabled: bool = flag(default=True)
    """Whether programs use it unless they ask otherwise."""
    scope: str = choice("scheduler", "multiprocessor", "cluster", "partition", "chip")
    """Who shares one instance; ``scheduler``: only `Caches.instruction` and `constant_uniform`."""

    @property
    def sets(self) -> int:
        """Sets of one instance."""
        return self.size_bytes // (self.line_bytes * self.ways)


@attrs.frozen(kw_only=True)
class StridePrefetcher:
    """Fetches lines that loads with an even step will read: the second step of one length, in lines, of one warp's load instruction shows a stride.

    Lines that are there or on their way are left alone, and nothing is fetched while no read can be sent. References: Baer and Chen, An Effective On-Chip
    Preloading Scheme to Reduce Data Access Penalty, SC 1991; Lee et al., Many-Thread Aware Prefetching Mechanisms for GPGPU Applications, MICRO 2010 (a
    table by instruction and warp).
    """

    entries: int = integer(at_most=65536)
    """Load instructions of one warp each that a multiprocessor follows; each has its place in the table, where the latest stays."""
    degree: int = integer(at_most=16, default=1)
    """Lines that are fetched at a time."""
    distance: int = integer(at_most=256, default=1)
    """Steps by which the first of them lies ahead."""
    page_bytes: int = integer(at_least=256, power_of_two=True, at_most=1 << 30, default=4096)
    """Lines on another page than the load's, of so many bytes, are not fetched."""


@attrs.frozen(kw_only=True)
class Caches:
    """The caches that the machine has; None for those that it has not."""

    l1: Cache | None = part(Cache, optional=True, default=None)
    """Data cache of a multiprocessor."""
    l1_prefetcher: StridePrefetcher | None = part(StridePrefetcher, optional=True, default=None)
    """What fetches lines into `l1` before a load asks for them; None: nothing does."""
    l1_gives_carveout: bool = flag(default=False)
    """Whether L1 is what the carveout of shared memory (`Limits.shared_carveouts`) leaves of `l1.size_bytes`."""
    carveout_takes: str = choice("sets", "ways", default="sets")
    """Where L1 is what the carveout leaves: what it has less of, of its sets or of the ways of each."""
    l1_global_loads: bool = flag(default=True)
    """Whether loads from global memory use `l1` without asking for it (``ld.ca``); those from local memory always do."""
    constant: Cache | None = part(Cache, optional=True, default=None)
    """Cache of constant memory."""
    constant_l2: Cache | None = part(Cache, optional=True, default=None)
    """Second cache of constant memory, behind `constant`. Its latency is that of a hit in it, the first cache's miss included. Whatever
    its scope, every multiprocessor keeps tags of its own for it: constants are only read, so that sharers differ in first touches alone."""
    constant_l3: Cache | None = part(Cache, optional=True, default=None)
    """Third cache of constant memory, behind `constant_l2`, likewise."""
    constant_pass_bytes: int = choice(4, 8, 16, default=16)
    """Bytes of a lane that one pass of a load from constant memory brings, where lanes name several addresses; each address takes its own."""
    constant_pass_latency_cycles: int = integer(at_least=0, default=0)
    """By how much each further pass delays the load; 0: by as much as it holds the unit."""
    constant_uniform: Cache | None = part(Cache, optional=True, default=None)
    """Each scheduler's cache of what a warp reads as a whole: constants at an address in a register in which all lanes are known to agree.
    Such a load takes `latency_cycles` and does without the load/store unit; its warp waits for what is not there. At an address that
    the program names it reads `constant`, likewise. None: these are loads like any other."""
    constant_fill_cycles: int = integer(at_least=0, default=0)
    """SM cycles for which a warp waits for a line of `constant_uniform` that `constant_l2` or `constant_l3` has."""
    constant_line_cycles: int = integer(at_least=0, default=0)
    """SM cycles between two such lines, whichever of a multiprocessor's schedulers they are for."""
    instruction: Cache | None = part(Cache, optional=True, default=None)
    """First cache of instructions, of each scheduler or multiprocessor; None: instructions are always at hand. A warp whose next
    instruction is in a line that is not there waits for `latency_cycles` of the level that has it, counted from the instruction before."""
    instruction_l2: Cache | None = part(Cache, optional=True, default=None)
    """Second cache of instructions. Whatever its scope, every multiprocessor keeps tags of its own for it, as for constants."""
    instruction_l3: Cache | None = part(Cache, optional=True, default=None)
    """Third cache of instructions, likewise."""
    instruction_memory_cycles: int = integer(at_least=0, default=0)
    """The same wait for a line that none of them has."""
    instruction_preload_bytes: int = integer(at_least=0, default=0)
    """Of a kernel's code, from its start: what its launch brings to the last of these caches."""
    instruction_fill_bytes: int = integer(power_of_two=True, optional=True, default=None)
    """Bytes of code that come from device memory at a time, where no cache has them; None: it is not known."""
    launch_bytes: int = integer(at_least=0, default=0)
    """Bytes that a launch reads from device memory besides its kernel's code: its descriptor, its parameters."""
    texture_l1: Cache | None = part(Cache, optional=True, default=None)
    """First cache of texture and read-only loads; of scope ``cluster`` if the multiprocessors of a cluster share it."""
    texture_l2: Cache | None = part(Cache, optional=True, default=None)
    """Second cache of texture fetches, at the memory partitions, where it is not the L2."""
    texture_tile_rows: int = integer(power_of_two=True, at_most=32, default=2)
    """Rows of a two- or three-dimensional array of which one sector of `texture_l1` holds a piece: arrays lie tile by tile, so
    that neighbours in both directions share a line."""
    l2: Cache | None = part(Cache, optional=True, default=None)
    """Cache of all accesses, at the memory partitions."""


    @property
    def declared(self) -> dict[str, Cache]:
        """The caches that the machine has, by name."""
        fields = {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}
        return {name: value for name, value in fields.items() if isinstance(value, Cache)}


@attrs.frozen(kw_only=True)
class TextureUnits:
    """The fixed-point arithmetic of texture fetches; `archdef.testing.texturing` says what it computes."""

    weight_bits: int = integer(at_most=8)
    """Fraction bits of positions between texels, and so of the weights of a filter."""
    coordinate_bits: int = integer(at_least=8, at_most=24)
    """Fraction bits that a normalised coordinate keeps before it is multiplied by the extent."""
    coordinate_extents: tuple[int, ...] = integers(longest=4)
    """Extents of a texture beyond each of which its normalised coordinates keep one bit more."""
    guard_bits: int = integer(at_least=0, at_most=8)
    """Bits below the last one of a filter's greatest texel that its other texels keep."""


@attrs.frozen(kw_only=True)
class InstructionQueue:
    """Memory instructions that each scheduler has issued and the load/store unit has not begun; their warps go on. First come, first served."""

    entries: int = integer(at_least=1, at_most=64)
    """Instructions of one scheduler; fetches of textures do not wait here."""


@attrs.frozen(kw_only=True)
class WriteCombining:
    """A buffer of lines of which some words have been stored, and which wait for stores to the others to leave together."""

    lines: int = integer(at_least=1, at_most=64)
    """Lines that wait; if more come, the oldest leaves. One of which all words are there leaves at once."""
    idle_cycles: int = integer()
    """SM cycles after the latest store until all of them leave."""


@attrs.frozen(kw_only=True)
class LoadStore:
    """What one multiprocessor can have under way."""

    instruction_queue: InstructionQueue | None = part(InstructionQueue, optional=True, default=None)
    """Where memory instructions wait for the load/store unit; None: in their warps."""
    write_combining: WriteCombining | None = part(WriteCombining, optional=True, default=None)
    """Where stores wait for others to the same line; None: each leaves by itself."""
    reads_in_flight_per_multiprocessor: int = integer()
    """Read transactions sent and not yet answered."""
    stores_in_flight_per_multiprocessor: int = integer()
    """Write transactions sent and not yet acknowledged."""
    store_bytes_in_flight_per_multiprocessor: int | None = integer(optional=True, at_most=1 << 24, default=None)
    """Bytes of sectors that those may carry together, whole or in part; None: as many as they are."""
    textures_in_flight_per_multiprocessor: int | None = integer(optional=True, default=None)
    """Texture transactions sent to a texture cache that a cluster shares, and not yet answered, be they hits; None: they count as reads."""
    queued_stores: bool = flag(default=False)
    """Whether stores of a warp that follow each other, with nothing in between, go to the load/store unit in a row though others wait for it."""
    after_load: str = choice("turns", "chance", default="turns")
    """Which scheduler comes first at the unit behind a load of device memory, and behind as many accesses after it as can be queued: they take
    turns, as ever, or chance decides."""
    bank_queue_entries: int = integer(at_least=0, at_most=64, default=0)
    """Accesses that wait for the banks of L1 and shared memory behind the unit, which goes on as long as there is room. Loads that miss come to
    the banks when their data are there. 0: an access holds the unit until the banks are through with it, be its words there or not."""
    transaction_cycles: int = integer()
    """SM cycles for which each transaction, the first included, holds the load/store unit."""
    access_distance_cycles: int = integer(at_least=0, at_most=64, default=0)
    """Least distance, in SM cycles, of two accesses of a warp that follow each other in straight code, with any other instructions in between."""
    replay_cycles: int = integer(at_least=0, default=0)
    """SM cycles by which each further transaction of an access, issued once more, keeps its own warp from going on."""
    replay_refused: bool = flag(default=False)
    """Whether a load for whose line L1 has no place, as all lines of the set are being filled, is issued again when one of them has come: its
    warp waits, others go on. Otherwise it holds the load/store unit."""
    atomic_cycles: float = real()
    """Core cycles for which one sector's atomic operations hold its partition, and each further operation on the same address."""
    atomic_sector_cycles: float | None = real(optional=True, default=None)
    """Core cycles for which operations on all words of a sector hold its partition, and each of two values where operations take two;
    None: `atomic_cycles`."""
    bulk_read_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Bytes that the unit of bulk copies asks for in an SM cycle; None: a transaction every `transaction_cycles`."""
    bulk_write_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Bytes that it stores or reduces in an SM cycle; None: a transaction every `transaction_cycles`."""


@attrs.frozen(kw_only=True)
class Interconnect:
    """Between multiprocessors and partitions. Every packet is a header, plus its data if it carries any."""

    request_latency_ns: float = real()
    """One way, multiprocessor to partition, unloaded."""
    response_latency_ns: float = real()
    """One way, partition to multiprocessor, unloaded."""
    header_bytes: int = integer(at_least=0)
    """Bytes of a packet besides its data."""
    mask_bytes: int = integer(at_least=0, default=0)
    """Bytes by which the packet of an atomic operation, or of a store that leaves bytes of its sectors alone, is longer."""
    sector_mask_bytes: int = integer(at_least=0, default=0)
    """Bytes by which each sector makes the packet of atomic operations longer that carries more than one word, instead; 0: all together `mask_bytes`."""
    partial_write_cycles: float = real(at_least=0, default=0.0)
    """Core cycles for which a packet that writes sectors in part holds the way into its partition at least; with a `slice_map`, those for which it
    holds its slice as atomic operations do."""
    atomic_packet_cycles: float = real(at_least=0, default=0.0)
    """Core cycles for which a packet of atomic operations holds the way into its slice at least."""
    slice_queue_cycles: int = integer(default=1000)
    """Core cycles of stores and atomic operations that may wait to get into a slice of `slice_map`, and of those that may wait in it; others wait
    in their multiprocessors, and hold up what comes after."""
    injection_bytes_per_cycle: int = integer()
    """Rate into the network, per core cycle …"""
    injection_scope: str = choice("multiprocessor", "cluster")
    """… of each multiprocessor or of each cluster."""
    store_ports: bool = flag(default=False)
    """Whether stores and atomic operations enter by ports of their own, of the same rate, and so hold up no load."""
    partition_request_bytes_per_cycle: int = integer()
    """Rate into one partition, per core cycle; packets take whole cycles, but where there is a `slice_map`."""
    partition_response_bytes_per_cycle: int = integer()
    """Rate out of one partition, per core cycle."""
    slice_map: ParityHash | None = policy(ParityHash, optional=True, default=None)
    """Through which partition's ports and atomic unit an address is reached, and on which side those lie; None: through those of its own.
    What comes from another side goes in at the same place of its own side, and what is stored or operated on crosses from there."""
    cluster_request_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate out of one cluster, whose multiprocessors take turns, per core cycle, beside that of each of them; None: not a bottleneck."""
    cluster_response_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate into one cluster, per core cycle; None: not a bottleneck."""
    sides: int = integer(at_most=MOST_SIDES, default=1)
    """Equal parts of the chip, each with its multiprocessors and partitions, by number; 1: all are near each other."""
    far_latency_ns: float = real(at_least=0, default=0)
    """By which data take longer to another side than to their own: from DRAM, and from the partition's cache when they are first asked for from there."""
    side_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate into one side from the others, per core cycle, of such data and of what is stored; None: not a bottleneck."""
    side_links: int = integer(default=1)
    """Links that share this rate evenly, each for the partitions, or slices, whose numbers are the same modulo so many."""
    place_cycles: tuple[int, ...] = integers(at_least=0, longest=32, default=())
    """SM cycles by which answers take longer to the multiprocessors of a cluster, place by place, and again from the first; none: no longer."""
    spread_ns: float = real(at_least=0, default=0)
    """Most by which they take longer from one partition than from another; how much is different for each cluster and partition."""
    gathered_requests: int = integer(default=1)
    """Requests of one cluster's multiprocessors for the same sectors of a line that a partition answers together, if they come before
    the first of them is answered and no request of that cluster for other sectors of the line comes between; 1: each by itself."""
    gathering_lines: int = integer(power_of_two=True, default=256)
    """Lines for which a partition can gather requests at a time."""


@attrs.frozen(kw_only=True)
class Dram:
    """Device memory: equal partitions, each with its own controller, queue, banks and share of the bus."""

    partitions: int = integer(at_most=1024)
    """Partitions (channels) with a controller of their own."""
    interleave_bytes: int = integer(power_of_two=True)
    """Consecutive bytes that lie in one partition."""
    partition_map: PartitionMap = policy(PartitionMap, default=Interleaved())
    """Which partition holds an address."""
    capacity_bytes: int = integer()
    """Device memory that programs can use."""
    bus_bits: int = integer()
    """Width of the whole bus."""
    transfers_per_clock: float = real()
    """Transfers on each wire per cycle of `Clocks.memory_mhz`."""
    burst_bytes: int = integer(power_of_two=True)
    """Bytes of one burst of a partition; data moves in whole bursts."""
    banks: int = integer(power_of_two=True)
    """Banks of a partition, each with one open row."""
    row_bytes: int = integer(power_of_two=True)
    """Bytes of an open row of a partition, all its chips together."""
    t_rcd_ns: float = real()
    """Activate to column access."""
    t_rp_ns: float = real()
    """Precharge to activate."""
    t_ras_ns: float = real()
    """Activate to precharge."""
    t_rrd_ns: float = real(at_least=0)
    """Activate to activate of another bank."""
    t_cl_ns: float = real()
    """Read to its first data."""
    t_wl_ns: float = real()
    """Write to its first data."""
    t_wtr_ns: float = real(at_least=0)
    """End of write data to a read."""
    t_rtw_ns: float = real(at_least=0)
    """End of read data to write data."""
    t_wr_ns: float = real(at_least=0)
    """End of write data to precharge."""
    t_refi_ns: float | None = real(optional=True, default=None)
    """From one refresh of a partition, of some of its banks, to that of the next ones; None: refreshes are not modelled."""
    t_rfc_ns: float = real(at_least=0, default=0)
    """For which a refresh holds the partition, or `refresh_banks`."""
    refresh_banks: int | None = integer(power_of_two=True, optional=True, default=None)
    """Banks that are refreshed together while the others serve; None: one, and the whole partition waits."""
    extra_latency_ns: float = real(at_least=0)
    """Controller and pad latency of every access, beside the timings above."""
    queue_entries: int = integer()
    """Requests, reads and writes together, that a partition holds; a full queue blocks the port."""
    refreshes_postponed: int = integer(at_least=0, at_most=64, default=0)
    """Refreshes of the same banks that may be put off while transactions wait for them, to be made up for when none does."""
    page_policy: str = choice("open", "close_adaptive", default="open")
    """Whether a row stays open until its bank is wanted for another one, or closes as soon as nothing that is queued wants it."""
    scheduling: DramScheduling = policy(DramScheduling)
    """Which request of the queue is next."""
    write_drain_high: int = integer()
    """Waiting writes at which the partition turns to writing …"""
    write_drain_low: int = integer(at_least=0)
    """… and at which it turns back, if reads wait."""
    ecc_overhead_ratio: float = real(at_least=1, at_most=2, default=1.0)
    """Bytes on the bus per byte of data; 1 without error correction."""

    def bandwidth_gb_s(self, memory_mhz: float) -> float:
        """Give the peak rate of the whole bus in 10⁹ bytes per second at a memory clock, before error correction."""
        return self.bus_bits / 8 * memory_mhz * self.transfers_per_clock / 1000
