"""Why a launch took the time that it took, in a sentence: the line that costs most, and what accounts for the most of the time."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef.formatting import percent
from archdef.metrics.stalls import WAITS_FOR

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

NAMED = 2
"""Reasons that the sentence names: it is to be read at a glance."""


def costliest(run: Run) -> Cost | None:
    """Give the source line on which warps spent the most cycles, or None for a kernel that did nothing."""
    return max((line for line in run.lines if line.line), key=lambda line: line.warp_cycles, default=None)


def waiting(cost: Cost) -> str:
    """Say what the warps on a line do most."""
    return "issuing" if cost.cause == "selected" else f"waiting for {WAITS_FOR[cost.cause]}"


def why(run: Run) -> str:
    """Say in one sentence which line costs most, and what accounts for the most of the time."""
    line = costliest(run)
    if line is None:
        return "no instruction was executed"
    takes = f"line {line.line} takes {percent(100 * line.share)} of {run.architecture.words.warp} cycles"
    reasons = " and ".join(reason.short for reason in run.reasons[:NAMED])
    return f"{takes}; time goes to {reasons}" if reasons else f"{takes}, mostly {waiting(line)}"
