"""A last wave of blocks that leaves most of the machine without work."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, percent, three

if TYPE_CHECKING:
    from archdef.run.result import Run

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
                                 architecture=machine.evolve({"chip.multiprocessors": wider}), more=wider / machine.chip.multiprocessors),
                  {"waves": blocks / room, "blocks": blocks, "blocks_at_once": room, "last_wave_percent": 100 * rest / room},
                  f"{count(blocks)} {words.block}s in {three(blocks / room)} waves of {count(room)}: "
                  f"the last fills {percent(100 * rest / room)} of the machine",
                  f"launch {count(fewer)} {words.block}s that each do a little more (a loop over the grid), or smaller ones, so that waves are full")


RULE: Final = Rule(NAME, "A last wave of blocks that leaves most of the machine without work.", find)
