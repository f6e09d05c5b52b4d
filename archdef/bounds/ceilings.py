"""What a machine could do at most, and how much parallelism that takes: read off its description.

Little's law: what is in flight is latency times throughput. A multiprocessor whose unit starts an instruction every `interval` cycles and
delivers its result `latency` cycles later needs ``latency / interval`` independent ones at a time, from as many warps or from fewer that
each have several.
"""
from __future__ import annotations

import math
from collections.abc import Iterator

import attrs

from archdef.spec import Architecture, Operation
from archdef.spec.clocking import at_clocks, in_sm_cycles
from archdef.spec.matrix import MATRIX_FLOPS

_FLOPS = {"fp32_fma": 2, "fp64_fma": 2, "fp16_fma": 4, "fp32_add": 1, "fp32_mul": 1, "fp64_add": 1, "fp64_mul": 1, "fp16_add": 2}
"""Floating-point operations of a lane's instruction; 16-bit ones come in pairs."""


@attrs.frozen
class Ceiling:
    """A rate that the whole chip cannot exceed."""

    name: str
    rate: float
    unit: str
    """``Gop/s`` (instructions of lanes), ``GFLOP/s`` or ``GB/s``."""
    about: str


@attrs.frozen
class Needed:
    """The parallelism by which one multiprocessor reaches a rate."""

    name: str
    latency_cycles: float
    """From the start to the result, nothing else running."""
    per_cycle: float
    """Started per cycle and multiprocessor at the full rate: instructions of warps, or bytes."""
    in_flight: float
    """Latency times rate: instructions of warps, or bytes."""
    warps: int
    """Warps that suffice if each has one instruction, or one load of 4 bytes a lane, in flight."""


def _starts_per_cycle(arch: Architecture, operation: Operation) -> float:
    """Warp instructions of a class that one multiprocessor starts per cycle, the schedulers' rate included."""
    unit = next(u for u in arch.units if u.name == operation.unit)
    interval = operation.interval_cycles or math.ceil(arch.warp.size / unit.lanes)
    issues = max(operation.issues, 1)
    many = arch.schedulers.count if unit.scope == "scheduler" else unit.copies
    pairs = frozenset({unit.name}) in arch.schedulers.dual_issue        # else a slot takes one for this unit, whatever goes with it
    slots = arch.schedulers.count * (arch.schedulers.issue_width if pairs else 1) / arch.schedulers.issue_interval_cycles
    return min(many / interval, slots) / issues


def ceilings(arch: Architecture) -> tuple[Ceiling, ...]:
    """List what the chip could do at most.

    Parameters
    ----------
    arch : Architecture
        A description.

    Returns
    -------
    tuple of Ceiling
        Arithmetic by class, then shared memory, L2 and DRAM; rates of the whole chip.
    """
    return tuple(_ceilings(arch))


def _ceilings(arch: Architecture) -> Iterator[Ceiling]:
    arch, chip, ghz = in_sm_cycles(arch), arch.chip.multiprocessors, arch.clocks.shader_mhz / 1e3
    for name, declared in arch.isa.operations.items():
        if name in _FLOPS:
            operation = at_clocks(arch, declared)
            each = _starts_per_cycle(arch, operation)
            rate = chip * ghz * each * arch.warp.size * _FLOPS[name]
            yield Ceiling(name, rate, "GFLOP/s", f"{each * arch.warp.size:g} lanes a cycle and multiprocessor, {_FLOPS[name]} each")
    yield from _products(arch)
    shared = arch.shared.banks * arch.shared.bank_width_bytes / arch.shared.pass_cycles
    yield Ceiling("shared memory", chip * ghz * shared, "GB/s", f"{shared:g} bytes a cycle and multiprocessor")
    core, level = arch.clocks.core_mhz / 1e3, network_level(arch)
    for name, ways in ((f"{level} reads", ways_back(arch)), (f"{level} writes", ways_there(arch))):
        least = min(ways, key=lambda way: way.bytes_per_cycle)
        yield Ceiling(name, core * least.bytes_per_cycle, "GB/s", f"{least.bytes_per_cycle:g} bytes a core cycle {least.where}, packet headers included")
    yield Ceiling("DRAM", arch.dram_bandwidth_gb_s, "GB/s", f"{arch.dram.partitions} partitions")


