"""Clock domains within a multiprocessor: the times of what runs at the core clock, in SM cycles at the clocks as they are."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from archdef.spec.arch import Architecture
from archdef.spec.isa import Operation

_FIELDS = {
    "issue": ("schedulers.issue_interval_cycles", "schedulers.instruction_gap_cycles"),
    "fetch": ("caches.instruction.latency_cycles", "caches.instruction_l2.latency_cycles", "caches.instruction_l3.latency_cycles"),
    "constants": ("caches.constant.latency_cycles", "caches.constant_l2.latency_cycles", "caches.constant_l3.latency_cycles",
                  "caches.constant_uniform.latency_cycles", "caches.constant_port.pass_latency_cycles", "caches.uniform_fill.latency_cycles",
                  "caches.uniform_fill.interval_cycles"),
    "shared": ("shared.latency_cycles", "shared.pass_cycles", "shared.pass_latency_cycles", "shared.wide_access.group_latency_cycles"),
    "l1": ("caches.l1.latency_cycles",),
    "texture": ("caches.texture_l1.latency_cycles",),
    "load_store": ("load_store.transaction_cycles", "load_store.pipeline.issue_interval_cycles", "load_store.replay.cycles"),
}
"""What of each part is a time in SM cycles."""


def core_factor(arch: Architecture) -> float:
    """Give how many times as long, in SM cycles, things at the core clock take as they are declared to; 1 as declared."""
    domain = arch.clocks.core_domain
    factor = 1.0 if domain is None else arch.clocks.shader_mhz / arch.clocks.core_mhz / domain.cycle_ratio
    return 1.0 if abs(factor - 1) < 1e-6 else factor        # the ratio is declared to six places


def in_sm_cycles(arch: Architecture) -> Architecture:
    """Give the machine with the times of its parts at the core clock as they are at its clocks, in whole SM cycles; as declared, it is itself.

    Operations are not part of it: their costs are looked up one by one (`at_clocks`).

    Raises SpecErrors where a time leaves the range of its field.
    """
    factor = core_factor(arch)
    if factor == 1:
        return arch
    return arch.evolve({path: max(1, round(value * factor)) for path, value in _times(arch)})


def at_clocks(arch: Architecture, cost: Operation) -> Operation:
    """Give the cost of an operation at the machine's clocks, in SM cycles."""
    factor = core_factor(arch) if cost.unit in _parts(arch) else 1.0
    if factor == 1:
        return cost
    return attrs.evolve(cost, latency_cycles=round(cost.latency_cycles * factor), interval_cycles=arch.interval_cycles(cost) * factor)


def _parts(arch: Architecture) -> tuple[str, ...]:
    return () if arch.clocks.core_domain is None else arch.clocks.core_domain.parts


def _times(arch: Architecture) -> Iterator[tuple[str, int]]:
    known: dict[str, Any] = {path: value for path, value, _ in arch.walk()}
    for part in _parts(arch):
        yield from ((path, known[path]) for path in _FIELDS.get(part, ()) if known.get(path))
