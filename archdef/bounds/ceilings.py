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
    shared = arch.shared.banks * arch.shared.bank_width_bytes / arch.shared.pass_cycles
    yield Ceiling("shared memory", chip * ghz * shared, "GB/s", f"{shared:g} bytes a cycle and multiprocessor")
    links, core = arch.interconnect, arch.clocks.core_mhz / 1e3
    back = arch.dram.partitions * links.partition_response_bytes_per_cycle
    yield Ceiling("L2" if arch.caches.l2 is not None else "network", core * back, "GB/s",
                  f"{back:g} bytes a core cycle from {arch.dram.partitions} partitions, packet headers included")
    yield Ceiling("DRAM", arch.dram_bandwidth_gb_s, "GB/s", f"{arch.dram.partitions} partitions")


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
