"""Latencies that more resident warps would hide, and the resource that keeps them out."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.errors import ArchdefError
from archdef.occupancy import Suggestion, blocks_allowed

if TYPE_CHECKING:
    from archdef.run.result import Run

NAME: Final = "occupancy-limiter"
CAUSE: Final = "occupancy"
FIELDS: Final = {"registers": ("registers_per_multiprocessor",), "shared": ("shared_bytes_per_multiprocessor",), "blocks": ("blocks_per_multiprocessor",),
                 "warps": ("warps_per_multiprocessor", "threads_per_multiprocessor")}
"""Limit of an `Occupancy` → fields of `limits` that set it."""


def find(run: Run) -> Iterator[Finding]:
    """Find it by what `Run.reasons` says, where a smaller block would let more warps in."""
    reason = next((each for each in run.reasons if each.cause == CAUSE), None)
    held = run.occupancy
    if reason is None or held.suggestion is None or _limited_by_arguments(run):
        return
    try:
        supposed = _supposed(run, held.suggestion)
    except ArchdefError:        # no machine has these limits
        return
    if supposed is not None:
        yield Finding(NAME, supposed, {"active_warps": held.active_warps, "most_warps": held.max_warps, "share_of_time_percent": 100 * reason.share},
                      reason.text, f"the smallest change: {held.suggestion}")


def _limited_by_arguments(run: Run) -> bool:
    """Tell whether the kernel's own shared memory would let another block in: what the launch puts beside it is not the kernel's to save."""
    held, machine = run.occupancy, run.architecture
    own = held.shared_bytes - run.program.launch_shared_bytes
    if "shared" not in held.limiter or own < 0:
        return False
    return blocks_allowed(machine.limits, machine.warp.size, threads=held.threads, registers=held.registers, shared_bytes=own)["shared"] > held.active_blocks


def _supposed(run: Run, suggestion: Suggestion) -> Supposed | None:
    """Give the machine on which the change is made: threads with so few registers, spilled values and all, or else more of what binds."""
    held, machine, words = run.occupancy, run.architecture, run.architecture.words
    (change, *more_changes) = suggestion.changes
    if change.resource == "registers" and not more_changes:
        fewer = machine.evolve({"limits.registers_per_thread": change.value})
        return Supposed(f"threads had {change.value} registers, whatever must be spilled for that", architecture=fewer)
    more = -(-suggestion.active_warps // held.warps_per_block)
    changes: dict[str, Any] = {f"limits.{field}": -(-getattr(machine.limits, field) * more // held.active_blocks)
                               for name in held.limiter for field in FIELDS.get(name, ())}
    return Supposed(f"{more} {words.block}s were resident instead of {held.active_blocks}", architecture=machine.evolve(changes)) if changes else None


RULE: Final = Rule(NAME, "Latencies that are not hidden as a resource keeps warps out.", find)
