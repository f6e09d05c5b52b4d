"""What a description must satisfy: every value by its own rule, and what values must hold together.

A combination is only looked at when the values that it reads are sound by themselves, so that one mistake gives one fault.
Rules marked `declared` hold for what a plugin declares; what-ifs made with `Architecture.evolve` may break them, because they
move one number at a time.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from operator import attrgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from archdef._deprecation import old_fields_of_components
from archdef.errors import SpecError
from archdef.spec.access import Lines
from archdef.spec.evidence import Cite, covering
from archdef.spec.fields import Rule, Text, Texts, closest, holds_fields
from archdef.spec.isa import FEATURE_NEEDS, FEATURE_OF_CLASS, MEMORY_CLASSES, OPERATION_CLASSES, Form, Isa, Operation, PartOfUnit, Unit
from archdef.spec.machine import CORE_PARTS
from archdef.spec.matrix import AlignedSum, ChainedSum, PairedSum
from archdef.spec.memory import MOST_SECTORS, L2Partitions
from archdef.spec.policy import RandomOfKLru, GreedyThenOldest, GpcRoundRobin, LeastRecentlyUsed, LooseRoundRobin, OldestFirst, TwoLevel
from archdef.values import printable
import itertools

if TYPE_CHECKING:
    from archdef.spec.arch import Architecture

Fault: TypeAlias = tuple[str, object, str] | tuple[str, object, str, str | None]
"""The path, the value, what is allowed, and perhaps what was meant: the arguments of `SpecError`."""
Combination: TypeAlias = "Callable[[Architecture], Iterator[Fault]]"
_COMBINATIONS: list[tuple[tuple[str, ...], bool, Combination]] = []


def _combination(*reads: str, declared: bool = False) -> Callable[[Combination], Combination]:
    """Register a rule about several values; it yields ``(path, value, allowed[, hint])``."""
    def register(rule: Combination) -> Combination:
        _COMBINATIONS.append((reads, declared, rule))
        return rule
    return register


def faults(arch: Architecture) -> list[SpecError]:
    """List every fault of a description; paths start with its name."""
    name = arch.name if isinstance(arch.name, str) and arch.name else "architecture"
    walked = list(arch.walk())
    found = [fault for path, value, rule in walked for fault in rule.faults(path, value)]
    unsound = [fault.path for fault in found]
    for reads, declared, rule in _COMBINATIONS:
        if (declared and arch.changes) or any(_overlap(a, b) for a in reads for b in unsound):
            continue
        found += [SpecError(*fault) for fault in rule(arch)]
    for path, value, kind in walked:        # a part may have a rule about its own fields alone
        if hasattr(value, "faults") and holds_fields(kind) and not any(_overlap(path, b) for b in unsound):
            found += [SpecError(f"{path}.{field}", *fault) for field, *fault in value.faults()]
    found += _evidence_faults(arch)
    return [SpecError(f"{name}.{f.path}", f.value, f.allowed, hint=f.hint) for f in found]


def _overlap(a: str, b: str) -> bool:
    return a == b or a.startswith(b + ".") or b.startswith(a + ".")


def evident(arch: Architecture) -> Iterator[tuple[str, object, Rule]]:
    """Yield every leaf that claims something about the machine, and so needs a source."""
    for path, value, rule in arch.walk():
        if not holds_fields(rule) and rule.needs_evidence and value is not None and (value or not isinstance(rule, Texts)):
            yield path, value, rule


def left_at_default(arch: Architecture) -> set[str]:
    """Give the paths of the values that are what their class has where nothing is declared."""
    return {f"{path}.{attribute.name}" for path, value, _ in arch.walk() if attrs.has(cls := type(value))
            for attribute in attrs.fields(cls) if attribute.default is not attrs.NOTHING
            and getattr(value, attribute.name) == _default(attribute)}


def _default(attribute: attrs.Attribute[Any]) -> object:
    default: Any = attribute.default
    return default.factory() if isinstance(default, attrs.Factory) else default  # type: ignore[arg-type]  # attrs types its class as a function


def absent_operations(isa: Isa) -> set[str]:
    """Give the paths of the classes of operation that the machine does not have."""
    return {f"isa.operations.{name}" for name in OPERATION_CLASSES if name not in isa.operations}


def _evidence_faults(arch: Architecture) -> Iterator[SpecError]:
    if not isinstance(arch.evidence, Mapping) or not all(isinstance(key, str) for key in arch.evidence):
        yield SpecError("evidence", arch.evidence, "must map paths to Cites")
        return
    values = {path: value for path, value, _ in evident(arch)}
    paths = list(values)
    named = () if arch.changes else _with_beginnings([*paths, *(
        path for path, value, rule in arch.walk() if isinstance(rule, Text) and value is not None and path.startswith(("isa.", "units.")))])
    for key, cite in arch.evidence.items():
        if not isinstance(cite, Cite):
            yield SpecError(f"evidence.{key}", cite, "must be a Cite")
        elif any(not isinstance(words, str) or printable(words) != words for words in (cite.document, cite.place, cite.note, cite.card)):
            yield SpecError(f"evidence.{key}", cite, "must be texts without control characters and halves of surrogate pairs")
        elif not arch.changes and key not in old_fields_of_components() and key not in named:
            yield SpecError("evidence", key, "must name fields of the description",
                            hint=closest(key, paths))
    for path in paths:
        if covering(arch.evidence, path) is None:
            yield SpecError(path, values[path], "must have a source: add its path, or the beginning of it, to evidence")


def _with_beginnings(paths: Iterable[str]) -> set[str]:
    """Give paths, and what they lie in: ``caches.l1.ways``, ``caches.l1``, ``caches``."""
    found: set[str] = set()
    for path in paths:
        while path and path not in found:
            found.add(path)
            path = path.rpartition(".")[0]
    return found


# ------------------------------------------------------------------------------------------------- threads and resources
MOST_WAYS_OF_POLICIES = 1024
"""That a replacement policy of a plugin can look at: ARCHDEF_POLICY_WAYS of policy.h."""


@_combination("limits.threads_per_block", "limits.threads_per_multiprocessor")
def _a_block_fits(arch: Architecture) -> Iterator[Fault]:
    most = arch.limits.threads_per_multiprocessor
    if arch.limits.threads_per_block > most:
        yield "limits.threads_per_block", arch.limits.threads_per_block, f"must be at most threads_per_multiprocessor = {most}"


@_combination("host_link")
def _faults_of_managed_memory(arch: Architecture) -> Iterator[Fault]:
    managed = arch.host_link.managed if arch.host_link is not None else None
    if managed is None:
        return
    if (managed.fault_bytes is None) != (managed.fault_us is None):
        yield "host_link.managed.fault_us", managed.fault_us, "must be declared together with host_link.managed.fault_bytes"
    if managed.fault_bytes is not None and managed.fault_bytes % managed.page_bytes:
        yield "host_link.managed.fault_bytes", managed.fault_bytes, f"must be a multiple of host_link.managed.page_bytes, {managed.page_bytes}"


@_combination("warp.size", "limits.warps_per_multiprocessor", "limits.threads_per_multiprocessor", declared=True)
def _threads_fill_warps(arch: Architecture) -> Iterator[Fault]:
    product = arch.warp.size * arch.limits.warps_per_multiprocessor
    if arch.limits.threads_per_multiprocessor != product:
        yield ("limits.threads_per_multiprocessor", arch.limits.threads_per_multiprocessor,
               f"must be warps_per_multiprocessor x warp.size = {product}")


@_combination("limits.threads_per_block", "limits.block_dimensions")
def _a_block_dimension_is_within_the_block(arch: Architecture) -> Iterator[Fault]:
    for axis, most in zip("xyz", arch.limits.block_dimensions, strict=True):
        if most > arch.limits.threads_per_block:
            yield ("limits.block_dimensions", arch.limits.block_dimensions,
                   f"must be at most threads_per_block = {arch.limits.threads_per_block} along {axis}")


@_combination("chip", declared=True)
def _clusters_and_groups_make_up_the_chip(arch: Architecture) -> Iterator[Fault]:
    chip = arch.chip
    groups = chip.dispatch.groups if isinstance(chip.dispatch, GpcRoundRobin) else None
    for path, sizes in (("chip.cluster_sizes", chip.cluster_sizes), ("chip.block_launch.dispatch", groups)):
        if sizes and sum(sizes) != chip.multiprocessors:
            yield path, sizes, f"must add up to chip.multiprocessors = {chip.multiprocessors}"
    if groups == ():
        yield "chip.block_launch.dispatch", chip.dispatch, "must name the groups"


@_combination("interconnect.slices", declared=True)
def _slices_depend_on_address_bits_that_are_looked_at(arch: Architecture) -> Iterator[Fault]:
    rule = arch.interconnect.slices.map if arch.interconnect.slices is not None else None
    if rule is not None and (max((*rule.low_masks, *rule.part_masks)) >= 1 << 40 or rule.high_bit > 40):
        yield "interconnect.slices.map", rule, "must look at address bits below 40"


@_combination("interconnect.l2_partitions", "dram.partitions")
def _parts_of_the_chip_have_equally_many_partitions(arch: Architecture) -> Iterator[Fault]:
    parts = arch.interconnect.l2_partitions
    if parts is not None and arch.dram.partitions % parts.count:
        yield "interconnect.l2_partitions.count", parts.count, f"must divide dram.partitions = {arch.dram.partitions}: each has as many"


@_combination("caches", "limits.shared_carveouts", declared=True)
def _l1_keeps_something_beside_every_carveout(arch: Architecture) -> Iterator[Fault]:
    l1, sizes = arch.caches.l1, arch.limits.shared_carveouts
    if arch.caches.unified_l1_shared and (l1 is None or not sizes or l1.size_bytes <= max(sizes)):
        yield "caches.unified_l1_shared", True, "must come with l1 of more bytes than the largest of limits.shared_carveouts"


@_combination("caches")
def _a_carveout_is_of_an_l1(arch: Architecture) -> Iterator[Fault]:
    if arch.caches.unified_l1_shared and arch.caches.l1 is None and _asked(arch, "caches.unified_l1_shared"):
        yield "caches.unified_l1_shared", True, "must come with caches.l1"


@_combination("caches.unified_l1_shared", "caches.carveout_takes")
def _carveout_takes_of_an_l1(arch: Architecture) -> Iterator[Fault]:
    if not arch.caches.unified_l1_shared and arch.caches.carveout_takes != "sets" and (not arch.changes or "caches.carveout_takes" in arch.changes):
        yield "caches.carveout_takes", arch.caches.carveout_takes, "must be sets unless caches.unified_l1_shared"


def _shows_without_l2(parts: L2Partitions | None) -> bool:
    return parts is not None and bool(parts.far_latency_ns or parts.link_bytes_per_cycle)


def _has(feature: str) -> tuple[Callable[[Architecture], bool], str]:
    return lambda arch: feature in arch.isa.features, f"isa.features has {feature}"


_BLIND_TO_WAITING = (LooseRoundRobin, GreedyThenOldest, OldestFirst, TwoLevel)
"""Scheduling policies that do not ask when a warp last issued."""
_FEATURE_BY_WHICH = {"call": "device_calls", "int_dot": "int_dot"}
"""Class of operation that every machine has a cost for → feature without which no program asks for it."""

_OF_OTHERS: dict[str, tuple[Callable[[Architecture], object], str]] = {
    "load_store.bulk_copies": _has("bulk_copies"),
    "limits.carveout_headroom": (lambda arch: arch.caches.unified_l1_shared, "caches.unified_l1_shared"),
    "dram.t_rfc_ns": (lambda arch: arch.dram.t_refi_ns, "dram.t_refi_ns is given"),
    "dram.refresh_banks": (lambda arch: arch.dram.t_refi_ns, "dram.t_refi_ns is given"),
    "dram.refreshes_postponed": (lambda arch: arch.dram.refresh_banks, "dram.refresh_banks is given"),
    "caches.uniform_fill": (lambda arch: arch.caches.constant_uniform, "caches.constant_uniform is given"),
    "caches.instruction_memory_cycles": (lambda arch: arch.caches.instruction, "caches.instruction is given"),
    **{f"host_link.{name}": (lambda arch: arch.host_link and arch.host_link.peer_gb_s, "host_link.peer_gb_s is given") for name in ("peer_latency_us", "peer")},
    "load_store.pipeline.stores_in_a_row": (lambda arch: not isinstance(arch.schedulers.policy, _BLIND_TO_WAITING),
                                 "schedulers.policy asks who has waited longest, as grr and weighted do"),
    "caches.texture_tile_rows": _has("texture"), "load_store.replay.on_reservation_fail": (lambda arch: arch.caches.l1, "caches.l1 is given"),
    "load_store.pipeline.arbitration": (lambda arch: arch.schedulers.count > 1, "schedulers.count is more than 1"),
    "interconnect.request_coalescer": (lambda arch: arch.caches.l2, "caches.l2 is given"),
    **{f"interconnect.distances.{name}": (lambda arch: arch.interconnect.distances and arch.interconnect.distances.topology,
                                          "interconnect.distances.topology is given") for name in ("hop_ns", "link_bytes_per_cycle")},
    "interconnect.l2_partitions": (lambda arch: arch.caches.l2 or _shows_without_l2(arch.interconnect.l2_partitions),
                                   "caches.l2 is given, or interconnect.l2_partitions.far_latency_ns or link_bytes_per_cycle"),
    "interconnect.byte_masks": (lambda arch: "atomics_global" in arch.isa.features or isinstance(arch.coalescing.store, Lines),
                                "isa.features has atomics_global, or coalescing.store is Lines, which knows the bytes of a store"),
    "device_launches.virtual_us": (lambda arch: arch.device_launches and arch.device_launches.pool == "virtualised", "device_launches.pool is virtualised"),
    "isa.branch_costs.convergence_cycles": (lambda arch: arch.isa.assembler.convergence_instructions, "isa.assembler.convergence_instructions is more than 0"),
    "isa.serial_match": _has("match")}
"""Path of a field that is part of something that a machine may not have → whether it has it, and how that is said."""


_STAYS: dict[str, tuple[Callable[[Architecture], object], str]] = {
    "isa.instruction_bytes": (lambda arch: arch.caches.instruction or arch.caches.code_fetch,
                              "caches.instruction or caches.code_fetch is given: nothing else reads how long code is"),
    "load_store.atomic_cycles": _has("atomics_global"), "load_store.atomic_sector_cycles": _has("atomics_global"),
    "limits.stack_bytes_per_thread": _has("device_calls")}
"""Path of a field that says what is so whether or not the machine has what it shows in → whether it has it, and how that is said: a what-if about it
alone is refused."""


@_combination("load_store.atomic_cycles", "load_store.atomic_sector_cycles", "limits.stack_bytes_per_thread", "isa", "caches")
def _what_is_asked_shows(arch: Architecture) -> Iterator[Fault]:
    for path, (used, where) in _STAYS.items():
        if path in arch.changes and not used(arch):
            yield path, attrgetter(path)(arch), f"must stay as it is unless {where}"
    lacking = {path: _lacking_for(arch, path) for path in arch.changes}
    if lacking and all(lacking.values()):          # beside others, classes are moved to another unit all at once, used or not
        for path, feature in lacking.items():
            yield path, attrgetter(path.split(".", 3)[3])(arch.isa.operations[path.split(".")[2]]), f"must stay as it is unless isa.features has {feature}"


def _found(arch: Architecture, path: str) -> Any:
    """Give what stands at a path; None where a component above it is absent."""
    found: Any = arch
    for name in path.split("."):
        found = None if found is None else getattr(found, name)
    return found


def _lacking_for(arch: Architecture, path: str) -> str:
    """Name the features without which no program asks for what a path of `isa.operations` is the cost of; empty: it is no such path, or they are there."""
    above, _, rest = path.partition("isa.operations.")
    name = rest.partition(".")[0]
    feature = FEATURE_OF_CLASS.get(name, _FEATURE_BY_WHICH.get(name, ""))
    return "" if above or "." not in rest or name not in arch.isa.operations or arch.isa.features.issuperset(feature.split()) else feature


@_combination("load_store", "interconnect", "dram", "isa", "caches", "host_link", "schedulers", "coalescing.store", "device_launches",
              "limits.carveout_headroom")
def _what_is_given_is_used(arch: Architecture) -> Iterator[Fault]:
    for path, (used, where) in _OF_OTHERS.items():
        above, _, name = path.rpartition(".")
        owner = _found(arch, above)
        if not hasattr(owner, name):
            continue            # another policy, or no such component
        value, default = getattr(owner, name), getattr(attrs.fields(type(owner)), name).default
        if value != default and not used(arch) and _asked(arch, path):     # a what-if may take the whole away
            yield path, value, f"must be {default} unless {where}"
    assembler = arch.isa.assembler
    for name, where in assembler.idle(arch).items():
        path, value, default = f"isa.assembler.{name}", getattr(assembler, name), getattr(attrs.fields(type(assembler)), name).default
        if value != default and _asked(arch, path):
            yield path, value, f"must be {default} unless {where}"


@_combination("schedulers.count", "limits.warps_per_multiprocessor")
def _schedulers_hold_the_warps(arch: Architecture) -> Iterator[Fault]:
    most = 64 * arch.schedulers.count
    if arch.limits.warps_per_multiprocessor > most:
        yield ("limits.warps_per_multiprocessor", arch.limits.warps_per_multiprocessor,
               f"must be at most 64 for each of schedulers.count = {arch.schedulers.count}")


@_combination("limits")
def _registers_add_up(arch: Architecture) -> Iterator[Fault]:
    limits = arch.limits
    if limits.registers_per_block > limits.registers_per_multiprocessor:
        yield ("limits.registers_per_block", limits.registers_per_block,
               f"must be at most registers_per_multiprocessor = {limits.registers_per_multiprocessor}")
    parts = limits.register_file_partitions
    if parts is not None and limits.registers_per_multiprocessor % parts.count:
        yield ("limits.register_file_partitions.count", parts.count,
               f"must divide registers_per_multiprocessor = {limits.registers_per_multiprocessor}")
    if parts is not None and limits.register_allocation_scope == "block":
        yield "limits.register_file_partitions", parts, "must be absent if registers are handed out per block"


@_combination("limits", declared=True)
def _register_partitions_hold_the_warps(arch: Architecture) -> Iterator[Fault]:
    parts, warps = arch.limits.register_file_partitions, arch.limits.warps_per_multiprocessor
    if parts is not None and parts.warps_per_partition is not None and parts.warps_per_partition * parts.count != warps:
        yield ("limits.register_file_partitions.warps_per_partition", parts.warps_per_partition,
               f"must be warps_per_multiprocessor / count = {warps / parts.count:g}")


@_combination("limits")
def _shared_memory_adds_up(arch: Architecture) -> Iterator[Fault]:
    limits = arch.limits
    if limits.shared_bytes_per_block > limits.shared_bytes_per_multiprocessor:
        yield ("limits.shared_bytes_per_block", limits.shared_bytes_per_block,
               f"must be at most shared_bytes_per_multiprocessor = {limits.shared_bytes_per_multiprocessor}")


@_combination("limits.address_bits", "dram.capacity_bytes")
def _device_memory_has_addresses(arch: Architecture) -> Iterator[Fault]:
    bits, capacity = arch.limits.address_bits, arch.dram.capacity_bytes
    if bits is not None and capacity > 1 << bits:
        yield "dram.capacity_bytes", capacity, f"must be at most what limits.address_bits = {bits} reach, {1 << bits}"


@_combination("limits", declared=True)
def _shared_memory_is_a_carveout(arch: Architecture) -> Iterator[Fault]:
    sizes = arch.limits.shared_carveouts
    if sizes and arch.limits.shared_bytes_per_multiprocessor not in sizes:
        yield ("limits.shared_bytes_per_multiprocessor", arch.limits.shared_bytes_per_multiprocessor,
               f"must be one of shared_carveouts = {', '.join(map(str, sizes))}")


# -------------------------------------------------------------------------------------------------------- instructions
@_combination("units", "schedulers.dual_issue", "schedulers.issue_width", "schedulers.superscalar")
def _dual_issue_pairs_units(arch: Architecture) -> Iterator[Fault]:
    names = [unit.name for unit in arch.units]
    for pair in arch.schedulers.dual_issue:
        for name in sorted(set(pair) - set(names)):
            yield "schedulers.dual_issue", name, f"must name units ({', '.join(names)})"
    if arch.schedulers.dual_issue and arch.schedulers.issue_width < 2:
        yield "schedulers.issue_width", arch.schedulers.issue_width, "must be at least 2 where dual_issue pairs units"
    if arch.schedulers.issue_width > 1 and not arch.schedulers.dual_issue:
        yield "schedulers.dual_issue", (), f"must pair units where issue_width is {arch.schedulers.issue_width}"
    most = None if arch.schedulers.superscalar else _most_issued_together(arch.schedulers.dual_issue)
    if most is not None and arch.schedulers.issue_width > most > 0 and _asked(arch, "schedulers.issue_width"):
        yield "schedulers.issue_width", arch.schedulers.issue_width, f"must be at most {most}: dual_issue pairs no more units with each other"


def _most_issued_together(pairs: Collection[frozenset[str]]) -> int | None:
    """Count the units of the largest set of which each two are a pair; None: a unit is paired with itself, so there is no end."""
    if any(len(pair) == 1 for pair in pairs):
        return None
    names = sorted(frozenset().union(*pairs))
    sets = [frozenset(pair) for pair in pairs]
    size = 2 if sets else 0
    while larger := [one | {name} for one in sets for name in names if name not in one and all(frozenset({name, other}) in pairs for other in one)]:
        sets, size = list(dict.fromkeys(larger)), size + 1
    return size


@_combination("schedulers.superscalar", "schedulers.issue_width")
def _superscalar_issue_is_wide(arch: Architecture) -> Iterator[Fault]:
    if arch.schedulers.superscalar and arch.schedulers.issue_width < 2:
        yield "schedulers.superscalar", True, "must be False where issue_width is 1"


@_combination("clocks", "units")
def _parts_at_the_core_clock_are_known(arch: Architecture) -> Iterator[Fault]:
    known = [*CORE_PARTS, *(unit.name for unit in arch.units)]
    for part in () if arch.clocks.core_domain is None else arch.clocks.core_domain.parts:
        if part not in known:
            yield "clocks.core_domain.parts", part, f"must name parts ({', '.join(CORE_PARTS)}) or units", closest(part, known)


@_combination("units", "schedulers.count")
def _only_shared_units_have_copies(arch: Architecture) -> Iterator[Fault]:
    for unit in arch.units:
        if unit.copies > 1 and unit.scope == "scheduler":
            yield f"units.{unit.name}.copies", unit.copies, "must be 1 where each scheduler has a unit of its own"
        if unit.part_of is not None:
            yield from _parts_of_units_fit(arch, unit, unit.part_of)
        if unit.scope == "exclusive" and arch.schedulers.count == 1 and _asked(arch, f"units.{unit.name}.scope"):
            yield f"units.{unit.name}.scope", unit.scope, "must be multiprocessor where schedulers.count is 1: it takes issue slots of the others"


def _parts_of_units_fit(arch: Architecture, unit: Unit, part: PartOfUnit) -> Iterator[Fault]:
    whole = next((other for other in arch.units if other.name == part.unit), None)
    if whole is None or whole is unit or whole.part_of is not None:
        yield f"units.{unit.name}.part_of.unit", part.unit, "must name another unit that is not part of one itself"
    elif "scheduler" in (unit.scope, whole.scope):
        yield f"units.{unit.name}.part_of.unit", part.unit, "must join units that all schedulers share"
    elif whole.copies < part.first_copy + unit.copies:
        yield (f"units.{unit.name}.copies", unit.copies,
               f"must be at most those of {whole.name} from number {part.first_copy} on = {max(0, whole.copies - part.first_copy)}")


@_combination("isa.operations", "isa.features", "units")
def _every_class_has_a_cost(arch: Architecture) -> Iterator[Fault]:
    declared, features = arch.isa.operations, arch.isa.features
    missing = [name for name in OPERATION_CLASSES
               if name not in declared and (name not in FEATURE_OF_CLASS or features.issuperset(FEATURE_OF_CLASS[name].split()))]
    if missing:
        yield "isa.operations", tuple(declared), f"must declare every class of operation; missing: {', '.join(missing)}"
    names = [unit.name for unit in arch.units]
    for name, cost in declared.items():
        if name not in OPERATION_CLASSES:
            yield ("isa.operations", name, "must name classes of OPERATION_CLASSES",
                   closest(name, OPERATION_CLASSES))
        elif cost.latency_cycles < 1 and name not in MEMORY_CLASSES:
            yield f"isa.operations.{name}.latency_cycles", cost.latency_cycles, "must be at least 1"
        if cost.unit not in names:
            yield (f"isa.operations.{name}.unit", cost.unit, f"must name a unit ({', '.join(names)})",
                   closest(cost.unit, names))


@_combination("isa.operations", "isa.forms", "units")
def _forms_belong_to_a_class(arch: Architecture) -> Iterator[Fault]:
    names = [unit.name for unit in arch.units]
    for name, form in arch.isa.forms.items():
        if form.operation not in arch.isa.operations:
            yield (f"isa.forms.{name}.operation", form.operation, "must name a class of isa.operations",
                   closest(form.operation, arch.isa.operations))
        elif form.latency_cycles < 1 and form.operation not in MEMORY_CLASSES:
            yield f"isa.forms.{name}.latency_cycles", form.latency_cycles, "must be at least 1"
        if form.unit not in names:
            yield (f"isa.forms.{name}.unit", form.unit, f"must name a unit ({', '.join(names)})", closest(form.unit, names))


_SLOW_ROUTINES = ("fp32_div_exact", "fp32_sqrt_exact", "fp64_div", "fp64_sqrt")
"""Classes whose operands are looked at: special ones go through a routine."""
_ARITHMETIC = ("int", "fp", "convert", "bit_")
"""Beginnings of the names of classes of arithmetic."""
_FORM_OF = {"shared_atomic": "atomic_shared", "global_atomic": "atomic_global"}
"""Component of a form → the class of operation that it is for."""


@_combination("isa.operations")
def _slow_paths_belong_to_an_operation(arch: Architecture) -> Iterator[Fault]:
    for name, cost in arch.isa.operations.items():
        path, slow = f"isa.operations.{name}.slow_path", cost.slow
        needs = {"issues": "paths", "instructions": "paths", "branches": "issues", "cycles": "issues"}
        for field, needed in needs.items():
            if getattr(slow, field) is not None and not getattr(slow, needed) and _asked(arch, f"{path}.{field}"):
                yield f"{path}.{field}", getattr(slow, field), f"must be None unless {needed} is given"
        if slow.paths is not None and not name.startswith(_ARITHMETIC):
            yield f"{path}.paths", slow.paths, "must be None: only arithmetic has special operands"
        if slow.issues is not None and name not in _SLOW_ROUTINES:
            yield f"{path}.issues", slow.issues, f"must be None: only operands of {', '.join(_SLOW_ROUTINES)} are looked at"
        if slow.issues and (slow.branches or 0) >= slow.issues:
            yield f"{path}.branches", slow.branches, f"must be less than issues = {slow.issues}"
        yield from _guarded_among_issues(path, cost)


@_combination("isa.operations", "isa.branch_costs")
def _a_branch_that_nobody_takes_is_sooner(arch: Architecture) -> Iterator[Fault]:
    branch, untaken = arch.isa.operations.get("branch"), arch.isa.branching.untaken_cycles
    if branch is not None and untaken is not None and untaken > branch.latency_cycles and _asked(arch, "isa.branch_costs.untaken_cycles"):
        yield "isa.branch_costs.untaken_cycles", untaken, f"must be at most isa.operations.branch.latency_cycles = {branch.latency_cycles}, that of one taken"


@_combination("isa.operations", "isa.forms")
def _forms_say_what_is_theirs(arch: Architecture) -> Iterator[Fault]:
    for name, form in arch.isa.forms.items():
        path, whole = f"isa.forms.{name}", arch.isa.operations.get(form.operation)
        for field, operation in _FORM_OF.items():
            if form.operation != operation and getattr(form, field) is not None:
                yield f"{path}.{field}", getattr(form, field), f"must be None: it is of {operation} alone"
        banks = form.shared_atomic
        if banks is not None and banks.retry_cycles is not None:
            for field, value, least in (("shared_atomic.bank_passes", banks.bank_passes, 1), ("interval_cycles", form.interval_cycles, None)):
                if value != least and _asked(arch, f"{path}.{field}"):
                    yield f"{path}.{field}", value, f"must be {least} where retry_cycles is given: the tries of the loop hold unit and banks"
        if whole is not None:
            yield from _slow_path_is_that_of_the_class(arch, f"{path}.slow_path", form, whole)
        yield from _guarded_among_issues(f"{path}.slow_path", form)


def _slow_path_is_that_of_the_class(arch: Architecture, path: str, form: Form, whole: Operation) -> Iterator[Fault]:
    for field in ("paths", "issues", "branches", "cycles"):
        value, theirs = getattr(form.slow, field), getattr(whole.slow, field)
        if value not in (None, theirs):
            yield f"{path}.{field}", value, f"must be None or that of isa.operations.{form.operation}, {theirs}"
    if form.slow.instructions is not None and not whole.slow.paths and _asked(arch, f"{path}.instructions"):
        yield f"{path}.instructions", form.slow.instructions, f"must be None unless isa.operations.{form.operation}.slow_path.paths is given"


def _guarded_among_issues(path: str, cost: Operation | Form) -> Iterator[Fault]:
    if (cost.slow.guarded_issues or 0) > cost.issues:
        yield f"{path}.guarded_issues", cost.slow.guarded_issues, f"must be at most issues = {cost.issues}"


def _asked(arch: Architecture, path: str) -> bool:
    """Tell whether a description says this by itself: a what-if may take away alone what it is part of."""
    return not arch.changes or any(path == change or path.startswith(f"{change}.") or change.startswith(f"{path}.") for change in arch.changes)


@_combination("isa.matrix")
def _groups_of_lanes_have_four_products(arch: Architecture) -> Iterator[Fault]:
    for name in ("groups", "groups_f16"):
        rule = getattr(arch.isa.matrix, name, None)
        if isinstance(rule, AlignedSum) and rule.products != 4:
            yield f"isa.matrix.{name}.products", rule.products, "must be 4: a group of lanes has four products, which are added at a time"
        if isinstance(rule, AlignedSum) and rule.result_bits != 23:
            yield f"isa.matrix.{name}.result_bits", rule.result_bits, "must be 23: sums of groups of lanes keep all bits of single precision"


@_combination("isa.features", "isa.matrix", "isa.warpgroup", declared=True)
def _matrix_products_have_an_arithmetic(arch: Architecture) -> Iterator[Fault]:
    matrix = arch.isa.matrix
    if "matrix" in arch.isa.features and matrix is None:
        yield "isa.matrix", None, "must be given where the feature matrix is declared"
    for name in ("bf16", "tf32", "fp8"):
        if f"matrix_{name}" in arch.isa.features and matrix is not None and getattr(matrix, name) is None:
            yield f"isa.matrix.{name}", None, f"must be given where the feature matrix_{name} is declared"
    for name in ("f16", "bf16", "tf32", "fp8"):
        if matrix is not None and not isinstance(getattr(matrix, name), (AlignedSum, NoneType)):
            yield f"isa.matrix.{name}", getattr(matrix, name), "must be an AlignedSum: the others are for four products"
    if "matrix_warpgroup" in arch.isa.features and arch.isa.warpgroup is None:
        yield "isa.warpgroup", None, "must be given where the feature matrix_warpgroup is declared"


@_combination("isa.matrix")
def _sums_are_carried_out(arch: Architecture) -> Iterator[Fault]:
    matrix, known = arch.isa.matrix, (AlignedSum, ChainedSum, PairedSum)
    for field in attrs.fields(type(matrix)) if matrix is not None else ():
        if not isinstance(getattr(matrix, field.name), (*known, NoneType)):
            yield (f"isa.matrix.{field.name}", getattr(matrix, field.name),
                   f"must be one of {', '.join(one.__name__ for one in known)}: sums are not asked of plugins")


@_combination("isa.features")
def _features_come_with_what_they_need(arch: Architecture) -> Iterator[Fault]:
    for feature, needed in FEATURE_NEEDS.items():
        if feature in arch.isa.features and needed not in arch.isa.features:
            yield "isa.features", feature, f"must come with {needed}"


@_combination("isa.features", "block_clusters")
def _clusters_of_blocks_are_a_feature(arch: Architecture) -> Iterator[Fault]:
    if arch.block_clusters is None:
        return
    if "clusters" not in arch.isa.features:
        yield "block_clusters", arch.block_clusters, "must come with the feature clusters in isa.features"
    if arch.block_clusters.most_blocks > arch.block_clusters.most_blocks_nonportable:
        yield ("block_clusters.most_blocks", arch.block_clusters.most_blocks,
               f"must be at most most_blocks_nonportable = {arch.block_clusters.most_blocks_nonportable}")


@_combination("isa.features", "device_launches")
def _launches_by_kernels_are_described(arch: Architecture) -> Iterator[Fault]:
    if "dynamic_parallelism" in arch.isa.features and arch.device_launches is None:
        yield "device_launches", None, "must be given where isa.features has dynamic_parallelism"


@_combination("isa.features", "texture")
def _texture_fetches_are_described(arch: Architecture) -> Iterator[Fault]:
    if "texture" in arch.isa.features and arch.texture is None:
        yield "texture", None, "must be given where isa.features has texture"


# -------------------------------------------------------------------------------------------------------------- memory
@_combination("shared", declared=True)
def _an_access_without_conflict_exists(arch: Architecture) -> Iterator[Fault]:
    if arch.shared.conflict_lanes > arch.shared.banks:
        yield "shared.conflict_lanes", arch.shared.conflict_lanes, f"must be at most shared.banks = {arch.shared.banks}"


@_combination("coalescing", "dram.interleave_bytes", "caches")
def _transactions_stay_in_one_place(arch: Architecture) -> Iterator[Fault]:
    for kind in ("load", "store", "load_uncached"):
        rule = getattr(arch.coalescing, kind)
        if rule.largest_bytes > arch.dram.interleave_bytes:
            yield (f"coalescing.{kind}", rule.largest_bytes,
                   f"must make transactions of at most dram.interleave_bytes = {arch.dram.interleave_bytes}")
        for level in ("l1", "l2"):
            cache = getattr(arch.caches, level)
            if cache is not None and rule.largest_bytes > cache.line_bytes and not (level == "l1" and kind != "load"):
                yield (f"coalescing.{kind}", rule.largest_bytes,
                       f"must make transactions of at most caches.{level}.line_bytes = {cache.line_bytes}")
    l1, line = arch.caches.l1, getattr(arch.coalescing.load, "line_bytes", 0)
    if l1 is not None and line > l1.line_bytes >= arch.coalescing.load.largest_bytes:
        yield "caches.l1.line_bytes", l1.line_bytes, f"must be at least coalescing.load.line_bytes = {line}, of which a load asks it for at a time"
    sector = getattr(arch.coalescing.load, "sector_bytes", 0)
    if l1 is not None and l1.sector_bytes < sector <= l1.line_bytes and _asked(arch, "caches.l1.sector_bytes"):
        yield "caches.l1.sector_bytes", l1.sector_bytes, f"must be at least coalescing.load.sector_bytes = {sector}, which loads bring at a time"


_SHARED_BY = {
    "l1": ("multiprocessor",), "constant": ("multiprocessor",), "constant_uniform": ("scheduler",), "instruction": ("scheduler", "multiprocessor"),
    "texture_l1": ("multiprocessor", "cluster"), "texture_l2": ("partition",), "l2": ("partition", "chip")}
"""Cache → who can share an instance of it. The others are further levels of constants and instructions, of which every multiprocessor keeps tags
of its own, whoever shares them."""
_BEHIND = ("multiprocessor", "cluster", "chip")
_WRITTEN = {"l1": ("evict", "through"), "l2": ("back",)}
"""Cache → what a store that hits can do; the others are only read, and what is stored elsewhere evicts nothing from them."""
_ONLY_OF = {"prefetch_degree": ("instruction", "instruction_l2", "instruction_l3"), "tag_bank_masks": ("l1",), "fetch_bytes": ("l2", "texture_l2"),
            "dirty_ways": ("l2",), "partial_dirty_ways": ("l2",)}
"""Field → caches that it is for; others leave it as it is by itself."""


@_combination("coalescing", "caches")
def _loads_go_by_the_rule_of_their_way(arch: Architecture) -> Iterator[Fault]:
    rules = arch.coalescing
    asked = any(path == "coalescing.load" or path.startswith("coalescing.load.") for path in arch.changes)   # a variant may take L1 away alone
    if arch.caches.l1 is None and rules.load != rules.load_uncached and asked:
        yield "coalescing.load", rules.load, f"must be that of coalescing.load_uncached, {rules.load_uncached}, by which loads go without caches.l1"


@_combination("coalescing")
def _lines_have_as_many_sectors_as_are_kept_under_a_tag(arch: Architecture) -> Iterator[Fault]:
    for kind in ("load", "store", "load_uncached"):
        rule = getattr(arch.coalescing, kind)
        line: int = getattr(rule, "line_bytes", 0)
        sector: int = getattr(rule, "sector_bytes", line)
        if line and not sector <= line <= MOST_SECTORS * sector:      # what the engine keeps under one tag
            yield f"coalescing.{kind}.line_bytes", line, f"must be 1 to {MOST_SECTORS} times sector_bytes = {sector}"


@_combination("caches")
def _caches_are_what_is_carried_out(arch: Architecture) -> Iterator[Fault]:
    for level, cache in arch.caches.declared.items():
        for field, allowed, why in (
                ("scope", _SHARED_BY.get(level, _BEHIND), "no other sharing of it is modelled"),
                ("write", _WRITTEN.get(level, ("evict",)), "no other way of storing is modelled" if level in _WRITTEN else "it is only read")):
            if getattr(cache, field) not in allowed:
                yield f"caches.{level}.{field}", getattr(cache, field), f"must be {' or '.join(allowed)}: {why}"
        if cache.fetch_bytes is not None and cache.fetch_bytes < cache.sector_bytes and _asked(arch, f"caches.{level}.fetch_bytes"):
            yield f"caches.{level}.fetch_bytes", cache.fetch_bytes, f"must be at least sector_bytes = {cache.sector_bytes}, which a miss fetches anyway"
        if level.startswith(("instruction", "constant_uniform")) and cache.sector_bytes != cache.line_bytes and _asked(arch, f"caches.{level}.sector_bytes"):
            yield f"caches.{level}.sector_bytes", cache.sector_bytes, f"must be line_bytes = {cache.line_bytes}: what it holds comes line by line"
        for field, caches in _ONLY_OF.items():
            default = getattr(attrs.fields(type(cache)), field).default
            if getattr(cache, field) != default and level not in caches:
                yield f"caches.{level}.{field}", getattr(cache, field), f"must be {default}: it is of {', '.join(caches)} alone"


@_combination("caches", "dram.interleave_bytes")
def _caches_have_whole_sets(arch: Architecture) -> Iterator[Fault]:
    for level, cache in arch.caches.declared.items():
        path = f"caches.{level}"
        if cache.size_bytes % (cache.line_bytes * cache.ways):
            yield (f"{path}.size_bytes", cache.size_bytes,
                   f"must be a multiple of line_bytes x ways = {cache.line_bytes * cache.ways}")
        if cache.ways > MOST_WAYS_OF_POLICIES and not isinstance(cache.replacement, (LeastRecentlyUsed, RandomOfKLru)):
            yield f"{path}.ways", cache.ways, f"must be at most {MOST_WAYS_OF_POLICIES} where a policy of one's own chooses the line to replace"
        if cache.sector_bytes > cache.line_bytes:
            yield f"{path}.sector_bytes", cache.sector_bytes, f"must be at most line_bytes = {cache.line_bytes}"
        if cache.scope == "partition" and cache.line_bytes > arch.dram.interleave_bytes:
            yield (f"{path}.line_bytes", cache.line_bytes,
                   f"must be at most dram.interleave_bytes = {arch.dram.interleave_bytes}")


@_combination("caches")
def _levels_of_constants_and_instructions_follow_each_other(arch: Architecture) -> Iterator[Fault]:
    for kind, piece in (("constant", "sector_bytes"), ("instruction", "line_bytes")):       # that a miss of the first level brings
        levels = [kind, f"{kind}_l2", f"{kind}_l3"]
        for nearer, level in itertools.pairwise(levels):
            behind, front = getattr(arch.caches, level), getattr(arch.caches, nearer)
            if behind is None:
                continue
            least = getattr(arch.caches, kind)
            if front is None:
                yield f"caches.{nearer}", None, f"must be given where caches.{level} is"
            elif least is not None and getattr(behind, piece) < least.line_bytes:
                yield f"caches.{level}.{piece}", getattr(behind, piece), f"must be at least caches.{kind}.line_bytes = {least.line_bytes}"
    first = arch.caches.instruction
    if first is not None and not (first.latency_cycles or arch.caches.instruction_l2 or arch.caches.instruction_memory_cycles) and (
            _asked(arch, "caches.instruction")):
        yield "caches.instruction", first, "must be None unless caches.instruction_memory_cycles or caches.instruction_l2 says what is waited for"
    if arch.caches.constant_uniform is not None and arch.caches.constant is None:
        yield "caches.constant", None, "must be given where caches.constant_uniform is"
    if arch.caches.instruction is None and arch.caches.instruction_preload_bytes:
        yield "caches.instruction_preload_bytes", arch.caches.instruction_preload_bytes, "must be 0 without caches.instruction"


@_combination("caches.texture_l1", "interconnect.response_latency_ns", "clocks.shader_mhz", declared=True)
def _a_shared_texture_cache_is_no_nearer_than_the_network(arch: Architecture) -> Iterator[Fault]:
    cache = arch.caches.texture_l1
    least = arch.interconnect.response_latency_ns * arch.clocks.shader_mhz / 1000
    if cache is not None and cache.scope == "cluster" and cache.latency_cycles < least:
        yield ("caches.texture_l1.latency_cycles", cache.latency_cycles,
               f"must be at least interconnect.response_latency_ns = {least:.0f} SM cycles where a cluster shares it")


@_combination("load_store", "coalescing.store", "interconnect.byte_masks", declared=True)
def _stores_that_wait_for_each_other_know_their_words(arch: Architecture) -> Iterator[Fault]:
    rule, combining = arch.coalescing.store, arch.load_store.write_combining
    if combining and (not isinstance(rule, Lines) or rule.line_bytes > 128 or arch.interconnect.byte_masks is None):
        yield ("load_store.write_combining", combining,
               "must be absent unless coalescing.store is Lines of at most 128 bytes and interconnect.byte_masks is given")


@_combination("caches.l1_prefetcher", "caches.l1")
def _a_prefetcher_has_a_cache_to_fetch_into(arch: Architecture) -> Iterator[Fault]:
    prefetcher, l1 = arch.caches.l1_prefetcher, arch.caches.l1
    if prefetcher is None:
        return
    if l1 is None or not l1.enabled:
        yield "caches.l1_prefetcher", prefetcher, "must be absent where there is no L1"
    elif prefetcher.page_bytes < l1.line_bytes:
        yield "caches.l1_prefetcher.page_bytes", prefetcher.page_bytes, f"must be at least caches.l1.line_bytes = {l1.line_bytes}"


@_combination("caches.l1_admission", "caches.l1_prefetch", "caches.l1_victim_cache", "caches.l1")
def _policies_of_l1_have_a_cache(arch: Architecture) -> Iterator[Fault]:
    for field in ("l1_admission", "l1_prefetch", "l1_victim_cache"):
        policy = getattr(arch.caches, field)
        if policy is not None and (arch.caches.l1 is None or not arch.caches.l1.enabled):
            yield f"caches.{field}", policy, "must be None where there is no L1"


@_combination("load_store.memory_instruction_queue", "units", "isa.operations", declared=True)
def _instructions_queue_for_a_unit_that_schedulers_share(arch: Architecture) -> Iterator[Fault]:
    if arch.load_store.memory_instruction_queue and not arch.shared_memory_units:
        yield ("load_store.memory_instruction_queue", arch.load_store.memory_instruction_queue,
               "must be absent unless the schedulers share a unit that accesses memory")


@_combination("dram")
def _dram_is_consistent(arch: Architecture) -> Iterator[Fault]:
    dram = arch.dram
    if dram.write_drain_high > dram.queue_entries:
        yield "dram.write_drain_high", dram.write_drain_high, f"must be at most queue_entries = {dram.queue_entries}"
    if dram.write_drain_low >= dram.write_drain_high:
        yield "dram.write_drain_low", dram.write_drain_low, f"must be less than write_drain_high = {dram.write_drain_high}"
    if dram.row_bytes < dram.burst_bytes:
        yield "dram.row_bytes", dram.row_bytes, f"must be at least burst_bytes = {dram.burst_bytes}"
    if dram.refresh_banks and dram.refresh_banks > dram.banks:
        yield "dram.refresh_banks", dram.refresh_banks, f"must be at most banks = {dram.banks}"
    if dram.t_refi_ns and dram.t_rfc_ns >= dram.t_refi_ns * dram.banks / (dram.refresh_banks or dram.banks):
        yield "dram.t_rfc_ns", dram.t_rfc_ns, "must be less than the time to the next refresh of the same banks"
    if dram.t_ras_ns < dram.t_rcd_ns:
        yield "dram.t_ras_ns", dram.t_ras_ns, f"must be at least t_rcd_ns = {dram.t_rcd_ns}"


@_combination("dram", declared=True)
def _partitions_share_the_bus(arch: Architecture) -> Iterator[Fault]:
    if arch.dram.bus_bits % (8 * arch.dram.partitions):
        yield "dram.bus_bits", arch.dram.bus_bits, f"must give each of {arch.dram.partitions} partitions whole bytes"
