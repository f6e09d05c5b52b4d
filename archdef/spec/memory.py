"""The memory hierarchy: shared memory, coalescing, caches, load/store limits, interconnect, DRAM."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from archdef.spec.access import Broadcast, CoalescingRule, ExtraPass, MergedLanes, SplitLanes, WideAccess, WordAtATime, _groups
from archdef.spec.fields import choice, flag, integer, integers, part, policy, real
from archdef.spec.policy import (Admission, BankMap, DramScheduling, Interleaved, LeastRecentlyUsed, LowOrder, ParityHash, PartitionMap, Prefetcher,
                                 Replacement, Topology, VictimCache)

MOST_SECTORS = 4
"""Sectors that are kept under one tag: a cache line of more is several, and a line of transactions has no more."""
MOST_L2_PARTITIONS = 16
"""Parts of a chip that are told apart in who has had a copy of a line."""


@attrs.frozen(kw_only=True)
class BankRows:
    """Banks that serve several words at a time, as those of Kepler do in their mode of four bytes."""

    words: int = integer(power_of_two=True, at_least=2, at_most=16)
    """Words of a bank that one pass serves together if they lie in one row, an aligned run of ``banks * words`` words."""


@attrs.frozen(kw_only=True)
class SharedMemory:
    """The banks of a multiprocessor's shared memory; the byte at address a lies in word ``a // bank_width_bytes``."""

    banks: int = integer(power_of_two=True)
    """Banks, each serving one word per pass."""
    bank_width_bytes: int = integer(power_of_two=True, default=4)
    """Bytes of a bank's word."""
    bank_rows: BankRows | None = part(BankRows, optional=True, default=None)
    """Rows of which one pass serves several words of a bank; None: a pass serves one word of each."""
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
    @property
    def row_words(self) -> int:
        """Words of a bank that one pass serves together if they lie in one row."""
        return 1 if self.bank_rows is None else self.bank_rows.words

    def _conflict_groups(self, addresses: Sequence[int], word_bytes: int, mask: Sequence[bool] | None, load: bool) -> Iterator[list[tuple[int, int]]]:
        pieces = max(1, word_bytes // self.bank_width_bytes)
        split = not isinstance(self.wide_access, WordAtATime)
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
        extra = int(load and word_bytes >= 4 * self.bank_width_bytes and isinstance(self.wide_access, ExtraPass))
        return sum(int(self.broadcast.passes(self._named(group), self.banks)) + extra
                   for group in self._conflict_groups(addresses, word_bytes, mask, load))

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
    partial_dirty_ways: int | None = integer(optional=True, default=None)
    """At a partition: lines of a set that may hold sectors of which stores have written a part; None: a store makes its sectors whole. Where there is
    one more when something else comes to the set, or passes it, that which was used longest ago is completed from memory and written back."""
    set_hash_bits: tuple[int, ...] = integers(at_least=0, at_most=63, longest=8, default=())
    """Bits of the address that are exclusive-ored into the set's number, from its lowest bit on; none: the line's number modulo the sets."""
    tag_bank_masks: tuple[int, ...] = integers(longest=4, default=())
    """At a multiprocessor: for each bit of a tag bank's number, the bits of the line's number whose parity it is. Each bank looks up a line a
    cycle, and words that hit come from banks as those of shared memory do; none: loads take `transaction_cycles` for every line."""
    prefetch_degree: int = integer(at_least=0, at_most=63, default=0)
    """Of instructions: the prefetch degree, lines behind the one that a miss asks for that it fetches too."""
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
class ConstantPort:
    """Loads from constant memory in which lanes name several addresses; each address takes passes of its own."""

    pass_bytes: int = choice(4, 8, 16, default=16)
    """Bytes of a lane that one pass brings."""
    pass_latency_cycles: int = integer(at_least=0, default=0)
    """By how much each further pass delays the load; 0: by as much as it holds the unit."""


@attrs.frozen(kw_only=True)
class UniformFill:
    """Between `Caches.constant_uniform` and the caches of constants behind it."""

    latency_cycles: int = integer(at_least=0, default=0)
    """SM cycles for which a warp waits for a line."""
    interval_cycles: int = integer(at_least=0, default=0)
    """SM cycles between two lines, whichever of a multiprocessor's schedulers they are for."""


@attrs.frozen(kw_only=True)
class CodeFetch:
    """What a launch reads from device memory before its first instruction: the kernel's code, and what describes the launch."""

    fill_bytes: int = integer(power_of_two=True)
    """Bytes of code that come from device memory at a time, where no cache has them."""
    launch_bytes: int = integer(at_least=0, default=0)
    """Bytes that a launch reads besides: its descriptor, its parameters."""
    tail_instructions: int = integer(at_least=0, default=0)
    """Instructions that the assembler puts behind a kernel's last, for fetching ahead to find; never issued."""
    alignment_bytes: int = integer(power_of_two=True, default=16)
    """The size of a kernel's code, with them, is a multiple of this."""


@attrs.frozen(kw_only=True)
class Tlb:
    """A cache of translations; of those of a full set the one used longest ago gives way."""

    entries: int = integer(at_most=65536)
    """Translations that it holds, each of a page."""
    ways: int = integer(at_most=1024)
    """Translations of one set, which the number of the page chooses; as many as `entries`: any may stand anywhere."""
    latency_cycles: int = integer(at_least=0, at_most=1 << 20)
    """Time of a lookup, and of the way to it: SM cycles of a multiprocessor's, core cycles of the one that they share."""
    lookups_per_cycle: int = integer(at_most=64, default=1)
    """Ports: lookups that begin in one such cycle."""
    misses_in_flight: int = integer(at_most=1024)
    """Pages that it can wait for; a further one holds up what comes after it, one that it waits for already does not."""

    def faults(self) -> Iterator[tuple[str, object, str]]:
        """Yield what is wrong with several fields together."""
        if self.entries % self.ways:
            yield "ways", self.ways, f"must divide entries = {self.entries}"


@attrs.frozen(kw_only=True)
class PageWalk:
    """How a translation is found that no TLB has."""

    walkers: int = integer(at_most=1024)
    """Walks at a time; others wait their turn. Pages that several multiprocessors lack are walked for once."""
    levels: int = integer(at_most=6)
    """Entries of the page table that a walk reads one after the other."""
    level_cycles: int = integer(at_most=1 << 20)
    """Core cycles for which it reads each of them."""
    table_entries: int = integer(power_of_two=True, at_most=4096, default=512)
    """Entries of a table of each level."""
    cached_entries: int = integer(at_least=0, at_most=1024, default=0)
    """Entries of upper levels, those used last, that walks need not read again."""

    def faults(self) -> Iterator[tuple[str, object, str]]:
        """Yield what is wrong with several fields together."""
        if self.cached_entries and self.levels == 1:
            yield "cached_entries", self.cached_entries, "must be 0 where levels = 1: there are no upper ones"
        if self.table_entries != 512 and not self.cached_entries:
            yield "table_entries", self.table_entries, "must be left at 512 where cached_entries = 0: walks read an entry of each level, whatever they hold"


@attrs.frozen(kw_only=True)
class AddressTranslation:
    """Translation of what leaves a multiprocessor: L1 holds virtual addresses, a request is translated before it goes into the interconnect.

    Every page is present. References: Power et al., Supporting x86-64 Address Translation for 100s of GPU Lanes, HPCA 2014; Pichai et al.,
    Architectural Support for Address Translation on GPUs, ASPLOS 2014; Ausavarungnirun et al., MASK, ASPLOS 2018.
    """

    page_bytes: int = integer(at_least=4096, power_of_two=True, at_most=1 << 40)
    """Bytes of a page."""
    l1: Tlb = part(Tlb)
    """TLB of a multiprocessor."""
    l2: Tlb | None = part(Tlb, optional=True, default=None)
    """TLB of the chip, which those ask; None: they ask for a walk at once."""
    walk: PageWalk = part(PageWalk)
    """What happens where none has a translation."""
    hit_under_miss: bool = flag(default=True)
    """Whether requests whose translation is there overtake those that wait for theirs."""


@attrs.frozen(kw_only=True)
class Caches:
    """The caches that the machine has; None for those that it has not."""

    l1: Cache | None = part(Cache, optional=True, default=None)
    """Data cache of a multiprocessor."""
    l1_prefetcher: StridePrefetcher | None = part(StridePrefetcher, optional=True, default=None)
    """What fetches lines into `l1` before a load asks for them; None: nothing does."""
    l1_prefetch: Prefetcher | None = policy(Prefetcher, optional=True, default=None)
    """The same by a policy of a plugin."""
    l1_admission: Admission | None = policy(Admission, optional=True, default=None)
    """Which lines that loads miss get a place in `l1`; None: all."""
    l1_victim_cache: VictimCache | None = policy(VictimCache, optional=True, default=None)
    """What stands beside `l1` and may have what a load misses there; None: nothing does."""
    tlb: AddressTranslation | None = part(AddressTranslation, optional=True, default=None)
    """Translation of addresses behind the caches of a multiprocessor; None: there is none, or it takes no time."""
    unified_l1_shared: bool = flag(default=False)
    """Whether L1 and shared memory are unified: L1 is what the carveout of shared memory (`Limits.shared_carveouts`) leaves of `l1.size_bytes`."""
    carveout_takes: str = choice("sets", "ways", default="sets")
    """Where L1 is what the carveout leaves: what it has less of, of its sets or of the ways of each."""
    l1_global_loads: bool = flag(default=True)
    """Whether loads from global memory use `l1` without asking for it (``ld.ca``); those from local memory always do."""
    constant: Cache | None = part(Cache, optional=True, default=None)
    """Cache of constant memory."""
    constant_l2: Cache | None = part(Cache, optional=True, default=None)
    """Second cache of constant memory, behind `constant`; its latency is that of a hit in it, the first cache's miss included. Whatever its scope,
    every multiprocessor keeps tags of its own for it: constants are only read, so that sharers differ in first touches alone."""
    constant_l3: Cache | None = part(Cache, optional=True, default=None)
    """Third cache of constant memory, behind `constant_l2`, likewise."""
    constant_port: ConstantPort | None = part(ConstantPort, optional=True, default=None)
    """How lanes read constants at several addresses; None: a pass brings all that an address names, and each holds the unit."""
    constant_uniform: Cache | None = part(Cache, optional=True, default=None)
    """Each scheduler's cache of constants that a warp reads as a whole, as all lanes are known to agree on the address; None: these are loads like
    any other. Such a load takes `latency_cycles` without the load/store unit, and one at an address that the program names reads `constant` so."""
    uniform_fill: UniformFill | None = part(UniformFill, optional=True, default=None)
    """How `constant_uniform` gets lines that `constant_l2` or `constant_l3` has; None: at once."""
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
    code_fetch: CodeFetch | None = part(CodeFetch, optional=True, default=None)
    """What a launch reads of its code from device memory; None: it is not known, and counts as nothing."""
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
class MemoryInstructionQueue:
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
class LoadStorePipeline:
    """Stages of the load/store unit that work at the same time, on different accesses."""

    data_stage_entries: int = integer(at_least=0, at_most=64, default=0)
    """Accesses that wait for the banks of L1 and shared memory behind the unit, which goes on as long as there is room; loads that miss come to
    the banks when their data are there. 0: an access holds the unit until the banks are through with it, be its words there or not."""
    issue_interval_cycles: int = integer(at_least=0, at_most=64, default=0)
    """Least distance, in SM cycles, of two accesses of a warp that follow each other in straight code, with any other instructions in between."""
    arbitration: str = choice("round_robin", "random", default="round_robin")
    """Which scheduler comes first at the unit behind a load of device memory, and behind as many accesses after it as can be queued: round
    robin, or at random."""
    stores_in_a_row: bool = flag(default=False)
    """Whether stores of a warp that follow each other, with nothing in between, go to the unit in a row though others wait for it."""


@attrs.frozen(kw_only=True)
class BulkCopyUnit:
    """The unit of asynchronous bulk copies, which asks for data beside the load/store unit."""

    read_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Bytes that it asks for in an SM cycle; None: a transaction every `LoadStore.transaction_cycles`."""
    write_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Bytes that it stores or reduces in an SM cycle; None: a transaction every `LoadStore.transaction_cycles`."""


@attrs.frozen(kw_only=True)
class Replay:
    """Memory instructions that are issued again for what one issue did not finish."""

    cycles: int = integer(at_least=0, default=0)
    """SM cycles by which each further transaction of an access, issued once more, keeps its own warp from going on."""
    on_reservation_fail: bool = flag(default=False)
    """Whether a load that fails to reserve a line of L1, as all lines of the set are being filled, is replayed when one of them has come: its
    warp waits, others go on. Otherwise it holds the load/store unit."""


@attrs.frozen(kw_only=True)
class StoreBuffer:
    """Where the data of stores lie until they are acknowledged."""

    size_bytes: int = integer(at_most=1 << 24)
    """Bytes of sectors, whole or in part, that all stores in flight may carry together."""


@attrs.frozen(kw_only=True)
class TexturePipeline:
    """What keeps a multiprocessor's fetches from a texture cache that a cluster shares, apart from its other reads."""

    fetches_in_flight: int = integer()
    """Texture transactions sent to that cache, and not yet answered, be they hits."""


@attrs.frozen(kw_only=True)
class LoadStore:
    """What one multiprocessor can have under way."""

    memory_instruction_queue: MemoryInstructionQueue | None = part(MemoryInstructionQueue, optional=True, default=None)
    """Where memory instructions wait for the load/store unit; None: in their warps."""
    write_combining: WriteCombining | None = part(WriteCombining, optional=True, default=None)
    """Where stores wait for others to the same line; None: each leaves by itself."""
    pipeline: LoadStorePipeline | None = part(LoadStorePipeline, optional=True, default=None)
    """Stages of the unit; None: each access holds it to its end, and schedulers take turns at it."""
    bulk_copies: BulkCopyUnit | None = part(BulkCopyUnit, optional=True, default=None)
    """What does bulk copies; None: it sends a transaction every `transaction_cycles`."""
    reads_in_flight_per_multiprocessor: int = integer()
    """Read transactions sent and not yet answered."""
    stores_in_flight_per_multiprocessor: int = integer()
    """Write transactions sent and not yet acknowledged."""
    store_buffer: StoreBuffer | None = part(StoreBuffer, optional=True, default=None)
    """What holds the data of those; None: there is room for all."""
    texture_pipeline: TexturePipeline | None = part(TexturePipeline, optional=True, default=None)
    """What holds fetches from a texture cache that a cluster shares; None: they count as reads."""
    transaction_cycles: int = integer()
    """SM cycles for which each transaction, the first included, holds the load/store unit."""
    replay: Replay | None = part(Replay, optional=True, default=None)
    """What is issued again; None: nothing is, the unit finishes each access."""
    atomic_cycles: float = real()
    """Core cycles for which one sector's atomic operations hold its partition, and each further operation on the same address."""
    atomic_sector_cycles: float | None = real(optional=True, default=None)
    """Core cycles for which operations on all words of a sector hold its partition, and each of two values where operations take two;
    None: `atomic_cycles`."""

@attrs.frozen(kw_only=True)
class L2Slices:
    """Slices of the L2, as many as partitions of memory, that are reached by a map of their own."""

    map: ParityHash = policy(ParityHash)
    """Through which slice's ports and atomic unit an address is reached, and in which of `Interconnect.l2_partitions` those lie. What comes from
    another one goes in at the same place of its own, and what is stored or operated on crosses from there."""
    atomic_packet_cycles: float = real(at_least=0, default=0.0)
    """Core cycles for which a packet of atomic operations holds the way into its slice at least."""
    queue_cycles: int = integer(default=1000)
    """Core cycles of stores and atomic operations that may wait to get into a slice, and of those that may wait in it; others wait in their
    multiprocessors, and hold up what comes after."""


@attrs.frozen(kw_only=True)
class ClusterPorts:
    """Between the multiprocessors of a cluster and the network, beside what each of them can send and receive."""

    request_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate out of one cluster, whose multiprocessors take turns, per core cycle; None: not a bottleneck."""
    response_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate into one cluster, per core cycle; None: not a bottleneck."""


@attrs.frozen(kw_only=True)
class L2Partitions:
    """Equal parts of the chip, by number, each with its multiprocessors and its partitions of memory, whose L2 keeps copies of the others' lines."""

    count: int = integer(at_least=2, at_most=MOST_L2_PARTITIONS)
    """How many there are."""
    far_latency_ns: float = real(at_least=0, default=0)
    """By which data take longer to another part than to their own: from DRAM, and from the partition's cache when they are first asked for from there."""
    link_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate into one part from the others, per core cycle, of such data and of what is stored; None: not a bottleneck."""
    links: int = integer(default=1)
    """Links that share this rate evenly, each for the partitions, or slices, whose numbers are the same modulo so many."""


@attrs.frozen(kw_only=True)
class NocDistances:
    """How much farther answers have to go than to the nearest multiprocessor."""

    hop_cycles: tuple[int, ...] = integers(at_least=0, longest=32, default=())
    """SM cycles of their hops to the multiprocessors of a cluster, one by one, and again from the first; none: no longer."""
    partition_ns: float = real(at_least=0, default=0)
    """Most by which they take longer, by the distance in the network on chip; how much is different for each cluster and partition."""
    topology: Topology | None = policy(Topology, optional=True, default=None)
    """Hops and links between partitions and multiprocessors, by a plugin's policy; None: none but those above."""
    hop_ns: float = real(at_least=0, default=0)
    """By which an answer takes longer for each hop of `topology`, the way of its request included."""
    link_bytes_per_cycle: int | None = integer(optional=True, default=None)
    """Rate of each link of `topology`, per core cycle; None: not a bottleneck."""

    def mean_ns(self, shader_mhz: float) -> float:
        """Give the mean of the first two in nanoseconds, at a clock of the multiprocessors; what `topology` adds is not in it."""
        return self.partition_ns / 2 + sum(self.hop_cycles) / max(len(self.hop_cycles), 1) * 1e3 / shader_mhz


@attrs.frozen(kw_only=True)
class RequestCoalescer:
    """Requests of one cluster's multiprocessors for the same sectors of a line, which a partition answers together.

    They must come before the first of them is answered, and no request of that cluster for other sectors of the line in between.
    """

    requests: int = integer(at_least=2)
    """How many it answers together at most."""
    lines: int = integer(power_of_two=True, default=256)
    """Lines for which a partition's coalescer holds requests at a time."""


@attrs.frozen(kw_only=True)
class ByteMasks:
    """Masks by which packets say which bytes of their sectors they write."""

    mask_bytes: int = integer()
    """Bytes by which the packet of an atomic operation, or of a store that leaves bytes of its sectors alone, is longer."""
    sector_mask_bytes: int = integer(at_least=0, default=0)
    """Bytes by which each sector makes the packet of atomic operations longer that carries more than one word, instead; 0: all together `mask_bytes`."""
    partial_write_cycles: float = real(at_least=0, default=0.0)
    """Core cycles for which a packet that writes sectors in part holds the way into its partition at least; with `Interconnect.slices`, those for
    which it holds its slice as atomic operations do."""


@attrs.frozen(kw_only=True)
class Interconnect:
    """Between multiprocessors and partitions. Every packet is a header, plus its data if it carries any."""

    request_latency_ns: float = real()
    """One way, multiprocessor to partition, unloaded."""
    response_latency_ns: float = real()
    """One way, partition to multiprocessor, unloaded."""
    header_bytes: int = integer(at_least=0)
    """Bytes of a packet besides its data."""
    byte_masks: ByteMasks | None = part(ByteMasks, optional=True, default=None)
    """Masks of packets that write a part of their sectors; None: these are as long as others."""
    injection_bytes_per_cycle: int = integer()
    """Rate into the network, per core cycle …"""
    injection_scope: str = choice("multiprocessor", "cluster")
    """… of each multiprocessor or of each cluster."""
    store_ports: bool = flag(default=False)
    """Whether stores and atomic operations enter by ports of their own, of the same rate, and so hold up no load."""
    partition_request_bytes_per_cycle: int = integer()
    """Rate into one partition, per core cycle; packets take whole cycles, but where there are `slices`."""
    partition_response_bytes_per_cycle: int = integer()
    """Rate out of one partition, per core cycle."""
    slices: L2Slices | None = part(L2Slices, optional=True, default=None)
    """Slices of the L2 that have a map, ports and atomic units of their own; None: they are the partitions'."""
    cluster_ports: ClusterPorts | None = part(ClusterPorts, optional=True, default=None)
    """What the multiprocessors of a cluster share; None: each has its own way into the network and out of it."""
    l2_partitions: L2Partitions | None = part(L2Partitions, optional=True, default=None)
    """Parts of the chip between which data take longer; None: all are near each other."""
    distances: NocDistances | None = part(NocDistances, optional=True, default=None)
    """By which answers take longer to some multiprocessors than to others; None: by nothing."""
    request_coalescer: RequestCoalescer | None = part(RequestCoalescer, optional=True, default=None)
    """Where a partition answers equal requests of one cluster together; None: each is answered by itself."""


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
