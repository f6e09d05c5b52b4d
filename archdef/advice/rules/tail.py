"""A last wave of blocks that leaves most of the machine without work."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, percent, three
from archdef.spec.policy import GpcRoundRobin

if TYPE_CHECKING:
    from archdef.run.result import Run
    from archdef.spec import Architecture

NAME: Final = "tail-effect"
FULL: Final = 0.5
"""A last wave that is filled by more than this part is none to speak of."""
FEW_WAVES: Final = 2
"""Full waves from which on blocks no longer run in step, and what is left at the end is little."""


def find(run: Run) -> Iterator[Finding]:
    """Find it where blocks fill the machine once at least, and a small rest is left."""
    machine, words = run.architecture, run.architecture.words
    blocks, room = math.prod(run.grid), run.occupancy.active_blocks * machine.chip.multiprocessors
    whole, rest = divmod(blocks, room)
    if not 0 < whole <= FEW_WAVES or not rest or rest > FULL * room:
        return
    wider = -(-blocks // (whole * run.occupancy.active_blocks))
    fewer = whole * room
    yield Finding(NAME, Supposed(f"{wider} {words.multiprocessor}s held all {words.block}s in {count(whole)} wave{'s' * (whole > 1)}",
                                 architecture=_widened(machine, wider), more=wider / machine.chip.multiprocessors),
                  {"waves": blocks / room, "blocks": blocks, "blocks_at_once": room, "last_wave_percent": 100 * rest / room},
                  f"{count(blocks)} {words.block}s in {three(blocks / room)} waves of {count(room)}: "
                  f"the last fills {percent(100 * rest / room)} of the machine",
                  f"launch {count(fewer)} {words.block}s that each do a little more (a loop over the grid), or smaller ones, so that waves are full")


def _widened(machine: Architecture, wider: int) -> Architecture:
    """Give the machine with more multiprocessors; where clusters are told one by one, they are in the last."""
    chip, more = machine.chip, wider - machine.chip.multiprocessors
    changes: dict[str, Any] = {"chip.multiprocessors": wider}
    if chip.cluster_sizes:
        changes["chip.cluster_sizes"] = (*chip.cluster_sizes[:-1], chip.cluster_sizes[-1] + more)
    if isinstance(chip.dispatch, GpcRoundRobin):
        groups = chip.dispatch.groups
        changes["chip.block_launch.dispatch.groups"] = (*groups[:-1], groups[-1] + more)
    return machine.evolve(changes)


RULE: Final = Rule(NAME, "A last wave of blocks that leaves most of the machine without work.", find)
