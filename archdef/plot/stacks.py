"""What warps' cycles went to: of a launch, of its source lines, of several launches beside each other."""
from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from archdef.errors import LaunchError
from archdef.html.charts import CAUSES
from archdef.metrics.stalls import WAITS_FOR
from archdef.plot.axes import begin, filling, finish, grid, ink, narrow, points, stacked, thousands, words

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run

_LEAST_SHARE = 0.005


def cpi(run: Run, ax: Any) -> Any:
    """Draw a warp's cycles per instruction as one bar, cause after cause."""
    ax = begin(ax, 1.9)
    stacked(ax, [0], {cause: [cycles] for cause, cycles in run.cpi_stack.items()}, CAUSES)
    ax.set_yticks([])
    ax.set_xlim(0, sum(run.cpi_stack.values()) or 1)
    grid(ax, "x")
    return finish(ax, "cycles of a warp per instruction", "")


def stalls(run: Run, ax: Any) -> Any:
    """Draw a bar for each cause that a warp waited for, the most first."""
    spent = {cause: cycles for cause, cycles in run.counters.stalls.items() if cycles and cause in WAITS_FOR}
    whole = sum(run.counters.stalls.values())
    ordered = sorted(spent, key=lambda cause: spent[cause])
    ax = begin(ax, 1.0 + 0.28 * max(len(ordered), 1))
    for place, cause in enumerate(ordered):
        ax.barh(place, 100 * spent[cause] / whole, 0.7, **filling(cause, CAUSES))
    ax.set_yticks(range(len(ordered)), [words(cause) for cause in ordered])
    ax.set_xlim(left=0)
    grid(ax, "x")
    return finish(ax, "share of warp cycles, %", "")


def lines(run: Run, ax: Any, most: int) -> Any:
    """Draw the costliest source lines in the order of the source, each as a bar of causes; those below `_LEAST_SHARE` are left out."""
    whole = sum(run.counters.stalls.values())
    costly = sorted(run.lines, key=lambda line: -line.warp_cycles)[:most]
    shown = [line for line in run.lines if line in costly and line.warp_cycles and line.share >= _LEAST_SHARE]
    if not shown:
        raise LaunchError(f"there is no line of {run.kernel} to plot: its warps spent no cycles")
    ax = begin(ax, 1.2 + 0.26 * len(shown))
    parts = {cause: [100 * line.counters.stalls[cause] / whole for line in shown] for cause in CAUSES}
    stacked(ax, range(len(shown)), parts, CAUSES)
    several = len({line.file for line in shown}) > 1
    room = 22 if narrow(ax) else 44
    ax.set_yticks(range(len(shown)), [_name(line, several, room) for line in shown])
    ax.invert_yaxis()
    grid(ax, "x")
    finish(ax, "share of warp cycles, %", "")
    for label in ax.get_yticklabels():
        label.set_family("monospace")
        label.set_parse_math(False)     # a dollar sign of the source is no formula
    ax.tick_params(axis="y", labelsize=points(ax) - 1)
    return ax


def _name(line: Cost, several: bool, room: int) -> str:
    number = str(line.line) if line.line else "no line"
    place = f"{os.path.basename(line.file)}:{number}" if several else number
    text = " ".join(line.text.split())
    name = f"{place} {text}".rstrip()
    return name if len(name) <= room else f"{name[:room - 1]}…"


def compare(runs: Iterable[Run], ax: Any = None) -> Any:
    """Draw the times of launches as bars, each divided as its warps' cycles were.

    runs : launches, of any kernels on any machines.
    ax   : Axes to draw in; None: those of a new figure.

    Raises LaunchError if there are none, MissingExtra without matplotlib.
    """
    shown = list(runs)
    if not shown:
        raise LaunchError("there are no runs to compare in a plot")
    ax = begin(ax, 1.2 + 0.34 * len(shown))
    parts: dict[str, list[float]] = {cause: [] for cause in CAUSES}
    for run in shown:
        whole = sum(run.counters.stalls.values()) or 1
        for cause, cycles in run.counters.stalls.items():
            parts[cause].append(run.elapsed_s * 1e6 * cycles / whole)
    stacked(ax, range(len(shown)), parts, CAUSES)
    between = "\n" if narrow(ax) else " on "
    ax.set_yticks(range(len(shown)), [f"{run.kernel}{between}{run.architecture.label}" for run in shown])
    ax.invert_yaxis()
    grid(ax, "x")
    return finish(ax, "time, µs, divided as warp cycles are", "")


def bounds(run: Run, ax: Any) -> Any:
    """Draw the least cycles by each bound, and those that the launch took as a line."""
    found = run.bounds
    if found is None:
        raise LaunchError(f"there are no bounds of {run.kernel} to plot: it launched kernels of its own")
    ax = begin(ax, 1.1 + 0.26 * len(found.lower))
    ax.barh(range(len(found.lower)), [bound.cycles for bound in found.lower], 0.7, color="#3b82c4", label="at least")
    ax.axvline(found.measured, color=ink(ax), linestyle="--", linewidth=1.2, label="this launch")
    ax.set_yticks(range(len(found.lower)), [bound.name for bound in found.lower])
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    grid(ax, "x")
    thousands(ax)
    return finish(ax, "cycles", "")
