"""Requests that gather at a few memory partitions while others have nothing to do."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import attrs

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.spec.policy import Interleaved, XorHash

if TYPE_CHECKING:
    from archdef.run.result import Run

NAME: Final = "partition-camping"
CAUSE: Final = "partition camping"


def find(run: Run) -> Iterator[Finding]:
    """Find it where chunks lie in the partitions in turn, by what `Run.reasons` says."""
    reason = next((each for each in run.reasons if each.cause == CAUSE), None)
    if reason is None or not isinstance(run.architecture.dram.partition_map, Interleaved):
        return
    dram, words = run.architecture.dram, run.architecture.words
    period = dram.interleave_bytes * dram.partitions
    hashed = attrs.evolve(run.architecture, dram=attrs.evolve(dram, partition_map=XorHash()))
    remedy = (f"let {words.block}s that run together reach different {words.partition}s: take tiles along a diagonal, or pad rows so that their "
              f"length is no multiple of {period} bytes ({dram.partitions} {words.partition}s, {dram.interleave_bytes} bytes each in turn)")
    yield Finding(NAME, Supposed("chunks lay in the partitions by a hash of their address", architecture=hashed),
                  {"share_of_time_percent": 100 * reason.share, "partitions": dram.partitions, "period_bytes": period}, reason.text, remedy)


RULE: Final = Rule(NAME, "Requests that gather at a few memory partitions.", find)
