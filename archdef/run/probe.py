"""Why a warp of a launch waits, of a launch that can be made again."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from archdef.errors import LaunchError
from archdef.run.timeline import TimelineWindow
from archdef.run.why import MOST_KEPT, Reason, around

if TYPE_CHECKING:
    from archdef.run.result import Run


def ask(launch: Callable[[TimelineWindow], Run], warp: int, cycle: int, block: int = 0) -> tuple[Run, Reason]:
    """Launch a kernel twice to say why a warp waits at a cycle: to find its multiprocessor, then with that recorded around the cycle.

    launch : makes the launch with a timeline; each time with the same arguments.
    """
    found = launch(TimelineWindow("blocks", records=MOST_KEPT))
    timeline = found.timeline()
    if cycle >= found.cycles:
        raise LaunchError(f"{found.kernel} is over after {found.cycles:,} cycles: there is no cycle {cycle:,}")
    timeline.check_warp(warp, block)
    mine = timeline.blocks[(timeline.blocks["block"] == block) & (timeline.blocks["kernel"] == 0)]
    if not len(mine):
        raise LaunchError(f"where block {block:,} of {found.kernel} was is not known: {timeline.lost:,} records of blocks found no room")
    run = launch(TimelineWindow("requests", around(cycle), multiprocessors=sorted({int(n) for n in mine["multiprocessor"]}), records=MOST_KEPT))
    return run, run.why(warp, cycle, block)