def _products(arch: Architecture) -> Iterator[Ceiling]:
    """Give the most operations of each type that products of matrices reach, and by which class."""
    chip, ghz, best = arch.chip.multiprocessors, arch.clocks.shader_mhz / 1e3, dict[str, Ceiling]()
    for name, declared in _costs(arch):
        if name in MATRIX_FLOPS:
            type_, flops = MATRIX_FLOPS[name]
            each = _starts_per_cycle(arch, at_clocks(arch, declared))
            found = Ceiling(f"matrix_{type_}", chip * ghz * each * flops, "GFLOP/s",
                            f"{each:g} of {name} a cycle and multiprocessor, {flops:,} operations each")
            best[type_] = max(best.get(type_, found), found, key=lambda ceiling: ceiling.rate)
    yield from best.values()


def _costs(arch: Architecture) -> Iterator[tuple[str, Operation]]:
    """List classes of operation with their costs, and those of forms of instructions that have costs of their own."""
    yield from arch.isa.operations.items()
    yield from ((form.operation, form) for form in arch.isa.forms.values())


def network_level(arch: Architecture) -> str:
    """What answers requests of multiprocessors: the L2, or behind the network DRAM alone."""
    return "L2" if arch.caches.l2 is not None else "network"


@attrs.frozen
class Way:
    """Ports of one kind, which all packets of a direction pass."""

    of: str
    """``partitions``, ``ports`` of multiprocessors, or ``clusters``."""
    bytes_per_cycle: int
    """All of them together, per core cycle."""
    where: str


def ways_back(arch: Architecture) -> tuple[Way, ...]:
    """List what answers to multiprocessors pass."""
    links, partitions, clusters = arch.interconnect, arch.dram.partitions, _clusters(arch)
    ways = [Way("partitions", partitions * links.partition_response_bytes_per_cycle, f"from {partitions} partitions")]
    if links.cluster_ports is not None and links.cluster_ports.response_bytes_per_cycle:
        ways.append(Way("clusters", clusters * links.cluster_ports.response_bytes_per_cycle, f"into {clusters} clusters"))
    return tuple(ways)


def ways_there(arch: Architecture) -> tuple[Way, ...]:
    """List what requests, and what is stored by them, pass on their way to the partitions."""
    links, partitions, clusters = arch.interconnect, arch.dram.partitions, _clusters(arch)
    ports = (clusters if links.injection_scope == "cluster" else arch.chip.multiprocessors) * (2 if links.store_ports else 1)
    ways = [Way("partitions", partitions * links.partition_request_bytes_per_cycle, f"into {partitions} partitions"),
            Way("ports", ports * links.injection_bytes_per_cycle, f"from {ports} ports of multiprocessors")]
    if links.cluster_ports is not None and links.cluster_ports.request_bytes_per_cycle:
        ways.append(Way("clusters", clusters * links.cluster_ports.request_bytes_per_cycle, f"out of {clusters} clusters"))
    return tuple(ways)


def _clusters(arch: Architecture) -> int:
    sizes = arch.chip.cluster_sizes
    return len(sizes) + max(0, math.ceil((arch.chip.multiprocessors - sum(sizes)) / arch.chip.multiprocessors_per_cluster))


