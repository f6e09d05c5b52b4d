"""Latencies that more resident warps would hide, and the resource that keeps them out."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from archdef.advice.finding import Finding, Rule, Supposed

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
    if reason is None or held.suggestion is None:
        return
    more = -(-held.suggestion.active_warps // held.warps_per_block)
    limits = run.architecture.limits
    changes: dict[str, Any] = {f"limits.{field}": -(-getattr(limits, field) * more // held.active_blocks)
                               for name in held.limiter for field in FIELDS.get(name, ())}
    if not changes:
        return
    words = run.architecture.words
    yield Finding(NAME, Supposed(f"{more} {words.block}s were resident instead of {held.active_blocks}", architecture=run.architecture.evolve(changes)),
                  {"active_warps": held.active_warps, "most_warps": held.max_warps, "share_of_time_percent": 100 * reason.share},
                  reason.text,
                  f"the smallest change: {held.suggestion}")


RULE: Final = Rule(NAME, "Latencies that are not hidden as a resource keeps warps out.", find)
