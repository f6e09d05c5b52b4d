"""Where a reason leads: the line that has most of it, or the part of the page that shows it."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from archdef.metrics import Counters
    from archdef.run.result import Run


def _stalled(cause: str) -> Callable[[Run, Counters], float]:
    return lambda run, c: c.stalls[cause]


_MOST: Mapping[str, Callable[[Run, Counters], float]] = {
    "scattered accesses": lambda run, c: (c.global_load_bytes_moved - c.global_load_bytes_asked) + (c.global_store_bytes_moved - c.global_store_bytes_asked),
    "partition camping": lambda run, c: c.dram_requests * len(c.partition) - c.dram_partitions,
    "memory queues": _stalled("memory_throttle"),
    "atomic operations": lambda run, c: c.atomic_transactions,
    "local memory": lambda run, c: c.local_load_transactions + c.local_store_transactions,
    "bank conflicts": lambda run, c: c.shared_load_passes + c.shared_store_passes - c.shared_load_groups - c.shared_store_groups,
    "inactive lanes": lambda run, c: c.instructions * run.architecture.warp.size - c.thread_instructions,
    "memory latency": _stalled("memory_dependency"), "shared memory latency": _stalled("shared_dependency"),
    "arithmetic latency": _stalled("alu_dependency"), "branches": _stalled("branch"), "barriers": _stalled("barrier"), "instruction fetch": _stalled("fetch"),
    "constants": _stalled("constant_dependency"), "launches": _stalled("launch"), "register pool": _stalled("registers"), "busy units": _stalled("pipe_busy"),
    "instruction issue": lambda run, c: c.instructions,
}
"""Cause → what a line has of it."""
_SECTIONS = {"bound": "bounds", "few blocks": "chip", "uneven work": "chip", "start and end": "chip", "occupancy": "occupancy", "few warps": "occupancy"}
"""Causes that are of no line → where they are seen."""


def reasons(run: Run, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """List what accounts for a launch's time, each with the place that it leads to."""
    return [{"cause": reason.cause, "share": reason.share, "text": reason.text, "to": leads_to(run, reason.cause, lines)} for reason in run.reasons]


def leads_to(run: Run, cause: str, lines: Sequence[dict[str, Any]]) -> str:
    """Name the place in the page that a cause leads to."""
    if cause in _SECTIONS:
        return _SECTIONS[cause]
    has = _MOST[cause]
    found: str = max(zip(lines, run.lines, strict=True), key=lambda pair: has(run, pair[1].counters))[0]["to"]
    return found
