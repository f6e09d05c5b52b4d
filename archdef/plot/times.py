"""Blocks on multiprocessors, and lanes of a warp, over time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archdef.errors import LaunchError
from archdef.html.charts import STATES
from archdef.html.traced import groups
from archdef.plot.axes import SERIES, begin, filling, finish, thousands, words

if TYPE_CHECKING:
    from archdef.run.result import Run


def timeline(run: Run, ax: Any) -> Any:
    """Draw each block as a bar in the row of its multiprocessor."""
    found = run.timeline()
    if found.window.detail == "kernels":
        raise LaunchError(f"blocks of {run.kernel} were not recorded: its timeline has the detail 'kernels'; launch it with timeline=True, "
                          "or archdef.TimelineWindow('blocks')")
    ax = begin(ax, 3.6)
    blocks, word = found.blocks, run.architecture.words.multiprocessor
    for number, kernel in enumerate(dict.fromkeys(found.kernel_of(block) for block in blocks)):
        own = [block for block in blocks if found.kernel_of(block) == kernel]
        _rows(ax, found, own, SERIES[number % len(SERIES)], kernel)
    count = run.architecture.chip.multiprocessors
    ax.set_ylim(count - 0.5, -0.5)
    ax.set_xlim(0, max(run.cycles, 1))
    ax.yaxis.get_major_locator().set_params(integer=True)
    thousands(ax)
    lost = f"; {found.record.blocks_lost:,} blocks not recorded" if found.record.blocks_lost else ""
    return finish(ax, f"time, cycles{lost}", word)


def _rows(ax: Any, found: Any, own: list[Any], colour: str, kernel: str) -> None:
    """Draw blocks of one kernel; those of a multiprocessor that run at a time lie below each other."""
    from matplotlib.collections import PolyCollection

    slots: dict[int, dict[int, int]] = {}
    for block in sorted(found.blocks, key=lambda block: int(block["slot"])):
        of = slots.setdefault(int(block["multiprocessor"]), {})
        of.setdefault(int(block["slot"]), len(of))
    bars = []
    for block in own:
        unit, first, last = int(block["multiprocessor"]), int(block["begin"]), int(block["end"])
        deep = 0.9 / len(slots[unit])
        top = unit - 0.45 + deep * slots[unit][int(block["slot"])]
        bars.append([(first, top), (last, top), (last, top + deep), (first, top + deep)])
    ax.add_collection(PolyCollection(bars, facecolors=colour, edgecolors="white", linewidths=0.3, label=kernel))


def lanes(run: Run, ax: Any, warp: int, block: int) -> Any:
    """Draw what each lane of a traced warp does."""
    trace = run.lane_trace
    if trace is None:
        raise LaunchError(f"lanes of {run.kernel} were not recorded: launch it with lanes=archdef.LaneWindow(…)")
    if (block, warp) not in trace.window.warps:
        raise LaunchError(f"warp {warp} of block {block} of {run.kernel} was not traced; these were: {list(trace.window.warps)}")
    ax = begin(ax, 3.2)
    bars: dict[str, list[tuple[int, int, int, int]]] = {state: [] for state in STATES}
    steps = trace.steps(warp, block)
    for step in steps:
        for first, behind, state in groups(step.states.tolist()):
            bars[state].append((step.begin, step.end, first, behind))
    for state, own in bars.items():
        if own:
            ax.bar([x for x, *_ in own], [behind - first for *_, first, behind in own], [end - x for x, end, *_ in own],
                   [first - 0.5 for *_, first, _ in own], align="edge", label=words(state), **filling(state, STATES) | {"linewidth": 0})
    ax.set_ylim(trace.warp_size - 0.5, -0.5)
    if steps:
        ax.set_xlim(steps[0].begin, steps[-1].end)
    ax.set_yticks(range(0, trace.warp_size, 8))
    thousands(ax)
    return finish(ax, "time, cycles", "lane")
