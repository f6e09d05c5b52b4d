"""Components' parameters: what the engine is told of each, made of the attrs class that describes it.

A field of such a class is a member of the engine's struct, under its own name; nobody packs it, and nobody declares it in C:

| a field that holds | becomes |
|---|---|
| a whole number, or True and False | the same; None is 0 |
| a time in ``_ns``, or in ``_cycles`` of the core clock (`Component.core_cycles`) | ``_fs``, whole femtoseconds |
| cycles of a multiprocessor that need not be whole | ``_64ths``, whole 64ths of them |
| one of several words | its place among them, from 1 on; an enumerator names each. One of several numbers: that number |
| a tuple of numbers | an array of as many entries as there can be, the rest 0, and ``_count`` |
| another component | its struct; one that the machine has not is all 0, but for `Component.absent` |
| several components of one kind | an array of their structs, with as many entries as there can be |

What is neither (policies, what follows from several fields) is `Component.derived`, or in `Component.left_out`; a class without either needs no
line in `COMPONENTS`. ``python tests/engine/parameters_header.py`` writes the structs, ``ext/archdef/engine/parameters.pxd``; `archdef.pack` makes the values.
"""
from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs

from archdef import spec
from archdef.spec import Architecture
from archdef.spec.documented import field_docs
from archdef.spec.fields import Choice, Flag, Number, Numbers, Part, Parts, Policy, Rule, rule_of
from archdef.spec.memory import MOST_SECTORS

def period_fs(mhz: float) -> int:
    """Give the femtoseconds of a cycle."""
    return round(1e9 / mhz)


def fs(ns: float) -> int:
    """Give nanoseconds as whole femtoseconds."""
    return round(ns * 1e6)


def padded(numbers: Iterable, count: int, missing: Any = 0) -> list:
    """Give an array of `count` entries; those that are not given are `missing`."""
    return [*numbers, *[missing] * count][:count]


@attrs.frozen
class Derived:
    """A member that is not one field in other units."""

    text: str
    value: Callable[[Any, Any], int | list[int]]
    """Gives it for a component of a machine."""
    count: int = 0
    """Entries of an array; 0: it is one number."""
    choice: Choice | None = None
    """Where it is one of several words: the rule that says which."""


@attrs.frozen
class Member:
    """A member of a component's struct."""

    name: str
    text: str
    value: Callable[[Any, Any], Any]
    count: int = 0
    of: type | None = None
    """Class of a component within."""


@attrs.frozen(kw_only=True)
class Component:
    """What the engine gets of a class of descriptions."""

    core_cycles: tuple[str, ...] = ()
    """Fields that count cycles of the core clock, for what lies beyond the multiprocessors."""
    left_out: tuple[str, ...] = ()
    """Fields that the engine is not told."""
    alone: tuple[str, ...] | None = None
    """Fields that it is told, where they are few; None: all but those left out."""
    derived: Mapping[str, Derived] = {}
    """Members beside the fields, or in place of a field of that name."""
    absent: Mapping[str, int | list[int] | Callable[[Architecture], int]] = {}
    """What is not 0 where the machine has no such component."""

    def leaves_out(self, field: str) -> bool:
        """Tell whether the engine is not told a field as it is."""
        return field in self.left_out or self.alone is not None and field not in self.alone


# ------------------------------------------------------------------------------------------------ what follows from several fields
def _within(name: str, field: str, otherwise: int = 0) -> Callable[[Any, Any], int]:
    """Give what tells the value of a field of a component, or of a policy, within another, whose struct has it as its own."""
    return lambda part, _: int(getattr(getattr(part, name), field, otherwise) or 0)