def peak(arch: Architecture, width: str) -> float | None:
    """Give the GFLOP/s of arithmetic of a width (``fp32``), or of products of a type (``matrix_f16``), that all units together allow, whatever mix of
    additions and multiplications.

    None where the machine has no such arithmetic. It is more than the greatest ceiling of one class where classes have units of their own, such as one for
    multiplications beside that for sums.
    """
    arch, chip, ghz = in_sm_cycles(arch), arch.chip.multiprocessors, arch.clocks.shader_mhz / 1e3
    units = {unit.name: unit for unit in arch.units}
    copies: dict[tuple[str, int], float] = {}        # each copy of a unit that is no part of others → operations a cycle
    greatest = 0
    for declared, flops in _of_width(arch, width):
        cost = at_clocks(arch, declared)
        unit, greatest = units[cost.unit], max(greatest, flops)
        whole, first = (unit.name, 0) if unit.part_of is None else (unit.part_of.unit, unit.part_of.first_copy)
        rate = flops / arch.interval_cycles(cost) / max(cost.issues, 1)
        for copy in range(first, first + (arch.schedulers.count if unit.scope == "scheduler" else unit.copies)):
            copies[whole, copy] = max(copies.get((whole, copy), 0.0), rate)
    slots = arch.schedulers.count * arch.schedulers.issue_width / arch.schedulers.issue_interval_cycles
    return chip * ghz * min(sum(copies.values()), slots * greatest) if copies else None


def _of_width(arch: Architecture, width: str) -> Iterator[tuple[Operation, int]]:
    """List costs of a width's arithmetic, each with the operations of a warp's instruction."""
    for name, cost in _costs(arch):
        if name in _FLOPS and name.startswith(f"{width}_"):
            yield cost, arch.warp.size * _FLOPS[name]
        elif name in MATRIX_FLOPS and width == f"matrix_{MATRIX_FLOPS[name][0]}":
            yield cost, MATRIX_FLOPS[name][1]


def needed(arch: Architecture) -> tuple[Needed, ...]:
    """List, by Little's law, what must be in flight on one multiprocessor to keep it busy.

    Parameters
    ----------
    arch : Architecture
        A description.

    Returns
    -------
    tuple of Needed
        Arithmetic of each class with a latency, then loads from shared memory and from DRAM.
    """
    return tuple(_needed(arch))


def _needed(arch: Architecture) -> Iterator[Needed]:
    arch, size = in_sm_cycles(arch), arch.warp.size
    for name, declared in arch.isa.operations.items():
        if name in _FLOPS or name in ("int_add", "fp32_rcp", "fp32_transcendental"):
            operation = at_clocks(arch, declared)
            each = _starts_per_cycle(arch, operation)
            flying = operation.latency_cycles * each
            yield Needed(name, operation.latency_cycles, each, flying, math.ceil(flying))
    if (shared := arch.isa.operations.get("load_shared")) is not None:
        load = at_clocks(arch, shared)
        each = min(_starts_per_cycle(arch, load), arch.shared.banks * arch.shared.bank_width_bytes / arch.shared.pass_cycles / (4 * size))
        latency = load.latency_cycles + arch.shared.latency_cycles
        yield Needed("load_shared", latency, each, latency * each, math.ceil(latency * each))
    latency_ns = unloaded_latency_ns(arch)
    cycles = latency_ns * arch.clocks.shader_mhz / 1e3
    each = arch.dram_bandwidth_gb_s / arch.chip.multiprocessors / (arch.clocks.shader_mhz / 1e3)
    yield Needed("DRAM reads", cycles, each, cycles * each, math.ceil(cycles * each / (4 * size)))


def unloaded_latency_ns(arch: Architecture) -> float:
    """Nanoseconds of a read that finds no cache and no queue: network, a row that must be opened, the data's way back."""
    links, dram, caches = arch.interconnect, arch.dram, arch.caches
    core_ns = 1e3 / arch.clocks.core_mhz
    way = links.request_latency_ns + links.response_latency_ns
    way += links.distances.mean_ns(arch.clocks.shader_mhz) if links.distances else 0
    if caches.l2 is not None:
        way += caches.l2.latency_cycles * core_ns
    return way + dram.t_rcd_ns + dram.t_cl_ns + dram.extra_latency_ns
