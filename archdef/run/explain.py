"""Why a launch took the time that it took, in a sentence: what accounts for the most of it, the line that costs most, and what its warps wait for."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef.metrics.stalls import WAITS_FOR
from archdef.formatting import percent, three

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

_NOTABLE = 1.05
"""Transactions or passes above the least by this factor are worth a word."""


def costliest(run: Run) -> Cost | None:
    """Give the source line on which warps spent the most cycles, or None for a kernel that did nothing."""
    return max((line for line in run.lines if line.line), key=lambda line: line.warp_cycles, default=None)


def waiting(cost: Cost) -> str:
    """Say what the warps on a line do most."""
    return "issuing" if cost.cause == "selected" else f"waiting for {WAITS_FOR[cost.cause]}"


def why(run: Run) -> str:
    """Say what accounts for the most of the time, and of the costliest line its share, what its warps wait for, and what is unusual of its accesses."""
    line = costliest(run)
    if line is None:
        return "no instruction was executed"
    stalls = line.counters.stalls
    most = stalls[line.cause] / line.warp_cycles if line.warp_cycles else 0.0
    remarks = [*map(str, run.reasons[:1]),
               f"{percent(100 * line.share)} of warp cycles here, {percent(100 * most)} of them {waiting(line)}", *_accesses(run, line)]
    return "; ".join(remarks)


def _accesses(run: Run, line: Cost) -> list[str]:
    metrics = run.metrics_of(line.counters)
    remarks = []
    for kind, name in (("load", "gld"), ("store", "gst")):
        efficiency = metrics[f"{name}_efficiency"]
        if efficiency is not None and efficiency < 100 / _NOTABLE:
            remarks.append(f"{three(metrics[f'{name}_transactions_per_request'])} transactions per {kind}, "
                           f"{percent(efficiency)} of their bytes used")
    efficiency = metrics["shared_efficiency"]
    if efficiency is not None and efficiency < 100 / _NOTABLE:
        remarks.append(f"{three(100 / efficiency)} passes over the banks where one would do")
    if line.counters.divergent_branches:
        remarks.append(f"{line.counters.divergent_branches:,} divergent branches")
    return remarks