def shape_of(cache: spec.Cache, size_bytes: int, less: str = "sets") -> tuple[int, int]:
    """Give the sets, and the ways of each, that so many bytes of a cache make, at least one: what there is less of than in the whole cache is
    ``"sets"`` or ``"ways"``. A line of more sectors than the engine keeps is several."""
    line_bytes = _line_bytes(cache)
    if less == "ways":
        sets, _ = shape_of(cache, cache.size_bytes)
        return sets, max(size_bytes // (line_bytes * sets), 1)
    return max(size_bytes // (line_bytes * cache.ways), 1), cache.ways


def _line_bytes(cache: spec.Cache, _=None) -> int:
    return min(cache.line_bytes, MOST_SECTORS * cache.sector_bytes)


def _sets(cache: spec.Cache, _=None) -> int:
    return shape_of(cache, cache.size_bytes)[0]


def _folds(cache: spec.Cache) -> dict[int, int]:
    """Turn of the line's number → the places of the set's number into which it goes; neighbouring bits move together."""
    folds: dict[int, int] = {}
    for place, bit in enumerate(cache.set_hash_bits):
        right = (max(bit - _line_bytes(cache).bit_length() + 1, 0) - place) % 64
        folds[right] = folds.get(right, 0) | 1 << place
    return folds


_CACHE = {
    "sets": Derived("0: there is no such cache", _sets),
    "line_bytes": Derived("under one tag: a longer line is kept as several", _line_bytes),
    "fetch_sectors": Derived("a miss fetches aligned groups of this many",
                             lambda cache, _: max(1, min((cache.fetch_bytes or 0) // cache.sector_bytes, MOST_SECTORS))),
    "random_of_k": Derived("lines of a set, by last use, of which chance replaces one; 1: the one used longest ago",
                           lambda cache, _: cache.replacement.lines if isinstance(cache.replacement, spec.RandomOfKLru) else 1),
    "hook": Derived("of the replacement", lambda cache, _: 0),
    "set_mask": Derived("sets - 1 where that is all ones, else 0",
                        lambda cache, _: _sets(cache) - 1 if _sets(cache) & (_sets(cache) - 1) == 0 else 0),
    "folds": Derived("runs of bits of the line number that are exclusive-ored into the set's number …", lambda cache, _: len(_folds(cache))),
    "fold_rights": Derived("… each after so many places of rotation to the right …", lambda cache, _: padded(_folds(cache), 8), 8),
    "fold_masks": Derived("… at these places", lambda cache, _: padded(_folds(cache).values(), 8), 8)}


_CACHES = {
    "l1_admission_hook": Derived("of a plugin's admission to L1", lambda caches, _: 0),
    "l1_prefetch_hook": Derived("of a plugin's prefetcher", lambda caches, _: 0),
    "l1_victim_cache_hook": Derived("of what a plugin puts beside L1", lambda caches, _: 0)}


def _shifts(dram: spec.Dram) -> list[int]:
    return padded(dram.partition_map.shifts if isinstance(dram.partition_map, spec.XorHash) else (), 8)


def _burst_fs(dram: spec.Dram, arch: Architecture) -> int:
    bytes_per_second = arch.dram_bandwidth_gb_s * 1e9 / dram.partitions / dram.ecc_overhead_ratio
    return round(dram.burst_bytes / bytes_per_second * 1e15)


_PAGE_POLICY: Any = rule_of(attrs.fields(spec.FirstReady).page_policy)
_DRAM = {
    "partition_xor": Derived("1: each round of the partitions is turned by its number, folded by the shifts", lambda dram, _: int(any(_shifts(dram)))),
    "partition_shifts": Derived("0: no further one", lambda dram, _: _shifts(dram), 8),
    "partition_hook": Derived("of a plugin's map of the partitions", lambda dram, _: 0),
    "page_bytes": Derived("of pages that a plugin places in L2 partitions; 0: it does not",
                          lambda dram, _: dram.partition_map.page_bytes if isinstance(dram.partition_map, spec.PagePlacement) else 0),
    "order_hook": Derived("of a plugin's order of the queue", lambda dram, _: 0),
    "burst_fs": Derived("for which a burst holds the bus", _burst_fs),
    "refresh_banks": Derived("that are refreshed together; 0: one, and the partition waits",
                             lambda dram, _: (dram.refresh_banks or 0) if dram.t_refi_ns else 0),
    "page_policy": Derived("whether a row stays open until its bank is wanted for another one, or closes as soon as nothing that is queued wants it",
                           lambda dram, _: code(_PAGE_POLICY, getattr(dram.scheduling, "page_policy", _PAGE_POLICY.allowed[0])), choice=_PAGE_POLICY),
    "window": Derived("queue entries that the scheduler looks at", lambda dram, _: dram.scheduling.window)}


def _masks(rule: spec.ParityHash, arch: Architecture) -> list[int]:
    return [mask & -arch.dram.interleave_bytes for mask in (*rule.low_masks, *rule.part_masks)]


_PARITY_HASH = {
    "masks": Derived("address bits of which a parity is taken, from the lowest bit of what they give to the highest …",
                     lambda rule, arch: padded(_masks(rule, arch), 16), 16),
    "parities": Derived("… how many there are; 0: partitions are slices …", lambda rule, arch: len(_masks(rule, arch))),
    "parts": Derived("… and those of them, the highest, that say in which part of the slices a chunk lies",
                     lambda rule, arch: rule.halvings(arch.dram.partitions))}


def _sector_mask_bytes(links: spec.Interconnect, arch: Architecture) -> int:
    return links.byte_masks.sector_mask_bytes if links.byte_masks is not None and arch.caches.l2 is not None and arch.caches.l2.enabled else 0


_DISTANCES = {"hook": Derived("of a plugin's topology", lambda distances, _: 0)}
_INTERCONNECT = {
    "mask_bytes": Derived("by which the packet of an atomic operation, or of a store that leaves bytes of its sectors alone, is longer",
                          _within("byte_masks", "mask_bytes")),
    "sector_mask_bytes": Derived("of each sector of an atomic packet with data instead of `mask_bytes`; 0: one mask for all", _sector_mask_bytes),
    "partial_write_fs": Derived("for which a packet that writes sectors in part holds the way into its partition at least, or its slice", lambda links, arch: (
        0 if links.byte_masks is None else round(links.byte_masks.partial_write_cycles * period_fs(arch.clocks.core_mhz))))}
_MEMORY_INSTRUCTION_QUEUE = {
    "units": Derived("bit u: ops for unit u go through it", lambda queue, arch: sum(
        1 << i for i, unit in enumerate(arch.units) if unit.name in arch.shared_memory_units))}
_LOAD_STORE = {
    "store_bytes_in_flight_per_multiprocessor": Derived("of sectors, whole or in part, that all stores in flight may carry together; 0: any number",
                                                        _within("store_buffer", "size_bytes")),
    "textures_in_flight_per_multiprocessor": Derived("transactions sent to a texture cache that a cluster shares, and not yet answered; 0: they are reads",
                                                     _within("texture_pipeline", "fetches_in_flight")),
    "replay_cycles": Derived("by which each further transaction of an access, issued once more, keeps its own warp from going on", _within("replay", "cycles")),
    "replay_on_reservation_fail": Derived("1: a load that finds all lines of its set of L1 being filled is issued again when one of them has come",
                                          _within("replay", "on_reservation_fail")),
    "atomic_sector_16ths": Derived("per sector all of whose words are operated on, in sixteenths of `atomic_fs`",
                                   lambda unit, _: round(16 * (unit.atomic_sector_cycles or unit.atomic_cycles) / unit.atomic_cycles))}
_WIDE_ACCESS: dict[type[Any], int] = {spec.WordAtATime: 1, spec.MergedLanes: 2, spec.ExtraPass: 3}
_SHARED = {
    "row_words": Derived("of a bank that one pass serves together if they lie in one row, an aligned run of ``banks * row_words`` words",
                         lambda shared, _: shared.row_words),
    "group_latency_cycles": Derived("by which each further group of lanes, of a load that is served in several, delays its result besides its passes",
                                    _within("wide_access", "group_latency_cycles")),
    "pass_latency_cycles": Derived("by which each further pass of an access delays its result",
                                   lambda shared, _: shared.pass_latency_cycles or shared.pass_cycles),
    "single_word_broadcast": Derived("1: a pass broadcasts one word, else any number",
                                     lambda shared, _: int(isinstance(shared.broadcast, spec.SingleWordBroadcast))),
    "word_at_a_time": Derived("1: wide words are served piece by piece; 0: for fewer lanes at a time; 2: the same, neighbours with equal addresses merged; "
                              "3: the same as 0, and a pass more for each group that loads words of four banks",
                              lambda shared, _: _WIDE_ACCESS.get(type(shared.wide_access), 0)),
    "hook": Derived("of a plugin's map of the banks", lambda shared, _: 0)}


def _groups(chip: spec.Chip) -> spec.GpcRoundRobin:
    return chip.dispatch if isinstance(chip.dispatch, spec.GpcRoundRobin) else spec.GpcRoundRobin()


_CHIP = {
    "groups": Derived("multiprocessors of each group whose turn it is to take blocks; 0: unused …", lambda chip, _: padded(_groups(chip).groups, 32), 32),
    "first_gpc_interval_turns": Derived("… turns of others after which it is the first one's again; 0: no sooner than theirs …",
                                        lambda chip, _: _groups(chip).first_gpc_interval_turns),
    "multiprocessors_per_tpc": Derived("… multiprocessors of which each gets a block before any gets a second, where a grid is divided", lambda chip,
                                       _: _groups(chip).multiprocessors_per_tpc),
    "dispatch_hook": Derived("of a plugin's dispatch of blocks", lambda chip, _: 0)}


def _dual_issue(schedulers: spec.Schedulers, arch: Architecture) -> list[int]:
    index, pairs = {unit.name: i for i, unit in enumerate(arch.units)}, [0] * 16
    for pair in schedulers.dual_issue:
        first, second = sorted(pair) if len(pair) == 2 else [*pair, *pair]
        pairs[index[first]] |= 1 << index[second]
        pairs[index[second]] |= 1 << index[first]
    return pairs


SCHEDULER_POLICIES = (spec.LooseRoundRobin, spec.GreedyThenOldest, spec.OldestFirst, spec.TwoLevel, spec.WeightedPriority, spec.GreedyThenRoundRobin)
"""The engine's own policies in the order of its `SchedulerPolicy`, whose last one stands for those that plugins bring."""


def _policy_number(schedulers: spec.Schedulers, _) -> int:
    kind = type(schedulers.policy)
    return SCHEDULER_POLICIES.index(kind) if kind in SCHEDULER_POLICIES else len(SCHEDULER_POLICIES)


def _policy_a(schedulers: spec.Schedulers, _) -> int:
    match schedulers.policy:
        case spec.TwoLevel(active_warps=a) | spec.WeightedPriority(memory_weight=a) | spec.GreedyThenRoundRobin(oldest_block_first=a):
            return int(a)
    return 0


_SCHEDULERS = {
    "policy": Derived("SchedulerPolicy", _policy_number),
    "policy_a": Derived("what it says there of a …", _policy_a),
    "policy_b": Derived("… and of b", lambda schedulers, _: schedulers.policy.age_weight if isinstance(schedulers.policy, spec.WeightedPriority) else 0),
    "units": Derived("kinds of units", lambda schedulers, arch: len(arch.units)),
    "shared_units": Derived("bit u: the schedulers share unit u",
                            lambda schedulers, arch: sum(1 << i for i, unit in enumerate(arch.units) if unit.scope != "scheduler")),
    "dual_issue": Derived("bit v of entry u: v may issue in the same slot after u", _dual_issue, 16),
    "hook": Derived("of a plugin's policy", lambda schedulers, _: 0),
    "throttle_hook": Derived("of a plugin's throttle", lambda schedulers, _: 0)}


def _unit_within(unit: spec.Unit, arch: Architecture) -> int:
    names = [one.name for one in arch.units]
    return names.index(unit.name if unit.part_of is None else unit.part_of.unit)


_UNIT = {
    "per_scheduler": Derived("1: each scheduler has its own", lambda unit, _: int(unit.scope == "scheduler")),
    "exclusive": Derived("1: an op for it takes an issue slot of every scheduler", lambda unit, _: int(unit.scope == "exclusive")),
    "within": Derived("unit some of whose copies they are; by itself: itself …", _unit_within),
    "first": Derived("… from which of those on", lambda unit, _: 0 if unit.part_of is None else unit.part_of.first_copy)}


def _untaken_saving(costs: spec.BranchCosts, arch: Architecture) -> int:
    taken = arch.isa.operations["branch"].latency_cycles if "branch" in arch.isa.operations else 0
    return 0 if costs.untaken_cycles is None else max(0, taken - costs.untaken_cycles)


_BRANCH_COSTS = {"untaken_saving_cycles": Derived("by which a branch that no lane takes is shorter than one that is taken", _untaken_saving)}
_ISA = {"read_only_loads": Derived("1: loads that are promised to be read-only go through the texture cache",
                                   lambda isa, _: int("read_only_loads" in isa.features))}
_WARP = {
    "independent_lanes": Derived("1: lanes that diverged progress independently; 0: a stack of them", lambda warp, _: int(warp.reconvergence.independent)),
    "branch_hook": Derived("of a plugin's choice of the side of a branch that goes first", lambda warp, _: 0)}
_CLOCKS = {
    "shader_period_fs": Derived("of a multiprocessor's cycle", lambda clocks, _: period_fs(clocks.shader_mhz)),
    "core_period_fs": Derived("of a cycle beyond them", lambda clocks, _: period_fs(clocks.core_mhz))}


def _least_cycles(arch: Architecture) -> int:
    """What kernels launch takes effect no earlier than a place can be filled again: epochs rely on it."""
    return max(arch.chip.block_turnover_cycles, 1)


def _sm_cycles(field: str) -> Callable[[Any, Any], int]:
    return lambda launches, arch: round(getattr(launches, field) * arch.clocks.shader_mhz)


def _no_sooner(field: str) -> Callable[[Any, Any], int]:
    return lambda launches, arch: max(round(getattr(launches, field) * arch.clocks.shader_mhz), _least_cycles(arch))


_DEVICE_LAUNCHES = {
    "virtual_cycles": Derived("by which a launch in the virtualised pool holds its warp longer", _sm_cycles("virtual_us")),
    "call_cycles": Derived("for which one thread's launch holds its warp …", lambda launches, arch: max(_sm_cycles("call_us")(launches, arch), 1)),
    "lane_cycles": Derived("… and for which each further thread's of the same warp does", _sm_cycles("lane_us")),
    "start_cycles": Derived("from there to the first block of the child", _no_sooner("start_us")),
    "next_cycles": Derived("from the end of a grid to the start of what waits for it …", _no_sooner("next_us")),
    "tail_cycles": Derived("… and of its tail", _no_sooner("tail_us"))}

_LINK_ACCESSES = {
    "read_byte_fs": Derived("for which a byte occupies the way towards the device …", lambda accesses, _: round(1e6 / accesses.read_gb_s)),
    "write_byte_fs": Derived("… and from it", lambda accesses, _: round(1e6 / accesses.write_gb_s))}

_SUMS = (None, spec.AlignedSum, spec.ChainedSum, spec.PairedSum)
"""Rules by which products are added, in the order of the engine's `SumRule`."""
MATRIX_TYPES = ("f16", "bf16", "tf32", "groups", "groups_f16", "fp8")
"""Fields of `MatrixArithmetic`, in the order of the engine's arrays."""


def _of_sums(attribute: str, default: int) -> Callable[[Any, Any], list[int]]:
    return lambda matrix, _: [getattr(getattr(matrix, name), attribute, default) for name in MATRIX_TYPES]


_MATRIX = {
    "sum": Derived("SumRule of each type of factors; behind f16, bf16, tf32: groups with 32-bit sums, with 16-bit sums, 8-bit floats",
                   lambda matrix, _: [_SUMS.index(None if (rule := getattr(matrix, name)) is None else type(rule)) for name in MATRIX_TYPES], 6),
    "products": Derived("SUM_ALIGNED: products that are added at a time", _of_sums("products", 1), 6),
    "fraction_bits": Derived("SUM_ALIGNED: bits kept behind the point of the largest …", _of_sums("fraction_bits", 0), 6),
    "result_bits": Derived("… and fraction bits of 32-bit sums", _of_sums("result_bits", 23), 6)}


COMPONENTS: dict[type, Component] = {
    spec.Warp: Component(left_out=("reconvergence",), derived=_WARP),
    spec.Clocks: Component(alone=(), derived=_CLOCKS),
    spec.Isa: Component(alone=("instruction_bytes", "serial_match", "branch_costs", "matrix", "warpgroup"), derived=_ISA),
    spec.BranchCosts: Component(alone=("guard_latency_cycles",), derived=_BRANCH_COSTS),
    spec.WarpgroupProducts: Component(alone=("shared_pass_ratio",), absent={"shared_pass_ratio": 1}),
    spec.Unit: Component(alone=("copies",), derived=_UNIT, absent={"copies": 1}),
    spec.Chip: Component(left_out=("launch_overhead_us",), derived=_CHIP),
    spec.BlockLaunch: Component(left_out=("dispatch",)),
    spec.Schedulers: Component(left_out=("throttle",), derived=_SCHEDULERS),
    spec.Cache: Component(left_out=("size_bytes", "fetch_bytes", "set_hash_bits", "misses_in_flight", "replacement", "enabled"), derived=_CACHE,
                          absent={"fetch_sectors": 1, "random_of_k": 1}),
    spec.ConstantPort: Component(absent={"pass_bytes": 16}),
    spec.Caches: Component(left_out=("unified_l1_shared", "carveout_takes", "l1_global_loads", "code_fetch", "l1_admission", "l1_prefetch",
                                     "l1_victim_cache"), derived=_CACHES),
    spec.MemoryInstructionQueue: Component(derived=_MEMORY_INSTRUCTION_QUEUE, absent={"entries": 1}),
    spec.LoadStore: Component(core_cycles=("atomic_cycles",), left_out=("atomic_sector_cycles", "store_buffer", "texture_pipeline", "replay"),
                              derived=_LOAD_STORE),
    spec.SharedMemory: Component(left_out=("broadcast", "bank_map", "wide_access", "bank_rows"), derived=_SHARED),
    spec.TextureUnits: Component(absent={"weight_bits": 1, "coordinate_bits": 8}),       # no fetch will be executed
    spec.ParityHash: Component(left_out=("low_masks", "part_masks"), derived=_PARITY_HASH),
    spec.L2Slices: Component(core_cycles=("atomic_packet_cycles", "queue_cycles")),
    spec.L2Partitions: Component(absent={"count": 1, "links": 1}),
    spec.NocDistances: Component(left_out=("topology",), derived=_DISTANCES),
    spec.RequestCoalescer: Component(absent={"requests": 1}),
    spec.Interconnect: Component(left_out=("byte_masks",), derived=_INTERCONNECT),
    spec.Dram: Component(left_out=("partition_map", "capacity_bytes", "bus_bits", "transfers_per_clock", "scheduling", "ecc_overhead_ratio"), derived=_DRAM),
    spec.Limits: Component(alone=("threads_per_block", "warps_per_multiprocessor", "shared_bytes_per_block", "block_dimensions", "grid_dimensions")),
    spec.DeviceLaunches: Component(left_out=("virtual_us", "call_us", "lane_us", "start_us", "next_us", "tail_us"), derived=_DEVICE_LAUNCHES, absent={
        "call_cycles": 1, "lane_cycles": 1, "start_cycles": _least_cycles, "next_cycles": _least_cycles, "tail_cycles": _least_cycles}),
    spec.MatrixArithmetic: Component(alone=(), derived=_MATRIX, absent={"products": [1] * 6, "result_bits": [23] * 6}),
    spec.HostLink: Component(alone=("mapped", "peer")),
    spec.LinkAccesses: Component(left_out=("read_gb_s", "write_gb_s"), derived=_LINK_ACCESSES),
    spec.BlockClusters: Component(left_out=("most_blocks",), absent={       # nothing goes to other blocks, however long it would take
        "most_blocks_nonportable": 1, "latency_cycles": 1, "bytes_per_cycle": 1, "barrier_cycles": 1}),
}
"""Class of descriptions → what the engine gets of it, where that is not all of its fields."""
PLACES = ("warp", "clocks", "limits", "chip", "schedulers", "units", "isa", "shared", "caches", "load_store", "texture", "interconnect", "dram",
          "block_clusters", "device_launches", "host_link")
"""Members of the engine's `MachineTable` that are structs of components, by the names that these have in a description."""
MOST_UNITS = 16
"""Kinds of units that a machine can have."""


# ------------------------------------------------------------------------------------------------------------- members and values
def members(cls: type) -> Iterator[Member]:
    """Give the members of a component's struct.

    Raises TypeError for a field that neither the table above nor a line of `COMPONENTS` says how to tell the engine.
    """
    return _members(cls, field_docs(cls))


@functools.cache
def _without_texts(cls: type) -> tuple[Member, ...]:
    """Give the members without what is said of them, for which the sources of all classes would have to be read."""
    return tuple(_members(cls, {}))


def _members(cls: type, texts: Mapping[str, str]) -> Iterator[Member]:
    component = COMPONENTS.get(cls, Component())
    derived = {name: Member(name, one.text, one.value, one.count) for name, one in component.derived.items()}
    for attribute in attrs.fields(cls):
        name, rule = attribute.name, rule_of(attribute)
        if rule is None or component.leaves_out(name):
            continue
        if name in derived:
            yield derived.pop(name)
        else:
            text = " ".join(texts.get(name, "").split()).partition(". ")[0].removesuffix(".")       # its first sentence
            yield from _of_field(name, text, rule, name in component.core_cycles)
    yield from derived.values()


def classes() -> Iterable[type]:
    """Give the classes of all that the engine is told of; those within others come first."""
    def within(cls: type) -> Iterator[type]:
        for one in members(cls):
            if one.of:
                yield from within(one.of)
        yield cls
    return dict.fromkeys(cls for name in PLACES for cls in within(_class_of(name)))


def _class_of(name: str) -> type:
    """Give the class of what stands under a name in a description."""
    rule = rule_of(attrs.fields_dict(Architecture)[name])
    assert isinstance(rule, (Part, Parts))
    return rule.of


def _of_field(name: str, text: str, rule: Rule, in_core_cycles: bool) -> Iterator[Member]:
    def given(part, _):
        return getattr(part, name)
    if isinstance(rule, Part) and (rule.of in COMPONENTS or not isinstance(rule, Policy)):
        yield Member(name, text, given, of=rule.of)
    elif isinstance(rule, Number) and in_core_cycles:
        yield Member(name.removesuffix("_cycles") + "_fs", text, lambda part, arch: round((given(part, arch) or 0) * period_fs(arch.clocks.core_mhz)))
    elif isinstance(rule, Number) and name.endswith("_ns"):
        yield Member(name.removesuffix("_ns") + "_fs", text, lambda part, arch: fs(given(part, arch) or 0))
    elif isinstance(rule, Number) and not rule.whole and name.endswith("_cycles"):
        yield Member(name.removesuffix("_cycles") + "_64ths", text, lambda part, arch: round(64 * (given(part, arch) or 0)))
    elif isinstance(rule, Flag) or isinstance(rule, Number) and rule.whole:
        yield Member(name, text, lambda part, arch: int(given(part, arch) or 0))
    elif isinstance(rule, Choice):
        yield Member(name, text, lambda part, arch: code(rule, given(part, arch)))
    elif isinstance(rule, Numbers) and (count := rule.longest or rule.length):
        yield Member(name, text, lambda part, arch: padded(given(part, arch), count), count)
        if rule.longest:
            yield Member(f"{name}_count", "how many of them there are", lambda part, arch: len(given(part, arch)))
    else:
        raise TypeError(f"the engine cannot be told {name} as it is: it must be left out, or derived")


def code(rule: Choice, value) -> int:
    """Give the number of one of several words, from 1 on; a number stands for itself."""
    return value if isinstance(value, int) else rule.allowed.index(value) + 1


def number_of(cls: type, field: str, word: str) -> int:
    """Give the number by which the engine knows a word of a field."""
    rule = rule_of(attrs.fields_dict(cls)[field])
    assert isinstance(rule, Choice)
    return code(rule, word)


def values(cls: type, part: Any, arch: Architecture | None) -> dict[str, Any]:
    """Give the members of one component of a machine; `part` is None where it has none, `arch` where no member follows from the rest of the machine."""
    if part is None:
        absent = COMPONENTS.get(cls, Component()).absent
        return {one.name: values(one.of, None, arch) if one.of else _absent(absent.get(one.name, [0] * one.count if one.count else 0), arch)
                for one in _without_texts(cls)}
    return {one.name: values(one.of, one.value(part, arch), arch) if one.of else one.value(part, arch) for one in _without_texts(cls)}


def _absent(value: Any, arch: Architecture | None) -> Any:
    return value(arch) if callable(value) else value


def component_tables(arch: Architecture) -> dict[str, Any]:
    """Give the values of all components of a machine, by the names of `PLACES`."""
    in_use = {"caches": _caches_in_use(arch), "host_link": _link_in_use(arch)}
    return {name: _values_of(_class_of(name), in_use.get(name, getattr(arch, name)), arch) for name in PLACES}


def _values_of(cls: type, part: Any, arch: Architecture) -> Any:
    """Give the members of a component, or of each of several, up to as many as there can be."""
    return [values(cls, one, arch) for one in padded(part, MOST_UNITS, None)] if isinstance(part, tuple) else values(cls, part, arch)


def _caches_in_use(arch: Architecture) -> spec.Caches:
    """A cache that is off is none; of an L2 for the whole chip every partition has a slice."""
    changed: dict[str, Any] = {name: None for name, cache in arch.caches.declared.items() if not cache.enabled}
    l2 = arch.caches.l2
    if l2 is not None and l2.enabled and l2.scope == "chip":
        changed["l2"] = attrs.evolve(l2, size_bytes=l2.size_bytes // arch.dram.partitions)
    return attrs.evolve(arch.caches, **changed)


def _link_in_use(arch: Architecture) -> spec.HostLink:
    """Kernels of every machine get to memory of the host somehow, if they are given some."""
    link = arch.host_link or spec.TYPICAL_LINK
    return attrs.evolve(link, mapped=link.mapped_accesses, peer=link.peer_accesses)


# ----------------------------------------------------------------------------------------------------------------------- structs
def _enumerations(cls: type) -> Iterator[str]:
    start = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__)
    component = COMPONENTS.get(cls, Component())
    rules = {attribute.name: rule_of(attribute) for attribute in attrs.fields(cls) if not component.leaves_out(attribute.name)}
    for name, rule in (rules | {name: derived.choice for name, derived in component.derived.items()}).items():
        if isinstance(rule, Choice) and isinstance(rule.allowed[0], str):
            yield from ("", f"cdef enum:  # {cls.__name__}.{name}; 0: there is no such component")
            yield from (f"    {start}_{name}_{word}".upper() + f" = {code(rule, word)}" for word in rule.allowed)


def header() -> str:
    """Write the engine's structs, and the enumerations of choices."""
    lines = ['"""Parameters of components, made of the classes in `archdef/spec/` by ``python tests/engine/parameters_header.py``.',
             "", "`archdef/parameters.py` says what becomes of a field, and has the members that are none. What ends in ``_fs`` is in femtoseconds",
             "whatever the field is declared in; what is 0, or None, in a description is 0 here.", '"""',
             "from libc.stdint cimport int64_t", "",
             "cdef enum:", f"    SECTORS = {MOST_SECTORS}  # under one tag"]
    for cls in classes():
        lines += [*_enumerations(cls), "", f"cdef struct {cls.__name__}Parameters:"]
        for one in members(cls):
            declared = f"    {f'{one.of.__name__}Parameters' if one.of else 'int64_t'} {one.name}{f'[{one.count}]' if one.count else ''}"
            text = textwrap.wrap(one.text, 108)
            lines += [f"{declared:<47}  # {text[0]}", *(f"{'':<47}  # {more}" for more in text[1:])]
    return "\n".join(lines) + "\n"
